"""Dealing values into buckets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.kernels.dealing import deal


def plain_deal(counts: list[int], width: int) -> list[int]:
    """While enough values are left: one record each of those with most, smaller codes first."""
    left = list(counts)
    places = []
    while sum(count > 0 for count in left) >= width:
        ranked = sorted(range(len(left)), key=lambda value: (-left[value], value))[:width]
        for value in ranked:
            left[value] -= 1
        places += ranked
    return places


@settings(deadline=None, max_examples=200)
@given(counts=st.lists(st.integers(0, 8), min_size=1, max_size=9), width=st.integers(1, 10))
def test_equal_to_the_plain_version(counts, width):
    assert deal(np.array(counts, np.int64), width).tolist() == plain_deal(counts, width)


@settings(deadline=None, max_examples=200)
@given(counts=st.lists(st.integers(0, 30), min_size=1, max_size=9), width=st.integers(2, 6))
def test_at_most_one_record_of_each_value_is_left_of_an_eligible_table(counts, width):
    # Xiao & Tao 2006, property 1.
    if max(counts) * width > sum(counts):
        return
    left = np.array(counts) - np.bincount(deal(np.array(counts, np.int64), width), minlength=len(counts))
    assert left.max() <= 1
    assert left.sum() < width


@pytest.mark.parametrize(("counts", "width"), [([0, 0], 1), ([5], 2), ([2, 2], 3)])
def test_too_few_values(counts, width):
    assert deal(np.array(counts, np.int64), width).tolist() == []
