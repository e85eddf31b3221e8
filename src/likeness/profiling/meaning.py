"""What a column probably means: its look, the role that speaks for, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.profiling import words
from likeness.profiling.cells import NUMBERS

if TYPE_CHECKING:
    from likeness.profiling.cells import Cells

MANY = 30
"""Records from which the share of unique values says something about a column."""
NEARLY_UNIQUE = 0.5
"""Share of records alone with their value from which a column is nearly unique."""
MOST_CODES = 100
"""Whole numbers with a nominal name are codes up to so many values."""


@dataclass(frozen=True)
class Meaning:
    """What a column probably means.

    Parameters
    ----------
    looks_like
        In a word or two: ``name``, ``id``, ``e-mail address``, ``date``, ``ZIP or similar code``, ``health`` …
    role
        The role this speaks for.
    reason
        Why, in part of a sentence.
    settings
        Keys of the policy beside the role: kind and hierarchy.
    warning
        What the steward should look at; often nothing.
    """

    looks_like: str
    role: str
    reason: str
    settings: dict[str, Any]
    warning: str = ""


def settings_of(cells: Cells) -> dict[str, Any]:
    """Declare the kind of a column that is published in classes; whole numbers with a nominal name are codes.

    Parameters
    ----------
    cells
        The column.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from likeness.profiling.cells import Cells
    >>> codes = Cells("race", "integer", np.array([0, 1]), pl.Series([1, 2]), np.array([1, 1]))
    >>> settings_of(codes)
    {'kind': 'categorical'}
    """
    if cells.kind_to_declare is not None:
        return {"kind": cells.kind_to_declare}
    if cells.kind == "integer" and cells.distinct <= MOST_CODES and words.has(cells.name, words.NOMINAL):
        return {"kind": "categorical"}
    return {"kind": cells.kind} if cells.kind in {*NUMBERS, "date"} else {}


def with_article(noun: str) -> str:
    """Put the indefinite article before a noun.

    Examples
    --------
    >>> with_article("e-mail address"), with_article("phone number")
    ('an e-mail address', 'a phone number')
    """
    return f"an {noun}" if noun[0] in "aeioI" else f"a {noun}"
