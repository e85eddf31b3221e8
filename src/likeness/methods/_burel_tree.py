"""BUREL's second phase: how many records each class draws from each bucket (paper 002, section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.exact import smallest_sizes
from likeness.methods._ec_tree import Leaves, grow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.exact import Real


def bi_split(sizes: NDArray[np.int64], limits: Sequence[Real], smallest: int = 1) -> Leaves:
    """Halve the bucket sizes, and the halves again, while both halves may be classes (function biSplit).

    A vector x may be a class if ``x_j / Σx <= limit_j`` for every bucket (Theorem 1) and ``Σx >= smallest``.
    A vector of ones and zeros stays.

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

    def may_split(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        split = nodes.max(axis=1) > 1
        left = nodes[split] >> 1
        split[split] = eligible(left) & eligible(nodes[split] - left)
        return np.asarray(split, np.bool_)

    return grow(sizes, may_split)


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
