"""Who is believed alike: complete linkage on the distinct distributions, cut where no two of a cluster are further apart.

The first phase of every algorithm of hierarchical anonymization (Amiri et al. 2016, section 3.3). Multiplicities and equal
distributions do not change complete linkage, so distinct ones are joined; they are in ascending order, so the order of records
says nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.divergence import BITS, ERROR, in_bits, jensen_shannon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.knowledge import Distributions


MOST_JOINED = 20_000
"""Distributions of which all distances are kept: 1.6 gigabytes of them."""


@lru_cache(maxsize=8)
def clusters_of(distributions: Distributions, j: Fraction, base: Fraction | None = BITS) -> NDArray[np.int64]:
    """(c,) Cluster of each distribution, from 0: no two of one are further apart than ``j``; ``base`` of the logarithms, None: e.

    Those of complete linkage; of more than `MOST_JOINED` distributions those of leaders, each of whom stands for all within r of
    them by the square root of the divergence, which is a metric. Leaders are joined up to (√j - 2r)², so that ``j`` holds of
    everybody they stand for, and some are kept apart that might share a cluster.
    """
    if distributions.count <= MOST_JOINED:
        return dendrogram_of(distributions).cut(j, base)
    from likeness.kernels.beliefs import entropies, lead

    shares = distributions.shares
    negative, reach = entropies(shares), math.sqrt(in_bits(j, base))
    for part in (16, 8, 4, 2):
        radius = max(0.0, reach / part - ERROR)
        leader, of = lead(shares, negative, radius, MOST_JOINED)
        if leader.size <= MOST_JOINED:
            left = Fraction(max(0.0, reach - 2 * radius - ERROR)) ** 2
            return np.asarray(Dendrogram.of(distributions.rows[leader]).cut(left)[of])
    # Each stands for those within half of j, and none are joined.
    return np.asarray(lead(shares, negative, radius, distributions.count)[1])


@lru_cache(maxsize=4)
def dendrogram_of(distributions: Distributions) -> Dendrogram:
    """Join distributions once, however often they are asked for."""
    return Dendrogram.of(distributions.rows)


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """How c distributions join, always the two clusters whose farthest members are nearest.

    ``rows``: (c, m) int64, the distributions (`likeness.microdata.knowledge.Distributions`).
    ``one``, ``other``: (c - 1,) numbers of the clusters that join, the joined one keeping the lower; ``height``: (c - 1,)
    largest divergence of two members, in bits. Parts come before the whole; heights are in the order of joining.
    """

    rows: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]
    height: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.int64]) -> Dendrogram:
        """Join distinct distributions, given as whole numbers of one sum."""
        from likeness.kernels.beliefs import complete_linkage, divergences, entropies

        shares = rows / rows[0].sum()
        joined = complete_linkage(divergences(shares, entropies(shares)), rows.shape[0])
        # Chains of nearest neighbours find joins out of order; a stable order of heights keeps parts before the whole.
        order = np.argsort(joined[2], kind="stable")
        return cls(rows, *(found[order] for found in joined))

    def cut(self, j: Fraction, base: Fraction | None = BITS) -> NDArray[np.int64]:
        """(c,) Cluster of each distribution, from 0 in order of their first: no two of one are further apart than ``j``.

        ``base`` of the logarithms, None: e. Decided exactly where floats are too near to tell.
        """
        from likeness.kernels.beliefs import entropies

        cluster = np.arange(self.rows.shape[0])
        members: dict[int, list[int]] = {i: [i] for i in range(self.rows.shape[0])}
        shares = self.rows / self.rows[0].sum()
        negative = entropies(shares)
        limit, closed = in_bits(j, base), set[int]()
        for one, other, height in zip(
            self.one.tolist(), self.other.tolist(), self.height.tolist(), strict=True
        ):
            if one in closed or other in closed or height > limit + ERROR:
                closed.add(one)
                continue
            if height > limit - ERROR and not self._within(
                (members[one], members[other]), shares, negative, j, base
            ):
                closed.add(one)
                continue
            members[one] += members.pop(other)
        for number, own in members.items():
            cluster[own] = number
        return np.unique(cluster, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def _within(
        self,
        clusters: tuple[list[int], list[int]],
        shares: NDArray[np.float64],
        negative: NDArray[np.float64],
        j: Fraction,
        base: Fraction | None,
    ) -> bool:
        """Decide exactly whether no member of one cluster is further than ``j`` from one of the other."""
        from likeness.kernels.beliefs import divergence

        limit = in_bits(j, base) - ERROR
        left, right = clusters
        return all(
            jensen_shannon(self.rows[a].tolist(), self.rows[b].tolist(), base).at_most(j)
            for a in left
            for b in right
            if divergence(shares, negative, a, b) > limit
        )
