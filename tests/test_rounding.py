from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.exact import float_above, fraction_below, largest_ratio, rational, times

EASY = settings(deadline=None, max_examples=100)


@given(st.lists(st.integers(0, 2**40), min_size=1), st.integers(-(2**90), 2**90))
@EASY
def test_products_never_overflow(values, factor):
    assert times(np.array(values), factor).tolist() == [value * factor for value in values]
    assert times(np.array(values, object), factor).tolist() == [value * factor for value in values]


@given(st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**62)), min_size=1))
@EASY
def test_products_of_arrays_never_overflow(pairs):
    left, right = np.array(pairs).T
    assert times(left, right).tolist() == [a * b for a, b in pairs]


def test_small_products_stay_in_64_bits():
    assert times(np.array([3]), 4).dtype == np.int64
    assert times(np.zeros(0, np.int64), 10**30).size == 0


@given(st.lists(st.tuples(st.integers(0, 10**15), st.integers(1, 10**15)), max_size=8))
@EASY
def test_the_largest_ratio_is_exact(pairs):
    over, under = np.array(pairs, np.int64).reshape(-1, 2).T
    assert largest_ratio(over, under) == max([Fraction(a, b) for a, b in pairs], default=0)


def test_ratios_that_floats_cannot_tell_apart():
    n = 10**15
    assert largest_ratio(np.array([n, n + 1]), np.array([n + 1, n + 2])) == Fraction(n + 1, n + 2)


@given(st.fractions(0, 10**6))
@EASY
def test_floats_above_are_above_and_near(value):
    above = float_above(value)
    assert rational(above) >= value
    assert above <= float(value) * (1 + 4e-16)


@given(st.fractions(0, 20, max_denominator=500), st.integers(1, 60))
@EASY
def test_the_largest_fraction_below(value, largest):
    best = max(Fraction(value.numerator * d // value.denominator, d) for d in range(1, largest + 1))
    assert fraction_below(value, largest) == best
