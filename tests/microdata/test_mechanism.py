"""The mechanism: what it must be, what it lets an adversary believe, and how it draws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.oracles import perturbation as plain

from likeness.errors import InvalidError, LikenessError
from likeness.exact import Real
from likeness.microdata.mechanism import SCALE, Mechanism, uniform_integers
from likeness.microdata.retention import retain

CENSUS = np.array([20, 181, 411, 75, 1, 700, 38, 95])


@st.composite
def mechanisms(draw, largest=6):
    """Any matrix of probabilities over up to six values, some of which do not occur."""
    m = draw(st.integers(1, largest))
    counts = draw(st.lists(st.integers(0, 9), min_size=m, max_size=m).filter(any))
    scale = draw(st.sampled_from([7, 100, SCALE]))
    columns = []
    for count in counts:
        cuts = draw(st.lists(st.integers(0, scale), min_size=m - 1, max_size=m - 1)) if count else []
        parts = np.zeros(m, np.int64)
        present = np.flatnonzero(counts)
        if count:
            ends = [0, *sorted(cuts[: len(present) - 1]), scale]
            parts[present] = np.diff(ends)
        columns.append(parts)
    return Mechanism(np.array(counts, np.int64), np.array(columns).T.copy(), scale)


def census(beta="4", rule="capped"):
    return retain(CENSUS, [plain.beta_limits(CENSUS, beta)], rule)


@settings(deadline=None, max_examples=100)
@given(mechanism=mechanisms())
def test_posteriors_are_those_of_bayes_rule(mechanism):
    assert mechanism.problems() == []
    expected = plain.posteriors(mechanism.counts.tolist(), mechanism.numerators.tolist())
    assert mechanism.largest_posteriors() == expected
    total = int(mechanism.counts.sum())
    gains = [q * total / n - 1 if n else 0 for q, n in zip(expected, mechanism.counts.tolist(), strict=True)]
    assert mechanism.gains() == gains


@settings(deadline=None, max_examples=100)
@given(mechanism=mechanisms(), shift=st.sampled_from([-1, 0, 1]))
def test_limits_are_decided_exactly(mechanism, shift):
    """Limits that are the posteriors themselves, or differ in the 40th digit."""
    exact = plain.posteriors(mechanism.counts.tolist(), mechanism.numerators.tolist())
    limits = [Real.of(q + shift * Fraction(1, 10**40)) for q in exact]
    assert mechanism.posterior_holds(limits).tolist() == [shift >= 0] * mechanism.values


@settings(deadline=None, max_examples=60)
@given(mechanism=mechanisms(), groups=st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_confidence_in_groups(mechanism, groups):
    _, group = np.unique(groups[: mechanism.values], return_inverse=True)
    counts, parts = mechanism.counts.tolist(), mechanism.numerators.tolist()
    expected = [Fraction(0)] * (int(group.max()) + 1)
    for row in parts:
        seen = sum(n * part for n, part in zip(counts, row, strict=True))
        for g in range(len(expected)) if seen else ():
            own = sum(n * part for n, part, of in zip(counts, row, group, strict=True) if of == g)
            expected[g] = max(expected[g], Fraction(own, seen))
    assert mechanism.largest_posteriors(group) == expected
    assert mechanism.posterior_holds([Real.of(q) for q in expected], group).all()
    below = [Real.of(q - Fraction(1, 10**30)) for q in expected]
    assert not mechanism.posterior_holds(below, group).any()


def test_values_that_would_overflow():
    """10**9 records and parts of 10**15: products of 80 bits, and posteriors that tie in floats."""
    counts = np.array([10**9, 10**9 - 1])
    numerators = np.array([[SCALE - 1, 1], [1, SCALE - 1]])
    mechanism = Mechanism(counts, numerators)
    expected = plain.posteriors(counts.tolist(), numerators.tolist())
    assert mechanism.largest_posteriors() == expected
    assert mechanism.posterior_holds([Real.of(q) for q in expected]).all()
    assert not mechanism.posterior_holds([Real.of(q - Fraction(1, 10**60)) for q in expected]).any()


def bad(counts=(3, 1), numerators=((75, 25), (25, 75)), scale=100):
    return Mechanism(np.array(counts), np.array(numerators), scale)


@pytest.mark.parametrize(
    ("mechanism", "problem"),
    [
        (bad(numerators=[[75, 25, 0]]), "must be 2 by 2; got 1 by 3"),
        (bad(scale=0), "denominator must be from 1"),
        (bad(scale=10**16), "denominator must be from 1"),
        (bad(counts=(3, -1)), "must be at least 0"),
        (bad(counts=(0, 0)), "one of them above"),
        (bad(numerators=[[110, 25], [-10, 75]]), "from 0 to 1"),
        (bad(numerators=[[75, 25], [25, 74]]), "column 1 of the matrix must sum to 1; it sums to 99/100"),
        (bad(counts=(3, 0)), "column 1 of the matrix must sum to 0; it sums to 1"),
        (
            bad(counts=(3, 0), numerators=[[75, 0], [25, 0]]),
            "row 1 of the matrix is of a value that does not occur",
        ),
        (Mechanism(np.ones(1001, np.int64), SCALE * np.eye(1001, dtype=np.int64)), "at most 1000"),
    ],
)
def test_what_is_no_mechanism_is_refused(mechanism, problem):
    with pytest.raises(InvalidError, match=problem):
        mechanism.check()


def test_retention_is_known_of_its_own_kind_only():
    assert bad().retention.tolist() == [0.5, 0.5]
    assert bad().expected_truth == 0.75
    assert Mechanism(np.array([0, 4]), np.array([[0, 0], [0, 100]]), 100).retention.tolist() == [0, 1]
    assert Mechanism(np.ones(3, np.int64), np.array([[5, 2, 3], [2, 5, 3], [3, 3, 4]]), 10).retention is None


@settings(deadline=None, max_examples=60)
@given(mechanism=mechanisms(), seed=st.integers(0, 999))
def test_draws_are_those_of_a_plain_walk(mechanism, seed):
    rng = np.random.default_rng(seed)
    codes = rng.choice(mechanism.active, 40).astype(np.int32)
    draws = uniform_integers(np.random.default_rng(seed), 40, mechanism.scale)
    expected = plain.publish(codes.tolist(), mechanism.numerators.tolist(), draws.tolist())
    published = mechanism.perturb(codes, np.random.default_rng(seed))
    assert published.tolist() == expected
    assert published.dtype == np.int32
    assert (mechanism.perturb(codes, np.random.default_rng(seed)) == published).all()


def test_ends_of_the_draws_fall_where_they_belong():
    coin = bad()
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    draws = np.array([0, 74, 75, 99, 0, 24, 25, 99])
    assert coin.publish(codes, draws).tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


def test_published_frequencies_are_those_of_the_matrix():
    """A chi-square test for every original value; level 1e-4 for all together."""
    mechanism = census()
    codes = np.repeat(np.arange(8), 40_000)
    published = mechanism.perturb(codes, np.random.default_rng(1))
    seen = np.bincount(codes * 8 + published, minlength=64).reshape(8, 8)
    lowest = min(
        stats.chisquare(seen[i], 40_000 * mechanism.matrix[:, i]).pvalue for i in range(mechanism.values)
    )
    assert lowest > 1e-4 / 8


def test_records_are_drawn_independently():
    """Neighbours of one value: kept and changed pairs in the proportions of a product."""
    mechanism = census()
    kept = mechanism.perturb(np.full(200_000, 5), np.random.default_rng(2)) == 5
    pairs = np.bincount(2 * kept[::2] + kept[1::2], minlength=4)
    q = mechanism.matrix[5, 5]
    expected = np.array([(1 - q) ** 2, q * (1 - q), q * (1 - q), q * q]) * 100_000
    assert stats.chisquare(pairs, expected).pvalue > 1e-4


@pytest.mark.parametrize("codes", [[0, 9], [0, 8], [1]])
def test_a_value_without_a_column_cannot_be_drawn(codes):
    mechanism = Mechanism(np.array([3, 0]), np.array([[100, 0], [0, 0]]), 100)
    with pytest.raises(LikenessError, match="a value that the mechanism does not know"):
        mechanism.perturb(np.array(codes), np.random.default_rng(0))


@pytest.mark.parametrize("m", [2, 3, 5])
def test_standard_errors_are_those_of_the_whole_covariance(m: int) -> None:
    rng = np.random.default_rng(m)
    numerators = rng.multinomial(1000, np.full(m, 1 / m), m).T + 1000 * np.eye(m, dtype=np.int64)
    counts = rng.integers(1, 90, m)
    coin = Mechanism(counts, numerators, 2000)
    assert coin.problems() == []
    matrix, inverse = coin.matrix, np.linalg.inv(coin.matrix)
    covariance = sum(
        n * (np.diag(own) - np.outer(own, own)) for n, own in zip(counts.tolist(), matrix.T, strict=True)
    )
    assert coin.standard_errors() ** 2 == pytest.approx(np.diag(inverse @ covariance @ inverse.T))


def test_a_value_that_does_not_occur_has_no_error() -> None:
    coin = Mechanism(np.array([48, 0, 16]), np.array([[75, 0, 25], [0, 0, 0], [25, 0, 75]]), 100)
    assert coin.standard_errors() == pytest.approx([48**0.5, 0, 48**0.5])
