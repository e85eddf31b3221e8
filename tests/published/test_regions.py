"""Regions as texts: read back, they hold exactly the values they stand for."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.regions import covered, odd_domains
from tests.metrics.tables import evaluate, evaluations
from tests.oracles.metrics import region as plain_region

from likeness.errors import TableError
from likeness.hierarchies import from_rows
from likeness.published.columns import ColumnNote, note_on
from likeness.published.regions import read_region, read_regions, region_labels

NUMBER = ColumnNote("age", "quasi", "integer", "interval")
REAL = ColumnNote("dose", "quasi", "real", "interval")
DAY = ColumnNote("born", "quasi", "date", "interval")
SET = ColumnNote("job", "quasi")
ALL = ColumnNote("job", "quasi", values=("b", "a", None))
MADE = ColumnNote("zip", "quasi", "hierarchical", "tree")
GRADE = ColumnNote("grade", "quasi", "ordered", "interval", order=("low", "mid, ok", "high"))
ROWS = (("Paris", "France", "*"), ("Nice", "France", "*"), ("Rome", "Italy", "*"))
TREE = ColumnNote("town", "quasi", "hierarchical", "tree", hierarchy=ROWS)


def check_round_trip(evaluation):
    """Every class's text, read with the certificate's note, holds the codes of its region and no others."""
    data, plan = evaluation.data, evaluation.plan
    for j, (domain, own) in enumerate(zip(data.quasi, evaluation.recoding.attributes, strict=True)):
        note = note_on(domain, "quasi", data.codes[j, plan.published], regions=True)
        note = ColumnNote.from_json(json.loads(json.dumps(note.to_json())))
        regions = [read_region(text, note) for text in region_labels(own)]
        many = read_regions(region_labels(own), note)
        assert [(region, region.text, region.ends) for region in many] == [
            (region, region.text, region.ends) for region in regions
        ]
        assert len(set(regions)) == own.count
        for number in range(plan.count):
            codes = set(data.codes[j, plan.classes == number].tolist())
            found = covered(regions[own.of[number]], note, domain)
            expected = plain_region(domain, codes)
            # The whole of a column without missing values is written as everything there is.
            assert found == expected, (domain, codes)


@settings(deadline=None, max_examples=150)
@given(evaluation=evaluations())
def test_round_trip(evaluation):
    check_round_trip(evaluation)


@settings(deadline=None, max_examples=150)
@given(draw=st.data())
def test_round_trip_of_odd_labels(draw):
    domain = draw.draw(odd_domains("odd"))
    n = draw.draw(st.integers(1, 8))
    codes = draw.draw(st.lists(st.integers(0, domain.codes - 1), min_size=n, max_size=n))
    classes = draw.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    check_round_trip(evaluate((domain,), [codes], [0] * n, classes))


@pytest.mark.parametrize(
    ("note", "texts"),
    [
        (NUMBER, ["18", "[18, 18]", "018", "+18", " 18", "\\18", "[018, 018]"]),
        (NUMBER, ["[18, 40]", "[18, 040]", "[+18, 40]", "[\\18, 40]", "[ 18, 40]"]),
        (REAL, ["[0.5, 2.0]", "[0.50, 2.0]", "[5e-1, 2.0]", "[0.5, 2]"]),
        (REAL, ["0.0", "-0.0", "0", "0e0"]),
        (DAY, ["2024-02-01", "[2024-02-01, 2024-02-01]", " 2024-02-01"]),
        (SET, ["flu", "{flu}", "\\f\\l\\u", "{flu|flu}"]),
        (SET, ["{a|b}", "{b|a}", "{a|b|a}", "{\\a|b}"]),
        (SET, ["{a|}", "{|a}", "{a||}"]),
        (SET, ["", "{}"]),
        (ALL, ["*", "{a|b|}", "{a|b|b|}"]),
        (GRADE, ["[low, mid\\, ok]", "[\\low, mid\\, ok]"]),
        (TREE, ["France", "\\France"]),
        (TREE, ["Rome", "Italy"]),  # of nodes above the same leaves, the lowest
        (TREE, ["*", "\\*"]),
        (MADE, ["0213*", "\\0213*"]),
    ],
)
def test_a_region_has_one_text(note, texts):
    assert read_region(texts[0], note).text == texts[0]
    for text in texts[1:]:
        with pytest.raises(TableError) as refused:
            read_region(text, note)
        assert "must read" in str(refused.value)
        # Of an interval, its ends are looked at first.
        assert note.shape == "interval" or f"must read {texts[0]!r}" in str(refused.value)


@pytest.mark.parametrize(
    ("note", "texts"),
    [
        (NUMBER, ["18", "19", "[18, 19]", "*", ""]),
        (SET, ["a", "b", "{a|b}", "{a|}", "*", "\\*", "", "\\e"]),
        (GRADE, ["low", "mid, ok", "[low, high]", ""]),
        (TREE, ["Paris", "France", "Rome", "*", ""]),
        (ALL, ["{a|b}", "{a|}", "a", ""]),
    ],
)
def test_different_regions(note, texts):
    assert len({read_region(text, note) for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("note", "text", "message"),
    [
        (NUMBER, "young", "column 'age': 'young' is not of the kind integer"),
        (NUMBER, "[1, 2, 3]", "column 'age': '[1, 2, 3]' is not of the kind integer"),
        (NUMBER, "[9, 1]", "column 'age': the interval '[9, 1]' ends before it begins"),
        (NUMBER, "2_0", "column 'age': '2_0' is not of the kind integer"),
        (NUMBER, "٢", "column 'age': '٢' is not of the kind integer"),
        (NUMBER, "9" * 4000, f"column 'age': '{'9' * 40}'… (4,000 characters) is not of the kind integer"),
        (REAL, "1/3", "column 'dose': '1/3' is not of the kind real"),
        (REAL, "[0.0, 1e60000000]", "column 'dose': '1e60000000' is not of the kind real"),
        (REAL, "[0.0, 1e400]", "column 'dose': '1e400' is not of the kind real"),
        (
            REAL,
            "1e-99999999",
            "column 'dose': '1e-99999999' must read '0.0': one value is written in one way",
        ),
        (REAL, "nan", "column 'dose': 'nan' is not of the kind real"),
        (REAL, "[-inf, 1.0]", "column 'dose': '-inf' is not of the kind real"),
        (DAY, "today", "column 'born': 'today' is not of the kind date"),
        (DAY, "NaT", "column 'born': 'NaT' is not of the kind date"),
        (DAY, "2024-02", "column 'born': '2024-02' is not of the kind date"),
        (DAY, "2024-02-30", "column 'born': '2024-02-30' is not of the kind date"),
        (GRADE, "lower", "column 'grade': 'lower' is not one of its declared values"),
        (TREE, "Oslo", "column 'town': 'Oslo' is not a node of its hierarchy"),
    ],
)
def test_texts_that_are_no_region(note, text, message):
    with pytest.raises(TableError) as problem:
        read_region(text, note)
    assert str(problem.value) == message


def test_a_node_is_the_interval_of_its_leaves():
    tree = from_rows(ROWS, "town", where=str)
    region = read_region("France", TREE)
    assert (region.low, region.high) == (0, 1)
    assert tree.labels[tree.common_ancestor(np.array([0]), np.array([1]))[0]] == "France"
