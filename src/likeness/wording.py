"""Words in messages and reports: a number and the noun it counts, values, parameters in a phrase, lines in a terminal."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

SHOWN = 40
"""Characters of a cell that a message shows."""
_MOST_LISTED = 20
"""Values of a parameter that are written one by one."""
_PLURALS = {"person": "people", "leaf": "leaves", "query": "queries"}


def columns(rows: Sequence[Sequence[str]], indent: str = "  ", right: Collection[int] = ()) -> list[str]:
    """Write cells under each other.

    Parameters
    ----------
    rows
        Cells; the first row may be a head.
    indent
        What every line begins with.
    right
        Columns, from 0, that end under each other.

    Examples
    --------
    >>> columns([["age", "sex"], ["[30, 39]", "F"]], "")
    ['age       sex', '[30, 39]  F']
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def printed(shown: Any, printer: Any, cycle: bool) -> None:
    """Show in IPython, in a terminal, what is printed: the ``_repr_pretty_`` of a class whose `repr` is one line.

    It stands in the class itself, where IPython looks before it takes the class's own `repr`.
    """
    for i, line in enumerate(("…" if cycle else str(shown)).rstrip("\n").splitlines()):
        if i:
            printer.break_()
        printer.text(line)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun: ``1 record``, ``1,200 classes``, ``2 people``.

    ``noun`` is one of what is counted; ``plural``, several, where neither an s, es after another s, nor the usual irregular
    plural does.
    """
    return f"{number:,} {nouns(number, noun, plural)}"


def nouns(number: int, noun: str, plural: str | None = None) -> str:
    """Give a noun the form that a number asks for; ``plural`` as in `count`."""
    if number == 1:
        return noun
    if plural is not None:
        return plural
    head, blank, last = noun.rpartition(" ")
    return head + blank + _PLURALS.get(last, f"{last}es" if last.endswith("s") else f"{last}s")


def shortened(text: str) -> str:
    """Cut a text that is too long for a message, and say how long it is.

    >>> shortened("flu"), shortened("x" * 5000)[35:]
    ('flu', 'xxxxx… (5,000 characters)')
    """
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({count(len(text), 'character')})"


def quoted(value: object, most: int = SHOWN) -> str:
    """Write a value of a table in quotes, short enough for a message; numbers and others are written without quotes.

    ``most``: characters of a text that are shown; a longer one is followed by its length.

    >>> quoted("2020"), quoted(2020), quoted(date(2020, 1, 31))
    ("'2020'", '2020', '2020-01-31')
    """
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        return shortened(repr(value))
    return repr(value) if len(value) <= most else f"{value[:most]!r}… ({count(len(value), 'character')})"


def plain_number(value: float | str | None) -> str:
    """Write a figure without rounding it: a rounded one could claim more than was proven. None is the empty text."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def figure(value: float) -> str:
    """Write a figure for people: thousands set apart, four digits of what is smaller.

    >>> figure(24619200.0), figure(1234.5), figure(3.0), figure(0.123456), figure(2.5e-7)
    ('24,619,200', '1,234.5', '3', '0.1235', '2.5e-07')
    """
    if not isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "undefined"
    if abs(value) >= 1e15:
        return f"{value:.4g}"
    if float(value).is_integer():
        return f"{int(value):,}"
    if abs(value) >= 999.95:  # as far as four digits reach
        return f"{value:,.1f}".removesuffix(".0")
    return f"{value:.4g}"


def digits(value: float | str) -> str:
    """Write the first digits of a figure that claims something, cut, not rounded: a rounded one could claim more.

    >>> digits(0.19999999999999998), digits(0.25), digits(12345678.5), digits("1/3")
    ('0.19999…', '0.25', '12,345,678…', '1/3')
    """
    if not isinstance(value, float) or not isfinite(value) or not 1e-15 <= abs(value) < 1e15:
        return plain_number(value)
    whole, point, rest = f"{Decimal(repr(float(value))):f}".partition(".")
    set_apart = f"{int(whole):,}" if whole.lstrip("-") != "0" else whole
    if not point or not rest.strip("0"):
        return set_apart
    zeros = len(rest) - len(rest.lstrip("0"))
    kept = max(0, 6 - len(whole.lstrip("-0"))) if whole.lstrip("-0") else zeros + 5
    if len(rest) <= kept:
        return f"{set_apart}.{rest}"
    return f"{set_apart}.{rest[:kept]}…" if kept else f"{set_apart}…"


def percentage(share: Fraction) -> str:
    """Write a share for people, and exactly: as a percentage where it has few digits, else as a fraction.

    >>> from fractions import Fraction
    >>> percentage(Fraction(1, 8)), percentage(Fraction(1, 3)), percentage(Fraction(1))
    ('12.5 %', '1/3', '100 %')
    """
    return f"{decimal(100 * share)} %" if 10**4 % (100 * share).denominator == 0 else str(share)


def decimal(number: Fraction) -> str:
    """Write a number exactly: with its decimals where these are few, else as a fraction.

    >>> from fractions import Fraction
    >>> decimal(Fraction(9, 4)), decimal(Fraction(4, 3)), decimal(Fraction(1000))
    ('2.25', '4/3', '1,000')
    """
    if 10**4 % number.denominator:
        return str(number)
    whole, decimals = divmod(number * 10**4, 10**4)
    return f"{whole:,}" + f".{int(decimals):04}".rstrip("0").rstrip(".")


def phrase(values: dict[str, Any] | None, *, cut: bool = False) -> str:
    """Write parameters or strengths in one phrase: ``k = 5, others = known``; None is ``not measured``.

    ``cut``: of long figures the first `digits` alone.
    """
    if values is None:
        return "not measured"
    return ", ".join(
        f"{key}: of {count(len(value), 'value')}"
        if isinstance(value, dict) or (isinstance(value, list | tuple) and len(value) > _MOST_LISTED)
        else f"{key} = {digits(value) if cut else plain_number(value)}"
        for key, value in values.items()
    )
