"""What DAnonyIR does better than the paper's: whom classes begin with, and moves between finished classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.metrics.loss import LOSSES
from likeness.metrics.loss.cell import attribute_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem
    from likeness.methods._danonyir_limits import Asked
    from likeness.methods._danonyir_space import Space
    from likeness.microdata.data import Microdata

_ROUNDS = 20
_LEAST_GAIN = 0.001
"""Share of everybody that must have moved in a round for another one."""
_LOOKS_A_STEP = 20_000_000


def dearest_first(data: Microdata, records: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Order individuals by what they can lose: their records times how unlike the others they are, the most first.

    Whoever is far from most others, and has many records to be generalized, is hardest to place once their few neighbours are
    gone. How unlike the others: the weighted mean over the quasi-identifiers of the distance from the mean position
    (intervals) or the share of all individuals with another value (hierarchies and sets). Equals come in random order.

    Parameters
    ----------
    data
        The individuals (`Microdata.people`).
    records : (n,) int64
        Records of each.
    rng
        For equals.
    """
    weights = attribute_weights(data.quasi)
    unlike = np.zeros(data.size)
    for domain, weight, codes in zip(data.quasi, weights, data.codes, strict=True):
        if domain.shape == "interval":
            place = np.minimum(LOSSES["glm"].positions(domain), 1.0)[codes]
            unlike += weight * np.abs(place - place.mean())
        else:
            unlike += weight * (1 - np.bincount(codes, minlength=domain.codes)[codes] / data.size)
    return np.lexsort((rng.permutation(data.size), -np.round(records * unlike, 9))).astype(np.int64)


def move_between_classes(
    problem: Problem, space: Space, asked: Asked, labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Move individuals to classes where all lose less, and dissolve classes that are dearer than their members elsewhere.

    Every class holds before and after every move; the total loss only falls. Rounds end when next to nobody moves.

    Parameters
    ----------
    problem
        The requirements; told how far the work is.
    space, asked
        The individuals, and what every class must hold, as kernels take them.
    labels : (n,) int64
        Class of each individual, from 0 without gaps; -1 for those in none.

    Returns
    -------
    (n,) int64, dict
        Classes, numbered anew, and what happened.
    """
    from likeness.kernels.danonyir import hulls
    from likeness.kernels.danonyir_counts import count_classes
    from likeness.kernels.danonyir_moves import CHANGED, DISSOLVED, MOVED, ROUND, Moving, fill, move_on
    from likeness.kernels.danonyir_tests import REASONING, tally

    n, rows = labels.size, int(labels.max(initial=-1)) + 1
    if rows < 2:
        return labels, {}
    kind = space.profiles.parts.dtype.type
    d, words = space.profiles.low.shape[1], space.profiles.bits.shape[1]
    moving = Moving(
        labels.copy(),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(rows, -1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        hulls(rows + 2, d, words, kind),
        hulls(n, d, words, kind),
        np.zeros(n, np.int64),
        np.zeros(rows, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(rows, np.bool_),
        np.zeros(5, np.int64),
    )
    fill(space.geometry, space.profiles, space.crowd.profile, space.crowd.records, moving)
    room = tally(n, asked.values, asked.width, max(0, int(asked.limits[REASONING]) - 1))
    laid = asked.laid
    grows = all(requirement.closed_under_adding for requirement in problem.requirements)
    for number in range(_ROUNDS):
        counts = count_classes(asked.sets, space.crowd.records, moving.label, rows, asked.values)
        over = False
        while not over:
            over = move_on(
                space.geometry, space.profiles, space.crowd.profile, space.crowd.records, asked.sets, asked.limits,
                laid.functions, laid.shape, laid.integers, laid.reals, room, counts, moving, grows, _LOOKS_A_STEP,
            )  # fmt: skip
            problem.progress.step("move between classes", number, _ROUNDS)
        if moving.numbers[CHANGED] <= _LEAST_GAIN * n:
            break
    used = np.zeros(rows + 1, np.bool_)
    used[moving.label] = True
    numbers = np.append(np.cumsum(used[:-1]) - 1, -1)
    told = {"moved": MOVED, "classes dissolved": DISSOLVED, "rounds of moves": ROUND}
    return numbers[moving.label], {name: int(moving.numbers[at]) for name, at in told.items()}
