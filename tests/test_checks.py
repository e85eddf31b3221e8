"""Checks of parameters: one clear sentence each."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from likeness.checks import check_seed, choice, number, whole
from likeness.errors import PolicyError


@pytest.mark.parametrize("value", [1, 5, 10**30])
def test_whole_numbers(value):
    assert whole("m", "k", value, at_least=1) == value


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", True, None, float("nan"), [1]])
def test_what_is_no_whole_number(value):
    with pytest.raises(PolicyError) as problem:
        whole("m", "k", value, at_least=1)
    assert str(problem.value) == f"m: k must be a whole number of at least 1; got {value!r}"


def test_whole_numbers_with_an_upper_limit():
    assert whole("m", "k", 3, at_least=1, at_most=3) == 3
    with pytest.raises(PolicyError, match="m: k must be a whole number from 1 to 3; got 4"):
        whole("m", "k", 4, at_least=1, at_most=3)


def test_seeds_are_of_128_bits_at_most():
    check_seed("risk", 0)
    check_seed("risk", 2**128 - 1)
    with pytest.raises(PolicyError, match=r"^risk: seed must be a whole number of at least 0; got -1$"):
        check_seed("risk", -1)
    with pytest.raises(
        PolicyError, match=r"^risk: seed must be below 2\^128; take one of at most 38 digits; got 3402"
    ):
        check_seed("risk", 2**128)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (Decimal("0.30"), Fraction(3, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (2, Fraction(2)),
    ],
)
def test_numbers_are_the_fractions_people_mean(value, expected):
    assert number("m", "t", value, at_least=0) == expected


@pytest.mark.parametrize("value", ["a", None, True, [], float("nan"), float("inf"), "1/0", ""])
def test_what_is_no_number(value):
    with pytest.raises(PolicyError, match=r"^m: t must be a number of at least 0; got "):
        number("m", "t", value, at_least=0)


@pytest.mark.parametrize(
    ("limits", "good", "bad", "words"),
    [
        ({"above": 0}, "0.001", 0, "above 0"),
        ({"at_least": 0}, 0, "-0.001", "of at least 0"),
        ({"at_most": 1}, 1, "1.0001", "at most 1"),
        ({"above": 0, "at_most": 0.1}, "0.1", "0.1000000000000000000001", "above 0 and at most 0.1"),
    ],
)
def test_limits_are_exact(limits, good, bad, words):
    assert number("m", "t", good, **limits) == Fraction(str(good))
    with pytest.raises(PolicyError) as problem:
        number("m", "t", bad, **limits)
    assert str(problem.value) == f"m: t must be a number {words}; got {bad!r}"


def test_choices():
    assert choice("m", "cut", "all", ("widest", "all")) == "all"
    with pytest.raises(PolicyError) as near:
        choice("m", "cut", "widset", ("widest", "all"))
    assert str(near.value) == "m: cut must be one of widest, all; got 'widset'; did you mean 'widest'?"
    # What there is has been said already: no second list of it.
    with pytest.raises(PolicyError) as far:
        choice("m", "cut", 7, ("widest", "all"))
    assert str(far.value) == "m: cut must be one of widest, all; got 7"


def test_a_number_without_limits_is_asked_for_without_any():
    with pytest.raises(PolicyError, match=r"^m: t must be a number; got 'x'$"):
        number("m", "t", "x")
