"""Relative differences of shares, their mean and interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.parts import example
from tests.forms.publications import integers, plan_for, publish
from tests.metrics.tables import evaluations
from tests.metrics.test_emd import compared, evaluate, one_column

from likeness import registry
from likeness.errors import PolicyError, TableError
from likeness.metrics.base import Evaluation
from likeness.metrics.measuring import measure_all
from likeness.metrics.mini_table import mini_table
from likeness.metrics.relative_difference import RelativeDifference
from likeness.microdata.regions import recode

FORMS = [example("forms", name) for name in registry.names("forms")]


def test_by_hand():
    # Sex was .6 and .4 and is .7 and .3; ages are 1, 1, 11/14, 20/14 and 11/14 of fifths.
    sex, age = np.array([1 / 6, -1 / 4]), np.array([0, 0, -3, 6, -3]) / 14
    every = np.append(age, sex)
    metric = RelativeDifference()
    assert metric.by_attribute(mini_table()) == pytest.approx({"age": 0, "sex": -1 / 24})
    assert metric.measure(mini_table()) == pytest.approx(every.mean())
    error = 1.96 * every.std(ddof=1) / np.sqrt(7)
    told = metric.details(mini_table())
    assert told == pytest.approx({"low": every.mean() - error, "high": every.mean() + error, "values": 7})
    absolute = RelativeDifference(absolute=True)
    assert absolute.by_attribute(mini_table()) == pytest.approx({"age": 12 / 70, "sex": 5 / 24})
    found = measure_all(mini_table())
    assert found["relative-difference-absolute"] == pytest.approx(np.abs(every).mean())
    assert found.notes["relative-difference"] == "95 % interval -0.19457 to 0.170761 over 7 values"


def test_weighted_by_hand():
    told = RelativeDifference(weighted=True).details(mini_table())
    # Shares of the values, a half for each column; their mean is 0.
    weight = np.array([0.2] * 5 + [0.6, 0.4]) / 2
    every = np.array([0, 0, -3 / 14, 6 / 14, -3 / 14, 1 / 6, -1 / 4])
    error = 1.96 * np.sqrt((weight * every**2).sum() * 7 / 6 / 7)
    assert told == pytest.approx({"low": -error, "high": error, "values": 7})


@pytest.mark.parametrize("form", FORMS, ids=repr)
@given(evaluation=evaluations(), weighted=st.booleans(), absolute=st.booleans())
@settings(deadline=None, max_examples=30)
def test_it_is_the_formula_on_estimated_shares(form, evaluation, weighted, absolute):
    data = evaluation.data
    publication, _, plan = publish(form, data, plan_for(form, data, evaluation.plan))
    one = Evaluation(data, *recode(data, plan), publication)
    metric = RelativeDifference(weighted=weighted, absolute=absolute)
    try:
        shown = compared(data, publication)
    except TableError:
        with pytest.raises(PolicyError, match="relative-difference: column"):
            metric.measure(one)
        return
    pairs = []
    total = sum(own.weight for own in data.quasi)
    for domain in data.quasi:
        for p, q in zip(shown.original(domain.name), shown.published(domain.name), strict=True):
            if p > 0:
                pairs.append(((q - p) / p, p * domain.weight / total if weighted else 1.0))
    found, each = np.array(pairs).T
    found = abs(found) if absolute else found
    mean = np.average(found, weights=each)
    assert metric.measure(one) == pytest.approx(mean, abs=1e-9)
    told, m = metric.details(one), found.size
    assert told["values"] == m
    spread = np.average((found - mean) ** 2, weights=each) * m / max(1, m - 1) if m > 1 else 0.0
    assert told["high"] - told["low"] == pytest.approx(2 * 1.96 * np.sqrt(spread / m), abs=1e-9)
    if weighted and not absolute and plan.published.any():
        unheard = [
            domain.weight / total * shown.published(domain.name)[shown.original(domain.name) == 0].sum()
            for domain in data.quasi
        ]
        assert mean == pytest.approx(-sum(unheard), abs=1e-9)


@given(evaluation=evaluations(), weighted=st.booleans())
@settings(deadline=None, max_examples=30)
def test_what_is_published_as_it_is_does_not_differ(evaluation, weighted):
    exact = evaluate(evaluation.data, evaluation.data.tuples.of)
    metric = RelativeDifference(weighted=weighted)
    assert metric.measure(exact) == 0
    assert metric.details(exact)["low"] == metric.details(exact)["high"] == 0


def test_withheld_records_and_nothing_published():
    ages = integers("a", [1, 2])
    # Shares 1/2 and 1/2 became 1/3 and 2/3.
    some = one_column(ages, [0, 0, 1, 1], [0, -1, 1, 1])
    assert RelativeDifference(absolute=True).measure(some) == pytest.approx(1 / 3)
    assert RelativeDifference().measure(some) == pytest.approx(0)
    assert RelativeDifference().measure(one_column(ages, [0, 1], [-1, -1])) == -1


def test_a_value_alone_has_no_interval():
    told = RelativeDifference().details(one_column(integers("a", [1]), [0, 0], [0, 0]))
    assert told == {"low": 0, "high": 0, "values": 1}
    assert RelativeDifference().note(told) == "95 % interval 0 to 0 over 1 value"
