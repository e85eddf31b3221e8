"""Counts, sums and means of every form, with the numbers worked out by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from tests.forms.publications import integers, plan_for, publish, table, words

from likeness.errors import PolicyError, TableError
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.baseline import BaselineForm
from likeness.forms.generalized import GeneralizedForm
from likeness.forms.perturbed import PerturbedForm
from likeness.hierarchies import from_rows
from likeness.metrics.mini_table import mini_table
from likeness.microdata.domain import Domain
from likeness.microdata.mechanism import Mechanism
from likeness.microdata.plan import Plan
from likeness.published.columns import ColumnNote
from likeness.published.regions import read_region
from likeness.queries.overlap import Overlap
from likeness.queries.query import Query, Workload
from likeness.queries.sums import ANYTHING, region_sums

AGE = integers("age", [20, 25, 30, 60], missing=True)
SEX = words("sex", ["f", "m"])
PAY = integers("pay", [10, 20, 30, 40], missing=True)
# 20, 25 and 30 year old men with pay 10, 20, 30, and two women of 60 with 40 and no pay.
DATA = table([(AGE, [0, 1, 2, 3, 3]), (SEX, [1, 1, 1, 0, 0])], [(PAY, [0, 1, 2, 3, 4])])
PLAN = Plan(np.array([0, 0, 0, 1, 1]))


def ask(form, where, aggregate="count", of=None, *, data=DATA, plan=PLAN):
    """The answer, which is the same by itself and in a workload."""
    publication, _, _ = publish(form, data, plan_for(form, data, plan) if plan is PLAN else plan)
    query = Query(where, aggregate, of)
    answer = publication.estimate(query)
    (at_once,) = publication.estimate_all(Workload.of_queries([query]))
    assert at_once == pytest.approx(answer, abs=1e-12, nan_ok=True)
    return answer


@pytest.mark.parametrize(
    ("where", "aggregate", "of", "expected"),
    [
        ({}, "sum", "pay", 100),
        ({}, "avg", "pay", 25),
        ({"pay": [None]}, "sum", "pay", 0),
        ({"age": (20, 24)}, "sum", "pay", 60 * 5 / 11),
        ({"sex": ["m"], "pay": (20, 40)}, "sum", "pay", 50),
        ({}, "sum", "age", 3 * 25 + 2 * 60),
        ({}, "avg", "age", 39),
        ({"pay": (20, 30)}, "sum", "age", 2 * 25),
        ({"age": (20, 24)}, "sum", "age", 3 * 5 / 11 * 22),
        ({"age": (20, 24)}, "avg", "age", 22),
        ({"age": (20.5, 24.5)}, "sum", "age", 3 * 4 / 11 * 22.5),
        ({"age": (24.2, 24.8)}, "count", None, 0),
        ({"age": [20, 30, 60, None]}, "sum", "age", 3 * (20 + 30) / 11 + 120),
        ({"age": (59, 99)}, "avg", "pay", 40),
    ],
)
def test_generalized(where, aggregate, of, expected):
    assert ask(GeneralizedForm(), where, aggregate, of) == pytest.approx(expected)


def test_reals_count_by_length():
    dose = Domain("dose", "real", np.array([0.0, 2.0, 5.0]), "interval", low=0.0, high=5.0)
    data = table([(dose, [0, 1, 2])], [(SEX, [0, 1, 0])])
    where = {"dose": (1, 9)}
    plan = Plan(np.array([0, 0, 1]))
    # Two records in [0, 2], half of which lies in the range with the middle 1.5, and one at 5.
    assert ask(GeneralizedForm(), where, "sum", "dose", data=data, plan=plan) == pytest.approx(2 * 0.75 + 5)
    assert ask(GeneralizedForm(), where, "avg", "dose", data=data, plan=plan) == pytest.approx(6.5 / 2)


def test_the_missing_value_of_a_number_adds_nothing():
    data = table([(AGE, [4, 4, 0])], [(PAY, [0, 1, 2])])
    plan = Plan(np.array([0, 0, 1]))
    for form in (GeneralizedForm(), AnatomizedForm(), BaselineForm()):
        own = plan_for(form, data, plan)
        assert ask(form, {}, "sum", "age", data=data, plan=own) == pytest.approx(20)
        assert ask(form, {}, "avg", "age", data=data, plan=own) == pytest.approx(20)
        assert ask(form, {"age": [None]}, data=data, plan=own) == pytest.approx(2)


@pytest.mark.parametrize(
    ("where", "aggregate", "expected"),
    [
        ({}, "sum", 2 * 25 + 3 * 50),
        ({"age": (30, 50)}, "sum", 30 + 3 * 90 / 3),
        ({"age": (30, 50)}, "avg", 40),
    ],
)
def test_leaves_of_a_hierarchy_of_numbers(where, aggregate, expected):
    publication = mini_table(hierarchies=True).publication
    query = Query(where, aggregate, "age")
    assert publication.estimate(query) == pytest.approx(expected)
    assert publication.estimate_all(Workload.of_queries([query])) == pytest.approx([expected])


@pytest.mark.parametrize(
    ("where", "aggregate", "of", "expected"),
    [
        ({"age": [20]}, "sum", "pay", 20),
        ({"age": [60]}, "sum", "pay", 2 * 40 / 2),
        ({"age": [60]}, "avg", "pay", 40),
        ({"pay": (20, 30)}, "sum", "age", 75 * 2 / 3),
        ({"pay": [20], "age": (20, 25)}, "avg", "age", 22.5),
        ({"sex": ["f"]}, "sum", "age", 120),
    ],
)
def test_anatomized(where, aggregate, of, expected):
    assert ask(AnatomizedForm(), where, aggregate, of) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("where", "aggregate", "of", "expected"),
    [
        ({"age": [60]}, "sum", "pay", 2 * 100 / 5),
        ({"age": [60]}, "avg", "pay", 25),
        ({"pay": (10, 20)}, "sum", "age", 195 * 2 / 5),
        ({"pay": (10, 20)}, "avg", "age", 39),
    ],
)
def test_baseline(where, aggregate, of, expected):
    assert ask(BaselineForm(), where, aggregate, of) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("where", "aggregate", "of", "expected"),
    [
        ({"age": [20]}, "sum", "pay", 3 * 10 - 1 * 20),
        ({"age": [30]}, "sum", "pay", 30),
        ({}, "avg", "pay", 10),
        ({"pay": [20]}, "sum", "age", -0.5 * 70 + 1.5 * 30),
        ({"pay": [10]}, "avg", "age", 90 / 4),
        ({"pay": [20]}, "count", None, 0),
    ],
)
def test_perturbed(where, aggregate, of, expected):
    # PM⁻¹ is ((3/2, -1/2), (-1/2, 3/2)): of E' = (3, 1) it makes (4, 0), of the ages (70, 30) it makes (90, 10).
    coin = Mechanism(np.array([3, 1]), np.array([[75, 25], [25, 75]]), 100)
    data = table([(integers("age", [20, 30]), [0, 0, 1, 1])], [(integers("pay", [10, 20]), [0, 0, 1, 0])])
    plan = Plan(np.array([0, 0, 1, 1]), sensitive=np.array([[0, 0, 0, 1]], np.int32), mechanism=coin)
    found = ask(PerturbedForm("plain"), where, aggregate, of, data=data, plan=plan)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "form", [GeneralizedForm(), AnatomizedForm(), BaselineForm(), PerturbedForm("plain")]
)
def test_the_mean_of_nobody_is_no_number(form):
    assert isnan(ask(form, {"age": (90, 99)}, "avg", "age"))
    assert ask(form, {"age": (90, 99)}, "sum", "age") == 0


@pytest.mark.parametrize("form", [GeneralizedForm(), AnatomizedForm(), BaselineForm(), PerturbedForm()])
@pytest.mark.parametrize(
    ("query", "message"),
    [
        (Query({}, "sum", "sex"), "column 'sex': is not a column of numbers"),
        (Query({}, "avg", "aeg"), "no published column 'aeg' to query; did you mean 'age'"),
        (Query({"zip": ["1"]}), "no published column 'zip' to query; there are age, sex, pay"),
    ],
)
def test_what_cannot_be_asked(form, query, message):
    publication, _, _ = publish(form, DATA, plan_for(form, DATA, PLAN))
    with pytest.raises(TableError, match=message):
        publication.estimate(query)
    with pytest.raises(TableError, match=message):
        publication.estimate_all(Workload.of_queries([query]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, "summ", "age"), "query: aggregate must be one of count, individuals, sum, avg; got 'summ'"),
        (({}, "sum"), "query: sum needs of=, the column of numbers"),
        (({}, "count", "age"), "query: count counts records; it takes no column, and got of='age'"),
    ],
)
def test_queries_that_are_none(arguments, message):
    with pytest.raises(PolicyError, match=message):
        Query(*arguments)


MADE = ColumnNote("age", "quasi", "hierarchical", "tree")
BORN = ColumnNote("born", "quasi", "date", "interval")
GRADE = ColumnNote("grade", "quasi", "ordered", "interval", order=("low", "high"))
TOWN = ColumnNote("town", "quasi", "hierarchical", "tree", hierarchy=(("Nice", "*"), ("Rome", "*")))


def overlap(note, texts):
    return Overlap(note, [read_region(text, note) for text in texts])


@pytest.mark.parametrize(
    ("condition", "power", "expected"),
    [
        (ANYTHING, 1, [24.5, 25, 31, 0]),
        (ANYTHING, 0, [1, 1, 1, 0]),
        ((25, 40), 1, [0.5 * 27, 0.5 * 27.5, 31, 0]),
        ((25.5, 26.5), 0, [0.1, 0.1, 0, 0]),
        (["[20, 29]", "31"], 1, [24.5, 0.9 * 24.5, 31, 0]),
    ],
)
def test_classes_of_numbers_made_by_a_rule(condition, power, expected):
    regions = overlap(MADE, ["[20, 29]", "[20, 30)", "31", ""])
    assert region_sums(regions, condition, power) == pytest.approx(expected)


def test_conditions_that_end_between_whole_numbers():
    assert overlap(MADE, ["[20, 29]", "26"]).shares((25.5, 26.5)) == pytest.approx([0.1, 1])
    age = ColumnNote("age", "quasi", "integer", "interval")
    assert overlap(age, ["[20, 29]", "26"]).shares((25.5, 26.5)) == pytest.approx([0.1, 1])
    assert overlap(age, ["[20, 29]"]).shares((25.2, 25.8)) == [0]


@pytest.mark.parametrize(
    ("note", "text", "message"),
    [
        (BORN, "2024-01-01", "column 'born': dates have no sum and no mean; ask for a column of numbers"),
        (
            GRADE,
            "low",
            "column 'grade': is not a column of numbers, so it has no sum and no mean \\(it is ordered",
        ),
        (TOWN, "Nice", "column 'town': is not a column of numbers"),
        (MADE, "021**", "column 'age': '021\\*\\*' does not say which numbers it stands for"),
    ],
)
def test_what_has_no_sum(note, text, message):
    with pytest.raises(TableError, match=message):
        region_sums(overlap(note, [text]), ANYTHING, 1)


def test_leaves_that_are_numbers_can_be_summed_when_published_exactly():
    leaves = from_rows([("20", "young", "*"), ("70", "old", "*")], "age", where=str)
    age = Domain("age", "hierarchical", np.array(leaves.leaves, object), "tree", leaves)
    data = table([(age, [0, 1, 1])], [(SEX, [0, 1, 1])])
    form = AnatomizedForm()
    plan = plan_for(form, data, Plan(np.array([0, 0, 0])))
    assert ask(form, {}, "sum", "age", data=data, plan=plan) == 160
    assert ask(form, {"sex": ["m"]}, "avg", "age", data=data, plan=plan) == pytest.approx(160 / 3)
