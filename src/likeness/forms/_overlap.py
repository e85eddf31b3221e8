"""How much of each published region a condition covers, when records are spread evenly over their region (spec 5.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._columns import ColumnNote
from likeness.forms._regions import Region, hierarchy_of, position
from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain


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
        self.tree = hierarchy_of(note)
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
        self._check_everything()
        if is_range(condition) and self.note.shape == "interval":
            low, high = (_place(self.note, as_text(end)) for end in condition)
            return np.array([self._interval_share(region, low, high) for region in self.regions])
        values = as_values(condition, self.note.name)
        if self.note.shape == "interval":
            points = {_place(self.note, value) for value in values if value is not None}
            missing = np.array([float(None in values and None in r.values) for r in self.regions])
            return missing + [sum(self._interval_share(r, x, x) for x in points) for r in self.regions]
        if self.note.shape == "tree":
            return np.array([self._node_share(region, values) for region in self.regions])
        return np.array([self._set_share(region, values) for region in self.regions])

    def _check_everything(self) -> None:
        """Refuse to guess what ``*`` stands for."""
        unknown = {
            "interval": not np.isfinite(self.low),
            "tree": self.tree is None,
            "set": not self.universe,
        }[self.note.shape]
        if unknown and any(region.what == "everything" for region in self.regions):
            raise TableError(
                f"column {self.note.name!r}: what '*' stands for was not published, so nothing can be "
                "estimated over it"
            )

    def contains(self, value: Any) -> NDArray[np.bool_]:
        """(R,) Whether each region may hold a value (None: the missing value)."""
        if value is None:
            return np.array([r.what == "everything" or None in r.values for r in self.regions])
        text = as_text(value)
        if self.note.shape == "interval":
            x = position(self.note, text)
            return np.array(
                [
                    r.what == "everything" or (r.what == "interval" and r.low <= x <= r.high)
                    for r in self.regions
                ]
            )
        if self.note.shape == "tree":
            return np.array([self._node_contains(region, text) for region in self.regions])
        return np.array([r.what == "everything" or text in r.values for r in self.regions])

    def _interval_share(self, region: Region, low: float, high: float) -> float:
        """Share of an interval, in values for whole numbers, days and ranks, in length for reals."""
        if region.what not in {"interval", "everything"}:
            return 0.0
        first, last = (
            (self.low, self.high) if region.what == "everything" else (float(region.low), float(region.high))
        )
        step = 0.0 if self.note.kind == "real" else 1.0
        inside = min(last, high) - max(first, low) + step
        if first == last:
            return float(low <= first <= high)
        return max(0.0, inside) / (last - first + step)

    def _node_share(self, region: Region, values: set[str | None]) -> float:
        """Share of a hierarchy node's leaves."""
        if region.what == "everything" and self.tree is not None:
            first, last = 0, self.tree.size - 1
        elif region.what == "node" and self.tree is not None:
            first, last = region.low, region.high
        elif region.what == "values":
            return float(None in values)
        else:
            label = next(iter(region.values), None)
            if label in values:
                return 1.0
            raise TableError(
                f"column {self.note.name!r}: its hierarchy was made from the data and is not published; "
                "only the steward can estimate over it"
            )
        leaves = self.tree.leaves[first : last + 1]
        return sum(leaf in values for leaf in leaves) / len(leaves)

    def _node_contains(self, region: Region, value: str) -> bool:
        """Whether a node may hold a leaf."""
        if region.what == "everything":
            return True
        if region.what == "values":
            return False
        if self.tree is None:
            return value in region.values
        return value in self.tree.rank_of and region.low <= self.tree.rank_of[value] <= region.high

    def _set_share(self, region: Region, values: set[str | None]) -> float:
        """Share of a value set."""
        members = self.universe if region.what == "everything" else region.values
        return sum(member in values for member in members) / len(members)


def condition_shares(domain: Domain, condition: Any) -> NDArray[np.float64]:
    """(codes,) 1 for every value of an exactly published column that meets a condition, else 0.

    Raises
    ------
    TableError
        When the condition does not suit the column.
    """
    if is_range(condition) and domain.shape == "interval":
        low, high = (_place(_axis(domain), as_text(end)) for end in condition)
        own = (domain.numbers >= low) & (domain.numbers <= high)
        return np.append(own, np.zeros(int(domain.missing))).astype(np.float64)
    values = as_values(condition, domain.name)
    if domain.kind in NUMERIC and domain.shape == "interval":
        own = np.isin(domain.numbers, [_place(_axis(domain), value) for value in values if value is not None])
    else:
        own = np.array([label in values for label in domain.labels], np.bool_)
    return np.append(own, np.full(int(domain.missing), None in values)).astype(np.float64)


def _axis(domain: Domain) -> ColumnNote:
    """Note on the axis of a domain."""
    order = tuple(domain.labels) if domain.kind == "ordered" else None
    return ColumnNote(domain.name, "quasi", domain.kind, "interval", order=order)


def _place(note: ColumnNote, text: str) -> float:
    """Place a value of a condition, which need not be one of the column's, on its axis."""
    # A condition on whole numbers may still say 30.5, or 30.0.
    return float(position(replace(note, kind="real") if note.kind == "integer" else note, text))


def is_range(condition: Any) -> bool:
    """Whether a condition is a pair (low, high), for columns that have an order."""
    return isinstance(condition, tuple) and len(condition) == 2


def as_text(value: Any) -> str:
    """Write a value of a condition as a release writes it.

    Examples
    --------
    >>> as_text(True), as_text(30)
    ('true', '30')
    """
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
            f"column {column!r}: a condition is a pair (low, high) or a collection of values; got {condition!r}"
        )
    return {None if value is None else as_text(value) for value in condition}
