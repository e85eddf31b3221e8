"""Which groups of equal generalization hold every class test: vector after vector, those that hold are taken out."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, types

from likeness.kernels import njit
from likeness.kernels.class_tests import TESTS, evaluate
from likeness.kernels.grouping import group_together

LEFT, TAKEN, VISITED = range(3)
"""What the state counts: cells that are left, groups taken out, vectors visited."""


@njit(
    types.void(
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        int32[:, ::1],
        int64[::1],
        int64[:, ::1],
        int32[:, ::1],
        int64[::1],
        int64,
        int64[::1],
        int64[::1],
        int64[::1],
    ),
    cache=True,
)
def take_out(
    functions,
    shape,
    integers,
    reals,
    smallest,
    groups,
    radices,
    vectors,
    places,
    weights,
    width,
    label,
    left,
    state,
):
    """Visit vectors of levels in their order, and take the groups that hold out of the cells that are left.

    ``groups``, ``radices``: (levels of all attributes, cells) and (levels,), group of each cell and how many there are.
    ``vectors``: (vectors, attributes) rows of ``groups`` to combine, one an attribute.
    ``places``, ``weights``: (cells, v) and (cells,), positions in the joint histogram, ``width`` long, and records.
    Changed: ``label`` (cells,), the group each was taken out with, -1 for the others; ``left`` (cells,), those left at
    its beginning; ``state`` (3,), see `LEFT`. ``functions`` … ``smallest`` are the tests of `class_tests.lay_out`.
    """
    histogram = np.zeros(max(1, width), np.int64)
    keys = np.empty(left.shape[0], np.int64)
    for vector in vectors:
        m = state[LEFT]
        if m == 0:
            return
        state[VISITED] += 1
        of, first = group_together(groups, radices, vector, left[:m], keys)
        sizes = np.zeros(first.shape[0], np.int64)
        for i in range(m):
            sizes[of[i]] += weights[left[i]]
        # Cells of groups that are too small are not looked at again.
        starts = np.zeros(first.shape[0] + 1, np.int64)
        for i in range(m):
            if sizes[of[i]] >= smallest:
                starts[of[i] + 1] += 1
        starts = np.cumsum(starts)
        if starts[-1] == 0:
            continue
        cells = np.empty(starts[-1], np.int64)
        at = starts[:-1].copy()
        for i in range(m):
            group = of[i]
            if sizes[group] >= smallest:
                cells[at[group]] = left[i]
                at[group] += 1
        before = state[TAKEN]
        for group in range(first.shape[0]):
            if starts[group] == starts[group + 1]:
                continue
            good = True
            if shape.shape[0] > 0:
                histogram[:] = 0
                for inside in range(starts[group], starts[group + 1]):
                    cell = cells[inside]
                    for v in range(places.shape[1]):
                        histogram[places[cell, v]] += weights[cell]
                good = evaluate(functions, shape, integers, reals, sizes[group], histogram)
            if good:
                for inside in range(starts[group], starts[group + 1]):
                    label[cells[inside]] = state[TAKEN]
                state[TAKEN] += 1
        if state[TAKEN] > before:
            kept = 0
            for i in range(m):
                if label[left[i]] < 0:
                    left[kept] = left[i]
                    kept += 1
            state[LEFT] = kept


@njit(
    int64(
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        int64[::1],
        int64[::1],
        int32[:, ::1],
        int64[::1],
        int64,
    ),
    cache=True,
)
def classes_to_join(functions, shape, integers, reals, smallest, cells, starts, places, weights, width):
    """Join groups of cells in their order until they hold every class test together; how many that are, all where none do.

    ``cells``, group by group, each from its place in ``starts`` (groups + 1,); all others as in `take_out`.
    """
    histogram = np.zeros(max(1, width), np.int64)
    size = 0
    groups = starts.shape[0] - 1
    for group in range(groups):
        for at in range(starts[group], starts[group + 1]):
            cell = cells[at]
            size += weights[cell]
            for v in range(places.shape[1]):
                histogram[places[cell, v]] += weights[cell]
        if size >= smallest and evaluate(functions, shape, integers, reals, size, histogram):
            return group + 1
    return groups
