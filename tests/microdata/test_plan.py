"""Plans: who is with whom, who is withheld, and why."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from likeness.microdata.plan import Plan, Reason, renumber

CLASSES = st.lists(st.integers(-1, 9), max_size=20)


@given(classes=CLASSES)
def test_renumbering_leaves_no_gaps_and_keeps_the_order(classes):
    found = renumber(np.array(classes, np.int64)).tolist()
    ranks = {number: rank for rank, number in enumerate(sorted(set(classes) - {-1}))}
    assert found == [ranks.get(number, -1) for number in classes]


@given(classes=CLASSES, draw=st.data())
def test_withholding_counts_every_record_once(classes, draw):
    out = np.array(draw.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))), np.bool_)
    plan = Plan(renumber(np.array(classes, np.int64)))
    found = plan.withhold(out, Reason("too-few", "too few"))
    assert found.withheld == sum(c < 0 or o for c, o in zip(classes, out.tolist(), strict=True))
    assert found.withheld_because.get("too few", 0) == found.withheld - plan.withheld
    assert found.published.tolist() == [c >= 0 and not o for c, o in zip(classes, out.tolist(), strict=True)]
    assert set(found.classes.tolist()) - {-1} == set(range(found.count))
    kept = found.published
    assert len(set(zip(found.classes[kept], plan.classes[kept], strict=True))) == found.count


def test_buckets_are_withheld_with_their_records():
    plan = Plan(np.array([0, 1, 2, 3]), np.array([0, 1, 1, 2]))
    found = plan.withhold(np.array([True, False, False, False]), Reason("why", "why"))
    assert found.classes.tolist() == [-1, 0, 1, 2]
    assert found.buckets.tolist() == [-1, 0, 0, 1]


def test_every_withheld_record_has_its_reason():
    plan = Plan(np.array([0, 1, 2, 3]))
    plan = plan.withhold(np.array([True, False, False, False]), Reason("first", "first"))
    plan = plan.withhold(np.array([True, True, False, False]), Reason("second", "second"))
    assert plan.withheld_because == {"first": 1, "second": 1}
    assert plan.reason_of.tolist() == [0, 1, -1, -1]
    again = plan.withhold(np.array([False, False, True, False]), Reason("first", "first"))
    assert again.withheld_because == {"first": 2, "second": 1}
    assert again.reason_of.tolist() == [0, 1, 0, -1]


def test_withholding_nobody_changes_nothing():
    plan = Plan(np.array([0, -1]), because={Reason("before", "before"): 1})
    assert plan.withhold(np.array([False, True]), Reason("again", "again")) is plan


def test_a_plan_without_classes():
    plan = Plan(np.array([-1, -1]))
    assert (plan.count, plan.withheld) == (0, 2)
