"""Columns that were published exactly."""

from __future__ import annotations

import numpy as np
import pytest

from likeness.errors import TableError
from likeness.forms.exact import ExactColumn, column_of, whole_numbers
from likeness.published.columns import ColumnNote
from likeness.tables import Labelled


def column(*texts):
    labels = list(dict.fromkeys(texts))
    return Labelled(np.array([labels.index(text) for text in texts], np.int32), labels)


def test_values_conditions_and_regions():
    note = ColumnNote("job", "quasi")
    own = ExactColumn("quasi", {"job": column("cook", "", "\\*", "cook")}, note)
    assert own.domain.labels == ["*", "cook"]
    assert own.codes.tolist() == [1, 2, 0, 1]
    assert own.meets(["cook", None]).tolist() == [True, True, False, True]
    assert [sorted(region.values, key=str) for region in own.regions()] == [["*"], ["cook"], [None]]


def test_leaves_that_look_like_intervals():
    note = ColumnNote("age", "quasi", "hierarchical", "tree", hierarchy=(("[3, 4]", "*"), ("{a}", "*")))
    own = ExactColumn("quasi", {"age": column("\\[3, 4]", "\\{a}")}, note)
    assert [region.text for region in own.regions()] == ["[3, 4]", "{a}"]


def test_numbers():
    own = ExactColumn(
        "quasi", {"age": column("30", "7", "30")}, ColumnNote("age", "quasi", "integer", "interval")
    )
    assert own.codes.tolist() == [1, 0, 1]
    assert own.meets((8, 40)).tolist() == [True, False, True]
    assert [(region.low, region.high) for region in own.regions()] == [(7, 7), (30, 30)]


def test_problems_name_table_and_column():
    note = ColumnNote("age", "quasi", "integer", "interval")
    with pytest.raises(TableError, match=r"^table 'quasi': column 'age': '\[20, 30\]' is not of the kind"):
        ExactColumn("quasi", {"age": column("[20, 30]")}, note)
    with pytest.raises(TableError, match=r"^table 'quasi': the column 'age' is not there"):
        ExactColumn("quasi", {}, note)
    with pytest.raises(TableError, match=r"^table 'sensitive': the column 'x' is not there"):
        column_of("sensitive", {"y": column("1")}, "x")


def test_whole_numbers():
    found = whole_numbers("sensitive", {"count": column("3", "1", "3")}, "count", at_least=1)
    assert found.tolist() == [3, 1, 3]
    assert whole_numbers("sensitive", {"count": column()}, "count", at_least=1).tolist() == []


@pytest.mark.parametrize(
    "text", ["", "-1", "0", "1.0", "01", "+1", " 1", "1_0", "x", "٣", "²", "9" * 19, "*"]
)
def test_texts_that_are_no_whole_number(text):
    with pytest.raises(TableError) as problem:
        whole_numbers("sensitive", {"count": column("1", text)}, "count", at_least=1)
    assert str(problem.value) == (
        f"table 'sensitive', column 'count': {text!r} is not a whole number of at least 1"
    )
