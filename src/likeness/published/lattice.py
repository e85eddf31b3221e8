"""Whether published regions lie on the lattice that the policy declares, decided from their texts alone."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.exact import rational
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region

Step = int | float | str | list[list[str]]
"""What is declared of a column: how many numbers, days or ordered values make a cell, which level, or groups of values."""


def cell_of(number: Any, step: Fraction, *, real: bool) -> tuple[Any, Any]:
    """First and last number of the cell that a number lies in: multiples of the step, counted from 0.

    Of real numbers the last one is the first of the next cell; each is the nearest number of 64 bits.

    >>> from fractions import Fraction
    >>> cell_of(38, Fraction(5), real=False), cell_of(Fraction("0.25"), Fraction("0.1"), real=True)
    ((35, 39), (0.2, 0.3))
    """
    if not real:
        whole = int(step)
        low = number // whole * whole
        return low, low + whole - 1
    times = floor(number / step)
    return float(times * step), float((times + 1) * step)


def check_lattice(regions: Iterable[Region], note: ColumnNote, step: Step) -> None:
    """Refuse regions that are not made of whole cells.

    Of hierarchies that are made by a rule the certificate gives no nodes, so that nothing can be said of them.

    Raises `TableError` naming the first.
    """
    _check_step(note, step)
    for region in regions:
        if region.what == "everything" or (region.what == "values" and region.values == {None}):
            continue
        if not _is_whole(region, note, step):
            raise TableError(
                f"column {note.name!r}: {quoted(region.text)} is not made of whole steps of {step}"
            )


def is_checked(note: ColumnNote) -> bool:
    """Whether texts and certificate tell if regions are made of whole cells: not of hierarchies whose nodes are not given."""
    return note.shape != "tree" or note.tree is not None


def _check_step(note: ColumnNote, step: Step) -> None:
    """Refuse a step that is none for the column."""
    groups = isinstance(step, list)
    wrong = groups != (note.shape == "set")
    if not wrong and not groups and note.kind != "real":
        wrong = rational(step).denominator != 1  # type: ignore[arg-type]
    if not wrong and note.tree is not None:
        wrong = rational(step) >= int(note.tree.level[0])  # type: ignore[arg-type]
    if wrong:
        raise TableError(f"column {note.name!r}: {quoted(step)} is no step for what is published of it")


def _is_whole(region: Region, note: ColumnNote, step: Step) -> bool:
    """Whether a region is made of whole cells."""
    if isinstance(step, list):
        return all(region.values.isdisjoint(own) or region.values.issuperset(own) for own in step)
    size = rational(step)
    if region.what == "node":
        tree = note.tree
        if tree is None:
            return True
        cell = int(tree.ancestor_at(np.array([region.low]), int(size))[0])
        return bool(tree.left[cell] >= region.low and tree.right[cell] <= region.high)
    if note.order is not None:
        last = len(note.order) - 1
        return bool(
            region.low == cell_of(region.low, size, real=False)[0]
            and region.high == min(last, cell_of(region.high, size, real=False)[1])
        )
    if note.kind != "real":
        ends = cell_of(region.low, size, real=False)[0], cell_of(region.high, size, real=False)[1]
        return ends == (region.low, region.high)
    nearest = [float(round(end / size) * size) for end in (region.low, region.high)]
    return bool(nearest == [float(region.low), float(region.high)] and region.low < region.high)
