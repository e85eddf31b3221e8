"""What methods share: exact judgement of classes, and the histogram that searches test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import likeness as lk
from likeness.hierarchies import from_rows
from likeness.kernels.class_tests import ClassTest, always, evaluate, lay_out
from likeness.methods.base import Problem, holding_classes, holding_records, joint_views
from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require, require_of

TREE = from_rows([(f"d{i}", f"g{i // 2}", "*") for i in range(4)], "disease", where=str)
DISEASE = Domain("disease", "hierarchical", np.array(TREE.leaves, object), "tree", TREE, missing=True)
INCOME = Domain("income", "categorical", np.array(["low", "mid", "high"], object), "set")
MODELS = (
    lk.KAnonymity(2),
    lk.DistinctLDiversity(2),
    lk.DistinctLDiversity(2, sensitive="disease"),
    lk.DistinctLDiversity(2, sensitive="income", others="unknown"),
    lk.RecursiveClDiversity(3, 2, sensitive="disease"),
    lk.AlphaKAnonymity("0.75", 2, sensitive="income"),
    lk.BasicBetaLikeness(1, sensitive="disease", others="unknown"),
    lk.BasicBetaLikeness(1, sensitive="disease", level=1),
    lk.TCloseness("0.5", sensitive="income", others="unknown"),
)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Up to 20 records of two sensitive columns, and some models on them."""
    n = draw(st.integers(1, 20))
    codes = [draw(st.lists(st.integers(0, x.codes - 1), min_size=n, max_size=n)) for x in (DISEASE, INCOME)]
    data = Microdata(
        (), np.zeros((0, n), np.int32), (DISEASE, INCOME), np.array(codes, np.int32), np.arange(n)
    )
    models = draw(st.lists(st.sampled_from(MODELS), min_size=1, max_size=4))
    requirements = require(models, data.sensitive, data.sensitive_codes)
    return Problem(data, requirements, LOSSES["glm"], np.random.default_rng(0))


@settings(deadline=None, max_examples=200)
@given(draw=st.data())
def test_the_joint_histogram_says_what_the_proof_says(draw):
    problem = draw.draw(problems())
    n = problem.data.size
    classes = np.array(draw.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int64)
    views, tests, width = joint_views(problem)
    laid = lay_out(tests)
    exact = problem.holding(classes, 3)
    for number in range(3):
        own = classes == number
        histogram = np.bincount(views[:, own].ravel(), minlength=width)
        found = own.sum() >= laid.smallest and evaluate(
            laid.functions, laid.shape, laid.integers, laid.reals, int(own.sum()), histogram
        )
        assert found == exact[number]


@st.composite
def problems_of_individuals(draw: st.DrawFn) -> Problem:
    """Up to 10 individuals with up to 5 records each of two sensitive columns, and some models on them."""
    records = draw(st.integers(1, 24))
    people = np.array(draw(st.lists(st.integers(0, 9), min_size=records, max_size=records)))
    codes = [
        draw(st.lists(st.integers(0, x.codes - 1), min_size=records, max_size=records))
        for x in (DISEASE, INCOME)
    ]
    table = Microdata(
        (),
        np.zeros((0, records), np.int32),
        (DISEASE, INCOME),
        np.array(codes, np.int32),
        np.arange(records),
        np.unique(people, return_inverse=True)[1].astype(np.int64),
    )
    models = draw(st.lists(st.sampled_from(MODELS), min_size=1, max_size=4))
    return Problem(table.people, require_of(models, table.people), LOSSES["glm"], np.random.default_rng(0))


@settings(deadline=None, max_examples=300)
@given(draw=st.data())
def test_the_joint_histogram_of_individuals_says_what_the_proof_says(draw):
    problem = draw.draw(problems_of_individuals())
    n = problem.data.size
    classes = np.array(draw.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int64)
    views, tests, width = joint_views(problem)
    assert views.shape[1] == n
    laid = lay_out(tests)
    exact = problem.holding(classes, 3)
    for number in range(3):
        own = classes == number
        histogram = np.bincount(views[:, own].ravel(), minlength=width)
        found = own.sum() >= laid.smallest and evaluate(
            laid.functions, laid.shape, laid.integers, laid.reals, int(own.sum()), histogram
        )
        assert found == exact[number]


@dataclass(frozen=True)
class Counted:
    """A stand-in for a model whose test also reads how many individuals have how many records."""

    values: int

    def class_test(self):
        return ClassTest(always, [self.values], values=self.values, record_counts=True)


@settings(deadline=None, max_examples=100)
@given(draw=st.data(), known=st.booleans())
def test_behind_the_values_stand_the_individuals_by_their_number_of_records(draw, known):
    data = draw.draw(problems_of_individuals()).data
    model = lk.DistinctLDiversity(2, sensitive="income", others="known" if known else "unknown")
    plain = require_of((model,), data)[0]
    counted = replace(plain, bound=Counted(INCOME.codes))
    problem = Problem(data, (counted, plain), LOSSES["glm"], np.random.default_rng(0))
    views, (test, other), width = joint_views(problem)
    histogram = np.bincount(views.ravel(), minlength=width)
    people, income = data.members.of, data.members.records.sensitive_codes[1]
    seen = (
        plain.view.known_codes(data.sensitive, data.members.records.sensitive_codes) if known else 0 * people
    )
    assert (test.slices, test.stride, test.offset) == (other.slices, other.stride, other.offset)
    most = test.values - INCOME.codes
    for slice_ in range(test.slices):
        begin = test.offset + slice_ * test.stride
        of = people[seen == slice_]
        having = [np.unique(of[income[seen == slice_] == value]).size for value in range(INCOME.codes)]
        numbers = np.bincount(np.bincount(of, minlength=data.size), minlength=most + 1)[1:]
        assert histogram[begin : begin + test.values].tolist() == [*having, *numbers]
        assert not known or histogram[begin + test.size_at] == np.unique(of).size
    assert width == test.slices * test.stride + 1


@settings(deadline=None, max_examples=100)
@given(draw=st.data())
def test_a_class_holds_when_every_requirement_holds(draw):
    problem = draw.draw(problems())
    n = problem.data.size
    classes = np.array(draw.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), np.int64)
    every = problem.holding(classes, 3)
    single = [holding_classes((one,), problem.data, classes, 3) for one in problem.requirements]
    assert every.tolist() == np.logical_and.reduce(single).tolist()
    # Nobody is in an empty class: it is none.
    assert not every[[number for number in range(3) if number not in classes]].any()
    records = holding_records(problem.requirements, problem.data, Plan(classes))
    assert records.tolist() == [bool(number >= 0 and every[number]) for number in classes.tolist()]


def test_models_of_sensitive_values_are_judged_on_buckets():
    codes = np.array([[0, 1, 0, 1, 2, 2]], np.int32)
    data = Microdata((), np.zeros((0, 6), np.int32), (INCOME,), codes, np.arange(6))
    plan = Plan(np.array([0, 0, 0, 1, 1, -1]), np.array([0, 0, 1, 1, 2, -1]))
    for model, expected in (
        (lk.KAnonymity(3), [True, True, True, False, False, False]),
        (lk.DistinctLDiversity(2), [True, True, True, True, False, False]),
        (lk.KAnonymity(3) & lk.DistinctLDiversity(2), [True, True, True, False, False, False]),
    ):
        models = list(model) if hasattr(model, "__iter__") else [model]
        requirements = require(models, data.sensitive, codes)
        assert holding_records(requirements, data, plan).tolist() == expected


@pytest.mark.parametrize("buckets", [None, np.full(2, -1)])
def test_nobody_published(buckets):
    data = Microdata((), np.zeros((0, 2), np.int32), (INCOME,), np.array([[0, 1]], np.int32), np.arange(2))
    requirements = require([lk.KAnonymity(1)], data.sensitive, data.sensitive_codes)
    assert not holding_records(requirements, data, Plan(np.full(2, -1), buckets)).any()


@pytest.mark.parametrize(
    "method", [lk.Incognito(), lk.Datafly(), lk.Mondrian(), lk.LocalRecoding(), lk.Mdav()]
)
def test_a_whole_table_that_holds_is_published_though_the_test_of_a_search_refuses_it(method):
    # a and b are two people's each, which is as many as there are people; but no two values hit all four.
    values = [[0, 4], [0, 1], [1, 5], [2, 3]]
    sick = np.array([code for own in values for code in own], np.int32)[None]
    of = np.repeat(np.arange(4), 2)
    ages = Domain("age", "categorical", np.array(list("pqrs"), object), "set")
    disease = Domain("disease", "categorical", np.array(list("abcdef"), object), "set")
    table = Microdata((ages,), of[None].astype(np.int32), (disease,), sick, np.arange(8), of)
    problem = Problem(
        table.people,
        require_of((lk.EirLDiversity(3),), table.people),
        LOSSES["glm"],
        np.random.default_rng(0),
    )
    _, (test,), _ = joint_views(problem)
    histogram = np.array([2, 2, 1, 1, 1, 1])
    assert not test.function(4, histogram, np.array(test.integers, np.int64), np.zeros(0))
    assert method.run(problem).classes.tolist() == [0, 0, 0, 0]
