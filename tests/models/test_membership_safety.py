from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.tables import accepts, bind, count, holds

import likeness as lk
from likeness.kernels.class_excess import excess, measures_of
from likeness.kernels.class_tests import lay_out
from likeness.models.membership_safety import MembershipSafety
from likeness.models.recursive_cl_diversity import RecursiveClDiversity

LABELS = ["asymptomatic", "low", "mild", "high", "severe"]
INFORMS = [667, 4_133, 11_782, 8_625, 1_647]
"""People of INFORMS 2005 by the highest category of their diagnoses, the least severe first."""
SMALL = [c for c in product(range(4), repeat=4) if any(c)]


def largest_belief(counts):
    """Of who knows nothing, or one category of a person: in any category above it."""
    beliefs = [Fraction(n, sum(counts)) for n in counts]
    for known in range(len(counts)):
        left = sum(counts[known:])
        beliefs += [Fraction(n, left) for n in counts[known + 1 :] if left]
    return max(beliefs)


def test_delta_is_what_an_adversary_may_believe_who_knows_one_category():
    bound = bind(MembershipSafety("1/2"), [1] * 4)
    for counts in SMALL:
        strongest = bound.strongest(count([counts])).values["delta"]
        assert strongest == pytest.approx(float(largest_belief(counts)))
        for delta in ("1/3", "1/2", "2/3"):
            good = largest_belief(counts) <= Fraction(delta)
            assert holds(MembershipSafety(delta), [1] * 4, counts) == [good]
            assert accepts(bind(MembershipSafety(delta), [3] * 4), counts) == good


def test_unions_and_weighted_means_hold():
    held = np.array([c for c in SMALL if largest_belief(c) <= Fraction(1, 2)])
    weights = np.random.default_rng(1).integers(1, 9, (2, 3_000))
    a, b = np.random.default_rng(2).integers(0, len(held), (2, 3_000))
    mixed = held[a] * weights[0][:, None] + held[b] * weights[1][:, None]
    assert bind(MembershipSafety("1/2"), [100] * 4).holds(count(mixed)).all()
    assert MembershipSafety.closed_under_union


def test_a_record_more_may_break_it():
    assert holds(MembershipSafety("1/2"), [2, 1], [1, 1], [2, 1]) == [True, False]
    assert not MembershipSafety.closed_under_adding


def test_table_12_is_breached_where_one_record_is_known():
    """Fazal et al. 2023, bucket 2: who knows that somebody has a high symptom is certain of the severe one."""
    buckets = [[0, 0, 1, 0, 1], [0, 0, 0, 1, 1], [1, 1, 0, 0, 0], [0, 2, 1, 0, 0]]
    bound = bind(MembershipSafety("1/2"), np.sum(buckets, axis=0).tolist())
    assert bound.holds(count(buckets)).tolist() == [False, True, True, False]
    # Severe, of who is mild at least; mild, of who is low at least, is 1/3 and low 2/3 of all.
    assert bound.measured(count(buckets)).tolist() == [1, 1 / 2, 1 / 2, 2 / 3]


def test_the_strongest_of_a_table_is_said_as_a_fraction():
    ages = np.repeat(np.arange(5), INFORMS)
    table = pl.DataFrame({"age": np.arange(ages.size) % 60, "worst": [LABELS[i] for i in ages]})
    policy = lk.Policy(
        columns={"age": lk.quasi(), "worst": lk.sensitive()},
        categories={"worst": {label: [label] for label in LABELS}},
        privacy=lk.KAnonymity(5) & MembershipSafety("2/5"),
        method="mondrian",
    )
    with pytest.raises(lk.CannotBeMetError) as refused:
        lk.anonymize(table, policy, seed=1)
    (line,) = refused.value.problems
    assert (
        "membership-safety on 'worst': the table of 26,854 records, taken as one class, does not hold it; "
        in line
    )
    assert (
        "the strongest it could meet is delta = 0.449918 (274/609: 11,782 are 'mild', of 26,187 that are at least 'low'). "
        "As unions of classes that hold also hold, no release of all these records can meet a smaller one"
    ) in line
    assert "\n" not in line
    made = lk.anonymize(table, policy.replace(privacy=lk.KAnonymity(5) & MembershipSafety("274/609")), seed=1)
    assert made.certificate.classes == 1


def test_it_reads_the_order_of_categories_or_of_values():
    table = pl.DataFrame({"age": [1, 1, 1, 1], "worst": ["mild", "low", "mild", "low"]})
    columns = {"age": lk.quasi(), "worst": lk.sensitive()}
    with pytest.raises(
        lk.PolicyError, match=r"^membership-safety: judges 'worst' by categories, and it has none"
    ):
        lk.anonymize(table, lk.Policy(columns=columns, privacy=MembershipSafety("1/2")))
    with pytest.raises(lk.PolicyError, match=r"^membership-safety: needs an order of the values of 'worst'"):
        lk.anonymize(table, lk.Policy(columns=columns, privacy=MembershipSafety("1/2", by="values")))
    ordered = columns | {"worst": lk.sensitive(kind="ordered", domain=["low", "mild"])}
    made = lk.anonymize(
        table,
        lk.Policy(columns=ordered, method="mondrian", privacy=MembershipSafety("1/2", by="values")),
        seed=1,
    )
    assert made.verdict.ok


@given(
    st.lists(st.integers(0, 10**9), min_size=2, max_size=5).filter(any),
    st.sampled_from(["0.333333333333333333", "3/7", "0.61803398874989484820", "1", "1e-12"]),
)
@settings(deadline=None, max_examples=80)
def test_long_fractions_neither_overflow_nor_accept_too_much(counts, delta):
    bound = bind(MembershipSafety(delta), counts)
    good = largest_belief(counts) <= Fraction(delta)
    assert bound.holds(count([counts])).tolist() == [good]
    assert good or not accepts(bound, counts)
    if sum(counts) < 1 << 31:
        assert accepts(bound, counts) == good


@pytest.mark.parametrize("q", [1, 2])
def test_recursive_diversity_bounds_who_rules_values_out(q):
    delta = Fraction(2, 3)
    model = RecursiveClDiversity(delta / (1 - delta), q + 2)
    for counts in SMALL:
        beliefs = [
            Fraction(counts[s], sum(counts) - sum(counts[r] for r in ruled_out))
            for s in range(4)
            for ruled_out in combinations([r for r in range(4) if r != s], q)
            if counts[s]
        ]
        assert holds(model, [1] * 4, counts) == [max(beliefs) < delta]


@pytest.mark.parametrize(
    "model",
    [
        MembershipSafety("1/2"),
        lk.ThetaSensitivity(2, "3/5"),
        lk.ThetaSensitivity(2, "3/5", order="frequency"),
    ],
)
def test_what_searches_lower_is_above_1_just_where_it_does_not_hold(model):
    bound = bind(model, [9] * 4)
    laid = lay_out([bound.class_test()])
    classes = [c for c in SMALL if sum(c) > 1]
    judged = bound.judge(count(classes))
    for counts, good, measured in zip(classes, judged.holds, judged.measured, strict=True):
        found = excess(
            measures_of(laid), laid.shape, laid.integers, laid.reals, sum(counts), np.array(counts, np.int64)
        )
        assert (found <= 1 + 1e-12) == good
        limit = (
            float(Fraction(model.delta)) if isinstance(model, MembershipSafety) else float(Fraction(model.mu))
        )
        expected = (
            measured / limit
            if isinstance(model, MembershipSafety)
            else limit / measured
            if measured
            else np.inf
        )
        assert found == pytest.approx(expected)
