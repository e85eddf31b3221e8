"""The median cut of Mondrian's paper, strict and relaxed."""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int32, int64, njit, types

from likeness.kernels.class_tests import TESTS, evaluate
from likeness.kernels.hulls import GEOMETRY, TREE, attribute_loss
from likeness.kernels.node_summary import (
    CHILDREN,
    DEAL,
    NO_CUT,
    SCRATCH,
    THRESHOLD,
    children_hold,
    count_before,
    find_items,
    prefix_histograms,
    side_holds,
)

CHOICE = types.Tuple((int64, int64, int64, int64))
"""Dimension, way to cut, first and last item of one side."""


@njit(
    types.Tuple((int64, int64, int64))(
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, SCRATCH, int64, int64
    ),
    cache=True,
)
def _median_cut(functions, shape, integers, reals, smallest, geometry, s, items, j):
    """The cut of Mondrian's paper in dimension j: at the median, or into the children of a hierarchy node."""
    if geometry.kind[j] == TREE:
        allowed = children_hold(functions, shape, integers, reals, smallest, geometry, s, items, j)
        return (CHILDREN if allowed else NO_CUT), 0, 0
    half = s.before[items] / 2
    i = 1
    while s.before[i] < half:
        i += 1
    if i == items or s.before[i] < smallest or s.before[items] - s.before[i] < smallest:
        return NO_CUT, 0, 0
    if shape.shape[0] == 0 or (
        side_holds(functions, shape, integers, reals, s, items, 0, i, True)
        and side_holds(functions, shape, integers, reals, s, items, i, items, True)
    ):
        return THRESHOLD, 0, i
    return NO_CUT, 0, 0


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
        SCRATCH,
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
        return NO_CUT, 0, 0
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
                for v in range(views.shape[1]):
                    s.side[0, views[cell, v]] += weights[cell]
        for h in range(s.held.shape[1]):
            s.side[1, h] = s.held[items, h] - s.side[0, h]
        if not evaluate(functions, shape, integers, reals, half, s.side[0]):
            return NO_CUT, 0, 0
        if not evaluate(functions, shape, integers, reals, total - half, s.side[1]):
            return NO_CUT, 0, 0
    return DEAL, i, quota


@njit(
    CHOICE(
        TESTS, int64[:, ::1], int64[::1], float64[::1], int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1],
        int64[::1], int64, int64, boolean, boolean, SCRATCH,
    ),
    cache=True,
)  # fmt: skip
def choose_median(
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
        items = find_items(codes, weights, cells, begin, end, j, s)
        count_before(s, items)
        if shape.shape[0] > 0:
            prefix_histograms(codes, weights, views, cells, begin, end, j, items, s)
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
        if how != NO_CUT:
            return j, how, first, last
        if only_widest:
            break
    return -1, NO_CUT, 0, 0
