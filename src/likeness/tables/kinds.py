"""What kind a column is, from its distinct values, and its values as that kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.tables.dates import EITHER, READ, are_ambiguous, are_filled, spellings, to_dates
from likeness.tables.numbers import (
    MARK_NAMES,
    MixedError,
    are_grouped,
    are_integers,
    are_numbers,
    are_surely_grouped,
    decimal_mark,
    have_leading_zero,
    to_integers,
    to_reals,
    without_groups,
    without_point,
)
from likeness.wording import count

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
        If at least half of the records of a text column are numbers, or days, and others are not (`MixedError`), or a
        comma may be a decimal mark or separate thousands.
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
    if not are_integers(values).all():
        values, decimal = _plain(column)
    if are_integers(values).all():
        return "integer" if to_integers(values).null_count() == 0 else "text"
    numbers = are_numbers(values, decimal)
    if numbers.all():
        return "real"
    if to_dates(values).null_count() == 0:
        return "date"
    _refuse_mixtures(column, numbers, decimal)
    return "text"


def _plain(column: RawColumn) -> tuple[pl.Series, str]:
    """Texts without the mark that was said to separate thousands, and the decimal mark."""
    decimal = column.decimal
    if decimal is None and column.thousands is not None:
        decimal = "," if column.thousands == "." else "."
    decimal = decimal_mark(column.values, decimal, column=column.title)
    return without_groups(column.values, column.thousands, decimal), decimal


def _refuse_mixtures(column: RawColumn, numbers: pl.Series, decimal: str) -> None:
    """Refuse to take a column for text when at least half of its records are numbers or days."""
    half = (int(column.data.counts().sum()) + 1) // 2
    grouped, found, remedy = _groups(column, decimal)
    if (grouped & ~numbers).any() and _records(column, numbers | grouped) >= half:
        message = (
            f"{column.title} {found}; {remedy}, or, where these are no numbers, declare kind: categorical"
        )
        raise MixedError(message, found=found, remedy=remedy, about="thousands")
    if _records(column, numbers) >= half:
        found = f"mixes numbers and text: {column.first(~numbers)}"
        remedy = "declare its kind, or list the text under missing.markers"
        raise MixedError(f"{column.title} {found}; {remedy}", found=found, remedy=remedy)
    spelled, none = spellings(column.values)
    dated = none
    for cells in spelled.values():
        dated = dated | cells
    if spelled.keys() & READ and _records(column, dated) >= half:
        found, remedy = _about_dates(column)
        message = (
            f"{column.title} {found}; {remedy}, or declare kind: categorical, which knows no order of days"
        )
        raise MixedError(message, found=found, remedy=remedy, about="dates")


def _groups(column: RawColumn, decimal: str) -> tuple[pl.Series, str, str]:
    """Which cells are numbers whose thousands the most frequent mark separates, what that is, and what to do."""
    # Where the point is the decimal mark, 1.234 is one and a bit; 1.234.567 and 1.234,5 are more.
    marks = [mark for mark in MARK_NAMES if mark != decimal or are_surely_grouped(column.values, mark).any()]
    possible = {
        mark: are_grouped(column.values, mark, ({",", "."} - {mark}).pop() if mark == decimal else decimal)
        for mark in marks
    }
    mark = max(possible, key=lambda mark: _records(column, possible[mark]))
    grouped = possible[mark]
    if not grouped.any():
        return grouped, "", ""
    shell = f'"{mark}"' if mark in " '" else mark
    return (
        grouped,
        f"separates thousands by {MARK_NAMES[mark]} in {_told(column, grouped)}",
        f"read the table with thousands={mark!r} (--thousands {shell})"
        + (", which makes the other the decimal mark" * (mark == decimal)),
    )


def _records(column: RawColumn, which: pl.Series) -> int:
    """How many records have one of these values."""
    return int(column.data.counts()[which.to_numpy()].sum())


def _told(column: RawColumn, which: pl.Series) -> str:
    """Say how many cells these are, and show the first: ``12 cells, the first '1,234' at line 3``."""
    return f"{count(_records(column, which), 'cell')}, the first {column.first(which)}"


def _about_dates(column: RawColumn) -> tuple[str, str]:
    """Say what keeps a column from being one of days, and what to do that loses nothing."""
    values = column.values
    found, none = spellings(values)
    parts, remedies = [], []
    if len(found) > 1:
        listed = " and ".join(f"{name} ({_told(column, cells)})" for name, cells in found.items())
        parts.append(f"writes dates in {len(found)} ways: {listed}")
        remedies.append("write all days as YYYY-MM-DD")
    elif EITHER in found:
        parts.append(f"has dates whose day and month cannot be told apart: {_told(column, found[EITHER])}")
        remedies.append("write all days as YYYY-MM-DD")
    elif found and not (found.keys() & READ):
        name, cells = next(iter(found.items()))
        parts.append(f"writes dates as {name}: {_told(column, cells)}")
        remedies.append("write all days as YYYY-MM-DD")
    if none.any():
        parts.append(f"holds what is no day of the calendar: {_told(column, none)}")
        marks = [*values.filter(none & are_filled(values)).sort()[:3]]
        listed = ", ".join(['""', *(f'"{mark}"' for mark in marks)])
        remedies.append(
            f"say missing: {{markers: [{listed}]}} for the column where that means a missing value"
            if marks
            else "correct it"
        )
    other = ~none
    for cells in found.values():
        other &= ~cells
    if other.any():
        if not found and not none.any():
            return "", ""
        parts.append(f"holds texts that are no dates: {_told(column, other)}")
        remedies.append("list under missing.markers what means a missing value, and correct the rest")
    return ", and ".join(parts), "; ".join(remedies)


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
            typed = _integers(column)
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


def _integers(column: RawColumn) -> pl.Series:
    """Int64; null where a value is no whole number; ``1.0``, as pandas writes it where cells are missing, is one."""
    values = column.values
    if values.dtype == pl.Float64:
        whole = (values == values.floor()) & (values.abs() < _MOST)
        return values.set(~whole, None).cast(pl.Int64, strict=False)
    if values.dtype == pl.String:
        texts, decimal = _plain(column)
        return to_integers(without_point(texts.str.strip_chars(), decimal))
    return values.cast(pl.Int64) if values.dtype in (pl.Int64, pl.Boolean) else _nothing(values, pl.Int64)


def _reals(column: RawColumn) -> pl.Series:
    """Float64; null where a value is no number."""
    values = column.values
    if values.dtype == pl.String:
        numbers = to_reals(*_plain(column))
        return numbers.set(numbers == 0, 0.0)  # -0.0 is 0.0, and is written so
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
    categorical = "declare kind: categorical, which knows no order"
    if kind == "date" and texts.dtype == pl.String:
        if are_ambiguous(texts) and len(texts) == len(column.values):
            return (
                f"is declared date, but in {column.first(bad)} day and month cannot be told apart; write dates as YYYY-MM-DD, or "
                f"{categorical}"
            )
        found, remedy = _about_dates(column)
    if kind == "date" and texts.dtype == pl.String and found:
        return (
            f"is declared date, but {column.first(bad)} is not a date; it {found}; {remedy}, or {categorical}"
        )
    if kind in {"integer", "real"} and texts.dtype == pl.String:
        grouped, found, remedy = _groups(column, column.decimal or ".")
        if (grouped & bad).any():
            return f"is declared {kind}, but {found}; {remedy}, or {categorical}"
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
