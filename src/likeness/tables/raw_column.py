"""A column before it is encoded: distinct raw values and how to point at one in a message."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.errors import TableError
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likeness.tables.distinct import Distinct

_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+|inf)(?:[eE][+-]?[0-9]+)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class RawColumn:
    """One column's distinct raw values, with what a message needs to point at a cell.

    Parameters
    ----------
    source, name
        The table and the column.
    data
        Codes and raw values.
    decimal
        The decimal mark of numbers in text; None if it is still to be found.
    where
        Names the place of a row (from 0): ``"line 17"`` or ``"row 16"``.
    thousands
        What separates thousands of numbers in text, where that was said.
    """

    source: str
    name: str
    data: Distinct
    decimal: str | None
    where: Callable[[int], str]
    thousands: str | None = None

    @property
    def title(self) -> str:
        """How messages call the column."""
        return f"{self.source}: column {self.name!r}"

    @property
    def values(self) -> pl.Series:
        """The distinct raw values."""
        return self.data.values

    def keep(self, wanted: pl.Series | NDArray[np.bool_]) -> RawColumn:
        """Make all other values missing."""
        return replace(self, data=self.data.keep(np.asarray(wanted, dtype=np.bool_)))

    def first(self, among: pl.Series) -> str:
        """Show the first cell whose value is among these: ``'unknown' at line 17``."""
        marked = np.append(among.to_numpy(), False)  # the last entry stands for missing
        row = int(np.argmax(marked[self.data.codes]))
        value = self.values[int(self.data.codes[row])]
        return f"{quoted(value if isinstance(value, (str, int, float)) else str(value))} at {self.where(row)}"

    def error(self, problem: str) -> TableError:
        """Make an error about this column."""
        return TableError(f"{self.title} {problem}")

    def without(self, markers: Sequence[str]) -> RawColumn:
        """Make missing what a marker names, and forget values that do not occur."""
        column = self.keep(~is_marked(self.values, markers)) if len(self.values) and markers else self
        return column.keep(column.data.counts() > 0)


def is_marked(values: pl.Series, markers: Sequence[str]) -> pl.Series:
    """Which values a marker names: equal text, equal number, or the text of a date or boolean.

    Examples
    --------
    >>> is_marked(pl.Series([-9.0, 9.0]), ["", "-9"]).to_list()
    [True, False]
    """
    if values.dtype.is_numeric():
        return values.is_in(_numbers(markers, whole=values.dtype.is_integer()))
    if values.dtype == pl.Boolean:
        markers = [marker.casefold() for marker in markers]
    texts = values if values.dtype == pl.String else values.cast(pl.String)
    return texts.is_in(list(markers))


def _numbers(markers: Sequence[str], *, whole: bool) -> list[float]:
    """Read the markers that are numbers, for a column of whole numbers or of others."""
    texts = [marker.strip() for marker in markers]
    # Whole numbers are read as such: a float is not exact beyond 2**53.
    exact = [int(text) for text in texts if _WHOLE.fullmatch(text)]
    others = [float(text) for text in texts if _NUMBER.fullmatch(text) and not _WHOLE.fullmatch(text)]
    if not whole:
        return [*map(float, exact), *others]
    exact += [int(x) for x in others if x.is_integer()]
    return [x for x in exact if -(2**63) <= x < 2**63]
