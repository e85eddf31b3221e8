"""Means and modes of classes: exact, rounded once, equal to fractions and to counting."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.exact import rational
from likeness.hierarchies import from_rows
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.means import class_means
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import aggregated, recode

EASY = settings(deadline=None, max_examples=150)


def domain(kind, values, *, missing=False):
    array = np.array(values, "datetime64[D]" if kind == "date" else None)
    numbers = Domain("x", kind, array, "interval").numbers
    low, high = float(numbers.min()), float(numbers.max())
    return Domain("x", kind, array, "interval", missing=missing, low=low, high=high)


def means(own, codes, classes):
    found = class_means(own, np.array(codes), np.array(classes), max(classes) + 1)
    return found.numbers[found.of].tolist()


def test_a_mean_is_exact_and_rounded_once():
    # 0.1 is a tenth: the sum of the numbers of 64 bits is 0.6000000000000001.
    assert means(domain("real", [0.1, 0.2, 0.3]), [0, 1, 2], [0, 0, 0]) == [0.2]
    assert means(domain("integer", [20, 30, 61]), [0, 1, 1, 2], [0, 0, 1, 1]) == [25.0, 45.5]
    assert means(domain("integer", [0, 1]), [0, 0, 1], [0, 0, 0]) == [1 / 3]


def test_large_numbers_do_not_overflow():
    top = 2**63 - 1
    # Half to even: 2⁶³ - 1 is no number of 64 bits.
    assert means(domain("integer", [-(2**63), top]), [1, 1, 1], [0, 0, 0]) == [float(2**63)]
    assert means(domain("integer", [-(2**63), top]), [0, 1], [0, 0]) == [-0.5]
    assert means(domain("integer", [2**53 + 1, 2**53 + 3]), [0, 1], [0, 0]) == [float(2**53 + 2)]
    assert means(domain("real", [-1e308, 1e308]), [1, 1], [0, 0]) == [1e308]
    assert means(domain("real", [1e-300, 1e300]), [0, 1], [0, 0]) == [5e299]


def test_days_are_rounded_half_to_even():
    days = ["1970-01-02", "1970-01-03", "1970-01-04"]
    assert means(domain("date", days), [0, 1, 1, 2, 0, 1, 2], [0, 0, 1, 1, 2, 2, 2]) == [2, 2, 2]
    assert means(domain("date", ["1969-12-31", "1970-01-01"]), [0, 1], [0, 0]) == [0]


def test_missing_values():
    found = class_means(
        domain("integer", [20, 30], missing=True),
        np.array([0, 1, 2, 2, 2, 0]),
        np.array([0, 0, 1, 1, 2, 2]),
        3,
    )
    assert found.missing[found.of].tolist() == [False, True, False]
    assert found.everything[found.of].tolist() == [False, False, True]


@st.composite
def columns(draw):
    kind = draw(st.sampled_from(["integer", "real", "date"]))
    values = {
        "integer": st.one_of(st.integers(-9, 9), st.integers(-(2**63), 2**63 - 1)),
        "real": st.one_of(
            st.sampled_from([0.1, 0.2, 0.25, 1.1]), st.floats(allow_nan=False, allow_infinity=False)
        ),
        "date": st.integers(-800_000, 800_000).map(lambda day: np.datetime64(day, "D")),
    }[kind]
    some = sorted({value + 0 for value in draw(st.lists(values, min_size=1, max_size=6))})
    n = draw(st.integers(1, 12))
    missing = draw(st.booleans())
    codes = draw(st.lists(st.integers(0, len(some) - 1 + missing), min_size=n, max_size=n))
    classes = draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    return kind, some, missing, codes, renumber(np.array(classes, np.int64))


@given(columns())
@EASY
def test_against_fractions(drawn):
    kind, some, missing, codes, classes = drawn
    array = np.array(some, {"integer": np.int64, "real": np.float64, "date": "datetime64[D]"}[kind])
    own = Domain("x", kind, array, "interval", missing=missing)
    count = int(classes.max(initial=-1)) + 1
    if not count:
        return
    found = class_means(own, np.array(codes), classes, count)
    exact = [Fraction(int(value.astype(np.int64))) if kind == "date" else rational(value) for value in array]
    for number in range(count):
        members = [code for code, of in zip(codes, classes.tolist(), strict=True) if of == number]
        lacking = sum(code == own.missing_code for code in members)
        at = found.of[number]
        assert found.missing[at] == (lacking == len(members))
        assert found.everything[at] == (0 < lacking < len(members))
        if not lacking:
            mean = sum(exact[code] for code in members) / len(members)
            assert found.numbers[at] == (round(mean) if kind == "date" else float(mean))
    # Distinct means are distinct, ascending, and every one is some class's.
    numbers = found.numbers[~np.isnan(found.numbers)]
    assert (np.diff(numbers) > 0).all()
    assert sorted(set(found.of.tolist())) == list(range(found.count))


SHAPES = {
    "set": Domain("x", "categorical", np.array(list("abc"), object), "set", missing=True),
    "interval": Domain("x", "ordered", np.array(list("cab"), object), "interval", missing=True, high=2.0),
    "tree": Domain(
        "x",
        "hierarchical",
        np.array(list("bca"), object),
        "tree",
        from_rows([("b", "1", "*"), ("c", "1", "*"), ("a", "2", "*")], "x", where=str),
        missing=True,
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
@EASY
def test_modes_against_counting(shape, data):
    own = replace(SHAPES[shape], shown="mode")
    n = data.draw(st.integers(1, 12))
    codes = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    classes = renumber(np.array(data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)), np.int64))
    count = int(classes.max(initial=-1)) + 1
    if not count:
        return
    found = aggregated(own, np.array(codes, np.int32), classes, count)
    for number in range(count):
        often = Counter(code for code, of in zip(codes, classes.tolist(), strict=True) if of == number)
        mode = min(often, key=lambda code: (-often[code], code))
        assert found.member_codes(int(found.of[number])).tolist() == [mode]
    assert not found.everything.any()


@given(data=st.data())
@EASY
def test_classes_that_show_the_same_are_one(data):
    """Brute force: equal texts of means and modes, whatever the order of records and the numbers of classes."""
    n = data.draw(st.integers(1, 14))
    age = replace(domain("integer", [0, 1, 2, 4, 8], missing=True), shown="mean")
    habit = replace(SHAPES["set"], shown=data.draw(st.sampled_from(["mode", "region"])))
    codes = [
        data.draw(st.lists(st.integers(0, own.codes - 1), min_size=n, max_size=n)) for own in (age, habit)
    ]
    classes = renumber(np.array(data.draw(st.lists(st.integers(-1, 5), min_size=n, max_size=n)), np.int64))
    table = Microdata((age, habit), np.array(codes, np.int32), (), np.zeros((0, n), np.int32), np.arange(n))
    plan, recoding = recode(table, Plan(classes))
    shows = {}
    for number in range(int(classes.max(initial=-1)) + 1):
        ages, habits = ([own[i] for i in np.flatnonzero(classes == number)] for own in codes)
        lacking = ages.count(5)
        mean = (
            ("" if lacking == len(ages) else "*")
            if lacking
            else Fraction(sum([0, 1, 2, 4, 8][code] for code in ages), len(ages))
        )
        often = Counter(habits)
        mode = min(often, key=lambda code: (-often[code], code))
        shows[number] = mean, mode if habit.shown == "mode" else frozenset(habits)
    expected = [None if own < 0 else shows[own] for own in classes.tolist()]
    assert recoding.classes == len(set(shows.values()))
    for one in range(n):
        for other in range(n):
            together = plan.classes[one] == plan.classes[other]
            assert together == (expected[one] == expected[other])
    # What is published of merged classes is what is published of the classes that were merged.
    again, same = recode(table, plan)
    assert again.classes.tolist() == plan.classes.tolist()
    for own, other in zip(recoding.shown, same.shown, strict=True):
        assert own.of.tolist() == other.of.tolist()
    # What the classes span is that of all their records.
    for regions, own in zip(recoding.attributes, codes, strict=True):
        for number in range(recoding.classes):
            members = [own[i] for i in np.flatnonzero(plan.classes == number)]
            assert regions.contains(np.array(members))[regions.of[number]].all()
