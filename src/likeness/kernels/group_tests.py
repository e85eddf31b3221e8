"""Which of many candidate groups hold every class test."""

from __future__ import annotations

from numba import boolean, float64, int64, njit

from likeness.kernels.class_tests import TESTS, evaluate


@njit(
    boolean[::1](TESTS, int64[:, ::1], int64[::1], float64[::1], int64, int64[::1], int64[:, ::1]), cache=True
)
def groups_hold(functions, shape, integers, reals, smallest, sizes, histograms):
    """Decide every group by its size and joint histogram.

    Parameters
    ----------
    functions, shape, integers, reals, smallest
        The tests of `likeness.kernels.class_tests.lay_out`.
    sizes : (groups,) int64
        Records of each group.
    histograms : (groups, width) int64
        Joint histogram of each group; no columns when no test looks at sensitive values.

    Returns
    -------
    (groups,) bool
    """
    good = sizes >= smallest
    if shape.shape[0] > 0:
        for group in range(sizes.shape[0]):
            if good[group]:
                good[group] = evaluate(functions, shape, integers, reals, sizes[group], histograms[group])
    return good
