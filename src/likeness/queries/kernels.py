"""Answer many aggregate queries over weighted units: equivalence classes, or distinct tuples.

A query's answer is ``Σ_u w_u(s) · Π_c share_c(u)``: over all units, what the unit holds of the sensitive values asked for, times
the shares of the unit that meet its conditions. Units are taken in blocks. The ends of all units of a block tell of most
conditions that none of them or all of them meet it: such a block is skipped, or such a condition. Units that stand near each
other should therefore be alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import float64, int8, int32, int64, types, void

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

POINTS, SPANS, TABLE, SETS = 0, 1, 2, 3
_NONE, _SOME, _ALL, _LATER = 0, 1, 2, 3
_BLOCK = 256


class ConditionArrays(NamedTuple):
    """D distinct conditions."""

    kind: NDArray[np.int8]
    """(D,) POINTS (a range of codes), SPANS (a range on an axis), TABLE (a share per region) or SETS (a range of ranks)."""
    column: NDArray[np.int64]
    """(D,) the column of that kind which it is about."""
    low: NDArray[np.float64]
    """(D,) first code of a range, or lower end."""
    high: NDArray[np.float64]
    """(D,) last code of a range, or upper end."""
    power: NDArray[np.int64]
    """(D,) of SPANS: 1 to multiply each share by the mean position there."""
    shares_at: NDArray[np.int64]
    """(D,) of a TABLE: where its shares begin."""
    shares: NDArray[np.float64]
    """Shares of all regions, condition after condition."""


class Columns(NamedTuple):
    """What every unit has in each column."""

    code: NDArray[np.int32]
    """(points, units)"""
    first: NDArray[np.float64]
    """(spans, units) where a unit's stretch begins."""
    last: NDArray[np.float64]
    """(spans, units) where it ends; before ``first`` where there is none."""
    step: NDArray[np.float64]
    """(spans, units) 1 on axes of whole numbers and for single values, else 0."""
    inverse: NDArray[np.float64]
    """(spans, units) 1 / (last - first + step)."""
    region: NDArray[np.int32]
    """(tables, units)"""
    set_of: NDArray[np.int32]
    """(sets, units) number of a unit's set among those of all columns."""
    set_begins: NDArray[np.int64]
    """(sets of all columns + 1,) where the members of each set begin."""
    members: NDArray[np.int32]
    """Ranks of members, set after set, ascending."""
    set_size: NDArray[np.int64]
    """(sets of all columns,) number of members, the missing value (which has no rank) included."""


class SensitiveCells(NamedTuple):
    """What every unit holds of the sensitive values."""

    start: NDArray[np.int64]
    """(units + 1,) where the cells of each unit begin."""
    code: NDArray[np.int32]
    """(cells,) what a cell shows."""
    weight: NDArray[np.float64]
    """(cells,) how many records it has."""


class Queries(NamedTuple):
    """What each query asks for."""

    begins: NDArray[np.int64]
    """(queries + 1,) where its conditions begin."""
    conditions: NDArray[np.int64]
    """Conditions, query after query."""
    asked: NDArray[np.int64]
    """(queries,) its row of ``values``."""


CONDITIONS = types.NamedTuple(
    (int8[::1], int64[::1], float64[::1], float64[::1], int64[::1], int64[::1], float64[::1]), ConditionArrays
)
COLUMNS = types.NamedTuple(
    (
        int32[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
        float64[:, ::1],
        int32[:, ::1],
        int32[:, ::1],
        int64[::1],
        int32[::1],
        int64[::1],
    ),
    Columns,
)
CELLS = types.NamedTuple((int64[::1], int32[::1], float64[::1]), SensitiveCells)
QUERIES = types.NamedUniTuple(int64[::1], 3, Queries)


@njit(void(CONDITIONS, COLUMNS, int64, int64, int8[::1], float64[:, ::1]), cache=True, nogil=True)
def _enter(
    conditions: ConditionArrays,
    columns: Columns,
    begin: int,
    end: int,
    state: NDArray[np.int8],
    rows: NDArray[np.float64],
) -> None:
    """Find for every condition whether none, some or all units of a block meet it; lay out the rows of tables."""
    points, spans, sets = columns.code.shape[0], columns.first.shape[0], columns.set_of.shape[0]
    least = np.full(points + spans + sets, np.inf)
    most = np.full(points + spans + sets, -np.inf)
    gaps = np.zeros(points + spans + sets, np.bool_)
    for a in range(points):
        for u in range(begin, end):
            least[a] = min(least[a], columns.code[a, u])
            most[a] = max(most[a], columns.code[a, u])
    for a in range(spans):
        b = points + a
        for u in range(begin, end):
            if columns.first[a, u] > columns.last[a, u]:
                gaps[b] = True
            else:
                least[b] = min(least[b], columns.first[a, u])
                most[b] = max(most[b], columns.last[a, u])
    for a in range(sets):
        b = points + spans + a
        for u in range(begin, end):
            own = columns.set_of[a, u]
            first, stop = columns.set_begins[own], columns.set_begins[own + 1]
            if stop - first < columns.set_size[own]:
                gaps[b] = True
            if first < stop:
                least[b] = min(least[b], columns.members[first])
                most[b] = max(most[b], columns.members[stop - 1])
    for d in range(conditions.kind.shape[0]):
        a = conditions.column[d]
        if conditions.kind[d] == TABLE:
            none, every = True, True
            at = conditions.shares_at[d]
            for u in range(begin, end):
                share = conditions.shares[at + columns.region[a, u]]
                rows[d, u - begin] = share
                none = none and share == 0.0
                every = every and share == 1.0
            state[d] = _NONE if none else _ALL if every else _SOME
            continue
        b = a
        if conditions.kind[d] != POINTS:
            b += points if conditions.kind[d] == SPANS else points + spans
        low, high = conditions.low[d], conditions.high[d]
        if not (low <= most[b] and least[b] <= high):
            state[d] = _NONE
        elif low <= least[b] and most[b] <= high and not gaps[b] and not conditions.power[d]:
            state[d] = _ALL
        else:
            state[d] = _SOME if conditions.kind[d] == POINTS else _LATER


@njit(int64(int32[::1], int64, int64, float64), cache=True, nogil=True, inline="always")
def _below(members: NDArray[np.int32], first: int, stop: int, end: float) -> int:
    """Find the first member from ``first`` that is not below an end; ``stop`` when there is none."""
    while first < stop:
        middle = (first + stop) >> 1
        if members[middle] < end:
            first = middle + 1
        else:
            stop = middle
    return first


@njit(
    void(CONDITIONS, COLUMNS, int64, int64, int64, float64[:, ::1]),
    cache=True,
    nogil=True,
    fastmath={"contract"},
)
def _fill(
    conditions: ConditionArrays, columns: Columns, d: int, begin: int, end: int, rows: NDArray[np.float64]
) -> None:
    """Lay out the shares of a block's units that lie in a range."""
    a, low, high = conditions.column[d], conditions.low[d], conditions.high[d]
    if conditions.kind[d] == SETS:
        for u in range(end - begin):
            own = columns.set_of[a, begin + u]
            first, stop = columns.set_begins[own], columns.set_begins[own + 1]
            inside = _below(columns.members, first, stop, high + 1) - _below(
                columns.members, first, stop, low
            )
            rows[d, u] = max(inside, 0) / columns.set_size[own]
        return
    for u in range(end - begin):
        start, stop = columns.first[a, begin + u], columns.last[a, begin + u]
        start = start if start > low else low
        stop = stop if stop < high else high
        share = (stop - start + columns.step[a, begin + u]) * columns.inverse[a, begin + u]
        rows[d, u] = share if start <= stop else 0.0
    if conditions.power[d]:
        for u in range(end - begin):
            start, stop = columns.first[a, begin + u], columns.last[a, begin + u]
            start = start if start > low else low
            stop = stop if stop < high else high
            rows[d, u] *= 0.5 * (start + stop) if start <= stop else 0.0


@njit(
    int64(
        int8[::1], int64[::1], float64[::1], float64[::1], int32[:, ::1], int64[::1], int64[::1],
        int8[::1], float64[:, ::1], int64, int64, int64, float64[::1],
    ),
    cache=True,
    nogil=True,
    inline="always",
)  # fmt: skip
def _weigh(  # compiled: positions only
    kind: NDArray[np.int8],
    column: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    code: NDArray[np.int32],
    begins: NDArray[np.int64],
    of_query: NDArray[np.int64],
    state: NDArray[np.int8],
    rows: NDArray[np.float64],
    q: int,
    begin: int,
    size: int,
    product: NDArray[np.float64],
) -> int:
    """Multiply weights by all shares of a query that are neither none nor all."""
    for i in range(begins[q], begins[q + 1]):
        d = of_query[i]
        if state[d] != _SOME:
            continue
        if kind[d] == POINTS:
            a, least, most = column[d], int32(low[d]), int32(high[d])
            for u in range(size):
                own = code[a, begin + u]
                product[u] = product[u] if least <= own and own <= most else 0.0
        else:
            for u in range(size):
                product[u] *= rows[d, u]
    return 0


@njit(
    float64[::1](CONDITIONS, COLUMNS, CELLS, QUERIES, float64[:, ::1]),
    cache=True,
    nogil=True,
    fastmath={"reassoc"},
)
def totals(
    conditions: ConditionArrays,
    columns: Columns,
    cells: SensitiveCells,
    queries: Queries,
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(queries,) Answer every query with one number.

    ``values`` (S, m): what each thing that cells show counts for, for every distinct condition on sensitive values.
    """
    kind, column, low, high = conditions.kind, conditions.column, conditions.low, conditions.high
    code = columns.code
    begins, of_query, asked = queries.begins, queries.conditions, queries.asked
    units, count = cells.start.shape[0] - 1, asked.shape[0]
    found = np.zeros(count)
    state = np.empty(kind.shape[0], np.int8)
    rows = np.empty((kind.shape[0], _BLOCK))
    held = np.empty((values.shape[0], _BLOCK))
    sums = np.empty(values.shape[0])
    known = np.empty(values.shape[0], np.bool_)
    product = np.empty(_BLOCK)
    uses = np.zeros(values.shape[0], np.int64)
    for q in range(count):
        uses[asked[q]] += 1
    for begin in range(0, units, _BLOCK):
        end = min(begin + _BLOCK, units)
        size = end - begin
        _enter(conditions, columns, begin, end, state, rows)
        known[:] = False
        for q in range(count):
            none, every = False, True
            for i in range(begins[q], begins[q + 1]):
                met = state[of_query[i]]
                none = none or met == _NONE
                every = every and met == _ALL
            if none:
                continue
            s = asked[q]
            # What only one query asks for is looked up where its other conditions are met.
            alone = uses[s] == 1 and not every
            if not alone and not known[s]:
                known[s] = True
                sums[s] = 0.0
                for u in range(size):
                    own = 0.0
                    for i in range(cells.start[begin + u], cells.start[begin + u + 1]):
                        own += cells.weight[i] * values[s, cells.code[i]]
                    held[s, u] = own
                    sums[s] += own
            if every:
                found[q] += sums[s]
                continue
            for i in range(begins[q], begins[q + 1]):
                if state[of_query[i]] == _LATER:
                    _fill(conditions, columns, of_query[i], begin, end, rows)
                    state[of_query[i]] = _SOME
            for u in range(size):
                product[u] = 1.0 if alone else held[s, u]
            _weigh(kind, column, low, high, code, begins, of_query, state, rows, q, begin, size, product)
            total = 0.0
            if alone:
                for u in range(size):
                    if product[u] != 0.0:
                        own = 0.0
                        for i in range(cells.start[begin + u], cells.start[begin + u + 1]):
                            own += cells.weight[i] * values[s, cells.code[i]]
                        total += product[u] * own
            else:
                for u in range(size):
                    total += product[u]
            found[q] += total
    return found


@njit(float64[:, :, ::1](CONDITIONS, COLUMNS, CELLS, QUERIES, int64), cache=True, nogil=True)
def histograms(
    conditions: ConditionArrays, columns: Columns, cells: SensitiveCells, queries: Queries, m: int
) -> NDArray[np.float64]:
    """(2, queries, m) Answer every query with one number for each of the m things that cells show.

    First the sums of what adds, then of what takes away, without its sign.
    """
    kind, column, low, high = conditions.kind, conditions.column, conditions.low, conditions.high
    code = columns.code
    begins, of_query = queries.begins, queries.conditions
    units, count = cells.start.shape[0] - 1, begins.shape[0] - 1
    found = np.zeros((2, count, m))
    state = np.empty(kind.shape[0], np.int8)
    rows = np.empty((kind.shape[0], _BLOCK))
    product = np.empty(_BLOCK)
    whole = np.empty((2, m))
    for begin in range(0, units, _BLOCK):
        end = min(begin + _BLOCK, units)
        size = end - begin
        _enter(conditions, columns, begin, end, state, rows)
        whole[:] = 0.0
        for i in range(cells.start[begin], cells.start[end]):
            whole[0 if cells.weight[i] > 0.0 else 1, cells.code[i]] += abs(cells.weight[i])
        for q in range(count):
            none, every = False, True
            for i in range(begins[q], begins[q + 1]):
                met = state[of_query[i]]
                none = none or met == _NONE
                every = every and met == _ALL
            if none:
                continue
            if every:
                for v in range(m):
                    found[0, q, v] += whole[0, v]
                    found[1, q, v] += whole[1, v]
                continue
            for i in range(begins[q], begins[q + 1]):
                if state[of_query[i]] == _LATER:
                    _fill(conditions, columns, of_query[i], begin, end, rows)
                    state[of_query[i]] = _SOME
            for u in range(size):
                product[u] = 1.0
            _weigh(kind, column, low, high, code, begins, of_query, state, rows, q, begin, size, product)
            for u in range(size):
                if product[u] != 0.0:
                    for i in range(cells.start[begin + u], cells.start[begin + u + 1]):
                        part = product[u] * cells.weight[i]
                        found[0 if part > 0.0 else 1, q, cells.code[i]] += abs(part)
    return found


class RegionCells(NamedTuple):
    """Which cells of a contingency table each of R regions lies in, region after region."""

    begins: NDArray[np.int64]
    """(R + 1,) where the cells of each region begin."""
    cell: NDArray[np.int64]
    share: NDArray[np.float64]
    """How much of the region lies in the cell."""


class Grouped(NamedTuple):
    """The units of each of R regions, and the entries of each unit."""

    begins: NDArray[np.int64]
    """(R + 1,) where the units of each region begin."""
    units: NDArray[np.int64]
    start: NDArray[np.int64]
    """(units + 1,) where the entries of each unit begin."""
    of: NDArray[np.int64]
    """(entries,) region of the other column."""
    weight: NDArray[np.float64]
    """(entries,)"""


CELLS_OF = types.NamedTuple((int64[::1], int64[::1], float64[::1]), RegionCells)
GROUPED = types.NamedTuple((int64[::1], int64[::1], int64[::1], int64[::1], float64[::1]), Grouped)


@njit(void(GROUPED, CELLS_OF, CELLS_OF, float64[:, ::1]), cache=True, nogil=True)
def tabulate(grouped: Grouped, rows: RegionCells, columns: RegionCells, found: NDArray[np.float64]) -> None:
    """Add up every entry over the cells of its two regions, as if these were independent within it."""
    row = np.empty(found.shape[1])
    for r in range(grouped.begins.shape[0] - 1):
        if rows.begins[r] == rows.begins[r + 1] or grouped.begins[r] == grouped.begins[r + 1]:
            continue
        row[:] = 0.0
        for i in range(grouped.begins[r], grouped.begins[r + 1]):
            unit = grouped.units[i]
            for e in range(grouped.start[unit], grouped.start[unit + 1]):
                own = grouped.of[e]
                for j in range(columns.begins[own], columns.begins[own + 1]):
                    row[columns.cell[j]] += grouped.weight[e] * columns.share[j]
        for i in range(rows.begins[r], rows.begins[r + 1]):
            for c in range(row.shape[0]):
                found[rows.cell[i], c] += rows.share[i] * row[c]
