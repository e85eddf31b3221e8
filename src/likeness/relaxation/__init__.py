"""The Lagrangian relaxation of who is published where, by levels of generalization, where more records break no class.

A release is a choice of combinations of nodes, one of every hierarchy, and of who goes where, k or more to each that is open,
with ℓ different values where that is asked for: a problem of locating facilities that must not be small. Let everybody pay a
price for being published anywhere, and not care how often: then every combination decides for itself whether it is worth opening,
and for any prices no release loses less than all pay, less what the combinations gain. Prices that make that largest leave few
combinations in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from math import ceil, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.microdata.grouping import group_codes
from likeness.microdata.levels import Ladder, ladder, vectors_by_loss
from likeness.microdata.regions import LOSSES, attribute_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement
    from likeness.progress import Progress

_VECTORS_A_TASK, _CELLS_A_TASK, _MOST_TASKS = 128, 100_000, 16
"""Vectors, and cells of combinations, that a processor looks at before it takes others, and in how many tasks cells at most."""
_AIM, _LEAST_AIM = 1.05, 1e-3
"""How far what a step aims for is above the best value, and what it is at least, of all records: some start from nothing."""
_HASTE, _MOST_HASTE, _FASTER, _SLOWER, _PATIENCE = 0.3, 2.0, 1.1, 0.66, 20
"""Length of the first step and of any, in what it takes to the aim; what lengthens it after a better value, and what shortens it
after so many steps without."""
_STRIDE, _FROM_NOTHING = 0.2, 1e-4
"""Share that a price moves by, at most, and how much at least: some start from nothing."""
_SMOOTHED = 0.05
"""Share of the newest in the mean of what is open."""
_STEPS_NEAR, _NEARLY, _FRONT = 10, 0.75, 2
"""Steps between looks at all combinations, the share of what they lose that those must be worth which are looked at between them,
and how many times k cells are kept in order."""


class ClassNeeds(NamedTuple):
    """What is asked of a class: at least ``k`` records, and ``different`` values among them, at most k; 1: they may be alike."""

    k: int
    different: int = 1


def asked_of(
    requirements: Iterable[Requirement], data: Microdata
) -> tuple[ClassNeeds, NDArray[np.int64] | None]:
    """Take from a guarantee how many records any class needs, and how many different values; of several columns, of one.

    Gives the values (n,) that are meant, too; None where none are asked for.
    """
    different, view, k = 1, None, 1
    for one in requirements:
        k = max(k, min(data.size + 1, one.conditions.size or 1))
        values = min(data.size + 1, ceil(one.conditions.values or 1))
        if one.view is not None and values > different:
            different, view = values, one.view
    return ClassNeeds(max(k, different), different), None if view is None else view.codes(data.judged_codes)


class LevelledCells(NamedTuple):
    """Cells: records alike in all quasi-identifiers and in the value that classes must mix, of one part of a table.

    ``of``: (n,) cell of each record. ``sizes``, ``parts``, ``values``: (C,) records, the part, and the value, 0 where none is
    asked for. ``ladders``: levels of each attribute.
    ``groups``, ``losses``, ``widens``: (levels of all attributes, C) node of each cell, what it loses there, and whether that is
    another node than a level below; the parts are the last row. ``radices``: nodes of each level.
    """

    of: NDArray[np.int64]
    sizes: NDArray[np.int64]
    parts: NDArray[np.int64]
    values: NDArray[np.int64]
    ladders: list[Ladder]
    groups: NDArray[np.int32]
    losses: NDArray[np.float64]
    widens: NDArray[np.bool_]
    radices: NDArray[np.int64]

    @property
    def begins(self) -> NDArray[np.int64]:
        """(attributes + 1,) Where the levels of each attribute begin; the last is the row of the parts."""
        return np.cumsum([0, *(len(own.group) for own in self.ladders)]).astype(np.int64)

    @property
    def vectors(self) -> int:
        """How many vectors of levels there are."""
        return prod(len(own.group) for own in self.ladders)


def levelled(
    data: Microdata,
    records: NDArray[np.int64],
    parts: NDArray[np.int64],
    loss: str,
    values: NDArray[np.int64] | None = None,
) -> LevelledCells:
    """Lay out the cells of some records of a table, ``parts`` (m,) of which are not mixed, and their levels.

    ``values`` (m,): what classes must have several of.
    """
    codes = data.codes[:, records]
    values = np.zeros(records.size, np.int64) if values is None else values
    tuples = group_codes(codes, [domain.codes for domain in data.quasi])
    more = [int(own.max(initial=0)) + 1 for own in (parts, values)]
    cells = group_codes([tuples.of, parts, values], [tuples.count, *more])
    # Whatever the order of the records.
    cells = cells.sorted_by([parts, *codes, values])
    weights = attribute_weights(data.quasi)
    ladders = [
        ladder(domain, LOSSES[loss], weight, own[cells.first], cells.sizes)
        for domain, weight, own in zip(data.quasi, weights, codes, strict=True)
    ]
    part = parts[cells.first]
    return LevelledCells(
        cells.of,
        cells.sizes.astype(np.int64),
        part,
        values[cells.first],
        ladders,
        np.array([*(group for own in ladders for group in own.group), part], np.int32),
        np.array([*(lost for own in ladders for lost in own.loss), np.zeros(part.size)]),
        np.array([*(other for own in ladders for other in own.widens), np.ones(part.size, np.bool_)]),
        np.array([*(count for own in ladders for count in own.groups), int(part.max(initial=0)) + 1]),
    )


class NodeCombinations(NamedTuple):
    """Combinations of nodes: ``cells`` below each, from ``begin`` (m + 1,), and the ``loss`` (m,) of a record there."""

    cells: NDArray[np.int32]
    begin: NDArray[np.int64]
    loss: NDArray[np.float64]


def combinations(
    table: LevelledCells,
    asked: ClassNeeds,
    reach: float,
    most_vectors: int,
    workers: Executor,
    progress: Progress,
) -> NodeCombinations:
    """List the combinations of nodes of as many records and values as are asked for; of those with the same cells the cheapest.

    ``reach``: how many times what one of its cells loses in its cheapest combination one may lose. ``most_vectors``: how many
    vectors of levels are combined, those of least mean loss.
    """
    from likeness.relaxation.kernels import find_cheapest, list_combinations, take

    begins = table.begins
    # Attributes of many values first: what those join is looked at once for all levels of the others.
    order = np.argsort(-table.radices[begins[:-1]], kind="stable")
    vectors = np.concatenate([np.zeros((0, begins.size), np.int64), *_rows(table, most_vectors)])
    ranks = np.lexsort([vectors[:, -1], *(vectors[:, j] for j in order[::-1])])
    tasks = [ranks[low : low + _VECTORS_A_TASK] for low in range(0, ranks.size, _VECTORS_A_TASK)]
    needs = table.sizes, table.values, *asked

    def cheapest(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        own = np.full(table.sizes.size, np.inf)
        find_cheapest(table.groups, table.losses, vectors[ranks], begins, order, *needs, own)
        return own

    def listed(ranks: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        found: tuple[NDArray[Any], ...] = list_combinations(
            table.groups, table.losses, vectors[ranks], begins, order, *needs, reach, least
        )
        return *found[:-1], ranks[found[-1]]

    least, found = np.full(table.sizes.size, np.inf), []
    said = "list combinations of nodes"
    for done, own in enumerate(workers.map(cheapest, tasks), 1):
        np.minimum(least, own, out=least)
        progress.step(said, done, 2 * len(tasks))
    for done, part in enumerate(workers.map(listed, tasks), 1 + len(tasks)):
        found.append(part)
        progress.step(said, done, 2 * len(tasks))
    cells, counts, loss, marks, rank = (
        np.concatenate([np.diff(own[i]) if i == 1 else own[i] for own in found]) for i in range(5)
    )
    begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    # As the vectors come; of those with the same cells the cheapest.
    order = np.lexsort([rank, loss, marks])
    first = order[np.append(True, np.diff(marks[order]) != 0)] if loss.size else order
    kept = first[np.lexsort([first, rank[first]])]
    taken, begin = take(cells, begin, kept)
    return NodeCombinations(taken, begin, loss[kept])


def _rows(table: LevelledCells, most: int) -> Iterator[NDArray[np.int64]]:
    """Yield vectors some at a time, (some, attributes + 1), as rows of the levels of all attributes, the parts last."""
    begins, vectors = table.begins, islice(vectors_by_loss(table.ladders), most)
    while some := list(islice(vectors, _VECTORS_A_TASK)):
        levels = np.array(some, np.int64).reshape(len(some), begins.size - 1)
        yield np.column_stack([levels + begins[:-1], np.full(len(some), begins[-1])])


class Relaxed(NamedTuple):
    """The relaxation at some prices.

    ``value``: no choice of these combinations loses less. ``there``: (C,) in how many places records of each cell are.
    ``opened``, ``worth``: (m,) whether each combination is open, 1 or 0, and what k of its records lose, and all gain together.
    """

    value: float
    there: NDArray[np.float64]
    opened: NDArray[np.float64]
    worth: NDArray[np.float64]


@dataclass(eq=False)
class Relaxation:
    """Prices of the records that have no class yet, and how often combinations are open, by the volume algorithm.

    ``left``: (C,) records without a class. ``ceiling``: (C,) what a record loses in the cheapest class open to it, infinite
    without one: no price is above it. ``prices``: (C,), at first what a record loses in the cheapest combination;
    ``proven``, the best of those that all combinations were looked at by.
    ``often``: (m,) how often each combination is open, from 0 to 1.
    """

    table: LevelledCells
    asked: ClassNeeds
    found: NodeCombinations
    workers: Executor
    left: NDArray[np.int64] = field(init=False)
    ceiling: NDArray[np.float64] = field(init=False)
    prices: NDArray[np.float64] = field(init=False)
    proven: NDArray[np.float64] = field(init=False)
    often: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        size = self.table.sizes.size
        self.left, self.ceiling = self.table.sizes.copy(), np.full(size, np.inf)
        cells, begin, loss = self.found
        self.prices, self.often = np.full(size, np.inf), np.zeros(loss.size)
        np.minimum.at(self.prices, cells, np.repeat(loss, np.diff(begin)))
        self.prices[np.isinf(self.prices)] = 0.0
        self.proven = self.prices

    def price(self, steps: int) -> float:
        """Find prices of those who are left, and how often combinations are open; what a choice of these cannot lose less than.

        Every few steps all combinations are looked at; between these, those that are nearly worth what they lose.
        """
        from likeness.relaxation.kernels import bring_forward, take

        often, mean, move = np.zeros(self.found.loss.size), np.zeros(self.left.size), np.zeros(self.left.size)
        haste, patience, best, proven = _HASTE, 0, -np.inf, -np.inf
        for step in range(steps):
            if step % _STEPS_NEAR == 0:
                bring_forward(self.found.cells, self.found.begin, self.prices, _FRONT * self.asked.k)
                looked = self._relaxed(self.found, self.prices)
                best = looked.value
                if best > proven:
                    proven, self.proven = best, self.prices
                near = np.flatnonzero(looked.worth >= _NEARLY * self.asked.k * self.found.loss)
                cells, begin = take(self.found.cells, self.found.begin, near)
                some, opened = NodeCombinations(cells, begin, self.found.loss[near]), looked.opened[near]
            else:
                prices = self._moved(haste * move)
                looked = self._relaxed(some, prices)
                opened = looked.opened
                if looked.value > best:
                    best, self.prices, patience = looked.value, prices, 0
                    haste = min(haste * _FASTER, _MOST_HASTE)
                else:
                    patience += 1
                    if patience == _PATIENCE:
                        haste, patience = haste * _SLOWER, 0
            newest = 1.0 if step == 0 else _SMOOTHED
            mean += newest * (looked.there - mean)
            often *= 1.0 - newest
            often[near] += newest * opened
            missing = self.left - mean
            missing[(missing > 0) & (self.prices >= self.ceiling)] = 0.0
            length = inner(missing, missing)
            if length == 0.0:
                break
            move = max((_AIM - 1) * best, _LEAST_AIM) / length * missing
        self.often = often
        return proven

    def _moved(self, move: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move the best prices, none by more than a stride, nor above what a record loses in a class that is open to it."""
        low, high = self.prices * (1 - _STRIDE), self.prices * (1 + _STRIDE) + _FROM_NOTHING
        moved: NDArray[np.float64] = np.minimum(np.clip(self.prices + move, low, high), self.ceiling)
        return moved

    def _relaxed(self, found: NodeCombinations, prices: NDArray[np.float64]) -> Relaxed:
        """Relax the choice of combinations."""
        from likeness.relaxation.kernels import relax

        cells, begin, loss = found
        opened, worth = np.empty(loss.size), np.empty(loss.size)
        tasks = min(_MOST_TASKS, 1 + cells.size // _CELLS_A_TASK)
        ends = np.searchsorted(begin, np.linspace(0, cells.size, tasks + 1).astype(np.int64))
        ends[0], ends[-1] = 0, loss.size
        there = np.zeros((tasks, prices.size))

        def of(task: int) -> float:
            low, high = ends[task], ends[task + 1]
            gain: float = relax(
                cells, begin, loss, self.left, self.table.values, prices, *self.asked, low, high,
                there[task], opened, worth,
            )  # fmt: skip
            return gain

        # Summed task by task, whoever was first.
        gain = sum(map(of, range(tasks)) if tasks == 1 else self.workers.map(of, range(tasks)))
        return Relaxed(inner(prices, self.left) - gain, there.sum(axis=0), opened, worth)


def inner(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Inner product of what may be long: `@` sums it in as many parts as there are processors, and keeps all of them busy."""
    return float((one * other).sum())


def gains(table: LevelledCells, asked: ClassNeeds, prices: NDArray[np.float64], workers: Executor) -> float:
    """Sum by how much the records of a class, at any vector of levels, can be worth more than they lose: over all combinations.

    No release, whose classes are any sets of so many records and values as are asked for and show a node of every attribute,
    loses less than the records are worth, less that.
    """
    from likeness.relaxation.kernels import gains_at

    order = np.argsort(-prices, kind="stable")

    def at(rows: NDArray[np.int64]) -> float:
        gain: float = gains_at(
            table.groups, table.radices, table.losses, table.widens, rows, table.sizes, table.values, *asked,
            order, prices,
        )  # fmt: skip
        return gain

    return sum(workers.map(at, _rows(table, table.vectors)))
