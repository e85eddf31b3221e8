"""What an adversary knows beforehand: for every record a distribution over the values of one sensitive attribute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain

UNIT = 1 << 40
"""Shares are whole multiples of 1 / UNIT, so that equal distributions are equal and every decision is about rationals."""


@dataclass(frozen=True, eq=False)
class Distributions:
    """Distinct distributions over the m values of one sensitive attribute.

    ``rows``: (c, m) int64, ascending; shares as multiples of 1 / `UNIT`, each row sums to it.
    """

    rows: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of distributions."""
        return int(self.rows.shape[0])

    @property
    def values(self) -> int:
        """Number of sensitive values."""
        return int(self.rows.shape[1])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """(c, m) The same as numbers; exact, as 40 bits fit a float."""
        return self.rows / UNIT


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The distributions ω an adversary may know, and which record has which.

    Knowledge of somebody's past differs between people with equal quasi-identifiers, so it is of records and not of tuples.
    It is made once, from all records, and cut with the table (`take`), never made anew: ``distributions`` stay the same, also
    those that nobody has any more.

    ``sensitive``: the attribute it is about, as it is published; ``name``: what a policy calls it, None where it has one only.
    ``labels``: the m values, as they are published; None at the end for the missing value, where there is one.
    ``of``: (n,) int32, the distribution of each record.
    """

    sensitive: str
    labels: tuple[str | None, ...]
    distributions: Distributions
    of: NDArray[np.int32]
    name: str | None = None

    @classmethod
    def from_shares(
        cls, domain: Domain, shares: NDArray[np.float64], of: NDArray[np.int64], name: str | None = None
    ) -> Knowledge:
        """Round shares (u, m), at least 0 and with a positive sum each, to multiples of 1 / `UNIT`; ``of`` (n,) says whose.

        ``domain``: the sensitive attribute.

        What rounding down leaves goes to the values that lost most by it, of equal ones to the first. Rows that are equal then
        are one; those that nobody has are left out.

        >>> from likeness.microdata.domain import Domain
        >>> disease = Domain("disease", "categorical", np.array(["cold", "flu"], object), "set")
        >>> Knowledge.from_shares(disease, np.array([[1.0, 2.0], [0.5, 1.0], [1.0, 0.0]]), np.array([0, 1])).of.tolist()
        [0, 0]
        """
        rows = rounded(shares)
        # Compared as bytes: several times as fast as column by column.
        keys = (
            np.ascontiguousarray(rows)
            .view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))
            .reshape(-1)
        )
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        had, of = np.unique(place.reshape(-1)[of], return_inverse=True)
        distinct = rows[first[had]]
        order = np.lexsort(distinct.T[::-1])
        number = np.empty(order.size, np.int32)
        number[order] = np.arange(order.size, dtype=np.int32)
        labels = tuple(domain.labels_with(None))
        return cls(domain.name, labels, Distributions(distinct[order]), number[of.reshape(-1)], name)

    def share(self, record: int, value: int) -> Fraction:
        """What is believed of one record and value."""
        return Fraction(int(self.distributions.rows[self.of[record], value]), UNIT)

    def take(self, records: NDArray[np.int64]) -> Knowledge:
        """Keep only some records, by position."""
        return replace(self, of=self.of[records])


def rounded(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """(u, m) Shares as multiples of 1 / `UNIT` that sum to exactly 1, summed from the first value to the last."""
    total = np.cumsum(shares, axis=1)[:, -1:]
    scaled = shares / total * UNIT
    down = np.floor(scaled)
    rows = down.astype(np.int64)
    missing = UNIT - rows.sum(axis=1)
    order = np.argsort(down - scaled, axis=1, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(shares.shape[1])[None, :], axis=1)
    # Rounding of the sum itself can leave one too many: then the largest value gives it back.
    over = np.minimum(missing, 0)
    rows[np.arange(rows.shape[0]), rows.argmax(axis=1)] += over
    return np.asarray(rows + (rank < (missing - over)[:, None]))
