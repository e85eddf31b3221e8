"""Sums of the numbers in published columns: which columns hold numbers, and what regions add to a sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from likeness.errors import TableError, nearest
from likeness.queries.overlap import (
    as_values,
    is_range,
    place_on,
    range_of,
    read_stretch,
    stretch_part,
    stretches_under,
)
from likeness.queries.overlap import place as place_text
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.published.columns import ColumnNote
    from likeness.published.regions import Region
    from likeness.queries.overlap import Overlap


class Anything:
    """No condition at all."""


ANYTHING: Final = Anything()
_INFINITY = float("inf")


def unknown_column(name: str, known: Iterable[str], beside: Iterable[str] = ()) -> TableError:
    """Say that no such column was published, or that it is ``beside`` what can be estimated: published, and not asked about."""
    names = list(known)
    if name in beside:
        return TableError(
            f"column {name!r}: is published as it is, beside what is estimated ({', '.join(names)}); count its cells in the "
            "published table itself, or, to ask about it together with others, give it role: quasi or sensitive and publish again"
        )
    near = nearest(str(name), names)
    there_are = f"there are {', '.join(names)}" if near is None else f"did you mean {quoted(near)}?"
    return TableError(f"no published column {name!r} to query; {there_are}")


def column_numbers(domain: Domain) -> NDArray[np.float64]:
    """(codes,) The number each code of an exactly published column stands for; NaN for the missing value.

    Leaves of a hierarchy may be numbers too, such as ages. Raises `TableError` when they are not numbers.
    """
    if domain.kind in {"integer", "real"} and domain.shape == "interval":
        numbers = domain.numbers
    else:
        numbers = _label_numbers(domain.name, domain.kind, domain.labels)
    return np.append(numbers, np.full(int(domain.missing), np.nan))


def number_weights(domain: Domain, power: int) -> NDArray[np.float64]:
    """(codes,) What each code counts for in a sum of numbers to some power; 0 for the missing value.

    Raises `TableError` when they are not numbers.
    """
    numbers = column_numbers(domain)
    return np.where(np.isnan(numbers), 0.0, numbers**power)


def value_weights(note: ColumnNote, values: Sequence[str | None], power: int) -> NDArray[np.float64]:
    """(V,) What each value of a column of nodes or sets counts for in a sum; 0 for the missing value."""
    numbers = iter(_label_numbers(note.name, note.kind, (value for value in values if value is not None)))
    return np.array([0.0 if value is None else next(numbers) ** power for value in values])


def check_numbers(note: ColumnNote) -> None:
    """Refuse a column of intervals that are not of numbers, with a `TableError` that says what it holds."""
    if note.kind not in {"integer", "real"}:
        _label_numbers(note.name, "ordered" if note.kind == "hierarchical" else note.kind, ())


def _label_numbers(name: str, kind: str, labels: Iterable[str]) -> NDArray[np.float64]:
    """(labels,) Texts as numbers."""
    if kind == "date":
        raise TableError(f"column {name!r}: dates have no sum and no mean; ask for a column of numbers")
    if kind in {"integer", "real", "hierarchical"}:
        found = [place_text(label) for label in labels]
        if all(place is not None and not place[0] for place in found):
            return np.array([float(place[1]) for place in found if place is not None])
    raise TableError(
        f"column {name!r}: is not a column of numbers, so it has no sum and no mean (it is {kind})"
    )


def region_sums(overlap: Overlap, condition: Any, power: int) -> NDArray[np.float64]:
    """(R,) Share of each region that meets a condition (or `ANYTHING`), times the mean number there to some power.

    Records are spread evenly over their region, as in `Overlap.shares`. The missing value adds nothing: power 0 is the
    share of what is not missing. Raises `TableError` where the column holds no numbers, the condition does not suit it,
    or what a region stands for was not published.
    """
    note = overlap.note
    overlap.check_everything()
    if note.shape == "interval":
        if note.kind not in {"integer", "real"}:
            _label_numbers(note.name, note.kind, ())
        return np.array(
            [_of_interval(overlap, r, _spans(overlap, condition), power) for r in overlap.regions]
        )
    if note.shape == "tree" and overlap.tree is None:
        return np.array(overlap.by_label(lambda region: _of_made(overlap, region, condition, power)))
    known = shown_values(overlap) if overlap.tree is None else list(overlap.tree.leaves)
    number = dict(zip(known, value_weights(note, known, power).tolist(), strict=True))
    wanted = wanted_values(overlap, condition)
    found = []
    for region in overlap.regions:
        members = overlap.members(region)
        inside = [number[x] for x in members if x is not None and x in wanted]
        found.append(sum(inside) / len(members))
    return np.array(found)


def shown_values(overlap: Overlap) -> list[str | None]:
    """Every value a region of a column of sets may stand for, in order."""
    values = overlap.universe.union(*(region.values for region in overlap.regions))
    return sorted(values, key=lambda value: (value is None, value or ""))


def wanted_values(overlap: Overlap, condition: Any) -> set[str | None] | frozenset[str | None]:
    """Values of a column of nodes or sets that meet a condition."""
    everything = overlap.universe if overlap.tree is None else frozenset(overlap.tree.leaves)
    if condition is ANYTHING:
        return everything.union(*(region.values for region in overlap.regions if region.what == "values"))
    between = overlap.between(condition)
    return as_values(condition, overlap.note.name) if between is None else overlap.values_between(between)


def _spans(overlap: Overlap, condition: Any) -> list[tuple[float, float]]:
    """Stretches of an axis that meet a condition."""
    if condition is ANYTHING:
        return [(-_INFINITY, _INFINITY)]
    if is_range(condition):
        low, high = (place_on(overlap.note, end) for end in condition)
        return [(low, high)]
    values = as_values(condition, overlap.note.name)
    return [(x, x) for x in {place_on(overlap.note, value) for value in values if value is not None}]


def _of_interval(overlap: Overlap, region: Region, spans: list[tuple[float, float]], power: int) -> float:
    """What an interval adds."""
    first, last = overlap.ends(region)
    return sum(stretch_part(first, last, overlap.step, low, high, power) for low, high in spans)


def made_ends(overlap: Overlap, region: Region, *, days: bool) -> tuple[float, float, float]:
    """Read the ends and the step of a node of a hierarchy made by a rule from its label; `TableError` when it does not say.

    The region of the missing value has its last end before its first.
    """
    if region.what == "values":
        return np.inf, -np.inf, 0.0
    label = str(next(iter(region.values)))
    stretch = read_stretch(label, days=days)
    if stretch is None:
        raise overlap.untold(label)
    return float(stretch.low), float(stretch.high), float(stretch.step)


def _of_made(overlap: Overlap, region: Region, condition: Any, power: int) -> float:
    """What a node of a hierarchy made by a rule adds, as far as its label tells."""
    if region.what == "values":
        return 0.0
    label = str(next(iter(region.values)))
    if overlap.note.kind != "hierarchical" or read_stretch(label, days=False) is None:
        raise TableError(
            f"column {overlap.note.name!r}: {quoted(label)} does not say which numbers it stands for, so it has no sum"
        )
    ends = made_ends(overlap, region, days=False)
    between = None if condition is ANYTHING else range_of(condition)
    if condition is ANYTHING:
        return stretch_part(*ends, -_INFINITY, _INFINITY, power)
    if between is not None:
        return stretch_part(*ends, float(between.low), float(between.high), power)
    values = as_values(condition, overlap.note.name)
    under = stretches_under(label, values)
    if under is None:
        raise overlap.untold(label)
    parts = [(-_INFINITY, _INFINITY)] if under.whole else under.parts
    return sum(stretch_part(*ends, float(low), float(high), power) for low, high in parts)
