"""Partition cells top down by allowed cuts (Mondrian): the least-loss and the median cut.

A *cell* is a distinct combination of quasi-identifier codes and sensitive codes with the number of records that have
it. A node of the partition is a segment of a permutation of the cells. For one dimension the cells of a node are
summarised by value (an *item* per value present: weight, hull in every dimension, histogram of sensitive
values); prefixes and suffixes of the items then give the hulls and counts of both sides of every cut at once.
Models are asked only about cuts that would lower the loss below the best one found so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, njit, types, uint64

from likeness.kernels.class_tests import TESTS, evaluate
from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, TREE, attribute_loss, bits_set

WIDEST, ALL, LEAST_LOSS = 0, 1, 2
_NONE, _THRESHOLD, _SEGMENT, _CHILDREN, _DEAL = 0, 1, 2, 3, 4
_ITEM, _PREFIX, _SUFFIX = 0, 1, 2


class Scratch(NamedTuple):
    """Work space for one node and the summary of one of its dimensions.

    The first axis of ``low``, ``high``, ``bits`` and ``loss`` tells items, prefixes (row i: the first i items of the
    order) and suffixes (row i: all but them) apart.
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
    held: np.ndarray  # (items + 2, histogram) histogram of each prefix
    side: np.ndarray  # (2, histogram)
    hull_low: np.ndarray  # (d,) of the node
    hull_high: np.ndarray  # (d,)
    hull_bits: np.ndarray  # (words,)
    varying: np.ndarray  # (d + 1,) the node's dimensions with more than one value; their number last


_SCRATCH = types.NamedTuple(
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
        int64[:, ::1],
        int32[::1],
        int32[::1],
        uint64[::1],
        int64[::1],
    ),
    Scratch,
)


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
        np.zeros((2, histogram), np.int64),
        np.zeros(dimensions, np.int32),
        np.zeros(dimensions, np.int32),
        np.zeros(max(words, 1), np.uint64),
        np.zeros(dimensions + 1, np.int64),
    )


@njit(types.void(GEOMETRY, int32[:, ::1], int64[::1], int64, int64, _SCRATCH), cache=True)
def _node_hull(geometry, codes, cells, begin, end, s):
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


@njit(int64(int32[:, ::1], int64[::1], int64[::1], int64, int64, int64, _SCRATCH), cache=True)
def _items(codes, weights, cells, begin, end, j, s):
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


@njit(types.void(_SCRATCH, int64), cache=True)
def _order_by_frequency(s, items):
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


@njit(types.void(_SCRATCH, int64), cache=True)
def _count_before(s, items):
    """Records in every prefix of the order."""
    s.before[0] = 0
    for i in range(items):
        s.before[i + 1] = s.before[i] + s.weight[s.order[i]]


@njit(types.void(GEOMETRY, int32[:, ::1], int64[::1], int64, int64, int64, int64, _SCRATCH), cache=True)
def _item_hulls(geometry, codes, cells, begin, end, j, items, s):
    """Hull of every item in every dimension."""
    item_of, own = s.item_of, codes[j]
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        column = codes[a]
        low, high = s.low[_ITEM, a], s.high[_ITEM, a]
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
                    s.bits[_ITEM, w, i] = 0
            for at in range(begin, end):
                cell = cells[at]
                code = column[cell]
                s.bits[_ITEM, first + (code >> 6), item_of[own[cell]]] |= uint64(1) << uint64(code & 63)


# Inlined: a call with a structure of arrays costs more than the few items these loops run over.
@njit(inline="always")
def _spread(a, items, order, s):
    """Smallest and largest code of every prefix and suffix in dimension a."""
    low, high = s.low[_ITEM, a], s.high[_ITEM, a]
    first, last = s.low[_PREFIX, a], s.high[_PREFIX, a]
    lowest, highest = int32(2147483647), int32(-1)
    for i in range(items):
        lowest = min(lowest, low[order[i]])
        highest = max(highest, high[order[i]])
        first[i + 1], last[i + 1] = lowest, highest
    first, last = s.low[_SUFFIX, a], s.high[_SUFFIX, a]
    lowest, highest = int32(2147483647), int32(-1)
    for i in range(items - 1, -1, -1):
        lowest = min(lowest, low[order[i]])
        highest = max(highest, high[order[i]])
        first[i], last[i] = lowest, highest


@njit(inline="always")
def _spread_bits(begin, end, items, order, s):
    """Set of codes of every prefix and suffix, for the words of one dimension."""
    for w in range(begin, end):
        own, prefix, suffix = s.bits[_ITEM, w], s.bits[_PREFIX, w], s.bits[_SUFFIX, w]
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


@njit(types.void(GEOMETRY, int64, int64, int64, int64, boolean, _SCRATCH), cache=True)
def _side_losses(geometry, items, begin, end, j, singles, s):
    """Losses of the prefixes and suffixes [begin, end), and of single items where they are candidates."""
    for i in range(begin, end):
        s.loss[_PREFIX, i] = 0.0
        s.loss[_SUFFIX, i] = 0.0
    if singles:
        for i in range(items):
            s.loss[_ITEM, i] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _spread(a, items, s.order, s)
        if geometry.kind[a] == SET:
            _spread_bits(geometry.word[a], geometry.word[a + 1], items, s.order, s)
        _add_losses(geometry, a, _PREFIX, begin, end, s)
        _add_losses(geometry, a, _SUFFIX, begin, end, s)
        if singles:
            _add_losses(geometry, a, _ITEM, 0, items, s)


@njit(
    types.void(int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, int64, int64, _SCRATCH),
    cache=True,
)
def _histograms(codes, weights, views, cells, begin, end, j, items, s):
    """Histogram of every prefix of the order."""
    own, item_of, held = codes[j], s.item_of, s.held
    width = held.shape[1]
    row_of = np.empty(items, np.int64)
    for i in range(items):
        row_of[s.order[i]] = i + 1
    for i in range(items + 1):
        for h in range(width):
            held[i, h] = 0
    for v in range(views.shape[0]):
        column = views[v]
        for at in range(begin, end):
            cell = cells[at]
            held[row_of[item_of[own[cell]]], column[cell]] += weights[cell]
    for i in range(items):
        for h in range(width):
            held[i + 1, h] += held[i, h]


@njit(
    boolean(TESTS, int64[:, ::1], int64[::1], float64[::1], _SCRATCH, int64, int64, int64, boolean),
    cache=True,
)
def _side_holds(functions, shape, integers, reals, s, items, begin, end, inside):
    """Whether the records of the items [begin, end) of the order, or all others, hold every test."""
    size = s.before[end] - s.before[begin]
    if not inside:
        size = s.before[items] - size
    for h in range(s.held.shape[1]):
        part = s.held[end, h] - s.held[begin, h]
        s.side[0, h] = part if inside else s.held[items, h] - part
    return evaluate(functions, shape, integers, reals, size, s.side[0])


@njit(float64(GEOMETRY, _SCRATCH, int64, int64), cache=True)
def _segment_loss(geometry, s, begin, end):
    """Loss of the hull of the items [begin, end) of the order (in ascending order of codes)."""
    if end == begin + 1:
        return s.loss[_ITEM, s.order[begin]]
    scrap = s.low.shape[2] - 1
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        low, high = s.low[_ITEM, a], s.high[_ITEM, a]
        lowest, highest = low[s.order[begin]], high[s.order[begin]]
        for i in range(begin + 1, end):
            lowest = min(lowest, low[s.order[i]])
            highest = max(highest, high[s.order[i]])
        low[scrap], high[scrap] = lowest, highest
        for w in range(geometry.word[a], geometry.word[a + 1]):
            gathered = uint64(0)
            for i in range(begin, end):
                gathered |= s.bits[_ITEM, w, s.order[i]]
            s.bits[_ITEM, w, scrap] = gathered
    s.loss[_ITEM, scrap] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _add_losses(geometry, a, _ITEM, scrap, scrap + 1, s)
    return s.loss[_ITEM, scrap]


@njit(float64(GEOMETRY, _SCRATCH, int64, int64, int64), cache=True)
def _rest_loss(geometry, s, items, begin, end):
    """Loss of the hull of all items but [begin, end); neither end is an end of the order."""
    scrap = s.low.shape[2] - 1
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        s.low[_ITEM, a, scrap] = min(s.low[_PREFIX, a, begin], s.low[_SUFFIX, a, end])
        s.high[_ITEM, a, scrap] = max(s.high[_PREFIX, a, begin], s.high[_SUFFIX, a, end])
        for w in range(geometry.word[a], geometry.word[a + 1]):
            s.bits[_ITEM, w, scrap] = s.bits[_PREFIX, w, begin] | s.bits[_SUFFIX, w, end]
    s.loss[_ITEM, scrap] = 0.0
    for v in range(s.varying[geometry.kind.shape[0]]):
        a = s.varying[v]
        _add_losses(geometry, a, _ITEM, scrap, scrap + 1, s)
    return s.loss[_ITEM, scrap]


@njit(int64(GEOMETRY, _SCRATCH, int64, int64, int64, int64), cache=True)
def _child_end(geometry, s, items, j, node, begin):
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
def _ancestor(geometry, j, low, high):
    """Lowest common ancestor of two leaf ranks."""
    node = geometry.leaf_node[j, low]
    while geometry.right[j, node] < high:
        node = geometry.parent[j, node]
    return node


@njit(
    boolean(TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, _SCRATCH, int64, int64),
    cache=True,
)
def _children_hold(functions, shape, integers, reals, smallest, geometry, s, items, j):
    """Whether every child of the node's hierarchy node holds every test."""
    node = _ancestor(geometry, j, s.code[0], s.code[items - 1])
    begin = 0
    while begin < items:
        end = _child_end(geometry, s, items, j, node, begin)
        if s.before[end] - s.before[begin] < smallest:
            return False
        begin = end
    begin = 0
    while shape.shape[0] > 0 and begin < items:
        end = _child_end(geometry, s, items, j, node, begin)
        if not _side_holds(functions, shape, integers, reals, s, items, begin, end, True):
            return False
        begin = end
    return True


_CUT = types.Tuple((float64, int64, int64, int64))
_NODE = (GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, int64, int64, _SCRATCH)


@njit(_CUT(TESTS, int64[:, ::1], int64[::1], float64[::1], int64, *_NODE, float64), cache=True)
def _best_cut(
    functions,
    shape,
    integers,
    reals,
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
    least,
):
    """Allowed cut of dimension j with a size-weighted loss below ``least``: (loss, how, first, last)."""
    how, first, last = _NONE, 0, 0
    before, total = s.before, s.before[items]
    start, stop = 1, items
    while start < items and before[start] < smallest:
        start += 1
    while stop > start and total - before[stop - 1] < smallest:
        stop -= 1
    segments = geometry.kind[j] != INTERVAL and items > 2
    if start >= stop and not segments:
        return least, how, first, last
    _item_hulls(geometry, codes, cells, begin, end, j, items, s)
    _side_losses(geometry, items, start, stop, j, segments, s)
    counted = shape.shape[0] == 0
    for i in range(start, stop):
        loss = before[i] * s.loss[_PREFIX, i] + (total - before[i]) * s.loss[_SUFFIX, i]
        if loss >= least:
            continue
        if shape.shape[0] > 0:
            if not counted:
                _histograms(codes, weights, views, cells, begin, end, j, items, s)
                counted = True
            if not _side_holds(functions, shape, integers, reals, s, items, 0, i, True) or not _side_holds(
                functions, shape, integers, reals, s, items, i, items, True
            ):
                continue
        least, how, first, last = loss, _THRESHOLD, 0, i
    if not segments:
        return least, how, first, last
    node = 0
    if geometry.kind[j] == TREE:
        node = _ancestor(geometry, j, s.code[0], s.code[items - 1])
        loss = 0.0
        at = 0
        while at < items:
            stop = _child_end(geometry, s, items, j, node, at)
            loss += (before[stop] - before[at]) * _segment_loss(geometry, s, at, stop)
            at = stop
        if loss < least:
            if not counted:
                _histograms(codes, weights, views, cells, begin, end, j, items, s)
                counted = True
            if _children_hold(functions, shape, integers, reals, smallest, geometry, s, items, j):
                least, how = loss, _CHILDREN
    # One item, or one child of the hierarchy node, against the rest.
    for by_child in range(2 if geometry.kind[j] == TREE else 1):
        at = 0
        while at < items:
            stop = at + 1 if by_child == 0 else _child_end(geometry, s, items, j, node, at)
            part = before[stop] - before[at]
            if 0 < at and stop < items and part >= smallest and total - part >= smallest:
                loss = part * _segment_loss(geometry, s, at, stop)
                if loss < least:
                    loss += (total - part) * _rest_loss(geometry, s, items, at, stop)
                if loss < least:
                    allowed = True
                    if shape.shape[0] > 0:
                        if not counted:
                            _histograms(codes, weights, views, cells, begin, end, j, items, s)
                            counted = True
                        allowed = _side_holds(
                            functions, shape, integers, reals, s, items, at, stop, True
                        ) and _side_holds(functions, shape, integers, reals, s, items, at, stop, False)
                    if allowed:
                        least, how, first, last = loss, _SEGMENT, at, stop
            at = stop
    return least, how, first, last


@njit(
    types.Tuple((int64, int64, int64))(
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, _SCRATCH, int64, int64
    ),
    cache=True,
)
def _median_cut(functions, shape, integers, reals, smallest, geometry, s, items, j):
    """The cut of Mondrian's paper in dimension j: at the median, or into the children of a hierarchy node."""
    if geometry.kind[j] == TREE:
        allowed = _children_hold(functions, shape, integers, reals, smallest, geometry, s, items, j)
        return (_CHILDREN if allowed else _NONE), 0, 0
    half = s.before[items] / 2
    i = 1
    while s.before[i] < half:
        i += 1
    if i == items or s.before[i] < smallest or s.before[items] - s.before[i] < smallest:
        return _NONE, 0, 0
    if shape.shape[0] == 0 or (
        _side_holds(functions, shape, integers, reals, s, items, 0, i, True)
        and _side_holds(functions, shape, integers, reals, s, items, i, items, True)
    ):
        return _THRESHOLD, 0, i
    return _NONE, 0, 0


@njit(
    types.Tuple((int64, int64, int64))(
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        int32[:, ::1],
        int64[::1],
        int32[:, ::1],
        int64[::1],
        int64,
        int64,
        _SCRATCH,
        int64,
        int64,
    ),
    cache=True,
)
def _dealt_cut(
    functions, shape, integers, reals, smallest, codes, weights, views, cells, begin, end, s, items, j
):
    """Relaxed median cut: the first cells of the median value go left until the halves are equal."""
    total = s.before[items]
    half = total // 2
    if half < smallest or total - half < smallest:
        return _NONE, 0, 0
    i = 0
    while s.before[i + 1] <= half:
        i += 1
    quota = half - s.before[i]
    if shape.shape[0] > 0:
        for h in range(s.held.shape[1]):
            s.side[0, h] = s.held[i, h]
        dealt = 0
        for at in range(begin, end):
            cell = cells[at]
            if dealt < quota and s.item_of[codes[j, cell]] == i:
                dealt += weights[cell]
                for v in range(views.shape[0]):
                    s.side[0, views[v, cell]] += weights[cell]
        for h in range(s.held.shape[1]):
            s.side[1, h] = s.held[items, h] - s.side[0, h]
        if not evaluate(functions, shape, integers, reals, half, s.side[0]):
            return _NONE, 0, 0
        if not evaluate(functions, shape, integers, reals, total - half, s.side[1]):
            return _NONE, 0, 0
    return _DEAL, i, quota


@njit(float64(GEOMETRY, _SCRATCH), cache=True)
def _node_loss(geometry, s):
    """Loss of the node's hull."""
    total = 0.0
    for a in range(geometry.kind.shape[0]):
        total += attribute_loss(geometry, a, s.hull_low[a], s.hull_high[a], s.hull_bits)
    return total


_CHOICE = types.Tuple((int64, int64, int64, int64))


@njit(
    _CHOICE(
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1],
        int64[::1], int64, int64, int64, _SCRATCH,
    ),
    cache=True,
)  # fmt: skip
def _choose_least_loss(
    functions, shape, integers, reals, smallest, geometry, codes, weights, views, cells, begin, end, size, s
):
    """Choose the allowed cut with the smallest loss: (dimension, how, first, last); its items are left in ``s``."""
    best, how, first, last = -1, _NONE, 0, 0
    # A cut must lower the loss by more than rounding can.
    least = size * _node_loss(geometry, s) * (1.0 - 1e-12)
    if least <= 0.0:
        return best, how, first, last
    latest = -1
    for v in range(s.varying[geometry.kind.shape[0]]):
        j = s.varying[v]
        items = _items(codes, weights, cells, begin, end, j, s)
        latest = j
        if geometry.kind[j] == SET:
            _order_by_frequency(s, items)
        _count_before(s, items)
        loss, found, b, e = _best_cut(
            functions, shape, integers, reals, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s,
            least,
        )  # fmt: skip
        if found != _NONE:
            least, best, how, first, last = loss, j, found, b, e
    if best >= 0 and best != latest:
        items = _items(codes, weights, cells, begin, end, best, s)
        if geometry.kind[best] == SET:
            _order_by_frequency(s, items)
    return best, how, first, last


@njit(
    _CHOICE(
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1],
        int64[::1], int64, int64, boolean, boolean, _SCRATCH,
    ),
    cache=True,
)  # fmt: skip
def _choose_median(
    functions,
    shape,
    integers,
    reals,
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
        items = _items(codes, weights, cells, begin, end, j, s)
        _count_before(s, items)
        if shape.shape[0] > 0:
            _histograms(codes, weights, views, cells, begin, end, j, items, s)
        if deal and geometry.kind[j] != TREE:
            how, first, last = _dealt_cut(
                functions,
                shape,
                integers,
                reals,
                smallest,
                codes,
                weights,
                views,
                cells,
                begin,
                end,
                s,
                items,
                j,
            )
        else:
            how, first, last = _median_cut(functions, shape, integers, reals, smallest, geometry, s, items, j)
        if how != _NONE:
            return j, how, first, last
        if only_widest:
            break
    return -1, _NONE, 0, 0


@njit(int64(GEOMETRY, _SCRATCH, int64, int64, int64, int64, int64, int64[::1]), cache=True)
def _groups(geometry, s, items, j, how, first, last, group):
    """Give every item the number of its side; return the number of sides."""
    if how == _CHILDREN:
        node = _ancestor(geometry, j, s.code[0], s.code[items - 1])
        groups = 0
        at = 0
        while at < items:
            stop = _child_end(geometry, s, items, j, node, at)
            for i in range(at, stop):
                group[i] = groups
            groups += 1
            at = stop
        return groups
    for i in range(items):
        if how == _DEAL:
            group[i] = 0 if i < first else 1
        else:
            group[s.order[i]] = 0 if first <= i < last else 1
    return 2


@njit(
    int64(
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64,
        boolean,
        _SCRATCH,
        int64[::1],
    ),
    cache=True,
)
def partition(
    functions,
    shape,
    integers,
    reals,
    smallest,
    geometry,
    codes,
    weights,
    views,
    cells,
    starts,
    choice,
    deal,
    s,
    label,
):
    """Partition the cells by allowed cuts until none is left; return the number of classes.

    Parameters
    ----------
    functions, shape, integers, reals, smallest
        The tests of `likeness.kernels.class_tests.lay_out`.
    geometry
        The attributes' `Geometry`.
    codes : (d, cells) int32
        Quasi-identifier codes of each cell.
    weights : (cells,) int64
        Records of each cell.
    views : (v, cells) int32
        Position in the joint histogram of each cell's sensitive values.
    cells : (cells,) int64
        A permutation of the cells, reordered in place.
    starts : (parts + 1,) int64
        Segments of the permutation to begin with; each must hold the tests.
    choice
        WIDEST, ALL or LEAST_LOSS.
    deal
        Deal the cells at the median so that halves are equal (relaxed; cells of weight 1).
    s
        Work space.
    label : (cells,) int64
        Receives the class of each cell.
    """
    count = cells.shape[0]
    stack = np.empty((count + starts.shape[0], 2), np.int64)
    top = 0
    for part in range(starts.shape[0] - 2, -1, -1):
        stack[top, 0], stack[top, 1] = starts[part], starts[part + 1]
        top += 1
    moved = np.empty(count, np.int64)
    group = np.empty(s.item_of.shape[0], np.int64)
    classes = 0
    while top > 0:
        top -= 1
        begin, end = stack[top, 0], stack[top, 1]
        size = 0
        for at in range(begin, end):
            size += weights[cells[at]]
        j, how, first, last = -1, _NONE, 0, 0
        if size >= 2 * smallest and end > begin + 1:
            _node_hull(geometry, codes, cells, begin, end, s)
            if choice == LEAST_LOSS:
                j, how, first, last = _choose_least_loss(
                    functions, shape, integers, reals, smallest, geometry, codes, weights, views, cells, begin, end,
                    size, s,
                )  # fmt: skip
            else:
                j, how, first, last = _choose_median(
                    functions, shape, integers, reals, smallest, geometry, codes, weights, views, cells, begin, end,
                    choice == WIDEST, deal, s,
                )  # fmt: skip
        if how == _NONE:
            for at in range(begin, end):
                label[cells[at]] = classes
            classes += 1
            continue
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
                if how == _DEAL and item == first and dealt < last:
                    dealt += weights[cell]
                    goes = 0
                if goes == g:
                    moved[write] = cell
                    write += 1
            stack[top, 0], stack[top, 1] = start, write
            top += 1
        for at in range(begin, end):
            cells[at] = moved[at]
    return classes
