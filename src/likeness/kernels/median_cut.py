"""The median cut of Mondrian's paper, strict and relaxed."""

from __future__ import annotations

import numpy as np
from numba import boolean, int32, int64, njit, types

from likeness.kernels.hulls import GEOMETRY, TREE, attribute_loss
from likeness.kernels.node_histograms import (
    HISTOGRAMS,
    PRESENT,
    add_cells,
    children_hold,
    count_prefix,
    side_holds,
)
from likeness.kernels.node_summary import (
    CHILDREN,
    DEAL,
    NO_CUT,
    SCRATCH,
    THRESHOLD,
    count_before,
    find_items,
)
from likeness.kernels.present_tests import PRESENT_TESTS, evaluate_present

CHOICE = types.Tuple((int64, int64, int64, int64))
"""Dimension, way to cut, first and last item of one side."""


_WAY = types.Tuple((int64, int64, int64))
_NODE = (
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


@njit(_WAY(PRESENT_TESTS, int64, GEOMETRY, *_NODE), cache=True)
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


@njit(_WAY(PRESENT_TESTS, int64, *_NODE), cache=True)
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
