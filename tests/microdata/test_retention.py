"""Chances to keep a value: the paper's rule and where it fails, the capped rule, the uniform one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import perturbation as plain

from likeness.errors import CannotBeMetError
from likeness.exact import Real
from likeness.microdata.mechanism import SCALE
from likeness.microdata.retention import RULES, Limits, retain

KEEPING = ("capped", "paper", "uniform")
"""Rules that keep a value or draw from all."""
COUNTS = np.array([1, 2, 3, 4])
LIMITS = plain.beta_limits(COUNTS, 2)


def shares(*limits):
    return Limits([Real.of(Fraction(limit)) for limit in limits])


def floats(limits):
    return [float(limit) for limit in limits.largest]


def random_tables(number, seed=2):
    """Distributions of 2 … 50 values, even and very uneven ones, with β from 0.2 to 6."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        m = int(rng.choice([2, 3, 4, 6, 10, 20, 50]))
        weights = rng.dirichlet(np.full(m, rng.choice([0.3, 1.0, 5.0])))
        counts = np.maximum(1, (weights * 10 ** rng.uniform(2, 6)).astype(np.int64))
        yield counts, str(round(rng.uniform(0.2, 6), 2))


def test_the_worked_example():
    """By hand: p = (.1, .2, .3, .4), β = 2, to six digits."""
    found = retain(COUNTS, [LIMITS], "paper")
    assert plain.gammas(COUNTS, floats(LIMITS)).round(6).tolist() == [3.857143, 4.366233, 4.553553, 4.924431]
    assert found.retention.round(6).tolist() == [0.315654, 0.401312, 0.432829, 0.495232]
    assert np.diag(found.matrix).round(6).tolist() == [0.486741, 0.550984, 0.574622, 0.621424]
    elsewhere = [found.matrix[(i + 1) % 4, i] for i in range(4)]
    assert np.round(elsewhere, 6).tolist() == [0.171086, 0.149672, 0.141793, 0.126192]
    assert [round(float(x), 4) for x in found.largest_posteriors()] == [0.2836, 0.5002, 0.6387, 0.7351]
    assert np.round(floats(LIMITS), 4).tolist() == [0.3, 0.5219, 0.6612, 0.7665]


def test_the_worked_example_capped():
    found = retain(COUNTS, [LIMITS])
    assert found.retention.round(6).tolist() == [0.347519, 0.437383, 0.470448, 0.470448]


def test_the_paper_refuses_where_its_theorem_is_false():
    """Infeasible as printed: p = (.99, .01), β = 1."""
    counts = np.array([99, 1])
    limits = plain.beta_limits(counts, 1)
    gamma = plain.gammas(counts, floats(limits))
    assert gamma.round(3).tolist() == [201.336, 2.02]
    assert plain.paper_alpha(gamma).round(3).tolist() == [0.99, -0.98]
    with pytest.raises(CannotBeMetError) as refused:
        retain(counts, [limits], "paper", ["common", "rare"].__getitem__)
    assert "'rare' with chance -0.980029" in str(refused.value)
    assert "Use rule: capped" in str(refused.value)
    assert retain(counts, [limits]).posterior_holds(limits.largest).all()


def confidence(counts, matrix):
    """Largest confidence in each value, in floats."""
    joint = np.asarray(matrix) * counts
    return (joint / joint.sum(axis=1, keepdims=True)).max(axis=0)


@pytest.mark.slow
def test_two_thousand_random_distributions():
    """No rule ever exceeds a limit; `capped` keeps at least the truth that `paper` keeps, where that works."""
    refused = violated = 0
    for counts, beta in random_tables(2000):
        limits = plain.beta_limits(counts, beta)
        f = np.array(floats(limits))
        capped = retain(counts, [limits])
        assert capped.posterior_holds(limits.largest).all()
        assert (confidence(counts, capped.matrix) <= f * (1 + 1e-12)).all()
        assert capped.retention.min() > 0
        try:
            papers = retain(counts, [limits], "paper")
        except CannotBeMetError:
            refused += 1
            alpha = plain.paper_alpha(plain.gammas(counts, f))
            assert alpha.min() < 1e-6
            violated += bool((confidence(counts, plain.matrix(alpha)) > f * (1 + 1e-9)).any())
            continue
        assert (confidence(counts, papers.matrix) <= f * (1 + 1e-12)).all()
        assert capped.expected_truth >= papers.expected_truth - 1e-12
    # How uneven the tables are decides how many; 3.6 % and 1.35 % of others.
    assert 0.05 < refused / 2000 < 0.3
    assert 0.01 < violated / 2000 < refused / 2000


@settings(deadline=None, max_examples=60)
@given(
    counts=st.lists(st.integers(1, 50), min_size=2, max_size=6),
    beta=st.sampled_from(["1/5", "1/2", "1", "2", "4"]),
    rule=st.sampled_from(KEEPING),
)
def test_limits_hold_by_plain_bayes_and_the_matrix_is_as_defined(counts, beta, rule):
    limits = plain.beta_limits(counts, beta)
    try:
        found = retain(np.array(counts), [limits], rule)
    except CannotBeMetError:
        assert rule == "paper"
        assert plain.paper_alpha(plain.gammas(counts, floats(limits))).min() < 1e-12
        return
    parts = found.numerators.tolist()
    for q, limit in zip(plain.posteriors(counts, parts), limits.largest, strict=True):
        assert limit.at_least(q)
    assert np.abs(found.matrix - np.array(plain.matrix(found.retention))).max() < 1e-14
    assert (found.numerators.sum(axis=0) == SCALE).all()
    gamma = plain.gammas(counts, floats(limits))
    if rule == "paper":
        assert np.abs(found.retention - plain.paper_alpha(gamma)).max() < 1e-12
    if rule == "uniform":
        assert np.abs(found.retention - (gamma.min() - 1) / (gamma.min() + len(counts) - 1)).max() < 1e-12


@settings(deadline=None, max_examples=60)
@given(
    counts=st.lists(st.integers(1, 50), min_size=2, max_size=6),
    beta=st.sampled_from(["1/5", "1/2", "1", "2", "4"]),
)
def test_no_other_m_keeps_more_truth(counts, beta):
    limits = plain.beta_limits(counts, beta)
    found = retain(np.array(counts), [limits])
    gamma = plain.gammas(counts, floats(limits))
    p, m = np.array(counts) / sum(counts), len(counts)
    even = (gamma.min() - 1) / (gamma.min() + m - 1)
    best = p @ found.retention
    for most in np.linspace(0, 1, 400):
        alpha = plain.capped_alpha(gamma, most)
        if alpha.min() >= even / 2:
            assert p @ alpha <= best + 1e-9


def test_no_value_is_kept_less_than_half_as_often_as_evenly():
    """A common value would otherwise take all: the rare ones could not be reconstructed."""
    counts = np.array([960, *[1] * 40])
    limits = plain.beta_limits(counts, 1)
    capped, uniform = retain(counts, [limits]), retain(counts, [limits], "uniform")
    assert capped.retention.min() == pytest.approx(uniform.retention.min() / 2)
    assert capped.retention.max() > 5 * uniform.retention.max()


def test_values_without_a_limit():
    found = retain(COUNTS, [shares("1/4", 1, 1, 1)])
    alpha = found.retention
    assert alpha[0] < alpha[1] == alpha[2] == alpha[3]
    assert found.posterior_holds(shares("1/4", 1, 1, 1).largest).all()
    assert (retain(COUNTS, [shares(1, 1, 1, 1)]).numerators == SCALE * np.eye(4, dtype=np.int64)).all()
    with pytest.raises(CannotBeMetError, match="rule 'paper' would keep '0'"):
        retain(COUNTS, [shares("1/4", 1, 1, 1)], "paper")


def test_one_value_and_values_that_do_not_occur():
    only = retain(np.array([0, 7, 0]), [plain.beta_limits([0, 7, 0], 2)])
    assert only.numerators.tolist() == [[0, 0, 0], [0, SCALE, 0], [0, 0, 0]]
    some = retain(np.array([0, 1, 0, 2, 3, 4]), [plain.beta_limits([0, 1, 0, 2, 3, 4], 2)])
    assert some.retention[[1, 3, 4, 5]].tolist() == retain(COUNTS, [LIMITS]).retention.tolist()
    assert some.problems() == []
    assert not some.numerators[[0, 2]].any()
    assert not some.numerators[:, [0, 2]].any()


def test_all_limits_are_kept_at_once():
    loose = shares("1/2", "2/3", "3/4", "4/5")
    both = retain(COUNTS, [LIMITS, loose])
    assert both.posterior_holds(LIMITS.largest).all()
    assert both.posterior_holds(loose.largest).all()
    smaller = [min(one, other, key=float) for one, other in zip(LIMITS.largest, loose.largest, strict=True)]
    assert (both.numerators == retain(COUNTS, [Limits(smaller)]).numerators).all()


@pytest.mark.parametrize("rule", RULES)
def test_groups_of_values(rule):
    """Confidence in {0, 1} and {2, 3} together: shares .3 and .7."""
    group = np.array([0, 0, 1, 1])
    limits = Limits(shares("1/2", "4/5").largest, group)
    found = retain(COUNTS, [limits], rule)
    assert found.posterior_holds(limits.largest, group).all()
    assert found.problems() == []
    for v in range(4):
        seen = found.numerators[v] * COUNTS
        assert seen[:2].sum() / seen.sum() <= 0.5
        assert seen[2:].sum() / seen.sum() <= 0.8
    assert (np.diag(found.numerators) > SCALE // 4).all()


def test_a_limit_below_the_share_is_refused_by_name():
    with pytest.raises(CannotBeMetError, match=r"'d3' has a share of 0\.4 .* above the limit of 0\.333333"):
        retain(COUNTS, [shares("1/2", "1/2", "1/2", "1/3")], "capped", "d{}".format)


def test_a_limit_at_the_share_leaves_nothing():
    with pytest.raises(CannotBeMetError, match="confidence in '3' may hardly rise above its share"):
        retain(COUNTS, [shares("1/2", "1/2", "1/2", "2/5")])


@pytest.mark.parametrize("rule", ["capped", "uniform", "blocks"])
@pytest.mark.parametrize("exponent", range(2, 16))
def test_limits_barely_above_the_shares(rule, exponent):
    """Rounding to 15 decimals may not break what is that near; what is too near is refused."""
    limits = Limits([Real.of(Fraction(int(n), 10) * (1 + Fraction(1, 10**exponent))) for n in COUNTS])
    if exponent > 5:
        with pytest.raises(CannotBeMetError, match="next to nothing of any value could be kept"):
            retain(COUNTS, [limits], rule)
        return
    found = retain(COUNTS, [limits], rule)
    assert found.posterior_holds(limits.largest).all()
    assert (found.retention > 1e-7).all()


def test_more_is_kept_when_more_is_allowed():
    truth = [retain(COUNTS, [plain.beta_limits(COUNTS, beta)]).expected_truth for beta in (0.25, 0.5, 1, 1.5)]
    assert all(less < more for less, more in pairwise(truth))
