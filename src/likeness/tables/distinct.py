"""A column's distinct values as they came, before anyone decides what kind they are.

Every frame library brings its columns here; everything after works on distinct values only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Distinct:
    """Codes per record and the raw values they stand for.

    Parameters
    ----------
    codes
        Shape (n,), int32; -1 where the value is null or NaN.
    values
        Int64, Float64, Boolean, Date, Datetime or String, without nulls, in any order. Values that
        do not occur and, for String, repeated values are allowed.
    """

    codes: NDArray[np.int32]
    values: pl.Series

    def remap(self, table: NDArray[np.integer[Any]], values: pl.Series) -> Distinct:
        """Send code c to ``table[c]``, a code into `values` or -1."""
        # -1 indexes the last entry, which is therefore -1 as well.
        extended = np.append(table.astype(np.int32, copy=False), np.int32(-1))
        return Distinct(extended[self.codes], values)

    def counts(self) -> NDArray[np.int64]:
        """Shape (m,): the records of each value."""
        return np.bincount(self.codes + np.int32(1), minlength=len(self.values) + 1)[1:]

    def keep(self, wanted: NDArray[np.bool_]) -> Distinct:
        """Make the values that are not wanted missing; shape (m,)."""
        if wanted.all():
            return self
        table = np.where(wanted, np.cumsum(wanted) - 1, -1)
        return self.remap(table, self.values.filter(pl.Series(wanted)))


def all_missing(height: int) -> Distinct:
    """Make a column without a single value."""
    return Distinct(np.full(height, -1, dtype=np.int32), pl.Series([], dtype=pl.String))


def from_texts(codes: NDArray[np.integer[Any]], texts: pl.Series | Sequence[str]) -> Distinct:
    """Text: the library's own dictionary codes (-1 = null) and its dictionary."""
    if not isinstance(texts, pl.Series):
        try:
            texts = pl.Series(texts, dtype=pl.String)
        except UnicodeEncodeError as error:
            raise TableError(
                f"a text cell is not valid Unicode (a lone surrogate, {error.object[error.start]!r}); "
                "repair it before reading the table"
            ) from None
    return Distinct(codes.astype(np.int32, copy=False), texts)


def from_integers(
    numbers: NDArray[Any], valid: NDArray[np.bool_] | None, dtype: pl.DataType | type[pl.DataType] = pl.Int64
) -> Distinct:
    """Whole numbers, or what is stored as such (dates, times, booleans), as `dtype`.

    `numbers` must fit int64; what stands where `valid` is False does not matter.
    """
    kept = numbers if valid is None else numbers[valid]
    codes, values = _rank(kept.astype(np.int64, copy=False))
    return Distinct(_spread(codes, valid), pl.Series(values).cast(dtype))


def from_reals(numbers: NDArray[Any]) -> Distinct:
    """Floating-point numbers; NaN is missing."""
    valid = ~np.isnan(numbers)
    kept = numbers[valid] + numbers.dtype.type(0)  # -0.0 becomes 0.0
    values, codes = np.unique(kept, return_inverse=True)
    # A narrow 0.1 means 0.1, not 0.10000000149: take the shortest decimal that gives it.
    exact = (
        values if values.dtype == np.float64 else np.array([float(str(v)) for v in values], dtype=np.float64)
    )
    return Distinct(_spread(codes, valid), pl.Series(exact, dtype=pl.Float64))


def _rank(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Find the rank of each number among the distinct ones, and these, ascending."""
    if numbers.size == 0:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= max(4 * numbers.size, 1 << 16):
        values, codes = np.unique(numbers, return_inverse=True)
        return codes.astype(np.int32), values
    # A small range needs no sorting: mark what occurs, then count the marks.
    offsets = numbers - low
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    occurs[offsets] = True
    ranks = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return ranks[offsets], np.flatnonzero(occurs) + low


def _spread(codes: NDArray[np.integer[Any]], valid: NDArray[np.bool_] | None) -> NDArray[np.int32]:
    """Codes of the valid records set among -1 for the others."""
    if valid is None or codes.size == valid.size:
        return codes.astype(np.int32, copy=False)
    spread = np.full(valid.size, -1, dtype=np.int32)
    spread[valid] = codes
    return spread
