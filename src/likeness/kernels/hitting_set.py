"""Whether a few sensitive values hit everybody's value set: the question behind EIR l-diversity, decided exactly.

A value hits an individual who has it. An adversary who thinks each of n people has just one of their values in mind
sees fewer than l different values exactly when l - 1 values hit everybody (Wang et al. 2019, theorem 3.1; the
other direction: choose for everybody a value that hits). Finding the fewest values is the minimum hitting set
problem, hard in general. Cheap tests decide most classes; the rest becomes a set cover of few, reduced bit sets: every set
to be hit is a bit, every value the mask of the sets it hits, and bit sets are rows of 64-bit words.

Sets are laid out as in `likeness.microdata.individuals.Individuals`: person p has ``value[first[p] : first[p + 1]]``.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, types, uint64

from likeness.kernels import njit

_SCALE = 1 << 40
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@njit(int64(uint64), cache=True)
def popcount(word):
    """Number of bits that are set."""
    word = word - ((word >> _ONE) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(boolean(uint64[::1], uint64[::1], uint64[::1]), cache=True)
def _within(inner, outer, universe):
    """Whether, of the universe, one row has no bit that the other lacks."""
    for w in range(inner.shape[0]):
        if inner[w] & universe[w] & ~outer[w]:
            return False
    return True


@njit(boolean(uint64[::1], int64), cache=True)
def _has(row, bit):
    """Whether a bit is set."""
    return (row[bit >> 6] >> np.uint64(bit & 63)) & _ONE != _NONE


@njit(types.void(uint64[::1], int64), cache=True)
def _drop(row, bit):
    """Clear a bit."""
    row[bit >> 6] &= ~(_ONE << np.uint64(bit & 63))


@njit(int64(uint64[::1]), cache=True)
def _size(row):
    """Number of bits of a row."""
    total = 0
    for w in range(row.shape[0]):
        total += popcount(row[w])
    return total


@njit(int64[::1](int64[::1]), cache=True)
def ascending(keys):
    """(n,) Positions in ascending order of small keys, none negative; equal keys in the order they come."""
    largest = 0
    for key in keys:
        largest = max(largest, key)
    place = np.zeros(largest + 2, np.int64)
    for key in keys:
        place[key + 1] += 1
    for key in range(largest):
        place[key + 1] += place[key]
    order = np.empty(keys.shape[0], np.int64)
    for i in range(keys.shape[0]):
        order[place[keys[i]]] = i
        place[keys[i]] += 1
    return order


@njit(int64[::1](int64[::1]), cache=True)
def descending(keys):
    """(n,) Positions in descending order of small keys, none negative; equal keys in the order they come."""
    largest = 0
    for key in keys:
        largest = max(largest, key)
    turned = np.empty_like(keys)
    for i in range(keys.shape[0]):
        turned[i] = largest - keys[i]
    return ascending(turned)


@njit(boolean(uint64[:, ::1], uint64[:, ::1], boolean[::1], uint64[::1], boolean), cache=True)
def _drop_dominated(rows, across, there, universe, keep_larger):
    """Drop rows that contain another (or, ``keep_larger``, that another contains); of equal ones the first stays."""
    n = rows.shape[0]
    sizes = np.zeros(n, np.int64)
    for i in range(n):
        if there[i]:
            sizes[i] = _size(rows[i])
    order = descending(sizes) if keep_larger else ascending(sizes)
    kept = np.empty(n, np.int64)
    count = 0
    changed = False
    for i in order:
        if not there[i]:
            continue
        # A value that hits nothing any more goes even when it is the only one.
        gone = sizes[i] == 0
        if not gone:
            for k in range(count):
                j = kept[k]
                if (
                    _within(rows[i], rows[j], universe)
                    if keep_larger
                    else _within(rows[j], rows[i], universe)
                ):
                    gone = True
                    break
        if gone:
            there[i] = False
            changed = True
            for u in range(across.shape[0]):
                _drop(across[u], i)
        else:
            kept[count] = i
            count += 1
    return changed


@njit(types.Tuple((uint64[:, ::1], int64, int64[::1], int64[::1]))(int64[::1], int64[::1], int64), cache=True)
def reduce_sets(starts, members, values):
    """Turn sets to be hit into masks to cover with, without what cannot matter.

    Repeated until nothing changes: a value that is all a set has is taken, with everything it hits; a set that has all
    values of another goes (absorption); a value that hits no more than another goes (dominance).
    Set i has ``members[starts[i] : starts[i + 1]]``, different from each other, of ``values`` values; none is empty.
    Returns the masks (k, words) of the sets that each of k values hits; the number of sets left; the forced values (f,),
    with which a minimum hitting set of the rest is completed; and the value of each mask (k,).
    """
    n = starts.shape[0] - 1
    rows = np.zeros((n, (values + 63) >> 6), np.uint64)
    columns = np.zeros((values, (n + 63) >> 6), np.uint64)
    for i in range(n):
        for at in range(starts[i], starts[i + 1]):
            v = members[at]
            rows[i, v >> 6] |= _ONE << np.uint64(v & 63)
            columns[v, i >> 6] |= _ONE << np.uint64(i & 63)
    all_sets, all_values = ~np.zeros(columns.shape[1], np.uint64), ~np.zeros(rows.shape[1], np.uint64)
    set_there, value_there = np.ones(n, np.bool_), np.ones(values, np.bool_)
    forced = np.empty(values, np.int64)
    taken = 0
    changed = True
    while changed:
        changed = False
        for i in range(n):
            if set_there[i] and _size(rows[i]) == 1:
                changed = True
                for v in range(values):
                    if value_there[v] and _has(rows[i], v):
                        forced[taken] = v
                        taken += 1
                        value_there[v] = False
                        for j in range(n):
                            if set_there[j] and _has(rows[j], v):
                                set_there[j] = False
                                for u in range(values):
                                    _drop(columns[u], j)
                        break
        if _drop_dominated(rows, columns, set_there, all_values, False):
            changed = True
        if _drop_dominated(columns, rows, value_there, all_sets, True):
            changed = True
    bit_of = np.empty(n, np.int64)
    bits = left = 0
    for i in range(n):
        bit_of[i] = bits
        bits += set_there[i]
    for v in range(values):
        left += value_there[v]
    origin = np.empty(left, np.int64)
    masks = np.zeros((left, max(1, (bits + 63) >> 6)), np.uint64)
    k = 0
    for v in range(values):
        if value_there[v]:
            origin[k] = v
            for i in range(n):
                if set_there[i] and _has(columns[v], i):
                    masks[k, bit_of[i] >> 6] |= _ONE << np.uint64(bit_of[i] & 63)
            k += 1
    return masks, bits, forced[:taken].copy(), origin


@njit(int64(uint64[:, ::1], int64, uint64[::1], int64[::1], int64, int64), cache=True)
def _rarest(masks, bits, rest, usable, kept, left):
    """The bit that fewest masks have, or -1 when bounds say that ``left`` masks do not cover what is left.

    Bounds: bits no two of which share a mask need a mask each; and a bit needs at least 1 / (size of the largest mask
    that has it) of a mask, in units of 1 / `_SCALE` rounded down. ``usable`` names the masks, largest first.
    """
    holders, largest = np.zeros(bits, np.int64), np.zeros(bits, np.int64)
    for i in range(kept):
        size = 0
        for w in range(rest.shape[0]):
            size += popcount(masks[usable[i], w] & rest[w])
        for w in range(rest.shape[0]):
            word = masks[usable[i], w] & rest[w]
            while word != _NONE:
                bit = (w << 6) + popcount((word & (~word + _ONE)) - _ONE)
                word &= word - _ONE
                holders[bit] += 1
                # Masks come largest first.
                if largest[bit] == 0:
                    largest[bit] = size
    need = 0
    rarest = -1
    for bit in range(bits):
        if _has(rest, bit):
            if holders[bit] == 0:
                return -1
            need += _SCALE // largest[bit]
            if rarest < 0 or holders[bit] < holders[rarest]:
                rarest = bit
    if need > left * _SCALE:
        return -1
    free = rest.copy()
    apart = 0
    for bit in ascending(holders):
        if _has(free, bit):
            apart += 1
            if apart > left:
                return -1
            for i in range(kept):
                if _has(masks[usable[i]], bit):
                    for w in range(rest.shape[0]):
                        free[w] &= ~masks[usable[i], w]
    return rarest


@njit(
    types.UniTuple(int64, 3)(uint64[:, ::1], int64, uint64[::1], int64[::1], int64, int64, int64[::1]),
    cache=True,
)
def _enter(masks, bits, rest, usable, count, left, options):
    """Look at a node: (1, …) when one mask finishes it, else (0, masks that matter, branches); no branches: give up.

    ``usable`` keeps the masks that matter, ``options`` receives the branches.
    """
    total = _size(rest)
    sizes = np.empty(count, np.int64)
    for i in range(count):
        size = 0
        for w in range(rest.shape[0]):
            size += popcount(masks[usable[i], w] & rest[w])
        sizes[i] = size
        if size == total:
            options[0] = usable[i]
            return 1, 0, 0
    # What one mask does not finish needs two.
    if left < 2:
        return 0, 0, 0
    order = descending(sizes)
    ranked = np.empty(count, np.int64)
    kept = reach = 0
    for i in order:
        if sizes[i] == 0:
            break
        mask = usable[i]
        needed = True
        for j in range(kept):
            if _within(masks[mask], masks[ranked[j]], rest):
                needed = False
                break
        if needed:
            if kept < left:
                reach += sizes[i]
            elif reach < total:
                return 0, 0, 0
            ranked[kept] = mask
            kept += 1
    if reach < total:
        return 0, 0, 0
    for i in range(kept):
        usable[i] = ranked[i]
    bit = _rarest(masks, bits, rest, usable, kept, left)
    if bit < 0:
        return 0, 0, 0
    branches = 0
    for i in range(kept):
        if _has(masks[usable[i]], bit):
            options[branches] = usable[i]
            branches += 1
    return 0, kept, branches


@njit(int64(uint64[:, ::1], int64, int64, int64[::1], int64), cache=True)
def cover(masks, bits, b, chosen, budget):
    """Find at most ``b`` masks that together have every bit: their number; -1: there are none; -2: the budget is used up.

    Depth first. A node keeps the masks that matter for the bits it has left, gives up when a bound says that too few
    masks remain, and branches over the masks of the bit that fewest of them have. A mask that was tried is not used
    again by its siblings: every cover with it has been looked for.
    ``chosen`` (at least b,) receives the masks; ``budget`` is in masks looked at, summed over the nodes visited.
    """
    k, words = masks.shape
    if bits == 0:
        return 0
    depth_limit = min(b, bits)
    if depth_limit <= 0:
        return -1
    b = depth_limit
    rest = np.zeros((b + 1, words), np.uint64)
    for bit in range(bits):
        rest[0, bit >> 6] |= _ONE << np.uint64(bit & 63)
    usable = np.empty((b + 1, k), np.int64)
    usable_count = np.zeros(b + 1, np.int64)
    options = np.empty((b + 1, k), np.int64)
    option_count = np.zeros(b + 1, np.int64)
    following = np.zeros(b + 1, np.int64)
    tried = np.zeros(k, np.bool_)
    for i in range(k):
        usable[0, i] = i
    usable_count[0] = k
    depth, spent, entering = 0, 0, True
    while True:
        if entering:
            spent += 1 + usable_count[depth]
            if spent > budget:
                return -2
            left = b - depth
            answer = _enter(
                masks, bits, rest[depth], usable[depth], usable_count[depth], left, options[depth]
            )
            if answer[0] == 1:
                chosen[depth] = options[depth, 0]
                return depth + 1
            usable_count[depth], option_count[depth], following[depth] = answer[1], answer[2], 0
        if following[depth] < option_count[depth]:
            mask = options[depth, following[depth]]
            following[depth] += 1
            tried[mask] = True
            chosen[depth] = mask
            count = 0
            for i in range(usable_count[depth]):
                if not tried[usable[depth, i]]:
                    usable[depth + 1, count] = usable[depth, i]
                    count += 1
            usable_count[depth + 1] = count
            for w in range(words):
                rest[depth + 1, w] = rest[depth, w] & ~masks[mask, w]
            depth += 1
            entering = True
        else:
            for i in range(option_count[depth]):
                tried[options[depth, i]] = False
            if depth == 0:
                return -1
            depth -= 1
            entering = False


UNLIMITED = 1 << 62
"""A budget that is never used up."""
_MANY = 4096
"""People whose exact minimum is not looked for where bounds do."""


@njit(types.UniTuple(int64[::1], 3)(int64[::1], int64[::1], int64[::1], int64, int64[::1]), cache=True)
def _local(first, value, people, count, place):
    """Lay out the sets of a class over values numbered from 0 in order of first appearance; persons without any are left out."""
    pairs = 0
    for i in range(count):
        pairs += first[people[i] + 1] - first[people[i]]
    starts, members, known = (
        np.empty(count + 1, np.int64),
        np.empty(pairs, np.int64),
        np.empty(pairs, np.int64),
    )
    starts[0] = 0
    n = at = m = 0
    for i in range(count):
        for j in range(first[people[i]], first[people[i] + 1]):
            v = value[j]
            if place[v] < 0:
                place[v] = m
                known[m] = v
                m += 1
            members[at] = place[v]
            at += 1
        if at > starts[n]:
            n += 1
            starts[n] = at
    for i in range(m):
        place[known[i]] = -1
    return starts[: n + 1].copy(), members, known[:m].copy()


@njit(types.void(int64[::1]), cache=True)
def _once(witness):
    """Move every value behind its first appearance out of the way."""
    kept = 0
    for i in range(witness.shape[0]):
        new = witness[i] >= 0
        for j in range(kept):
            new = new and witness[j] != witness[i]
        if new:
            witness[kept] = witness[i]
            kept += 1
    witness[kept:] = -1


@njit(int64(int64[::1], int64[::1], int64[::1], int64, int64[::1]), cache=True)
def _greedy(starts, members, counts, b, chosen):
    """Take the value that hits most of the rest, again and again; -1 when b values do not do."""
    n = starts.shape[0] - 1
    rest, left = counts.copy(), n
    hit = np.zeros(n, np.bool_)
    for step in range(b):
        best = np.argmax(rest)
        chosen[step] = best
        for i in range(n):
            if hit[i]:
                continue
            for at in range(starts[i], starts[i + 1]):
                if members[at] == best:
                    hit[i] = True
                    left -= 1
                    break
            if hit[i]:
                for at in range(starts[i], starts[i + 1]):
                    rest[members[at]] -= 1
        if left == 0:
            return step + 1
    return -1


@njit(int64(int64[::1], int64[::1], int64), cache=True)
def _packing(starts, members, m):
    """Number of disjoint sets, taken smallest first: no hitting set has fewer values."""
    taken = np.zeros(m, np.bool_)
    found = 0
    sizes = starts[1:] - starts[:-1]
    for i in ascending(sizes):
        free = True
        for at in range(starts[i], starts[i + 1]):
            if taken[members[at]]:
                free = False
                break
        if free:
            found += 1
            for at in range(starts[i], starts[i + 1]):
                taken[members[at]] = True
    return found


@njit(boolean(int64[::1], int64[::1], int64[::1], int64, int64, int64[::1], int64[::1]), cache=True)
def hits_all(first, value, people, count, b, place, witness):
    """Whether at most ``b`` values hit the sets of ``people[:count]``; a class is EIR l-diverse when l - 1 do not.

    For calls from other kernels: nothing is kept between calls but what the arrays hold. Exact whatever it takes: on
    INFORMS 2005 up to 0.02 s a call for l up to 50; of 600 of its people with four values or more 2.4 s for l = 30.
    Values of one person differ; who is named twice counts once; persons without values are passed over.
    ``place`` (m,), one entry per value there is: scratch, all -1 when called and again on return. ``witness`` (at least
    b, or 0 when not wanted) receives a hitting set, then -1; untouched when there is none. It stays good as long as
    everybody who is added has one of its values: callers that grow a class test that first, and ask again if it fails.

    >>> first, value = np.array([0, 2, 4, 6]), np.array([2, 3, 2, 4, 1, 2])
    >>> people, place, witness = np.arange(3), np.full(5, -1), np.empty(1, np.int64)
    >>> hits_all(first, value, people, 3, 1, place, witness), witness
    (True, array([2]))
    """
    starts, members, known = _local(first, value, people, count, place)
    n, m = starts.shape[0] - 1, known.shape[0]
    if n == 0 or b <= 0:
        if n == 0:
            witness[:] = -1
        return n == 0
    if n <= b or m <= b:
        if witness.shape[0] > 0:
            witness[:] = -1
            for i in range(n if n <= b else m):
                witness[i] = known[members[starts[i]]] if n <= b else known[i]
            # Two persons may have the same first value; a witness names it once.
            _once(witness)
        return True
    counts = np.zeros(m, np.int64)
    single = np.zeros(m, np.bool_)
    singles = 0
    for i in range(n):
        for at in range(starts[i], starts[i + 1]):
            counts[members[at]] += 1
        if starts[i + 1] - starts[i] == 1 and not single[members[starts[i]]]:
            single[members[starts[i]]] = True
            singles += 1
    if singles > b:
        return False
    reach = 0
    for i in descending(counts)[:b]:
        reach += counts[i]
    if reach < n:
        return False
    chosen = np.empty(max(n, b) + 1, np.int64)
    size = _greedy(starts, members, counts, b, chosen)
    if size < 0:
        if _packing(starts, members, m) > b:
            return False
        masks, bits, forced, origin = reduce_sets(starts, members, m)
        left = b - forced.shape[0]
        if left < 0:
            return False
        size = cover(masks, bits, left, chosen, UNLIMITED)
        if size < 0:
            return False
        for i in range(size):
            chosen[i] = origin[chosen[i]]
        for i in range(forced.shape[0]):
            chosen[size + i] = forced[i]
        size += forced.shape[0]
    if witness.shape[0] > 0:
        witness[:] = -1
        for i in range(size):
            witness[i] = known[chosen[i]]
    return True


@njit(
    types.UniTuple(int64, 2)(int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1], int64, int64),
    cache=True,
)
def minimum_hitting_set(first, value, people, count, place, witness, certain, budget):
    """Bounds ``least <= τ <= most`` on the fewest values τ that hit the sets of ``people[:count]``, and one set of ``most``.

    Whether τ is at least ``certain`` is decided whatever it takes; from there on each number of values is searched for
    within ``budget`` masks (`UNLIMITED`: exact). The bounds are equal unless the budget did not do.
    ``witness`` (count, or 0 when not wanted) receives the set, then -1; the other parameters are those of `hits_all`.
    """
    starts, members, known = _local(first, value, people, count, place)
    n, m = starts.shape[0] - 1, known.shape[0]
    witness[:] = -1
    if n == 0:
        return 0, 0
    counts = np.zeros(m, np.int64)
    for at in range(members.shape[0]):
        counts[members[at]] += 1
    chosen = np.empty(n + 1, np.int64)
    most = _greedy(starts, members, counts, n, chosen)
    least = _packing(starts, members, m)
    # The reductions of so many sets take long, and what they decide is far from any l.
    if least < most and (n <= _MANY or least < certain or budget == UNLIMITED):
        masks, bits, forced, origin = reduce_sets(starts, members, m)
        found = np.empty(n + 1, np.int64)
        least = max(least, forced.shape[0])
        while least < most:
            size = cover(
                masks, bits, least - forced.shape[0], found, UNLIMITED if least < certain else budget
            )
            if size == -2:
                break
            if size >= 0:
                for i in range(size):
                    chosen[i] = origin[found[i]]
                for i in range(forced.shape[0]):
                    chosen[size + i] = forced[i]
                most = size + forced.shape[0]
                break
            least += 1
    for i in range(min(most, witness.shape[0])):
        witness[i] = known[chosen[i]]
    return least, most


@njit(boolean[::1](int64[::1], int64[::1], int64[::1], int64, int64), cache=True)
def classes_diverse(start, first, value, values, l):
    """(E,) bool: whether it takes at least ``l`` (1 or more) values to hit everybody in each class.

    ``start`` (E + 1,): where the individuals of each class begin; ``values``: number of values; the rest: see `hits_all`.
    """
    good = np.zeros(start.shape[0] - 1, np.bool_)
    place, people = np.full(values, -1, np.int64), np.arange(first.shape[0] - 1)
    nothing = np.empty(0, np.int64)
    for e in range(good.shape[0]):
        size = start[e + 1] - start[e]
        if size >= l:
            good[e] = not hits_all(first, value, people[start[e] : start[e + 1]], size, l - 1, place, nothing)
    return good


@njit(int64[:, ::1](int64[::1], int64[::1], int64[::1], int64, int64, int64), cache=True)
def class_minima(start, first, value, values, certain, budget):
    """(E, 2) Bounds on the fewest values that hit everybody in each class: see `minimum_hitting_set`."""
    found = np.zeros((start.shape[0] - 1, 2), np.int64)
    place, people = np.full(values, -1, np.int64), np.arange(first.shape[0] - 1)
    nothing = np.empty(0, np.int64)
    for e in range(found.shape[0]):
        inside = people[start[e] : start[e + 1]]
        found[e, 0], found[e, 1] = minimum_hitting_set(
            first, value, inside, inside.shape[0], place, nothing, certain, budget
        )
    return found
