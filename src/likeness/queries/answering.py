"""Answer whole workloads: the distinct conditions of many queries laid out on the columns of weighted units.

What was published, as weighted units: equivalence classes, or distinct tuples of exact quasi-identifiers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.microdata.grouping import distinct
from likeness.queries.axes import (
    Codes,
    ExactAxis,
    RegionAxis,
    Sets,
    Shares,
    Spans,
    TouchedAxis,
    code_ranges,
    exact_shares,
)
from likeness.queries.sums import ANYTHING, number_weights, unknown_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.node_sets import NodeSets
    from likeness.queries.axes import Axis, LaidOut
    from likeness.queries.kernels import Columns, ConditionArrays, Queries, SensitiveCells
    from likeness.queries.query import Workload

_DENSE = 1 << 22
"""Cells are counted in a table of at most so many places, or four per entry."""
_MOST_BITS = 8
"""Of a column's place on the Z-curve."""


@dataclass(frozen=True, eq=False)
class TupleSets:
    """k sets of sensitive tuples: those of individuals that have several records.

    ``start`` (k + 1,): where each set begins in ``tuples`` (entries,); no set is empty.
    """

    start: NDArray[np.int64]
    tuples: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number k of sets."""
        return int(self.start.shape[0] - 1)

    def any_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(S, k) Whether each set has a tuple that is met, from (S, m) whether each tuple is, as 0 and 1."""
        rows = values.shape[0]
        # 64 rows at a time, as the bits of a word.
        words = -(-rows // 64)
        bits = np.zeros((values.shape[1], 8 * words), np.uint8)
        packed = np.packbits(values.T > 0, axis=1)
        bits[:, : packed.shape[1]] = packed
        met = np.ascontiguousarray(bits.view(np.uint64).T)
        found = np.zeros((self.count, words), np.uint64)
        if self.count:
            for word in range(words):
                found[:, word] = np.bitwise_or.reduceat(met[word][self.tuples], self.start[:-1])
        unpacked = np.unpackbits(found.view(np.uint8), axis=1, count=rows)
        return np.ascontiguousarray(unpacked.T, np.float64)


@dataclass(frozen=True, eq=False)
class Units:
    """What was published, as units whose records nobody can tell apart by their quasi-identifiers.

    Units are equivalence classes where quasi-identifiers are generalized, and distinct tuples where they are exact.
    ``sensitive``: by name, the domain and (m,) the code each sensitive tuple has.
    ``start``: (units + 1,) where the cells of each unit begin. ``code``: (cells,) what each shows.
    ``weight``: (cells,) records, by survey weight; parts of records where only a share is known.
    ``mixing``: (k, m) where what cells show are not sensitive tuples: what each of the k says of each tuple, on average.
    ``sets``: where what cells show are individuals: the sensitive tuples that their records have, or what is shown of these.
    """

    axes: Mapping[str, Axis]
    sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]]
    start: NDArray[np.int64]
    code: NDArray[np.int32]
    weight: NDArray[np.float64]
    mixing: NDArray[np.float64] | None = None
    sets: TupleSets | NodeSets | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that can be asked about."""
        return (*self.axes, *self.sensitive)

    @cached_property
    def touched(self) -> Units:
        """The same, in which a unit counts wholly as soon as its regions meet the conditions on quasi-identifiers."""
        axes = {
            name: TouchedAxis(axis) if isinstance(axis, RegionAxis) else axis
            for name, axis in self.axes.items()
        }
        return replace(self, axes=axes)

    @cached_property
    def by_cell(self) -> Units:
        """The same with a unit for every cell: the (only) sensitive attribute becomes one more axis."""
        ((name, (domain, _)),) = self.sensitive.items()
        unit = np.repeat(np.arange(self.start.shape[0] - 1), np.diff(self.start))
        axes = {own: axis.at(axis.of[unit]) for own, axis in self.axes.items()}
        count = unit.shape[0]
        return make_units(
            {**axes, name: ExactAxis(domain, self.code)},
            {},
            np.arange(count),
            np.zeros(count, np.int64),
            self.weight,
            count,
        )

    @property
    def tuples(self) -> int:
        """Number m of sensitive tuples."""
        return tuples_in(self.sensitive)

    @property
    def shown(self) -> int:
        """Number of different things that cells may show."""
        return self.tuples if self.sets is None else self.sets.count


def tuples_in(sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]]) -> int:
    """Count the sensitive tuples of `Units`."""
    return int(next(iter(sensitive.values()))[1].shape[0]) if sensitive else 1


def make_units(
    axes: Mapping[str, Axis],
    sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]],
    unit: NDArray[np.integer],
    code: NDArray[np.integer],
    weight: NDArray[np.float64],
    count: int,
    mixing: NDArray[np.float64] | None = None,
    sets: TupleSets | NodeSets | None = None,
) -> Units:
    """Put units that are alike beside each other and gather what each holds.

    ``unit``, ``code``, ``weight`` (entries,): of records, or of parts of them. The axes' ``of`` follows the numbers of
    the units, of which there are ``count``. With ``mixing`` or ``sets`` (see `Units`) ``code`` says what is shown.
    """
    order = nearby([axis.ranks.astype(np.int32)[axis.of] for axis in axes.values()], count)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    axes = {name: axis.at(axis.of[order]) for name, axis in axes.items()}
    m = tuples_in(sensitive) if sets is None else sets.count
    keys = place[unit]
    del order, place
    keys *= m
    keys += code
    keys, weights = _add_up(keys, weight, count * m)
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys // m, minlength=count), out=start[1:])
    return Units(axes, sensitive, start, (keys % m).astype(np.int32), weights, mixing, sets)


def units_of_individuals(
    axes: Mapping[str, Axis],
    domains: Sequence[Domain],
    codes: NDArray[np.int32],
    unit: NDArray[np.integer],
    individuals: NDArray[np.integer],
    weight: NDArray[np.float64],
    count: int,
) -> Units:
    """As `make_units`, of which individuals each unit holds; ``unit`` and ``individuals`` (n,) number those of each record.

    An individual counts in every unit that it has a record in, for the mean weight of its records there.
    """
    sensitive, code = tuples_of(domains, codes)
    m, width = tuples_in(sensitive), int(individuals.max(initial=0)) + 1
    inside, who, records = np.unique(
        unit.astype(np.int64) * width + individuals, return_inverse=True, return_counts=True
    )
    pairs = distinct(who.reshape(-1).astype(np.int64) * m + code)
    own, number = pairs % m, np.bincount(pairs // m, minlength=inside.size)
    first = np.cumsum(number) - number
    several = number > 1
    # Those with one tuple are what a record with it is: sets of one, numbered as the tuples.
    shown = np.where(several, m - 1 + np.cumsum(several), own[first])
    ends = m + np.cumsum(number[several])
    sets = TupleSets(
        np.concatenate([np.arange(m + 1), ends]), np.concatenate([np.arange(m), own[several[pairs // m]]])
    )
    mean = np.bincount(who.reshape(-1), weight, inside.size) / records
    return make_units(axes, sensitive, inside // width, shown, mean, count, sets=sets)


def nearby(ranks: Sequence[NDArray[np.integer]], count: int) -> NDArray[np.int64]:
    """(units,) Order units along a Z-curve of their ``ranks`` in every column, so that stretches of them are near in all.

    A column of very many ranks counts by parts with equal numbers of units; units at one place stand by their ranks.
    """
    if not ranks or not count:
        return np.arange(count)
    most = min(_MOST_BITS, 60 // len(ranks))
    widths, places = [], []
    for own in ranks:
        place, sizes = _places(own)
        bits = min(most, (sizes.size - 1).bit_length())
        if sizes.size > 1 << bits:
            # Equal numbers of units at every place.
            place = (((np.cumsum(sizes) - sizes) << bits) // count)[place]
        widths.append(bits)
        places.append(place.reshape(-1).astype(np.uint8))
    key = np.zeros(count, np.int64)
    for spread in _bits_apart(widths):
        key |= spread[places.pop(0)]
    order = np.argsort(key, kind="stable")
    # Few share a place on the curve: only these are compared column by column.
    here = key[order]
    tied = np.zeros(count, np.bool_)
    np.equal(here[1:], here[:-1], out=tied[1:])
    tied[:-1] |= tied[1:]
    those = order[tied]
    order[tied] = those[np.lexsort([*(own[those] for own in ranks), key[those]])]
    return order


def _bits_apart(widths: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """For numbers of so many bits: what each value gives where the bits of all take turns, the highest first."""
    turns = [
        (column, bits - 1 - level)
        for level in range(max(widths))
        for column, bits in enumerate(widths)
        if level < bits
    ]
    for column, bits in enumerate(widths):
        values, spread = np.arange(1 << bits), np.zeros(1 << bits, np.int64)
        for at, (whose, bit) in enumerate(reversed(turns)):
            if whose == column:
                spread |= ((values >> bit) & 1) << at
        yield spread


def _places(ranks: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Place of each rank among the distinct ones, and how often each of these stands there; counted, unless ranks are sparse."""
    lowest = ranks.min()
    span = int(ranks.max()) - int(lowest) + 1
    if span > max(_DENSE, 4 * ranks.size):
        _, place, sizes = np.unique(ranks, return_inverse=True, return_counts=True)
        return place, sizes
    often = np.bincount(ranks - lowest, minlength=span)
    return (np.cumsum(often > 0) - 1)[ranks - lowest], often[often > 0]


def _add_up(
    keys: NDArray[np.int64], weight: NDArray[np.float64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up weights of equal keys below ``most``; the keys ascending."""
    if most <= max(_DENSE, 4 * keys.shape[0]):
        sums = np.bincount(keys, weight, most)
        found = np.flatnonzero(sums)
        return found, np.asarray(sums[found], np.float64)
    found, of = np.unique(keys, return_inverse=True)
    return found, np.bincount(of, weight, found.shape[0]).astype(np.float64)


def tuples_of(
    domains: Sequence[Domain], codes: NDArray[np.int32]
) -> tuple[dict[str, tuple[Domain, NDArray[np.integer]]], NDArray[np.integer]]:
    """What `Units` wants to know of the sensitive attributes, and (n,) the combination of each record.

    ``codes`` is (s, n); combinations that occur are numbered in their order. One attribute keeps its own codes.
    """
    if len(domains) == 1:
        only = domains[0]
        return {only.name: (only, np.arange(only.codes))}, codes[0]
    if not domains:
        return {}, np.zeros(codes.shape[1], np.int64)
    found, of = np.unique(codes, axis=1, return_inverse=True)
    own = {domain.name: (domain, row) for domain, row in zip(domains, found, strict=True)}
    return own, of.astype(np.int64).reshape(-1)


_MOST_ENTRIES = 1 << 22
"""Of tables laid out at once: 32 MB."""
_MOST_UNITS = 1 << 17
"""Whose places in all columns are laid out at once: a few MB for each column."""
_MOST_ROWS = 4_096
"""Of conditions laid out at once on a block of units."""


class QueryBatch(NamedTuple):
    """A part of a workload in arrays, as `kernels.workloads` takes it: conditions and what each query has of them."""

    laid: list[tuple[Axis, LaidOut, int]]
    conditions: ConditionArrays
    queries: Queries
    values: NDArray[np.float64]

    def of(self, units: Units) -> Iterator[tuple[Columns, SensitiveCells]]:
        """What units have in the columns that are asked about, and what they hold; some of them at a time."""
        from likeness.queries.kernels import SensitiveCells

        count = units.start.shape[0] - 1
        for begin in range(0, max(1, count), _MOST_UNITS):
            end = min(begin + _MOST_UNITS, count)
            first, stop = int(units.start[begin]), int(units.start[end])
            yield (
                _columns(self.laid, begin, end),
                SensitiveCells(
                    units.start[begin : end + 1] - first, units.code[first:stop], units.weight[first:stop]
                ),
            )


def by_aggregate(
    workload: Workload, totals: Callable[[int | None], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """(queries,) Counts, sums or means, from sums of powers; NaN for the mean of no records."""
    if workload.aggregate == "count":
        return totals(None)
    sums = totals(1)
    if workload.aggregate == "sum":
        return sums
    counts = totals(0)
    means = np.full(len(workload), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def answer(units: Units, workload: Workload, power: int | None) -> NDArray[np.float64]:
    """(queries,) Sums of the numbers of ``workload.of`` to some power over the records that meet each query.

    ``power``: None counts every record, 0 those in which the number is not missing, 1 sums. Raises `TableError` where a
    column was not published, a condition does not suit its column, or there are no numbers to sum.
    """
    from likeness.queries.kernels import totals

    found = np.zeros(len(workload))
    if _asks_finely(units, workload):
        units = units.by_cell
    units, workload, power = _weighted(units, workload, power)
    for which, question in _questions(units, workload, power):
        values = question.values if units.mixing is None else question.values @ units.mixing.T
        if units.sets is not None:
            values = units.sets.any_of(values)
        values = np.ascontiguousarray(values)
        for columns, cells in question.of(units):
            found[which] += totals(question.conditions, columns, cells, question.queries, values)
    return found


def _weighted(units: Units, workload: Workload, power: int | None) -> tuple[Units, Workload, int | None]:
    """Sum the numbers of an exact column by giving them to the records as weights; leave other sums as they are."""
    axis = None if workload.of is None else units.axes.get(workload.of)
    if power is None or not isinstance(axis, ExactAxis):
        return units, workload, power
    numbers = np.repeat(number_weights(axis.domain, power)[axis.of], np.diff(units.start))
    return replace(units, weight=units.weight * numbers), workload.asking("count"), None


def _asks_finely(units: Units, workload: Workload) -> bool:
    """Whether there are so many sensitive values and conditions on them that these are better met cell by cell."""
    if len(units.sensitive) != 1 or units.mixing is not None or units.sets is not None:
        return False
    ((name, (domain, _)),) = units.sensitive.items()
    asked = _asked(workload, name) if name in workload.which else []
    return len(asked) * units.tuples > _MOST_ENTRIES // 8 and code_ranges(domain, asked) is not None


def answer_by_value(
    units: Units, workload: Workload, power: int | None
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]]:
    """Answer queries value by value of the sensitive tuples, conditions on these left out; some queries at a time.

    Yields which queries (q,); per published sensitive tuple (2, q, m) the sums of records that add and, without their
    sign, of those that take away; and (q, m) what each sensitive tuple counts for.
    """
    from likeness.queries.kernels import histograms

    units, workload, power = _weighted(units, workload, power)
    for which, question in _questions(units, workload, power):
        sums = np.zeros((2, which.size, units.tuples))
        for columns, cells in question.of(units):
            sums += histograms(question.conditions, columns, cells, question.queries, units.tuples)
        yield which, sums, question.values[question.queries.asked]


def _questions(
    units: Units, workload: Workload, power: int | None
) -> Iterator[tuple[NDArray[np.int64], QueryBatch]]:
    """Lay out a workload in parts of bounded size."""
    of = None if power is None else workload.of
    used = [name for name, which in workload.which.items() if (which >= 0).any()]
    for name in (*used, *(() if of is None else (of,))):
        if name not in units.names:
            raise unknown_column(name, units.names)
    rows = sum(np.unique(workload.which[name]).size for name in used)
    entries = units.shown
    for name in used:
        if name in units.axes:
            entries += units.axes[name].width(_asked(workload, name), power if name == of else None)
    part = max(1, len(workload))
    if rows > _MOST_ROWS or rows * entries > _MOST_ENTRIES:
        part = max(16, min(_MOST_ROWS // 4, _MOST_ENTRIES // entries))
    for begin in range(0, len(workload), part):
        queries = np.arange(begin, min(begin + part, len(workload)))
        yield queries, _lay_out(units, workload, queries, of, power)


def _lay_out(
    units: Units, workload: Workload, queries: NDArray[np.int64], of: str | None, power: int | None
) -> QueryBatch:
    """Lay out some queries."""
    from likeness.queries.kernels import Queries

    laid: list[tuple[Axis, LaidOut, int]] = []
    numbers = np.empty((queries.shape[0], len(units.axes)), np.int64)
    held = 0
    for column, (name, axis) in enumerate(units.axes.items()):
        conditions, own = _conditions(workload, name, queries, asked_of=name == of)
        numbers[:, column] = np.where(own >= 0, own + held, -1)
        held += len(conditions)
        if conditions:
            own_power = power if name == of else None
            laid.append((axis, axis.lay_out(conditions, own_power), own_power or 0))
    begins = np.zeros(queries.shape[0] + 1, np.int64)
    np.cumsum((numbers >= 0).sum(axis=1), out=begins[1:])
    values, asked = _values(units, workload, queries, of, power)
    conditions_of_all = np.ascontiguousarray(numbers[numbers >= 0])
    return QueryBatch(laid, _gather(laid), Queries(begins, conditions_of_all, asked), values)


def _asked(workload: Workload, name: str) -> list[Any]:
    """Conditions on one column that some query has."""
    found = np.unique(workload.which[name])
    return [workload.conditions[name][at] for at in found.tolist() if at >= 0]


def _conditions(
    workload: Workload, name: str, queries: NDArray[np.int64], *, asked_of: bool
) -> tuple[list[Any], NDArray[np.int64]]:
    """Distinct conditions of some queries on one column, and (queries,) which of them each has, or -1."""
    which = workload.which.get(name)
    own = np.full(queries.shape[0], -1, np.int64) if which is None else which[queries]
    found, number = np.unique(own, return_inverse=True)
    number = number.reshape(-1)
    some = [workload.conditions[name][int(at)] for at in found if at >= 0]
    absent = int(found.size > 0 and found[0] < 0)
    if asked_of and absent:
        # Numbers are summed under every query, those without a condition included.
        return [ANYTHING, *some], number
    return some, number - absent


def _gather(laid: Sequence[tuple[Axis, LaidOut, int]]) -> ConditionArrays:
    """Put conditions on several columns one after the other."""
    from likeness.queries.kernels import POINTS, SETS, SPANS, TABLE, ConditionArrays

    parts: list[tuple[Any, ...]] = []
    shares: list[NDArray[np.float64]] = [np.zeros(0)]
    columns = {Codes: 0, Spans: 0, Sets: 0, Shares: 0}
    for _, own, power in laid:
        d, column = own[0].shape[0], columns[type(own)]
        columns[type(own)] += 1
        if isinstance(own, Codes):
            parts.append((POINTS, column, own.low, own.high, 0, np.zeros(d)))
        elif isinstance(own, Spans):
            parts.append((SPANS, column, own.low, own.high, power, np.zeros(d)))
        elif isinstance(own, Sets):
            parts.append((SETS, column, own.low, own.high, 0, np.zeros(d)))
        else:
            begins = sum(table.size for table in shares) + np.arange(d) * own.table.shape[1]
            parts.append((TABLE, column, np.zeros(d), np.zeros(d), 0, begins))
            shares.append(own.table.reshape(-1))
    kind, column_of, low, high, power_of, shares_at = (
        np.concatenate([np.zeros(0), *(np.broadcast_to(part[i], part[2].shape) for part in parts)])
        for i in range(6)
    )
    return ConditionArrays(
        kind.astype(np.int8),
        column_of.astype(np.int64),
        low,
        high,
        power_of.astype(np.int64),
        shares_at.astype(np.int64),
        np.concatenate(shares),
    )


def _columns(laid: Sequence[tuple[Axis, LaidOut, int]], begin: int, end: int) -> Columns:
    """Lay out what some units have in the columns that conditions are on."""
    from likeness.queries.kernels import Columns

    units = end - begin
    of = [(axis.of[begin:end], own) for axis, own, _ in laid]
    codes = [region for region, own in of if isinstance(own, Codes)]
    spans = [(region, own.stretches) for region, own in of if isinstance(own, Spans)]
    tables = [region for region, own in of if isinstance(own, Shares)]
    sets = [(region, own) for region, own in of if isinstance(own, Sets)]
    first, last, step, inverse = (
        np.array([ends[i][region] for region, ends in spans], np.float64).reshape(len(spans), units)
        for i in range(4)
    )
    before = np.cumsum([0, *(own.size.shape[0] for _, own in sets)])
    entries = np.cumsum([0, *(own.members.shape[0] for _, own in sets)])
    return Columns(
        np.array(codes, np.int32).reshape(len(codes), units),
        first,
        last,
        step,
        inverse,
        np.array(tables, np.int32).reshape(len(tables), units),
        np.array([region + at for (region, _), at in zip(sets, before, strict=False)], np.int32).reshape(
            len(sets), units
        ),
        np.concatenate(
            [*(own.begins[:-1] + at for (_, own), at in zip(sets, entries, strict=False)), entries[-1:]]
        ),
        np.concatenate([np.zeros(0, np.int32), *(own.members for _, own in sets)]),
        np.concatenate([np.zeros(0, np.int64), *(own.size for _, own in sets)]),
    )


def _values(
    units: Units, workload: Workload, queries: NDArray[np.int64], of: str | None, power: int | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(S, m) What sensitive tuples count for under the distinct conditions on them; (queries,) which each query has."""
    used = {name: workload.which[name][queries] for name in units.sensitive if name in workload.which}
    found, asked = np.zeros((0, 1), np.int64), np.zeros(queries.shape[0], np.int64)
    if used:
        found, asked = np.unique(np.array(list(used.values())), axis=1, return_inverse=True)
    values = np.ones((max(1, found.shape[1]), units.tuples))
    for name, row in zip(used, found, strict=True):
        domain, codes = units.sensitive[name]
        wanted = [workload.conditions[name][at] for at in row.tolist() if at >= 0]
        if wanted:
            values[row >= 0] *= exact_shares(domain, wanted)[:, codes]
    if of is not None and of in units.sensitive and power is not None:
        domain, codes = units.sensitive[of]
        values *= number_weights(domain, power)[codes]
    return values, asked.astype(np.int64).reshape(-1)
