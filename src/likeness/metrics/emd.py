"""Earth mover's distance of the quasi-identifiers' distributions (Amiri et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.metrics.base import Metric
from likeness.metrics.marginals import BINS, compare, grouped, grouped_note, weighted_mean
from likeness.models.base import SensitiveAttribute
from likeness.models.earth_movers import transport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.metrics.marginals import ColumnCells


@dataclass(frozen=True)
class Emd(Metric):
    """How far the shares of values have moved: the earth mover's distance from the original to what an analyst estimates.

    Of every quasi-identifier, the least work that turns the original distribution of its values into that which is estimated
    from what was published. Numbers, days and ordered values are as far apart as their ranks among those of the table, leaves
    of a hierarchy as their lowest common ancestor is high, any two plain values by 1; the largest distance is 1. The mean
    over the quasi-identifiers, by their weights.

    Parameters
    ----------
    bins
        Numbers, days and ordered values of which a column has more than so many are compared in at most so many groups of
        neighbours, with about as many records in each; distances are then those of the groups' ranks.

    Notes
    -----
    Generalized records are spread evenly over their region, as in queries; an estimate between two numbers that occur counts for
    the nearer one. The missing value is at a distance of 1 from all others: where numbers, days or ordered
    values have it, the difference of its shares is added to the distance of the others' shares among themselves, times the
    smaller part that they are of both. Where survey weights were published, shares are of people. Records are counted also
    where people have several.

    References
    ----------
    Amiri et al. 2016, section 5.2, Table 8; Li, Li & Venkatasubramanian 2007, section 5, for the ground distances.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> {name: round(value, 6) for name, value in Emd().by_attribute(mini_table()).items()}
    {'age': 0.021429, 'sex': 0.1}
    """

    bins: int = BINS

    name: ClassVar[str] = "emd"
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to 1: 0 where every value has the share that it had, 1 where all have moved as far as can be"
    )
    withheld: ClassVar[str] = (
        "Left out: shares of what is published are compared with those of all records; 1 where nothing is published."
    )

    def __post_init__(self) -> None:
        whole(self.name, "bins", self.bins, at_least=2)

    def measure(self, evaluation: Evaluation) -> float:
        """Average over the quasi-identifiers."""
        return min(1.0, weighted_mean(evaluation, self.by_attribute(evaluation)))

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Measure each quasi-identifier by itself."""
        found = compare(self.name, evaluation, self.bins)
        return {
            name: _moved(cells, found.original(name), found.published(name))
            for name, cells in found.columns.items()
        }

    def details(self, evaluation: Evaluation) -> Mapping[str, float]:
        """Say how many columns were compared in groups of values: ``grouped``."""
        return grouped(compare(self.name, evaluation, self.bins))

    def note(self, details: Mapping[str, float]) -> str:
        """Say that columns were compared in groups of values, where they were."""
        return grouped_note(details, self.bins)


def _moved(cells: ColumnCells, before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Distance of two distributions over the cells of a column."""
    domain = cells.domain
    if not after.any():
        return 1.0
    if domain.kind == "hierarchical" or domain.shape == "tree":
        return _work(cells, "hierarchical", before, after)
    if domain.shape != "interval":
        return _work(cells, "equal", before, after)
    if not domain.missing:
        return _work(cells, "ordered", before, after)
    gone, parts = abs(float(before[-1] - after[-1])), (1 - float(before[-1]), 1 - float(after[-1]))
    if min(parts) <= 0:
        return gone
    inside = _work(cells, "ordered", before[:-1] / parts[0], after[:-1] / parts[1])
    return min(1.0, gone + min(parts) * inside)


def _work(
    cells: ColumnCells, distance: str, before: NDArray[np.float64], after: NDArray[np.float64]
) -> float:
    """Work under a ground distance: what crosses each edge of its tree, times the edge's length."""
    domain = replace(cells.domain, shape="tree") if distance == "hierarchical" else cells.domain
    if distance == "ordered":
        domain = replace(domain, missing=False)
    edges = transport(Emd.name, SensitiveAttribute(domain, cells.counts[: before.size]), distance)
    below = np.append(0.0, np.cumsum(after - before))
    crossing = edges.weight * np.abs(below[edges.last + 1] - below[edges.first])
    return min(1.0, fsum(crossing.tolist()) / edges.scale)
