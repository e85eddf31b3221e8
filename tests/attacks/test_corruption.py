"""Corruption: closed forms against trying every set of known members."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forms.publications import integers, publish, table, words
from tests.metrics.tables import evaluations
from tests.oracles.attacks_corruption import breaks_at, corrupt

import likeness as lk
from likeness.attacks.base import Making
from likeness.attacks.corruption import CorruptionAttack, corrupted_posterior
from likeness.attacks.kernels.hypergeometric import at_least
from likeness.forms.anatomized import AnatomizedForm
from likeness.forms.generalized import GeneralizedForm
from likeness.methods.mondrian import Mondrian
from likeness.microdata.mechanism import Mechanism
from likeness.models.requirements import require

AGE = integers("age", [20, 25, 30, 60])
DISEASE = words("disease", ["a", "b", "d"])
SIX = table([(AGE, [0] * 6)], [(DISEASE, [0, 0, 0, 1, 2, 2])])
EASY = settings(deadline=None, max_examples=60)


def attack(data, classes, form=None, making=None, **given_):
    publication, _, _ = publish(form or GeneralizedForm(), data, classes)
    return CorruptionAttack(**given_).run(publication, data, making)


def test_the_example_of_the_specification():
    assert corrupted_posterior([3, 1, 2], [1, 1, 0]).tolist() == [0.5, 0.0, 0.5]
    with pytest.raises(lk.PolicyError, match="more members are known"):
        corrupted_posterior([3, 1, 2], [0, 2, 0])
    with pytest.raises(lk.PolicyError, match="nobody is left"):
        corrupted_posterior([1], [1])


@pytest.mark.parametrize("known", range(6))
def test_every_number_of_known_members(known):
    wanted = corrupt([0, 0, 0, 1, 2, 2], known)
    found = attack(SIX, [0] * 6, known=known)
    assert found.success == pytest.approx(float(wanted.success))
    assert found.baseline == pytest.approx(float(corrupt([0, 0, 0, 1, 2, 2], 0).success))
    assert found.details["largest"] == pytest.approx(float(wanted.largest))
    assert found.details["pinned_down"] == pytest.approx(float(wanted.pinned))
    assert found.details["known"] == known


@EASY
@given(evaluation=evaluations(), share=st.sampled_from([0, 0.25, "1/3", 0.5, 1]), anatomized=st.booleans())
def test_equals_trying_every_set(evaluation, share, anatomized):
    data = evaluation.data
    if not evaluation.plan.published.any():
        return
    form = AnatomizedForm() if anatomized else GeneralizedForm()
    publication, _, plan = publish(form, data, evaluation.plan)
    found = CorruptionAttack(share=share).run(publication, data)
    values = [data.sensitive_codes[0][plan.classes == g].tolist() for g in range(plan.count)]
    every = [(len(own), corrupt(own, int(Fraction(share) * (len(own) - 1)))) for own in values]
    records = sum(size for size, _ in every)
    assert found.success == pytest.approx(float(sum(size * one.success for size, one in every) / records))
    assert found.details["pinned_down"] == pytest.approx(
        float(sum(size * one.pinned for size, one in every) / records)
    )
    assert found.details["largest"] == pytest.approx(float(max(one.largest for _, one in every)))
    assert found.details["all_but_one"] == pytest.approx(1.0)


@EASY
@given(
    values=st.lists(st.integers(0, 2), min_size=1, max_size=7),
    known=st.integers(0, 6),
    beta=st.sampled_from([Fraction(1, 10), Fraction(1, 2), 1, 3]),
)
def test_limits_are_compared_exactly(values, known, beta):
    data = table([(AGE, [0] * len(values))], [(DISEASE, values)])
    requirements = require([lk.BetaLikeness(beta)], data.sensitive, data.sensitive_codes)
    publication, _, plan = publish(GeneralizedForm(), data, [0] * len(values))
    found = CorruptionAttack(known=known).run(publication, data, Making(Mondrian(), requirements, plan))
    limits = requirements[0].bound.upper_limits
    wanted = corrupt(values, min(known, len(values) - 1), limits)
    assert found.details["above_limit"] == pytest.approx(float(wanted.above))
    assert found.details["above_limit_before"] == 0
    assert found.details["breaks_at"] == breaks_at(values, limits)


@EASY
@given(evaluation=evaluations())
def test_more_known_members_never_help_less(evaluation):
    if not evaluation.plan.published.any():
        return
    publication, _, _ = publish(GeneralizedForm(), evaluation.data, evaluation.plan)
    found = [CorruptionAttack(known=k).run(publication, evaluation.data) for k in range(14)]
    for less, more in pairwise(found):
        assert more.success >= less.success - 1e-12
        assert more.details["largest"] >= less.details["largest"]
        assert more.details["pinned_down"] >= less.details["pinned_down"] - 1e-12
    assert found[0].gain == 0
    assert found[-1].success == pytest.approx(1.0)
    assert found[-1].details["pinned_down"] == pytest.approx(1.0)


def test_tails_equal_counting():
    cases = [
        (c, n, r, w) for n in range(1, 8) for c in range(n + 1) for r in range(n + 1) for w in range(n + 1)
    ]
    found = at_least(*np.array(cases, np.int64).T.copy())
    for (c, n, r, w), chance in zip(cases, found, strict=True):
        ways = sum(comb(c, j) * comb(n - c, r - j) for j in range(w, min(c, r) + 1))
        assert chance == pytest.approx(ways / comb(n, r))


def test_tails_of_large_classes():
    from scipy.stats import hypergeom

    found = at_least(*np.array([[20_000, 500_000, 250_000, 10_100], [3, 500_000, 10, 1]], np.int64).T.copy())
    assert found[0] == pytest.approx(hypergeom.sf(10_099, 500_000, 20_000, 250_000), rel=1e-6)
    assert found[1] == pytest.approx(hypergeom.sf(0, 500_000, 3, 10), rel=1e-6)


def test_randomized_values_are_not_corrupted():
    publication, _, _ = publish(GeneralizedForm(), SIX, [0] * 6)
    # Retention 1/2 of three values: the posterior by hand.
    publication.mechanism = Mechanism(np.array([3, 1, 2]), np.array([[4, 1, 1], [1, 4, 1], [1, 1, 4]]), 6)
    found = [CorruptionAttack(share=share).run(publication, SIX) for share in (0, 0.5, 1)]
    assert found[0] == found[1] == found[2]
    assert found[0].gain == 0
    beliefs = {0: (12, 1, 2), 1: (3, 4, 2), 2: (3, 1, 8)}
    wanted = sum(
        Fraction(times, 6) * sum(Fraction(x, sum(beliefs[v])) ** 2 for x in beliefs[v])
        for v, times in ((0, 3), (1, 1), (2, 2))
    )
    assert found[0].success == pytest.approx(float(wanted))
    assert found[0].details["largest"] == pytest.approx(12 / 15)
    assert found[0].details["everybody_else"] == 1.0


def test_every_column_is_attacked():
    data = table([(AGE, [0, 0])], [(DISEASE, [0, 1]), (words("habit", ["x", "y"]), [0, 0])])
    publication, _, _ = publish(GeneralizedForm(), data, [0, 0])
    found = CorruptionAttack(known=1).run(publication, data)
    assert (found.success, found.baseline) == (1.0, 0.5)
    assert found.details["success:disease"] == found.details["success:habit"] == 1.0
    assert CorruptionAttack(sensitive="habit").run(publication, data).success == 1.0
    assert CorruptionAttack(share=0, sensitive="disease").run(publication, data).success == 0.5
    with pytest.raises(
        lk.PolicyError, match="'habits' is not a sensitive column of the release; did you mean 'habit'"
    ):
        CorruptionAttack(sensitive="habits").run(publication, data)


@pytest.mark.parametrize("given_", [{"share": 1.5}, {"share": -1}, {"known": -1}, {"known": 0.5}])
def test_parameters_out_of_range(given_):
    with pytest.raises(lk.PolicyError, match=r"corruption: (share|known) must be"):
        CorruptionAttack(**given_)


def test_nothing_published():
    with pytest.raises(lk.PolicyError, match="nothing was published"):
        attack(SIX, [-1] * 6)


def test_through_the_release():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 400), "disease": rng.choice(list("abcd"), 400)})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    release = lk.anonymize(frame, lk.Policy(columns=columns, privacy=lk.BetaLikeness(1)), seed=1)
    found = release.attack("corruption")
    assert 0 < found.baseline < found.success < found.details["all_but_one"]
    assert found.details["above_limit_before"] == 0 < found.details["above_limit"]
    assert set(found.details) <= set(CorruptionAttack.explained)
    assert found.details["breaks_at"] >= 1


@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_a_perturbed_release_is_immune_to_corruption(share):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 400), "disease": rng.choice(list("abcd"), 400)})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method={"name": "perturbation"})
    release = lk.anonymize(frame, policy, seed=1)
    found = release.attack(CorruptionAttack(share=share))
    assert found.gain == 0
    largest = max(map(float, release.publication.mechanism.largest_posteriors()))
    assert found.details["largest"] <= largest + 1e-12
    assert found.details["everybody_else"] == 1.0
