"""A run as data."""

from __future__ import annotations

import json

import pytest
from tests.comparing.runs import LIMITS, run

from likeness.comparing import ComparedRun
from likeness.comparing.run import RunLimits
from likeness.errors import Refusal

MADE = run("mondrian", 5, 0.1, 5.0, strength={"k-anonymity.k": 5.0, "delta-disclosure.delta": float("inf")})
FAILED = run("sbca", 5, None, outcome="does-not-fit", why=(Refusal("is odd", ("sbca",), remedy="mend it"),))


@pytest.mark.parametrize("one", [MADE, FAILED])
def test_it_comes_back_from_json(one):
    text = json.dumps(one.to_json(), allow_nan=False)
    assert ComparedRun.from_json(json.loads(text)) == one


@pytest.mark.parametrize(
    ("outcome", "now", "again"),
    [
        ("made", RunLimits(10**6, 10**12), False),
        ("cannot-be-met", RunLimits(10**6, 10**12), False),
        ("does-not-fit", RunLimits(10**6, 10**12), False),
        ("out-of-time", LIMITS, False),
        ("out-of-time", LIMITS._replace(seconds=601), True),
        ("out-of-time", LIMITS._replace(memory=10**12), False),
        ("out-of-memory", LIMITS._replace(memory=10**10), True),
        ("out-of-memory", LIMITS._replace(seconds=10**6), False),
        ("broken-off", LIMITS, True),
    ],
)
def test_what_is_worth_another_try(outcome, now, again):
    assert run("mondrian", 5, None, outcome=outcome).may_do_better(now) is again
