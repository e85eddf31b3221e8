"""Kullback-Leibler divergence of the quasi-identifiers' distributions (Kullback & Leibler 1951)."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number, whole
from likeness.errors import PolicyError, Refusal
from likeness.metrics.base import Metric
from likeness.metrics.marginals import BINS, compare, grouped, grouped_note, weighted_mean
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.metrics.marginals import ColumnCells


@dataclass(frozen=True)
class KlDivergence(Metric):
    """Bits that an analyst loses per record who takes the estimated shares of values for the true ones.

    Of every quasi-identifier ``Σ_a p_a log₂(p_a / q_a)``, where p are the shares of its values in the original and q those that
    are estimated from what was published; the mean over the quasi-identifiers, by their weights.

    Parameters
    ----------
    smoothing
        Records that are added to every value on both sides, such as 0.5; 0 by default. Without any, the divergence is infinite,
        and is not measured, where a value of the original is nowhere in the release.
    bins
        Numbers, days and ordered values of which a column has more than so many are compared in at most so many groups of
        neighbours, with about as many records in each.

    Notes
    -----
    Estimates are those of queries: generalized records are spread evenly over their region; an estimate between two numbers
    that occur counts for the nearer one. The missing value is a value like others. Where survey weights were published, shares
    are of people, and what is added is people.

    References
    ----------
    Kullback & Leibler 1951; Kifer & Gehrke 2006, who compare releases by it.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> {name: round(value, 5) for name, value in KlDivergence().by_attribute(mini_table()).items()}
    {'age': 0.03625, 'sex': 0.03258}
    """

    smoothing: float = 0.0
    bins: int = BINS

    name: ClassVar[str] = "kl-divergence"
    range: ClassVar[str] = "0 to ∞: 0 where every value has the share that it had"
    withheld: ClassVar[str] = (
        "Left out: shares of what is published are compared with those of all records; infinite where all of a value are."
    )

    def __post_init__(self) -> None:
        number(self.name, "smoothing", self.smoothing, at_least=0)
        whole(self.name, "bins", self.bins, at_least=2)

    def measure(self, evaluation: Evaluation) -> float:
        """Average over the quasi-identifiers.

        Raises
        ------
        PolicyError
            Where it is infinite: says which value of which column is missing in the release.
        """
        return weighted_mean(evaluation, self.by_attribute(evaluation))

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Measure each quasi-identifier by itself; raises as `measure`."""
        added = float(number(self.name, "smoothing", self.smoothing, at_least=0))
        shown = compare(self.name, evaluation, self.bins)
        found, infinite = {}, []
        for name, cells in shown.columns.items():
            before, after = shown.original_counts(name) + added, shown.published_counts(name) + added
            lost = np.flatnonzero((before > 0) & (after <= 0))
            if lost.size:
                infinite.append(self._infinite(cells, lost))
            else:
                found[name] = divergence(before, after)
        if infinite:
            raise PolicyError(*infinite)
        return found

    def _infinite(self, cells: ColumnCells, lost: NDArray[np.int64]) -> Refusal:
        """Say why there is no number."""
        first, others = int(lost[0]), lost.size - 1
        records = count(int(cells.counts[first]), "record")
        more = f", and {count(others, 'other value')} likewise" if others else ""
        return Refusal(
            f"has {cells.name_of(first)} in {records} of the original and in none of the release, as estimated{more}, so the "
            "divergence is infinite",
            (self.name,),
            column=cells.domain.name,
            remedy="set smoothing: 0.5 to add half a record to every value on both sides, or leave this metric out",
        )

    def details(self, evaluation: Evaluation) -> Mapping[str, float]:
        """Say how many columns were compared in groups of values: ``grouped``."""
        return grouped(compare(self.name, evaluation, self.bins))

    def note(self, details: Mapping[str, float]) -> str:
        """Say that columns were compared in groups of values, where they were."""
        return grouped_note(details, self.bins)


def divergence(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Divergence of distributions that are in proportion to numbers, in bits; the second is nowhere 0 where the first is not.

    >>> round(divergence(np.array([4.0, 6.0]), np.array([5.0, 5.0])), 6)
    0.029049
    """
    some = before > 0
    if not some.any():
        return 0.0
    p, q = before[some] / before.sum(), after[some] / after.sum()
    # Rounding may leave less than nothing of distributions that are equal.
    return max(0.0, fsum((p * np.log2(p / q)).tolist()))
