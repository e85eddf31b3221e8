"""Partition cells top down by allowed cuts (Mondrian).

A *cell* is a distinct combination of quasi-identifier codes and sensitive codes with the number of records that have
it. A node of the partition is a segment of a permutation of the cells.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int32, int64, njit

from likeness.kernels.hulls import GEOMETRY
from likeness.kernels.least_loss_cut import choose_least_loss
from likeness.kernels.median_cut import choose_median
from likeness.kernels.node_histograms import HISTOGRAMS, new_node, node_histograms
from likeness.kernels.node_summary import (
    CHILDREN,
    DEAL,
    NO_CUT,
    SCRATCH,
    ancestor,
    child_end,
    node_hull,
    scratch,
)
from likeness.kernels.present_tests import PRESENT_TESTS

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
        PRESENT_TESTS,
        int64,
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64,
        boolean,
        SCRATCH,
        HISTOGRAMS,
        int64[::1],
    ),
    cache=True,
)
def partition(
    tests,
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
    h,
    label,
):
    """Partition the cells by allowed cuts until none is left; return the number of classes.

    Parameters
    ----------
    tests, smallest
        The tests (`likeness.kernels.present_tests.of_present`) and the size that every class has at least.
    geometry
        The attributes' `Geometry`.
    codes : (d, cells) int32
        Quasi-identifier codes of each cell.
    weights : (cells,) int64
        Records of each cell.
    views : (cells, v) int32
        Ranks of the places in the joint histogram of each cell's sensitive values (`node_histograms`); in each cell
        ascending, up to the last place of all, which may fill up cells with fewer values than others.
    cells : (cells,) int64
        A permutation of the cells, reordered in place.
    starts : (parts + 1,) int64
        Segments of the permutation to begin with; each must hold the tests.
    choice
        WIDEST, ALL or LEAST_LOSS.
    deal
        Deal the cells at the median so that halves are equal (relaxed; cells of weight 1).
    s, h
        Work spaces.
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
        j, how, first, last = -1, NO_CUT, 0, 0
        if size >= 2 * smallest and end > begin + 1:
            node_hull(geometry, codes, cells, begin, end, s)
            new_node(h)
            if choice == LEAST_LOSS:
                j, how, first, last = choose_least_loss(
                    tests, smallest, geometry, codes, weights, views, cells, begin, end, size, s, h
                )  # fmt: skip
            else:
                j, how, first, last = choose_median(
                    tests, smallest, geometry, codes, weights, views, cells, begin, end, choice == WIDEST, deal, s, h
                )  # fmt: skip
        if how == NO_CUT:
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
    return classes
