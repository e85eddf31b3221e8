import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiling.columns import all_cells

from likeness.profiling.findings import Link, find_links


def links(frame, rows=None):
    return find_links(all_cells(frame), rows)


def test_the_numbers_of_texts_say_the_same_and_the_texts_stay():
    frame = {"number": [1, 2, 3] * 30, "grade": ["c", "b", "a"] * 30}
    assert links(frame) == (Link("grade", "number", both_ways=True),)


def test_of_two_texts_the_first_stays():
    frame = {"short": ["a", "b"] * 40, "long": ["alpha", "beta"] * 40}
    assert links(frame) == (Link("short", "long", both_ways=True),)


def test_one_column_determines_another_one():
    frame = {"town": ["a", "b", "c", "d"] * 20, "state": ["X", "X", "Y", "Y"] * 20}
    assert links(frame) == (Link("town", "state", both_ways=False),)
    assert str(links(frame)[0]) == "'town' determines 'state'"


def test_one_exception_is_enough():
    frame = {"town": ["a", "b"] * 2500, "state": ["X", "Y"] * 2500}
    assert links(frame)
    frame["state"][1] = "X"  # which no sample of every few records would see
    assert links(frame) == ()


def test_few_records_a_value_determine_nothing():
    assert links({"x": list(range(50)), "y": ["a", "b"] * 25}) == ()
    assert links({"x": [i % 10 for i in range(50)], "y": ["a", "b"] * 25}) != ()


def test_a_value_that_nearly_all_have_is_no_consequence():
    rare = ["yes"] * 19 + ["no"] * 181
    assert links({"x": ["a"] * 19 + ["b"] * 181, "rare": rare}) == ()
    rare = ["yes"] * 20 + ["no"] * 180
    assert links({"x": ["a"] * 20 + ["b"] * 180, "rare": rare}) != ()


def test_missing_values_are_values():
    assert links({"x": ["a", "b", ""] * 30, "y": ["1", "2", "?"] * 30}) != ()
    assert links({"x": ["a", "", ""] * 30, "y": ["u", "v", "w"] * 30}) == (Link("y", "x", both_ways=False),)


def test_only_the_records_asked_for_are_looked_at():
    frame = {"x": ["a", "b"] * 40 + ["a"], "y": ["u", "v"] * 40 + ["v"]}
    assert links(frame) == ()
    assert links(frame, np.arange(80)) == (Link("x", "y", both_ways=True),)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=120),
    st.booleans(),
)
def test_every_link_holds_record_by_record(records, copied):
    columns = {name: [str(record[i]) for record in records] for i, name in enumerate("abc")}
    if copied:
        columns["d"] = [f"#{value}" for value in columns["a"]]
    for link in links(columns):
        pairs = set(zip(columns[link.by], columns[link.column], strict=True))
        assert len(pairs) == len(set(columns[link.by]))
        assert link.both_ways == (len(pairs) == len(set(columns[link.column])))


@pytest.mark.parametrize("order", list(itertools.permutations(["a", "b", "c"])))
def test_three_columns_that_say_the_same_leave_one(order):
    own = {"a": [1, 2] * 40, "b": ["x", "y"] * 40, "c": ["u", "v"] * 40}
    found = links({name: own[name] for name in order})
    assert len({link.column for link in found}) == 2
    assert "a" in {link.column for link in found}
