"""SABRE's second phase: how many records each class draws from each bucket (the ECTree)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.models._rounding import times

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.methods._sabre_ground import Ground, Span


@dataclass(frozen=True, eq=False)
class Drafts:
    """The leaves of an ECTree; equal ones are kept once.

    Parameters
    ----------
    vectors : (leaves, buckets) int64
        Records drawn from each bucket.
    times : (leaves,) int64
        Number of leaves with this vector.
    """

    vectors: NDArray[np.int64]
    times: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number of leaves: of classes."""
        return int(self.times.sum())

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Lay out the vectors for retrieval: where each begins, its buckets, its records from each."""
        vector, bucket = np.nonzero(self.vectors)
        start = np.searchsorted(vector, np.arange(len(self.vectors) + 1)).astype(np.int64)
        return start, bucket.astype(np.int64), self.vectors[vector, bucket]


def halve(
    sizes: NDArray[np.int64], ground: Ground, spans: list[Span], t: Fraction, smallest: int = 1
) -> Drafts:
    """Halve the bucket sizes, and the halves again, while no class drawn so can be farther than t.

    The left half of x is ``⌊x / 2⌋``, bucket by bucket. The nodes on level L hold ``⌊(B_j + r) / 2^L⌋`` records of
    bucket j, for r from 0 to 2^L - 1: at most (buckets + 1) distinct vectors, which grow with r and so differ in
    their sums. Each is looked at once.

    Parameters
    ----------
    sizes : (buckets,) int64
        Records of each bucket: the root.
    ground
        The ground distance and its bound.
    spans
        The buckets.
    t
        Largest distance.
    smallest
        Smallest class.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from likeness.methods._sabre_line import Line
    >>> line = Line(np.array([2, 2, 4, 4]), 3, "exact")
    >>> drafts = halve(np.array([4, 8]), line, [(0, 1), (2, 3)], Fraction(1, 5))
    >>> drafts.vectors, drafts.times
    (array([[1, 2]]), array([4]))
    """
    farthest = ground.farthest(spans)
    unit = t.numerator * ground.scale * ground.total

    def near(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        size = nodes.sum(axis=1)
        good = size >= max(1, smallest)
        allowed = times(size[good], unit)
        good[good] = times(farthest(nodes[good]), t.denominator) <= allowed
        return np.asarray(good)

    nodes, repeats = sizes[None, :].astype(np.int64), np.ones(1, np.int64)
    leaves: list[NDArray[np.int64]] = []
    leaf_repeats: list[NDArray[np.int64]] = []
    while len(nodes):
        left = nodes >> 1
        right = nodes - left
        split = near(left)
        split[split] = near(right[split])
        leaves.append(nodes[~split])
        leaf_repeats.append(repeats[~split])
        children = np.concatenate([left[split], right[split]])
        _, first, of = np.unique(children.sum(axis=1), return_index=True, return_inverse=True)
        child_repeats = np.zeros(first.size, np.int64)
        np.add.at(child_repeats, of, np.tile(repeats[split], 2))
        nodes, repeats = children[first], child_repeats
    return Drafts(np.concatenate(leaves), np.concatenate(leaf_repeats))
