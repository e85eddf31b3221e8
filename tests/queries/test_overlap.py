"""How much of a region a condition covers: numbers worked out by hand."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pytest

from likeness.errors import TableError
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.published.columns import ColumnNote
from likeness.published.regions import read_region
from likeness.queries.overlap import Overlap, as_values, condition_shares

ROWS = (("Paris", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*"))
AGE = ColumnNote("age", "quasi", "integer", "interval")
DOSE = ColumnNote("dose", "quasi", "real", "interval")
BORN = ColumnNote("born", "quasi", "date", "interval")
GRADE = ColumnNote("grade", "quasi", "ordered", "interval", order=("low", "mid", "high"))
TOWN = ColumnNote("town", "quasi", "hierarchical", "tree", hierarchy=ROWS)
MADE = ColumnNote("zip", "quasi", "hierarchical", "tree")
JOB = ColumnNote("job", "quasi")


def overlap(note, texts):
    return Overlap(note, [read_region(text, note) for text in texts])


@pytest.mark.parametrize(
    ("note", "texts", "condition", "expected"),
    [
        (AGE, ["[30, 39]", "35", "[20, 29]", ""], (35, 50), [0.5, 1, 0, 0]),
        (AGE, ["[30, 39]", "35"], [35, 36.0, "36", 99], [0.2, 1]),
        (AGE, ["[30, 39]"], (40, 30), [0]),
        (AGE, ["[30, 39]", "*"], (30, 34), [0.5, 0.5]),
        (AGE, ["[30, 39]", ""], [None, 30], [0.1, 1]),
        (DOSE, ["[0.0, 2.0]", "1.5"], (1, 2), [0.5, 1]),
        (DOSE, ["[0.0, 2.0]", "1.0"], [1], [0, 1]),
        (DOSE, ["[0.0, 2.0]"], (Decimal("0.5"), "1"), [0.25]),
        (BORN, ["[2024-01-01, 2024-01-31]"], ("2024-01-01", date(2024, 1, 1)), [1 / 31]),
        (
            BORN,
            ["[2024-01-01, 2024-01-31]"],
            [datetime.fromisoformat("2024-01-05"), np.datetime64("2024-01-06T00:00")],
            [2 / 31],
        ),
        (GRADE, ["[low, high]", "*", "mid"], ("mid", "high"), [2 / 3, 2 / 3, 1]),
        (GRADE, ["[low, mid]", ""], ["low"], [0.5, 0]),
        (TOWN, ["France", "Paris", "*", ""], {"Paris", "Rome"}, [0.5, 1, 2 / 3, 0]),
        (TOWN, ["France", ""], [None], [0, 1]),
        (JOB, ["{cook|nurse}", "cook", "{cook|}", "*"], ["cook", "pilot"], [0.5, 1, 0.5, 1 / 3]),
        (JOB, ["{cook|}", "", "cook"], [None], [0.5, 1, 0]),
    ],
)
def test_shares(note, texts, condition, expected):
    assert overlap(note, texts).shares(condition) == pytest.approx(expected, abs=1e-12)


def test_everything_is_what_was_declared():
    declared = ColumnNote("age", "quasi", "integer", "interval", low=0, high=99)
    assert overlap(declared, ["*"]).shares((0, 9)).tolist() == [0.1]
    named = ColumnNote("job", "quasi", values=("cook", "nurse", "pilot", None))
    assert overlap(named, ["*"]).shares(["cook", None]).tolist() == [0.5]


@pytest.mark.parametrize(
    ("note", "texts", "condition"),
    [(AGE, ["*"], (0, 9)), (AGE, ["*", ""], [3]), (JOB, ["*"], ["cook"]), (MADE, ["*"], ["02139"])],
)
def test_nobody_guesses_what_everything_is(note, texts, condition):
    with pytest.raises(TableError, match=r"what '\*' stands for was not published"):
        overlap(note, texts).shares(condition)


def test_nodes_of_unpublished_hierarchies_are_for_the_steward():
    assert overlap(MADE, ["02139"]).shares(["02139"]).tolist() == [1]
    assert overlap(MADE, ["0213*", ""]).shares(["0213*", None]).tolist() == [1, 1]
    assert overlap(MADE, ["0213*"]).shares(["02141"]).tolist() == [0]
    for part in (["02139"], (2130, 2139)):
        with pytest.raises(TableError, match=r"how many values '0213\*' stands for is not published"):
            overlap(MADE, ["0213*"]).shares(part)


def test_however_regions_are_ordered_the_same_node_is_named():
    texts = ["021**", "0213*", "0214*", "02150"]
    for order in (texts, texts[::-1], texts[2:] + texts[:2]):
        with pytest.raises(TableError, match=r"how many values '021\*\*' stands for"):
            overlap(MADE, order).shares(["02139", "02140"])
    assert overlap(MADE, texts[:0:-1]).shares(["02150"]).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("texts", "condition", "expected"),
    [
        (["[18, 39]", "[40, 64]", "70", ""], (29, 64), [0.5, 1, 0, 0]),
        (["[18, 39]", "[40, 64]"], [18, "18.0", 39, 64, None], [2 / 22, 1 / 25]),
        (["[0, 50.5)", "50.5", "[50.5, 70)"], (50.5, 60.25), [0, 1, 0.5]),
        (
            ["2024-02", "2024-Q1", "2024", "2024-02-29"],
            ("2024-02-29", "2024-12-31"),
            [1 / 29, 32 / 91, 307 / 366, 1],
        ),
        (["2024-02", "2023"], [date(2024, 2, 1), np.datetime64("2024-02-02")], [2 / 29, 0]),
    ],
)
def test_labels_made_by_a_rule_say_what_they_stand_for(texts, condition, expected):
    assert overlap(MADE, texts).shares(condition) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("texts", "asked", "expected"),
    [
        (["1990s", "1991", "1999", "1990-05", "2001", ""], ["1990s"], [1, 1, 1, 1, 0, 0]),
        (["1990s", "1990", "1990-Q1", "1990-03-07", "1991-01"], ["1990"], [365 / 3652, 1, 1, 1, 0]),
        (["2024"], ["2024-12", "2024-Q4", "2024-01-01"], [93 / 366]),
        (["02139", "0213*", "0214*", "02***", "10***"], ["021**", "02***"], [1, 1, 1, 1, 0]),
        (["02139", "0213*", "02140"], ["0213*"], [1, 1, 0]),
        (["[18, 39]", "[18, 24]", "30", "[40, 59]"], ["[18, 24]"], [7 / 22, 1, 0, 0]),
        (["[18, 39]", "30"], ["[18, 24]", 25, "[20, 30]"], [13 / 22, 1]),
        (["[0, 50.5)", "[0, 20.2)", "50.5"], ["[0, 20.2)"], [0.4, 1, 0]),
        (["[0, 50.5)", "20", "50.5"], ["[0, 50.5)"], [1, 1, 0]),
    ],
)
def test_nodes_that_are_asked_for_have_all_that_lies_below_them(texts, asked, expected):
    """And of nodes above them their part, where labels tell it: what is published stands on many levels."""
    assert overlap(MADE, texts).shares(asked) == pytest.approx(expected, abs=1e-12)


def test_parts_of_masked_codes_are_not_told():
    with pytest.raises(TableError, match=r"how many values '02\*\*\*' stands for is not published"):
        overlap(MADE, ["02139", "02***"]).shares(["0213*"])


YEARS = ColumnNote(
    "born", "quasi", "hierarchical", "tree", hierarchy=tuple((str(y), "40s", "*") for y in range(1940, 1950))
)


def test_a_pair_of_numbers_is_a_range_in_columns_of_nodes_and_sets_too():
    assert overlap(YEARS, ["40s", "1947", "", "*"]).shares((1945, 1949)).tolist() == [0.5, 1, 0, 0.5]
    assert overlap(JOB, ["{1|5|9}", "x", ""]).shares((1, 6)) == pytest.approx([2 / 3, 0, 0])
    # Codes written as text are a collection of two.
    assert overlap(YEARS, ["40s"]).shares(("1940", "1949")).tolist() == [0.2]
    tree = from_rows(YEARS.hierarchy, "born", where=str)
    exact = Domain("born", "hierarchical", np.array(tree.leaves, object), "tree", tree, missing=True)
    assert condition_shares(exact, (1945, 1949)).tolist() == [0] * 5 + [1] * 5 + [0]


@pytest.mark.parametrize(
    ("note", "texts", "value", "expected"),
    [
        (AGE, ["[30, 39]", "*", "", "40"], 39, [True, True, False, False]),
        (AGE, ["[30, 39]", "*", ""], None, [False, True, True]),
        (DOSE, ["[0.0, 2.0]", "2.5"], "2.5", [False, True]),
        (GRADE, ["[low, mid]", "high"], "mid", [True, False]),
        (TOWN, ["France", "Rome", "*", ""], "Nice", [True, False, True, False]),
        (TOWN, ["France", "*"], "Oslo", [False, True]),
        (MADE, ["0213*", "02139", "0214*", "*", ""], "02139", [True, True, False, True, False]),
        (JOB, ["{cook|nurse}", "{cook|}", "*"], "nurse", [True, False, True]),
        (JOB, ["{cook|}", "nurse", "*"], None, [True, False, True]),
    ],
)
def test_what_regions_hold(note, texts, value, expected):
    assert overlap(note, texts).contains(value).tolist() == expected


@pytest.mark.parametrize(
    ("kind", "values", "condition", "expected"),
    [
        ("integer", [1, 5, 9], (1, 5), [1, 1, 0]),
        ("real", [0.5, 2.0], [2, "0.50"], [1, 1]),
        ("date", np.array(["2024-01-01", "2024-02-01"], "M8[D]"), ("2024-01-15", "2024-03-01"), [0, 1]),
        ("ordered", ["low", "mid", "high"], ("mid", "high"), [0, 1, 1]),
        ("ordered", ["low", "mid", "high"], ["low", "high"], [1, 0, 1]),
        ("categorical", ["a", "b"], ("a", "b"), [1, 1]),
        ("categorical", ["a", "None"], [None], [0, 0]),
    ],
)
@pytest.mark.parametrize("missing", [False, True])
def test_conditions_on_exact_columns(kind, values, condition, expected, missing):
    shape = "set" if kind == "categorical" else "interval"
    domain = Domain("x", kind, np.array(values), shape, missing=missing)
    own = [float(None in condition)] if missing else []
    assert condition_shares(domain, condition).tolist() == expected + own


@pytest.mark.parametrize("condition", ["cook", 5, None])
def test_a_condition_is_a_pair_or_a_collection(condition):
    with pytest.raises(TableError, match="column 'job': a condition is a pair"):
        as_values(condition, "job")


@pytest.mark.parametrize(("note", "condition"), [(AGE, ("a", "b")), (AGE, ["a"]), (BORN, ("x", "y"))])
def test_conditions_of_another_kind(note, condition):
    text = "2024-01-01" if note is BORN else "3"
    with pytest.raises(TableError, match=r"is not of the kind (real|date)"):
        overlap(note, [text]).shares(condition)
    values = np.array(["2024-01-01"], "M8[D]") if note is BORN else np.array([3])
    with pytest.raises(TableError, match=r"is not of the kind (real|date)"):
        condition_shares(Domain(note.name, note.kind, values, "interval"), condition)


def test_leaves_of_a_hierarchy_in_exact_columns():
    tree = from_rows(ROWS, "town", where=str)
    domain = Domain("town", "hierarchical", np.array(tree.leaves, object), "tree", tree)
    assert condition_shares(domain, ["Nice", "France"]).tolist() == [0, 1, 0]


def test_a_column_without_regions_holds_nothing():
    for shape, kind in (("interval", "integer"), ("set", "categorical"), ("tree", "hierarchical")):
        held = Overlap(ColumnNote("a", "quasi", kind, shape), []).contains("1")
        assert held.dtype == np.bool_
        assert held.shape == (0,)
