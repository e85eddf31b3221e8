"""Many queries over many units: what a plain product over all units says."""

from __future__ import annotations

import numpy as np
import pytest

from likeness.queries.kernels import (
    POINTS,
    SETS,
    SPANS,
    TABLE,
    Columns,
    ConditionArrays,
    Queries,
    SensitiveCells,
    histograms,
    totals,
)


def case(units, seed, *, signs=False):
    """Two columns of each kind, eight conditions on each, queries of up to four conditions."""
    rng = np.random.default_rng(seed)
    code = np.sort(rng.integers(0, 30, (2, units)), axis=1).astype(np.int32)
    first = np.sort(rng.integers(0, 40, (2, units)), axis=1).astype(float)
    last = first + rng.integers(0, 9, (2, units))
    first[:, ::7], last[:, ::7] = np.inf, -np.inf
    step = np.ones((2, units))
    inverse = np.zeros((2, units))
    np.divide(1, last - first + 1, out=inverse, where=last >= first)
    region = rng.integers(0, 5, (2, units)).astype(np.int32)
    sets = [np.sort(rng.choice(30, rng.integers(0, 9), replace=False)) for _ in range(7)]
    set_of = rng.integers(0, 7, (2, units)).astype(np.int32)
    set_begins = np.cumsum([0, *map(len, sets)])
    set_size = np.array([max(1, len(own) + rng.integers(0, 2)) for own in sets])
    members = np.concatenate(sets).astype(np.int32)
    kind = np.repeat([POINTS, SPANS, TABLE, SETS], 16).astype(np.int8)
    column = np.tile(np.repeat([0, 1], 8), 4).astype(np.int64)
    low = rng.integers(-2, 30, 64).astype(float)
    power = np.where(kind == SPANS, rng.integers(0, 2, 64), 0)
    shares = np.concatenate([np.zeros(5), np.ones(5), rng.choice([0, 0.5, 1.0], 70)])
    conditions = ConditionArrays(
        kind,
        column,
        low,
        low + rng.integers(0, 50, 64),
        power,
        np.where(kind == TABLE, (np.arange(64) % 16) * 5, 0),
        shares,
    )
    counts = rng.integers(0, 4, units)
    start = np.concatenate([[0], np.cumsum(counts)])
    weight = rng.random(start[-1]) - (0.5 if signs else 0)
    cells = SensitiveCells(start, rng.integers(0, 6, start[-1]).astype(np.int32), weight)
    has = rng.integers(0, 5, 200)
    begins = np.concatenate([[0], np.cumsum(has)])
    queries = Queries(begins, rng.integers(0, 64, begins[-1]), rng.integers(0, 3, 200))
    columns = Columns(
        code, first, last, step, inverse, region, set_of, set_begins, members, set_size.astype(np.int64)
    )
    return conditions, columns, cells, queries, rng.random((3, 6))


def share(conditions, columns, d, u):
    """How much of one unit meets one condition."""
    a, low, high = conditions.column[d], conditions.low[d], conditions.high[d]
    if conditions.kind[d] == POINTS:
        return float(low <= columns.code[a, u] <= high)
    if conditions.kind[d] == TABLE:
        return conditions.shares[conditions.shares_at[d] + columns.region[a, u]]
    if conditions.kind[d] == SETS:
        own = columns.set_of[a, u]
        ranks = columns.members[columns.set_begins[own] : columns.set_begins[own + 1]]
        return sum(low <= rank <= high for rank in ranks) / columns.set_size[own]
    begin, end = max(columns.first[a, u], low), min(columns.last[a, u], high)
    if begin > end:
        return 0.0
    part = (end - begin + 1) / (columns.last[a, u] - columns.first[a, u] + 1)
    return part * ((begin + end) / 2) ** conditions.power[d]


def plain(conditions, columns, cells, queries, m):
    """(2, queries, m) one by one."""
    units = cells.start.size - 1
    met = np.array([[share(conditions, columns, d, u) for u in range(units)] for d in range(64)])
    found = np.zeros((2, queries.asked.size, m))
    for q in range(queries.asked.size):
        product = np.prod(met[queries.conditions[queries.begins[q] : queries.begins[q + 1]]], axis=0)
        parts = np.repeat(product, np.diff(cells.start)) * cells.weight
        for sign, own in enumerate((np.maximum(parts, 0), np.maximum(-parts, 0))):
            found[sign, q] = np.bincount(cells.code, own, m)
    return found


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("units", [0, 1, 255, 256, 700])
def test_as_unit_by_unit(units, signs):
    conditions, columns, cells, queries, values = case(units, units, signs=signs)
    expected = plain(conditions, columns, cells, queries, 6)
    by_value = histograms(conditions, columns, cells, queries, 6)
    assert by_value == pytest.approx(expected, rel=1e-10, abs=1e-9)
    answers = ((expected[0] - expected[1]) * values[queries.asked]).sum(axis=1)
    assert totals(conditions, columns, cells, queries, values) == pytest.approx(answers, rel=1e-10, abs=1e-8)
