"""Partition cells top down by allowed cuts (Mondrian): the least-loss and the median cut.

A *cell* is a distinct combination of quasi-identifier codes and sensitive codes with the number of records that have
it. A node of the partition is a segment of a permutation of the cells. For one dimension the cells of a node are
summarised by value (an *item* per value present: weight, hull in every dimension, histogram of sensitive
values); prefixes and suffixes of the items then give the hulls and counts of both sides of every cut at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, njit, types, uint64

from likeness.kernels.class_tests import TESTS, evaluate
from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, TREE, attribute_loss, hull_loss

WIDEST, ALL, LEAST_LOSS = 0, 1, 2
_NONE, _THRESHOLD, _SEGMENT, _CHILDREN, _DEAL = 0, 1, 2, 3, 4


class Scratch(NamedTuple):
    """Work space for the summary of one dimension of one node (row 0 of a prefix is empty)."""

    item_of: np.ndarray  # (values,) code -> item
    code: np.ndarray  # (items,) item -> code
    weight: np.ndarray  # (items,)
    low: np.ndarray  # (3, items + 2, d) items, prefixes, suffixes
    high: np.ndarray
    bits: np.ndarray  # (3, items + 2, words)
    before: np.ndarray  # (items + 2,) records in the prefix
    loss: np.ndarray  # (3, items + 2)
    held: np.ndarray  # (items + 2, histogram) cumulative
    order: np.ndarray  # (items,)
    side: np.ndarray  # (2, histogram)
    hull_low: np.ndarray  # (d,)
    hull_high: np.ndarray
    hull_bits: np.ndarray  # (words,)


_SCRATCH = types.NamedTuple(
    (
        int32[::1],
        int32[::1],
        int64[::1],
        int32[:, :, ::1],
        int32[:, :, ::1],
        uint64[:, :, ::1],
        int64[::1],
        float64[:, ::1],
        int64[:, ::1],
        int64[::1],
        int64[:, ::1],
        int32[::1],
        int32[::1],
        uint64[::1],
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
        np.zeros((3, rows, dimensions), np.int32),
        np.zeros((3, rows, dimensions), np.int32),
        np.zeros((3, rows, max(words, 1)), np.uint64),
        np.zeros(rows, np.int64),
        np.zeros((3, rows)),
        np.zeros((rows, histogram), np.int64),
        np.zeros(values, np.int64),
        np.zeros((2, histogram), np.int64),
        np.zeros(dimensions, np.int32),
        np.zeros(dimensions, np.int32),
        np.zeros(max(words, 1), np.uint64),
    )


@njit(types.void(_SCRATCH, int64, int64, int64, int64), cache=True)
def _merge(s, source, i, target, t):
    """Widen hull (target, t) so that it covers hull (source, i)."""
    for j in range(s.low.shape[2]):
        s.low[target, t, j] = min(s.low[target, t, j], s.low[source, i, j])
        s.high[target, t, j] = max(s.high[target, t, j], s.high[source, i, j])
    for w in range(s.bits.shape[2]):
        s.bits[target, t, w] |= s.bits[source, i, w]


@njit(types.void(_SCRATCH, int64, int64), cache=True)
def _empty(s, target, t):
    """Make hull (target, t) cover nothing."""
    for j in range(s.low.shape[2]):
        s.low[target, t, j] = 2147483647
        s.high[target, t, j] = -1
    for w in range(s.bits.shape[2]):
        s.bits[target, t, w] = 0


@njit(types.void(_SCRATCH, int64, int64, int64, int64), cache=True)
def _copy(s, source, i, target, t):
    """Make hull (target, t) equal to hull (source, i)."""
    for j in range(s.low.shape[2]):
        s.low[target, t, j] = s.low[source, i, j]
        s.high[target, t, j] = s.high[source, i, j]
    for w in range(s.bits.shape[2]):
        s.bits[target, t, w] = s.bits[source, i, w]


@njit(
    int64(
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int32[:, ::1],
        int64[::1],
        int64,
        int64,
        int64,
        int32,
        int32,
        _SCRATCH,
    ),
    cache=True,
)
def summarise(geometry, codes, weights, views, cells, begin, end, j, low, high, s):
    """Summarise a node's cells by their value in dimension j; return the number of items.

    ``s.order`` is left in ascending order of codes; ``s.held[i + 1]`` holds the histogram of item i alone.
    """
    d = geometry.kind.shape[0]
    for code in range(low, high + 1):
        s.item_of[code] = -1
    for at in range(begin, end):
        s.item_of[codes[j, cells[at]]] = 0
    items = 0
    for code in range(low, high + 1):
        if s.item_of[code] == 0:
            s.item_of[code] = items
            s.code[items] = code
            s.weight[items] = 0
            s.order[items] = items
            _empty(s, 0, items)
            for h in range(s.held.shape[1]):
                s.held[items + 1, h] = 0
            items += 1
    for at in range(begin, end):
        cell = cells[at]
        i = s.item_of[codes[j, cell]]
        s.weight[i] += weights[cell]
        for a in range(d):
            code = codes[a, cell]
            if geometry.kind[a] == SET:
                s.bits[0, i, geometry.word[a] + (code >> 6)] |= uint64(1) << uint64(code & 63)
            else:
                if code < s.low[0, i, a]:
                    s.low[0, i, a] = code
                if code > s.high[0, i, a]:
                    s.high[0, i, a] = code
        for v in range(views.shape[0]):
            s.held[i + 1, views[v, cell]] += weights[cell]
    return items


@njit(types.void(_SCRATCH, int64), cache=True)
def _order_by_frequency(s, items):
    """Order the items by descending weight, ties by ascending code."""
    for i in range(1, items):
        item = s.order[i]
        at = i
        while at > 0 and (
            s.weight[s.order[at - 1]] < s.weight[item]
            or (s.weight[s.order[at - 1]] == s.weight[item] and s.order[at - 1] > item)
        ):
            s.order[at] = s.order[at - 1]
            at -= 1
        s.order[at] = item


@njit(types.void(_SCRATCH, int64), cache=True)
def _accumulate_histograms(s, items):
    """Turn ``s.held`` from single items (in code order) into prefixes in the order of ``s.order``."""
    # Items in code order are already in place; another order needs a copy, made through the last rows' own values.
    ascending = True
    for i in range(items):
        if s.order[i] != i:
            ascending = False
    width = s.held.shape[1]
    if not ascending:
        single = s.held[1 : items + 1].copy()
        for i in range(items):
            for h in range(width):
                s.held[i + 1, h] = single[s.order[i], h]
    for h in range(width):
        s.held[0, h] = 0
    for i in range(items):
        for h in range(width):
            s.held[i + 1, h] += s.held[i, h]


@njit(types.void(GEOMETRY, _SCRATCH, int64), cache=True)
def _accumulate_hulls(geometry, s, items):
    """Hulls, losses and weights of all prefixes (row i: the first i items) and suffixes (row i: items i …)."""
    _empty(s, 1, 0)
    s.before[0] = 0
    s.loss[1, 0] = 0.0
    for i in range(items):
        _copy(s, 1, i, 1, i + 1)
        _merge(s, 0, s.order[i], 1, i + 1)
        s.before[i + 1] = s.before[i] + s.weight[s.order[i]]
    _empty(s, 2, items)
    for i in range(items - 1, -1, -1):
        _copy(s, 2, i + 1, 2, i)
        _merge(s, 0, s.order[i], 2, i)
    s.loss[2, items] = 0.0
    for i in range(1, items):
        s.loss[1, i] = hull_loss(geometry, s.low[1, i], s.high[1, i], s.bits[1, i])
        s.loss[2, i] = hull_loss(geometry, s.low[2, i], s.high[2, i], s.bits[2, i])


@njit(
    boolean(TESTS, int64[:, ::1], int64[::1], float64[::1], _SCRATCH, int64, int64, int64, boolean),
    cache=True,
)
def _side_holds(functions, shape, integers, reals, s, items, begin, end, inside):
    """Whether the records of the items [begin, end), or all others, hold every test."""
    total = s.before[items]
    size = s.before[end] - s.before[begin]
    if not inside:
        size = total - size
    if shape.shape[0] == 0:
        return True
    for h in range(s.held.shape[1]):
        part = s.held[end, h] - s.held[begin, h]
        s.side[0, h] = part if inside else s.held[items, h] - part
    return evaluate(functions, shape, integers, reals, size, s.side[0])


@njit(float64(GEOMETRY, _SCRATCH, int64, int64), cache=True)
def _segment_loss(geometry, s, begin, end):
    """Loss of the hull of the items [begin, end) of the order."""
    _empty(s, 0, s.low.shape[1] - 1)
    scrap = s.low.shape[1] - 1
    for i in range(begin, end):
        _merge(s, 0, s.order[i], 0, scrap)
    return hull_loss(geometry, s.low[0, scrap], s.high[0, scrap], s.bits[0, scrap])


@njit(float64(GEOMETRY, _SCRATCH, int64, int64, int64), cache=True)
def _rest_loss(geometry, s, items, begin, end):
    """Loss of the hull of all items but [begin, end)."""
    scrap = s.low.shape[1] - 1
    if begin == 0:
        return s.loss[2, end]
    if end == items:
        return s.loss[1, begin]
    _copy(s, 1, begin, 0, scrap)
    _merge(s, 2, end, 0, scrap)
    return hull_loss(geometry, s.low[0, scrap], s.high[0, scrap], s.bits[0, scrap])


@njit(int64(GEOMETRY, _SCRATCH, int64, int64, int64, int64), cache=True)
def _child_end(geometry, s, items, j, node, begin):
    """End of the run of items, from ``begin`` on, that lie below the same child of ``node``."""
    child = geometry.leaf_node[j, s.code[begin]]
    if child == node:
        return begin + 1
    while geometry.parent[j, child] != node:
        child = geometry.parent[j, child]
    end = begin + 1
    while end < items and s.code[end] <= geometry.right[j, child]:
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
    types.UniTuple(float64, 2)(
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        GEOMETRY,
        _SCRATCH,
        int64,
        int64,
        float64,
        boolean,
    ),
    cache=True,
)
def _children_cut(functions, shape, integers, reals, smallest, geometry, s, items, j, least, check):
    """Size-weighted loss when the node is cut into the children of its hierarchy node; (loss, 1 if allowed)."""
    node = _ancestor(geometry, j, s.code[0], s.code[items - 1])
    total = 0.0
    begin = 0
    while begin < items:
        end = _child_end(geometry, s, items, j, node, begin)
        size = s.before[end] - s.before[begin]
        if size < smallest:
            return total, 0.0
        total += size * _segment_loss(geometry, s, begin, end)
        begin = end
    if check and total >= least:
        return total, 0.0
    begin = 0
    while begin < items:
        end = _child_end(geometry, s, items, j, node, begin)
        if not _side_holds(functions, shape, integers, reals, s, items, begin, end, True):
            return total, 0.0
        begin = end
    return total, 1.0


@njit(
    types.Tuple((float64, int64, int64, int64))(
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, _SCRATCH, int64, int64, float64
    ),
    cache=True,
)
def _best_cut(functions, shape, integers, reals, smallest, geometry, s, items, j, least):
    """Allowed cut of dimension j with a size-weighted loss below ``least``: (loss, how, begin, end)."""
    how, first, last = _NONE, 0, 0
    total = s.before[items]
    for i in range(1, items):
        left, right = s.before[i], total - s.before[i]
        if left < smallest or right < smallest:
            continue
        loss = left * s.loss[1, i] + right * s.loss[2, i]
        if (
            loss < least
            and _side_holds(functions, shape, integers, reals, s, items, 0, i, True)
            and _side_holds(functions, shape, integers, reals, s, items, i, items, True)
        ):
            least, how, first, last = loss, _THRESHOLD, 0, i
    if geometry.kind[j] == INTERVAL or items < 3:
        return least, how, first, last
    node = 0
    if geometry.kind[j] == TREE:
        node = _ancestor(geometry, j, s.code[0], s.code[items - 1])
        loss, allowed = _children_cut(
            functions, shape, integers, reals, smallest, geometry, s, items, j, least, True
        )
        if allowed > 0 and loss < least:
            least, how = loss, _CHILDREN
    begin = 0
    while begin < items:
        end = begin + 1
        if geometry.kind[j] == TREE:
            end = _child_end(geometry, s, items, j, node, begin)
        part = s.before[end] - s.before[begin]
        if 0 < begin and end < items and part >= smallest and total - part >= smallest:
            loss = part * _segment_loss(geometry, s, begin, end)
            if loss < least:
                loss += (total - part) * _rest_loss(geometry, s, items, begin, end)
            if (
                loss < least
                and _side_holds(functions, shape, integers, reals, s, items, begin, end, True)
                and _side_holds(functions, shape, integers, reals, s, items, begin, end, False)
            ):
                least, how, first, last = loss, _SEGMENT, begin, end
        begin = end
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
        _, allowed = _children_cut(
            functions, shape, integers, reals, smallest, geometry, s, items, j, 0.0, False
        )
        return (_CHILDREN if allowed > 0 else _NONE), 0, 0
    half = s.before[items] / 2
    i = 1
    while s.before[i] < half:
        i += 1
    if i == items:
        return _NONE, 0, 0
    if s.before[i] < smallest or s.before[items] - s.before[i] < smallest:
        return _NONE, 0, 0
    if _side_holds(functions, shape, integers, reals, s, items, 0, i, True) and _side_holds(
        functions, shape, integers, reals, s, items, i, items, True
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


@njit(types.void(GEOMETRY, int32[:, ::1], int64[::1], int64, int64, _SCRATCH), cache=True)
def _node_hull(geometry, codes, cells, begin, end, s):
    """Hull of a node's cells, into the scratch space."""
    for a in range(geometry.kind.shape[0]):
        low, high = codes[a, cells[begin]], codes[a, cells[begin]]
        for at in range(begin + 1, end):
            code = codes[a, cells[at]]
            if code < low:
                low = code
            if code > high:
                high = code
        s.hull_low[a], s.hull_high[a] = low, high
        if geometry.kind[a] == SET:
            for w in range(geometry.word[a], geometry.word[a + 1]):
                s.hull_bits[w] = 0
            for at in range(begin, end):
                code = codes[a, cells[at]]
                s.hull_bits[geometry.word[a] + (code >> 6)] |= uint64(1) << uint64(code & 63)


@njit(
    types.Tuple((int64, int64, int64, int64))(
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
        int64,
        int64,
        int64,
        boolean,
        _SCRATCH,
    ),
    cache=True,
)
def _choose(
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
    choice,
    deal,
    s,
):
    """Choose the cut of a node: (dimension, how, begin, end); the summary of that dimension is left in ``s``."""
    d = geometry.kind.shape[0]
    _node_hull(geometry, codes, cells, begin, end, s)
    best_j, how, first, last = -1, _NONE, 0, 0
    if choice == LEAST_LOSS:
        size = 0
        for at in range(begin, end):
            size += weights[cells[at]]
        # A cut must lower the loss by more than rounding can.
        least = size * hull_loss(geometry, s.hull_low, s.hull_high, s.hull_bits) * (1.0 - 1e-12)
        for j in range(d):
            if s.hull_low[j] == s.hull_high[j]:
                continue
            items = summarise(
                geometry, codes, weights, views, cells, begin, end, j, s.hull_low[j], s.hull_high[j], s
            )
            if geometry.kind[j] == SET:
                _order_by_frequency(s, items)
            _accumulate_hulls(geometry, s, items)
            _accumulate_histograms(s, items)
            loss, found, b, e = _best_cut(
                functions, shape, integers, reals, smallest, geometry, s, items, j, least
            )
            if found != _NONE:
                least, best_j, how, first, last = loss, j, found, b, e
        if best_j >= 0 and best_j != d - 1:
            items = summarise(
                geometry,
                codes,
                weights,
                views,
                cells,
                begin,
                end,
                best_j,
                s.hull_low[best_j],
                s.hull_high[best_j],
                s,
            )
            if geometry.kind[best_j] == SET:
                _order_by_frequency(s, items)
        return best_j, how, first, last
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
        items = summarise(
            geometry, codes, weights, views, cells, begin, end, j, s.hull_low[j], s.hull_high[j], s
        )
        s.before[0] = 0
        for i in range(items):
            s.before[i + 1] = s.before[i] + s.weight[i]
        _accumulate_histograms(s, items)
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
        if choice == WIDEST:
            break
    return -1, _NONE, 0, 0


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
        j, how, first, last = _choose(
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
            choice,
            deal,
            s,
        )
        if how == _NONE:
            for at in range(begin, end):
                label[cells[at]] = classes
            classes += 1
            continue
        items = 0
        for code in range(s.hull_low[j], s.hull_high[j] + 1):
            if s.item_of[code] >= 0:
                items += 1
        groups = 2
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
        else:
            for i in range(items):
                group[s.order[i]] = 0 if first <= i < last else 1
        quota = 0
        if how == _DEAL:
            quota = last
            for i in range(items):
                group[i] = 0 if i < first else 1
        write = begin
        for g in range(groups):
            start = write
            dealt = 0
            for at in range(begin, end):
                cell = cells[at]
                item = s.item_of[codes[j, cell]]
                goes = group[item]
                if how == _DEAL and item == first and dealt < quota:
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
