"""Cuts at which records change sides, so that both sides hold where the cut alone would leave one that does not.

One side of a cut, the *kept* one, gives records of the strata that it has too many of to the other, those nearest the cut first,
until both hold; what it keeps is confined to its own side of the cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import borrowed, njit
from likeness.kernels.class_tests import CLASS_SIZE, OWN_SUM, evaluate
from likeness.kernels.hulls import INTERVAL, SET
from likeness.kernels.node_summary import (
    ITEM,
    PREFIX,
    SUFFIX,
    ancestor,
    child_end,
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

    from likeness.kernels.class_tests import LaidOutTests, PredicateTuple

RESERVES = 16
"""What reserves are counted in."""
_MOST_ITEMS = 64
"""Values of one attribute that are told apart in a class: of more, neighbours are taken together."""
_MOST_GROUPS = 24
"""Values of a set, or children of a node, each of which is cut from all others; of more, none is."""
_SHARES = 24
"""Shares of every stratum that the kept side may have, of which the largest that holds is taken."""


class SideTests(NamedTuple):
    """What classes are judged by: see `class_tests.LaidOutTests`."""

    functions: PredicateTuple
    smallest: int
    shape: NDArray[np.int64]
    integers: NDArray[np.int64]
    reals: NDArray[np.float64]

    @classmethod
    def of(cls, laid: LaidOutTests) -> SideTests:
        """Take them from tests that are laid out."""
        return cls(laid.functions, laid.smallest, laid.shape, laid.integers, laid.reals)


class Strata(NamedTuple):
    """Records by what the tests count of them.

    ``of``: (n,) stratum of each record; those of one count in the same ``places`` (strata, v) of the histogram.
    ``records``: (strata,) how many there are.
    """

    of: NDArray[np.int64]
    places: NDArray[np.int64]
    records: NDArray[np.int64]


class Room(NamedTuple):
    """Room to work in, for classes of up to p strata.

    ``local``: (strata,) position of a stratum among those present, -1 of others. ``present``: (p,). ``whole``, ``aim``,
    ``kept``, ``chosen``: (p,) records of each in the class, those that shares are of, on the kept side, and there by the best
    cut so far. ``held``, ``below``: (items, p), (items + 1, p) those of each item, and among the first items. ``histograms``:
    (5, W) of the class, the kept side where it is the first, and where it is the other, the rest, and of one that is exaggerated.
    ``counted``: (2, p) records of each in those of the kept sides. ``arranged``: (n,) room to sort in.
    ``fewer``: (shares,) whether a share leaves fewer than the one before.
    """

    local: NDArray[np.int64]
    present: NDArray[np.int64]
    whole: NDArray[np.int64]
    aim: NDArray[np.int64]
    kept: NDArray[np.int64]
    chosen: NDArray[np.int64]
    held: NDArray[np.int32]
    below: NDArray[np.int32]
    histograms: NDArray[np.int64]
    counted: NDArray[np.int64]
    arranged: NDArray[np.int64]
    fewer: NDArray[np.bool_]


class Pass(NamedTuple):
    """With which reserve classes are cut (`_holds_exaggerated`), what is aimed at (`_enter`), whether nobody changes sides."""

    reserve: int
    as_table: bool
    strict: bool


class Cut(NamedTuple):
    """The best cut: its attribute (-1: there is none), the order of its values, their number before it, the side that is kept."""

    attribute: int
    order: int
    at: int
    first: bool


def room(records: int, strata: int, width: int) -> Room:
    """Allocate the room to work in."""
    counts = np.zeros((5, strata), np.int64)
    return Room(
        np.full(strata, -1),
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4],
        np.zeros((_MOST_ITEMS, strata), np.int32),
        np.zeros((_MOST_ITEMS + 1, strata), np.int32),
        np.zeros((5, max(width, 1)), np.int64),
        np.zeros((2, strata), np.int64),
        np.zeros(records, np.int64),
        np.ones(_SHARES, np.bool_),
    )


@njit(cache=True)
def _take_together(geometry, items, s):
    """Unite neighbours among items in ascending order until there are `_MOST_ITEMS` at most; how many there are."""
    total = done = 0
    for i in range(items):
        total += s.weight[i]
    found = group = -1
    for i in range(items):
        own = done * _MOST_ITEMS // total
        done += s.weight[i]
        begins = own != group
        if begins:
            group = own
            found += 1
            s.weight[found] = s.weight[i]
            s.order[found] = found
        else:
            s.weight[found] += s.weight[i]
        for v in range(s.varying[geometry.kind.shape[0]]):
            a = s.varying[v]
            low, high = s.low[ITEM, a], s.high[ITEM, a]
            low[found] = low[i] if begins else min(low[found], low[i])
            high[found] = high[i] if begins else max(high[found], high[i])
            for w in range(geometry.word[a], geometry.word[a + 1]):
                bits = s.bits[ITEM, w]
                bits[found] = bits[i] if begins else bits[found] | bits[i]
        s.item_of[s.code[i]] = found
    return found + 1


@njit(cache=True)
def _group_end(geometry, j, items, begin, s):
    """End of the group that begins at an item, in ascending order: one value of a set, or a child of the class's node."""
    if geometry.kind[j] == SET:
        return begin + 1
    return child_end(geometry, s, items, j, ancestor(geometry, j, s.hull_low[j], s.hull_high[j]), begin)


@njit(cache=True)
def _summarize(geometry, codes, weights, members, begin, end, j, s):
    """Summarize the values of one attribute of a class, ascending; how many items there are."""
    items = find_items(codes, weights, members, begin, end, j, s)
    item_hulls(geometry, codes, members, begin, end, j, items, s)
    return _take_together(geometry, items, s) if items > _MOST_ITEMS else items


@njit(cache=True)
def _number_of_orders(geometry, j, items, s):
    """In how many orders an attribute's values are cut: by code, of sets by frequency too, and with each of the groups first.

    Groups are none where the order of codes has their cuts, where they are too many, or values were taken together.
    """
    plain = 2 if geometry.kind[j] == SET else 1
    if geometry.kind[j] == INTERVAL or items == _MOST_ITEMS:
        return plain
    groups = at = 0
    while at < items:
        at = _group_end(geometry, j, items, at, s)
        groups += 1
    return plain + groups if 2 < groups <= _MOST_GROUPS else plain


@njit(cache=True)
def _put_in_order(geometry, j, items, order, s):
    """Put the items of an attribute in one of its orders; where the group that comes first ends, 0 in the orders without one."""
    plain = 2 if geometry.kind[j] == SET else 1
    stop = 0
    for i in range(items):
        s.order[i] = i
    if order >= plain:
        first, last = 0, _group_end(geometry, j, items, 0, s)
        for _ in range(order - plain):
            first, last = last, _group_end(geometry, j, items, last, s)
        stop = last - first
        for i in range(stop):
            s.order[i] = first + i
        for i in range(first):
            s.order[stop + i] = i
    elif order == 1:
        order_by_frequency(s, items)
    count_before(s, items)
    return stop


@njit(cache=True)
def _count_items(column, of, members, begin, end, items, present, s, work):
    """Count the records of every stratum of each item."""
    for i in range(items):
        for p in range(present):
            work.held[i, p] = 0
    for at in range(begin, end):
        work.held[s.item_of[column[members[at]]], work.local[of[members[at]]]] += 1


@njit(cache=True)
def _count_below(items, present, s, work):
    """Count the records of every stratum among the first items, whatever their number."""
    for p in range(present):
        work.below[0, p] = 0
    for i in range(items):
        for p in range(present):
            work.below[i + 1, p] = work.below[i, p] + work.held[s.order[i], p]


@njit(cache=True)
def _inside(work, p, cut, first):
    """Records of a stratum on the kept side of a cut."""
    return work.below[cut, p] if first else work.whole[p] - work.below[cut, p]


@njit(cache=True)
def _most(aim, step):
    """How many records of a stratum the kept side may have."""
    return (2 * aim * (_SHARES - step) + _SHARES) // (2 * _SHARES)


@njit(cache=True)
def _tell_shares_apart(present, work):
    """Find the shares that leave fewer records of some stratum than those before: of strata of one record there is one."""
    for step in range(1, _SHARES):
        work.fewer[step] = False
        for p in range(present):
            if _most(work.aim[p], step) < _most(work.aim[p], step - 1):
                work.fewer[step] = True
                break


@njit(cache=True)
def _keep(work, present, cut, first, step):
    """Let the kept side keep no more than a share of what is aimed at of every stratum; how many records that are."""
    size = 0
    for p in range(present):
        work.kept[p] = min(_inside(work, p, cut, first), _most(work.aim[p], step))
        size += work.kept[p]
    return size


@njit(cache=True)
def _reach(work, present, cut, first):
    """How many items from the cut on the records that the kept side gives away come from."""
    far = 0
    for p in range(present):
        leaving = _inside(work, p, cut, first) - work.kept[p]
        if first:
            while work.below[cut, p] - work.below[cut - far, p] < leaving:
                far += 1
        else:
            while work.below[cut + far, p] - work.below[cut, p] < leaving:
                far += 1
    return far


@njit(cache=True)
def _holds(tests, size, histogram):
    """Whether the tests hold."""
    return evaluate(tests.functions, tests.shape, tests.integers, tests.reals, size, histogram)


@njit(cache=True)
def _holds_exaggerated(of_shares, work, part, count, size, reserve):
    """Whether a part would hold if it differed more from its class than it does, by ``reserve`` sixteenths.

    Asked of `RESERVES` times as many records, which need less rounding, and else of as many: limits of shares are tabulated
    for as many as there are.
    """
    whole, own, far = work.histograms[0], work.histograms[part], work.histograms[4]
    for scale in (RESERVES, 1):
        for h in range(own.shape[0]):
            if whole[h] == 0:
                far[h] = 0
                continue
            more = scale * (RESERVES + reserve) * own[h] - scale * reserve * count * whole[h] // size
            far[h] = max(0, (2 * more + RESERVES) // (2 * RESERVES))
        if _shares_hold(of_shares, scale, count, own, far):
            return True
    return False


@njit(cache=True)
def _shares_hold(of_shares, scale, count, own, far):
    """Whether the tests of shares hold for an exaggerated histogram, of as many as the true one has, times the scale."""
    shape = of_shares.shape
    for t in range(shape.shape[0]):
        start, values, size_at = shape[t, 0], shape[t, 1], shape[t, 8]
        size = count
        if size_at != CLASS_SIZE:
            size = own[start : start + values].sum() if size_at == OWN_SUM else own[start + size_at]
        if size > 0 and not of_shares.functions[t](
            scale * size,
            far[start : start + values],
            of_shares.integers[shape[t, 3] : shape[t, 4]],
            of_shares.reals[shape[t, 5] : shape[t, 6]],
        ):
            return False
    return True


@njit(cache=True)
def _both_hold(tests, of_shares, strata, work, present, first, kept, size, reserve):
    """Whether the kept side and the rest hold, and would with the reserve."""
    if kept < tests.smallest or size - kept < tests.smallest:
        return False
    side = 1 if first else 2
    whole, own, rest, counted = (
        work.histograms[0],
        work.histograms[side],
        work.histograms[3],
        work.counted[side - 1],
    )
    # Most strata have as many there as when it was last asked.
    for p in range(present):
        more = work.kept[p] - counted[p]
        if more != 0:
            counted[p] += more
            for v in range(strata.places.shape[1]):
                own[strata.places[work.present[p], v]] += more
    for h in range(own.shape[0]):
        rest[h] = whole[h] - own[h]
    if not (_holds(tests, kept, own) and _holds(tests, size - kept, rest)):
        return False
    return reserve == 0 or (
        _holds_exaggerated(of_shares, work, side, kept, size, reserve)
        and _holds_exaggerated(of_shares, work, 3, size - kept, size, reserve)
    )


@njit(cache=True)
def _loss_of_cut(tests, of_shares, strata, s, work, present, size, cut, first, least, run):
    """Size-weighted loss of a cut with as few exchanges as it takes; infinite where that is not below ``least``."""
    own = s.loss[PREFIX if first else SUFFIX, cut]
    rest = s.loss[SUFFIX if first else PREFIX, cut]
    before = -1
    for step in range(1 if run.strict else _SHARES):
        if not work.fewer[step]:
            continue
        kept = _keep(work, present, cut, first, step)
        if kept * own + (size - kept) * rest >= least:
            break
        if kept != before and _both_hold(
            tests, of_shares, strata, work, present, first, kept, size, run.reserve
        ):
            far = _reach(work, present, cut, first)
            rest = s.loss[SUFFIX, cut - far] if first else s.loss[PREFIX, cut + far]
            return kept * own + (size - kept) * rest
        before = kept
    return np.inf


@njit(cache=True)
def _best_cut(geometry, tests, of_shares, strata, codes, weights, members, begin, end, present, s, work, run):
    """Find the cut of a class that loses least, if it loses less than the class; what it keeps is ``chosen``."""
    best, size = Cut(-1, 0, 0, False), end - begin
    # A cut must lower the loss by more than rounding can.
    least = size * node_loss_of(geometry, s) * (1.0 - 1e-12)
    for v in range(s.varying[geometry.kind.shape[0]]):
        j = s.varying[v]
        items = _summarize(geometry, codes, weights, members, begin, end, j, s)
        _count_items(codes[j], strata.of, members, begin, end, items, present, s, work)
        for order in range(_number_of_orders(geometry, j, items, s)):
            stop = _put_in_order(geometry, j, items, order, s)
            side_losses(geometry, items, 1, items, j, False, s)
            s.loss[PREFIX, items] = s.loss[SUFFIX, 0] = node_loss_of(geometry, s)
            _count_below(items, present, s, work)
            for cut in range(max(1, stop), stop + 1 if stop > 0 else items):
                for first in (True, False):
                    loss = _loss_of_cut(
                        tests, of_shares, strata, s, work, present, size, cut, first, least, run
                    )
                    if loss < least:
                        least, best = loss, Cut(j, order, cut, first)
                        for p in range(present):
                            work.chosen[p] = work.kept[p]
    return best


@njit(cache=True)
def _exchange(geometry, strata, codes, weights, members, begin, end, best, s, work):
    """Move the records that the best cut keeps before the others; how many there are."""
    j = best.attribute
    items = _summarize(geometry, codes, weights, members, begin, end, j, s)
    _put_in_order(geometry, j, items, best.order, s)
    # Those farthest from the cut stay: all stand by item, from the kept side's far end on.
    row, place = np.empty(items, np.int64), np.zeros(items + 1, np.int64)
    for i in range(items):
        row[s.order[i]] = i if best.first else items - 1 - i
    column = codes[j]
    for at in range(begin, end):
        place[row[s.item_of[column[members[at]]]] + 1] += 1
    for i in range(items):
        place[i + 1] += place[i]
    for at in range(begin, end):
        i = row[s.item_of[column[members[at]]]]
        work.arranged[place[i]] = members[at]
        place[i] += 1
    kept, goes = 0, 0
    for at in range(end - begin):
        record = work.arranged[at]
        p = work.local[strata.of[record]]
        if work.chosen[p] > 0:
            work.chosen[p] -= 1
            members[begin + kept] = record
            kept += 1
        else:
            work.arranged[goes] = record
            goes += 1
    for at in range(goes):
        members[begin + kept + at] = work.arranged[at]
    return kept


@njit(cache=True)
def _enter(strata, members, begin, end, as_table, work):
    """Count the strata of a class and lay out its histogram; how many strata it has.

    Shares are of what the class has; with ``as_table``, of what so many of the table would have, where that is more.
    """
    present = 0
    whole = work.histograms[0]
    work.histograms[:3] = 0
    for at in range(begin, end):
        own = strata.of[members[at]]
        if work.local[own] < 0:
            work.local[own] = present
            work.present[present] = own
            work.whole[present] = 0
            present += 1
        work.whole[work.local[own]] += 1
    size, records = end - begin, members.shape[0]
    for p in range(present):
        for v in range(strata.places.shape[1]):
            whole[strata.places[work.present[p], v]] += work.whole[p]
        work.counted[:, p] = 0
        work.aim[p] = work.whole[p]
        if as_table:
            alike = (2 * strata.records[work.present[p]] * size + records) // (2 * records)
            work.aim[p] = max(work.whole[p], alike)
    _tell_shares_apart(present, work)
    return present


@njit(cache=True)
def _leave(present, work):
    """Forget the strata of a class."""
    for p in range(present):
        work.local[work.present[p]] = -1


@njit(cache=True, nogil=True)
def cut_with_exchanges(geometry, tests, of_shares, strata, codes, members, starts, run, s, work, label):
    """Cut classes in two, and their parts, as long as that lowers the loss and both parts hold; how many classes there are then.

    ``members`` (n,), class by class from ``starts``, are reordered; ``label`` (n,) becomes the class of each record.
    ``of_shares``: those of the ``tests`` that look at shares alone, which the reserve is about.
    """
    geometry, tests, of_shares, strata, codes = borrowed((geometry, tests, of_shares, strata, codes))
    members, starts, s, work, label = borrowed((members, starts, s, work, label))
    weights = np.ones(codes.shape[1], np.int64)
    waiting, ahead = np.empty((members.shape[0] + starts.shape[0], 2), np.int64), 0
    for e in range(starts.shape[0] - 2, -1, -1):
        waiting[ahead, 0], waiting[ahead, 1] = starts[e], starts[e + 1]
        ahead += 1
    classes = 0
    while ahead > 0:
        ahead -= 1
        begin, end = waiting[ahead, 0], waiting[ahead, 1]
        if begin == end:
            continue
        kept = 0
        if end - begin >= 2 * tests.smallest and end - begin > 1:
            node_hull(geometry, codes, members, begin, end, s)
            present = _enter(strata, members, begin, end, run.as_table, work)
            best = _best_cut(
                geometry, tests, of_shares, strata, codes, weights, members, begin, end, present, s, work, run
            )  # fmt: skip
            if best.attribute >= 0:
                kept = _exchange(geometry, strata, codes, weights, members, begin, end, best, s, work)
            _leave(present, work)
        if kept > 0:
            waiting[ahead, 0], waiting[ahead, 1] = begin + kept, end
            waiting[ahead + 1, 0], waiting[ahead + 1, 1] = begin, begin + kept
            ahead += 2
            continue
        for at in range(begin, end):
            label[members[at]] = classes
        classes += 1
    return classes
