"""Numbers written as text: which cells are numbers, and what they are worth."""

from __future__ import annotations

import polars as pl

from likeness.errors import TableError
from likeness.wording import quoted

# What is taken for a number without being told. A leading zero marks a code (a ZIP, an ICD block), a
# leading plus a telephone number; `12E4` is a code too, so an exponent needs its sign.
_PLAIN_INTEGER = "^-?(?:0|[1-9][0-9]*)$"
_PLAIN_NUMBER = "^-?(?:(?:0|[1-9][0-9]*)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-][0-9]+)?$"
_LEADING_ZERO = "^-?0[0-9]+$"

# What is accepted once the steward has declared numbers.
_ANY_INTEGER = "^[+-]?[0-9]+$"
_ANY_NUMBER = "^[+-]?(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"

_WHOLE_WITH_POINT = "^[+-]?[0-9]+[{point}]0*$"

_MAYBE_THOUSANDS = "^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_GROUPS = "^[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+(?:[{point}][0-9]*)?$"
_MARKS = {",": ",", ".": "[.]", " ": "[ \u00a0\u2009\u202f]", "'": "['’]"}
MARK_NAMES = {",": "a comma", ".": "a point", " ": "a space", "'": "an apostrophe"}
"""What may separate thousands, in words."""


class MixedError(TableError):
    """Most cells of a text column are numbers or days, and others are not, or may be read in two ways.

    Parameters
    ----------
    *problems
        The message.
    found, remedy
        What the column holds, and what to do that loses nothing, as parts of the message.
    about
        ``mixed`` (with other texts), ``thousands`` or ``dates``.
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


def have_leading_zero(texts: pl.Series) -> bool:
    """Whether some cell is all digits with a zero before them, as codes are."""
    return bool(texts.str.contains(_LEADING_ZERO).any())


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
    """Write whole numbers such as ``1.0`` without their decimal places; other texts stay.

    Examples
    --------
    >>> without_point(pl.Series(["1.0", "10.00", "2.5", "x"]), ".").to_list()
    ['1', '10', '2.5', 'x']
    """
    whole = are_whole_with_point(texts, decimal)
    return texts.set(whole, None).fill_null(texts.str.replace(f"[{decimal}]0*$", ""))


def are_grouped(texts: pl.Series, mark: str, decimal: str) -> pl.Series:
    """Which cells are numbers whose thousands a mark separates.

    Examples
    --------
    >>> are_grouped(pl.Series(["1,234.5", "12", "1,23"]), ",", ".").to_list()
    [True, False, False]
    """
    return texts.str.contains(_GROUPS.format(mark=_MARKS[mark], point=decimal))


def are_surely_grouped(texts: pl.Series, mark: str) -> pl.Series:
    """Which cells are numbers in which a comma or point separates thousands and cannot be a decimal mark.

    Examples
    --------
    >>> are_surely_grouped(pl.Series(["1.234", "1.234.567", "1.234,5"]), ".").to_list()
    [False, True, True]
    """
    other = "." if mark == "," else ","
    own = f"[{mark}][0-9]{{3}}"
    return texts.str.contains(f"^[+-]?[1-9][0-9]{{0,2}}(?:(?:{own}){{2,}}|(?:{own})+[{other}][0-9]+)$")


def without_groups(texts: pl.Series, mark: str | None, decimal: str) -> pl.Series:
    """Write numbers without the mark that separates their thousands; other texts stay.

    Examples
    --------
    >>> without_groups(pl.Series(["1,234.5", "12", "1,23"]), ",", ".").to_list()
    ['1234.5', '12', '1,23']
    """
    if mark is None:
        return texts
    grouped = are_grouped(texts, mark, decimal)
    return texts.set(grouped, None).fill_null(texts.str.replace_all(_MARKS[mark], ""))


def decimal_mark(texts: pl.Series, decimal: str | None, *, column: str) -> str:
    """Find the decimal mark these texts use, unless it is known.

    Parameters
    ----------
    texts
        Distinct cells.
    decimal
        ``"."`` or ``","`` when it is known; None to find out.
    column
        How to call the column in a message.

    Returns
    -------
    str
        ``"."`` unless more cells are numbers with ``","``.

    Raises
    ------
    TableError
        If every comma could as well separate thousands (``1,234``).

    Examples
    --------
    >>> decimal_mark(pl.Series(["3,5", "4"]), None, column="column 'dose'")
    ','
    """
    if decimal is not None:
        return decimal
    by_comma = are_numbers(texts, ",")
    if int(by_comma.sum()) <= int(are_numbers(texts, ".").sum()):
        return "."
    with_comma = texts.filter(by_comma & texts.str.contains(",", literal=True))
    if with_comma.str.contains(_MAYBE_THOUSANDS).all():
        found = f"the comma in {quoted(with_comma[0])} may be a decimal mark or separate thousands"
        remedy = "read the table with decimal=',' or with thousands=',' (--decimal , or --thousands ,)"
        message = f"{column}: {found}; {remedy}, or declare kind: categorical"
        raise MixedError(message, found=found, remedy=remedy, about="thousands")
    return ","
