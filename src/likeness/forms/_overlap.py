"""How much of each published region a condition covers, when records are spread evenly over their region (spec 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._regions import Region, hierarchy_of, position
from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.forms._columns import ColumnNote
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
        self.low = note.low if note.low is not None else float(min((low for low, _ in ends), default=0))
        self.high = note.high if note.high is not None else float(max((high for _, high in ends), default=0))

    def shares(self, condition: Any) -> NDArray[np.float64]:
        """(R,) Share of each region that meets a condition."""
        if isinstance(condition, tuple) and len(condition) == 2 and self.note.shape == "interval":
            low, high = (float(position(self.note, str(end))) for end in condition)
            return np.array([self._interval_share(region, low, high) for region in self.regions])
        values = {str(value) for value in _as_values(condition, self.note.name)}
        if self.note.shape == "interval":
            points = [float(position(self.note, value)) for value in values]
            return np.array([sum(self._interval_share(r, x, x) for x in points) for r in self.regions])
        if self.note.shape == "tree":
            return np.array([self._node_share(region, values) for region in self.regions])
        universe = frozenset().union(*(r.values for r in self.regions if r.what == "values"))
        return np.array([_set_share(region, values, universe) for region in self.regions])

    def contains(self, value: Any) -> NDArray[np.bool_]:
        """(R,) Whether each region may hold a value (None: the missing value)."""
        if value is None:
            return np.array([r.what == "everything" or None in r.values for r in self.regions])
        text = str(value)
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

    def _node_share(self, region: Region, values: set[str]) -> float:
        """Share of a hierarchy node's leaves."""
        if region.what == "everything" and self.tree is not None:
            first, last = 0, self.tree.size - 1
        elif region.what == "node" and self.tree is not None:
            first, last = region.low, region.high
        elif region.what == "values":
            return 0.0
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


def condition_shares(domain: Domain, condition: Any) -> NDArray[np.float64]:
    """(codes,) 1 for every value of an exactly published column that meets a condition, else 0."""
    if isinstance(condition, tuple) and len(condition) == 2 and domain.kind in NUMERIC:
        ends = [
            np.datetime64(end, "D").astype(np.int64) if domain.kind == "date" else end for end in condition
        ]
        own = (domain.numbers >= float(ends[0])) & (domain.numbers <= float(ends[1]))
    else:
        values = {str(value) for value in _as_values(condition, domain.name)}
        own = np.array([label in values for label in domain.labels], np.bool_)
    return np.append(own, np.zeros(int(domain.missing))).astype(np.float64)


def _set_share(region: Region, values: set[str], universe: frozenset[str | None]) -> float:
    """Share of a value set."""
    members = universe if region.what == "everything" else region.values
    return sum(member in values for member in members) / len(members) if members else 0.0


def _as_values(condition: Any, column: str) -> Any:
    """Take a condition as a collection of values."""
    if isinstance(condition, str) or not hasattr(condition, "__iter__"):
        raise TableError(
            f"column {column!r}: a condition is a pair (low, high) or a collection of values; got {condition!r}"
        )
    return condition
