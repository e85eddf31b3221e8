"""Earth mover's distances between a class and the reference distribution, as sums over intervals of values.

All three ground distances are distances in a tree, for which the optimal transport has a closed form: every
edge is crossed by the difference between what the class and the reference hold below it. An edge's values are
an interval of codes, so ``EMD = Σ weight · |q(interval) - p(interval)| / scale`` (spec section 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import PolicyError
from likeness.microdata.domain import NUMERIC
from likeness.models._rounding import times

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models._base import SensitiveAttribute

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, eq=False)
class Transport:
    """A ground distance laid out over the codes of a sensitive attribute.

    Parameters
    ----------
    counts : (m,) int64
        Reference distribution.
    first, last : (k,) int64
        Codes between which each interval lies, both inclusive.
    weight : (k,) int64
        Length of each interval's edge.
    scale
        What makes the largest ground distance 1.
    """

    counts: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    weight: NDArray[np.int64]
    scale: int

    @property
    def total(self) -> int:
        """Number of records of the reference distribution."""
        return int(self.counts.sum())

    @property
    def fits(self) -> bool:
        """Whether sums for classes of the reference's size fit 64 bits."""
        return int(self.weight.sum() + self.scale) * max(1, self.total) ** 2 < 1 << 62

    def work(self, stats: ClassStatistics) -> NDArray[Any]:
        """(E,) Integers: ``EMD · scale · size · total`` of every class."""
        total = self.total
        found: list[NDArray[Any]] = [np.zeros(0, np.int64)]
        for run, held in stats.dense():
            sizes = stats.sizes[run, None]
            extra = times(held, total) - times(self.counts[None, :], sizes)
            if not self.fits:
                extra = extra.astype(object)
            below = np.zeros((extra.shape[0], extra.shape[1] + 1), extra.dtype)
            np.cumsum(extra, axis=1, out=below[:, 1:])
            crossing = np.abs(below[:, self.last + 1] - below[:, self.first])
            found.append((crossing * self.weight).sum(axis=1))
        return np.concatenate(found)


def transport(part: str, attribute: SensitiveAttribute, distance: str | None) -> Transport:
    """Lay out a ground distance.

    Parameters
    ----------
    part
        The model, for messages.
    attribute
        The sensitive attribute.
    distance
        ``equal``, ``ordered`` or ``hierarchical``; None for the one its column declares.

    Raises
    ------
    PolicyError
        When the column has no such distance.
    """
    chosen = distance or attribute.domain.distance
    problem = _problem(attribute.domain, chosen)
    if problem is not None:
        raise PolicyError(f"{part}: {problem}")
    if chosen == "ordered":
        return _ordered(attribute)
    if chosen == "hierarchical":
        return _hierarchical(attribute)
    values = np.arange(len(attribute.counts))
    return Transport(attribute.counts, values, values, np.ones(values.size, np.int64), 2)


def _problem(domain: Domain, distance: str) -> str | None:
    """Say why a column does not have a ground distance, or None."""
    if distance not in DISTANCES:
        return f"distance must be one of {', '.join(DISTANCES)}; got {distance!r}"
    column = f"the sensitive column {domain.name!r}"
    if distance == "ordered" and domain.kind not in NUMERIC | {"ordered"}:
        return f"distance ordered needs numbers, dates or a declared order, and {column} is {domain.kind}"
    if distance == "ordered" and domain.missing:
        return (
            f"distance ordered has no place for the missing values of {column}; "
            "use distance equal, or drop those records (missing: drop)"
        )
    if distance == "hierarchical" and domain.hierarchy is None:
        return f"distance hierarchical needs a hierarchy, and {column} has none"
    if distance == "hierarchical" and domain.shape != "tree":
        return f"distance hierarchical needs kind: hierarchical, and {column} is {domain.kind}"
    return None


def _ordered(attribute: SensitiveAttribute) -> Transport:
    """Neighbours are 1 / (m - 1) apart; m counts the values that occur in the reference."""
    ends = np.flatnonzero(attribute.counts > 0)[:-1]
    return Transport(
        attribute.counts, np.zeros(ends.size, np.int64), ends, np.ones(ends.size, np.int64), max(1, ends.size)
    )


def _hierarchical(attribute: SensitiveAttribute) -> Transport:
    """Values are as far apart as their common ancestor is high, in edges; a missing value hangs below the root."""
    tree = attribute.domain.hierarchy
    assert tree is not None  # noqa: S101  # checked by the caller
    # Of a tree made from the data only the leaves that were published are told, so only they give it its height.
    used = attribute.counts[: tree.size] > 0 if tree.data_derived else np.ones(tree.size, np.bool_)
    heights = tree.heights(used).astype(np.int64)
    below = np.concatenate([[0], np.cumsum(used)])
    nodes = np.arange(1, len(tree.labels))
    nodes = nodes[below[tree.right[nodes] + 1] > below[tree.left[nodes]]]
    first = tree.left[nodes].astype(np.int64)
    last = tree.right[nodes].astype(np.int64)
    weight = heights[tree.parent[nodes]] - heights[nodes]
    height = max(1, int(heights[0]))
    if attribute.domain.missing:
        # In a tree of one leaf, that leaf too comes to lie below the new root.
        alone = np.zeros(int(len(tree.labels) == 1), np.int64)
        code = np.array([attribute.domain.missing_code])
        first = np.concatenate([first, alone, code])
        last = np.concatenate([last, alone, code])
        weight = np.concatenate([weight, np.full(alone.size + 1, height)])
    return Transport(attribute.counts, first, last, weight, 2 * height)
