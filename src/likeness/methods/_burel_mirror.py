"""BUREL's second and third phase in one: the records are carried down the ECTree (mirror assembly)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.methods._burel_tree import least_sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem
    from likeness.methods._burel_buckets import Buckets
    from likeness.methods._burel_space import Points
    from likeness.metrics.loss import CellLoss


def mirror(
    problem: Problem,
    loss: CellLoss,
    buckets: Buckets,
    bucket: NDArray[np.int64],
    space: Points,
    smallest: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Halve every bucket at its own quantile of one quasi-identifier, as deep as the ECTree goes.

    Parameters
    ----------
    problem
        The records.
    loss
        What generalizing a cell costs: of the quasi-identifiers, the one whose halves lose least is cut.
    buckets
        The buckets.
    bucket : (n,) int64
        Bucket of each record.
    space
        The records' places on the Hilbert curve, which decide among equal codes.
    smallest
        Smallest class.

    Returns
    -------
    classes : (n,) int64
        Class of each record.
    places : (classes,) int64
        Place of each class's first record on the curve.
    """
    from likeness.kernels.mirror import mirror_classes
    from likeness.kernels.retrieval import sort_by_small_keys
    from likeness.metrics.loss import geometry

    data = problem.data
    along = sort_by_small_keys(space.rank, space.keys.size, np.arange(data.size, dtype=np.int32))
    # Along the curve from here on: neighbours are read side by side, and a record's number is its place.
    codes, bucket = np.ascontiguousarray(data.codes[:, along]), bucket[along]
    places = np.arange(data.size, dtype=np.int32)
    members = sort_by_small_keys(bucket, buckets.sizes.size, places)
    starts = np.concatenate([[0], np.cumsum(buckets.sizes)]).astype(np.int64)
    table_start, least = least_sizes(buckets.sizes, buckets.limits)
    found = np.empty(data.size, np.int64)
    count = mirror_classes(
        geometry(data.quasi, loss), codes, places, members, starts, table_start, least, smallest, found
    )
    classes = np.empty(data.size, np.int64)
    classes[along] = found
    return classes, first_places(classes, space, count)


def first_places(classes: NDArray[np.int64], space: Points, count: int) -> NDArray[np.int64]:
    """(count,) Place on the curve of each class's first record."""
    rank = np.full(count, space.keys.size - 1, np.int64)
    np.minimum.at(rank, classes, space.rank)
    return np.asarray(space.keys[rank])
