"""Records are dealt to regions: the linear programme whose integer optimum is the best release.

Classes of equal regions are one class, so a release is a set of open regions and, for each cell, how many of its records go to
which of them. What models ask of a class is linear where it is a size, a number of values, or a largest share; what is not is
left out here, and asked of the classes that are found: that makes a bound of the optimum, and the optimum where they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.methods.optimal.solver import interruptible, least_cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.methods.optimal.regions import Regions
    from likeness.methods.optimal.solver import SolverLimits
    from likeness.models.requirements import Requirement

_CLOSE = 1e-6


class LinearConditions(NamedTuple):
    """What a composition asks of a class that is linear.

    ``size``: fewest records.
    ``different``: the codes of the cells, and of how many different ones a class must hold some, for each model that asks it.
    ``shares``: the codes of the cells, and of how many records a class must be for one record of each, for each such model.
    ``whole``: whether that is all that is asked.
    """

    size: int
    different: tuple[tuple[NDArray[np.int64], int], ...]
    shares: tuple[tuple[NDArray[np.int64], NDArray[np.float64]], ...]
    whole: bool


class Dealt(NamedTuple):
    """What a solver found.

    ``cells``, ``regions``, ``records``: (m,) how many records of which cell are in which region, the withheld ones in region
    -1; None where it found nothing.
    ``bound``: no release loses less than this, as far as what was asked goes; infinite where there is none.
    ``proven``: whether these lose no more than that.
    ``nodes``: of the search, that were visited.
    """

    cells: NDArray[np.int64] | None
    regions: NDArray[np.int64]
    records: NDArray[np.int64]
    bound: float
    proven: bool
    nodes: int


NOTHING = Dealt(None, np.zeros(0, np.int64), np.zeros(0, np.int64), np.inf, proven=True, nodes=0)
"""No class holds."""


def asked_of(
    requirements: Sequence[Requirement], judged: NDArray[np.int32], sizes: NDArray[np.int64]
) -> LinearConditions:
    """Take what is linear from a composition; ``judged`` (s + κ, C) are the judged codes of the cells, ``sizes`` (C,) records."""
    size, whole = 1, True
    different, shares = [], []
    for one in requirements:
        conditions = one.conditions
        if one.view is None:
            size = max(size, conditions.size or 1)
            whole &= conditions.complete and conditions.size is not None
            continue
        if one.view.known:
            whole = False
            continue
        codes = one.view.codes(judged)
        if conditions.values is not None:
            different.append((codes, int(np.ceil(float(conditions.values)))))
        # Sizes and shares of individuals are those of records here: everybody has one.
        size = max(size, conditions.size or 1)
        needed = one.bound.sizes_needed(np.bincount(codes, sizes, minlength=one.view.values).astype(np.int64))
        only_values = conditions == conditions.__class__(values=conditions.values, complete=True)
        if needed is None:
            whole &= only_values
            continue
        shares.append((codes, np.array([_per_record(own, int(sizes.sum())) for own in needed])))
        size = max(size, min((int(own[0]) for own in needed if own.size), default=1))
    # Larger than any class: solvers would confuse what is much larger with nothing.
    size = min(size, int(sizes.sum()) + 1)
    return LinearConditions(size, tuple(different), tuple(shares), whole)


def _per_record(needed: NDArray[np.int64], everybody: int) -> float:
    """Find the largest r such that c records of a value need a class of at least r c; 0 where there are none.

    No more than what no class of ``everybody`` has, which solvers would confuse with nothing.
    """
    if needed.size == 0:
        return 0.0
    found = min(
        Fraction(min(int(own), (everybody + 1) * (i + 1)), i + 1) for i, own in enumerate(needed.tolist())
    )
    # Towards 0, so that rounding forbids no class that holds.
    return float(np.nextafter(float(found), 0.0)) if found.denominator > 1 else float(found)


@dataclass(frozen=True, eq=False)
class _Model:
    """The variables, one after the other: records of a cell in a region, open regions, values in a region, withheld records."""

    regions: NDArray[np.int64]
    cells: NDArray[np.int64]
    sizes: NDArray[np.int64]
    opened: int
    asked: LinearConditions
    allowance: int
    quota: Quota | None

    @property
    def out(self) -> int:
        """Of how many cells records may be withheld: of all, or none."""
        return self.sizes.size if self.allowance > 0 or self.quota is not None else 0

    @property
    def dealt(self) -> int:
        """How many numbers of records of a cell in a region there are."""
        return int(self.cells.size)


Quota = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
"""(C,) The group of each cell, and (G,) how many records of each group are withheld: exactly so many."""


def deal(
    regions: Regions,
    sizes: NDArray[np.int64],
    asked: LinearConditions,
    limits: SolverLimits,
    *,
    allowance: int = 0,
    quota: Quota | None = None,
) -> Dealt:
    """Deal the records of cells to regions so that they lose least.

    Parameters
    ----------
    regions
        The regions that classes can have.
    sizes : (C,) int64
        Records of each cell.
    asked
        What a class must hold.
    limits
        How long the solver may take.
    allowance
        Records that may be withheld, each of which loses 1.
    quota
        Who is withheld, where that is given.
    """
    from scipy.optimize import LinearConstraint

    of, cells = np.nonzero(regions.covers)
    model = _Model(of, cells, sizes, regions.loss.size, asked, allowance, quota)
    matrix, low, high = _constraints(model)
    cost, upper, integral = _variables(model, regions)
    found = least_cost(cost, LinearConstraint(matrix, low, high), upper, integral, limits)
    bound = np.inf if found.status == 2 else float(found.mip_dual_bound or 0.0)
    nodes = int(found.mip_node_count or 0)
    failed = NOTHING._replace(
        bound=max(bound, 0.0), proven=found.x is None and found.status == 2, nodes=nodes
    )
    if found.x is None:
        return failed
    dealt = _whole_numbers(found.x, cost, (matrix, low, high), upper, integral)
    if dealt is None:
        return failed
    some = np.flatnonzero(dealt[: model.dealt])
    out = dealt[cost.size - sizes.size :] if model.out else np.zeros(sizes.size, np.int64)
    gone = np.flatnonzero(out)
    return Dealt(
        np.concatenate([cells[some], gone]),
        np.concatenate([of[some], np.full(gone.size, -1)]),
        np.concatenate([dealt[some], out[gone]]),
        max(bound, 0.0),
        proven=found.status == 0,
        nodes=nodes,
    )


def _variables(
    model: _Model, regions: Regions
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """What each variable costs, its largest value, and whether it must be whole."""
    values = sum(_kinds(codes) * model.opened for codes, _ in model.asked.different)
    out = model.out
    cost = np.concatenate([regions.loss[model.regions], np.zeros(model.opened + values), np.ones(out)])
    upper = np.concatenate(
        [model.sizes[model.cells], np.ones(model.opened + values), model.sizes[: out or 0]]
    ).astype(np.float64)
    # Which regions are open, and of which values, leaves a transport of whole numbers, unless shares are limited.
    records = int(bool(model.asked.shares))
    integral = np.concatenate(
        [np.full(model.dealt, records), np.ones(model.opened + values), np.full(out, records)]
    )
    return cost, upper, integral.astype(np.int64)


def _kinds(codes: NDArray[np.int64]) -> int:
    """How many different codes there are."""
    return int(np.unique(codes).size)


def _constraints(model: _Model) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Lay out what must hold, ``low <= A x <= high``."""
    dealt, opened = np.arange(model.dealt), model.dealt + np.arange(model.opened)
    of, cells, sizes = model.regions, model.cells, model.sizes
    rows = _Rows()
    # Everybody is somewhere.
    parts = [(cells, dealt, np.ones(dealt.size))]
    values = sum(_kinds(codes) * model.opened for codes, _ in model.asked.different)
    if model.out:
        out = model.dealt + model.opened + values + np.arange(sizes.size)
        parts.append((np.arange(sizes.size), out, np.ones(sizes.size)))
        if model.quota is None:
            rows.add(
                [(np.zeros(sizes.size, np.int64), out, np.ones(sizes.size))], 1, -np.inf, model.allowance
            )
        else:
            groups, numbers = model.quota
            rows.add([(groups, out, np.ones(sizes.size))], numbers.size, numbers, numbers)
    rows.add(parts, sizes.size, sizes, sizes)
    every = np.arange(model.opened)
    # A region that is open has so many records; one that is not, none.
    rows.add(
        [(of, dealt, np.ones(dealt.size)), (every, opened, np.full(opened.size, -model.asked.size))],
        opened.size,
        0,
    )
    rows.add([(dealt, dealt, -np.ones(dealt.size)), (dealt, opened[of], sizes[cells])], dealt.size, 0)
    at = model.dealt + model.opened
    for codes, least in model.asked.different:
        _, kind = np.unique(codes, return_inverse=True)
        kind, kinds = kind.reshape(-1), _kinds(codes)
        there = at + np.arange(model.opened * kinds)
        home = np.repeat(every, kinds)
        rows.add(
            [
                (of * kinds + kind[cells], dealt, np.ones(dealt.size)),
                (np.arange(there.size), there, -np.ones(there.size)),
            ],
            there.size,
            0,
        )
        rows.add(
            [(home, there, np.ones(there.size)), (every, opened, np.full(opened.size, -least))],
            opened.size,
            0,
        )
        at += there.size
    for codes, per_record in model.asked.shares:
        for code in np.unique(codes).tolist():
            if per_record[code] > 1:
                share = 1.0 - per_record[code] * (codes[cells] == code)
                rows.add([(of, dealt, share)], opened.size, 0)
    return rows.laid_out(model.dealt + model.opened + values + model.out)


class _Rows:
    """Rows of a sparse matrix with their limits, block by block."""

    def __init__(self) -> None:
        self.count = 0
        self.entries: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        self.low: list[NDArray[np.float64]] = []
        self.high: list[NDArray[np.float64]] = []

    def add(self, parts: Sequence[tuple[Any, Any, Any]], rows: int, low: Any, high: Any = np.inf) -> None:
        """Add a block; ``parts`` are row in the block, column and value of its entries."""
        self.entries += [
            (row + self.count, column, np.asarray(value, np.float64)) for row, column, value in parts
        ]
        self.low.append(np.broadcast_to(np.asarray(low, np.float64), rows))
        self.high.append(np.broadcast_to(np.asarray(high, np.float64), rows))
        self.count += rows

    def laid_out(self, columns: int) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
        """The matrix and the limits."""
        from scipy.sparse import csr_array

        row, column, value = (np.concatenate(own) for own in zip(*self.entries, strict=True))
        matrix = csr_array((value, (row, column)), shape=(self.count, columns))
        return matrix, np.concatenate(self.low), np.concatenate(self.high)


def _whole_numbers(
    found: NDArray[np.float64],
    cost: NDArray[np.float64],
    held: tuple[Any, NDArray[np.float64], NDArray[np.float64]],
    upper: NDArray[np.float64],
    integral: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Give whole numbers of records: those found, or the corner of what the whole ones among them leave open."""
    from scipy.optimize import linprog

    whole = np.rint(found)
    if np.abs(found - whole).max(initial=0.0) > _CLOSE:
        fixed = integral > 0
        matrix, low, high = held
        equal = low == high
        more, less = ~equal & np.isfinite(low), ~equal & np.isfinite(high)
        again = interruptible(
            lambda: linprog(
                cost,
                A_ub=_stacked([-matrix[more], matrix[less]]),
                b_ub=np.concatenate([-low[more], high[less]]),
                A_eq=matrix[equal],
                b_eq=low[equal],
                bounds=np.stack([np.where(fixed, whole, 0.0), np.where(fixed, whole, upper)], axis=1),
                method="highs-ds",
            )
        )
        if again.x is None or np.abs(again.x - np.rint(again.x)).max(initial=0.0) > _CLOSE:
            return None
        whole = np.rint(again.x)
    return np.asarray(whole, np.int64)


def _stacked(blocks: list[Any]) -> Any:
    """One matrix of several, one below the other."""
    from scipy.sparse import vstack

    return vstack(blocks).tocsr()
