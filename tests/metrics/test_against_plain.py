"""Every metric against its plain definition, on random tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics.tables import evaluations
from tests.oracles.metrics import ORACLES, Plain

from likeness.metrics.base import Evaluation
from likeness.metrics.measuring import metric_named, metric_names
from likeness.microdata.plan import Plan
from likeness.microdata.regions import recode

NEEDED = {"c-avg": {"k": 2}}


def test_every_metric_of_this_issue_has_a_plain_version():
    assert set(ORACLES) <= set(metric_names())


@settings(deadline=None, max_examples=300)
@given(evaluation=evaluations())
def test_equal_to_the_plain_definition(evaluation):
    plain = Plain(evaluation)
    for name, oracle in ORACLES.items():
        metric = metric_named(name, NEEDED.get(name))
        assert metric.measure(evaluation) == pytest.approx(oracle(plain), rel=1e-9, abs=1e-9), name


@settings(deadline=None, max_examples=50)
@given(evaluation=evaluations())
def test_exact_is_no_worse_than_all_alike_and_that_no_worse_than_nothing(evaluation):
    n = evaluation.data.size
    exact, alike, nothing = (
        Evaluation(evaluation.data, *recode(evaluation.data, Plan(np.array(classes, np.int64))))
        for classes in (range(n), [0] * n, [-1] * n)
    )
    # The sum over published records alone cannot know what is withheld.
    for name in sorted(set(ORACLES) - {"gcp", "ail"}):
        metric = metric_named(name, NEEDED.get(name))
        sign = 1 if metric.lower_is_better else -1
        values = [sign * metric.measure(release) for release in (exact, alike, nothing)]
        assert values[0] <= values[1] + 1e-9, name
        assert values[1] <= values[2] + 1e-9, name


MEANS = ("ncp", "glm", "iloss", "nloss", "ail", "gcp-normalised", "utility")


@settings(deadline=None)
@given(evaluation=evaluations(), data=st.data())
def test_a_survey_weight_counts_a_record_as_often(evaluation, data):
    size = evaluation.data.size
    times = np.array(data.draw(st.lists(st.integers(1, 4), min_size=size, max_size=size)))
    again = np.repeat(np.arange(size), times)
    plan = Plan(evaluation.plan.classes[again])
    repeated = Evaluation(evaluation.data.take(again), *recode(evaluation.data.take(again), plan))
    weighed = replace(evaluation, data=replace(evaluation.data, survey_weights=times / 8))
    for name in MEANS:
        metric = metric_named(name)
        assert metric.measure(weighed) == pytest.approx(metric.measure(repeated)), name
