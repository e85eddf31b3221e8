"""Naive Bayes on randomized values: against plain loops, against chance, and against the literal classifier."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.releases import attacked

import likeness as lk
from likeness.attacks.homogeneity import HomogeneityAttack
from likeness.attacks.matching import match_targets
from likeness.attacks.naive_bayes import NaiveBayesAttack
from likeness.attacks.naive_bayes import conditionals as _weighed
from likeness.attacks.naive_bayes.conditionals import ERRORS, classify_weighed, learn, weigh

EASY = settings(deadline=None, max_examples=25)


@given(draw=st.data(), most=st.sampled_from([1, 1 << 21]))
@EASY
def test_beliefs_are_those_of_plain_loops(draw, most):
    found = draw.draw(attacked("perturbed"))
    publication, data = found.publication, found.data
    mechanism = publication.mechanism
    if mechanism is None or publication.size == 0:
        return
    learned = learn(publication, data, 0, "counts")
    lifts = weigh(learned, mechanism)
    targets = match_targets(publication, data, np.arange(data.size))
    codes = data.codes[:, targets.targets.first]
    before, _weighed.MOST_CELLS = _weighed.MOST_CELLS, most
    try:
        alone, guess, confidence = classify_weighed(learned, mechanism, lifts, codes, targets.exact)
    finally:
        _weighed.MOST_CELLS = before
    n, total, pm = mechanism.counts.tolist(), int(mechanism.counts.sum()), mechanism.matrix
    assert targets.exact is not None
    for t, identity in enumerate(targets.exact.tolist()):
        weights = [n[i] / total for i in range(len(n))]
        for j, lift in enumerate(lifts):
            weights = [weight * lift[codes[j, t], i] for i, weight in enumerate(weights)]
        assert weights[alone[t]] == pytest.approx(max(weights))
        rows = np.flatnonzero(publication.identities == identity)
        beliefs = [weight / sum(weights) for weight in weights]
        if rows.size:
            beliefs = [0.0] * len(n)
            for v in publication.sensitive_codes[0][rows].tolist():
                joint = [weight * pm[v, i] for i, weight in enumerate(weights)]
                beliefs = [
                    belief + part / sum(joint) / rows.size
                    for belief, part in zip(beliefs, joint, strict=True)
                ]
        assert confidence[t] == pytest.approx(max(beliefs))
        assert beliefs[guess[t]] == pytest.approx(max(beliefs))


def release(rows: int, shift: float, seed: int) -> lk.Release:
    """A perturbed release of a table in which the value depends on the age as much as ``shift`` says."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 20, rows)
    value = np.where(rng.random(rows) < shift, age // 2, rng.integers(0, 10, rows))
    table = pl.DataFrame({"age": age, "town": rng.integers(0, 6, rows), "value": value.astype(str)})
    columns = {"age": lk.quasi(), "town": lk.quasi(), "value": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(2), method="perturbation")
    return lk.anonymize(table, policy, seed=seed)


def test_lifts_are_the_formula():
    found = release(2_000, 0.7, 1)
    publication, mechanism = found.publication, found.publication.mechanism
    assert mechanism is not None
    lifts = weigh(learn(publication, found.private.encoded.data, 0, "counts"), mechanism)
    p = mechanism.counts / 2_000
    inverse = np.linalg.inv(mechanism.matrix)
    expected = mechanism.matrix @ p
    ages = [int(row) for row in found.table["age"]]
    shown = publication.sensitive_codes[0]
    for v in range(10):
        s = sum(expected[k] * inverse[v, k] ** 2 for k in range(10)) - p[v] ** 2
        shares = {}
        for age in range(20):
            own = [shown[r] for r in range(2_000) if ages[r] == age]
            shares[age] = (sum(inverse[v, k] for k in own) / len(own), len(own))
        more = sum(n * (q - p[v]) ** 2 for q, n in shares.values()) - s * (20 + ERRORS * sqrt(40))
        spread = max(0.0, more / 2_000)
        for age, (q, n) in shares.items():
            believed = spread / (spread + s / n)
            assert lifts[0][age, v] == pytest.approx(max(1e-6, 1 + believed * (q / p[v] - 1)), rel=1e-6)


def test_where_nothing_depends_on_anything_chance_is_hardly_ever_believed():
    """A χ² of 5 or 19 degrees of freedom exceeds its mean by four standard deviations with chances below .4 %."""
    believed = []
    for seed in range(10):
        found = release(1_000, 0.0, seed)
        mechanism = found.publication.mechanism
        assert mechanism is not None
        lifts = weigh(learn(found.publication, found.private.encoded.data, 0, "counts"), mechanism)
        believed += [bool((lift[:, v] != 1).any()) for lift in lifts for v in range(10)]
    assert len(believed) == 200
    # At most 8 of 200: more would come once in 100,000 times.
    assert sum(believed) <= 8


def test_where_chance_explains_everything_the_published_value_alone_decides():
    found = release(3_000, 0.0, 2)
    publication, data = found.publication, found.private.encoded.data
    assert publication.mechanism is not None
    learned = learn(publication, data, 0, "counts")
    targets = match_targets(publication, data, np.arange(data.size))
    codes = data.codes[:, targets.targets.first]
    nothing = [np.ones((attribute.codes, 10)) for attribute in learned.attributes]
    _, guess, _ = classify_weighed(learned, publication.mechanism, nothing, codes, targets.exact)
    names = np.array(publication.sensitive[0].labels)[guess[targets.targets.of]]
    truth = np.array(data.sensitive[0].labels)[data.sensitive_codes[0]]
    assert np.mean(names == truth) == pytest.approx(found.attack(HomogeneityAttack()).success)


def test_it_finds_what_the_literal_classifier_takes_for_noise():
    found = release(4_000, 0.5, 3)
    weighed, counts = found.attack("naive-bayes"), found.attack(NaiveBayesAttack(variant="counts"))
    assert weighed.details["learned_from_original"] > 0.5
    assert weighed.details["without_own_value"] > 0.35
    assert weighed.success > 0.35
    assert weighed.success > counts.success
    assert "without_own_value" not in counts.details


def test_it_is_for_randomized_values():
    table = pl.DataFrame({"age": [1, 2], "value": ["a", "b"]})
    policy = lk.Policy(columns={"age": lk.quasi(), "value": lk.sensitive()}, privacy=lk.KAnonymity(2))
    with pytest.raises(lk.PolicyError, match="weighed is for randomized values"):
        lk.anonymize(table, policy).attack(NaiveBayesAttack(variant="weighed"))
