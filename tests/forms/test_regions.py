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
from likeness.forms._columns import ColumnNote, note_on
from likeness.forms._regions import read_region, region_labels
from likeness.hierarchies import from_rows

NUMBER = ColumnNote("age", "quasi", "integer", "interval")
REAL = ColumnNote("dose", "quasi", "real", "interval")
DAY = ColumnNote("born", "quasi", "date", "interval")
SET = ColumnNote("job", "quasi")
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
        (NUMBER, ["18", "[18, 18]", "018", "+18"]),
        (REAL, ["[0.5, 2]", "[0.50, 2.0]", "[5e-1, 2]"]),
        (DAY, ["2024-02-01", "[2024-02-01, 2024-02-01]"]),
        (SET, ["flu", "{flu}", "\\f\\l\\u", "{flu|flu}"]),
        (SET, ["{a|b}", "{b|a}", "{a|b|a}", "{\\a|b}"]),
        (SET, ["", "{}"]),
        (GRADE, ["[low, mid\\, ok]", "[\\low, mid\\, ok]"]),
        (TREE, ["France", "\\France"]),
        (TREE, ["*", "*"]),
    ],
)
def test_one_region_however_it_is_written(note, texts):
    assert len({read_region(text, note) for text in texts}) == 1


@pytest.mark.parametrize(
    ("note", "texts"),
    [
        (NUMBER, ["18", "19", "[18, 19]", "*", ""]),
        (SET, ["a", "b", "{a|b}", "{a|}", "*", "\\*", "", "\\e"]),
        (GRADE, ["low", "mid, ok", "[low, high]", ""]),
        (TREE, ["Paris", "France", "Rome", "*", ""]),
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
