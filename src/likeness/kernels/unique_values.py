"""A class test: every value of a class is there once."""

from __future__ import annotations

from likeness.kernels import njit
from likeness.kernels.class_tests import SIGNATURE


@njit(SIGNATURE, cache=True)
def each_value_once(size, histogram, integers, reals):  # a test's signature
    """At least ``integers[0]`` values are present, none of them twice."""
    present = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 1:
            return False
        present += histogram[value]
    return present >= integers[0]
