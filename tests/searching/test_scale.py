"""The range of a search, and what it varies."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness.errors import PolicyError
from likeness.searching.scale import Scale, find_lever

COLUMNS = {"age": lk.quasi(), "disease": lk.sensitive()}


def policy(*privacy):
    return lk.Policy(columns=COLUMNS, privacy=list(privacy))


def test_a_parameter_by_its_short_and_its_full_name():
    both = policy(lk.KAnonymity(5), lk.BetaLikeness(4))
    assert find_lever(both, "beta") == find_lever(both, "beta-likeness.beta")
    assert find_lever(both, "k").whole
    assert find_lever(both, "k").larger_is_stronger
    assert not find_lever(both, "beta").larger_is_stronger


def test_setting_one_leaves_the_others():
    both = policy(lk.KAnonymity(5), lk.BetaLikeness(4, negative=0.5))
    lever = find_lever(both, "beta")
    assert lever.set(both.privacy, 2.5) == (lk.KAnonymity(5), lk.BetaLikeness(2.5, negative=0.5))


def test_models_of_one_name_vary_together():
    two = policy(lk.BetaLikeness(4, sensitive="disease"), lk.BetaLikeness(3, sensitive="disease", level=0))
    assert [model.beta for model in find_lever(two, "beta").set(two.privacy, 1.5)] == [1.5, 1.5]


@pytest.mark.parametrize(
    ("parameter", "complaint"),
    [
        ("bta", "did you mean"),
        ("sensitive", "the guarantee has no such parameter"),
        ("beta", "the guarantee has several; say basic-beta-likeness.beta or beta-likeness.beta"),
    ],
)
def test_refused_parameters(parameter, complaint):
    with pytest.raises(PolicyError, match=complaint):
        find_lever(policy(lk.BasicBetaLikeness(4), lk.BetaLikeness(4)), parameter)


@pytest.mark.parametrize(
    ("between", "tolerance", "complaint"),
    [
        ((0, 5), 0.01, "must be a number above 0; got 0"),
        ((3, 3), 0.01, "must differ"),
        ((1, "x"), 0.01, "must be a number"),
        (3, 0.01, r"a range is two numbers, such as \(1, 10\); got 3"),
        ((1,), 0.01, "a range is two numbers"),
        ((1, 2, 3), 0.01, "a range is two numbers"),
        ((1, 5), 0, "the tolerance must be a number above 0"),
    ],
)
def test_refused_ranges(between, tolerance, complaint):
    with pytest.raises(PolicyError, match=complaint):
        Scale.of(find_lever(policy(lk.BetaLikeness(4)), "beta"), between, tolerance, 10)


def test_what_is_no_name_of_a_parameter():
    with pytest.raises(PolicyError, match=r"^parameter: must be a name such as beta-likeness.beta; got 3$"):
        find_lever(policy(lk.BetaLikeness(4)), 3)


def test_whole_numbers_have_whole_ends():
    with pytest.raises(PolicyError, match="whole numbers"):
        Scale.of(find_lever(policy(lk.KAnonymity(4)), "k"), (1.5, 3), 0.01, 10)


def test_ends_in_any_order():
    beta, k = (find_lever(policy(lk.BetaLikeness(4), lk.KAnonymity(2)), name) for name in ("beta", "k"))
    assert Scale.of(beta, (8, Fraction(1, 2)), 0.01, 10).weak_and_strong() == (8, 0.5)
    assert Scale.of(k, None, 0.01, 10).weak_and_strong() == (1, 10)


@settings(deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.booleans())
def test_bisection_of_whole_numbers_ends_beside(low, high, left):
    scale = Scale(low, high, True, False, 0.01)
    low, high = sorted((low, high))
    steps = 0
    while (middle := scale.between(low, high)) is not None:
        assert low < middle < high
        low, high = (low, middle) if left else (middle, high)
        steps += 1
    assert high - low <= 1
    assert steps <= 60


@settings(deadline=None)
@given(st.floats(0.01, 100), st.floats(0.01, 100), st.booleans())
def test_bisection_of_reals_ends_near(low, high, left):
    scale = Scale(0.01, 100, False, False, 0.01)
    low, high = sorted((low, high))
    expected = scale.steps(low, high)
    steps = 0
    while (middle := scale.between(low, high)) is not None:
        assert low < middle < high
        assert float(f"{middle:.4g}") == middle
        low, high = (low, middle) if left else (middle, high)
        steps += 1
    assert high <= low * 1.0101 + 1e-9
    assert abs(steps - expected) <= 2
