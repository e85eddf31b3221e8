"""Columns that say the same as others: one-to-one, or determined by another one.

A dependency is only reported when it holds without exception; a sample of records that contradicts it settles
that it does not, and what the sample leaves open is tried on all records.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.profiling.cells import NUMBERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells

_SAMPLE = 4096
_PER_VALUE = 5
"""Records per value of a column from which it may be said to determine others: fewer determine anything."""
_OTHERWISE = 20
"""Records beside the most frequent value that a determined column must have: else it is chance."""


@dataclass(frozen=True)
class Link:
    """One column determines another one.

    Parameters
    ----------
    by
        The column that determines.
    column
        The one it determines.
    both_ways
        Whether this determines it too: they say the same.
    """

    by: str
    column: str
    both_ways: bool

    def __str__(self) -> str:
        """Say it in words."""
        if self.both_ways:
            return f"{self.column!r} and {self.by!r} say the same, value by value"
        return f"{self.by!r} determines {self.column!r}"

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {"by": self.by, "column": self.column, "one_to_one": self.both_ways}


def find_links(columns: Mapping[str, Cells], rows: NDArray[np.int64] | None = None) -> tuple[Link, ...]:
    """Find columns that determine others.

    Parameters
    ----------
    columns
        The columns that are to be published, by name.
    rows
        Records to look at, one of each person where people have several; None for all.

    Returns
    -------
    tuple of Link
        In the order of the columns; of two columns that say the same, the one to keep determines: text rather than
        numbers, else the first.

    Examples
    --------
    >>> import polars as pl
    >>> from likeness.profiling.cells import read_cells
    >>> from likeness.tables import read
    >>> frame = pl.DataFrame({"grade": ["low", "high", "top"] * 20, "grade_code": [1, 2, 3] * 20})
    >>> table = read(frame)
    >>> str(find_links({name: read_cells(table, name) for name in table.names})[0])
    "'grade_code' and 'grade' say the same, value by value"
    """
    taken = {
        name: cells.groups() if rows is None else cells.groups()[rows] for name, cells in columns.items()
    }
    counts = {name: np.bincount(codes, minlength=columns[name].radix) for name, codes in taken.items()}
    able = [name for name, own in counts.items() if _may_determine(own)]
    fit = [name for name, own in counts.items() if own.sum() - own.max() >= _OTHERWISE]
    found = {
        (a, b)
        for a, b in permutations(columns, 2)
        if a in able and b in fit and len(counts[a]) >= np.count_nonzero(counts[b])
        and _determines(taken[a], taken[b], len(counts[a]))
    }  # fmt: skip
    links = []
    for a, b in permutations(columns, 2):
        if (a, b) not in found:
            continue
        both = (b, a) in found
        if not both or a == _kept(columns[a], columns[b], list(columns)):
            links.append(Link(a, b, both))
    return tuple(links)


def _may_determine(counts: NDArray[np.int64]) -> bool:
    """Whether a column has several values, and enough records of each."""
    values = int(np.count_nonzero(counts))
    return values > 1 and int(counts.sum()) >= _PER_VALUE * values


def _determines(a: NDArray[np.int32], b: NDArray[np.int32], values: int) -> bool:
    """Whether records with equal a have equal b."""
    step = max(1, len(a) // _SAMPLE)
    for own, other in ((a[::step], b[::step]), (a, b)):
        last = np.empty(values, np.int32)
        last[own] = other
        if not np.array_equal(last[own], other):
            return False
    return True


def _kept(a: Cells, b: Cells, order: Sequence[str]) -> str:
    """Of two columns that say the same, the one to keep."""
    if (a.kind in NUMBERS) != (b.kind in NUMBERS):
        return b.name if a.kind in NUMBERS else a.name
    return min(a.name, b.name, key=order.index)
