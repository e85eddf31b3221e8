"""BUREL's third phase: classes draw their records from the buckets (paper 002, section 4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem
    from likeness.methods._burel_space import Points
    from likeness.methods._ec_tree import Leaves


def draw(
    problem: Problem, retrieve: str, bucket: NDArray[np.int64], space: Points, leaves: Leaves
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fill the leaves, in random order, with the records nearest to random seeds.

    Parameters
    ----------
    problem
        The records, and randomness.
    retrieve
        ``hilbert`` or ``nearest``.
    bucket : (n,) int64
        Bucket of each record.
    space
        Where the records lie.
    leaves
        How many records each class draws from each bucket.

    Returns
    -------
    classes : (n,) int64
        Class of each record.
    places : (E,) int64
        Place of each class's seed on the curve.
    """
    from likeness.kernels.neighbours import retrieve_nearest
    from likeness.kernels.retrieval import retrieve_on_curve

    order = along_curve(bucket, leaves.vectors.shape[1], space)
    starts = np.concatenate([[0], np.cumsum(np.bincount(bucket, minlength=leaves.vectors.shape[1]))])
    drafts = (
        *leaves.drafts(),
        problem.rng.permutation(np.repeat(np.arange(leaves.times.size), leaves.times)),
        problem.rng.random(leaves.count),
    )
    rank = space.rank[order].astype(np.int32)
    classes = np.full(problem.data.size, -1, np.int64)
    if retrieve == "hilbert":
        seeds = retrieve_on_curve(order, rank, starts, space.keys, *drafts, classes)
    else:
        seeds = retrieve_nearest(order, rank, starts, space.coordinates, *drafts, classes)
    return classes, space.keys[seeds]


def along_curve(bucket: NDArray[np.int64], buckets: int, space: Points) -> NDArray[np.int32]:
    """(n,) Records sorted by bucket, then along the curve, then by row."""
    from likeness.kernels.retrieval import sort_by_small_keys

    rows = np.arange(bucket.size, dtype=np.int32)
    by_rank = sort_by_small_keys(space.rank, space.keys.size, rows)
    return np.asarray(sort_by_small_keys(bucket, buckets, by_rank))
