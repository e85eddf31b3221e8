"""Rules decide from numbers alone; what is missing decides nothing."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from papers.figures import rules
from papers.figures.results import Outcome

NUMBERS = st.lists(st.floats(0.01, 100), min_size=2, max_size=6)


def test_below_at_every_point():
    series = {"a": [1.0, 2.0, nan], "b": [2.0, 3.0, 0.0], "c": [2.0, 2.0, 9.0]}
    assert rules.below(series, "a", "b").holds
    assert rules.below(series, "a", "c").holds is False
    assert rules.below(series, "a", "b", "c").measured == (
        "a is below b at 2 of 2 points (0.5 to 0.667 times); a is below c at 1 of 2 points (0.5 to 1 times)"
    )
    assert rules.below({"a": [nan], "b": [1.0]}, "a", "b") == rules.NOTHING


def test_an_infinite_curve_is_above():
    found = rules.below({"a": [1.0, 1.0], "b": [inf, 2.0]}, "a", "b")
    assert found == Outcome(True, "a is below b at 2 of 2 points (0.5 to 0.5 times)")


@pytest.mark.parametrize(
    ("low", "high", "holds"), [(0.0, 0.6, True), (0.0, 0.4, False), (0.5, inf, True), (0.6, inf, False)]
)
def test_mean_ratio(low, high, holds):
    series = {"a": [1.0, 4.0], "b": [4.0, 4.0]}
    found = rules.mean_ratio(series, "a", "b", low=low, high=high)
    assert found == Outcome(holds, "a is 0.5 times b on average (0.25 to 1)")


def test_mean_ratio_leaves_zero_and_infinite_points_out_and_says_so():
    found = rules.mean_ratio({"a": [1.0, 0.0, 2.0], "b": [2.0, 1.0, inf]}, "a", "b", high=0.6)
    assert found == Outcome(True, "a is 0.5 times b on average (0.5 to 0.5); 2 points with 0 or ∞ left out")
    assert rules.mean_ratio({"a": [1.0], "b": [0.0]}, "a", "b") == rules.NOTHING


@settings(deadline=None)
@given(NUMBERS)
def test_falling_is_rising_backwards(values):
    assert rules.falls(values).holds == rules.rises(values[::-1]).holds
    assert rules.falls(sorted(values)).holds is False
    assert rules.falls(sorted(values, reverse=True)).holds == (max(values) > min(values))


def test_slack_lets_a_curve_step_back_a_little():
    assert rules.falls([10, 9, 9.4, 8], slack=0.05).holds
    found = rules.falls([10, 9, 9.5, 8], slack=0.05)
    assert found == Outcome(False, "10 → 9 → 9.5 → 8; rises from 9 to 9.5")
    assert rules.rises([1, nan, 2]).holds
    assert rules.rises([1.0]) == rules.NOTHING


def test_limits():
    assert rules.at_most([1, nan, 2], 2) == Outcome(True, "1 → 2, limit 2")
    assert rules.at_most([1, 2.01], 2).holds is False
    assert rules.at_least([6, 7], 6).holds
    assert rules.at_least([5, 7], 6).holds is False
    assert rules.at_least([nan], 6) == rules.at_most([], 1) == rules.NOTHING


def test_flat_and_not_monotone():
    assert rules.flat([2, 2, 2], 0).holds
    assert rules.flat([1, 3], 0.9) == Outcome(False, "1 → 3: a spread of 100.0% of the mean")
    assert rules.not_monotone([1, 2, 2]).holds is False
    assert rules.not_monotone([1, nan, 2]) == rules.NOTHING


def test_everyone():
    yes, no = Outcome(True, "yes"), Outcome(False, "no")
    assert rules.everyone(yes, rules.NOTHING).holds
    assert rules.everyone(yes, no).holds is False
    assert rules.everyone(rules.NOTHING).holds is None
    assert rules.of("a", no) == Outcome(False, "a: no")


def test_ratios_within_limits_at_every_point():
    series = {"a": [2.0, 3.0, nan, 5.0], "b": [1.0, 2.0, 1.0, 0.0]}
    found = rules.ratios_within(series, "a", "b", 1.5, 2)
    assert found == Outcome(True, "a / b is 1.5 to 2 (mean 1.75), within at 2 of 2 points")
    assert rules.ratios_within(series, "a", "b", 1.6, 2).holds is False
    assert rules.ratios_within(series, "a", "b", 1.5, 1.9).holds is False
    assert rules.ratios_within({"a": [nan], "b": [1.0]}, "a", "b", 0, 9) == rules.NOTHING
