"""Mondrian: the same classes as the plain search, on every kind of column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.methods.cutting import classes_of, make_problem, microdata, plain_table, problems

import likeness as lk
from likeness.methods.mondrian import Mondrian
from likeness.microdata.domain import Domain

WAYS = [
    ("least-loss", True, "glm"),
    ("least-loss", True, "ncp"),
    ("least-loss", True, "iloss"),
    ("all", True, "glm"),
    ("widest", True, "glm"),
    ("all", False, "glm"),
    ("widest", False, "glm"),
]
EASY = settings(deadline=None, max_examples=60)


@pytest.mark.slow
@pytest.mark.parametrize(("cut", "strict", "loss"), WAYS)
@given(draw=st.data())
@EASY
def test_the_same_classes_as_the_plain_search(cut, strict, loss, draw):
    data, guarantee = draw.draw(problems(loss))
    table = plain_table(data, guarantee, loss)
    everybody = list(range(data.size))
    plan = Mondrian(cut=cut, strict=strict, loss=loss).run(make_problem(data, guarantee, loss))
    if not table.holds(everybody):
        assert plan.withheld == data.size
        return
    assert plan.withheld == 0
    expected = {frozenset(node) for node in table.partition(cut, strict=strict)}
    assert classes_of(plan) == expected


@pytest.mark.parametrize(("cut", "strict", "loss"), WAYS)
@given(draw=st.data())
@EASY
def test_every_class_holds_and_no_allowed_cut_is_left(cut, strict, loss, draw):
    data, guarantee = draw.draw(problems(loss))
    table = plain_table(data, guarantee, loss)
    assume(table.holds(list(range(data.size))))
    plan = Mondrian(cut=cut, strict=strict, loss=loss).run(make_problem(data, guarantee, loss))
    for node in map(sorted, classes_of(plan)):
        assert table.holds(node)
        assert table.choose(node, cut, strict=strict) is None


@pytest.mark.parametrize("cut", ["least-loss", "all"])
@given(draw=st.data())
@EASY
def test_parts_are_never_mixed(cut, draw):
    data, guarantee = draw.draw(problems())
    parts = np.array(draw.draw(st.lists(st.integers(0, 2), min_size=data.size, max_size=data.size)))
    _, parts = np.unique(parts, return_inverse=True)
    table = plain_table(data, guarantee)
    nodes = [np.flatnonzero(parts == part).tolist() for part in range(parts.max() + 1)]
    good = [node for node in nodes if table.holds(node)]
    plan = Mondrian(cut=cut).run(make_problem(data, guarantee, parts=parts.astype(np.int64)))
    assert plan.withheld == data.size - sum(map(len, good))
    if plan.withheld < data.size:
        expected = {frozenset(node) for node in table.partition(cut, parts=good)}
        assert classes_of(plan) == expected
    if plan.withheld:
        (reason,) = plan.withheld_because
        assert "does not hold the guarantee" in reason


@given(draw=st.data())
@EASY
def test_the_order_of_the_records_does_not_matter(draw):
    data, guarantee = draw.draw(problems())
    order = np.array(draw.draw(st.permutations(range(data.size))))
    assume(plain_table(data, guarantee).holds(list(range(data.size))))
    for cut in ("least-loss", "all", "widest"):
        straight = classes_of(Mondrian(cut=cut).run(make_problem(data, guarantee)))
        shuffled = classes_of(Mondrian(cut=cut).run(make_problem(data.take(order), guarantee)))
        assert {frozenset(order[list(members)].tolist()) for members in shuffled} == straight


def test_relaxed_halves_are_equal():
    # 23 in 11 and 12, these in 5 and 6 and twice 6; six that are alike stay, and the other six are 3 and 3.
    age = Domain("age", "integer", np.array([1, 2, 3]), "interval", low=0, high=16)
    data = microdata([age], [[1] * 20 + [0, 2, 2]], [0] * 23)
    plan = Mondrian(cut="all", strict=False).run(make_problem(data, [("k-anonymity", {"k": 3})]))
    assert sorted(np.bincount(plan.classes)) == [3, 3, 5, 6, 6]
    strict = Mondrian(cut="all").run(make_problem(data, [("k-anonymity", {"k": 3})]))
    assert strict.count == 1


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"cut": "widset"}, "mondrian: cut must be one of .*; got 'widset'; did you mean 'widest'"),
        ({"loss": "gml"}, "mondrian: loss must be one of glm, ncp, iloss; got 'gml'"),
        ({"strict": False}, "strict: false deals records at the median, which 'least-loss' does not do"),
    ],
)
def test_parameters_that_do_not_go(given_, message):
    with pytest.raises(lk.PolicyError, match=message):
        Mondrian(**given_)
