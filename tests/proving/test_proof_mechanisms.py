"""Proofs about perturbed values: what is judged is the mechanism, against the published distribution."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, mechanism, plan_for, publish, table, words
from tests.oracles import models as oracles

import likeness as lk
from likeness.errors import PolicyError
from likeness.forms.perturbed import PerturbedForm
from likeness.methods.base import holding_records
from likeness.microdata.mechanism import SCALE, Mechanism
from likeness.microdata.plan import Plan, Reason
from likeness.models.requirements import require
from likeness.proving.proof import prove
from likeness.registry import create

DISEASE = words("disease", list("abcde"))
SICK = [0] * 10 + [1] * 6 + [2] * 3 + [4]


def data_of(sick: list[int]):
    return table([(integers("age", [30, 40, 50]), [i % 3 for i in range(len(sick))])], [(DISEASE, sick)])


def published(sick: list[int], own: Mechanism):
    data = data_of(sick)
    drawn = own.perturb(data.sensitive_codes[0], np.random.default_rng(0))[None]
    plan = Plan(data.tuples.of, sensitive=drawn, mechanism=own)
    return data, plan, publish(PerturbedForm(), data, plan)[0]


def posteriors(own: Mechanism) -> list[Fraction]:
    """Largest confidence in each value, by the definition."""
    counts, rows = own.counts.tolist(), own.numerators.tolist()
    joint = [[n * part for n, part in zip(counts, row, strict=True)] for row in rows]
    return [
        max((Fraction(row[i], sum(row)) for row in joint if sum(row)), default=Fraction(0)) for i in range(5)
    ]


@st.composite
def mechanisms(draw: st.DrawFn) -> tuple[list[int], Mechanism]:
    """Any matrix at all over the values that occur, often near the identity or near uniform."""
    counts = draw(st.lists(st.integers(0, 8), min_size=5, max_size=5).filter(any))
    active = [i for i in range(5) if counts[i]]
    numerators = np.zeros((5, 5), np.int64)
    for i in active:
        parts = [draw(st.integers(1, 20)) for _ in active]
        parts[active.index(i)] += draw(st.sampled_from([0, 5, 1000]))
        entries = [SCALE * part // sum(parts) for part in parts]
        entries[0] += SCALE - sum(entries)
        numerators[active, i] = entries
    sick = [i for i in range(5) for _ in range(counts[i])]
    return sick, Mechanism(np.array(counts), numerators)


GUARANTEES = (
    ("basic-beta-likeness", {"beta": 1}),
    ("basic-beta-likeness", {"beta": "0.25"}),
    ("beta-likeness", {"beta": 2}),
    ("beta-likeness", {"beta": "0.5"}),
    ("alpha-k-anonymity", {"alpha": "0.6", "k": 1}),
    ("rho-privacy", {"rho2": "0.7"}),
)


@given(mechanisms(), st.sampled_from(GUARANTEES))
@settings(deadline=None, max_examples=200)
def test_the_mechanism_is_judged_as_the_definitions_say(drawn, guarantee):
    sick, own = drawn
    name, given_ = guarantee
    model = create("models", name, given_)
    _, _, publication = published(sick, own)
    (proof,) = prove(publication, [model]).proofs
    reference, plain = own.counts.tolist(), getattr(oracles, name.replace("-", "_"))
    rows = [[n * part for n, part in zip(reference, row, strict=True)] for row in own.numerators.tolist()]
    assert proof.holds == all(plain(row, reference, DISEASE, **given_) for row in rows if any(row))
    assert proof.scope == "mechanism"
    assert proof.holds == (proof.violated == 0) == (proof.failures == ())
    worst = posteriors(own)
    strength = next(iter(proof.strength.values.values()))
    if name == "basic-beta-likeness":
        shares = [Fraction(n, len(sick)) for n in reference]
        gain = max(q / p - 1 for q, p in zip(worst, shares, strict=True) if p)
        assert strength == pytest.approx(float(gain)) or strength == float("inf")
    if name in {"alpha-k-anonymity", "rho-privacy"}:
        assert strength == pytest.approx(float(max(worst))) or max(worst) == 1
    # What is said to be the strongest holds.
    key = next(iter(proof.strength.values))
    if 0 < strength < (1 if key == "rho2" else np.inf):
        assert prove(publication, [create("models", name, given_ | {key: strength})]).ok


@given(mechanisms(), st.sampled_from(GUARANTEES))
@settings(deadline=None, max_examples=60)
def test_the_search_judges_like_the_proof(drawn, guarantee):
    sick, own = drawn
    model = create("models", guarantee[0], guarantee[1])
    data, plan, publication = published(sick, own)
    requirements = require([model], data.sensitive, data.sensitive_codes)
    good = holding_records(requirements, data, plan)
    assert good.tolist() == [prove(publication, [model]).ok] * len(sick)


def test_a_mechanism_for_other_records_proves_nothing():
    data = data_of(SICK)
    requirements = require([lk.BetaLikeness(4)], data.sensitive, data.sensitive_codes)
    own = mechanism(np.bincount(SICK, minlength=5))
    plan = plan_for(PerturbedForm(), data, Plan(data.tuples.of))
    assert holding_records(requirements, data, plan).all()
    fewer = plan.withhold(np.arange(20) == 3, Reason("tried", "tried"))
    assert fewer.mechanism is not None
    assert fewer.sensitive is not None
    assert fewer.mechanism.counts.tolist() == own.counts.tolist()
    assert not holding_records(requirements, data, fewer).any()


def test_who_is_there_is_judged_by_exact_quasi_identifiers():
    data, plan, publication = published(SICK, mechanism(np.bincount(SICK, minlength=5)))
    found = prove(publication, [lk.KAnonymity(6), lk.BetaLikeness(3)])
    assert [(proof.scope, proof.holds) for proof in found.proofs] == [("public", True), ("mechanism", True)]
    assert found.proofs[0].strength.values == {"k": 6}
    assert not prove(publication, [lk.KAnonymity(7)]).ok
    requirements = require([lk.KAnonymity(7)], data.sensitive, data.sensitive_codes)
    assert holding_records(requirements, data, plan).sum() == 14


def test_failures_name_the_values():
    keep = np.zeros((5, 5), np.int64)
    keep[[0, 1, 2, 4], [0, 1, 2, 4]] = SCALE
    _, _, publication = published(SICK, Mechanism(np.bincount(SICK, minlength=5), keep))
    found = prove(publication, [lk.BetaLikeness(1)])
    assert found.lines() == [
        "VIOLATED: beta-likeness (beta = 1) on 'disease', scope mechanism; strongest: beta = inf",
        "  violated by the value 'a': a published value raises confidence in it to 1; the limit is 0.846574",
        "  violated by the value 'b': a published value raises confidence in it to 1; the limit is 0.6",
        "  violated by the value 'c': a published value raises confidence in it to 1; the limit is 0.3",
        "  … and 1 more value",
    ]


@pytest.mark.parametrize(
    "model",
    [
        lk.TCloseness("0.9"),
        lk.DistinctLDiversity(1),
        lk.BetaLikeness(4, negative="0.5"),
        lk.DeltaDisclosure(9),
    ],
    ids=lambda model: model.name,
)
def test_what_is_no_limit_on_confidence_cannot_be_proven(model):
    data, plan, publication = published(SICK, mechanism(np.bincount(SICK, minlength=5)))
    with pytest.raises(
        PolicyError, match="is not a limit on the confidence in each value alone, so it cannot be proven"
    ):
        prove(publication, [model])
    requirements = require([model], data.sensitive, data.sensitive_codes)
    assert not holding_records(requirements, data, plan).any()


def test_the_original_distribution_is_the_stewards():
    data, _, publication = published(SICK, mechanism(np.bincount(SICK, minlength=5)))
    model = lk.BetaLikeness(3, reference="original")
    assert prove(publication, [model]).proofs[0].holds is None
    (proof,) = prove(publication, [model], data).proofs
    assert (proof.scope, proof.holds) == ("steward", True)
    # More of 'e' in the original: its limit rises, and the others' fall.
    (other,) = prove(
        publication, [lk.BetaLikeness("0.2", reference="original")], data_of(SICK + [4] * 30)
    ).proofs
    assert other.holds is False
