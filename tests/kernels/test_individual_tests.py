from __future__ import annotations

import numpy as np
import pytest

from likeness.kernels.class_tests import (
    few_values_miss_somebody,
    individuals_and_values_at_least,
    individuals_within_shares,
    pairs_within_shares,
)

NONE = np.zeros(0)


def ask(function, size, histogram, *integers):
    return bool(function(size, np.array(histogram, np.int64), np.array(integers, np.int64), NONE))


def test_people_and_values():
    assert ask(individuals_and_values_at_least, 3, [3, 0, 1], 3, 2)
    assert not ask(individuals_and_values_at_least, 2, [3, 0, 1], 3, 2)
    assert not ask(individuals_and_values_at_least, 3, [3, 0, 1], 3, 3)


def test_the_most_common_values_decide():
    assert ask(few_values_miss_somebody, 4, [2, 1, 2], 2)
    assert not ask(few_values_miss_somebody, 4, [2, 1, 2], 3)
    assert ask(few_values_miss_somebody, 6, [2, 1, 3], 3)
    assert ask(few_values_miss_somebody, 1, [1, 1], 1)
    assert not ask(few_values_miss_somebody, 0, [0, 0], 1)
    assert not ask(few_values_miss_somebody, 9, [9, 0], 2)


@pytest.mark.parametrize("function", [pairs_within_shares, individuals_within_shares])
def test_record_counts_stand_behind_the_values(function):
    """Three people with 1, 1 and 3 records: the largest share is 3 / 5."""
    histogram = [2, 1, 1, 1, 2, 0, 1]
    assert ask(function, 3, histogram, 4, 3, 5, 1, 1)
    assert not ask(function, 3, histogram, 4, 2, 5, 1, 1)
    assert ask(function, 4, [1, 1, 1, 1], 4, 1, 4, 1, 4)
    assert not ask(function, 4, [1, 1, 1, 1], 4, 1, 5, 1, 4)


def test_shares_of_pairs_and_of_people():
    histogram = [2, 1, 1, 1, 2, 0, 1]
    assert ask(pairs_within_shares, 3, histogram, 4, 1, 1, 2, 5)
    assert not ask(individuals_within_shares, 3, histogram, 4, 1, 1, 2, 5)
    assert ask(individuals_within_shares, 3, histogram, 4, 1, 1, 2, 3)
