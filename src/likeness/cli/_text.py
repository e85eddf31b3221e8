"""Plain text for people: tables in columns, numbers, shares; nothing in it moves the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.cli._console import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDEST = 32


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Write cells under each other.

    Parameters
    ----------
    rows
        Cells; the first row may be a head.
    indent
        What every line begins with.

    Examples
    --------
    >>> columns([["age", "sex"], ["[30, 39]", "F"]], "")
    ['age       sex', '[30, 39]  F']
    """
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def cell(text: str, widest: int = WIDEST) -> str:
    r"""Write a value in one short piece; what is not printable as an escape.

    Examples
    --------
    >>> cell("a\nb"), cell("x" * 40, 8)
    ('a\\nb', 'xxxxxxx…')
    """
    shown = printable(text)
    return shown if len(shown) <= widest else f"{shown[: widest - 1]}…"


def number(value: float) -> str:
    """Write six digits at most.

    Examples
    --------
    >>> number(0.25), number(1034122.0), number(float("inf"))
    ('0.25', '1,034,122', '∞')
    """
    if value == float("inf"):
        return "∞"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.6g}"


def beyond(value: float, limit: float) -> tuple[str, str]:
    """Write a value and the limit it is beyond, in six digits where these tell them apart.

    Examples
    --------
    >>> beyond(0.0621515416, 0.05), beyond(0.30000001, 0.3)
    (('0.0621515', '0.05'), ('0.30000001', '0.3'))
    """
    shown = number(value), number(limit)
    return shown if shown[0] != shown[1] else (str(value), str(limit))


def share(value: float) -> str:
    """Write a share in percent; never 0 or 100 when it is not.

    Examples
    --------
    >>> share(0.9992), share(0), share(0.00001)
    ('99.92 %', '0 %', 'under 0.01 %')
    """
    if 0 < value < 1e-4:
        return "under 0.01 %"
    if 1 - 1e-4 < value < 1:
        return "over 99.99 %"
    return f"{100 * value:.2f}".rstrip("0").rstrip(".") + " %"


def parameters(given: dict[str, object]) -> str:
    """Write parameters in a phrase.

    Examples
    --------
    >>> parameters({"k": 5, "sensitive": "disease"})
    'k = 5, sensitive = disease'
    """
    return ", ".join(f"{name} = {value}" for name, value in given.items())
