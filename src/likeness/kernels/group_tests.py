"""Which of many candidate groups hold every class test."""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int32, int64, njit

from likeness.kernels.class_tests import TESTS, evaluate


@njit(
    boolean[::1](
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        int64[::1],
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
    ),
    cache=True,
)
def groups_hold(functions, shape, integers, reals, smallest, sizes, places, weights, cells, starts, width):
    """Decide every group by its size and joint histogram.

    Parameters
    ----------
    functions, shape, integers, reals, smallest
        The tests of `likeness.kernels.class_tests.lay_out`.
    sizes : (groups,) int64
        Records of each group.
    places : (n, v) int32
        Positions in the joint histogram that each cell counts in.
    weights : (n,) int64
        Records of each cell.
    cells : (c,) int64
        The cells of all groups, group by group.
    starts : (groups + 1,) int64
        Where the cells of each group begin.
    width
        Length of the joint histogram.

    Returns
    -------
    (groups,) bool
    """
    good = sizes >= smallest
    if shape.shape[0] == 0:
        return good
    histogram = np.zeros(width, np.int64)
    for group in range(sizes.shape[0]):
        if not good[group]:
            continue
        histogram[:] = 0
        for at in range(starts[group], starts[group + 1]):
            cell = cells[at]
            for v in range(places.shape[1]):
                histogram[places[cell, v]] += weights[cell]
        good[group] = evaluate(functions, shape, integers, reals, sizes[group], histogram)
    return good
