"""Numbers written as text: which cells are numbers, and what they are worth."""

from __future__ import annotations

import polars as pl

from likeness.errors import TableError

# What is taken for a number without being told. A leading zero marks a code (a ZIP, an ICD block), a
# leading plus a telephone number; `12E4` is a code too, so an exponent needs its sign.
_PLAIN_INTEGER = "^-?(?:0|[1-9][0-9]*)$"
_PLAIN_NUMBER = "^-?(?:(?:0|[1-9][0-9]*)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-][0-9]+)?$"
_LEADING_ZERO = "^-?0[0-9]+$"

# What is accepted once the steward has declared numbers.
_ANY_INTEGER = "^[+-]?[0-9]+$"
_ANY_NUMBER = "^[+-]?(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$"

_MAYBE_THOUSANDS = "^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"


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
        raise TableError(
            f"{column}: the comma in {with_comma[0]!r} may be a decimal mark or separate thousands; "
            "read the table with decimal=',' or decimal='.', or declare kind: categorical"
        )
    return ","
