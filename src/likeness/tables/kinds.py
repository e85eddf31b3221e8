"""What kind a column is, from its distinct values, and its values as that kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.tables.dates import are_ambiguous, to_dates
from likeness.tables.numbers import (
    are_integers,
    are_numbers,
    decimal_mark,
    have_leading_zero,
    to_integers,
    to_reals,
)

if TYPE_CHECKING:
    from likeness.tables.raw_column import RawColumn

KINDS = ("integer", "real", "date", "boolean", "text")

_MOST = 2.0**53  # whole numbers up to here are exact as floats
_INSTANT = "%Y-%m-%dT%H:%M:%S%.f"


def detect(column: RawColumn) -> str:
    """Find the kind of a column whose markers are already missing.

    Parameters
    ----------
    column
        The raw column; every value occurs.

    Returns
    -------
    str
        One of `KINDS`. Typed columns have the kind of their type (points in time are dates if all are
        midnights, else text). Text is integer if every value is a plain whole number that fits int64,
        real if every value is a plain decimal number, date if all are dates of one unambiguous format,
        and text otherwise; whole numbers beyond int64, or with leading zeros, are codes: text.

    Raises
    ------
    TableError
        If at least half of the records of a text column are numbers and others are not, or a comma may
        be a decimal mark or separate thousands.
    """
    values = column.values
    if values.dtype == pl.Datetime:
        return "date" if (values == values.dt.truncate("1d")).all() else "text"
    if values.dtype != pl.String:
        return {pl.Int64: "integer", pl.Float64: "real", pl.Boolean: "boolean", pl.Date: "date"}[
            values.dtype.base_type()
        ]
    if values.is_empty() or have_leading_zero(values):
        return "text"
    if are_integers(values).all():
        return "integer" if to_integers(values).null_count() == 0 else "text"
    numbers = are_numbers(values, decimal_mark(values, column.decimal, column=column.title))
    if numbers.all():
        return "real"
    if to_dates(values).null_count() == 0:
        return "date"
    counts = column.data.counts()
    if 2 * int(counts[numbers.to_numpy()].sum()) >= int(counts.sum()):
        raise column.error(
            f"mixes numbers and text: {column.first(~numbers)}; "
            "declare its kind, or list the text under missing.markers"
        )
    return "text"


def convert(column: RawColumn, kind: str) -> pl.Series:
    """Read the distinct values of a column as `kind`.

    Parameters
    ----------
    column
        The raw column.
    kind
        One of `KINDS`.

    Returns
    -------
    pl.Series
        As long as ``column.values``: Int64, Float64, Date, Boolean or String, without nulls; not
        necessarily distinct (``1.0`` and ``1.00``).

    Raises
    ------
    TableError
        At the first cell that is not of that kind, and at infinite numbers.
    """
    values = column.values
    match kind:
        case "integer":
            typed = _integers(values)
        case "real":
            typed = _reals(column)
        case "date":
            typed = _dates(values)
        case "boolean":
            typed = _booleans(values)
        case _:
            return _texts(values)
    bad = typed.is_null()
    if bad.any():
        raise column.error(_refusal(column, kind, bad))
    if kind == "real" and typed.is_infinite().any():
        raise column.error(
            f"holds an infinite number: {column.first(typed.is_infinite())}; "
            "correct it, or list it under missing.markers"
        )
    return typed


def _integers(values: pl.Series) -> pl.Series:
    """Int64; null where a value is no whole number."""
    if values.dtype == pl.Float64:
        whole = (values == values.floor()) & (values.abs() < _MOST)
        return values.set(~whole, None).cast(pl.Int64, strict=False)
    if values.dtype == pl.String:
        return to_integers(values)
    return values.cast(pl.Int64) if values.dtype in (pl.Int64, pl.Boolean) else _nothing(values, pl.Int64)


def _reals(column: RawColumn) -> pl.Series:
    """Float64; null where a value is no number."""
    values = column.values
    if values.dtype == pl.String:
        return to_reals(values, decimal_mark(values, column.decimal, column=column.title))
    plain = (pl.Int64, pl.Float64, pl.Boolean)
    return values.cast(pl.Float64) if values.dtype in plain else _nothing(values, pl.Float64)


def _dates(values: pl.Series) -> pl.Series:
    """Date, the day of a point in time; null where a value is none."""
    if values.dtype in (pl.Date, pl.Datetime):
        return values.cast(pl.Date)
    return to_dates(values) if values.dtype == pl.String else _nothing(values, pl.Date)


def _booleans(values: pl.Series) -> pl.Series:
    """Boolean: itself, 0 and 1, true and false in any case; null where a value is none of these."""
    if values.dtype in (pl.Date, pl.Datetime, pl.Float64):
        return _nothing(values, pl.Boolean)
    texts = values.cast(pl.String).str.to_lowercase()
    return texts.set(~texts.is_in(["true", "false", "1", "0"]), None).is_in(["true", "1"], nulls_equal=False)


def _texts(values: pl.Series) -> pl.Series:
    """Write each value as text; points in time in ISO form."""
    return values.dt.strftime(_INSTANT) if values.dtype == pl.Datetime else values.cast(pl.String)


def _nothing(values: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
    """As many nulls as there are values: none of them can be read so."""
    return pl.Series([None] * len(values), dtype=dtype)


def _refusal(column: RawColumn, kind: str, bad: pl.Series) -> str:
    """Say which cell is not of the declared kind, and what to do."""
    texts = column.values.filter(bad)
    if kind == "date" and texts.dtype == pl.String and are_ambiguous(texts):
        return (
            f"is declared date, but in {column.first(bad)} day and month cannot be told apart; "
            "write dates as YYYY-MM-DD, or declare kind: categorical"
        )
    noun = {"integer": "a whole number", "real": "a number", "date": "a date", "boolean": "true or false"}[
        kind
    ]
    room = (
        " that fits 64 bits"
        if kind == "integer" and texts.dtype == pl.String and are_integers(texts).any()
        else ""
    )
    return (
        f"is declared {kind}, but {column.first(bad)} is not {noun}{room}; "
        "declare kind: categorical, or add it to missing.markers"
    )


def ranked(typed: pl.Series) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], pl.Series]:
    """Rank of each value among the distinct ones, and these, ascending."""
    order = typed.arg_sort()
    ascending = typed.gather(order)
    fresh = ascending.ne_missing(ascending.shift(1)).to_numpy()
    ranks = np.empty(len(typed), dtype=np.int32)
    ranks[order.to_numpy()] = np.cumsum(fresh, dtype=np.int32) - np.int32(1)
    return ranks, ascending.filter(pl.Series(fresh))
