import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.datasets.base import Draws, broken_line


def test_the_raw_words_are_those_numpy_promises():
    same = np.random.PCG64(np.random.SeedSequence([3, *b"x"])).random_raw(4)
    assert Draws(3, "x").words(4).tolist() == same.tolist()


def test_seed_and_purpose_both_matter():
    first = Draws(1, "a").words(3).tolist()
    assert first == Draws(1, "a").words(3).tolist()
    assert first != Draws(2, "a").words(3).tolist()
    assert first != Draws(1, "b").words(3).tolist()


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any), st.integers(0, 1000))
def test_no_position_of_weight_zero_is_drawn(weights, seed):
    drawn = Draws(seed, "pick").pick(weights, 500)
    assert np.asarray(weights)[drawn].min() > 0


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=1, max_size=5),
    st.integers(0, 1000),
)
def test_conditional_draws_keep_to_their_row(table, seed):
    draws = Draws(seed, "given")
    condition = draws.below(len(table), 500)
    drawn = draws.pick_given(table, condition)
    assert np.asarray(table)[condition, drawn].min() > 0


def test_picks_follow_the_weights():
    counts = np.bincount(Draws(0, "w").pick([1, 2, 5], 80_000))
    assert counts / 10_000 == pytest.approx([1, 2, 5], rel=0.05)


def test_conditional_picks_follow_the_weights():
    condition = np.repeat([0, 1], 40_000)
    drawn = Draws(0, "w").pick_given([[3, 1], [1, 3]], condition)
    assert [drawn[:40_000].mean(), drawn[40_000:].mean()] == pytest.approx([0.25, 0.75], abs=0.01)


def test_the_bell_is_standardized():
    bell = Draws(0, "bell").bell(100_000)
    assert [bell.mean(), bell.std()] == pytest.approx([0, 1], abs=0.01)


def test_an_order_is_a_permutation():
    assert sorted(Draws(5, "order").order(1000).tolist()) == list(range(1000))


def test_a_broken_line_goes_through_its_corners():
    line = broken_line(((5, 10), (9, 2), (10, 7)))
    assert line.tolist() == [10, 8, 6, 4, 2, 7]
