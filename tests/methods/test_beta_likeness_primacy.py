"""β-likeness-primacy: the paper's example; a value too frequent for a bucket of its own; what a steward sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.problems import number, plain_set, problem, table
from tests.methods.test_k_anonymity_primacy import COLUMNS
from tests.methods.test_k_anonymity_primacy import table as ill

import likeness as lk
from likeness.methods.beta_likeness_primacy import BetaLikenessPrimacy
from likeness.microdata.data import Microdata

FLU, HIV, HYPERTENSION, TUMOR = range(4)


def part_of(counts, part, *models):
    """A problem of some records of a table, with so many of each value in the table and among them."""
    sick = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    ages = (np.arange(sick.size) * 7 % 30).astype(np.int32)
    data = Microdata(
        (number("age", 30),),
        ages[None],
        (plain_set("disease", len(counts)),),
        sick[None],
        np.arange(sick.size),
    )
    whole = problem(data, *models)
    records = np.concatenate([np.flatnonzero(sick == value)[:n] for value, n in enumerate(part)])
    return replace(whole, data=data.take(records))


def test_example_1_of_the_paper():
    asked = part_of([6, 4, 8, 8], [3, 2, 4, 4], lk.KAnonymity(2), lk.BetaLikeness(2))
    plan = BetaLikenessPrimacy().run(asked)
    assert plan.history == {
        "buckets": [["disease1", "disease0"], ["disease2", "disease3"]],
        "leaves": [{"drawn": [3, 4], "classes": 1}, {"drawn": [1, 2], "classes": 2}],
    }
    assert sorted(np.bincount(plan.classes).tolist()) == [3, 3, 7]
    limits = [float(limit) for limit in asked.requirements[1].bound.upper_limits]
    assert limits == pytest.approx([0.56915, 0.44182, 0.67036, 0.67036], abs=5e-6)


def test_a_value_too_frequent_for_a_bucket_of_its_own():
    # f(1/2) = .847: of seven records six of one value are too many, though each bucket but its own would do.
    asked = part_of([10, 10], [6, 1], lk.BetaLikeness(1))
    plan = BetaLikenessPrimacy().run(asked)
    assert plan.withheld == 7
    assert [str(reason) for reason in plan.because] == [
        "the whole table as one class does not hold beta-likeness on 'disease'"
    ]
    assert BetaLikenessPrimacy().run(part_of([10, 10], [5, 1], lk.BetaLikeness(1))).withheld == 0


@given(
    seed=st.integers(0, 1000), k=st.integers(1, 5), beta=st.sampled_from(["0.5", 1, 4]), part=st.booleans()
)
@settings(deadline=None, max_examples=60)
def test_everybody_is_published_exactly_where_all_as_one_class_hold(seed, k, beta, part):
    rng = np.random.default_rng(seed)
    asked = problem(table(rng.integers(1, 9, 5).tolist(), seed), lk.KAnonymity(k), lk.BetaLikeness(beta))
    if part:
        asked = replace(asked, data=asked.data.take(np.flatnonzero(rng.random(asked.data.size) < 0.5)))
    if asked.data.size == 0:
        return
    plan = BetaLikenessPrimacy().run(asked)
    one = asked.holding(np.zeros(asked.data.size, np.int64), 1)[0]
    assert plan.published.all() if one else plan.withheld == asked.data.size
    assert asked.holding(plan.classes, plan.count).all()


def test_on_a_whole_table_it_is_burel():
    asked = problem(table([2, 3, 3, 3, 4, 4]), lk.BetaLikeness(2), seed=3)
    again = problem(table([2, 3, 3, 3, 4, 4]), lk.BetaLikeness(2), seed=3)
    mine, burels = BetaLikenessPrimacy().run(asked), lk.Burel(variant="paper").run(again)
    assert mine.classes.tolist() == burels.classes.tolist()
    assert mine.history == burels.history


def test_a_release_against_what_is_known():
    policy = lk.Policy(
        columns=COLUMNS,
        privacy=lk.KAnonymity(4) & lk.BetaLikeness(2) & lk.JsBackground("0.2"),
        method=BetaLikenessPrimacy(),
        knowledge={"kernel": {"bandwidth": 0.3}},
        withhold={"at_most": 0.3},
    )
    release = lk.anonymize(ill(), policy, seed=1)
    assert release.verify().ok
    assert release.counts["published"] >= 420


def test_it_needs_beta_likeness_and_a_whole_k():
    with pytest.raises(lk.PolicyError, match="beta-likeness-primacy: needs beta-likeness"):
        BetaLikenessPrimacy().run(problem(table([3, 3]), lk.KAnonymity(2)))
    with pytest.raises(lk.PolicyError, match="beta-likeness-primacy: k must be"):
        BetaLikenessPrimacy(k=0)
