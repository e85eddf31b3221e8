"""Cuts that exchange records: where a side of a cut has too many records of a value, those nearest the cut change sides.

A cut confines one side, the *kept* one, to what lies on its side of a position of one dimension. Of every sensitive
value it keeps as many records as its own limits allow and the rest of the class can spare; what it may not keep joins
the rest, nearest the cut first. A cut that any side may have as it is, is an exchange of nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types

from likeness.kernels import borrowed, njit
from likeness.kernels.class_tests import TESTS, evaluate
from likeness.kernels.hulls import GEOMETRY, SET, hull_loss
from likeness.kernels.node_summary import (
    PREFIX,
    SCRATCH,
    SUFFIX,
    count_before,
    find_items,
    item_hulls,
    node_hull,
    node_loss_of,
    order_by_frequency,
    side_losses,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIZES_TRIED = 256
_NOBODY = 1 << 62


class Caps(NamedTuple):
    """Upper limits of m values: exact tables decide, shares aim."""

    share: NDArray[np.float64]
    """(m,) limit of each value's share of a class, rounded."""
    start: NDArray[np.int64]
    """(m + 1,) where each value's table begins."""
    smallest: NDArray[np.int64]
    """Per value, the smallest class that may hold 1, 2, … of its records."""


CAPS = types.NamedTuple((float64[::1], int64[::1], int64[::1]), Caps)
"""Numba type of the caps."""


class Sides(NamedTuple):
    """Counts per value while cuts of a class are compared."""

    whole: NDArray[np.int64]
    """(m,) records of the class."""
    inside: NDArray[np.int64]
    """(m,) records on the kept side of a cut."""
    most: NDArray[np.int64]
    """(m,) most that the kept side may keep."""
    least: NDArray[np.int64]
    """(m,) least that it must keep, because the rest may not have more."""
    chosen_most: NDArray[np.int64]
    """(m,) ``most`` of the best cut so far."""
    chosen_least: NDArray[np.int64]
    """(m,) ``least`` of the best cut so far."""
    present: NDArray[np.int64]
    """(m,) the values of the class."""
    aim: NDArray[np.float64]
    """(m,) share that parts of the class should stay below."""


SIDES = types.NamedTuple((int64[::1],) * 7 + (float64[::1],), Sides)
"""Numba type of the counts."""


def sides(values: int) -> Sides:
    """Allocate the counts."""
    counts = np.zeros((7, values), np.int64)
    return Sides(
        counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], np.zeros(values)
    )


@njit(int64(CAPS, int64, int64), cache=True)
def _largest_count(caps, value, size):
    """Most records of a value that a class of so many may hold."""
    start = caps.start[value]
    known = caps.start[value + 1] - start
    count = min(int64(caps.share[value] * size), known)
    while count < known and caps.smallest[start + count] <= size:
        count += 1
    while count > 0 and caps.smallest[start + count - 1] > size:
        count -= 1
    return count


@njit(int64(CAPS, int64, int64), cache=True)
def _smallest_class(caps, value, count):
    """Smallest class that may hold so many records of a value."""
    if count == 0:
        return 0
    start = caps.start[value]
    return caps.smallest[start + count - 1] if start + count <= caps.start[value + 1] else _NOBODY


@njit(int64(CAPS, SIDES, int64, int64), cache=True)
def _allowed(caps, c, value, size):
    """Most records of a value for a part of so many: as its limit says, and hardly more than is aimed at."""
    return min(_largest_count(caps, value, size), int64(c.aim[value] * size) + 1)


@njit(int64(CAPS, SIDES, int64, int64, int64), cache=True)
def largest_kept(caps, c, values, size, smallest):
    """Largest kept side of the records ``inside``, with its ``most`` and ``least``; 0 when there is none.

    Of sizes that every value's rounding allows, the largest of those tried.
    """
    found, bound = 0, size - smallest
    for k in range(values):
        value = c.present[k]
        found += c.inside[value]
        bound = min(bound, size - _smallest_class(caps, value, c.whole[value] - c.inside[value]))
    found = min(found, bound)
    # Fewer kept means lower limits: step down to the size at which what is allowed fills it.
    while found >= smallest:
        kept, free, limited, rounded = 0, 0, 0.0, 0
        for k in range(values):
            value = c.present[k]
            allowed = _allowed(caps, c, value, found)
            if c.inside[value] <= allowed:
                free += c.inside[value]
                kept += c.inside[value]
            else:
                limited += c.aim[value]
                rounded += 1
                kept += allowed
        if kept >= found:
            break
        # A size Y that fills itself has Y <= free + limited Y + rounded.
        found = kept if limited >= 1.0 else min(kept, int((free + rounded) / (1.0 - limited)) + 1)
    for _ in range(_SIZES_TRIED):
        if found < smallest:
            return 0
        kept, needed, good = 0, 0, True
        for k in range(values):
            value = c.present[k]
            c.most[value] = min(c.inside[value], _allowed(caps, c, value, found))
            c.least[value] = max(0, c.whole[value] - _allowed(caps, c, value, size - found))
            kept += c.most[value]
            needed += c.least[value]
            if c.least[value] > c.most[value]:
                good = False
                # What fails at this size likely fails at the next: ask it first.
                c.present[k], c.present[0] = c.present[0], value
                break
        if good and needed <= found <= kept:
            return found
        found -= 1
    return 0


@njit(int64(SIDES, int64[:, ::1], int64, int64, int64, int64, boolean), cache=True)
def reach(c, below, values, leaving, items, cut, first):
    """How many items from the cut on leaving records come from; ``first`` keeps the items before the cut."""
    low, high = 0, cut if first else items - cut
    while low < high:
        middle = (low + high) >> 1
        left, enough = 0, True
        for k in range(values):
            value = c.present[k]
            if first:
                near = below[cut, value] - below[cut - middle, value]
            else:
                near = below[cut + middle, value] - below[cut, value]
            if near < c.inside[value] - c.most[value]:
                enough = False
                break
            left += min(near, c.inside[value] - c.least[value])
        if enough and left >= leaving:
            high = middle
        else:
            low = middle + 1
    return low


@njit(float64(GEOMETRY, int32[:, ::1], int64[::1]), cache=True)
def classes_loss(geometry, codes, starts):
    """Sum of the losses of all records' classes; ``codes`` (d, n) stand class by class, each from its place in ``starts``."""
    d = geometry.kind.shape[0]
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    bits = np.empty(max(geometry.word[d], 1), np.uint64)
    total = 0.0
    for e in range(starts.shape[0] - 1):
        begin, end = starts[e], starts[e + 1]
        if begin == end:
            continue
        for word in range(bits.shape[0]):
            bits[word] = 0
        for j in range(d):
            low[j], high[j] = codes[j, begin], codes[j, begin]
            for at in range(begin, end):
                low[j] = min(low[j], codes[j, at])
                high[j] = max(high[j], codes[j, at])
            if geometry.kind[j] == SET:
                for at in range(begin, end):
                    code = codes[j, at]
                    bits[geometry.word[j] + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
        total += (end - begin) * hull_loss(geometry, low, high, bits)
    return total


_CUTS_TRIED = 8


@njit(types.void(int32[::1], int32[::1], int64[::1], int64, int64, int64, int64, SCRATCH), cache=True)
def _values_below(column, values, members, begin, end, items, count, s):
    """Records of every value among the first items of the order, in place of the histograms."""
    below = s.held
    for i in range(items + 1):
        for value in range(count):
            below[i, value] = 0
    row = np.empty(items, np.int64)
    for i in range(items):
        row[s.order[i]] = i + 1
    for at in range(begin, end):
        below[row[s.item_of[column[members[at]]]], values[members[at]]] += 1
    for i in range(items):
        for value in range(count):
            below[i + 1, value] += below[i, value]


@njit(
    int64(GEOMETRY, int32[:, ::1], int64[::1], int64[::1], int64, int64, int64, boolean, SCRATCH), cache=True
)
def _ordered_items(geometry, codes, weights, members, begin, end, j, by_code, s):
    """Find the values of dimension j in the order that is cut; return how many there are."""
    items = find_items(codes, weights, members, begin, end, j, s)
    if geometry.kind[j] == SET and not by_code:
        order_by_frequency(s, items)
    return items


_CUT = types.Tuple((float64, int64, boolean, int64, boolean, int64))


@njit(
    _CUT(
        GEOMETRY, CAPS, int32[:, ::1], int64[::1], int32[::1], int64[::1], int64, int64, int64, int64, float64, float64,
        SCRATCH, SIDES,
    ),
    cache=True,
)  # fmt: skip
def _best_exchange(
    geometry, caps, codes, weights, values, members, begin, end, present, smallest, above, least, s, c
):
    """Find the exchange with the smallest size-weighted loss above ``above`` and below ``least``.

    Returns its loss, dimension (-1: there is none), whether plain values stand by code (or frequency), the cut, which
    side is kept (True: the first), and how many records.
    """
    best, best_by_code, best_cut, best_first, best_kept = -1, False, 0, False, 0
    size = end - begin
    for v in range(s.varying[geometry.kind.shape[0]]):
        j = s.varying[v]
        items = find_items(codes, weights, members, begin, end, j, s)
        item_hulls(geometry, codes, members, begin, end, j, items, s)
        for order in range(2 if geometry.kind[j] == SET else 1):
            # Plain values stand by code, then by frequency.
            if order == 1:
                order_by_frequency(s, items)
            count_before(s, items)
            side_losses(geometry, items, 1, items, j, False, s)
            s.loss[PREFIX, items] = s.loss[SUFFIX, 0] = node_loss_of(geometry, s)
            _values_below(codes[j], values, members, begin, end, items, c.whole.shape[0], s)
            for cut in range(1, items):
                for first in (True, False):
                    inside = s.before[cut] if first else size - s.before[cut]
                    own = s.loss[PREFIX if first else SUFFIX, cut]
                    rest = s.loss[SUFFIX if first else PREFIX, cut]
                    if inside * own + (size - inside) * rest >= least:
                        continue
                    for k in range(present):
                        value = c.present[k]
                        held = s.held[cut, value]
                        c.inside[value] = held if first else c.whole[value] - held
                    kept = largest_kept(caps, c, present, size, smallest)
                    if kept == 0 or kept * own + (size - kept) * rest >= least:
                        continue
                    far = reach(c, s.held, present, inside - kept, items, cut, first)
                    rest = s.loss[SUFFIX, cut - far] if first else s.loss[PREFIX, cut + far]
                    loss = kept * own + (size - kept) * rest
                    if above < loss < least:
                        least, best, best_by_code = loss, j, order == 0
                        best_cut, best_first, best_kept = cut, first, kept
                        for k in range(present):
                            value = c.present[k]
                            c.chosen_most[value] = c.most[value]
                            c.chosen_least[value] = c.least[value]
    return least, best, best_by_code, best_cut, best_first, best_kept


@njit(
    types.void(
        GEOMETRY, int32[:, ::1], int64[::1], int32[::1], int64[::1], int64, int64, int64, boolean, int64, boolean, int64,
        SCRATCH, SIDES, int64[::1],
    ),
    cache=True,
)  # fmt: skip
def _exchange(
    geometry, codes, weights, values, members, begin, end, j, by_code, cut, first, kept, s, c, arranged
):
    """Move the kept records of a class before the others; both stay in order."""
    items = _ordered_items(geometry, codes, weights, members, begin, end, j, by_code, s)
    count_before(s, items)
    # Nearest the cut first on the kept side, then everybody else.
    place = np.empty(items, np.int64)
    inside = s.before[cut] if first else (end - begin) - s.before[cut]
    for i in range(items):
        if first:
            place[s.order[i]] = s.before[cut] - s.before[i + 1] if i < cut else s.before[i]
        else:
            place[s.order[i]] = s.before[i] - s.before[cut] if i >= cut else inside + s.before[i]
    column = codes[j]
    for at in range(begin, end):
        item = s.item_of[column[members[at]]]
        arranged[place[item]] = at
        place[item] += 1
    for value in range(c.inside.shape[0]):
        c.inside[value] = 0
    for i in range(inside):
        c.inside[values[members[arranged[i]]]] += 1
    leaves = np.ones(end - begin, np.bool_)
    leaving = inside - kept
    for i in range(inside):
        value = values[members[arranged[i]]]
        if c.inside[value] > c.chosen_most[value]:
            c.inside[value] -= 1
            leaving -= 1
        else:
            leaves[arranged[i] - begin] = False
    for i in range(inside):
        value = values[members[arranged[i]]]
        if leaving > 0 and not leaves[arranged[i] - begin] and c.inside[value] > c.chosen_least[value]:
            leaves[arranged[i] - begin] = True
            c.inside[value] -= 1
            leaving -= 1
    stays, goes = 0, kept
    for at in range(begin, end):
        if leaves[at - begin]:
            arranged[goes] = members[at]
            goes += 1
        else:
            arranged[stays] = members[at]
            stays += 1
    for i in range(end - begin):
        members[begin + i] = arranged[i]


@njit(
    int64[::1](
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, CAPS, float64, int32[:, ::1], int32[:, ::1],
        int32[::1], int64[::1], int64[::1], SCRATCH, SIDES,
    ),
    cache=True, nogil=True,
)  # fmt: skip
def exchange_once(
    functions,
    shape,
    integers,
    reals,
    smallest,
    geometry,
    caps,
    reserve,
    codes,
    views,
    values,
    members,
    starts,
    s,
    c,
):
    """(E,) Cut every class in two by the exchange that lowers its size-weighted loss most, where both parts hold.

    Returns where the second part of each class begins; its end when it was not cut. ``members`` (m,), class by class,
    are reordered in place. ``functions`` … ``smallest`` are the tests of `class_tests.lay_out`; ``views`` (v, n):
    positions in the joint histogram; ``values`` (n,): the value that the caps limit, of each record.
    ``reserve``: share of each limit that parts should leave free, where the class itself does: records change sides in
    whole numbers, and a class that is full in many values can hardly be cut again.
    ``s``, ``c``: work space; the histograms of ``s`` need at least as many columns as there are values.
    """
    ends = np.empty(starts.shape[0] - 1, np.int64)
    width = s.held.shape[1]
    shape, integers, reals, geometry, caps = borrowed((shape, integers, reals, geometry, caps))
    codes, views, values, members, starts, s, c = borrowed((codes, views, values, members, starts, s, c))
    # Histograms of the class, and of both parts.
    held = np.zeros((3, width), np.int64)
    weights = np.ones(codes.shape[1], np.int64)
    arranged = np.empty(members.shape[0], np.int64)
    for e in range(starts.shape[0] - 1):
        begin, end = starts[e], starts[e + 1]
        ends[e] = end
        size = end - begin
        if size < 2 * smallest or size < 2:
            continue
        node_hull(geometry, codes, members, begin, end, s)
        # A cut must lower the loss by more than rounding can.
        worst = size * node_loss_of(geometry, s) * (1.0 - 1e-12)
        if worst <= 0.0:
            continue
        for value in range(c.whole.shape[0]):
            c.whole[value] = 0
        for h in range(width):
            held[0, h] = 0
        for at in range(begin, end):
            c.whole[values[members[at]]] += 1
            for v in range(views.shape[0]):
                held[0, views[v, members[at]]] += 1
        present = 0
        for value in range(c.whole.shape[0]):
            if c.whole[value] > 0:
                c.present[present] = value
                c.aim[value] = max(caps.share[value] * (1.0 - reserve), c.whole[value] / size)
                present += 1
        above = -1.0
        for _ in range(_CUTS_TRIED):
            loss, j, by_code, cut, first, kept = _best_exchange(
                geometry, caps, codes, weights, values, members, begin, end, present, smallest, above, worst, s, c
            )  # fmt: skip
            if j < 0:
                break
            _exchange(
                geometry, codes, weights, values, members, begin, end, j, by_code, cut, first, kept, s, c, arranged
            )  # fmt: skip
            for h in range(width):
                held[1, h] = 0
            for v in range(views.shape[0]):
                for at in range(begin, begin + kept):
                    held[1, views[v, members[at]]] += 1
            for h in range(width):
                held[2, h] = held[0, h] - held[1, h]
            if evaluate(functions, shape, integers, reals, kept, held[1]) and evaluate(
                functions, shape, integers, reals, size - kept, held[2]
            ):
                ends[e] = begin + kept
                break
            # Other models refuse it: try the next best.
            above = loss
    return ends
