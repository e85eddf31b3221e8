"""What certificates say about columns, and what a recipient makes of it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from likeness.errors import TableError
from likeness.hierarchies import from_rows
from likeness.microdata.domain import Domain
from likeness.published.columns import (
    ColumnNote,
    PublishedColumns,
    note_on,
    parse_numbers,
    read_domain,
)

ROWS = [("Paris", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*")]
TREE = from_rows(ROWS, "town", where=str)
TOWN = Domain("town", "hierarchical", np.array(TREE.leaves, object), "tree", TREE, distance="hierarchical")
AGE = Domain("age", "integer", np.array([20, 60]), "interval", low=0, high=110, declared=True)
JOB = Domain("job", "categorical", np.array(["cook", "nurse"], object), "set", missing=True)
NONE = np.zeros(0, np.int64)
GRADE = Domain("grade", "ordered", np.array(["low", "mid", "high"], object), "interval", high=2.0)


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
@pytest.mark.parametrize("domain", [TOWN, AGE, JOB, GRADE], ids=lambda domain: domain.name)
@pytest.mark.parametrize("regions", [False, True])
def test_notes_survive_the_certificate(domain, role, regions):
    note = note_on(domain, role, np.arange(domain.codes), regions=regions)
    read = ColumnNote.from_json(json.loads(json.dumps(note.to_json())))
    # Ground distances are of sensitive columns only.
    assert read == (note if role == "sensitive" else replace(note, distance="equal"))


def test_other_columns_say_nothing_else():
    assert ColumnNote("memo", "other").to_json() == {"name": "memo", "role": "other"}


def test_only_declared_ends_are_told():
    assert note_on(AGE, "quasi", NONE, regions=True).to_json() == {
        "name": "age", "role": "quasi", "kind": "integer", "shape": "interval", "low": 0, "high": 110,
    }  # fmt: skip
    observed = replace(AGE, declared=False)
    assert not {"low", "high"} & set(note_on(observed, "quasi", NONE, regions=True).to_json())


def test_only_what_everything_stands_for_is_told():
    everybody = np.arange(3)
    assert note_on(JOB, "quasi", everybody).values is None
    assert note_on(JOB, "quasi", everybody, regions=True).values == ("cook", "nurse", None)
    assert note_on(TOWN, "quasi", everybody, regions=True).values is None


def test_what_only_withheld_people_have_is_not_told():
    assert note_on(JOB, "quasi", np.array([0, 1]), regions=True).values == ("cook", "nurse")
    assert note_on(JOB, "quasi", np.array([1, 2]), regions=True).values == ("nurse", None)
    # What was declared is told, and where it does not all occur, "*" does not either.
    declared = replace(JOB, declared=True)
    assert note_on(declared, "quasi", np.array([0, 1]), regions=True).values == ("cook", "nurse")
    assert note_on(declared, "quasi", np.array([1, 2]), regions=True).values is None
    assert note_on(GRADE, "quasi", np.array([0]), regions=True).order == ("low", "mid", "high")


def test_a_hierarchy_made_from_the_data_tells_only_of_what_was_published():
    made = replace(TOWN, hierarchy=replace(TREE, data_derived=True))
    assert note_on(TOWN, "quasi", NONE, regions=True).hierarchy == tuple(map(tuple, ROWS))
    assert note_on(made, "quasi", np.arange(3), regions=True).hierarchy is None
    assert note_on(made, "sensitive", np.array([2, 0])).hierarchy == (ROWS[0], ROWS[2])


def test_columns_by_role():
    notes = (ColumnNote("a", "quasi"), ColumnNote("b", "other"), ColumnNote("c", "quasi"))
    assert [note.name for note in PublishedColumns(notes).with_role("quasi")] == ["a", "c"]


@pytest.mark.parametrize(
    ("domain", "values", "codes", "labels"),
    [
        (TOWN, ["Rome", None, "Paris"], [2, 3, 0], ["Paris", "Nice", "Rome"]),
        (GRADE, ["high", "low"], [2, 0], ["low", "mid", "high"]),
        (JOB, ["nurse", "baker", None, "nurse"], [1, 0, 2, 1], ["baker", "nurse"]),
        (AGE, ["60", None, "7"], [1, 2, 0], ["7", "60"]),
    ],
    ids=lambda given: given.name if isinstance(given, Domain) else "",
)
def test_exact_columns_are_read_back(domain, values, codes, labels):
    found, own = read_domain(note_on(domain, "sensitive", NONE), values)
    assert own.tolist() == codes
    assert found.labels == labels
    assert found.missing == (None in values)
    assert (found.name, found.distance, found.shape) == (domain.name, domain.distance, domain.shape)


def test_numeric_domains_reach_as_far_as_declared_or_published():
    declared, _ = read_domain(note_on(AGE, "sensitive", NONE), ["30", "40"])
    assert (declared.low, declared.high) == (0, 110)
    observed, _ = read_domain(note_on(replace(AGE, declared=False), "sensitive", NONE), ["30", "40"])
    assert (observed.low, observed.high) == (30, 40)
    nothing, codes = read_domain(note_on(replace(AGE, declared=False), "sensitive", NONE), [None])
    assert (nothing.size, codes.tolist()) == (0, [0])


@pytest.mark.parametrize(
    ("domain", "value", "message"),
    [
        (TOWN, "France", "column 'town': 'France' is not one of its declared values"),
        (GRADE, "best", "column 'grade': 'best' is not one of its declared values"),
        (AGE, "young", "column 'age': 'young' is not of the kind integer"),
        (AGE, "[20, 30]", "column 'age': '[20, 30]' is not of the kind integer"),
    ],
)
def test_values_that_are_none(domain, value, message):
    with pytest.raises(TableError) as problem:
        read_domain(note_on(domain, "sensitive", NONE), [value])
    assert str(problem.value) == message


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("integer", ["3", "-1"], [3, -1]),
        ("real", ["0.5", "1000.0"], [0.5, 1000.0]),
        ("date", ["2024-02-29"], [np.datetime64("2024-02-29")]),
        ("real", [], []),
    ],
)
def test_numbers(kind, texts, expected):
    assert parse_numbers(kind, texts, "x").tolist() == [
        x.tolist() if isinstance(x, np.datetime64) else x for x in expected
    ]


@pytest.mark.parametrize(
    ("kind", "text"), [("integer", "1.5"), ("integer", "9" * 30), ("real", "x"), ("date", "2024-02-30")]
)
def test_texts_that_are_no_numbers(kind, text):
    with pytest.raises(TableError, match=f"column 'x': '{text}' is not of the kind {kind}"):
        parse_numbers(kind, [text], "x")


@pytest.mark.parametrize(
    ("kind", "end"), [("hierarchical", "hello"), ("hierarchical", "2024-13-45"), ("hierarchical", "NaT"), ("date", "NaT"),
                      ("date", "today"), ("hierarchical", 10**30)],
)  # fmt: skip
def test_coded_ends_are_values(kind, end):
    shape = "tree" if kind == "hierarchical" else "interval"
    assert (
        ColumnNote("x", "quasi", kind, shape, top=end).contradiction()
        == f"top is no value of the kind {kind}"
    )


@pytest.mark.parametrize("end", [3, 3.5, "2024-03-01"])
def test_coded_ends_of_hierarchies(end):
    assert ColumnNote("x", "quasi", "hierarchical", "tree", bottom=end).contradiction() == ""
