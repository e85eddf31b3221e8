"""Check that a hierarchy has a leaf for every value of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likeness.hierarchies.problems import SHOWN, did_you_mean, refuse
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies.tree import Hierarchy


def check_covers(
    values: Sequence[str],
    hierarchy: Hierarchy,
    column: str,
    *,
    counts: Sequence[int] | None = None,
    lines: Sequence[int] | None = None,
) -> None:
    """Refuse a hierarchy that lacks values of a column.

    Parameters
    ----------
    values
        The distinct values of the column.
    hierarchy
        What must have a leaf for each.
    column
        The column's name.
    counts
        How many records have each value, if known.
    lines
        Line of the table on which each value first stands, if known.

    Raises
    ------
    HierarchyError
        With a line for each value that is not a leaf, ten at most.

    Examples
    --------
    >>> from likeness.hierarchies import from_rows
    >>> ages = from_rows([("17", "*"), ("18", "*")], "age.csv", where=lambda i: f"line {i + 1}")
    >>> check_covers(["17", "18"], ages, "age")
    >>> check_covers(["17", "89"], ages, "age")
    Traceback (most recent call last):
    likeness.errors.HierarchyError: value '89' of column 'age' is not a leaf of age.csv; add a line for it
    """
    known = hierarchy.rank_of
    missing = [i for i, value in enumerate(values) if value not in known]
    nodes = set(hierarchy.labels) if missing else set()
    problems = []
    for place, i in enumerate(missing):
        value = values[i]
        if value in nodes:
            remedy = "it is a node; add a leaf for records of which no more is known"
        else:
            # Only a few problems are shown: for the others nothing similar need be looked for.
            near = did_you_mean(value, known) if place < SHOWN else ""
            remedy = near.removeprefix("; ") or "add a line for it"
        who = f"value {value!r} of column {column!r}{_seen(i, counts, lines)}"
        problems.append(f"{who} is not a leaf of {hierarchy.name}; {remedy}")
    refuse(problems)


def _seen(i: int, counts: Sequence[int] | None, lines: Sequence[int] | None) -> str:
    """Tell how often and where the value stands, as far as known."""
    told = []
    if counts is not None:
        told.append(count(counts[i], "record"))
    if lines is not None:
        told.append(f"first on line {lines[i]}")
    return f" ({', '.join(told)})" if told else ""
