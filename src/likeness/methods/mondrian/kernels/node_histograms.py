"""Histograms of the two sides of a cut, over the sensitive values that a node has.

A node has no more values than records, however many the attribute has, so what is laid out, added and tested for a cut is in
proportion to the node. Places of the joint histogram are known by their rank among all that some cell counts in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, int32, int64, types

from likeness.kernels import njit
from likeness.kernels.hulls import GEOMETRY
from likeness.kernels.node_summary import SCRATCH, ancestor, child_end
from likeness.kernels.present_tests import PRESENT_TESTS, evaluate_present

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRESENT, PREFIX, GROUPED = 0, 1, 2
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
        ranks[:present].sort()
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
        state[GROUPED], state[PREFIX] = j, 0
        _clear(h.left, state[PRESENT])
    if state[PREFIX] > prefix:
        state[PREFIX] = 0
        _clear(h.left, state[PRESENT])
    _add_items(weights, views, state[PREFIX], prefix, s.order, h.start, h.grouped, h.slot, h.filler, h.left)
    state[PREFIX] = prefix


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
