"""How likely every combination of quasi-identifiers is in a population, learnt from a sample: mixtures of latent classes.

The usual models of uniqueness know of a sample only how many classes there are of each size. Skinner and Shlomo's log-linear
models know the columns, so they can tell a rare combination from a frequent one that few were drawn of; they have to be told
which columns go together. Latent classes need not: the more of them a mixture of products of distributions has, the nearer it
comes to any distribution, and its probability of a region is a sum of products, so that regions are no harder than tuples.

What is fitted to somebody's own record takes them for less rare than they are. So the probability of a record's region is always
that of mixtures that were fitted without it (in folds), several mixtures are averaged, by weights that make the records left out
likeliest, and what they still miss is a gamma distribution, fitted to how many others of the sample lie in everybody's region.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.grouping import group_codes
from likeness.risk.uniqueness import highest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.attacks.matching import Reach

CLASSES = (4, 8, 16)
"""Numbers of latent classes that are averaged over."""
_STARTS = 4
_FOLDS = 10
_LARGE = 20_000
"""People of a sample from which two folds, and one start each, leave as little to chance."""
_MOST = 40_000
"""People that a mixture is fitted to; of more, so many are drawn."""
_LIKE_ALL = 10.0
"""How many people as all others are, on average, every class is taken to have besides its own."""
_ROUNDS = 60
_NOTHING = -36.0
"""Logarithm of a probability that adds nothing any more."""
_ENOUGH = 1e-5
"""Gain of the log likelihood a person below which a mixture is fitted."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """A distribution of tuples: ``shares`` (L,) of classes, and ``cells`` (codes, L), that of every attribute in each.

    ``begins``: (d,), where the codes of each attribute begin in ``cells``.
    """

    shares: NDArray[np.float64]
    cells: NDArray[np.float64]
    begins: NDArray[np.int64]

    def of_regions(self, reaches: Sequence[tuple[int, Reach, NDArray[np.int64]]]) -> NDArray[np.float64]:
        """(E,) Probability of every region.

        ``reaches``: of each attribute that is shown its position, what its distinct regions cover, and (E,) which each has.
        """
        sums = []
        for attribute, reach, of in reaches:
            end = self.begins[attribute + 1] if attribute + 1 < self.begins.size else self.cells.shape[0]
            own = self.cells[self.begins[attribute] : end]
            if reach.is_set:
                own = own[reach.members]
            upto = np.concatenate([np.zeros((1, own.shape[1])), np.cumsum(own, axis=0)])
            low = np.clip(reach.low, 0, own.shape[0])
            high = np.clip(reach.high + (not reach.is_set), low, own.shape[0])
            sums.append((np.maximum(upto[high] - upto[low], 0.0), of))
        size = sums[0][1].size if sums else 1
        found = np.zeros(size)
        for c, share in enumerate(self.shares.tolist()):
            part = np.full(size, share)
            for shown, of in sums:
                part *= shown[of, c]
            found += part
        return found


def fit_mixture(
    codes: NDArray[np.int32], weights: NDArray[np.float64], radices: Sequence[int], classes: int, seed: int
) -> Mixture:
    """Fit a mixture to tuples by expectation and maximization.

    ``codes``: (d, m), the tuples; ``weights``: (m,), people of each; ``radices``: (d,), codes of each attribute.
    """
    from likeness.risk.kernels import expect

    begins = np.cumsum([0, *radices[:-1]]).astype(np.int64)
    people = float(weights.sum())
    alike = np.concatenate(
        [
            (np.bincount(column, weights, radix) + 0.5) / (people + 0.5 * radix)
            for column, radix in zip(codes, radices, strict=True)
        ]
    )[:, None]
    rng = np.random.Generator(np.random.PCG64(seed))
    # Every class begins as everybody, a little otherwise: classes that are the same would stay so.
    cells = alike * rng.gamma(1.0, 1.0, (alike.size, classes)) if classes > 1 else alike.copy()
    for begin, radix in zip(begins.tolist(), radices, strict=True):
        cells[begin : begin + radix] /= np.maximum(
            cells[begin : begin + radix].sum(axis=0), np.finfo(float).tiny
        )
    cells, shares = np.ascontiguousarray(np.maximum(cells, 1e-12)), np.full(classes, 1 / classes)
    before = -np.inf
    for turn in range(_ROUNDS):
        own, counts = np.zeros(classes), np.zeros((alike.size, classes))
        likelihood = expect(np.ascontiguousarray(codes), begins, weights, shares, cells, own, counts)
        shares = (own + 1 / classes) / (people + 1)
        cells = np.ascontiguousarray((counts + _LIKE_ALL * alike) / (own + _LIKE_ALL))
        if turn > 10 and likelihood - before < _ENOUGH * people:
            break
        before = likelihood
    return Mixture(shares, cells, begins)


def held_out(
    codes: NDArray[np.int32],
    radices: Sequence[int],
    reaches: Sequence[tuple[int, Reach, NDArray[np.int64]]],
    of: NDArray[np.int64],
    seed: int = 0,
) -> NDArray[np.float64]:
    """(n,) Probability of everybody's region, by mixtures that were fitted without them.

    Parameters
    ----------
    codes : (d, n) int32
        The sample.
    radices
        Codes of each attribute.
    reaches
        What the regions cover, as for `Mixture.of_regions`.
    of : (n,) int64
        Everybody's region; -1: none, of probability 0.
    seed
        Which folds and starts are drawn.
    """
    size = codes.shape[1]
    many = size > _LARGE
    folds, starts = (2, 1) if many else (min(_FOLDS, max(2, size)), _STARTS)
    rng = np.random.Generator(np.random.PCG64(seed))
    fold = rng.permutation(size) % folds
    members = [(classes, start) for classes in CLASSES for start in range(starts)]
    found = np.zeros((len(members), size))
    for number in range(folds):
        train = np.flatnonzero(fold != number)
        if train.size > _MOST:
            train = np.sort(rng.choice(train, _MOST, replace=False))
        tuples = group_codes(codes[:, train], radices)
        distinct = np.ascontiguousarray(codes[:, train][:, tuples.first])
        weights = tuples.sizes.astype(np.float64)
        mine = np.flatnonzero((fold == number) & (of >= 0))
        for i, (classes, start) in enumerate(members):
            mixture = fit_mixture(distinct, weights, radices, classes, seed * 1000 + 10 * classes + start)
            found[i, mine] = mixture.of_regions(reaches)[of[mine]]
    return np.asarray(_stacked(found))


def _stacked(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) Average several distributions (models, n), by weights that make what was seen likeliest."""
    seen = found[:, (found > 0).all(axis=0)]
    weights = np.full(found.shape[0], 1 / found.shape[0])
    if seen.shape[1]:
        for _ in range(100):
            weights *= seen @ (1 / (weights @ seen)) / seen.shape[1]
    return np.asarray(weights @ found)


def fit_spread(others: NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """Fit how much the sizes of classes spread around what is expected: the shape ν of a gamma distribution of mean 1.

    Somebody drawn stands in a class more likely the larger it is, so the number of others in theirs is negative binomial of
    shape ν + 1; ν maximizes the likelihood of all of them.

    Parameters
    ----------
    others : (n,) int64
        How many others of the sample are in everybody's class.
    expected : (n,) float64
        How many are expected.
    """
    keys, of = np.unique(others, return_inverse=True)
    times = np.bincount(of.reshape(-1)).tolist()
    numbers = keys.tolist()

    def likelihood(place: float) -> float:
        shape = exp(place)
        fixed = sum(
            time * (lgamma(number + shape + 1) - lgamma(shape + 1))
            for number, time in zip(numbers, times, strict=True)
        )
        rate = shape / expected
        return float(fixed - ((shape + 1) * np.log1p(1 / rate) + others * np.log1p(rate)).sum())

    return exp(highest(likelihood, log(1e-3), log(1e4)))


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """How many people of the population are in everybody's class, as far as a sample tells.

    Those who are not in the sample are negative binomial, of ``shape`` (n,) and probability 1 - ``missed`` (n,), beside the
    ``seen`` (n,) who are.
    """

    seen: NDArray[np.int64]
    shape: NDArray[np.float64]
    missed: NDArray[np.float64]

    def at_most(self, most: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n,) Probability that no more than ``most`` (n,) people are in everybody's class."""
        further = most - self.seen
        found = np.zeros(self.seen.size)
        rest = np.flatnonzero(further >= 0)
        # In logarithms: of large classes the first terms are smaller than any number.
        term = self.shape[rest] * np.log1p(-self.missed[rest])
        left = further[rest]
        step = 0
        while rest.size:
            found[rest] += np.exp(term)
            on = left > step
            # What is so improbable adds nothing any more, once the mode is passed.
            mode = (self.shape[rest] - 1) * self.missed[rest] / (1 - self.missed[rest])
            on &= (term > _NOTHING) | (step < mode)
            rest, left, term = rest[on], left[on], term[on]
            step += 1
            term += np.log((self.shape[rest] + step - 1) / step) + np.log(
                np.maximum(self.missed[rest], 1e-300)
            )
        return np.minimum(found, 1.0)

    def expected_chance(self) -> NDArray[np.float64]:
        """(n,) Expected 1 / F: ∫₀¹ y^(f − 1) ((1 − q) / (1 − q y))^a dy, where the generating function of F is integrated."""
        nodes, weights = np.polynomial.legendre.leggauss(64)
        # The integrand is steep where y is near 1 or, of classes of one, near 0: y = u² (3 − 2u) puts nodes there.
        u = (nodes + 1) / 2
        y, w = u * u * (3 - 2 * u), weights / 2 * 6 * u * (1 - u)
        found = np.zeros(self.seen.size)
        for place, weight in zip(y.tolist(), w.tolist(), strict=True):
            told = (self.seen - 1) * log(place) + self.shape * (
                np.log1p(-self.missed) - np.log1p(-self.missed * place)
            )
            found += weight * np.exp(told)
        return found


def class_sizes(
    seen: NDArray[np.int64], probability: NDArray[np.float64], people: int, population: int
) -> ClassSizes:
    """Estimate the classes of the population that everybody in a sample is in.

    With λ the rate of a class among N people, gamma distributed around N times its probability, and f of n people seen, the
    other N − n are Poisson of λ given f: negative binomial of shape ν + f.

    Parameters
    ----------
    seen : (n,) int64
        People of the sample in everybody's class, at least 1.
    probability : (n,) float64
        Probability of everybody's class, by what was learnt without them (`held_out`).
    people, population
        n and N.

    References
    ----------
    Skinner & Shlomo 2008, "Assessing identification risk in survey microdata using log-linear models", JASA 103, equation 3
    (Poisson given the rates); Rinott & Shlomo 2006, "A generalized negative binomial smoothing model for sample disclosure risk
    estimation", PSD, LNCS 4302 (negative binomial around them).
    """
    probability = np.maximum(probability, 1e-300)
    spread = fit_spread(seen - 1, np.maximum((people - 1) * probability, 1e-12)) if people > 1 else 1.0
    rate = spread / probability + people - 1
    rest = float(population - people)
    shape = np.asarray(spread + seen, np.float64)
    return ClassSizes(seen, shape, np.asarray(rest / (rate + rest), np.float64))
