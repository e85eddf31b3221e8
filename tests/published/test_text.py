"""Texts of regions: whatever the values are, what is written is read back."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likeness.published.text import (
    EVERYTHING,
    MISSING,
    read_interval,
    read_set,
    read_value,
    write_interval,
    write_set,
    write_value,
)

ODD = st.text(alphabet="\\|{}[],* eab\né", max_size=8)
VALUES = st.one_of(ODD, st.text(max_size=8), st.sampled_from(["", "*", "\\e", "\\", "{a|b}", "[1, 2]", "{}"]))


@given(value=VALUES)
def test_values(value):
    text = write_value(value)
    assert read_value(text) == value
    assert text not in {EVERYTHING, MISSING}
    assert read_set(text) is None
    assert read_interval(text) is None


@given(values=st.lists(st.one_of(VALUES, st.none()), min_size=2, max_size=5))
def test_sets(values):
    text = write_set(values)
    assert read_set(text) == values
    assert text not in {EVERYTHING, MISSING}
    assert read_interval(text) is None


@given(low=VALUES, high=VALUES)
def test_intervals(low, high):
    text = write_interval(low, high)
    if low == high:
        assert read_value(text) == low
        assert read_interval(text) is None
    else:
        assert read_interval(text) == (low, high)
    assert read_set(text) is None


@given(
    one=st.one_of(VALUES, st.lists(st.one_of(VALUES, st.none()), min_size=2, max_size=3, unique=True)),
    other=st.one_of(VALUES, st.lists(st.one_of(VALUES, st.none()), min_size=2, max_size=3, unique=True)),
)
def test_different_regions_have_different_texts(one, other):
    texts = [write_value(x) if isinstance(x, str) else write_set(x) for x in (one, other)]
    assert (texts[0] == texts[1]) == (one == other)


@pytest.mark.parametrize(
    ("text", "members"),
    [("{a|b}", ["a", "b"]), ("{|a}", [None, "a"]), ("{a\\|b|c}", ["a|b", "c"]), ("{}", [None]), ("{", None)],
)
def test_sets_as_people_write_them(text, members):
    assert read_set(text) == members


@pytest.mark.parametrize("text", ["[1]", "[1, 2, 3]", "[1,2]", "1, 2", "[", "]", ""])
def test_what_is_no_interval(text):
    assert read_interval(text) is None


@pytest.mark.parametrize("value", ["[60-70)", "[60-70]", "[60,70]", "(1, 2]", "{x", "[", "a, b]"])
def test_what_nobody_could_take_for_a_region_stands_as_it_is(value):
    assert write_value(value) == value


def test_no_value_is_taken_for_several_or_for_another():
    """Every text of at most five of the characters that mean something."""
    seen = set()
    for length in range(1, 6):
        for letters in product("[],{} \\a", repeat=length):
            value = "".join(letters)
            text = write_value(value)
            assert read_interval(text) is None
            assert read_set(text) is None
            assert read_value(text) == value
            assert text not in seen
            seen.add(text)
