"""What is wrong with a hierarchy: all problems at once, but no flood; whether every value of a column has its leaf."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likeness.errors import HierarchyError, Refusal, did_you_mean
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies.tree import Hierarchy

SHOWN = 10
"""How many problems of one hierarchy are listed before the rest is only counted."""

ALIKE = 0.75
"""How alike a value and a label must be for the label to be meant: labels resemble each other more than names do."""


def refuse(problems: Sequence[Refusal]) -> None:
    """Raise one `HierarchyError` with all problems, if there are any.

    One line each, in the order of the file; from the eleventh on they are only counted.
    """
    if not problems:
        return
    shown = list(problems[:SHOWN])
    if len(problems) > SHOWN:
        shown.append(Refusal(f"and {len(problems) - SHOWN} more"))
    raise HierarchyError(*shown)


_POINT = re.compile(r"(?<=[0-9])[.]0*$")
_ZEROS = re.compile(r"^0+(?=[0-9])")


def check_covers(
    values: Sequence[str],
    hierarchy: Hierarchy,
    column: str,
    *,
    counts: Sequence[int] | None = None,
    lines: Sequence[int] | None = None,
) -> None:
    """Refuse a hierarchy that lacks a leaf for some of the distinct ``values`` of a column.

    ``counts``, ``lines``: how many records have each value, and the line of the table on which it first stands, if known.
    Raises `HierarchyError` with a line for each value, ten at most; codes of numbers written otherwise share one.
    """
    known = hierarchy.rank_of
    missing = [i for i, value in enumerate(values) if value not in known]
    nodes = set(hierarchy.labels) if missing else set()
    problems, missing = _spelled_otherwise(values, missing, hierarchy, column)
    for place, i in enumerate(missing):
        value = values[i]
        if value in nodes:
            near, remedy = "", "it is a node; add a leaf for records of which no more is known"
        else:
            # Only a few problems are shown: for the others nothing similar need be looked for.
            near = did_you_mean(value, known, alike=ALIKE) if place < SHOWN else ""
            remedy = "" if near else "add a line for it"
        who = f"value {quoted(value)} of column {column!r}{_seen(i, counts, lines)}"
        problems.append(Refusal(f"is not a leaf of {hierarchy.name}{near}", about=who, remedy=remedy))
    refuse(problems)


def _spelled_otherwise(
    values: Sequence[str], missing: list[int], hierarchy: Hierarchy, column: str
) -> tuple[list[Refusal], list[int]]:
    """Say in one line what codes of a number were written otherwise in the table, and give back the other values."""
    leaves = {_bare(leaf): leaf for leaf in reversed(hierarchy.leaves)} if missing else {}
    pointed, zeros = [], []
    for i in missing:
        leaf = leaves.get(_bare(values[i]))
        if leaf is not None and _POINT.sub("", values[i]) == leaf:
            pointed.append((i, leaf))
        elif leaf is not None and _bare(values[i]).isdigit():
            zeros.append((i, leaf))
    problems: list[Refusal] = []
    for found, why, remedy in (
        (
            pointed,
            "with decimal places, as pandas writes whole numbers where cells are missing",
            "write the table's without, in pandas by astype('Int64')",
        ),
        (
            zeros,
            "with other leading zeros or spaces, as spreadsheet programs leave them",
            "write the table's codes as text, as the hierarchy has them",
        ),
    ):
        if found:
            i, leaf = found[0]
            number = count(len(found), "value")
            problems.append(
                Refusal(
                    f"{'is' if len(found) == 1 else 'are'} written {why}",
                    about=f"{number} of column {column!r}",
                    why=f"{quoted(values[i])} is {quoted(leaf)} in {hierarchy.name}",
                    remedy=remedy,
                )
            )
    told = {i for i, _ in (*pointed, *zeros)}
    return problems, [i for i in missing if i not in told]


def _bare(text: str) -> str:
    """Write a code without blanks around it, leading zeros and decimal places that are zeros."""
    return _ZEROS.sub("", _POINT.sub("", text.strip()))


def _seen(i: int, counts: Sequence[int] | None, lines: Sequence[int] | None) -> str:
    """Tell how often and where the value stands, as far as known."""
    told = []
    if counts is not None:
        told.append(count(counts[i], "record"))
    if lines is not None:
        told.append(f"first on line {lines[i]}")
    return f" ({', '.join(told)})" if told else ""
