"""BUREL's second phase: how many records each class draws from each bucket (paper 002, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.exact import smallest_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real


@dataclass(frozen=True, eq=False)
class Leaves:
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

    def drafts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Lay out the vectors for retrieval: where each begins, its buckets, its records from each."""
        vector, bucket = np.nonzero(self.vectors)
        start = np.searchsorted(vector, np.arange(len(self.vectors) + 1)).astype(np.int64)
        return start, bucket.astype(np.int64), self.vectors[vector, bucket]


def bi_split(sizes: NDArray[np.int64], limits: Sequence[Real], smallest: int = 1) -> Leaves:
    """Halve the bucket sizes, and the halves again, while both halves may be classes (function biSplit).

    A vector x may be a class if ``x_j / Σx <= limit_j`` for every bucket (Theorem 1) and ``Σx >= smallest``.
    The left half is ``⌊x_j / 2⌋``. A vector of ones and zeros stays.

    The nodes on level L hold ``⌊(B_j + r) / 2^L⌋`` records of bucket j, for r from 0 to 2^L - 1: at most
    (buckets + 1) distinct vectors, which grow with r and so differ in their sums. Each is looked at once.

    Parameters
    ----------
    sizes : (buckets,) int64
        Records of each bucket: the root.
    limits
        Largest share of a class that each bucket may have.
    smallest
        Smallest class.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from likeness.exact import Real
    >>> leaves = bi_split(np.array([2, 4]), [Real.of(Fraction(2, 5)), Real.of(Fraction(1))])
    >>> leaves.vectors, leaves.times
    (array([[1, 2]]), array([2]))
    """
    eligible = _Eligibility(sizes, limits, smallest)
    nodes, times = sizes[None, :].astype(np.int64), np.ones(1, np.int64)
    leaves: list[NDArray[np.int64]] = []
    leaf_times: list[NDArray[np.int64]] = []
    while len(nodes):
        left = nodes >> 1
        right = nodes - left
        split = nodes.max(axis=1) > 1
        split[split] = eligible(left[split]) & eligible(right[split])
        leaves.append(nodes[~split])
        leaf_times.append(times[~split])
        children = np.concatenate([left[split], right[split]])
        _, first, of = np.unique(children.sum(axis=1), return_index=True, return_inverse=True)
        split_times = np.zeros(first.size, np.int64)
        np.add.at(split_times, of, np.tile(times[split], 2))
        nodes, times = children[first], split_times
    return Leaves(np.concatenate(leaves), np.concatenate(leaf_times))


class _Eligibility:
    """The eligibility condition, by tables of the smallest class that may hold so many of a bucket."""

    def __init__(self, sizes: NDArray[np.int64], limits: Sequence[Real], smallest: int) -> None:
        self.start, self.least = least_sizes(sizes, limits)
        self.smallest = smallest

    def __call__(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        size = nodes.sum(axis=1)
        least = self.least[self.start + nodes].max(axis=1, initial=max(1, self.smallest))
        return np.asarray(size >= least, np.bool_)


def least_sizes(
    sizes: NDArray[np.int64], limits: Sequence[Real]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tabulate the smallest class that may hold 0, 1, 2, … records of each bucket, up to half of it.

    Returns
    -------
    start : (buckets,) int64
        Where each bucket's table begins.
    least : (…) int64
        The tables, one after the other.
    """
    # Only halves are asked about, never the root.
    most = [(int(size) + 1) // 2 for size in sizes]
    tables = [smallest_sizes(limit, count) for limit, count in zip(limits, most, strict=True)]
    start = np.concatenate([[0], np.cumsum([len(table) + 1 for table in tables])])[:-1].astype(np.int64)
    nothing = np.zeros(1, np.int64)
    return start, np.concatenate([part for table in tables for part in (nothing, table)])
