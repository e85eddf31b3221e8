"""What kind a column is, from its distinct values, and its values as that kind.

Numbers written as text: which cells are numbers, and what they are worth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.errors import TableError
from likeness.tables.columns import EncodedColumn
from likeness.tables.dates import (
    EITHER,
    NO_CENTURY,
    READ,
    are_ambiguous,
    are_compact,
    are_filled,
    compact_days,
    spellings,
    to_any_dates,
    to_dates,
)
from likeness.tables.units import with_units
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from likeness.tables.columns import RawColumn

# What is taken for a number without being told. A leading zero marks a code (a ZIP, an ICD block), a
# leading plus a telephone number; `12E4` is a code too, so an exponent needs its sign.
_PLAIN_INTEGER = "^-?(?:0|[1-9][0-9]*)$"
_PLAIN_NUMBER = "^-?(?:(?:0|[1-9][0-9]*)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-][0-9]+)?$"
_LEADING_ZERO = "^-?0[0-9]+$"

# What is accepted once the steward has declared numbers.
_ANY_INTEGER = "^[+-]?[0-9]+$"
_ANY_NUMBER = "^[+-]?(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"

_WHOLE_WITH_POINT = "^[+-]?[0-9]+[{point}]0*$"

_MAYBE_THOUSANDS = "^[+-]?[1-9][0-9]{{0,2}}[{mark}][0-9]{{3}}$"
_BELOW_THOUSAND = "^[+-]?(?:0|[1-9][0-9]{0,2})$"
_GROUPS = "^[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+(?:[{point}][0-9]*)?$"
_MARKS = {",": ",", ".": "[.]", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}
_MAYBE_GROUPED = f"[0-9](?:{'|'.join(_MARKS.values())})[0-9]{{3}}"
MARK_NAMES = {",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe"}
"""What may separate thousands, in words."""


class MixedError(TableError):
    """Most cells of a text column are numbers or days, and others are not, or may be read in two ways.

    ``found``, ``remedy``: what the column holds, and what to do that loses nothing, as parts of the message.
    ``about``: ``mixed`` (with other texts), ``marks`` (of decimals or thousands), ``units`` or ``dates``.
    """

    def __init__(self, *problems: str, found: str = "", remedy: str = "", about: str = "mixed") -> None:
        super().__init__(*problems)
        self.found, self.remedy, self.about = found, remedy, about


def are_integers(texts: pl.Series) -> pl.Series:
    """Which cells are plainly whole numbers; as long as `texts`, Boolean."""
    return texts.str.contains(_PLAIN_INTEGER)


def are_numbers(texts: pl.Series, decimal: str) -> pl.Series:
    """Which cells are plainly numbers, with that decimal mark; as long as `texts`, Boolean."""
    return texts.str.contains(_PLAIN_NUMBER.format(point=f"[{decimal}]"))


def with_leading_zero(values: pl.Series) -> pl.Series:
    """Which values are texts all of digits with a zero before them, as codes are; as long as `values`, Boolean."""
    if values.dtype != pl.String:
        return pl.repeat(False, len(values), eager=True)
    return values.str.contains(_LEADING_ZERO)


def to_integers(texts: pl.Series) -> pl.Series:
    """Whole numbers as Int64; null where a cell is none or does not fit."""
    texts = texts.str.strip_chars()
    return texts.set(~texts.str.contains(_ANY_INTEGER), None).cast(pl.Int64, strict=False)


def to_reals(texts: pl.Series, decimal: str) -> pl.Series:
    """Decimal numbers as Float64; null where a cell is none."""
    texts = texts.str.strip_chars()
    texts = texts.set(~texts.str.contains(_ANY_NUMBER.format(point=f"[{decimal}]")), None)
    return texts.str.replace(",", ".", literal=True).cast(pl.Float64)


def are_whole_with_point(texts: pl.Series, decimal: str) -> pl.Series:
    """Which cells are whole numbers with a decimal mark, such as ``1.0``; as long as `texts`, Boolean."""
    return texts.str.contains(_WHOLE_WITH_POINT.format(point=decimal))


def without_point(texts: pl.Series, decimal: str) -> pl.Series:
    """Write whole numbers such as ``1.0`` without their decimal places; other texts stay."""
    whole = are_whole_with_point(texts, decimal)
    return texts.set(whole, None).fill_null(texts.str.replace(f"[{decimal}]0*$", ""))


def are_grouped(texts: pl.Series, mark: str, decimal: str) -> pl.Series:
    """Which cells are numbers whose thousands a mark separates, such as ``1,234.5``; as long as `texts`, Boolean."""
    return texts.str.contains(_GROUPS.format(mark=_MARKS[mark], point=decimal))


def are_surely_grouped(texts: pl.Series, mark: str) -> pl.Series:
    """Which cells are numbers in which a comma or point separates thousands and cannot be a decimal mark.

    With a point, ``1.234.567`` and ``1.234,5`` are; ``1.234`` is not.
    """
    other = _OTHER[mark]
    own = f"[{mark}][0-9]{{3}}"
    return texts.str.contains(f"^[+-]?[1-9][0-9]{{0,2}}(?:(?:{own}){{2,}}|(?:{own})+[{other}][0-9]+)$")


_OTHER = {",": ".", ".": ","}


def sure_thousands(texts: pl.Series, decimal: str | None) -> str | None:
    """Find the comma or point that separates thousands where no other reading is possible; None where one is, or none does.

    Every text is then a number, and in one of them at least the mark can be no decimal mark. ``decimal``: what is known to be it.

    >>> sure_thousands(pl.Series(["925,000", "1,250,000"]), None), sure_thousands(pl.Series(["925,000"]), None)
    (',', None)
    """
    for mark, other in _OTHER.items():
        if decimal not in {None, other} or not are_surely_grouped(texts, mark).any():
            continue
        if (are_grouped(texts, mark, other) | are_numbers(texts, other)).all():
            return mark
    return None


def without_groups(texts: pl.Series, mark: str | None, decimal: str) -> pl.Series:
    """Write numbers without the mark that separates their thousands (None: nothing does); other texts stay."""
    if mark is None:
        return texts
    grouped = are_grouped(texts, mark, decimal)
    return texts.set(grouped, None).fill_null(texts.str.replace_all(_MARKS[mark], ""))


def decimal_mark(texts: pl.Series, decimal: str | None, *, column: str) -> str:
    """Find the decimal mark these texts use, unless it is known: ``"."`` unless more of them are numbers with ``","``.

    `MixedError` if every comma could as well separate thousands (``1,234``), or every point (``1.234``, and what has none is
    below a thousand); its message calls the column ``column``.
    """
    if decimal is not None:
        return decimal
    by_comma, by_point = are_numbers(texts, ","), are_numbers(texts, ".")
    mark, numbers = (",", by_comma) if int(by_comma.sum()) > int(by_point.sum()) else (".", by_point)
    has = texts.str.contains(mark, literal=True)
    marked, plain = texts.filter(numbers & has), texts.filter(numbers & ~has)
    doubtful = len(marked) > 0 and marked.str.contains(_MAYBE_THOUSANDS.format(mark=mark)).all()
    if doubtful and (mark == "," or plain.str.contains(_BELOW_THOUSAND).all()):
        name = MARK_NAMES[mark].removeprefix("a ")
        found = f"the {name} in {quoted(marked[0])} may be a decimal mark or separate thousands"
        remedy = f"read the table with decimal={mark!r} or with thousands={mark!r} (--decimal {mark} or --thousands {mark})"
        message = f"{column}: {found}; {remedy}, or declare kind: categorical"
        raise MixedError(message, found=found, remedy=remedy, about="marks")
    return mark


def have_decimal_commas(texts: pl.Series) -> bool:
    """Whether all texts are numbers with a comma, or without, and in one of them it cannot separate thousands."""
    with_comma = texts.filter(texts.str.contains(",", literal=True))
    return bool(
        len(with_comma) and are_numbers(texts, ",").all() and not are_grouped(with_comma, ",", ".").all()
    )


KINDS = ("integer", "real", "date", "boolean", "text")

_MOST = 2.0**53  # whole numbers up to here are exact as floats
INSTANT = "%Y-%m-%dT%H:%M:%S%.f"


def detect(column: RawColumn) -> str:
    """Find the kind, one of `KINDS`, of a column whose markers are already missing and whose values all occur.

    Typed columns have the kind of their type (points in time are dates if all are midnights, else text). Whole numbers that are
    all days written YYYYMMDD, of the years 1800 to 2099, are dates. Text is integer
    if every value is a plain whole number that fits int64, real if every value is a plain decimal number, date if all are
    dates of one unambiguous format, else text; whole numbers beyond int64, or with leading zeros, are codes: text.

    Numbers may have a unit, percent or a currency, all the same one.

    `MixedError` if at least half of the records of a text column are numbers, or days, and others are not, or have several units,
    or a comma may be a decimal mark or separate thousands.
    """
    values = column.values
    if values.dtype == pl.Datetime:
        return "date" if (values == values.dt.truncate("1d")).all() else "text"
    if values.dtype != pl.String:
        if values.dtype == pl.Int64 and are_compact(values):
            return "date"
        return {pl.Int64: "integer", pl.Float64: "real", pl.Boolean: "boolean", pl.Date: "date"}[
            values.dtype.base_type()
        ]
    if not values.str.contains("[0-9]").any() or with_leading_zero(values).any():
        return "text"
    column = without_units(column)
    values = column.values
    if not are_integers(values).all():
        values, decimal = _plain(column)
    if are_integers(values).all():
        if are_compact(values):
            return "date"
        return "integer" if to_integers(values).null_count() == 0 else "text"
    numbers = are_numbers(values, decimal)
    if numbers.all():
        return "real"
    if to_dates(values).null_count() == 0:
        return "date"
    if decimal == "." and have_decimal_commas(column.values):
        found = f"is of numbers with a decimal comma, as {quoted(_with_comma(column.values))}"
        raise MixedError(
            f"{column.title} {found}; {READ_BY_COMMA}, or declare kind: categorical",
            found=found,
            remedy=READ_BY_COMMA,
            about="marks",
        )
    _refuse_mixtures(column, numbers, decimal)
    return "text"


def without_units(column: RawColumn) -> RawColumn:
    """Take the numbers of a text column without their one unit, and with their sign in front.

    `MixedError` where they are of several, and at least half of the records.
    """
    plain, units = with_units(column.values)
    if plain is column.values:
        return column
    found = units.unique().drop_nulls().sort()
    if len(found) < 2:
        return replace(column, data=replace(column.data, values=plain))
    if 2 * _records(column, (units != "").fill_null(value=False)) < int(column.records().sum()):
        return column
    listed = ", ".join(
        f"{quoted(unit) if unit else 'none'} ({_extent(column, (units == unit).fill_null(value=False))})"
        for unit in found
    )
    what = f"has numbers with different units: {listed}"
    remedy = "write all in one unit"
    message = f"{column.title} {what}; {remedy}, or declare kind: categorical"
    raise MixedError(message, found=what, remedy=remedy, about="units")


READ_BY_COMMA = "read the table with decimal=',' (--decimal ,)"


def _with_comma(texts: pl.Series) -> str:
    return str(texts.filter(texts.str.contains(",", literal=True)).sort()[0])


def _plain(column: RawColumn) -> tuple[pl.Series, str]:
    """Texts without the mark that separates thousands, and the decimal mark."""
    decimal = column.decimal
    thousands = sure_thousands(column.values, decimal) if column.thousands is None else column.thousands
    if decimal is None and thousands is not None:
        decimal = _OTHER.get(thousands, ".")
    decimal = decimal_mark(column.values, decimal, column=column.title)
    return without_groups(column.values, thousands, decimal), decimal


def _refuse_mixtures(column: RawColumn, numbers: pl.Series, decimal: str) -> None:
    """Refuse to take a column for text when at least half of its records are numbers or days."""
    half = (int(column.records().sum()) + 1) // 2
    grouped, found, remedy = _groups(column, decimal)
    if (grouped & ~numbers).any() and _records(column, numbers | grouped) >= half:
        message = (
            f"{column.title} {found}; {remedy}, or, where these are no numbers, declare kind: categorical"
        )
        raise MixedError(message, found=found, remedy=remedy, about="marks")
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
    if not column.values.str.contains(_MAYBE_GROUPED).any():
        return pl.repeat(False, len(column.values), eager=True), "", ""
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
        f"separates thousands by {MARK_NAMES[mark]} in {_extent(column, grouped)}",
        f"read the table with thousands={mark!r} (--thousands {shell})"
        + (", which makes the other the decimal mark" * (mark == decimal)),
    )


def _records(column: RawColumn, which: pl.Series) -> int:
    """How many records have one of these values."""
    return int(column.records()[which.to_numpy()].sum())


def _extent(column: RawColumn, which: pl.Series) -> str:
    """Say how many cells these are, and show the first: ``12 cells, the first '1,234' at line 3``."""
    return f"{count(_records(column, which), 'cell')}, the first {column.first(which)}"


def _about_dates(column: RawColumn) -> tuple[str, str]:
    """Say what keeps a column from being one of days, and what to do that loses nothing."""
    values = column.values
    found, none = spellings(values)
    other = ~none
    for cells in found.values():
        other &= ~cells
    parts, remedies = [], []
    if len(found) > 1:
        listed = " and ".join(f"{name} ({_extent(column, cells)})" for name, cells in found.items())
        parts.append(f"writes dates in {len(found)} ways: {listed}")
        readable = found.keys() <= READ and not (none | other).any()
        remedies.append(
            f"{'declare kind: date, which reads each, or ' * readable}write all days as YYYY-MM-DD"
        )
    elif found.keys() & EITHER:
        cells = next(iter(found.values()))
        parts.append(f"has dates whose day and month cannot be told apart: {_extent(column, cells)}")
        remedies.append("write all days as YYYY-MM-DD")
    elif NO_CENTURY in found:
        parts.append(
            f"has dates with years of two digits, some of which would be to come, so they may be of this century or the last: "
            f"{_extent(column, found[NO_CENTURY])}"
        )
        remedies.append("write all days as YYYY-MM-DD")
    elif found and not (found.keys() & READ):
        name, cells = next(iter(found.items()))
        parts.append(f"writes dates as {name}: {_extent(column, cells)}")
        remedies.append("write all days as YYYY-MM-DD")
    if none.any():
        parts.append(f"holds what is no day of the calendar: {_extent(column, none)}")
        marks = [*values.filter(none & are_filled(values)).sort()[:3]]
        listed = ", ".join(['""', *(f'"{mark}"' for mark in marks)])
        remedies.append(
            f"say missing: {{markers: [{listed}]}} for the column where that means a missing value"
            if marks
            else "correct it"
        )
    if other.any():
        if not found and not none.any():
            return "", ""
        parts.append(f"holds texts that are no dates: {_extent(column, other)}")
        remedies.append("list under missing.markers what means a missing value, and correct the rest")
    return ", and ".join(parts), "; ".join(remedies)


def convert(column: RawColumn, kind: str) -> pl.Series:
    """Read the distinct values of a column as ``kind``, one of `KINDS`.

    As long as ``column.values``, without nulls, and not necessarily distinct (``1.0`` and ``1.00``).
    `TableError` at the first cell that is not of that kind, and at infinite numbers.
    """
    if kind in {"integer", "real"} and column.values.dtype == pl.String:
        column = without_units(column)
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
    """Date, the day of a point in time; null where a value is none. Once declared, days may be written in several ways."""
    if values.dtype in (pl.Date, pl.Datetime):
        return values.cast(pl.Date)
    if values.dtype == pl.Int64:
        return compact_days(values)
    if values.dtype != pl.String:
        return _nothing(values, pl.Date)
    dates = to_dates(values)
    return to_any_dates(values) if dates.has_nulls() else dates


def _booleans(values: pl.Series) -> pl.Series:
    """Boolean: itself, 0 and 1, true and false in any case; null where a value is none of these."""
    if values.dtype in (pl.Date, pl.Datetime, pl.Float64):
        return _nothing(values, pl.Boolean)
    texts = values.cast(pl.String).str.to_lowercase()
    return texts.set(~texts.is_in(["true", "false", "1", "0"]), None).is_in(["true", "1"], nulls_equal=False)


def _texts(values: pl.Series) -> pl.Series:
    """Write each value as text; points in time in ISO form."""
    return values.dt.strftime(INSTANT) if values.dtype == pl.Datetime else values.cast(pl.String)


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
        if kind == "real" and are_numbers(texts, ",").all():
            found = f"{column.first(bad)} is a number with a decimal comma"
            return f"is declared real, but {found}; {READ_BY_COMMA}, or {categorical}"
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


_THROUGH_FLOATS = r"^-?(?:0|[1-9][0-9]*)\.0$"


def went_through_floats(texts: pl.Series) -> bool:
    """Whether all texts are whole numbers, some of them as a column of floats writes them: ``91911.0``, and not ``250.00``.

    >>> went_through_floats(pl.Series(["91911.0", "7"])), went_through_floats(pl.Series(["250.0", "E11"]))
    (True, False)
    """
    pointed = texts.str.contains(_THROUGH_FLOATS)
    return bool(pointed.any() and (pointed | are_integers(texts)).all())


def as_codes(column: EncodedColumn) -> EncodedColumn:
    """Write codes that went through a column of floats as the codes they are: ``91911.0`` is ``91911``; others stay.

    >>> from likeness.tables.columns import EncodedColumn
    >>> zips = EncodedColumn("zip", "text", np.array([1, 0], np.int32), np.array(["10001.0", "91911.0"], object))
    >>> as_codes(zips).values.tolist()
    ['10001', '91911']
    """
    texts = pl.Series(column.values.tolist(), dtype=pl.String) if column.kind == "text" else None
    if texts is None or not went_through_floats(texts):
        return column
    ranks, values = ranked(texts.str.replace(r"\.0$", ""))
    codes = np.append(ranks, np.int32(-1))[column.codes].astype(np.int32)
    return EncodedColumn(column.name, column.kind, codes, values.to_numpy())


def ranked(typed: pl.Series) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], pl.Series]:
    """Rank of each value among the distinct ones, and these, ascending."""
    numbers = typed.to_physical()
    if numbers.dtype.is_numeric():
        plain = numbers.to_numpy()
        if (plain[1:] > plain[:-1]).all():
            return np.arange(plain.size, dtype=np.int32), typed
    order = typed.arg_sort()
    ascending = typed.gather(order)
    fresh = np.append(
        np.ones(min(1, len(typed)), np.bool_), ascending[1:].ne_missing(ascending[:-1]).to_numpy()
    )
    ranks = np.empty(len(typed), dtype=np.int32)
    ranks[order.to_numpy()] = np.cumsum(fresh, dtype=np.int32) - np.int32(1)
    return ranks, ascending if fresh.all() else ascending.filter(pl.Series(fresh))
