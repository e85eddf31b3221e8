"""Cover bits by few masks: minimum hitting set seen from the other side, after exact reductions.

Every set to be hit is a bit, every value the mask of the sets it hits. Bit sets are rows of 64-bit words.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, njit, types, uint64

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

    Parameters
    ----------
    starts : (n + 1,) int64
        Where the values of each set begin.
    members : (pairs,) int64
        The values of each set, different from each other; no set is empty.
    values
        Number m of values.

    Returns
    -------
    masks : (k, words) uint64
        Sets that each of k values hits, as bits.
    bits : int
        Number of sets left.
    forced : (f,) int64
        Values that every minimum hitting set of the rest is completed with.
    origin : (k,) int64
        Value of each mask.
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
    that has it) of a mask, in whole numbers rounded down.
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
    """Find at most ``b`` masks that together have every bit.

    Depth first. A node keeps the masks that matter for the bits it has left, gives up when a bound says that too few
    masks remain, and branches over the masks of the bit that fewest of them have. A mask that was tried is not used
    again by its siblings: every cover with it has been looked for.

    Parameters
    ----------
    masks : (k, words) uint64
        The masks.
    bits
        Number of bits.
    b
        Most masks.
    chosen : (at least b,) int64
        Receives the masks of a cover.
    budget
        Most masks to look at, summed over the nodes visited.

    Returns
    -------
    int
        Number of masks of the cover; -1 when there is none; -2 when the budget is used up.
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
