"""Local recoding by Lagrangian relaxation: what every record is worth says which combinations of nodes to publish.

Under k-anonymity a release is a choice of combinations of nodes, one of every hierarchy, and of who goes where, k or more to
each that is open: a problem of locating facilities that must not be small. Let everybody pay a price for being published
anywhere, and not care how often: then every combination decides for itself whether it is worth opening, and prices that make
the sum of what is lost largest leave few in doubt. Those that are open longest are opened for good, and prices are found
anew for the others.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from math import prod
from os import cpu_count
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods._lattice import Ladder, ladder, most_levels, vectors_by_loss
from likeness.methods.base import Method, Problem, parts_that_hold, sizes_asked
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import LOSSES, attribute_weights

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

_REACHES = (3.0, 2.0, 1.75, 1.5, 1.25)
"""How far it is worth to come, where nobody says it, and less where that is too much."""
_VISITS = 500
"""Steps for each combination within reach of a cell."""
_VECTORS_A_TASK, _CELLS_A_TASK, _MOST_TASKS = 128, 100_000, 16
"""Vectors, and cells of combinations, that a processor looks at before it takes others, and in how many tasks cells at most."""
_FIRST, _AGAIN = 200, 30
"""Steps of the first prices, and of those after some combinations are open."""
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
_SURE, _DOUBTFUL, _SHARE, _FEWEST, _NEVER = 0.95, 0.02, 0.05, 3, 1e-3
"""Combinations so often open are opened for good, or else this share of those that are more often open than doubtful ones, this
many at least; those as good as never open are not."""
_WORTH = 0.95
"""Of what the records of a class lose, that they must be worth."""


@dataclass(frozen=True)
class LagrangianRecoding(Method):
    """Generalize records to the combinations of nodes that prices of the records, a dual of the problem, leave least doubt of.

    For guarantees of class sizes alone (k-anonymity), of tables in which everybody has one record. On tables with hierarchies it
    comes nearer to the least loss than other methods here, in some times of what local recoding takes.

    Parameters
    ----------
    loss
        The information loss that is lowered: ``ncp``, ``glm`` or ``iloss``.
    reach
        A combination of nodes may lose up to so many times what one of its records loses in the cheapest with k records, or it
        is not looked at. More gives better classes of more combinations.
    most_vectors
        How many vectors of levels are combined, those of least mean loss.

    Notes
    -----
    Each cell c, of n_c records, gets a price u_c. The Lagrangian relaxation of who is published where is ``Σ n_c u_c`` less
    what the combinations gain: one of loss l gains ``Σ (u - l)`` over its records that are worth more than l, with the dearest of
    the others where these are fewer than k, and is open if that is more than 0. Prices follow the volume algorithm: a
    subgradient step by how many records are published less often than they are, on the average of what was open, from the best
    prices so far. That average, an approximate solution of the linear programme, says which combinations are opened for good,
    each for the k dearest records that are left; the prices of the others start from what they were. In the end those who are
    left join the cheapest class that is open to them.

    Levels are those of `likeness.LocalRecoding`; regions are tight, so that a class may show less than its nodes. The private
    history has the number of combinations, and below what loss of a record no choice of these can fall where classes show their
    nodes.

    References
    ----------
    Barahona & Anbil 2000, "The volume algorithm" (prices). Svitkina 2010, "Lower-bounded facility location" (the problem).

    Examples
    --------
    >>> LagrangianRecoding(reach=1.5)
    LagrangianRecoding(loss='ncp', reach=1.5, most_vectors=20000)
    """

    loss: str = "ncp"
    reach: float = 2.0
    most_vectors: int = 20_000

    name: ClassVar[str] = "lagrangian-recoding"
    takes_parts: ClassVar[bool] = True
    candidate: ClassVar[bool] = True
    patient: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        number(self.name, "reach", self.reach, at_least=1)
        whole(self.name, "most_vectors", self.most_vectors, at_least=1)

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees that ask more of a class than its size.

        Raises
        ------
        PolicyError
            Naming them.
        """
        more = [one.model.name for one in requirements if not one.conditions.size_alone]
        if more or not requirements:
            what = f"takes guarantees of class sizes alone, such as k-anonymity, and this one is {' & '.join(more) or 'empty'}"
            raise PolicyError(
                Refusal(what, (self.name,), remedy="use another method, such as local-recoding")
            )

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every vector of levels looks at all cells; then prices are found over and over of the combinations within reach."""
        attributes, cells = max(1, len(data.quasi)), data.tuples.count
        vectors = min(self.most_vectors, prod(most_levels(domain) for domain in data.quasi))
        # As measured: so many combinations are within reach of a cell.
        near = max([1, *sizes_asked(requirements)]) * attributes**2 * (float(self.reach) - 1) ** 2
        return vectors * cells * (attributes + 4) + int(cells * min(2 * vectors, near) * _VISITS)

    def within(
        self, work: int, data: Microdata, requirements: tuple[Requirement, ...]
    ) -> LagrangianRecoding | None:
        """Come as far as so much work allows."""
        near = (replace(self, reach=reach) for reach in _REACHES)
        return next((one for one in near if one.work(data, requirements) <= work), None)

    def run(self, problem: Problem) -> Plan:
        """Open combinations until everybody has a class; parts that cannot hold as a whole are withheld."""
        data = problem.data
        kept, parts, because = parts_that_hold(problem)
        classes = np.full(data.size, -1, np.int64)
        history: dict[str, Any] = {}
        if kept.size:
            classes[kept], history = self._recode(problem, kept, parts[kept])
        return Plan(renumber(classes), because=because, history=history)

    def _recode(
        self, problem: Problem, records: NDArray[np.int64], parts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Class of each of the records; and what to keep for the steward."""
        table = _levelled(problem, records, parts, self.loss)
        k = max([1, *sizes_asked(problem.requirements)])
        with ThreadPoolExecutor(max(1, cpu_count() or 1)) as workers:
            found = _combinations(table, k, self.reach, self.most_vectors, workers, problem)
            search = _Opening(table, k, found, workers)
            history = {
                "combinations": int(found.loss.size),
                "relaxation": search.price(_FIRST) / records.size,
            }
            while search.open_some():
                problem.progress.step("open classes", records.size - int(search.left.sum()), records.size)
                if not search.keep_useful():
                    break
                search.price(_AGAIN)
        return search.classes_of(table), history


class _LevelledCells(NamedTuple):
    """Cells: records alike in all quasi-identifiers, of one part.

    ``of``: (n,) cell of each record. ``sizes``, ``parts``: (C,) records, and the part. ``groups``, ``losses``: (levels of all
    attributes, C) node of each cell and what it loses there; the parts are the last row. ``radices``: nodes of each level.
    """

    of: NDArray[np.int64]
    sizes: NDArray[np.int64]
    parts: NDArray[np.int64]
    ladders: list[Ladder]
    groups: NDArray[np.int32]
    losses: NDArray[np.float64]
    radices: NDArray[np.int64]

    @property
    def begins(self) -> NDArray[np.int64]:
        """(attributes + 1,) Where the levels of each attribute begin; the last is the row of the parts."""
        return np.cumsum([0, *(len(own.group) for own in self.ladders)]).astype(np.int64)


def _levelled(
    problem: Problem, records: NDArray[np.int64], parts: NDArray[np.int64], loss: str
) -> _LevelledCells:
    """Lay out the cells of a table and their levels."""
    data = problem.data
    tuples = group_codes(data.codes[:, records], [domain.codes for domain in data.quasi])
    cells = group_codes([tuples.of, parts], [tuples.count, int(parts.max()) + 1])
    # Whatever the order of the records.
    cells = cells.sorted_by([parts, *data.codes[:, records]])
    first = records[cells.first]
    ladders = [
        ladder(domain, LOSSES[loss], weight, codes[first], cells.sizes)
        for domain, weight, codes in zip(data.quasi, attribute_weights(data.quasi), data.codes, strict=True)
    ]
    part = parts[cells.first]
    return _LevelledCells(
        cells.of,
        cells.sizes.astype(np.int64),
        part,
        ladders,
        np.array([*(group for own in ladders for group in own.group), part], np.int32),
        np.array([*(lost for own in ladders for lost in own.loss), np.zeros(part.size)]),
        np.array([*(count for own in ladders for count in own.groups), int(part.max()) + 1]),
    )


class _NodeCombinations(NamedTuple):
    """Combinations of nodes: ``cells`` below each, from ``begin`` (m + 1,), and the ``loss`` (m,) of a record there."""

    cells: NDArray[np.int32]
    begin: NDArray[np.int64]
    loss: NDArray[np.float64]


def _combinations(
    table: _LevelledCells, k: int, reach: float, most: int, workers: Executor, problem: Problem
) -> _NodeCombinations:
    """List the combinations of k records or more that are within reach; of those with the same cells the cheapest."""
    from likeness.methods.lagrangian_recoding.kernels import list_combinations

    begins = table.begins
    least = np.full(table.sizes.size, np.inf)
    vectors = islice(vectors_by_loss(table.ladders), most)
    total = min(most, prod(len(own.group) for own in table.ladders))
    done, found = 0, []

    def listed(rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], tuple[NDArray[np.int32], ...]]:
        own = least.copy()
        return own, list_combinations(
            table.groups, table.radices, table.losses, rows, table.sizes, k, float(reach), own
        )

    while steps := list(islice(_rows(vectors, begins), cpu_count() or 1)):
        for own, some in workers.map(listed, steps):
            np.minimum(least, own, out=least)
            found.append(some)
        done += sum(len(rows) for rows in steps)
        problem.progress.step("list combinations of nodes", done, total)
    cells = np.concatenate([own[0] for own in found])
    counts = np.concatenate([np.diff(own[1]) for own in found])
    loss, marks = (np.concatenate([own[i] for own in found]) for i in (2, 3))
    begin = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    kept = np.zeros(loss.size, np.bool_)
    if loss.size:
        # What is within reach is known in the end.
        near = np.flatnonzero(loss <= reach * np.maximum.reduceat(least[cells], begin[:-1]))
        order = near[np.lexsort([loss[near], marks[near]])]
        kept[order[np.append(True, np.diff(marks[order]) != 0)]] = True
    return _NodeCombinations(
        cells[np.repeat(kept, counts)], np.append(0, np.cumsum(counts[kept])).astype(np.int64), loss[kept]
    )


def _rows(vectors: Iterator[tuple[int, ...]], begins: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield vectors some at a time, (some, attributes + 1), as rows of the levels of all attributes, the parts last."""
    while some := list(islice(vectors, _VECTORS_A_TASK)):
        levels = np.array(some, np.int64).reshape(len(some), begins.size - 1)
        yield np.column_stack([levels + begins[:-1], np.full(len(some), begins[-1])])


class _Relaxed(NamedTuple):
    """The relaxation at some prices.

    ``value``: no choice of these combinations loses less. ``there``: (C,) in how many places records of each cell are.
    ``opened``, ``worth``: (m,) whether each combination is open, 1 or 0, and what its k dearest records are worth.
    """

    value: float
    there: NDArray[np.float64]
    opened: NDArray[np.float64]
    worth: NDArray[np.float64]


@dataclass(eq=False)
class _Opening:
    """Prices, and what is open.

    ``left``: (C,) records without a class. ``ceiling``: (C,) what a record loses in the cheapest class open to it, infinite
    without one, and ``home``, which that is. ``members``: (classes, k) cells of their records. ``often``: how often each
    combination is open, from 0 to 1.
    """

    table: _LevelledCells
    k: int
    found: _NodeCombinations
    workers: Executor
    classes: int = 0
    prices: NDArray[np.float64] = field(init=False)
    often: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        sizes = self.table.sizes
        self.left = sizes.copy()
        self.ceiling, self.home = np.full(sizes.size, np.inf), np.full(sizes.size, -1, np.int64)
        self.members = np.empty((int(sizes.sum()) // self.k + 1, self.k), np.int64)
        self.often = np.zeros(self.found.loss.size)
        self.prices = np.zeros(sizes.size)
        cells, begin, loss = self.found
        cheapest = np.full(sizes.size, np.inf)
        np.minimum.at(cheapest, cells, np.repeat(loss, np.diff(begin)))
        self.prices[np.isfinite(cheapest)] = cheapest[np.isfinite(cheapest)]

    def price(self, steps: int) -> float:
        """Find prices of those who are left, and how often combinations are open; what these cannot lose less than.

        Every few steps all combinations are looked at; between these, those that are nearly worth what they lose.
        """
        from likeness.methods.lagrangian_recoding.kernels import bring_forward, take

        often, mean, move = np.zeros(self.found.loss.size), np.zeros(self.left.size), np.zeros(self.left.size)
        haste, patience, best = _HASTE, 0, -np.inf
        for step in range(steps):
            if step % _STEPS_NEAR == 0:
                bring_forward(self.found.cells, self.found.begin, self.prices, _FRONT * self.k)
                looked = self._relaxed(self.found, self.prices)
                best = looked.value
                near = np.flatnonzero(looked.worth >= _NEARLY * self.k * self.found.loss)
                cells, begin = take(self.found.cells, self.found.begin, near)
                some, opened = _NodeCombinations(cells, begin, self.found.loss[near]), looked.opened[near]
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
            length = float(missing @ missing)
            if length == 0.0:
                break
            move = max((_AIM - 1) * best, _LEAST_AIM) / length * missing
        self.often = often
        return best

    def _moved(self, move: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move the best prices, none by more than a stride, nor above what a record loses in a class that is open to it."""
        low, high = self.prices * (1 - _STRIDE), self.prices * (1 + _STRIDE) + _FROM_NOTHING
        moved: NDArray[np.float64] = np.minimum(np.clip(self.prices + move, low, high), self.ceiling)
        return moved

    def _relaxed(self, found: _NodeCombinations, prices: NDArray[np.float64]) -> _Relaxed:
        """Relax the choice of combinations."""
        from likeness.methods.lagrangian_recoding.kernels import relax

        cells, begin, loss = found
        opened, worth = np.empty(loss.size), np.empty(loss.size)
        tasks = min(_MOST_TASKS, 1 + cells.size // _CELLS_A_TASK)
        ends = np.searchsorted(begin, np.linspace(0, cells.size, tasks + 1).astype(np.int64))
        ends[0], ends[-1] = 0, loss.size
        there = np.zeros((tasks, prices.size))

        def of(task: int) -> float:
            low, high = ends[task], ends[task + 1]
            gain: float = relax(
                cells, begin, loss, self.left, prices, self.k, low, high, there[task], opened, worth
            )
            return gain

        # Summed task by task, whoever was first.
        gain = sum(map(of, range(tasks)) if tasks == 1 else self.workers.map(of, range(tasks)))
        return _Relaxed(float(prices @ self.left) - gain, there.sum(axis=0), opened, worth)

    def open_some(self) -> bool:
        """Open the combinations that are most often open; whether any could be."""
        from likeness.methods.lagrangian_recoding.kernels import open_classes

        often = self.often
        order = np.argsort(-often, kind="stable")
        some = max(
            _FEWEST, int(_SHARE * np.count_nonzero(often > _DOUBTFUL)), np.count_nonzero(often >= _SURE)
        )
        order = order[:some]
        order = order[often[order] > _NEVER]
        before = self.classes
        self.classes = int(
            open_classes(
                *self.found, order, self.prices, self.k, _WORTH,
                self.left, self.ceiling, self.home, self.members, before,
            )
        )  # fmt: skip
        self.prices = np.minimum(self.prices, self.ceiling)
        return self.classes > before

    def keep_useful(self) -> bool:
        """Leave out combinations that cannot be opened any more, or not with profit; whether any are kept."""
        from likeness.methods.lagrangian_recoding.kernels import keep_useful

        cells, begin, loss = self.found
        kept = int(keep_useful(cells, begin, loss, self.often, self.left, self.ceiling, self.k))
        self.found = _NodeCombinations(cells[: begin[kept]], begin[: kept + 1], loss[:kept])
        self.often = self.often[:kept]
        return kept > 0

    def classes_of(self, table: _LevelledCells) -> NDArray[np.int64]:
        """(n,) Class of each record; who is left joins the cheapest that is open to him, else the one that it costs least."""
        from likeness.methods.lagrangian_recoding.kernels import join

        members = self.members[: self.classes]
        lonely = np.flatnonzero((self.left > 0) & (self.home < 0))
        join(
            table.groups, table.losses, table.begins, table.parts,
            members, self.classes, self.k, lonely, self.left, self.home,
        )  # fmt: skip
        # Whose part has no class shares one with all of it.
        own = np.where(self.home < 0, self.classes + table.parts, self.home)
        cells = np.concatenate([members.ravel(), np.repeat(np.arange(self.left.size), self.left)])
        classes = np.concatenate([np.repeat(np.arange(self.classes), self.k), np.repeat(own, self.left)])
        # The records of a cell are dealt in their order.
        found = np.empty(table.of.size, np.int64)
        found[np.argsort(table.of, kind="stable")] = classes[np.argsort(cells, kind="stable")]
        return found
