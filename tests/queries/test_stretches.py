"""What labels made by a rule stand for: worked out by hand, and against the hierarchies that make them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.hierarchies import dates, intervals, prefixes
from likeness.queries.overlap import Range, place, read_range, read_stretch, stands_for


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("[18, 39]", ["18", "39", "20.0"], ["17", "40", "x", ""]),
        ("[-5, 4]", ["-5", "0"], ["-6", "5"]),
        ("[0.5, 1E+20)", ["0.5", "99999999999999999999"], ["100000000000000000000"]),
        ("0.25", ["0.25", "0.250"], ["0.2"]),
        ("2024", ["2024-01-01", "2024-12-31", "2024"], ["2023-12-31", "2025-01-01"]),
        ("2024-Q4", ["2024-10-01", "2024-12-31"], ["2024-09-30", "2025-01-01", "2024-10"]),
        ("2023-02", ["2023-02-28"], ["2023-03-01", "2023-02-29"]),
        ("2023-02-28", ["2023-02-28"], ["2023-02-27"]),
        ("021**", ["02139", "021**"], ["0213", "021390", "12139"]),
        ("9999", ["9999-12-31"], ["9998-12-31"]),
    ],
)
def test_what_a_label_stands_for(label, inside, outside):
    assert [stands_for(label, value) for value in inside] == [True] * len(inside)
    assert [stands_for(label, value) for value in outside] == [False] * len(outside)


@pytest.mark.parametrize(
    ("label", "days"),
    [
        *(
            (label, False)
            for label in ("flu", "[a, b]", "[1, b)", "1/2", "1_0", "nan", "1e999999999", "[0, 1e999999999)")
        ),
        *((label, True) for label in ("2024-13", "2023-02-29", "0000", "24", "[1, 2]")),
    ],
)
def test_labels_that_are_no_stretch(label, days):
    assert read_stretch(label, days=days) is None


def test_only_numbers_and_days_make_ranges():
    assert read_range((1, 2.5), ("1", "2.5")) == Range(False, Fraction(1), Fraction(5, 2))
    assert read_range(("1970-01-01", "1970-01-03"), ("1970-01-01", "1970-01-03")) == Range(
        True, Fraction(0), Fraction(2)
    )
    for pair in (("1", "2"), ("a", "b"), (1, "b"), (True, False), (1, "2024-01-01")):
        assert read_range(pair, (str(pair[0]), str(pair[1]))) is None
    assert Range(False, Fraction(1), Fraction(2)).holds("1.5")
    assert not Range(False, Fraction(0), Fraction(9)).holds("1970-01-03")
    assert not Range(False, Fraction(0), Fraction(9)).holds(None)
    assert place("2024") == (False, 2024)


def trees():
    """Hierarchies made by a rule from a few values."""
    whole = st.lists(st.integers(-50, 50), min_size=1, max_size=8).map(np.array)
    reals = st.lists(st.integers(-500, 500), min_size=1, max_size=8).map(lambda tenths: np.array(tenths) / 10)
    days = st.lists(st.integers(-30_000, 30_000), min_size=1, max_size=8).map(lambda n: np.array(n, "M8[D]"))
    codes = st.lists(st.text("019a", min_size=4, max_size=4), min_size=1, max_size=8)
    return st.one_of(
        whole.map(lambda values: intervals(values, width=[7, 21])),
        reals.map(lambda values: intervals(values, width=[0.5, 2])),
        days.map(lambda values: dates(values, ["month", "quarter", "year", "decade"])),
        codes.map(lambda values: prefixes(values, 4)),
    )


@given(tree=trees())
@settings(max_examples=100, deadline=None)
def test_labels_say_what_the_hierarchy_says(tree):
    for node, label in enumerate(tree.labels):
        if node == 0:
            continue
        below = set(tree.leaves[tree.left[node] : tree.right[node] + 1])
        assert {leaf for leaf in tree.leaves if stands_for(label, leaf)} == below
