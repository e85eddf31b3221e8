"""Contingency tables: estimates of all combinations of conditions on one or two columns, from one pass over what was published.

What `Publication.estimate` says of ``{a: x, b: y}``, for every x and every y of two lists of conditions.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.queries.axes import Axis, Codes, ExactAxis, Sets, Shares, Spans, exact_shares
from likeness.queries.overlap import is_range
from likeness.queries.query import Consecutive
from likeness.queries.sums import unknown_column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.node_sets import NodeSets
    from likeness.queries.answering import TupleSets, Units
    from likeness.queries.axes import LaidOut
    from likeness.queries.kernels import RegionCells

_MOST_SHARES = 1 << 22
"""Shares of regions that are laid out at once."""


class ContingencyTables:
    """Estimated counts for lists of conditions on the columns of weighted units, column by column and pair by pair.

    Parameters
    ----------
    units
        What was published, or an original table.
    conditions
        Columns to conditions, as in `Query`; none of a column's need to exclude each other.
    reconstruct
        (…, k) numbers of what cells show, to (…, m) estimated numbers of sensitive tuples, where these differ; by default the
        units' ``mixing``.

    Raises
    ------
    TableError
        Where there is no such column, a condition does not suit it, or what a region stands for was not published.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> published = mini_table().publication
    >>> tables = published.contingency({"sex": [["F"], ["M"]], "disease": [["flu"], ["ulcer"]]})
    >>> tables.of("sex").tolist(), tables.pair("sex", "disease").tolist()
    ([1.5, 3.5], [[0.5, 1.0], [2.5, 1.0]])
    """

    def __init__(
        self,
        units: Units,
        conditions: Mapping[str, Sequence[Any]],
        reconstruct: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    ) -> None:
        self._units = units
        mixing = units.mixing
        self._kinds = units.shown if mixing is None else mixing.shape[0]
        self._reconstruct = reconstruct or (None if mixing is None else lambda counts: counts @ mixing)
        self._quasi: dict[str, _Column] = {}
        self._sensitive: dict[str, _Column] = {}
        self._weights = np.zeros(units.start.shape[0] - 1)
        some = np.flatnonzero(np.diff(units.start))
        if some.size:
            self._weights[some] = np.add.reduceat(units.weight, units.start[some])
        self.add(conditions)

    def add(self, conditions: Mapping[str, Sequence[Any]]) -> None:
        """Lay out further columns, beside those that are there; raises as the class."""
        units = self._units
        for name, own in conditions.items():
            if name in units.axes:
                axis = units.axes[name]
                # Regions are numbered by what they say, so that sums do not depend on the order of anything else.
                self._quasi[name] = _Column.of_regions(_cells(axis, own), axis.ranks[axis.of])
            elif name in units.sensitive:
                domain, codes = units.sensitive[name]
                shown: Axis = ExactAxis(domain, codes)
                if units.sets is not None:
                    shown, codes = _SetAxis(domain, units.sets), np.arange(units.sets.count)
                self._sensitive[name] = _Column.of_regions(_cells(shown, own), np.asarray(codes, np.int64))
            else:
                raise unknown_column(name, units.names)

    def of(self, name: str) -> NDArray[np.float64]:
        """(D,) Estimate the records that meet each condition on one column."""
        if name in self._quasi:
            return self._quasi[name].fold(self._weights[None]).reshape(-1)
        return self._sensitive[name].fold(self._tuples(self._shown()[None])).reshape(-1)

    def pair(self, one: str, other: str) -> NDArray[np.float64]:
        """(D, D') Estimate the records that meet a condition on one column and a condition on another, for all pairs of them."""
        if one in self._sensitive and other in self._sensitive:
            return self._of_tuples(one, other)
        if one in self._sensitive or (
            other in self._quasi and self._quasi[other].regions < self._quasi[one].regions
        ):
            # The column of fewer regions goes first: every one of its regions has a row of the other's cells.
            return np.ascontiguousarray(self.pair(other, one).T)
        if other in self._quasi:
            return self._tabulate(one, other)
        return self._with_sensitive(one, other)

    def _shown(self) -> NDArray[np.float64]:
        """(k,) Weight of everything that cells show."""
        return np.bincount(self._units.code, self._units.weight, self._kinds).astype(np.float64)

    def _tuples(self, shown: NDArray[np.float64]) -> NDArray[np.float64]:
        """(…, m) Weight of sensitive tuples, from (…, k) that of what cells show."""
        return shown if self._reconstruct is None else self._reconstruct(shown)

    def _of_tuples(self, one: str, other: str) -> NDArray[np.float64]:
        """Two sensitive columns: the tuples that have both."""
        weights = self._tuples(self._shown()[None])[0]
        column, each = self._sensitive[other], np.arange(weights.shape[0] + 1)
        return _added(self._sensitive[one], column.cells, column.size, each, column.of, weights)

    def _tabulate(self, one: str, other: str) -> NDArray[np.float64]:
        """Two quasi-identifiers: within a unit they are independent."""
        column, each = self._quasi[other], np.arange(self._weights.shape[0] + 1)
        return _added(self._quasi[one], column.cells, column.size, each, column.of, self._weights)

    def _with_sensitive(self, one: str, other: str) -> NDArray[np.float64]:
        """Tabulate a quasi-identifier with a sensitive column, through what cells show where this says more than one tuple."""
        from likeness.queries.kernels import RegionCells

        units, rows, column = self._units, self._quasi[one], self._sensitive[other]
        shown = units.code.astype(np.int64)
        if self._reconstruct is None:
            return _added(rows, column.cells, column.size, units.start, column.of[shown], units.weight)
        each = np.arange(self._kinds + 1)
        alone = RegionCells(each, each[:-1], np.ones(self._kinds))
        counts = _added(rows, alone, self._kinds, units.start, shown, units.weight)
        return column.fold(self._reconstruct(counts))


class _SetAxis(Axis):
    """A sensitive column of sets of values, which are its regions."""

    def __init__(self, domain: Domain, sets: TupleSets | NodeSets) -> None:
        self.domain, self.sets, self.of = domain, sets, np.arange(sets.count)

    def width(self, conditions: Sequence[Any], power: int | None = None) -> int:  # noqa: ARG002
        """Every condition needs a table."""
        return self.sets.count

    @property
    def ranks(self) -> NDArray[np.int64]:
        """Sets stand in the order of their codes."""
        return np.arange(self.sets.count)

    def lay_out(self, conditions: Sequence[Any], power: int | None = None) -> Shares:
        """Lay out whether each set meets each condition, or how likely it does."""
        assert power is None  # noqa: S101  # sets are not summed
        return Shares(self.sets.any_of(exact_shares(self.domain, conditions)))


class _Column(NamedTuple):
    """One column: R regions with their cells, and which of them each unit (or sensitive tuple) has.

    ``units``: units by region, those of a region from where ``begins`` (R + 1,) says.
    """

    cells: RegionCells
    of: NDArray[np.int64]
    begins: NDArray[np.int64]
    units: NDArray[np.int64]
    size: int

    @property
    def regions(self) -> int:
        """Number R."""
        return int(self.begins.shape[0] - 1)

    @classmethod
    def of_regions(cls, laid: tuple[RegionCells, int], of: NDArray[np.int64]) -> _Column:
        """Group units by region."""
        cells, size = laid
        begins = np.zeros(cells.begins.shape[0], np.int64)
        np.cumsum(np.bincount(of, minlength=begins.shape[0] - 1), out=begins[1:])
        return cls(cells, of, begins, np.argsort(of, kind="stable"), size)

    def fold(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, D) Weight in each cell, from (q, units) that of every unit."""
        found = np.zeros((weights.shape[0], self.size))
        region = np.repeat(np.arange(self.regions), np.diff(self.cells.begins))
        for row, own in zip(found, weights, strict=True):
            held = np.bincount(self.of, own, self.regions)
            row[:] = np.bincount(self.cells.cell, held[region] * self.cells.share, self.size)
        return found


def _added(
    rows: _Column,
    columns: RegionCells,
    size: int,
    start: NDArray[np.int64],
    of: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(D, size) Add up entries over the cells of two columns; the units of ``rows`` have their entries from ``start``."""
    from likeness.queries.kernels import Grouped, tabulate

    found = np.zeros((rows.size, size))
    tabulate(Grouped(rows.begins, rows.units, start, of, weight), rows.cells, columns, found)
    return found


def _cells(axis: Axis, conditions: Sequence[Any]) -> tuple[RegionCells, int]:
    """Lay out conditions on one column as the cells of its regions, which are numbered by their ranks; and how many there are."""
    from likeness.queries.kernels import RegionCells

    ranks = axis.ranks
    parts, first = [], 0
    for _, alike in groupby(conditions, _sort):
        some = list(alike)
        # Conditions are laid out together where they are of one sort.
        step = max(1, _MOST_SHARES // max(1, ranks.shape[0]))
        for begin in range(0, len(some), step):
            own = some[begin : begin + step]
            region, cell, share = _entries(axis.lay_out(own, None))
            parts.append((ranks[region], cell + first, share))
            first += len(own)
    region, cell, share = (
        (np.concatenate([part[i] for part in parts]) for i in range(3)) if parts else _NOTHING
    )
    keys, where = np.unique(region * max(1, first) + cell, return_inverse=True)
    shares = np.bincount(where.reshape(-1), share, keys.shape[0]).astype(np.float64)
    begins = np.zeros(ranks.shape[0] + 1, np.int64)
    np.cumsum(np.bincount(keys // max(1, first), minlength=ranks.shape[0]), out=begins[1:])
    return RegionCells(begins, keys % max(1, first), shares), first


_Entries = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.float64]"]
_NOTHING: _Entries = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def _sort(condition: Any) -> tuple[bool, bool]:
    """Tell ranges and neighbours in a list from other collections."""
    return isinstance(condition, Consecutive), is_range(condition)


def _entries(laid: LaidOut) -> _Entries:
    """(entries,) Region, condition and share, wherever a region meets a condition."""
    if isinstance(laid, Codes):
        rank, cell = _within(laid.low, laid.high)
        return rank, cell, np.ones(rank.shape[0])
    if isinstance(laid, Sets):
        return _of_sets(laid)
    table = _of_spans(laid) if isinstance(laid, Spans) else laid.table
    region, cell = np.nonzero(table.T)
    return region, cell, table[cell, region]


def _within(
    low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every rank in every range, and whose range it is."""
    sizes = np.maximum(high - low + 1, 0).astype(np.int64)
    cell = np.repeat(np.arange(sizes.shape[0]), sizes)
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - low.astype(np.int64), sizes), cell


def _of_sets(laid: Sets) -> _Entries:
    """Every member of every set, in every range that has its rank."""
    rank, cell = _within(laid.low, laid.high)
    order = np.argsort(rank, kind="stable")
    rank, cell = rank[order], cell[order]
    owner = np.repeat(np.arange(laid.size.shape[0]), np.diff(laid.begins))
    first, stop = (np.searchsorted(rank, laid.members, side) for side in ("left", "right"))
    times = stop - first
    at = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times - first, times)
    region = np.repeat(owner, times)
    return region, cell[at], 1.0 / laid.size[region]


def _of_spans(laid: Spans) -> NDArray[np.float64]:
    """(D, R) Share of every stretch that lies in each range."""
    stretches = laid.stretches
    start = np.maximum(stretches.first, laid.low[:, None])
    stop = np.minimum(stretches.last, laid.high[:, None])
    with np.errstate(invalid="ignore"):  # what covers nothing ends at infinity before it begins
        share = (stop - start + stretches.step) * stretches.inverse
    return np.where(start <= stop, share, 0.0)
