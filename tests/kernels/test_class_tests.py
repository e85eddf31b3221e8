"""Predicates on one class, and how several are evaluated together."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.errors import PolicyError
from likeness.kernels import class_tests
from likeness.kernels.class_tests import SLOTS, ClassTest, evaluate, lay_out

EASY = settings(deadline=None, max_examples=150)
COUNTS = st.lists(st.integers(0, 6), min_size=1, max_size=5).filter(any)


def holds(tests, counts, size=None):
    laid = lay_out(tests)
    size = sum(counts) if size is None else size
    if size < laid.smallest:
        return False
    histogram = np.array(counts, np.int64)
    return evaluate(laid.functions, laid.shape, laid.integers, laid.reals, size, histogram)


def one(function, integers=(), reals=(), values=1):
    return [ClassTest(function, integers, reals, values=values)]


@EASY
@given(counts=COUNTS, least=st.integers(0, 8))
def test_sizes(counts, least):
    assert holds(one(class_tests.size_at_least, [least]), counts) == (sum(counts) >= max(1, least))


@EASY
@given(counts=COUNTS, least=st.integers(0, 6))
def test_distinct_values(counts, least):
    found = holds(one(class_tests.distinct_at_least, [least], values=len(counts)), counts)
    assert found == (sum(count > 0 for count in counts) >= least)


@EASY
@given(
    counts=COUNTS, upper=st.fractions(0, 1, max_denominator=6), lower=st.fractions(0, 1, max_denominator=6)
)
def test_share_limits(counts, upper, lower):
    # Tables for shares of at most `upper` and at least `lower`, for up to 9 records of each value.
    m = len(counts)
    above = [-(-count * upper.denominator // upper.numerator) if upper else 1 << 40 for count in range(1, 10)]
    below = [count * lower.denominator // lower.numerator if lower else 1 << 40 for count in range(10)]
    base = 2 * (m + 1)
    starts = [base + 9 * value for value in range(m + 1)]
    ends = [starts[-1] + 10 * value for value in range(m + 1)]
    integers = [start - base for start in starts] + [end - base for end in ends] + above * m + below * m
    found = holds(one(class_tests.within_share_limits, integers, values=m), counts)
    shares = [Fraction(count, sum(counts)) for count in counts]
    assert found == all(lower <= share <= upper for share in shares)


@EASY
@given(counts=COUNTS, numerator=st.integers(1, 9), denominator=st.integers(1, 4), l=st.integers(2, 4))
def test_recursive_diversity(counts, numerator, denominator, l):  # noqa: E741
    found = holds(
        one(class_tests.recursively_diverse, [numerator, denominator, l], values=len(counts)), counts
    )
    r = sorted((count for count in counts if count), reverse=True)
    assert found == (len(r) >= l and r[0] < Fraction(numerator, denominator) * sum(r[l - 1 :]))


@EASY
@given(counts=COUNTS, l=st.integers(1, 5))
def test_entropy_never_accepts_too_little(counts, l):  # noqa: E741
    reals = [log(l) + 1e-12 if l > 1 else 0.0]
    found = holds(one(class_tests.entropy_at_least, [l], reals, len(counts)), counts)
    n = sum(counts)
    product = l**n
    for count in counts:
        product *= count**count
    exact = n**n >= product
    assert found <= exact
    present = [count for count in counts if count]
    if len(set(present)) == 1:
        assert found == (len(present) >= l)


@EASY
@given(counts=COUNTS, m=st.integers(1, 4), reach=st.integers(0, 2))
def test_windows(counts, m, reach):
    values = len(counts)
    first = [max(0, value - reach) for value in range(values)]
    last = [min(values - 1, value + reach) for value in range(values)]
    found = holds(one(class_tests.windows_at_most, [m, *first, *last], values=values), counts)
    assert found == all(
        m * sum(counts[first[value] : last[value] + 1]) <= sum(counts)
        for value in range(values)
        if counts[value]
    )


@EASY
@given(counts=COUNTS, reference=COUNTS, t=st.fractions(0, 1, max_denominator=9))
def test_transport_over_ranks(counts, reference, t):
    m = min(len(counts), len(reference))
    counts, reference = counts[:m], reference[:m]
    if not any(counts) or not any(reference):
        return
    intervals = [x for value in range(m - 1) for x in (0, value, 1)]
    integers = [
        sum(reference), t.numerator, t.denominator, max(1, m - 1), max(0, m - 1), *reference, *intervals,
    ]  # fmt: skip
    found = holds(one(class_tests.transport_at_most, integers, values=m), counts)
    extra = [
        Fraction(q, sum(counts)) - Fraction(p, sum(reference)) for q, p in zip(counts, reference, strict=True)
    ]
    moved = sum(abs(sum(extra[: value + 1])) for value in range(m - 1))
    assert found == (moved <= t * max(1, m - 1))


def test_size_tests_become_one_comparison():
    laid = lay_out([*one(class_tests.size_at_least, [3]), *one(class_tests.size_at_least, [5])])
    assert (laid.smallest, len(laid.shape)) == (5, 0)
    # But not those of parts that share known values.
    parts = lay_out([ClassTest(class_tests.size_at_least, [3], values=2, slices=2)])
    assert (parts.smallest, len(parts.shape)) == (1, 1)


@EASY
@given(counts=st.lists(st.integers(0, 4), min_size=6, max_size=6), least=st.integers(1, 5))
def test_every_part_of_known_values_that_is_not_empty_is_tested(counts, least):
    for function, plain in (
        (class_tests.size_at_least, sum),
        (class_tests.distinct_at_least, lambda part: sum(count > 0 for count in part)),
    ):
        found = holds([ClassTest(function, [least], values=2, slices=3)], counts, size=99)
        parts = [counts[i : i + 2] for i in range(0, 6, 2)]
        assert found == all(plain(part) >= least for part in parts if any(part))


@EASY
@given(
    counts=st.lists(st.integers(0, 4), min_size=9, max_size=9),
    least=st.integers(1, 5),
    size=st.integers(1, 9),
)
def test_the_size_is_that_of_the_class_or_the_own_sum_or_stands_in_the_histogram(counts, least, size):
    def at_least(**where):
        return holds([ClassTest(class_tests.size_at_least, [least], **where)], counts, size)

    assert at_least() == (size >= least)
    own = sum(counts[2:5])
    assert at_least(offset=2, values=3, size_at=class_tests.OWN_SUM) == (own == 0 or own >= least)
    sizes = counts[2::3]
    found = at_least(values=2, slices=3, stride=3, size_at=2)
    assert found == all(number == 0 or number >= least for number in sizes)
    sums = [sum(counts[begin : begin + 2]) for begin in (0, 3, 6)]
    found = at_least(values=2, slices=3, stride=3, size_at=class_tests.OWN_SUM)
    assert found == all(number == 0 or number >= least for number in sums)


@EASY
@given(counts=st.lists(st.integers(0, 4), min_size=6, max_size=6), least=st.tuples(*[st.integers(1, 3)] * 2))
def test_every_test_reads_its_own_part_and_parameters(counts, least):
    tests = [
        ClassTest(class_tests.distinct_at_least, [least[0]], offset=0, values=2),
        ClassTest(class_tests.recursively_diverse, [2, 1, 2], offset=2, values=4),
        ClassTest(class_tests.distinct_at_least, [least[1]], offset=3, values=3),
    ]
    expected = [
        holds([test._replace(offset=0)], counts[test.offset : test.offset + test.values], sum(counts))
        for test in tests
    ]
    assert holds(tests, counts) == all(expected)


def test_as_many_tests_as_there_are_slots():
    test = ClassTest(class_tests.distinct_at_least, [1], values=1)
    assert holds([test] * SLOTS, [1])
    with pytest.raises(PolicyError, match=f"at most {SLOTS} .*; got {SLOTS + 1}"):
        lay_out([test] * (SLOTS + 1))
