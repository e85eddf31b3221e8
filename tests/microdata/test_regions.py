"""The region of every class, against its plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.metrics.tables import evaluations
from tests.oracles.metrics import region

from likeness.microdata.data import Microdata
from likeness.microdata.domain import Domain
from likeness.microdata.plan import Plan, Reason
from likeness.microdata.regions import recode

AGE = Domain("age", "integer", np.array([20, 30, 40]), "interval", low=20, high=40)
NOTHING = np.zeros((0, 4), np.int32)


def members(data, plan):
    """Codes of every class, attribute by attribute."""
    found = {}
    for record, number in enumerate(plan.classes.tolist()):
        if number >= 0:
            found.setdefault(number, []).append(data.codes[:, record].tolist())
    return found


@settings(deadline=None, max_examples=150)
@given(evaluation=evaluations())
def test_regions_are_the_tightest_and_cover_what_they_should(evaluation):
    data, plan, recoding = evaluation.data, evaluation.plan, evaluation.recoding
    assert recoding.classes == plan.count
    for number, records in members(data, plan).items():
        for j, (domain, own) in enumerate(zip(data.quasi, recoding.attributes, strict=True)):
            covered = own.contains(np.arange(domain.codes))[own.of[number]]
            expected = region(domain, {record[j] for record in records})
            assert frozenset(np.flatnonzero(covered).tolist()) == expected
            assert own.member_codes(int(own.of[number])).tolist() == sorted(expected)
            assert own.sizes[own.of[number]] == len(expected)


@settings(deadline=None, max_examples=150)
@given(evaluation=evaluations())
def test_no_two_classes_look_alike_and_nobody_moves_apart(evaluation):
    data, plan, recoding = evaluation.data, evaluation.plan, evaluation.recoding
    looks = list(zip(*(own.of.tolist() for own in recoding.attributes), strict=True))
    assert len(set(looks)) == recoding.classes
    for own in recoding.attributes:
        assert sorted(set(own.of.tolist())) == list(range(own.count))
    # Recoding again changes nothing.
    again, _ = recode(data, plan)
    assert again.classes.tolist() == plan.classes.tolist()


def test_classes_with_equal_regions_become_one():
    data = Microdata((AGE,), np.array([[0, 2, 0, 2]], np.int32), (), NOTHING, np.arange(4))
    plan, recoding = recode(data, Plan(np.array([0, 0, 1, 1]), because={Reason("kept", "kept"): 0}))
    assert plan.classes.tolist() == [0, 0, 0, 0]
    assert plan.withheld_because == {"kept": 0}
    assert (recoding.classes, recoding.attributes[0].high.tolist()) == (1, [2])


def test_withheld_records_stay_withheld():
    data = Microdata((AGE,), np.array([[0, 2, 0, 2]], np.int32), (), NOTHING, np.arange(4))
    plan, recoding = recode(data, Plan(np.array([-1, 0, 1, 0])))
    assert plan.classes[0] == -1
    assert recoding.classes == 2
    nobody, empty = recode(data, Plan(np.full(4, -1)))
    assert (nobody.count, empty.classes, empty.attributes[0].count) == (0, 0, 0)


def test_a_number_mixed_with_the_missing_value_is_everything():
    own = Domain("age", "integer", np.array([20, 30, 40]), "interval", missing=True, low=20, high=40)
    data = Microdata((own,), np.array([[1, 3, 3, 2]], np.int32), (), NOTHING, np.arange(4))
    _, recoding = recode(data, Plan(np.array([0, 0, 1, 2])))
    regions = recoding.attributes[0]
    assert regions.everything[regions.of].tolist() == [True, False, False]
    assert regions.contains(np.arange(4))[regions.of].tolist() == [
        [True, True, True, True],
        [False, False, False, True],
        [False, False, True, False],
    ]


@pytest.mark.parametrize("shape", ["interval", "set"])
@pytest.mark.parametrize("declared", [False, True])
def test_wide_regions_reach_only_what_may_be_told(shape, declared):
    rng = np.random.default_rng(4)
    narrowed = 0
    for _ in range(200):
        size, n = int(rng.integers(1, 9)), int(rng.integers(1, 7))
        missing = bool(rng.integers(2))
        kind = (
            "ordered" if shape == "interval" and declared else "categorical" if shape == "set" else "integer"
        )
        own = Domain("x", kind, np.arange(size), shape, missing=missing, declared=declared)
        codes = rng.integers(0, own.codes, n).astype(np.int32)
        low = rng.integers(0, codes + 1).astype(np.int32)
        high = rng.integers(codes, own.codes).astype(np.int32)
        plan = Plan(rng.integers(-1, 1, n), bounds=np.array([[low], [high]]))
        kept = codes[plan.published].tolist()
        if not kept:
            continue
        data = Microdata((own,), codes[None], (), np.zeros((0, n), np.int32), np.arange(n))
        regions = recode(data, plan)[1].attributes[0]
        ends = int(low[plan.published].min()), int(high[plan.published].max())
        told = set(kept) | (set(range(size)) if declared and kind != "integer" else set())
        within = sorted(code for code in told if ends[0] <= code <= ends[1])
        if shape == "set":
            expected = [code for code in within if code in kept]
            assert bool(regions.everything[0]) == (set(expected) == told and len(told) > 1)
        elif missing and within[-1] == own.missing_code and within[0] < size:
            expected = list(range(own.codes))
            assert regions.everything[0]
        else:
            expected = list(range(within[0], within[-1] + 1))
        assert regions.member_codes(0).tolist() == expected
        narrowed += (within[0], within[-1]) != ends
    assert narrowed > 5
