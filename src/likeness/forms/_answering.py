"""Answer whole workloads: the distinct conditions of many queries laid out on the columns of weighted units."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.forms._axes import Codes, ExactAxis, Sets, Shares, Spans, code_ranges, exact_shares
from likeness.forms._sums import ANYTHING, number_weights, unknown_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from likeness.forms._axes import Axis, LaidOut
    from likeness.forms._units import Units
    from likeness.forms._workload import Workload
    from likeness.kernels.workloads import Cells, Columns, Conditions, Queries

_MOST_ENTRIES = 1 << 22
"""Of tables laid out at once: 32 MB."""
_MOST_UNITS = 1 << 17
"""Whose places in all columns are laid out at once: a few MB for each column."""
_MOST_ROWS = 4_096
"""Of conditions laid out at once on a block of units."""


class Question(NamedTuple):
    """A part of a workload in arrays, as `kernels.workloads` takes it: conditions and what each query has of them."""

    laid: list[tuple[Axis, LaidOut, int]]
    conditions: Conditions
    queries: Queries
    values: NDArray[np.float64]

    def of(self, units: Units) -> Iterator[tuple[Columns, Cells]]:
        """What units have in the columns that are asked about, and what they hold; some of them at a time."""
        from likeness.kernels.workloads import Cells

        count = units.start.shape[0] - 1
        for begin in range(0, max(1, count), _MOST_UNITS):
            end = min(begin + _MOST_UNITS, count)
            first, stop = int(units.start[begin]), int(units.start[end])
            yield (
                _columns(self.laid, begin, end),
                Cells(units.start[begin : end + 1] - first, units.code[first:stop], units.weight[first:stop]),
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
    """(queries,) Sums of a number to some power over the records that meet each query.

    Parameters
    ----------
    units
        What was published.
    workload
        The queries; ``workload.of`` is the column of numbers.
    power
        None to count every record, 0 to count those in which the number is not missing, 1 to sum.

    Raises
    ------
    TableError
        When a column was not published, a condition does not suit its column, or there are no numbers to sum.
    """
    from likeness.kernels.workloads import totals

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
    """Answer queries value by value of the sensitive tuples, conditions on these left out.

    Yields
    ------
    (q,) int64, (2, q, m) float64, (q, m) float64
        Some of the queries; what the records of each published sensitive tuple add up to, those that add and (without
        their sign) those that take away; what each sensitive tuple counts for.
    """
    from likeness.kernels.workloads import histograms

    units, workload, power = _weighted(units, workload, power)
    for which, question in _questions(units, workload, power):
        sums = np.zeros((2, which.size, units.tuples))
        for columns, cells in question.of(units):
            sums += histograms(question.conditions, columns, cells, question.queries, units.tuples)
        yield which, sums, question.values[question.queries.asked]


def _questions(
    units: Units, workload: Workload, power: int | None
) -> Iterator[tuple[NDArray[np.int64], Question]]:
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
) -> Question:
    """Lay out some queries."""
    from likeness.kernels.workloads import Queries

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
    return Question(laid, _gather(laid), Queries(begins, conditions_of_all, asked), values)


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


def _gather(laid: Sequence[tuple[Axis, LaidOut, int]]) -> Conditions:
    """Put conditions on several columns one after the other."""
    from likeness.kernels.workloads import POINTS, SETS, SPANS, TABLE, Conditions

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
    return Conditions(
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
    from likeness.kernels.workloads import Columns

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
