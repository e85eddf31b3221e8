"""The compiled test of the model."""

from numba import njit

from likeness.kernels.class_tests import SIGNATURE


@njit(SIGNATURE, cache=True)
def every_count_at_least(size, histogram, integers, reals):
    """Every value that is present has a count of at least ``integers[0]``."""
    for value in range(histogram.shape[0]):  # noqa: SIM110  # numba knows no generators
        if 0 < histogram[value] < integers[0]:
            return False
    return True
