"""What adversaries believe: the kernels against plain numpy."""

from __future__ import annotations

from itertools import combinations
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.kernels.beliefs import (
    complete_linkage,
    divergence,
    divergences,
    entropies,
    near,
    odds,
    odds_apart,
    widest,
    widest_odds,
    within,
)

EASY = settings(deadline=None, max_examples=60)
SEEDS = st.integers(0, 10**6)


def random_shares(rng, count, values):
    """Distributions, some of whose shares are 0."""
    shares = rng.integers(0, 5, (count, values)).astype(float)
    shares[shares.sum(axis=1) == 0] = 1.0
    return shares / shares.sum(axis=1, keepdims=True)


def plain_bits(shares):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shares > 0, shares * np.log2(shares), 0.0)


def plain_divergence(one, other):
    middle = (one + other) / 2
    return plain_bits(one).sum() / 2 + plain_bits(other).sum() / 2 - plain_bits(middle).sum()


def classes_of(rng, count):
    """Where each class begins, and the rows that are its members."""
    sizes = rng.integers(0, 6, int(rng.integers(1, 6)))
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return start, rng.integers(0, count, int(start[-1])).astype(np.int64)


def plain_odds(rows, values):
    """Logarithm of the largest odds of two rows over some values that not both rule out."""
    found = 0.0
    for one, other in combinations(rows, 2):
        told = [s for s in values if one[s] or other[s]]
        if any(not one[s] or not other[s] for s in told):
            return inf
        if told:
            logs = [log(one[s] / other[s]) for s in told]
            found = max(found, max(logs) - min(logs))
    return found


@EASY
@given(seed=SEEDS)
def test_divergences(seed):
    rng = np.random.default_rng(seed)
    shares = random_shares(rng, int(rng.integers(1, 8)), int(rng.integers(1, 6)))
    negative = entropies(shares)
    assert np.allclose(negative, plain_bits(shares).sum(axis=1), atol=1e-14)
    pairs = list(combinations(range(len(shares)), 2))
    expected = [plain_divergence(shares[i], shares[j]) for i, j in pairs]
    assert np.allclose(divergences(shares, negative), expected, atol=1e-14)
    assert (divergences(shares, negative) >= 0).all()
    for (i, j), own in zip(pairs, divergences(shares, negative), strict=True):
        assert divergence(shares, negative, i, j) == divergence(shares, negative, j, i) == own


def test_divergences_of_equal_rows_are_zero():
    shares = np.array([[1 / 3, 1 / 3, 1 / 3]] * 2)
    assert divergence(shares, entropies(shares), 0, 1) == 0.0


@EASY
@given(seed=SEEDS)
def test_complete_linkage_joins_by_the_farthest_members(seed):
    rng = np.random.default_rng(seed)
    c = int(rng.integers(1, 12))
    far = np.zeros((c, c))
    far[np.triu_indices(c, 1)] = rng.permutation(c * (c - 1) // 2) + 1.0
    far += far.T
    one, other, height = complete_linkage(far[np.triu_indices(c, 1)].copy(), c)
    found = {frozenset([i]) for i in range(c)}
    members = {i: frozenset([i]) for i in range(c)}
    joins = []
    for a, b, h in zip(one.tolist(), other.tolist(), height.tolist(), strict=True):
        members[a] |= members.pop(b)
        joins.append((h, members[a]))
    # By definition: the two clusters whose farthest members are nearest, one join after the other.
    expected = []
    while len(found) > 1:
        h, a, b = min(
            ((max(far[x, y] for x in a for y in b), a, b) for a, b in combinations(found, 2)),
            key=lambda pair: pair[0],
        )
        found = (found - {a, b}) | {a | b}
        expected.append((h, a | b))
    assert sorted(joins, key=lambda pair: pair[0]) == expected


@EASY
@given(seed=SEEDS)
def test_the_widest_of_each_class(seed):
    rng = np.random.default_rng(seed)
    shares = random_shares(rng, 7, 4)
    negative, (start, members) = entropies(shares), classes_of(rng, 7)
    found = widest(start, members, shares, negative)
    for g, own in enumerate(np.split(members, start[1:-1])):
        expected = max((plain_divergence(shares[i], shares[j]) for i, j in combinations(own, 2)), default=0)
        assert found[g] == pytest.approx(expected, abs=1e-14)


@EASY
@given(seed=SEEDS)
def test_near_pairs(seed):
    rng = np.random.default_rng(seed)
    shares = random_shares(rng, 7, 4)
    negative, (start, members) = entropies(shares), classes_of(rng, 7)
    least, most = sorted(rng.random(2))
    expected = [
        (i, j, g)
        for g, own in enumerate(np.split(members, start[1:-1]))
        for i, j in combinations(own.tolist(), 2)
        if least < divergence(shares, negative, i, j) <= most
    ]
    assert [tuple(map(int, pair)) for pair in near(start, members, shares, negative, least, most)] == expected


@EASY
@given(seed=SEEDS)
def test_whether_all_are_within_a_limit(seed):
    rng = np.random.default_rng(seed)
    shares = random_shares(rng, 7, 3)
    negative = entropies(shares)
    members = rng.integers(0, 7, int(rng.integers(0, 6))).astype(np.int64)
    apart = [divergence(shares, negative, i, j) for i, j in combinations(members, 2)]
    for limit in (0.0, 0.1, 0.5, *apart):
        assert within(members, shares, negative, limit) == all(own <= limit for own in apart)


@EASY
@given(seed=SEEDS)
def test_odds(seed):
    rng = np.random.default_rng(seed)
    shares = random_shares(rng, 6, 4)
    if rng.integers(2):
        shares = np.where(shares > 0, shares, 0.01)
        shares[:, int(rng.integers(4))] = 0.0
    start, members = classes_of(rng, 6)
    first, values = [0], []
    for _ in range(start.size - 1):
        values += sorted(rng.choice(4, int(rng.integers(1, 5)), replace=False).tolist())
        first.append(len(values))
    found = odds(start, members, np.array(first), np.array(values), shares)
    for g in range(start.size - 1):
        own, over = members[start[g] : start[g + 1]], values[first[g] : first[g + 1]]
        expected = plain_odds(shares[own], over)
        assert found[g] == pytest.approx(expected, abs=1e-12)
        assert odds_apart(own, np.array(over), shares) == found[g]


@pytest.mark.parametrize("shape", [(3, 9), (9, 3)])
def test_odds_by_pairs_of_rows_and_of_values(shape):
    logs = np.random.default_rng(1).normal(size=shape)
    apart = logs[:, None, :] - logs[None, :, :]
    expected = (apart.max(axis=2) - apart.min(axis=2)).max()
    assert widest_odds(logs) == pytest.approx(expected, abs=1e-13)
