"""How much of each published region a condition covers, when records are spread evenly over their region (spec 5.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._columns import ColumnNote
from likeness.forms._regions import Region, position
from likeness.forms._stretches import Range, place, read_range, read_stretch, stands_for, stretch_part
from likeness.microdata.domain import NUMERIC
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain

_PUBLISH_TREE = (
    "ask without the column; whoever publishes can give its hierarchy as a file of all codes instead of a rule (prefix, dates, "
    "intervals): a file is published with the release, and then every code can be asked for"
)


class Overlap:
    """The regions of one published column, ready for conditions.

    Parameters
    ----------
    note
        What the certificate says about the column.
    regions
        Its distinct regions.
    """

    def __init__(self, note: ColumnNote, regions: Sequence[Region]) -> None:
        self.note = note
        self.regions = regions
        self.tree = note.tree
        ends = [(r.low, r.high) for r in regions if r.what == "interval"]
        # What "*" may stand for: the declared domain, else all that was published.
        self.low = note.low if note.low is not None else float(min((low for low, _ in ends), default=np.nan))
        self.high = (
            note.high if note.high is not None else float(max((high for _, high in ends), default=np.nan))
        )
        if note.order is not None:
            self.low, self.high = 0.0, len(note.order) - 1.0
        members = frozenset().union(*(r.values for r in regions if r.what == "values"))
        self.universe: frozenset[str | None] = members if note.values is None else frozenset(note.values)

    def shares(self, condition: Any) -> NDArray[np.float64]:
        """(R,) Share of each region that meets a condition.

        Raises
        ------
        TableError
            When the condition does not suit the column, or nobody was told what a region stands for.
        """
        self.check_everything()
        if is_range(condition) and self.note.shape == "interval":
            low, high = (place_on(self.note, end) for end in condition)
            return np.array([self._interval_share(region, low, high) for region in self.regions])
        between = self.between(condition)
        if between is not None and self.note.shape == "tree" and self.tree is None:
            return np.array([self._made_share(region, between) for region in self.regions])
        values = as_values(condition, self.note.name) if between is None else self.values_between(between)
        if self.note.shape == "interval":
            points = {_place(self.note, value) for value in values if value is not None}
            missing = np.array([float(None in values and None in r.values) for r in self.regions])
            return missing + [sum(self._interval_share(r, x, x) for x in points) for r in self.regions]
        if self.note.shape == "tree":
            return np.array([self._node_share(region, values) for region in self.regions])
        return np.array([self._set_share(region, values) for region in self.regions])

    def between(self, condition: Any) -> Range | None:
        """Take a pair of numbers or days as a range also of a column that is published in nodes or sets."""
        return range_of(condition) if self.note.shape != "interval" else None

    def values_between(self, between: Range) -> set[str | None]:
        """Values of a column of nodes or sets that lie in a range."""
        shown = {value for region in self.regions for value in region.values}
        known = self.tree.leaves if self.tree is not None else shown | self.universe
        return {value for value in known if between.holds(value)}

    def check_everything(self) -> None:
        """Refuse to guess what ``*`` stands for."""
        unknown = {
            "interval": not np.isfinite(self.low),
            "tree": self.tree is None,
            "set": not self.universe,
        }[self.note.shape]
        if unknown and any(region.what == "everything" for region in self.regions):
            remedy = (
                _PUBLISH_TREE
                if self.note.shape == "tree"
                else "ask without the column, or have it published again with its domain, such as domain: [0, 110]"
                if self.note.kind in {"integer", "real"}
                else "ask without the column, or have it published again with its domain, the list of its values"
                if self.note.kind != "date"
                else "ask without the column, or have it published again with its domain, the first and last day"
            )
            raise TableError(
                f"column {self.note.name!r}: what '*' stands for was not published, so nothing can be "
                f"estimated over it; {remedy}"
            )

    def contains(self, value: Any) -> NDArray[np.bool_]:
        """(R,) Whether each region may hold a value (None: the missing value)."""
        if self.note.shape == "set":
            text = None if value is None else as_text(value)
            # Without the note's word on it, "*" may stand for anything.
            anything = self.note.values is None or text in self.universe
            return np.array(
                [anything if r.what == "everything" else text in r.values for r in self.regions], np.bool_
            )
        if value is None:
            return np.array([r.what == "everything" or None in r.values for r in self.regions], np.bool_)
        text = as_text(value)
        if self.note.shape == "interval":
            x = position(self.note, text)
            return np.array(
                [
                    r.what == "everything" or (r.what == "interval" and r.low <= x <= r.high)
                    for r in self.regions
                ],
                np.bool_,
            )
        return np.array([self._node_contains(region, text) for region in self.regions], np.bool_)

    def _interval_share(self, region: Region, low: float, high: float) -> float:
        """Share of an interval, in values for whole numbers, days and ranks, in length for reals."""
        first, last = self.ends(region)
        return stretch_part(first, last, self.step, low, high)

    @property
    def step(self) -> float:
        """0 on an axis of reals, 1 on those of whole numbers, days and ranks."""
        return 0.0 if self.note.kind == "real" else 1.0

    def ends(self, region: Region) -> tuple[float, float]:
        """Ends of an interval; the last before the first where there is none."""
        if region.what == "everything":
            return self.low, self.high
        if region.what == "interval":
            return float(region.low), float(region.high)
        return np.inf, -np.inf

    def _node_share(self, region: Region, values: set[str | None]) -> float:
        """Share of a hierarchy node's leaves."""
        if self.tree is None and region.what != "values":
            return self._made_share(region, values)
        return self._set_share(region, values)

    def members(self, region: Region) -> Collection[str | None]:
        """Values a region of nodes or sets stands for: leaves below the node, members of the set."""
        if self.tree is None or region.what == "values":
            return self.universe if region.what == "everything" else region.values
        if region.what == "everything":
            return self.tree.leaves
        return self.tree.leaves[region.low : region.high + 1]

    def _made_share(self, region: Region, condition: set[str | None] | Range) -> float:
        """Share of a node of a hierarchy made by a rule, as far as its label tells."""
        if region.what == "values":
            return float(not isinstance(condition, Range) and None in condition)
        label = str(next(iter(region.values)))
        if isinstance(condition, Range):
            stretch = read_stretch(label, days=condition.days)
            if stretch is not None:
                return stretch.share(condition.low, condition.high)
        elif label in condition:
            return 1.0
        else:
            inside = [value for value in condition if value is not None and stands_for(label, value)]
            if not inside:
                return 0.0
            days, _ = place(inside[0]) or (False, None)
            stretch = read_stretch(label, days=days)
            if stretch is not None:
                points = {found[1] for value in inside if (found := place(value)) is not None}
                return sum(stretch.share(point, point) for point in points)
        raise self.untold(label)

    def untold(self, label: str) -> TableError:
        """Say that nobody was told what lies below a node."""
        return TableError(
            f"column {self.note.name!r}: how many values {quoted(label)} stands for is not published, so no part of it can be "
            f"estimated; name whole nodes, such as {{{quoted(label)}}}, or {_PUBLISH_TREE}"
        )

    def _node_contains(self, region: Region, value: str) -> bool:
        """Whether a node may hold a leaf."""
        if region.what == "everything":
            return True
        if region.what == "values":
            return False
        if self.tree is None:
            return stands_for(str(next(iter(region.values))), value)
        return value in self.tree.rank_of and region.low <= self.tree.rank_of[value] <= region.high

    def _set_share(self, region: Region, values: set[str | None]) -> float:
        """Share of a value set."""
        members = self.members(region)
        return sum(member in values for member in members) / len(members)


def condition_shares(domain: Domain, condition: Any) -> NDArray[np.float64]:
    """(codes,) 1 for every value of an exactly published column that meets a condition, else 0.

    Raises
    ------
    TableError
        When the condition does not suit the column.
    """
    if is_range(condition) and domain.shape == "interval":
        low, high = (_place(axis_of(domain), as_text(end)) for end in condition)
        own = (domain.numbers >= low) & (domain.numbers <= high)
        return np.append(own, np.zeros(int(domain.missing))).astype(np.float64)
    between = range_of(condition) if domain.shape != "interval" else None
    if between is not None:
        values: set[str | None] = {label for label in domain.labels if between.holds(label)}
    else:
        values = as_values(condition, domain.name)
    if domain.kind in NUMERIC and domain.shape == "interval":
        own = np.isin(
            domain.numbers, [_place(axis_of(domain), value) for value in values if value is not None]
        )
    else:
        own = np.array([label in values for label in domain.labels], np.bool_)
    return np.append(own, np.full(int(domain.missing), None in values)).astype(np.float64)


def axis_of(domain: Domain) -> ColumnNote:
    """Note on the axis of a domain."""
    order = tuple(domain.labels) if domain.kind == "ordered" else None
    return ColumnNote(domain.name, "quasi", domain.kind, "interval", order=order)


def _place(note: ColumnNote, text: str) -> float:
    """Place a value of a condition, which need not be one of the column's, on its axis."""
    if note.kind in {"integer", "real"} and text in {"inf", "-inf"}:
        return float(text)
    # A condition on whole numbers may still say 30.5, or 30.0.
    return float(position(replace(note, kind="real") if note.kind == "integer" else note, text))


def place_on(note: ColumnNote, value: Any) -> float:
    """Place a value of a condition on the axis of a column."""
    return _place(note, as_text(value))


def is_range(condition: Any) -> bool:
    """Whether a condition is a pair (low, high), for columns that have an order."""
    return isinstance(condition, tuple) and len(condition) == 2


def range_of(condition: Any) -> Range | None:
    """Take a pair of numbers or days as a range; None for anything else."""
    return (
        read_range(condition, (as_text(condition[0]), as_text(condition[1]))) if is_range(condition) else None
    )


def as_text(value: Any) -> str:
    """Write a value of a condition as a release writes it; midnights are days.

    Examples
    --------
    >>> from datetime import datetime
    >>> as_text(True), as_text(30), as_text(datetime(2024, 3, 31))
    ('true', '30', '2024-03-31')
    """
    if isinstance(value, np.datetime64) and not np.isnat(value):
        value = value.astype("M8[us]").item()
    if isinstance(value, datetime):
        whole_day = value.time() == time()
        return value.date().isoformat() if whole_day else value.isoformat()
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def as_values(condition: Any, column: str) -> set[str | None]:
    """Take a condition as a collection of values; None is the missing value.

    Raises
    ------
    TableError
        When it is none.

    Examples
    --------
    >>> as_values([30], "age")
    {'30'}
    """
    if isinstance(condition, str) or not hasattr(condition, "__iter__"):
        raise TableError(
            f"column {column!r}: a condition is a pair (low, high) or a collection of values; got {quoted(condition)}"
        )
    # Most values are texts already, and workloads have very many.
    return {value if value is None or type(value) is str else as_text(value) for value in condition}
