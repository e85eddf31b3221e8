"""Counts of sensitive values, against counting by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.microdata import statistics
from likeness.microdata.statistics import count_classes, count_within

EASY = settings(deadline=None, max_examples=80)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], int]:
    """Classes (-1 and empty ones among them), codes, known codes; the number of classes."""
    n = draw(st.integers(0, 25))
    count = draw(st.integers(1, 6))
    column = lambda low, high: draw(st.lists(st.integers(low, high), min_size=n, max_size=n))  # noqa: E731
    return column(-1, count - 1), column(0, 3), column(0, 2), count


def dense(stats):
    table = np.zeros((stats.classes, stats.values), np.int64)
    table[stats.class_of, stats.value] = stats.count
    return table


@EASY
@given(table=tables())
def test_counts(table):
    classes, codes, _, count = table
    stats = count_classes(np.array(classes, np.int64), count, np.array(codes, np.int32), 4)
    times = Counter(zip(classes, codes, strict=True))
    expected = [[times[number, code] for code in range(4)] for number in range(count)]
    assert dense(stats).tolist() == expected
    assert stats.sizes.tolist() == [classes.count(number) for number in range(count)]
    assert stats.distinct.tolist() == [sum(c > 0 for c in row) for row in expected]
    assert stats.totals.tolist() == [sum(column) for column in zip(*expected, strict=True)]
    assert stats.parent is None
    entries = list(zip(stats.class_of.tolist(), stats.value.tolist(), strict=True))
    assert entries == sorted(set(entries))
    assert (stats.count > 0).all()


@EASY
@given(table=tables())
def test_sorting_and_tables_count_the_same(table):
    classes, codes, _, count = table
    given_ = np.array(classes, np.int64), count, np.array(codes, np.int64), 4
    by_table = count_classes(*given_)
    # So many possible values that no table of them fits.
    by_sorting = count_classes(*given_[:3], 1 << 40)
    for field in ("sizes", "class_of", "value", "count"):
        assert getattr(by_table, field).tolist() == getattr(by_sorting, field).tolist()


@EASY
@given(table=tables())
def test_parts_of_records_that_share_known_values(table):
    classes, codes, known, _ = table
    stats = count_within(np.array(classes, np.int64), np.array(known, np.int64), np.array(codes, np.int32), 4)
    parts = {}
    for number, code, shared in zip(classes, codes, known, strict=True):
        if number >= 0:
            parts.setdefault((number, shared), []).append(code)
    assert stats.parent.tolist() == [number for number, _ in sorted(parts)]
    assert dense(stats).tolist() == [[parts[part].count(code) for code in range(4)] for part in sorted(parts)]
    assert stats.sizes.tolist() == [len(parts[part]) for part in sorted(parts)]


@EASY
@given(table=tables())
def test_groups_of_values(table):
    classes, codes, _, count = table
    group = np.array([1, 0, 1, 1])
    stats = count_classes(np.array(classes, np.int64), count, np.array(codes, np.int32), 4)
    expected = count_classes(np.array(classes, np.int64), count, group[codes], 2)
    found = stats.regroup(group, 2)
    assert dense(found).tolist() == dense(expected).tolist()
    assert found.sizes.tolist() == expected.sizes.tolist()


def test_dense_comes_in_runs_that_cover_every_class(monkeypatch):
    monkeypatch.setattr(statistics, "_DENSE_CELLS", 7)
    stats = count_classes(np.array([0, 2, 2, 4, 4, 4]), 5, np.array([0, 1, 2, 0, 0, 1]), 3)
    runs = list(stats.dense())
    assert [(run.start, run.stop) for run, _ in runs] == [(0, 2), (2, 4), (4, 5)]
    assert np.concatenate([counts for _, counts in runs]).tolist() == dense(stats).tolist()


def test_sizes_only():
    stats = count_classes(np.array([1, -1, 1]), 3)
    assert stats.sizes.tolist() == [0, 2, 0]
    assert stats.values == 0
    assert stats.distinct.tolist() == [0, 0, 0]
