"""Every metric against its plain definition, on random tables."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.metrics.tables import evaluations
from tests.oracles.metrics import ORACLES, Plain

from likeness.metrics.measuring import metric_named, metric_names

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
