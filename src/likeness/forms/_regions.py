"""Regions of one attribute as published: from codes to text, and from text to what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._text import (
    EVERYTHING,
    MISSING,
    read_interval,
    read_set,
    read_value,
    write_interval,
    write_label,
    write_set,
    write_value,
)
from likeness.wording import quoted

if TYPE_CHECKING:
    from likeness.forms._columns import ColumnNote
    from likeness.hierarchies import Hierarchy
    from likeness.microdata.regions import AttributeRegions


@dataclass(frozen=True)
class Region:
    """What a published text says; equal when it says the same, however it is written.

    Parameters
    ----------
    what
        ``everything``, ``interval``, ``node`` or ``values``.
    low, high
        Ends of an interval: fractions, days since 1970, or positions in the declared order.
    values
        Members of a set (None: the missing value), or the label of a node.
    text
        The text it was read from.
    """

    what: str
    low: Any = None
    high: Any = None
    values: frozenset[str | None] = frozenset()
    text: str = field(default="", compare=False)

    def ends_at(self, end: str, text: str, note: ColumnNote) -> bool:
        """Whether a number column for one end of the interval says the same."""
        if self.what != "interval":
            return text == MISSING
        return bool(position(note, text) == (self.low if end == "low" else self.high))


def region_labels(regions: AttributeRegions) -> list[str]:
    """Text of every distinct region of one attribute.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> age = Domain("age", "integer", np.array([20, 30, 60]), "interval", low=20, high=60)
    >>> from likeness.microdata.regions import AttributeRegions
    >>> region_labels(AttributeRegions(age, np.array([0]), np.array([0], np.int32), np.array([1], np.int32)))
    ['[20, 30]']
    """
    domain = regions.domain
    everything = regions.everything
    labels = domain.labels
    written = []
    for i in range(regions.count):
        if everything[i]:
            written.append(EVERYTHING)
        elif regions.node is not None:
            node = int(regions.node[i])
            tree = domain.hierarchy
            assert tree is not None  # noqa: S101  # the shape tree always has one
            written.append(MISSING if node < 0 else write_label(tree.labels[node]))
        elif regions.members is None:
            low, high = int(regions.low[i]), int(regions.high[i])
            written.append(
                MISSING if low == domain.missing_code else write_interval(labels[low], labels[high])
            )
        else:
            codes = regions.member_codes(i)
            members = [None if code == domain.missing_code else labels[code] for code in codes]
            if len(members) > 1:
                written.append(write_set(members))
            else:
                written.append(MISSING if members[0] is None else write_value(members[0]))
    return written


def read_region(text: str, note: ColumnNote) -> Region:
    """Read one region.

    Parameters
    ----------
    text
        A published cell.
    note
        What the certificate says about its column.

    Raises
    ------
    TableError
        When the text is no region of such a column.
    """
    if text == EVERYTHING:
        return Region("everything", text=text)
    if text == MISSING:
        return Region("values", values=frozenset({None}), text=text)
    if note.shape == "tree":
        label = read_value(text)
        tree = note.tree
        if tree is None:
            return Region("node", values=frozenset({label}), text=text)
        if label not in _nodes(tree):
            raise TableError(f"column {note.name!r}: {quoted(text)} is not a node of its hierarchy")
        node = _nodes(tree)[label]
        return Region("node", int(tree.left[node]), int(tree.right[node]), text=text)
    if note.shape == "interval":
        ends = read_interval(text)
        low, high = ends if ends is not None else (read_value(text),) * 2
        first, last = position(note, low), position(note, high)
        if first > last:
            raise TableError(f"column {note.name!r}: the interval {quoted(text)} ends before it begins")
        return Region("interval", first, last, text=text)
    members = read_set(text)
    values = frozenset(members) if members is not None else frozenset({read_value(text)})
    return Region("values", values=values, text=text)


def position(note: ColumnNote, text: str) -> Any:
    """Place one value on the axis of an interval column.

    Raises
    ------
    TableError
        When it has no place there.
    """
    if note.order is not None:
        if text not in note.order:
            raise TableError(f"column {note.name!r}: {quoted(text)} is not one of its declared values")
        return note.order.index(text)
    try:
        if note.kind == "integer":
            return int(text)
        return _day(text) if note.kind == "date" else _number(text)
    except (ValueError, ZeroDivisionError):
        raise TableError(f"column {note.name!r}: {quoted(text)} is not of the kind {note.kind}") from None


@lru_cache(maxsize=64)
def _nodes(tree: Hierarchy) -> dict[str, int]:
    """Node of every label."""
    return {label: node for node, label in reversed(list(enumerate(tree.labels)))}


def _number(text: str) -> Fraction:
    """Read a number exactly."""
    return Fraction(text)


def _day(text: str) -> int:
    """Read an ISO day as days since 1970."""
    return int(np.datetime64(text, "D").astype(np.int64))
