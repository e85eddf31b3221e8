"""Exact comparisons against fractions and decimals of many more digits."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.exact import (
    Real,
    exp_bounds,
    largest_sizes,
    ln_bounds,
    rational,
    shares_at_least,
    shares_at_most,
    smallest_sizes,
)

PRECISE = Context(prec=150)
EASY = settings(deadline=None, max_examples=60)
positive = st.fractions(Fraction(1, 10**9), 10**9)
LN2 = Real(lambda digits: ln_bounds(Fraction(2), digits))
UNKNOWABLE = Real(
    lambda digits: (Fraction(1, 2) - Fraction(1, 10**digits), Fraction(1, 2) + Fraction(1, 10**digits))
)
"""A half, though no enclosure ever says so."""


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (1e-7, Fraction(1, 10**7)),
        ("2e-3", Fraction(1, 500)),
        (np.float64(0.3), Fraction(3, 10)),
        (np.int32(4), Fraction(4)),
        (Decimal("0.25"), Fraction(1, 4)),
        (Fraction(2, 7), Fraction(2, 7)),
    ],
)
def test_numbers_mean_what_people_write(given_, meant):
    assert rational(given_) == meant


@pytest.mark.parametrize(
    "bad",
    [float("nan"), float("inf"), -np.inf, True, "x", "", "1e999999999", Decimal("NaN"), Decimal("Infinity")],
)
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(ValueError):
        rational(bad)


def decimal(x: Fraction) -> Decimal:
    return PRECISE.divide(Decimal(x.numerator), Decimal(x.denominator))


@given(positive, st.sampled_from([30, 60, 120]))
@EASY
def test_logarithms_are_enclosed(x, digits):
    low, high = ln_bounds(x, digits)
    truth = Fraction(PRECISE.ln(decimal(x)))
    slip = Fraction(1, 10**140)
    assert low - slip <= truth <= high + slip
    assert high - low <= Fraction(1, 10 ** (digits - 4))


@given(st.fractions(-300, 300, max_denominator=10**6), st.sampled_from([30, 60]))
@EASY
def test_exponentials_are_enclosed(x, digits):
    low, high = exp_bounds(x, digits)
    truth = Fraction(PRECISE.exp(decimal(x)))
    slip = truth / 10**140
    assert 0 < low - slip <= truth <= high + slip
    assert high - low <= truth / 10 ** (digits - 4)


def test_what_cannot_be_decided_is_violated():
    half = Fraction(1, 2)
    assert not UNKNOWABLE.at_least(half)
    assert not UNKNOWABLE.at_most(half)
    assert UNKNOWABLE.at_least(half - Fraction(1, 10**50))
    one, two = np.array([1]), np.array([2])
    assert not shares_at_most(one, two, np.array([0]), [UNKNOWABLE])[0]
    assert not shares_at_least(one, two, np.array([0]), [UNKNOWABLE])[0]
    # The smallest provable class is one larger, the largest one smaller, than those of a half.
    assert smallest_sizes(UNKNOWABLE, 3).tolist() == [3, 5, 7]
    assert largest_sizes(UNKNOWABLE, 3).tolist() == [0, 1, 3, 5]


def test_a_logarithm_is_told_from_its_neighbours():
    truth = Fraction(PRECISE.ln(Decimal(2)))
    near = Fraction(1, 10**100)
    assert LN2.at_least(truth - near)
    assert not LN2.at_least(truth + near)
    assert LN2.at_most(truth + near)
    assert not LN2.at_most(truth - near)
    assert float(LN2) == pytest.approx(0.6931471805599453, abs=1e-16)


limits = st.fractions(Fraction(-1, 2), Fraction(3, 2), max_denominator=50)


@given(
    st.lists(st.tuples(limits, st.integers(0, 60), st.integers(1, 60)), min_size=1),
    st.sampled_from([1, 10**6, 10**11]),
)
@EASY
def test_shares_are_compared_as_fractions_are(cases, factor):
    bounds = [Real.of(limit) for limit, _, _ in cases]
    counts = np.array([min(count, size) * factor for _, count, size in cases])
    sizes = np.array([size * factor for _, _, size in cases])
    which = np.arange(len(cases))
    shares = [Fraction(int(count), int(size)) for count, size in zip(counts, sizes, strict=True)]
    below = shares_at_most(counts, sizes, which, bounds)
    above = shares_at_least(counts, sizes, which, bounds)
    for share, (limit, _, _), low, high in zip(shares, cases, below, above, strict=True):
        assert low == (share <= limit)
        assert high == (share >= limit)


def test_one_record_in_ten_to_the_twelve_decides():
    size = 3 * 10**12
    third = [Real.of(Fraction(1, 3))]
    counts, sizes, which = np.array([10**12, 10**12 + 1, 10**12 - 1]), np.full(3, size), np.zeros(3, np.int64)
    assert shares_at_most(counts, sizes, which, third).tolist() == [True, False, True]
    assert shares_at_least(counts, sizes, which, third).tolist() == [True, True, False]


def test_no_shares_no_answers():
    nothing = np.zeros(0, np.int64)
    assert shares_at_most(nothing, nothing, nothing, []).size == 0


@given(st.fractions(Fraction(1, 60), Fraction(3, 2), max_denominator=60), st.integers(0, 30))
@EASY
def test_sizes_of_a_rational_limit(limit, most):
    least, largest = smallest_sizes(Real.of(limit), most), largest_sizes(Real.of(limit), most)
    for count in range(1, most + 1):
        sizes = [n for n in range(count, 60 * 31) if Fraction(count, n) <= limit]
        assert least[count - 1] == sizes[0]
    for count, size in enumerate(largest.tolist()):
        assert size == 0 or Fraction(count, size) >= limit
        assert Fraction(count, size + 1) < limit


@given(st.integers(2, 40), st.integers(1, 30), st.sampled_from([1, 10**17]))
@EASY
def test_sizes_of_an_irrational_limit(base, most, precision):
    # ln(base) / base, and a rational so close to it that only long integers tell them apart.
    limit = Real(lambda digits: tuple(end / base for end in ln_bounds(Fraction(base), digits)))
    if precision > 1:
        limit = Real.of(Fraction(int(limit.enclose(60)[0] * precision), precision))
    least, largest = smallest_sizes(limit, most), largest_sizes(limit, most)
    for count in range(1, most + 1):
        assert limit.at_least(Fraction(count, int(least[count - 1])))
        assert limit.at_most(Fraction(count, int(least[count - 1]) - 1)) or least[count - 1] == count
        assert limit.at_most(Fraction(count, int(largest[count])))
        assert limit.at_least(Fraction(count, int(largest[count]) + 1))


def test_limits_that_are_none():
    nothing = np.iinfo(np.int64).max
    assert smallest_sizes(Real.of(Fraction(0)), 2).tolist() == [nothing, nothing]
    assert smallest_sizes(Real.of(Fraction(1, 10**300)), 2).tolist() == [nothing, nothing]
    assert largest_sizes(Real.of(Fraction(0)), 1).tolist() == [nothing, nothing]
    assert largest_sizes(Real.of(Fraction(-1)), 0).tolist() == [nothing]
    tiny = Real(lambda digits: exp_bounds(Fraction(-200), digits))
    assert largest_sizes(tiny, 2)[0] == 0
    assert (largest_sizes(tiny, 10**6)[1:] > 10**12).all()


def test_a_million_sizes_take_no_time():
    limit = Real.of(Fraction(123456789, 10**9 + 7))
    assert smallest_sizes(limit, 10**6)[-1] == -(-(10**6) * limit.exact.denominator // limit.exact.numerator)
    assert largest_sizes(limit, 10**6)[-1] == 10**6 * limit.exact.denominator // limit.exact.numerator
