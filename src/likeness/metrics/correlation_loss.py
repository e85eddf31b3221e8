"""What a release loses of how columns depend on each other, as normalized mutual information (Kvålseth 1987)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.errors import PolicyError, Refusal
from likeness.metrics.base import Metric
from likeness.metrics.marginals import BINS, compare, grouped, grouped_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.metrics.marginals import Compared

MOST_CELLS = 1 << 24
"""Of the table of two columns: 128 MB."""


@dataclass(frozen=True)
class CorrelationLoss(Metric):
    """By how much dependence between columns is estimated otherwise than it is, on average over all pairs of columns.

    Of two columns A and B, quasi-identifiers or sensitive, the change of ``I(A; B) / min(H(A), H(B))`` from the original to
    what is estimated from the release: the mutual information as a part of the most that it can be, 0 where the columns are
    independent, 1 where one of them tells the other. The mean over all pairs, each weighted by the product of its columns'
    weights.

    Parameters
    ----------
    bins
        Numbers, days and ordered values of which a column has more than so many are compared in at most so many groups of
        neighbours, with about as many records in each.

    Notes
    -----
    Estimates are those of queries about two columns: within a generalized class its columns are independent and spread evenly
    over their regions, sensitive values of anatomized records over their bucket, and perturbed values are reconstructed, where
    numbers below 0 count as 0. An estimate between two numbers that occur counts for the nearer one. A column of one value, and
    every column of a release of nothing, depends on none. The missing value is a value like others. Where survey weights were
    published, people are counted. Dependence by chance counts as dependence: in tables of few records for their values all pairs
    seem to depend on each other.

    References
    ----------
    Kvålseth 1987.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> round(CorrelationLoss().measure(mini_table()), 6)
    0.443761
    """

    bins: int = BINS

    name: ClassVar[str] = "correlation-loss"
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to 1: 0 where every two columns are as dependent as they were, 1 where all were wholly dependent and none is"
    )
    withheld: ClassVar[str] = "Left out: what is published is compared with all records."

    def __post_init__(self) -> None:
        whole(self.name, "bins", self.bins, at_least=2)

    def measure(self, evaluation: Evaluation) -> float:
        """Average over all pairs of columns; 0 where there is no pair.

        Raises
        ------
        PolicyError
            When two columns have too many pairs of values, or the release does not say enough.
        """
        shown = compare(self.name, evaluation, self.bins, sensitive=True)
        pairs = list(combinations(shown.columns, 2))
        self._check(shown, pairs)
        weights = [
            shown.columns[one].domain.weight * shown.columns[other].domain.weight for one, other in pairs
        ]
        total = fsum(weights)
        if total <= 0:
            return 0.0
        changes = [
            abs(dependence(shown.original_counts(*pair)) - dependence(shown.published_counts(*pair)))
            for pair in pairs
        ]
        return min(1.0, fsum(w * x for w, x in zip(weights, changes, strict=True)) / total)

    def _check(self, shown: Compared, pairs: list[tuple[str, str]]) -> None:
        """Refuse tables that do not fit the memory."""
        for one, other in pairs:
            rows, columns = (shown.columns[name].size for name in (one, other))
            if rows * columns > MOST_CELLS:
                what = f"{one!r} and {other!r} have {rows:,} and {columns:,} values; at most {MOST_CELLS:,} pairs are compared"
                raise PolicyError(Refusal(what, (self.name,), remedy="leave this metric out"))

    def details(self, evaluation: Evaluation) -> Mapping[str, float]:
        """Say how many columns were compared in groups of values: ``grouped``."""
        return grouped(compare(self.name, evaluation, self.bins, sensitive=True))

    def note(self, details: Mapping[str, float]) -> str:
        """Say that columns were compared in groups of values, where they were."""
        return grouped_note(details, self.bins)


def dependence(counts: NDArray[np.float64]) -> float:
    """Mutual information over the smaller entropy of two columns, from the (D, D') records of every pair of values.

    >>> dependence(np.array([[2.0, 0.0], [0.0, 2.0]])), dependence(np.array([[1.0, 1.0], [1.0, 1.0]]))
    (1.0, 0.0)
    """
    margins = [counts.sum(axis=axis) for axis in (1, 0)]
    if min(np.count_nonzero(own) for own in margins) < 2:
        return 0.0
    rows, columns = np.nonzero(counts)
    total = float(margins[0].sum())
    own = counts[rows, columns] / total
    apart = (margins[0] / total)[rows] * (margins[1] / total)[columns]
    information = fsum((own * np.log2(own / apart)).tolist())
    return min(1.0, max(0.0, information / min(_entropy(margin / total) for margin in margins)))


def _entropy(shares: NDArray[np.float64]) -> float:
    """Entropy in bits."""
    some = shares[shares > 0]
    return -fsum((some * np.log2(some)).tolist())
