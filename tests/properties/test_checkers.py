"""The independent checkers themselves, on numbers from the literature: a checker that finds nothing proves nothing."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from tests.properties.brute_force import movement, satisfied, violations
from tests.properties.plain_regions import Field, Region, read

PAY = Field("pay", "integer", [], {})
PLAIN = Field("s", "categorical", [], {})
TREE = Field(
    "s",
    "hierarchical",
    [],
    {"hierarchy": []},
    None,
    {v: [v, "AB" if v in "ab" else "CD", "*"] for v in "abcd"},
)
TABLE = Counter("aabbccdd")


def shares(values: Any) -> dict[Any, Fraction]:
    """Share of each value."""
    counted = Counter(values)
    return {value: Fraction(count, counted.total()) for value, count in counted.items()}


@pytest.mark.parametrize(("group", "distance"), [(["3", "4", "5"], "3/8"), (["6", "8", "11"], "1/6")])
def test_ordered_distances_of_the_t_closeness_paper(group, distance):
    p = shares(["3", "4", "5", "6", "11", "8", "7", "9", "10"])
    q = {value: shares(group).get(value, Fraction(0)) for value in p}
    assert movement({}, PAY, q, p) == Fraction(distance)


@pytest.mark.parametrize(
    ("group", "distance"), [("abcd", "0"), ("a", "5/8"), ("ab", "1/2"), ("ac", "1/4"), ("acd", "5/24")]
)
def test_hierarchical_distances_by_hand(group, distance):
    p = shares(TABLE.elements())
    q = {value: shares(group).get(value, Fraction(0)) for value in p}
    assert movement({}, TREE, q, p) == Fraction(distance)
    assert movement({"distance": "equal"}, TREE, q, p) == 1 - Fraction(len(group), 4)


@pytest.mark.parametrize(
    ("model", "good", "bad"),
    [
        ({"model": "k-anonymity", "k": 3}, "abc", "ab"),
        ({"model": "distinct-l-diversity", "l": 3}, "abc", "aab"),
        ({"model": "entropy-l-diversity", "l": 4}, "abcdeeee", "abcdeeeee"),
        ({"model": "recursive-cl-diversity", "c": 2, "l": 2}, "aaabb", "aaaabb"),
        ({"model": "recursive-cl-diversity", "c": 9, "l": 2}, "aab", "a"),
        ({"model": "alpha-k-anonymity", "alpha": "1/2", "k": 3}, "aabb", "aab"),
        ({"model": "alpha-k-anonymity", "alpha": "1/2", "k": 3, "values": ["b"]}, "aab", "abb"),
        ({"model": "t-closeness", "t": "1/2", "distance": "equal"}, "ab", "a"),
        ({"model": "delta-disclosure", "delta": 1}, "aabbccd", "aabbcc"),
        ({"model": "delta-disclosure", "delta": 1000}, "abcd", "abc"),
        ({"model": "basic-beta-likeness", "beta": 1}, "ab", "a"),
        ({"model": "beta-likeness", "beta": 9}, "ab", "aab"),
        ({"model": "beta-likeness", "beta": "1/3"}, "abc", "ab"),
        ({"model": "beta-likeness", "beta": 1, "negative": "1/2"}, "aabbccd", "abc"),
    ],
)
def test_what_satisfies_a_model_and_what_does_not(model, good, bad):
    column = TREE if set(good) <= set("abcd") else PLAIN
    table = Counter(good) if model["model"] == "entropy-l-diversity" else TABLE
    assert satisfied(model, column, Counter(good), table)
    assert not satisfied(model, column, Counter(bad), table)


def test_near_numbers_crowd_a_class():
    model = {"model": "proximity", "epsilon": 1, "m": 2}
    assert satisfied(model, PAY, Counter(["1", "3", "5", "7"]), Counter(["1"]))
    assert not satisfied(model, PAY, Counter(["1", "2", "3", "9"]), Counter(["1"]))


def test_one_bad_class_is_found_and_what_the_adversary_knows_makes_more():
    rows = [{"s": s, "t": t} for s, t in ["ac", "ac", "bd", "bd", "ad", "bd"]]
    fields = {"s": PLAIN, "t": PLAIN}
    model = {"model": "distinct-l-diversity", "l": 2, "sensitive": "s"}
    assert violations([model | {"others": "unknown"}], fields, rows, [0] * 6, rows) == []
    assert len(violations([model], fields, rows, [0] * 6, rows)) == 1
    assert len(violations([model | {"others": "unknown"}], fields, rows, [0, 0, 1, 1, 2, 2], rows)) == 2


@pytest.mark.parametrize(
    ("text", "kind", "holds", "lacks"),
    [
        ("[1, 3]", "integer", [1, 2, 3], [0, 4, None]),
        ("2", "integer", [2], [3, None]),
        ("*", "integer", [2, None], []),
        ("", "categorical", [None], ["a"]),
        ("\\e", "categorical", [""], [None, "e"]),
        ("{a|b\\|c|}", "categorical", ["a", "b|c", None], ["b", "c", ""]),
        ("{\\e|a}", "categorical", ["", "a"], [None]),
        ("\\{a|b}", "categorical", ["{a|b}"], ["a", "b"]),
        ("\\*", "categorical", ["*"], ["a", None]),
    ],
)
def test_texts_are_read_by_the_letter(text, kind, holds, lacks):
    region = read(text, Field("x", kind, [], {}), "tight")
    assert all(region.holds(cell) for cell in holds)
    assert not any(region.holds(cell) for cell in lacks)


def test_regions_are_equal_when_they_say_the_same():
    plain = Field("x", "categorical", [], {})
    number = Field("x", "integer", [], {})
    assert read("{a|b}", plain, "tight") == read("{b|a}", plain, "tight")
    assert read("1", number, "tight") == Region(ends=(Fraction(1), Fraction(1)))
    assert read("AB", TREE, "tight").members == {"a", "b"}
    with pytest.raises(AssertionError, match="is no node"):
        read("XY", TREE, "tight")
