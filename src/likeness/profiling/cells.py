"""One column as a profile looks at it: kind, distinct values, how many records have each, what is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.profiling.contents import Contents, look_at
from likeness.profiling.markers import DOUBTFUL, WORDS, Marker, blank, odd_days, odd_numbers, worded
from likeness.tables.dates import are_filled
from likeness.tables.numbers import MixedError, are_integers, are_whole_with_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.tables import Table

NUMBERS = ("integer", "real")
_DIGITS = 17
_AMONG = {"integer": "whole numbers", "real": "numbers", "date": "dates"}


@dataclass(frozen=True, eq=False)
class Cells:
    """One column, read.

    Parameters
    ----------
    name
        The column.
    kind
        ``integer``, ``real``, ``date``, ``moment`` (with a time of day), ``boolean`` or ``text``.
    codes : (n,) int32
        Index into `values` of each record; -1 where the cell is missing.
    values
        The distinct values; for numbers and dates ascending.
    counts : (m,) int64
        Records of each value.
    markers
        What means, or may mean, a missing value; the empty cell and nulls are not listed.
    kind_to_declare
        The kind a policy must declare because it cannot be found from the cells; None where it can.
    trouble, remedy, otherwise
        Why that is so, and what would make it what: ``numbers`` or ``dates``.
    pointed
        Whether its whole numbers are written with a decimal mark, such as ``1.0``.
    readable
        Whether the remedy would have all of it read as that, and not only what is no text.
    """

    name: str
    kind: str
    codes: NDArray[np.int32]
    values: pl.Series
    counts: NDArray[np.int64]
    markers: tuple[Marker, ...] = ()
    kind_to_declare: str | None = None
    trouble: str = ""
    remedy: str = ""
    otherwise: str = "numbers"
    pointed: bool = False
    readable: bool = False

    @property
    def height(self) -> int:
        """All records."""
        return len(self.codes)

    @property
    def records(self) -> int:
        """Records that have a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """Records without a value, declared markers included."""
        return self.height - self.records

    @property
    def distinct(self) -> int:
        """Different values."""
        return len(self.counts)

    @property
    def alone(self) -> int:
        """Records whose value no other record has."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def unique(self) -> float:
        """Share of the records with a value whose value no other record has."""
        return self.alone / self.records if self.records else 0.0

    @property
    def declared(self) -> tuple[str, ...]:
        """Markers a policy must declare for this column, beside the empty cell."""
        return tuple(marker.text for marker in self.markers if marker.declared)

    @cached_property
    def contents(self) -> Contents | None:
        """What the texts look like; None for other kinds, and without a value."""
        return look_at(self.values) if self.kind == "text" and self.distinct else None

    def groups(self) -> NDArray[np.int32]:
        """(n,) Code of each record, the missing value being one of its own, the last."""
        return np.where(self.codes < 0, np.int32(self.distinct), self.codes) if self.missing else self.codes

    @property
    def radix(self) -> int:
        """Number of codes that `groups` has."""
        return self.distinct + (self.missing > 0)


def read_cells(table: Table, name: str) -> Cells:
    """Read one column.

    Parameters
    ----------
    table, name
        The table and the column.

    Raises
    ------
    TableError
        When the cells cannot be read at all.

    Examples
    --------
    >>> from likeness.tables import read
    >>> ages = read_cells(read(pl.DataFrame({"age": ["40", "31", "?", ""]})), "age")
    >>> ages.kind, ages.missing, ages.declared
    ('integer', 2, ('?',))
    """
    raw = table._column(name).without(("",))  # noqa: SLF001  # ours; it spares sorting millions of names
    values, counts = raw.values, raw.data.counts()
    if values.dtype == pl.Float64 and values.is_infinite().any():
        return _infinite(table, name, values, counts)
    if values.dtype == pl.String:
        return _texts(table, name, values, counts)
    return _finished(table, name, table.kind(name), (), ())


def _infinite(table: Table, name: str, values: pl.Series, counts: NDArray[np.int64]) -> Cells:
    """Numbers some of which are infinite: no interval holds them, so they are declared missing."""
    markers = _marked(
        values, counts, values.is_infinite().to_numpy(), declared=True, why="not a finite number"
    )
    return _finished(table, name, "real", markers, ())


def _texts(table: Table, name: str, values: pl.Series, counts: NDArray[np.int64]) -> Cells:
    """Text: numbers and dates are found in it; what stands among them is declared, or asked about."""
    is_word = worded(values, WORDS)
    blanks = _marked(values, counts, blank(values), declared=True, why="a blank cell")
    words = _marked(values, counts, is_word, declared=False, why="a usual word for a missing value")
    doubts = _marked(
        values, counts, worded(values, DOUBTFUL), declared=False, why="an answer, or a missing value"
    )
    kind, problem = _kind(table, name, blanks)
    # What no calendar has is missing only where days are read: first with it alone, then with words as well.
    filled = are_filled(values).to_numpy()
    for which, others in ((filled, [*words]), (is_word, []), (is_word | filled, [])):
        if kind not in {None, "text"} or not which.any():
            continue
        among = _marked(values, counts, which, declared=True, why="")
        typed, _ = _kind(table, name, [*blanks, *among])
        if typed in _AMONG:
            why = {True: "is no day of the calendar", False: f"stands among {_AMONG[typed]}"}
            day = dict(zip(values, filled.tolist(), strict=True))
            blanks += [replace(marker, why=why[day[marker.text]]) for marker in among]
            kind, words = typed, others
    found = _finished(table, name, kind or "text", blanks, [*words, *doubts])
    if kind:
        return found
    assert problem is not None  # noqa: S101  # there is a kind without one
    return replace(
        found,
        kind_to_declare="categorical",
        trouble="numbers and other texts are mixed" if problem.about == "mixed" else problem.found,
        remedy="correct the cells" if problem.about == "mixed" else problem.remedy,
        otherwise="dates" if problem.about == "dates" else "numbers",
        readable=problem.about != "mixed",
    )


def _kind(table: Table, name: str, markers: Sequence[Marker]) -> tuple[str | None, MixedError | None]:
    """Kind of a column once these markers are missing; None, and why, when it cannot be told."""
    try:
        return table.kind(name, missing=("", *(marker.text for marker in markers))), None
    except MixedError as problem:
        return None, problem


def _marked(
    values: pl.Series, counts: NDArray[np.int64], which: NDArray[np.bool_], *, declared: bool, why: str
) -> list[Marker]:
    """Markers of the values that are marked."""
    found = np.flatnonzero(which)
    return [Marker(str(values[int(i)]), int(counts[i]), declared=declared, why=why) for i in found]


def _finished(
    table: Table, name: str, kind: str, declared: Sequence[Marker], asked: Sequence[Marker]
) -> Cells:
    """Read the column with its declared markers missing."""
    missing = ("", *(marker.text for marker in declared))
    markers = (*declared, *asked)
    raw = table._column(name).without(missing)  # noqa: SLF001  # ours
    if kind == "real" and raw.values.dtype == pl.Float64 and _are_whole(raw.values):
        kind = "integer"  # numbers that a null made floats
    pointed = (
        kind == "real" and raw.values.dtype == pl.String and _are_pointed(raw.values, raw.decimal or ".")
    )
    if pointed:
        kind = "integer"  # and that were written so
    if kind == "text" and raw.values.dtype == pl.String and raw.values.n_unique() == len(raw.values):
        return Cells(name, kind, raw.data.codes, raw.values, raw.data.counts(), markers)
    column = table.encode(name, missing=missing, kind=kind)
    if kind == "text":
        values = pl.Series(column.values.tolist(), dtype=pl.String)
        kind = "moment" if raw.values.dtype == pl.Datetime else "text"
    else:
        values = pl.Series(column.values)
    if kind in NUMBERS:
        markers = (*markers, *odd_numbers(values, column.counts()))
    if kind == "date":
        markers = (*markers, *odd_days(values, column.counts()))
    return Cells(name, kind, column.codes, values, column.counts(), markers, pointed=pointed)


def _are_pointed(texts: pl.Series, decimal: str) -> bool:
    """Whether all texts are whole numbers, some with a decimal mark, small enough to be exact."""
    whole = are_whole_with_point(texts, decimal)
    fits = texts.filter(whole).str.len_chars().max()
    return bool((whole | are_integers(texts)).all()) and isinstance(fits, int) and fits <= _DIGITS


def _are_whole(values: pl.Series) -> bool:
    """Whether all reals are whole numbers, small enough to be exact."""
    return len(values) > 0 and bool(((values == values.floor()) & (values.abs() < 2.0**53)).all())
