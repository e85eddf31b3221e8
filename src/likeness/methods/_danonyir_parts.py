"""Neighbourhoods of a large table, in each of which DAnonyIR runs by itself: its time grows with the square of their people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.methods._danonyir_limits import lay_out_limits
from likeness.methods._danonyir_run import Run
from likeness.methods._danonyir_space import lay_out_space
from likeness.methods.mondrian import Mondrian
from likeness.models._requirements import require_of
from likeness.models.k_anonymity import KAnonymity
from likeness.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.methods._base import Problem
    from likeness.methods._danonyir_space import Space

_LARGEST_OF = ("rounds of moves",)
"""What is not added up over the neighbourhoods."""


class Part(Progress):
    """Says which neighbourhood a stage is of.

    Parameters
    ----------
    whole
        The listener.
    number, count
        Which of how many.
    """

    def __init__(self, whole: Progress, number: int, count: int) -> None:
        self.whole, self.name = whole, f"neighbourhood {number + 1} of {count}"

    def step(self, stage: str, done: int, total: int) -> None:
        """Tell it further."""
        self.whole.step(f"{self.name}: {stage}", done, total)

    def note(self, message: str) -> None:
        """Tell it further."""
        self.whole.note(message)


def neighbourhoods(problem: Problem, most: int) -> NDArray[np.int64]:
    """(n,) Divide the individuals into neighbourhoods of at most so many, each of which holds everything that is asked.

    First by Mondrian's least-loss cuts that leave at least half as many on both sides, and that keep to those models that more
    individuals can break. Where it cannot cut any more, the rest is dealt in the order of its values. A
    neighbourhood that does not hold as one class is joined to its nearest (equations 16-18), whatever their size then.

    Parameters
    ----------
    problem
        The individuals, and what every class must hold.
    most
        Individuals of a neighbourhood.
    """
    problem.progress.step("divide", 0, 0)
    breakable = tuple(one for one in problem.requirements if not one.closed_under_adding)
    half = require_of([KAnonymity(max(1, -(-most // 2)))], problem.data)
    parts = Mondrian().run(replace(problem, requirements=(*half, *breakable))).classes
    if (parts < 0).any():
        parts = np.zeros(problem.data.size, np.int64)
    space = lay_out_space(problem.data)
    return _joined(problem, space, _dealt(parts, space.crowd.profile, most))


def _dealt(parts: NDArray[np.int64], profile: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Deal parts that are too large into equal ones, neighbours in the order of their profiles together."""
    sizes = np.bincount(parts)
    pieces = -(-sizes // most)
    order = np.lexsort((profile, parts))
    own = parts[order]
    place = np.arange(own.size) - np.searchsorted(own, own)
    dealt = np.zeros(parts.size, np.int64)
    dealt[order] = (np.cumsum(pieces) - pieces)[own] + place * pieces[own] // sizes[own]
    return dealt


def _joined(problem: Problem, space: Space, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join parts that do not hold as one class to their nearest, until all hold or there is one."""
    while True:
        count = int(parts.max(initial=0)) + 1
        failing = np.flatnonzero(~problem.holding(parts, count))
        if failing.size == 0 or count == 1:
            return parts
        run = Run(space, lay_out_limits(problem), np.arange(parts.size), classes=parts)
        away = run.distances_of_classes(int(failing[0]))
        joined = np.where(parts == failing[0], int(np.argmin(away)), parts)
        parts = np.unique(joined, return_inverse=True)[1].astype(np.int64)


def cluster_parts(
    problem: Problem,
    parts: NDArray[np.int64],
    cluster: Callable[[Problem], tuple[NDArray[np.int64], dict[str, Any]]],
) -> tuple[Run, dict[str, Any]]:
    """Cluster every neighbourhood by itself.

    Parameters
    ----------
    problem
        The individuals, and what every class must hold.
    parts : (n,) int64
        Neighbourhood of each individual.
    cluster
        Gives the classes of one of them, -1 for those in none, and its history.

    Returns
    -------
    Run, dict
        Of the whole table, with all classes made and the others left over; and what happened.
    """
    count = int(parts.max()) + 1
    classes = np.full(problem.data.size, -1, np.int64)
    made = 0
    history: dict[str, Any] = {"neighbourhoods": count}
    order = np.argsort(parts, kind="stable")
    for number, rows in enumerate(np.split(order, np.cumsum(np.bincount(parts))[:-1])):
        listener = Part(problem.progress, number, count)
        found, told = cluster(replace(problem, data=problem.data.take(rows), progress=listener))
        classes[rows] = np.where(found >= 0, found + made, -1)
        made += int(found.max(initial=-1)) + 1
        for what, much in told.items():
            known = history.get(what)
            if known is None or isinstance(much, str):
                history[what] = much
            else:
                history[what] = max(known, much) if what in _LARGEST_OF else known + much
    space = lay_out_space(problem.data)
    return Run(space, lay_out_limits(problem), np.arange(classes.size), classes=classes), history
