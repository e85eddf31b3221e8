"""The ECTree of BUREL and SABRE: bucket sizes halved, and the halves again (Cao & Karras 2012, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of an ECTree; equal ones are kept once.

    ``vectors``: (leaves, buckets) records drawn from each bucket. ``times``: (leaves,) leaves with this vector.
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


def grow(sizes: NDArray[np.int64], may_split: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> Leaves:
    """Halve the bucket sizes (buckets,), and the halves again, while both halves may be classes.

    The left half of x is ``⌊x / 2⌋``, bucket by bucket. The nodes on level L hold ``⌊(B_j + r) / 2^L⌋`` records of
    bucket j, for r from 0 to 2^L - 1: at most (buckets + 1) distinct vectors, which grow with r and so differ in
    their sums. Each is looked at once. ``may_split`` says of nodes (nodes, buckets) whether both halves may be classes.
    """
    nodes, times = sizes[None, :].astype(np.int64), np.ones(1, np.int64)
    leaves: list[NDArray[np.int64]] = []
    leaf_times: list[NDArray[np.int64]] = []
    while len(nodes):
        split = may_split(nodes)
        left = nodes[split] >> 1
        leaves.append(nodes[~split])
        leaf_times.append(times[~split])
        children = np.concatenate([left, nodes[split] - left])
        _, first, of = np.unique(children.sum(axis=1), return_index=True, return_inverse=True)
        split_times = np.zeros(first.size, np.int64)
        np.add.at(split_times, of, np.tile(times[split], 2))
        nodes, times = children[first], split_times
    return Leaves(np.concatenate(leaves), np.concatenate(leaf_times))
