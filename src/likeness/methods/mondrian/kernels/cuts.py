"""Partition cells top down by allowed cuts (Mondrian): the median cut of its paper, strict and relaxed, and the least-loss cut.

A *cell* is a distinct combination of quasi-identifier codes and sensitive codes with the number of records that have
it. A node of the partition is a segment of a permutation of the cells. The least-loss cut is the allowed one that lowers the
size-weighted information loss most, over all dimensions and positions; models are asked only about cuts that would lower the
loss below the best one found so far. ``views`` has a row for each cell: the places it counts in.

A node has no more values than records, however many the attribute has, so what is laid out, added and tested for a cut is in
proportion to the node. Places of the joint histogram are known by their rank among all that some cell counts in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types

from likeness.kernels import borrowed, njit
from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, TREE, attribute_loss
from likeness.kernels.node_summary import (
    CHILDREN,
    DEAL,
    NO_CUT,
    PREFIX,
    SCRATCH,
    SEGMENT,
    SUFFIX,
    THRESHOLD,
    ancestor,
    child_end,
    count_before,
    find_items,
    item_hulls,
    node_hull,
    node_loss_of,
    order_by_frequency,
    rest_loss,
    scratch,
    segment_loss,
    side_losses,
)
from likeness.kernels.ordering import sort_ascending
from likeness.kernels.present_tests import PRESENT_TESTS, evaluate_present

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.kernels.node_summary import Scratch
    from likeness.kernels.present_tests import PresentTests

PRESENT, ADDED, GROUPED = 0, 1, 2
"""What stands in ``NodeHistograms.state``."""


class NodeHistograms(NamedTuple):
    """Work space for the histograms of one node."""

    place_of: np.ndarray  # (ranks,) place in the joint histogram
    filler: int  # the rank that fills up cells with fewer values than others, behind which nothing stands; -1 without one
    slot: np.ndarray  # (ranks,) position among the node's places, -1 for places it does not have
    rank: np.ndarray  # (ranks,) slot -> rank, ascending
    places: np.ndarray  # (ranks,) slot -> place
    total: np.ndarray  # (ranks,) histogram of the node, by slot
    left: np.ndarray  # (ranks,) of the first items of the order
    side: np.ndarray  # (ranks,) of any side
    state: (
        np.ndarray
    )  # (3,) slots (-1: not counted yet), items in ``left``, dimension whose items are grouped (-1)
    start: np.ndarray  # (items + 1,) where the cells of each item begin in ``grouped``
    grouped: np.ndarray  # (cells,)


HISTOGRAMS = types.NamedTuple((int64[::1], int64, *([int64[::1]] * 9)), NodeHistograms)
"""Numba type of the work space."""


def node_histograms(
    views: NDArray[np.int32], width: int, values: int
) -> tuple[NDArray[np.int32], NodeHistograms]:
    """Rank the places ``views`` (v, cells) of a joint histogram that occur: (cells, v), and the work space.

    The last place of the histogram, ``width`` long, may be a filler; ``values``: most codes of a quasi-identifier.
    """
    present, rank = np.unique(views, return_inverse=True)
    ranks = np.ascontiguousarray(rank.reshape(views.shape).T.astype(np.int32))
    size = present.size
    filler = size - 1 if size and int(present[-1]) == width - 1 else -1
    places, total, left, side, order = (np.zeros(size, np.int64) for _ in range(5))
    slot, state = np.full(size, -1, np.int64), np.array([0, 0, -1])
    start, grouped = np.zeros(values + 1, np.int64), np.zeros(views.shape[1], np.int64)
    return ranks, NodeHistograms(
        present.astype(np.int64), filler, slot, order, places, total, left, side, state, start, grouped
    )


@njit(types.void(HISTOGRAMS), cache=True)
def new_node(h):
    """Forget the last node."""
    for i in range(h.state[PRESENT]):
        h.slot[h.rank[i]] = -1
    h.state[PRESENT], h.state[GROUPED] = -1, -1


@njit(
    types.void(int64[::1], int32[:, ::1], int64[::1], int64, int64, int64[::1], int64, int64[::1]), cache=True
)
def add_cells(weights, views, cells, begin, end, slot, filler, counts):
    """Count cells, by slot."""
    width = views.shape[1]
    for at in range(begin, end):
        cell = cells[at]
        weight = weights[cell]
        for v in range(width):
            rank = views[cell, v]
            counts[slot[rank]] += weight
            # A cell's places ascend: behind the last one stands nothing but fillers, which no test reads.
            if rank == filler:
                break


@njit(types.void(int64[::1], int32[:, ::1], int64[::1], int64, int64, HISTOGRAMS), cache=True)
def count_node(weights, views, cells, begin, end, h):
    """Find the node's places and count them."""
    if h.state[PRESENT] >= 0:
        return
    slot, ranks, filler = h.slot, h.rank, h.filler
    present = 0
    for at in range(begin, end):
        cell = cells[at]
        for v in range(views.shape[1]):
            rank = views[cell, v]
            if slot[rank] < 0:
                slot[rank] = 0
                ranks[present] = rank
                present += 1
            if rank == filler:
                break
    if 8 * present < slot.shape[0]:
        sort_ascending(ranks, present)
    else:
        present = 0
        for rank in range(slot.shape[0]):
            if slot[rank] == 0:
                ranks[present] = rank
                present += 1
    places, place_of, total = h.places, h.place_of, h.total
    for i in range(present):
        slot[ranks[i]] = i
        places[i] = place_of[ranks[i]]
        total[i] = 0
    h.state[PRESENT] = present
    add_cells(weights, views, cells, begin, end, slot, filler, total)


@njit(types.void(int32[::1], int64[::1], int64, int64, int64, int32[::1], int64[::1], int64[::1]), cache=True)
def _group(column, cells, begin, end, items, item_of, start, grouped):
    """Bring the node's cells of each item together."""
    for i in range(items + 1):
        start[i] = 0
    for at in range(begin, end):
        start[item_of[column[cells[at]]] + 1] += 1
    for i in range(items):
        start[i + 1] += start[i]
    for at in range(begin, end):
        item = item_of[column[cells[at]]]
        grouped[start[item]] = cells[at]
        start[item] += 1
    # Each start has become the end of its item, which is the start of the next one.
    for i in range(items, 0, -1):
        start[i] = start[i - 1]
    start[0] = 0


@njit(types.void(int64[::1], int64), cache=True)
def _clear(counts, present):
    """Forget what was counted."""
    for i in range(present):
        counts[i] = 0


@njit(
    types.void(
        int64[::1],
        int32[:, ::1],
        int64,
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64[::1],
    ),
    cache=True,
)
def _add_items(weights, views, begin, end, order, start, grouped, slot, filler, counts):
    """Count the items [begin, end) of the order."""
    for i in range(begin, end):
        item = order[i]
        add_cells(weights, views, grouped, start[item], start[item + 1], slot, filler, counts)


NODE = (
    int32[:, ::1],
    int64[::1],
    int32[:, ::1],
    int64[::1],
    int64,
    int64,
    int64,
    int64,
    SCRATCH,
    HISTOGRAMS,
)
"""Codes, weights and ranks of cells, a node's cells from … to …, a dimension and its items, both work spaces."""


@njit(types.void(*NODE, int64), cache=True)
def count_prefix(codes, weights, views, cells, begin, end, j, items, s, h, prefix):
    """Count the first items of the order, into ``left``."""
    state = h.state
    count_node(weights, views, cells, begin, end, h)
    if state[GROUPED] != j:
        _group(codes[j], cells, begin, end, items, s.item_of, h.start, h.grouped)
        state[GROUPED], state[ADDED] = j, 0
        _clear(h.left, state[PRESENT])
    if state[ADDED] > prefix:
        state[ADDED] = 0
        _clear(h.left, state[PRESENT])
    _add_items(weights, views, state[ADDED], prefix, s.order, h.start, h.grouped, h.slot, h.filler, h.left)
    state[ADDED] = prefix


@njit(boolean(PRESENT_TESTS, *NODE, int64, int64, boolean), cache=True)
def side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, first, last, inside):
    """Whether the records of the items [first, last) of the order, or all others, hold every test."""
    size = s.before[last] - s.before[first]
    if not inside:
        size = s.before[items] - size
    # A prefix, or all but one; anything else is counted by itself, once the items are grouped.
    at_end = first == 0 or last == items
    prefix = last if first == 0 else first if at_end else 0
    if at_end or h.state[GROUPED] != j:
        count_prefix(codes, weights, views, cells, begin, end, j, items, s, h, prefix)
    present = h.state[PRESENT]
    counts, other, total, places = h.left, h.side, h.total, h.places[:present]
    as_counted = inside == (first == 0)
    if not at_end:
        counts, as_counted = other, inside
        _clear(counts, present)
        _add_items(weights, views, first, last, s.order, h.start, h.grouped, h.slot, h.filler, counts)
    if as_counted:
        return evaluate_present(tests, size, places, counts[:present])
    for i in range(present):
        other[i] = total[i] - counts[i]
    return evaluate_present(tests, size, places, other[:present])


@njit(boolean(PRESENT_TESTS, int64, GEOMETRY, *NODE), cache=True)
def children_hold(tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h):
    """Whether every child of the node's hierarchy node holds every test."""
    node = ancestor(geometry, j, s.code[0], s.code[items - 1])
    first = 0
    while first < items:
        last = child_end(geometry, s, items, j, node, first)
        if s.before[last] - s.before[first] < smallest:
            return False
        first = last
    first = 0
    while tests.shape.shape[0] > 0 and first < items:
        last = child_end(geometry, s, items, j, node, first)
        if not side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, first, last, True):
            return False
        first = last
    return True


CHOICE = types.Tuple((int64, int64, int64, int64))
"""Dimension, way to cut, first and last item of one side."""


_WAY = types.Tuple((int64, int64, int64))


@njit(_WAY(PRESENT_TESTS, int64, GEOMETRY, *NODE), cache=True)
def _median_cut(tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h):
    """The cut of Mondrian's paper in dimension j: at the median, or into the children of a hierarchy node."""
    if geometry.kind[j] == TREE:
        allowed = children_hold(
            tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h
        )
        return (CHILDREN if allowed else NO_CUT), 0, 0
    half = s.before[items] / 2
    i = 1
    while s.before[i] < half:
        i += 1
    if i == items or s.before[i] < smallest or s.before[items] - s.before[i] < smallest:
        return NO_CUT, 0, 0
    if tests.shape.shape[0] == 0 or (
        side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, 0, i, True)
        and side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, i, items, True)
    ):
        return THRESHOLD, 0, i
    return NO_CUT, 0, 0


@njit(_WAY(PRESENT_TESTS, int64, *NODE), cache=True)
def _dealt_cut(tests, smallest, codes, weights, views, cells, begin, end, j, items, s, h):
    """Relaxed median cut: the first cells of the median value go left until the halves are equal."""
    total = s.before[items]
    half = total // 2
    if half < smallest or total - half < smallest:
        return NO_CUT, 0, 0
    i = 0
    while s.before[i + 1] <= half:
        i += 1
    quota = half - s.before[i]
    if tests.shape.shape[0] > 0:
        count_prefix(codes, weights, views, cells, begin, end, j, items, s, h, i)
        present = h.state[PRESENT]
        for slot in range(present):
            h.side[slot] = h.left[slot]
        dealt = 0
        for at in range(begin, end):
            if dealt < quota and s.item_of[codes[j, cells[at]]] == i:
                dealt += weights[cells[at]]
                add_cells(weights, views, cells, at, at + 1, h.slot, h.filler, h.side)
        if not evaluate_present(tests, half, h.places[:present], h.side[:present]):
            return NO_CUT, 0, 0
        for slot in range(present):
            h.side[slot] = h.total[slot] - h.side[slot]
        if not evaluate_present(tests, total - half, h.places[:present], h.side[:present]):
            return NO_CUT, 0, 0
    return DEAL, i, quota


@njit(
    CHOICE(
        PRESENT_TESTS, int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, boolean,
        boolean, SCRATCH, HISTOGRAMS,
    ),
    cache=True,
)  # fmt: skip
def choose_median(
    tests,
    smallest,
    geometry,
    codes,
    weights,
    views,
    cells,
    begin,
    end,
    only_widest,
    deal,
    s,
    h,
):
    """Choose the median cut of the widest dimension, or of the widest that allows one."""
    d = geometry.kind.shape[0]
    tried = np.zeros(d, np.bool_)
    for _ in range(d):
        j = -1
        widest = 0.0
        for a in range(d):
            if not tried[a]:
                width = attribute_loss(geometry, a, s.hull_low[a], s.hull_high[a], s.hull_bits)
                if width > widest:
                    j, widest = a, width
        if j < 0:
            break
        tried[j] = True
        items = find_items(codes, weights, cells, begin, end, j, s)
        count_before(s, items)
        if deal and geometry.kind[j] != TREE:
            how, first, last = _dealt_cut(
                tests, smallest, codes, weights, views, cells, begin, end, j, items, s, h
            )
        else:
            how, first, last = _median_cut(
                tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h
            )
        if how != NO_CUT:
            return j, how, first, last
        if only_widest:
            break
    return -1, NO_CUT, 0, 0


_CUT = types.Tuple((float64, int64, int64, int64))
_NODE_AND_LOSSES = (
    GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, int64, int64, SCRATCH, HISTOGRAMS,
)  # fmt: skip


@njit(_CUT(PRESENT_TESTS, int64, *_NODE_AND_LOSSES, float64), cache=True)
def _best_cut(
    tests,
    smallest,
    geometry,
    codes,
    weights,
    views,
    cells,
    begin,
    end,
    j,
    items,
    s,
    h,
    least,
):
    """Allowed cut of dimension j with a size-weighted loss below ``least``: (loss, how, first, last)."""
    how, first, last = NO_CUT, 0, 0
    before, total = s.before, s.before[items]
    start, stop = 1, items
    while start < items and before[start] < smallest:
        start += 1
    while stop > start and total - before[stop - 1] < smallest:
        stop -= 1
    segments = geometry.kind[j] != INTERVAL and items > 2
    if start >= stop and not segments:
        return least, how, first, last
    item_hulls(geometry, codes, cells, begin, end, j, items, s)
    side_losses(geometry, items, start, stop, j, segments, s)
    tested = tests.shape.shape[0] > 0
    for i in range(start, stop):
        loss = before[i] * s.loss[PREFIX, i] + (total - before[i]) * s.loss[SUFFIX, i]
        if loss >= least:
            continue
        if tested and not (
            side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, 0, i, True)
            and side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, i, items, True)
        ):
            continue
        least, how, first, last = loss, THRESHOLD, 0, i
    if not segments:
        return least, how, first, last
    node = 0
    if geometry.kind[j] == TREE:
        node = ancestor(geometry, j, s.code[0], s.code[items - 1])
        loss = 0.0
        at = 0
        while at < items:
            stop = child_end(geometry, s, items, j, node, at)
            loss += (before[stop] - before[at]) * segment_loss(geometry, s, at, stop)
            at = stop
        if loss < least and children_hold(
            tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h
        ):
            least, how = loss, CHILDREN
    # One item, or one child of the hierarchy node, against the rest.
    for by_child in range(2 if geometry.kind[j] == TREE else 1):
        at = 0
        while at < items:
            stop = at + 1 if by_child == 0 else child_end(geometry, s, items, j, node, at)
            part = before[stop] - before[at]
            if 0 < at and stop < items and part >= smallest and total - part >= smallest:
                loss = part * segment_loss(geometry, s, at, stop)
                if loss < least:
                    loss += (total - part) * rest_loss(geometry, s, items, at, stop)
                if loss < least:
                    allowed = not tested or (
                        side_holds(
                            tests, codes, weights, views, cells, begin, end, j, items, s, h, at, stop, True
                        )
                        and side_holds(
                            tests, codes, weights, views, cells, begin, end, j, items, s, h, at, stop, False
                        )
                    )
                    if allowed:
                        least, how, first, last = loss, SEGMENT, at, stop
            at = stop
    return least, how, first, last


@njit(
    CHOICE(
        PRESENT_TESTS, int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, int64,
        SCRATCH, HISTOGRAMS,
    ),
    cache=True,
)  # fmt: skip
def choose_least_loss(tests, smallest, geometry, codes, weights, views, cells, begin, end, size, s, h):
    """Choose the allowed cut with the smallest loss: (dimension, how, first, last); its items are left in ``s``."""
    best, how, first, last = -1, NO_CUT, 0, 0
    # A cut must lower the loss by more than rounding can.
    least = size * node_loss_of(geometry, s) * (1.0 - 1e-12)
    if least <= 0.0:
        return best, how, first, last
    latest = -1
    for v in range(s.varying[geometry.kind.shape[0]]):
        j = s.varying[v]
        items = find_items(codes, weights, cells, begin, end, j, s)
        latest = j
        if geometry.kind[j] == SET:
            order_by_frequency(s, items)
        count_before(s, items)
        loss, found, b, e = _best_cut(
            tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h, least,
        )  # fmt: skip
        if found != NO_CUT:
            least, best, how, first, last = loss, j, found, b, e
    if best >= 0 and best != latest:
        items = find_items(codes, weights, cells, begin, end, best, s)
        if geometry.kind[best] == SET:
            order_by_frequency(s, items)
    return best, how, first, last


__all__ = ["ALL", "LEAST_LOSS", "WIDEST", "node_histograms", "partition", "scratch"]

WIDEST, ALL, LEAST_LOSS = 0, 1, 2
"""Which cut to choose."""


@njit(int64(GEOMETRY, SCRATCH, int64, int64, int64, int64, int64, int64[::1]), cache=True)
def _groups(geometry, s, items, j, how, first, last, group):
    """Give every item the number of its side; return the number of sides."""
    if how == CHILDREN:
        node = ancestor(geometry, j, s.code[0], s.code[items - 1])
        groups = 0
        at = 0
        while at < items:
            stop = child_end(geometry, s, items, j, node, at)
            for i in range(at, stop):
                group[i] = groups
            groups += 1
            at = stop
        return groups
    for i in range(items):
        if how == DEAL:
            group[i] = 0 if i < first else 1
        else:
            group[s.order[i]] = 0 if first <= i < last else 1
    return 2


@njit(
    int64(
        GEOMETRY, int32[:, ::1], int64[::1], int64[::1], int64, int64, SCRATCH, CHOICE, int64[::1], int64[::1], int64[:, ::1],
        int64,
    ),
    cache=True,
)  # fmt: skip
def _divide(geometry, codes, weights, cells, begin, end, s, cut, group, moved, stack, top):
    """Bring the cells of each side together and put the sides on the stack; return its new top."""
    j, how, first, last = cut
    items = 0
    for code in range(s.hull_low[j], s.hull_high[j] + 1):
        if s.item_of[code] >= 0:
            items += 1
    groups = _groups(geometry, s, items, j, how, first, last, group)
    column = codes[j]
    write = begin
    for g in range(groups):
        start = write
        dealt = 0
        for at in range(begin, end):
            cell = cells[at]
            item = s.item_of[column[cell]]
            goes = group[item]
            if how == DEAL and item == first and dealt < last:
                dealt += weights[cell]
                goes = 0
            if goes == g:
                moved[write] = cell
                write += 1
        stack[top, 0], stack[top, 1] = start, write
        top += 1
    for at in range(begin, end):
        cells[at] = moved[at]
    return top


@njit(int64(int64[::1], int64[:, ::1]), cache=True)
def _stack_segments(starts, stack):
    """Put the segments to begin with on the stack, the first on top; return how many there are."""
    top = 0
    for part in range(starts.shape[0] - 2, -1, -1):
        stack[top, 0], stack[top, 1] = starts[part], starts[part + 1]
        top += 1
    return top


@njit(int64(int64[::1], int64[::1], int64, int64), cache=True)
def _records(weights, cells, begin, end):
    """Records of a segment."""
    size = 0
    for at in range(begin, end):
        size += weights[cells[at]]
    return size


_CELLS = (
    PRESENT_TESTS, int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64[::1], SCRATCH, HISTOGRAMS,
    int64[::1],
)  # fmt: skip


@njit(int64(*_CELLS), cache=True, nogil=True)
def _partition_by_loss(tests, smallest, geometry, codes, weights, views, cells, starts, s, h, label):
    """Partition by least-loss cuts; see `partition`."""
    tests, geometry, codes, weights, views = borrowed((tests, geometry, codes, weights, views))
    cells, starts, s, h, label = borrowed((cells, starts, s, h, label))
    stack = np.empty((cells.shape[0] + starts.shape[0], 2), np.int64)
    moved = np.empty(cells.shape[0], np.int64)
    group = np.empty(s.item_of.shape[0], np.int64)
    top, classes = _stack_segments(starts, stack), 0
    while top > 0:
        top -= 1
        begin, end = stack[top, 0], stack[top, 1]
        size = _records(weights, cells, begin, end)
        cut = -1, NO_CUT, 0, 0
        if size >= 2 * smallest and end > begin + 1:
            node_hull(geometry, codes, cells, begin, end, s)
            new_node(h)
            cut = choose_least_loss(
                tests, smallest, geometry, codes, weights, views, cells, begin, end, size, s, h
            )
        if cut[1] != NO_CUT:
            top = _divide(geometry, codes, weights, cells, begin, end, s, cut, group, moved, stack, top)
            continue
        for at in range(begin, end):
            label[cells[at]] = classes
        classes += 1
    return classes


# A function of its own: compiling the one way to cut takes as long as compiling the other.
@njit(int64(*_CELLS, boolean, boolean), cache=True)
def _partition_at_medians(
    tests, smallest, geometry, codes, weights, views, cells, starts, s, h, label, only_widest, deal
):
    """Partition by median cuts; see `partition`."""
    tests, geometry, codes, weights, views = borrowed((tests, geometry, codes, weights, views))
    cells, starts, s, h, label = borrowed((cells, starts, s, h, label))
    stack = np.empty((cells.shape[0] + starts.shape[0], 2), np.int64)
    moved = np.empty(cells.shape[0], np.int64)
    group = np.empty(s.item_of.shape[0], np.int64)
    top, classes = _stack_segments(starts, stack), 0
    while top > 0:
        top -= 1
        begin, end = stack[top, 0], stack[top, 1]
        cut = -1, NO_CUT, 0, 0
        if _records(weights, cells, begin, end) >= 2 * smallest and end > begin + 1:
            node_hull(geometry, codes, cells, begin, end, s)
            new_node(h)
            cut = choose_median(
                tests, smallest, geometry, codes, weights, views, cells, begin, end, only_widest, deal, s, h
            )
        if cut[1] != NO_CUT:
            top = _divide(geometry, codes, weights, cells, begin, end, s, cut, group, moved, stack, top)
            continue
        for at in range(begin, end):
            label[cells[at]] = classes
        classes += 1
    return classes


def partition(
    tests: PresentTests,
    smallest: int,
    geometry: Geometry,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    views: NDArray[np.int32],
    cells: NDArray[np.int64],
    starts: NDArray[np.int64],
    choice: int,
    deal: bool,
    s: Scratch,
    h: NodeHistograms,
    label: NDArray[np.int64],
) -> int:
    """Partition the cells by allowed cuts until none is left; return the number of classes.

    ``tests``, ``smallest``: of `present_tests.of_present`, and the size that every class has at least.
    ``views``: (cells, v) ranks of the places in the joint histogram (`node_histograms`); in each cell ascending, up to the
    last place of all, which may fill up cells with fewer values than others. ``weights``: (cells,) records.
    ``cells``: a permutation, reordered in place. ``starts``: (parts + 1,) its segments to begin with, all of which hold.
    ``choice``: WIDEST, ALL or LEAST_LOSS. ``deal``: at the median so that halves are equal (relaxed; weights 1).
    ``label``: (cells,) receives the class of each cell.
    """
    own = (tests, smallest, geometry, codes, weights, views, cells, starts, s, h, label)
    if choice == LEAST_LOSS:
        return int(_partition_by_loss(*own))
    return int(_partition_at_medians(*own, choice == WIDEST, deal))
