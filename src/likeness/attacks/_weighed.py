"""Naive Bayes where sensitive values were randomized: what chance does not explain, and the target's own value.

Reconstructed counts of few records are mostly noise, and a classifier that believes them guesses worse than who
guesses the most frequent value. Whoever attacks believes them as far as chance does not explain them, and then looks
at what was published of the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.attacks._conditionals import Conditionals, Tables
    from likeness.microdata.mechanism import Mechanism

ERRORS = 4.0
"""Standard errors by which shares must differ more than by chance before any difference is believed."""
MOST_CELLS = 1 << 21


def weigh(learned: Conditionals, mechanism: Mechanism) -> Tables:
    """Estimate how much more frequent each sensitive value is among those who have each quasi-identifier value.

    With n_t records of t_j, the reconstructed share q of v has the variance ``s / n_t``, where ``s = Σ_k E_k W[k, v]²
    - p_v²``, E is the published distribution and W the inverse of PM. Over all C values of the attribute,
    ``Σ_t n_t (q - p_v)²`` is about C s when v does not depend on the attribute. What exceeds this by four standard
    errors, ``4 s √(2C)``, is taken for the variance τ of the true shares, and q - p_v is multiplied by
    ``τ / (τ + s / n_t)``: an empirical Bayes estimate, which is p_v where chance explains everything.

    Parameters
    ----------
    learned
        Published counts.
    mechanism
        How values were randomized; its matrix must have an inverse.

    Returns
    -------
    list of (codes, m) float64
        For every attribute, ``Pr[v|t_j] / Pr[v]``, above 0; 1 for values that nobody has.
    """
    active = mechanism.active
    prior = mechanism.counts[active] / mechanism.counts.sum()
    inside = mechanism.matrix[np.ix_(active, active)]
    unit = np.eye(mechanism.values)[active]
    inverse = mechanism.reconstruct(unit, "plain")[:, active]
    own = np.maximum(0.0, (inside @ prior) @ inverse**2 - prior**2)
    found = []
    for attribute in learned.attributes:
        published = attribute.count(learned.stats, 0, mechanism.values, evenly=False)[:, active]
        lift = np.ones((published.shape[0], mechanism.values))
        sizes = published.sum(axis=1, keepdims=True)
        there = np.flatnonzero(sizes[:, 0] > 0)
        sizes = sizes[there]
        shares = published[there] @ inverse / sizes
        more = (sizes * (shares - prior) ** 2).sum(axis=0) - own * (
            there.size + ERRORS * np.sqrt(2 * there.size)
        )
        spread = np.maximum(0.0, more / max(1.0, float(sizes.sum())))
        noise = own / sizes
        believed = np.where(spread > 0, spread / np.where(spread > 0, spread + noise, 1.0), 0.0)
        # A true share is not negative, and hardly ever certain to be 0.
        lift[np.ix_(there, active)] = np.maximum(1e-6, 1 + believed * (shares / prior - 1))
        found.append(lift)
    return found


def classify_weighed(
    learned: Conditionals,
    mechanism: Mechanism,
    lifts: Tables,
    codes: NDArray[np.int32],
    identity: NDArray[np.int64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Guess the sensitive value of targets.

    With ``w_i = Pr[i] Π_j Pr[i|t_j] / Pr[i]``, a record published as v has the original value i with a probability in
    proportion to ``w_i PM[v, i]``; the belief about a target is the mean over all records of its quasi-identifiers.

    Parameters
    ----------
    learned, mechanism
        What was published.
    lifts
        See `weigh`.
    codes : (d, targets) int32
        Quasi-identifiers of the targets.
    identity : (targets,) int64 or None
        The class of records that have them, or -1; None where no quasi-identifiers were published.

    Returns
    -------
    alone : (targets,) int64
        The guess from w alone.
    guess : (targets,) int64
        The guess with what was published of the target.
    confidence : (targets,) float64
        The belief in it.
    """
    targets, stats = codes.shape[1], learned.stats
    own = np.full(targets, -1) if identity is None else identity
    ends = np.append(stats.start[1:] - stats.start[:-1], 0)[own]
    with np.errstate(divide="ignore"):
        prior = np.log(mechanism.counts / mechanism.counts.sum())
    logs = [np.log(lift) for lift in lifts]
    alone, guess = np.empty(targets, np.int64), np.empty(targets, np.int64)
    confidence = np.empty(targets)
    for first, stop in _blocks(np.maximum(1, ends) * mechanism.values):
        score = np.tile(prior, (stop - first, 1))
        for one, column in zip(logs, codes, strict=True):
            score += one[column[first:stop]]
        alone[first:stop] = score.argmax(axis=1)
        weights = np.exp(score - score.max(axis=1, keepdims=True))
        beliefs = weights / weights.sum(axis=1, keepdims=True)
        seen = np.flatnonzero(own[first:stop] >= 0)
        times = ends[first:stop][seen]
        if times.size:
            of = np.repeat(seen, times)
            begins = np.cumsum(times) - times
            entry = np.repeat(stats.start[own[first:stop][seen]] - begins, times) + np.arange(of.size)
            each = weights[of] * mechanism.matrix[stats.value[entry]]
            share = stats.count[entry] / stats.sizes[stats.class_of[entry]]
            each *= (share / np.maximum(each.sum(axis=1), np.finfo(float).tiny))[:, None]
            beliefs[seen] = np.add.reduceat(each, begins)
        guess[first:stop] = beliefs.argmax(axis=1)
        confidence[first:stop] = beliefs.max(axis=1)
    return alone, guess, confidence


def _blocks(cells: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield runs of targets of a few million cells each."""
    ends = np.cumsum(cells)
    first = 0
    while first < cells.size:
        room = (ends[first - 1] if first else 0) + MOST_CELLS
        stop = max(first + 1, int(np.searchsorted(ends, room, side="right")))
        yield first, stop
        first = stop
