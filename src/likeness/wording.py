"""Words in messages and reports: a number and the noun it counts, values, parameters in a phrase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction

SHOWN = 40
"""Characters of a cell that a message shows."""
_PLURALS = {"person": "people", "leaf": "leaves", "query": "queries"}


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
    """
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


def phrase(values: dict[str, Any] | None) -> str:
    """Write parameters or strengths in one phrase: ``k = 5, others = known``; None is ``not measured``."""
    if values is None:
        return "not measured"
    return ", ".join(
        f"{key}: of {count(len(value), 'value')}"
        if isinstance(value, dict)
        else f"{key} = {plain_number(value)}"
        for key, value in values.items()
    )
