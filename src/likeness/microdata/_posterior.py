"""How far a published value raises confidence in an original one, exactly.

Floats, with a bound on their error, decide what is far from equality; integers decide the rest.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real


class _Confidence:
    """Confidence ``Σ_{i in g} n_i N[v, i] / Σ_j n_j N[v, j]`` in group g after seeing v."""

    def __init__(
        self, counts: NDArray[np.int64], numerators: NDArray[np.int64], group: NDArray[np.int64] | None
    ) -> None:
        self._counts, self._numerators = counts, numerators
        self.groups = counts.shape[0] if group is None else int(group.max(initial=-1)) + 1
        of = np.arange(counts.shape[0]) if group is None else group
        self._members = [np.flatnonzero(of == g) for g in range(self.groups)] if group is not None else None
        joint = numerators.astype(np.float64) * counts.astype(np.float64)
        totals = joint.sum(axis=1)
        # A row that nothing leads to is never published.
        self.rows = np.flatnonzero(totals > 0)
        if self._members is not None:
            joint = np.stack([joint[:, own].sum(axis=1) for own in self._members], axis=1)
        self.rough = joint[self.rows] / totals[self.rows, None]
        # Sums of m non-negative products: relative error below (m + 4) units of rounding each.
        self.error = (2 * counts.shape[0] + 16) * 2.0**-53
        self._totals: dict[int, int] = {}

    def exact(self, rows: NDArray[np.int64], g: int) -> Fraction:
        """Largest confidence in g over some rows (positions in `rows`)."""
        if self._members is None:
            parts = [int(n) for n in self._numerators[self.rows[rows], g]]
            weight = int(self._counts[g])
            above = [part * weight for part in parts]
        else:
            own = self._members[g]
            block = self._numerators[np.ix_(self.rows[rows], own)].astype(object)
            above = (block @ self._counts[own].astype(object)).tolist()
        least: dict[int, int] = {}
        for row, part in zip(self.rows[rows].tolist(), above, strict=True):
            total = self._total(row)
            least[part] = min(total, least.get(part, total))
        return max((Fraction(part, total) for part, total in least.items()), default=Fraction(0))

    def _total(self, row: int) -> int:
        if row not in self._totals:
            terms = zip(self._counts.tolist(), self._numerators[row].tolist(), strict=True)
            self._totals[row] = sum(n * part for n, part in terms)
        return self._totals[row]


def holds(
    counts: NDArray[np.int64],
    numerators: NDArray[np.int64],
    limits: Sequence[Real],
    group: NDArray[np.int64] | None,
) -> NDArray[np.bool_]:
    """Decide for every value or group whether confidence in it stays within its limit."""
    confidence = _Confidence(counts, numerators, group)
    good = np.zeros(confidence.groups, np.bool_)
    for g in range(confidence.groups):
        low, high = limits[g].enclose(30)
        rough = confidence.rough[:, g]
        most = float(rough.max(initial=0.0))
        if most * (1 + confidence.error) <= float(low) * (1 - 2.0**-50):
            good[g] = True
        elif most * (1 - confidence.error) <= float(high) * (1 + 2.0**-50):
            good[g] = limits[g].at_least(confidence.exact(_near_the_top(rough, confidence.error), g))
    return good


def largest(
    counts: NDArray[np.int64], numerators: NDArray[np.int64], group: NDArray[np.int64] | None
) -> list[Fraction]:
    """Find the largest confidence in every value or group, exactly."""
    confidence = _Confidence(counts, numerators, group)
    return [
        confidence.exact(_near_the_top(confidence.rough[:, g], confidence.error), g)
        for g in range(confidence.groups)
    ]


def _near_the_top(rough: NDArray[np.float64], error: float) -> NDArray[np.int64]:
    """Rows that may have the largest confidence."""
    return np.flatnonzero(rough >= rough.max(initial=0.0) * (1 - 4 * error))
