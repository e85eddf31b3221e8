"""Predicates on one candidate class of people with several records; see `likeness.kernels.class_tests`.

``size`` is the number of individuals, ``histogram`` the number of those who have each value. Tests that also look at the
numbers of records (`ClassTest.record_counts`) find them behind the m values: how many individuals have 1, 2, … R records;
a histogram of m places says that everybody has one.
"""

from __future__ import annotations

import numpy as np
from numba import int64, njit, types

from likeness.kernels.class_tests import SIGNATURE


@njit(SIGNATURE, cache=True)
def people_and_values_at_least(size, histogram, integers, reals):
    """At least ``integers[0]`` individuals, who have at least ``integers[1]`` values between them."""
    if size < integers[0]:
        return False
    present = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            if present >= integers[1]:
                return True
    return present >= integers[1]


@njit(SIGNATURE, cache=True)
def few_values_miss_somebody(size, histogram, integers, reals):
    """No l - 1 values hit everybody, l = ``integers[0]``, because those that most individuals have are too rare.

    Exact when everybody has one value; otherwise classes that hold may be refused, those that do not never pass.
    """
    few = integers[0] - 1
    if size <= few:
        return False
    present = largest = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
            largest = max(largest, histogram[value])
    if present <= few:
        return False
    if few * largest < size:
        return True
    counts = np.sort(histogram[histogram > 0])
    return counts[present - few :].sum() < size


@njit(types.UniTuple(int64, 2)(int64, int64[::1], int64), cache=True)
def _records(size, histogram, values):
    """Records of the class, and the most that one individual has."""
    if histogram.shape[0] == values:
        return size, min(size, 1)
    records = most = 0
    for r in range(values, histogram.shape[0]):
        if histogram[r] > 0:
            most = r - values + 1
            records += most * histogram[r]
    return records, most


@njit(SIGNATURE, cache=True)
def pairs_within_shares(size, histogram, integers, reals):
    """No individual has more than a share α of the records, no value more than a share β of the (individual, value) pairs.

    ``integers = [m, α's numerator, α's denominator, β's numerator, β's denominator]``, each below 2**31.
    """
    records, most = _records(size, histogram, integers[0])
    if most * integers[2] > records * integers[1]:
        return False
    pairs = largest = 0
    for value in range(integers[0]):
        pairs += histogram[value]
        largest = max(largest, histogram[value])
    return largest * integers[4] <= pairs * integers[3]


@njit(SIGNATURE, cache=True)
def people_within_shares(size, histogram, integers, reals):
    """No individual has more than a share α of the records, no value is that of more than a share β of the individuals.

    ``integers`` as in `pairs_within_shares`.
    """
    records, most = _records(size, histogram, integers[0])
    if most * integers[2] > records * integers[1]:
        return False
    for value in range(integers[0]):
        if histogram[value] * integers[4] > size * integers[3]:
            return False
    return True
