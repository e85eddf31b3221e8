"""The usual models of population uniqueness, against what their papers print, their own expectations, and simulations."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest
from scipy.stats import hypergeom, nbinom

import likeness as lk
from likeness.risk.individual import individual_risk, least_sample_size, poisson_sample_size
from likeness.risk.uniqueness import (
    SampleClasses,
    dankar,
    pitman,
    shlosser,
    slide_negative_binomial,
    usual_models,
    zayatz,
)


def drawn(population, fraction, seed):
    """Sizes of the classes of a sample, of a population given by the sizes of its classes."""
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(population.size), population)
    sample = rng.choice(people, round(fraction * people.size), replace=False)
    return np.bincount(sample, minlength=population.size)


def test_zayatz_is_bayes_rule_with_hypergeometric_chances():
    sample = SampleClasses.of(np.array([1] * 6 + [2] * 3 + [5]), 0.2)
    n, size, u = 17, 85, 10
    once = {j: hypergeom(size, j, n).pmf(1) for j in (1, 2, 5)}
    given = 0.6 * once[1] / sum(share / u * once[j] for j, share in ((1, 6), (2, 3), (5, 1)))
    assert zayatz(sample) == pytest.approx(6 * given / n)


def test_slide_negative_binomial_finds_the_parameters_its_sample_was_expected_from():
    # A population whose classes follow the model, in numbers so large that what is seen is what is expected.
    rng = np.random.default_rng(1)
    alpha, share, fraction = 0.7, 0.15, 0.3
    sizes = 1 + nbinom(alpha, share).rvs(200_000, random_state=rng)
    sample = SampleClasses.of(rng.binomial(sizes, fraction), fraction)
    assert shlosser(sample) == pytest.approx(200_000, rel=0.1)
    truth = (sizes == 1).sum() / sizes.sum()
    assert slide_negative_binomial(sample) == pytest.approx(truth, rel=0.15)
    # Without a class of two there is nothing to fit.
    assert slide_negative_binomial(SampleClasses.of(np.array([1, 1, 3]), 0.5)) is None


@pytest.mark.parametrize(("theta", "alpha"), [(20.0, 0.5), (100.0, 0.2), (5.0, 0.8)])
def test_pitman_of_a_sample_from_pitmans_own_urn(theta, alpha):
    rng = np.random.default_rng(3)
    sizes: list[int] = []
    whose: list[int] = []
    for person in range(20_000):
        if rng.random() * (theta + person) < theta + alpha * len(sizes):
            whose.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # somebody drawn at random, and refused with α over the size of their class
            at = whose[rng.integers(person)]
            if rng.random() * sizes[at] >= alpha:
                break
        sizes[at] += 1
        whose.append(at)
    population = np.array(sizes)
    truth = (population == 1).sum() / population.sum()
    found = [pitman(SampleClasses.of(drawn(population, 0.2, seed), 0.2)) for seed in range(8)]
    assert np.mean(found) == pytest.approx(truth, rel=0.12)


def test_the_decision_rule_takes_pitman_below_a_tenth_and_the_smaller_of_two_above():
    sizes = np.array([1] * 200 + [2] * 70 + [3] * 30 + [8] * 20)
    few, many = SampleClasses.of(sizes, 0.1), SampleClasses.of(sizes, 0.11)
    assert dankar(few) == (pitman(few), "pitman")
    two = {"zayatz": zayatz(many), "slide-negative-binomial": slide_negative_binomial(many)}
    smaller = min(two, key=lambda name: two[name])
    assert dankar(many) == (two[smaller], smaller)
    alone = SampleClasses.of(np.array([1, 1, 3]), 0.5)
    assert dankar(alone) == (zayatz(alone), "zayatz")


def test_ends_of_every_model():
    nobody = SampleClasses.of(np.array([2, 3, 4]), 0.1)
    assert set(usual_models(nobody).values()) == {0.0}
    everybody = SampleClasses.of(np.array([1, 1, 2]), 1.0)
    assert usual_models(everybody) == dict.fromkeys(usual_models(everybody), pytest.approx(0.5))
    for refused in (0, -0.1, 1.1, "x"):
        with pytest.raises(lk.PolicyError, match="sampling_fraction must be a number above 0 and at most 1"):
            SampleClasses.of(np.array([1]), refused)
    with pytest.raises(lk.PolicyError, match="no classes"):
        SampleClasses.of(np.array([0]), 0.5)


def test_individual_risk_as_printed_and_as_summed():
    for p in (0.01, 0.1, 0.5, 0.9):
        q, ratio = 1 - p, p / (1 - p)
        printed = [
            ratio * log(1 / p),
            ratio - ratio**2 * log(1 / p),
            ratio * (0.5 - ratio + ratio**2 * log(1 / p)),
        ]
        sizes = np.array([1, 2, 3, 7, 40])
        found = individual_risk(sizes, p)
        assert found[:3] == pytest.approx(printed)
        for size, risk in zip(sizes.tolist(), found.tolist(), strict=True):
            further = np.arange(20_000)
            summed = (nbinom(size, p).pmf(further) / (size + further)).sum()
            assert risk == pytest.approx(summed, rel=1e-3 if p == 0.01 else 1e-8), (size, q)
    assert individual_risk(np.array([4]), 1.0).tolist() == [0.25]


def test_least_sample_sizes_are_tests_of_level():
    for k, p in ((3, 0.2), (5, 0.1), (20, 0.3), (50, 0.05)):
        hidden = k - 1
        chances = [comb(hidden, i) * p**i * (1 - p) ** (hidden - i) for i in range(hidden + 1)]
        seen = 1 - chances[0]
        size = least_sample_size(k, p)
        assert sum(chances[size:]) / seen <= 0.05 < sum(chances[size - 1 :]) / seen
        assert size <= poisson_sample_size(k, p) <= size + 1
    assert (least_sample_size(1, 0.2), least_sample_size(9, 1.0)) == (1, 9)
    with pytest.raises(lk.PolicyError, match="k must be a whole number"):
        least_sample_size(0, 0.2)
