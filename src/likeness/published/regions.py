"""Regions of one attribute as published: from codes to text, and from text to what it says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.exact import rational
from likeness.microdata.domain import NUMERIC
from likeness.microdata.means import Means
from likeness.published.text import (
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
from likeness.tables import misspelled, must_read, plain_value, texts
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.regions import AttributeRegions
    from likeness.published.columns import ColumnNote


@dataclass(frozen=True)
class Region:
    """What a published text says; equal when it says the same, however it is written.

    ``what``: ``everything``, ``interval``, ``node`` or ``values``.
    ``low``, ``high``: ends of an interval, as `position` gives them; ``ends``: their texts.
    ``values``: members of a set (None: the missing value), or the label of a node.
    ``text``: what it was read from.
    """

    what: str
    low: Any = None
    high: Any = None
    values: frozenset[str | None] = frozenset()
    text: str = field(default="", compare=False)
    ends: tuple[str, str] = field(default=(MISSING, MISSING), compare=False)


def region_labels(regions: AttributeRegions) -> list[str]:
    """Text of every distinct region of one attribute."""
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
            written.append(
                _write_members({None if code == domain.missing_code else labels[code] for code in codes})
            )
    return written


def shown_labels(shown: AttributeRegions | Means) -> list[str]:
    """Text of everything distinct that is published of one attribute: regions, means or modes."""
    if not isinstance(shown, Means):
        return region_labels(shown)
    numbers = mean_values(shown)
    written = [MISSING if own else EVERYTHING for own in shown.missing[numbers.size :]]
    return [*texts(numbers), *written]


def mean_values(means: Means) -> NDArray[Any]:
    """Means as numbers or days, ascending, without those that are missing or everything."""
    numbers = means.numbers[~np.isnan(means.numbers)]
    if means.domain.kind == "date":
        return numbers.astype(np.int64).astype("datetime64[D]")
    return numbers


def _write_members(members: Collection[str | None]) -> str:
    """Write the values of a set: ascending texts, the missing value last, so that one set has one text."""
    present = sorted(value for value in members if value is not None)
    if len(members) > 1:
        return write_set([*present, *([None] if None in members else [])])
    return write_value(present[0]) if present else MISSING


def read_region(text: str, note: ColumnNote) -> Region:
    """Read one region from a published cell, by what the certificate says about its column.

    Raises `TableError` where the text is no region of such a column, or not the one that `region_labels` writes for it.
    """
    if text == EVERYTHING:
        return Region("everything", text=text)
    if text == MISSING:
        return Region("values", values=frozenset({None}), text=text)
    if note.shape == "tree":
        return _read_node(text, note)
    if note.shape == "interval":
        return _read_interval(text, note, partial(_place_of_end, note))
    members = read_set(text)
    values = frozenset(members) if members is not None else frozenset({read_value(text)})
    everything = note.values is not None and len(values) > 1 and values == frozenset(note.values)
    _check(text, EVERYTHING if everything else _write_members(values), note)
    return Region("values", values=values, text=text)


def read_regions(texts: Sequence[str], note: ColumnNote) -> list[Region]:
    """Read many regions of one column, as `read_region` reads each; what many of them end with is read once."""
    if note.shape != "interval":
        return [read_region(text, note) for text in texts]
    place = cache(partial(_place_of_end, note))
    return [
        read_region(text, note) if text in {EVERYTHING, MISSING} else _read_interval(text, note, place)
        for text in texts
    ]


def mean_kind(note: ColumnNote) -> str:
    """Kind of the means of a column: days of days, else numbers with decimals."""
    return "date" if note.kind == "date" else "real"


def read_mean(text: str, note: ColumnNote) -> Region:
    """Read the mean of a class from a published cell, as the interval from it to itself.

    Raises `TableError` where the text is none, or not the one that `shown_labels` writes for it.
    """
    if text == EVERYTHING:
        return Region("everything", text=text)
    if text == MISSING:
        return Region("values", values=frozenset({None}), text=text)
    axis = replace(note, kind=mean_kind(note), order=None)
    place = _place_of_end(axis, text)
    return Region("interval", place, place, text=text, ends=(text, text))


def read_mode(text: str, note: ColumnNote) -> Region:
    """Read the mode of a class from a published cell: a region of one value.

    Raises `TableError` where the text is another region, or none.
    """
    region = read_region(text, note)
    several = region.what == "everything" or len(region.values) > 1 or region.low != region.high
    if region.what == "node" and note.tree is not None:
        several = not note.tree.is_leaf(np.array([_nodes(note.tree)[read_value(text)]]))[0]
    if several:
        raise TableError(
            f"column {note.name!r}: {quoted(text)} is not a single value, as the mode of a class is"
        )
    return region


def _read_node(text: str, note: ColumnNote) -> Region:
    """Read the node of a hierarchy."""
    label, tree = read_value(text), note.tree
    if tree is None:
        _check(text, write_label(label), note)
        return Region("node", values=frozenset({label}), text=text)
    if label not in _nodes(tree):
        raise TableError(f"column {note.name!r}: {quoted(text)} is not a node of its hierarchy")
    node = _nodes(tree)[label]
    low, high = int(tree.left[node]), int(tree.right[node])
    # Of the nodes above the same leaves the lowest is published, and the root says that anything may stand there.
    lowest = int(tree.common_ancestor(np.array([low]), np.array([high]))[0])
    root = lowest == 0 and not tree.is_leaf(np.array([0]))[0]
    _check(text, EVERYTHING if root else write_label(tree.labels[lowest]), note)
    return Region("node", low, high, text=text)


def _read_interval(text: str, note: ColumnNote, place: Callable[[str], Any]) -> Region:
    """Read an interval, or a single value on an axis; `place` is `_place_of_end` of the column."""
    ends = read_interval(text)
    low, high = ends if ends is not None else (read_value(text),) * 2
    first, last = place(low), place(high)
    if first > last:
        raise TableError(f"column {note.name!r}: the interval {quoted(text)} ends before it begins")
    _check(text, write_interval(low, high), note)
    return Region("interval", first, last, text=text, ends=(low, high))


def _place_of_end(note: ColumnNote, end: str) -> Any:
    """Place the end of an interval, which is written in one way."""
    wrong = misspelled(note.kind, end) if note.order is None else None
    if wrong is not None:
        raise TableError(f"column {note.name!r}: {wrong}")
    return position(note, end)


def _check(text: str, right: str, note: ColumnNote) -> None:
    """Refuse a region that is written in another way than it is published in."""
    wrong = must_read(text, right)
    if wrong is not None:
        raise TableError(f"column {note.name!r}: {wrong}")


def position(note: ColumnNote, text: str) -> Any:
    """Place one value on the axis of an interval column: an integer, a fraction, days since 1970, or its rank in the order.

    Raises `TableError` where it has no place there.
    """
    if note.order is not None:
        if text not in note.rank:
            raise TableError(f"column {note.name!r}: {quoted(text)} is not one of its declared values")
        return note.rank[text]
    value = plain_value(note.kind, text) if note.kind in NUMERIC else None
    try:
        # A number in a text is exact: 0.1 is a tenth.
        exact = None if value is None or note.kind != "real" else rational(text.strip())
    except ValueError:
        value = None
    if value is None:
        raise TableError(f"column {note.name!r}: {quoted(text)} is not of the kind {note.kind}")
    if exact is not None:
        return exact
    return int(value) if note.kind == "integer" else int(value.astype(np.int64))


@lru_cache(maxsize=64)
def _nodes(tree: Hierarchy) -> dict[str, int]:
    """Node of every label."""
    return {label: node for node, label in reversed(list(enumerate(tree.labels)))}
