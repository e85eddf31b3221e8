"""Pools of neighbouring classes, laid out for the kernels and taken back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import joint_views, loss_weights
from likeness.methods.spaces import axis
from likeness.microdata.grouping import group_codes, group_keys
from likeness.microdata.plan import renumber
from likeness.microdata.regions import attribute_weights, geometry

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.methods.base import Problem
    from likeness.methods.local_search.kernels import Judges, LaidOutPools

_ITEMS = 300
"""Items of a pool, unless two classes have more."""
_SHAKEN_ITEMS = 120
"""Items of a pool that is shaken."""
_SINGLE = 4
"""Records of one cell in one class that may go each its own way; what there are beyond stay together."""
_SINGLE_COUNTED = 32
"""The same, where it counts how many share a class."""
_SPARE = 8
"""Classes that a pool may have more than it began with."""
_RENEWED = 3
"""Nearest classes that are made anew together with one, at most."""
_STEPS_A_CALL = 2_000_000
"""Steps of the pools that a kernel is handed at once, about: to call it takes as long as 30,000."""
_STEPS_TO_FILL = 10_000
"""As many could be taken while a pool is filled."""


@dataclass(frozen=True, eq=False)
class Items:
    """The records to be improved, as cells: distinct combinations of hull, places in the histogram, weight and part.

    ``rows``, ``cell``: (n,) which records they are, and the cell of each. ``low``, ``high``, ``bits``, ``places``, ``weight``,
    ``part``: of each cell, as in `Neighbourhood`.
    ``at``: (d, cells) place of each on every axis, weighted. ``crowd``, ``price``: what a record loses by each that it shares
    a class with, and what it is charged if it is withheld.
    """

    geometry: Geometry
    judges: Judges
    width: int
    rows: NDArray[np.int64]
    cell: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    bits: NDArray[np.uint64]
    places: NDArray[np.int64]
    weight: NDArray[np.float64]
    part: NDArray[np.int64]
    at: NDArray[np.float64]
    crowd: float
    price: float

    @classmethod
    def of(cls, problem: Problem, kept: NDArray[np.int64]) -> Items:
        """Lay out some records of a problem."""
        from likeness.kernels.class_excess import measures_of
        from likeness.kernels.class_tests import lay_out
        from likeness.methods.local_search.kernels import Judges

        data = problem.data
        views, tests, width = joint_views(problem)
        laid = lay_out(tests)
        judges = Judges(
            laid.functions, measures_of(laid), laid.smallest, laid.shape, laid.integers, laid.reals
        )
        shape = geometry(data.quasi, problem.loss)
        low, high, bits = _hulls(problem, shape)
        crowd = problem.loss.crowd
        # Who shares a class is counted, not weighed.
        weights = None if crowd else loss_weights(data)
        heavy = np.zeros(data.size, np.int64)
        if weights is not None:
            heavy = np.unique(weights, return_inverse=True)[1].reshape(-1)
        parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
        hulls = data.tuples.of if data.members is None else _equal_hulls(low, high, bits)
        columns = [hulls[kept], heavy[kept], parts[kept], *views[:, kept]]
        cells = group_codes(columns, [int(column.max(initial=0)) + 1 for column in columns])
        first = kept[cells.first]
        places = np.array(
            [axis(domain)[codes] for domain, codes in zip(data.quasi, data.codes[:, first], strict=True)]
        )
        return cls(
            shape,
            judges,
            width,
            kept,
            cells.of,
            np.ascontiguousarray(low[:, first].T),
            np.ascontiguousarray(high[:, first].T),
            np.ascontiguousarray(bits[first]),
            np.ascontiguousarray(views[:, first].T, np.int64),
            np.ones(first.size) if weights is None else weights[first],
            parts[first],
            places * attribute_weights(data.quasi)[:, None],
            crowd,
            problem.loss.withheld(data.size),
        )


def _hulls(
    problem: Problem, shape: Geometry
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64]]:
    """Smallest and largest code (d, n), and sets as bits (n, words), of every record, or of all records of every person."""
    data = problem.data
    members = data.members
    of = np.arange(data.size) if members is None else members.of
    codes = data.codes if members is None else members.records.codes
    low, high = data.codes.copy(), data.codes.copy()
    bits = np.zeros((data.size, int(shape.word[-1])), np.uint64)
    for j, own in enumerate(codes):
        np.minimum.at(low[j], of, own)
        np.maximum.at(high[j], of, own)
        if shape.word[j + 1] > shape.word[j]:
            bit = np.uint64(1) << (own & 63).astype(np.uint64)
            np.bitwise_or.at(bits, (of, shape.word[j] + (own >> 6)), bit)
    return low, high, bits


def _equal_hulls(
    low: NDArray[np.int32], high: NDArray[np.int32], bits: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """(n,) Which hulls are equal, numbered as combinations of codes are."""
    words = [group_keys(np.ascontiguousarray(word).view(np.int64)) for word in bits.T]
    sizes = [int(codes.max(initial=0)) + 1 for codes in (*low, *high)]
    return group_codes(
        [*low, *high, *(word.of for word in words)], [*sizes, *(word.count for word in words)]
    ).of


@dataclass(frozen=True, eq=False)
class Pools:
    """The classes of one round, pool by pool.

    ``record``: (n,) positions of the table's records, item by item. ``start``: (items + 1,) where those of each begin.
    ``members``, ``laid``: items pool by pool, and how they are laid out. ``work``: steps that each pool may take. ``shaken``:
    whether they go on when no move lowers their loss. ``out``: items that are withheld.
    """

    table: Items
    record: NDArray[np.int64]
    start: NDArray[np.int64]
    members: NDArray[np.int64]
    laid: LaidOutPools
    work: int
    shaken: bool
    out: NDArray[np.bool_] = field(repr=False)

    @classmethod
    def of(
        cls,
        table: Items,
        classes: NDArray[np.int64],
        rng: np.random.Generator,
        work: int,
        *,
        shaken: bool = False,
    ) -> Pools:
        """Divide classes (n,), -1 for records that are in none, into pools of neighbours, smaller ones if they are ``shaken``."""
        kept = np.flatnonzero(classes >= 0)
        count = int(classes.max(initial=-1)) + 1
        own = group_codes([classes[kept], table.cell[kept]], [count, table.part.size])
        single = np.minimum(own.sizes, _SINGLE_COUNTED if table.crowd else _SINGLE)
        items = single + (own.sizes > single)
        entry = np.repeat(np.arange(own.count), items)
        rank = np.arange(entry.size) - np.repeat(np.cumsum(items) - items, items)
        sizes = np.where(rank < single[entry], 1, (own.sizes - single)[entry])
        record = kept[np.argsort(own.of, kind="stable")]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        cell, of = table.cell[record[start[:-1]]], classes[record[start[:-1]]]
        order = np.argsort(of, kind="stable")
        begins = np.searchsorted(of[order], np.arange(count + 1))
        mass = np.bincount(of, sizes, count)
        centres = np.array([np.bincount(of, sizes * at[cell], count) / mass for at in table.at])
        part = table.part[cell[order[begins[:-1]]]]
        chosen = _divided(centres, np.diff(begins), part, rng, _SHAKEN_ITEMS if shaken else _ITEMS)
        seeds = rng.integers(1, 1 << 62, len(chosen))
        there, in_each = np.concatenate(chosen), np.array([one.size for one in chosen])
        pool, of_each = np.repeat(np.arange(in_each.size), in_each), np.diff(begins)[there]
        ends = np.cumsum(of_each)
        members = order[np.arange(entry.size) + np.repeat(begins[there] - ends + of_each, of_each)]
        # In its pool a class has the number that it has by order.
        number = np.empty(count, np.int64)
        number[there[np.lexsort((there, pool))]] = np.arange(count) - (np.cumsum(in_each) - in_each)[pool]
        items = np.concatenate([[0], ends])[np.concatenate([[0], np.cumsum(in_each)])]
        laid = _laid_out(table, cell[members], sizes[members], number[of[members]], items, in_each, seeds)
        out = np.zeros(entry.size, np.bool_)
        each = max(5_000, work // in_each.size)
        return cls(table, record, start, members, laid, each, shaken, out)

    def improve(self, workers: Executor, stopped: threading.Event) -> tuple[float, float, int]:
        """Improve every pool: the loss before and after, times records, and the steps taken."""
        from likeness.methods.local_search.kernels import WORK, improve

        asked = self.table
        losses = np.zeros((self.laid.items.size - 1, 2))

        def some(first: int, last: int) -> None:
            if not stopped.is_set():
                improve(
                    asked.geometry,
                    asked.judges,
                    self.laid,
                    first,
                    last,
                    _RENEWED,
                    self.work,
                    self.shaken,
                    losses,
                )

        self._by_turns(some, workers, _STEPS_A_CALL // self.work)
        before, after = losses.sum(axis=0).tolist()
        return before, after, int(self.laid.all.numbers[:, WORK].sum())

    def _by_turns(self, some: Callable[[int, int], None], workers: Executor, at_once: int) -> None:
        """Let workers do something for all pools, about so many at once: from a first one, to a last one that is not done."""
        count = self.laid.items.size - 1
        # The first compiles or loads what all of them run.
        some(0, 1)
        begins = np.arange(1, count, min(max(1, at_once), 1 + count // 16))
        list(workers.map(some, begins.tolist(), [*begins[1:].tolist(), count]))

    def withhold(self, workers: Executor, most: int) -> int:
        """Withhold those by whom a class loses more than they are charged, of each class one item; how many records are.

        Those by whom most is lost come first, as long as all withheld are no more than ``most``.
        """
        from likeness.methods.local_search.kernels import LEAST_GAIN, spare

        asked, laid = self.table, self.laid
        gains = np.empty(self.members.size)

        def some(first: int, last: int) -> None:
            spare(asked.geometry, asked.judges, laid, first, last, asked.price, gains)

        self._by_turns(some, workers, _STEPS_A_CALL // _STEPS_TO_FILL)
        of = laid.all.of + np.repeat(laid.classes[:-1], np.diff(laid.items))
        order = np.lexsort((-gains, of))
        first = order[np.diff(of[order], prepend=-1) > 0]
        first = first[gains[first] > LEAST_GAIN]
        worst = self.members[first[np.lexsort((self.members[first], -gains[first]))]]
        records = self.start[worst + 1] - self.start[worst]
        withheld = 0
        for item, own in zip(worst.tolist(), records.tolist(), strict=True):
            if withheld + own <= most:
                self.out[item] = True
                withheld += own
        return withheld

    def classes(self) -> NDArray[np.int64]:
        """(n,) Class of each record."""
        of, laid = np.full(self.out.size, -1, np.int64), self.laid
        of[self.members] = laid.all.of + np.repeat(laid.classes[:-1], np.diff(laid.items))
        of[self.out] = -1
        found = np.full(self.table.cell.size, -1, np.int64)
        found[self.record] = np.repeat(of, np.diff(self.start))
        return renumber(found)


def _divided(
    centres: NDArray[np.float64],
    sizes: NDArray[np.int64],
    part: NDArray[np.int64],
    rng: np.random.Generator,
    most: int,
) -> list[NDArray[np.int64]]:
    """Halve classes, of one part each, by their centres on one of the widest axes, near the middle, until pools are small."""
    found = []
    ahead = [np.flatnonzero(part == own) for own in np.unique(part)]
    while ahead:
        own = ahead.pop()
        if sizes[own].sum() <= most or own.size <= 2:
            found.append(own)
            continue
        spread = centres[:, own].std(axis=1) * rng.uniform(0.3, 1, centres.shape[0])
        own = own[np.argsort(centres[int(np.argmax(spread)), own], kind="stable")]
        upto = np.cumsum(sizes[own])
        at = int(np.searchsorted(upto, upto[-1] * rng.uniform(0.35, 0.65)))
        at = min(max(at, 1), own.size - 1)
        ahead += [own[at:], own[:at]]
    return found


def _laid_out(
    table: Items,
    cell: NDArray[np.int64],
    records: NDArray[np.int64],
    of: NDArray[np.int64],
    items: NDArray[np.int64],
    in_each: NDArray[np.int64],
    seeds: NDArray[np.int64],
) -> LaidOutPools:
    """Lay out pools: the cell of each item, its records and class, where the items of each pool begin, and its classes."""
    from likeness.methods.local_search.kernels import LOGS, LaidOutPools, Neighbourhood

    classes = np.concatenate([[0], np.cumsum(in_each + _SPARE)])
    n, e, pools = cell.size, int(classes[-1]), in_each.size
    d, words = table.low.shape[1], table.bits.shape[1]
    numbers = np.zeros((pools, 4), np.int64)
    numbers[:, 3] = seeds
    laid = Neighbourhood(
        table.low[cell],
        table.high[cell],
        table.bits[cell],
        records.astype(np.int64),
        records * table.weight[cell],
        table.places[cell],
        of,
        np.full(e, -1),
        np.full(n, -1),
        np.full(n, -1),
        np.zeros(e, np.int64),
        np.zeros(e),
        np.zeros((e, table.width), np.int64),
        np.zeros((e, d, 4), np.int32),
        np.zeros((e, words), np.uint64),
        np.zeros((e, words), np.uint64),
        np.zeros(e),
        np.zeros(n),
        np.zeros((LOGS * n, 2), np.int64),
        numbers,
        np.zeros((pools, 2, d), np.int32),
        np.zeros((pools, words), np.uint64),
        np.zeros(n, np.int64),
        np.zeros(e, np.int64),
        np.full(n, -1),
        np.full(n, -1),
        np.full(e, -1),
        table.crowd,
        np.zeros(e, np.uint64),
    )
    return LaidOutPools(laid, items, classes)
