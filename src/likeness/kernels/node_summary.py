"""Summaries of a node of the partition by the values of one dimension, and what both sides of every cut of it lose.

The cells of a node are summarised by value (an *item* per value present: weight, hull in every dimension); prefixes and suffixes
of the items in some order then give both sides of every cut at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types, uint64

from likeness.kernels import njit
from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, TREE, attribute_loss, bits_set

NO_CUT, THRESHOLD, SEGMENT, CHILDREN, DEAL = 0, 1, 2, 3, 4
"""Ways to cut: no cut; a prefix of the items, or a run of them, against the rest; children of a hierarchy node; dealt."""
ITEM, PREFIX, SUFFIX = 0, 1, 2
"""What a row of hulls and losses is about."""


class Scratch(NamedTuple):
    """Work space for one node and the summary of one of its dimensions.

    The first axis of ``low``, ``high``, ``bits`` and ``loss`` is `ITEM`, `PREFIX` (row i: the first i items of the order)
    or `SUFFIX` (row i: all but them).
    """

    item_of: np.ndarray  # (values,) code -> item, -1 for codes that are not there
    code: np.ndarray  # (items,) item -> code
    weight: np.ndarray  # (items,)
    order: np.ndarray  # (items,)
    before: np.ndarray  # (items + 2,) records in each prefix
    low: np.ndarray  # (3, d, items + 2)
    high: np.ndarray  # (3, d, items + 2)
    bits: np.ndarray  # (3, words, items + 2)
    loss: np.ndarray  # (3, items + 2)
    held: np.ndarray  # (items + 2, histogram) histogram of each prefix, for searches that need all of them
    hull_low: np.ndarray  # (d,) of the node
    hull_high: np.ndarray  # (d,)
    hull_bits: np.ndarray  # (words,)
    varying: np.ndarray  # (d + 1,) the node's dimensions with more than one value; their number last


SCRATCH = types.NamedTuple(
    (
        int32[::1],
        int32[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int32[:, :, ::1],
        int32[:, :, ::1],
        uint64[:, :, ::1],
        float64[:, ::1],
        int64[:, ::1],
        int32[::1],
        int32[::1],
        uint64[::1],
        int64[::1],
    ),
    Scratch,
)
"""Numba type of the work space."""


def scratch(values: int, dimensions: int, words: int, histogram: int) -> Scratch:
    """Allocate the work space for attributes of at most ``values`` codes."""
    rows = values + 2
    return Scratch(
        np.zeros(values, np.int32),
        np.zeros(values, np.int32),
        np.zeros(values, np.int64),
        np.zeros(values, np.int64),
        np.zeros(rows, np.int64),
        np.zeros((3, dimensions, rows), np.int32),
        np.zeros((3, dimensions, rows), np.int32),
        np.zeros((3, max(words, 1), rows), np.uint64),
        np.zeros((3, rows)),
        np.zeros((rows, histogram), np.int64),
        np.zeros(dimensions, np.int32),
        np.zeros(dimensions, np.int32),
        np.zeros(max(words, 1), np.uint64),
        np.zeros(dimensions + 1, np.int64),
    )


@njit(types.void(GEOMETRY, int32[:, ::1], int64[::1], int64, int64, SCRATCH), cache=True)
def node_hull(geometry, codes, cells, begin, end, s):
    """Hull of a node's cells, into the scratch space."""
    d = geometry.kind.shape[0]
    s.varying[d] = 0
    for a in range(d):
        column = codes[a]
        low, high = column[cells[begin]], column[cells[begin]]
        for at in range(begin + 1, end):
            code = column[cells[at]]
            low = min(low, code)
            high = max(high, code)
        s.hull_low[a], s.hull_high[a] = low, high
        if low != high:
            s.varying[s.varying[d]] = a
            s.varying[d] += 1
        if geometry.kind[a] == SET:
            first = geometry.word[a]
            for w in range(first, geometry.word[a + 1]):
                s.hull_bits[w] = 0
            for at in range(begin, end):
                code = column[cells[at]]
                s.hull_bits[first + (code >> 6)] |= uint64(1) << uint64(code & 63)


@njit(int64(int32[:, ::1], int64[::1], int64[::1], int64, int64, int64, SCRATCH), cache=True)
def find_items(codes, weights, cells, begin, end, j, s):
    """Find the values of dimension j and their weights, in ascending order of codes; return how many there are."""
    column, item_of, code_of, weight, order = codes[j], s.item_of, s.code, s.weight, s.order
    low, high = s.hull_low[j], s.hull_high[j]
    for code in range(low, high + 1):
        item_of[code] = -1
    for at in range(begin, end):
        item_of[column[cells[at]]] = 0
    items = 0
    for code in range(low, high + 1):
        if item_of[code] == 0:
            item_of[code] = items
            code_of[items] = code
            weight[items] = 0
            order[items] = items
            items += 1
    for at in range(begin, end):
        weight[item_of[column[cells[at]]]] += weights[cells[at]]
    return items


@njit(types.void(SCRATCH, int64), cache=True)
def order_by_frequency(s, items):
    """Order the items by descending weight, ties by ascending code."""
    order, weight = s.order, s.weight
    for i in range(1, items):
        item = order[i]
        at = i
        while at > 0 and (
            weight[order[at - 1]] < weight[item]
            or (weight[order[at - 1]] == weight[item] and order[at - 1] > item)
        ):
            order[at] = order[at - 1]
            at -= 1
        order[at] = item


@njit(types.void(SCRATCH, int64), cache=True)
def count_before(s, items):
    """Records in every prefix of the order."""
    s.before[0] = 0
    for i in range(items):
        s.before[i + 1] = s.before[i] + s.weight[s.order[i]]


@njit(types.void(GEOMETRY, int32[:, ::1], int64[::1], int64, int64, int64, int64, SCRATCH), cache=True)
def item_hulls(geometry, codes, cells, begin, end, j, items, s):
    """Hull of every item in every dimension."""
    item_of, own = s.item_of, codes[j]
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        column = codes[a]
        low, high = s.low[ITEM, a], s.high[ITEM, a]
        if a == j:
            for i in range(items):
                low[i] = s.code[i]
                high[i] = s.code[i]
        else:
            for i in range(items):
                low[i] = 2147483647
                high[i] = -1
            for at in range(begin, end):
                cell = cells[at]
                i = item_of[own[cell]]
                code = column[cell]
                low[i] = min(low[i], code)
                high[i] = max(high[i], code)
        if geometry.kind[a] == SET:
            first = geometry.word[a]
            for w in range(first, geometry.word[a + 1]):
                for i in range(items):
                    s.bits[ITEM, w, i] = 0
            for at in range(begin, end):
                cell = cells[at]
                code = column[cell]
                s.bits[ITEM, first + (code >> 6), item_of[own[cell]]] |= uint64(1) << uint64(code & 63)


@njit(int64(GEOMETRY, SCRATCH, int64, int64, int64, int64), cache=True)
def child_end(geometry, s, items, j, node, begin):
    """End of the run of items, from ``begin`` on, that lie below the same child of ``node``."""
    parent = geometry.parent[j]
    child = geometry.leaf_node[j, s.code[begin]]
    if child == node:
        return begin + 1
    while parent[child] != node:
        child = parent[child]
    last = geometry.right[j, child]
    end = begin + 1
    while end < items and s.code[end] <= last:
        end += 1
    return end


@njit(int64(GEOMETRY, int64, int32, int32), cache=True)
def ancestor(geometry, j, low, high):
    """Lowest common ancestor of two leaf ranks."""
    node = geometry.leaf_node[j, low]
    while geometry.right[j, node] < high:
        node = geometry.parent[j, node]
    return node


# Inlined: a call with a structure of arrays costs more than the few items these loops run over.


@njit(inline="always")
def _spread(a, items, order, s):
    """Smallest and largest code of every prefix and suffix in dimension a."""
    low, high = s.low[ITEM, a], s.high[ITEM, a]
    first, last = s.low[PREFIX, a], s.high[PREFIX, a]
    lowest, highest = int32(2147483647), int32(-1)
    for i in range(items):
        lowest = min(lowest, low[order[i]])
        highest = max(highest, high[order[i]])
        first[i + 1], last[i + 1] = lowest, highest
    first, last = s.low[SUFFIX, a], s.high[SUFFIX, a]
    lowest, highest = int32(2147483647), int32(-1)
    for i in range(items - 1, -1, -1):
        lowest = min(lowest, low[order[i]])
        highest = max(highest, high[order[i]])
        first[i], last[i] = lowest, highest


@njit(inline="always")
def _spread_bits(begin, end, items, order, s):
    """Set of codes of every prefix and suffix, for the words of one dimension."""
    for w in range(begin, end):
        own, prefix, suffix = s.bits[ITEM, w], s.bits[PREFIX, w], s.bits[SUFFIX, w]
        gathered = uint64(0)
        for i in range(items):
            gathered |= own[order[i]]
            prefix[i + 1] = gathered
        gathered = uint64(0)
        for i in range(items - 1, -1, -1):
            gathered |= own[order[i]]
            suffix[i] = gathered


@njit(inline="always")
def _add_losses(geometry, a, which, begin, end, s):
    """Add the loss of dimension a to rows [begin, end) of items, prefixes or suffixes."""
    low, high, loss = s.low[which, a], s.high[which, a], s.loss[which]
    kind = geometry.kind[a]
    if kind == INTERVAL:
        position, most = geometry.position[a], geometry.most[a]
        for i in range(begin, end):
            loss[i] += min(position[high[i]] - position[low[i]], most)
    elif kind == TREE:
        parent, right = geometry.parent[a], geometry.right[a]
        node_loss, leaf_node = geometry.node_loss[a], geometry.leaf_node[a]
        for i in range(begin, end):
            node = leaf_node[low[i]]
            last = high[i]
            while right[node] < last:
                node = parent[node]
            loss[i] += node_loss[node]
    else:
        set_loss = geometry.set_loss[a]
        first, stop = geometry.word[a], geometry.word[a + 1]
        for i in range(begin, end):
            present = 0
            for w in range(first, stop):
                present += bits_set(s.bits[which, w, i])
            loss[i] += set_loss[present]


@njit(types.void(GEOMETRY, int64, int64, int64, int64, boolean, SCRATCH), cache=True)
def side_losses(geometry, items, begin, end, j, singles, s):
    """Losses of the prefixes and suffixes [begin, end), and of single items where they are candidates."""
    for i in range(begin, end):
        s.loss[PREFIX, i] = 0.0
        s.loss[SUFFIX, i] = 0.0
    if singles:
        for i in range(items):
            s.loss[ITEM, i] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _spread(a, items, s.order, s)
        if geometry.kind[a] == SET:
            _spread_bits(geometry.word[a], geometry.word[a + 1], items, s.order, s)
        _add_losses(geometry, a, PREFIX, begin, end, s)
        _add_losses(geometry, a, SUFFIX, begin, end, s)
        if singles:
            _add_losses(geometry, a, ITEM, 0, items, s)


@njit(float64(GEOMETRY, SCRATCH, int64, int64), cache=True)
def segment_loss(geometry, s, begin, end):
    """Loss of the hull of the items [begin, end) of the order (in ascending order of codes)."""
    if end == begin + 1:
        return s.loss[ITEM, s.order[begin]]
    scrap = s.low.shape[2] - 1
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        low, high = s.low[ITEM, a], s.high[ITEM, a]
        lowest, highest = low[s.order[begin]], high[s.order[begin]]
        for i in range(begin + 1, end):
            lowest = min(lowest, low[s.order[i]])
            highest = max(highest, high[s.order[i]])
        low[scrap], high[scrap] = lowest, highest
        for w in range(geometry.word[a], geometry.word[a + 1]):
            gathered = uint64(0)
            for i in range(begin, end):
                gathered |= s.bits[ITEM, w, s.order[i]]
            s.bits[ITEM, w, scrap] = gathered
    s.loss[ITEM, scrap] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _add_losses(geometry, a, ITEM, scrap, scrap + 1, s)
    return s.loss[ITEM, scrap]


@njit(float64(GEOMETRY, SCRATCH, int64, int64, int64), cache=True)
def rest_loss(geometry, s, items, begin, end):
    """Loss of the hull of all items but [begin, end); neither end is an end of the order."""
    scrap = s.low.shape[2] - 1
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        s.low[ITEM, a, scrap] = min(s.low[PREFIX, a, begin], s.low[SUFFIX, a, end])
        s.high[ITEM, a, scrap] = max(s.high[PREFIX, a, begin], s.high[SUFFIX, a, end])
        for w in range(geometry.word[a], geometry.word[a + 1]):
            s.bits[ITEM, w, scrap] = s.bits[PREFIX, w, begin] | s.bits[SUFFIX, w, end]
    s.loss[ITEM, scrap] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _add_losses(geometry, a, ITEM, scrap, scrap + 1, s)
    return s.loss[ITEM, scrap]


@njit(float64(GEOMETRY, SCRATCH), cache=True)
def node_loss_of(geometry, s):
    """Loss of the node's hull."""
    total = 0.0
    for a in range(geometry.kind.shape[0]):
        total += attribute_loss(geometry, a, s.hull_low[a], s.hull_high[a], s.hull_bits)
    return total
