"""Whether published regions may be those of classes of their sizes, where regions grow by what few members have."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.exact import rational
from likeness.microdata.attained import (
    Attained,
    listed_alone,
    may_be_interval,
    may_be_set,
    several_children,
)
from likeness.microdata.grouping import group_codes
from likeness.published.text import read_value
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region


def listed_values(regions: Sequence[Region], note: ColumnNote) -> list[str | None]:
    """List the values of a column of plain sets that are published, ascending, the missing one last.

    ``*`` stands for all that the certificate lists.
    """
    shown = {value for region in regions for value in region.values}
    if any(region.what == "everything" for region in regions):
        shown |= set(note.values or ())
    return sorted(shown, key=lambda value: (value is None, value or ""))


def known_ends(low: Any, high: Any, bottom: Any, top: Any) -> tuple[int | None, int | None]:
    """First and last whole number or day that everybody knows to be possible: of a declared domain, of bottom and top coding.

    Examples
    --------
    >>> known_ends(0.0, 110.0, None, 90), known_ends(None, None, "1970-01-03", None)
    ((0, 90), (2, None))
    """
    lowest = [_as_number(end) for end in (low, bottom) if end is not None]
    highest = [_as_number(end) for end in (high, top) if end is not None]
    return ceil(max(lowest)) if lowest else None, floor(min(highest)) if highest else None


def _as_number(end: Any) -> Fraction:
    """Take an end as a number, days since 1970 for dates."""
    if isinstance(end, str | date | np.datetime64):
        return Fraction(int(np.datetime64(str(end), "D").astype(np.int64)))
    return rational(end)


def rule_of(note: ColumnNote, least: int) -> Attained:
    """Give the rule that the regions of a column follow, as far as the certificate tells it."""
    if note.order is not None:
        return Attained.between(least, 0, len(note.order) - 1)
    if note.shape != "interval":
        return Attained(least)
    return Attained.between(least, *known_ends(note.low, note.high, note.bottom, note.top))


def check_attained(
    regions: Sequence[Region],
    of: NDArray[np.int64],
    sizes: NDArray[np.int64],
    note: ColumnNote,
    least: int,
) -> None:
    """Refuse regions that are none of classes of such sizes, or that would tell what fewer than ``least`` members have.

    ``of``, ``sizes`` (E,): region and members of each class. Of hierarchies that are made by a rule the certificate gives no
    nodes, so that nothing can be said of them. Raises `TableError` naming the first.
    """
    if note.shape == "interval" and note.kind == "real":
        raise TableError(f"column {note.name!r}: attained is not defined for real numbers")
    listed = listed_values(regions, note) if note.shape == "set" else []
    rank = {value: i for i, value in enumerate(listed)}
    attained = rule_of(note, least)
    pairs = group_codes([of, sizes], [len(regions), int(sizes.max(initial=0)) + 1])
    for first in pairs.first.tolist():
        region, members = regions[int(of[first])], int(sizes[first])
        if not _may_be(region, members, note, attained, rank):
            raise TableError(
                f"column {note.name!r}: attained: {least} publishes no {quoted(region.text)} of a class of "
                f"{count(members, 'record')}"
            )
    if note.shape == "set" and rank:
        bits: NDArray[np.uint64] = np.zeros((len(regions), (len(rank) + 63) // 64), np.uint64)
        for i, region in enumerate(regions):
            for value in rank if region.what == "everything" else region.values:
                bits[i, rank[value] >> 6] |= np.uint64(1 << (rank[value] & 63))
        alone = np.flatnonzero(listed_alone(bits[of], sizes, np.arange(len(rank)), attained))
        if alone.size:
            raise TableError(
                f"column {note.name!r}: attained: {least} publishes no {quoted(regions[int(of[alone[0]])].text)}, of "
                f"{count(int(sizes[alone[0]]), 'record')}, where no other class lists all its values"
            )


def _may_be(
    region: Region, members: int, note: ColumnNote, attained: Attained, rank: dict[str | None, int]
) -> bool:
    """Whether the rule leads to a region for a class of so many members."""
    if members < attained.least:
        return False
    if note.shape == "set":
        own = set(rank) if region.what == "everything" else region.values
        return may_be_set(np.array([rank[value] for value in own], np.int64), len(rank), members, attained)
    if region.what == "values":
        return True
    if note.shape == "interval":
        if region.what == "everything":
            return members > attained.least
        low, high = int(region.low) - attained.origin, int(region.high) - attained.origin
        return may_be_interval(low, high, members, attained)
    tree = note.tree
    if tree is None or members > attained.least:
        return True
    node = 0 if region.what == "everything" else tree.node_of(read_value(region.text))
    lowest = int(tree.common_ancestor(int(tree.left[node]), int(tree.right[node])))
    return bool(tree.left[node] == tree.right[node] or several_children(tree)[lowest] == lowest)
