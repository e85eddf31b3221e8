"""The perturbation scheme of Cao & Karras 2012, section 5, by plain definition: loops, fractions, dense solves."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.retention import Limits
from likeness.models.beta_bounds import enhanced_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def beta_limits(counts: Sequence[int], beta: str | float) -> Limits:
    """f(p) of every value, as enhanced β-likeness limits it."""
    total = int(sum(counts))
    return Limits([enhanced_limit(Fraction(int(n), total), Fraction(beta)) for n in counts])


def gammas(counts: Sequence[int], limits: Sequence[float]) -> NDArray[np.float64]:
    p, f = np.array(counts) / sum(counts), np.array(limits)
    with np.errstate(divide="ignore"):
        return f / p * (1 - p) / (1 - f)


def paper_alpha(gamma: NDArray[np.float64]) -> NDArray[np.float64]:
    """Theorem 3, as printed."""
    m = len(gamma)
    smallest = 1 / (gamma.max() + m - 1)
    return (m * gamma * smallest - 1) / (m - 1)


def capped_alpha(gamma: NDArray[np.float64], most: float) -> NDArray[np.float64]:
    """The capped rule, for a given M."""
    return np.minimum(most, (gamma * (1 - most) - 1) / (len(gamma) - 1))


def matrix(alpha: Sequence[float]) -> list[list[float]]:
    """Chance of v (row) given i (column): equation 12."""
    m = len(alpha)
    return [[a * (v == i) + (1 - a) / m for i, a in enumerate(alpha)] for v in range(m)]


def posteriors(counts: Sequence[int], parts: Sequence[Sequence[int]]) -> list[Fraction]:
    """Largest confidence in each value after any published one: Bayes' rule, one value at a time."""
    m = len(counts)
    found = [Fraction(0)] * m
    for v in range(m):
        seen = sum(counts[j] * parts[v][j] for j in range(m))
        for i in range(m) if seen else ():
            found[i] = max(found[i], Fraction(counts[i] * parts[v][i], seen))
    return found


def publish(codes: Sequence[int], parts: Sequence[Sequence[int]], draws: Sequence[int]) -> list[int]:
    """Walk down each record's column until the draw is used up."""
    found = []
    for code, draw in zip(codes, draws, strict=True):
        left, v = draw, 0
        while left >= parts[v][code]:
            left -= parts[v][code]
            v += 1
        found.append(v)
    return found


def nearest_on_simplex(point: Sequence[float], total: float) -> list[float]:
    """``max(0, x - t)`` with t found by halving."""
    low, high = min(point) - total - 1, max(point)
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(0.0, x - middle) for x in point) > total:
            low = middle
        else:
            high = middle
    return [max(0.0, x - high) for x in point]


def bayes(
    parts: Sequence[Sequence[float]], observed: Sequence[float], start: Sequence[float], rounds: int
) -> list[float]:
    """Agrawal & Aggarwal 2001: spread every published count over the originals by the posterior so far."""
    m = len(observed)
    found = list(start)
    for _ in range(rounds):
        after = [0.0] * m
        for v in range(m):
            seen = sum(parts[v][j] * found[j] for j in range(m))
            for i in range(m) if seen else ():
                after[i] += observed[v] * parts[v][i] * found[i] / seen
        found = after
    return found
