"""BUREL's third phase: classes draw their records from the buckets (Cao & Karras 2012, section 4.5).

Mirror assembly is the second and third phase in one: the records are carried down the ECTree. Finished classes are split further
while the frequencies that are really there allow it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import joint_views
from likeness.methods.burel.buckets import least_sizes
from likeness.methods.burel.exchange import exchange_classes
from likeness.methods.mondrian import Mondrian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods.base import Problem
    from likeness.methods.burel.buckets import Buckets, Leaves
    from likeness.methods.spaces import Points
    from likeness.microdata.regions import CellLoss


def draw(
    problem: Problem, retrieve: str, bucket: NDArray[np.int64], space: Points, leaves: Leaves
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fill the leaves, in random order, with the records nearest to random seeds.

    ``retrieve`` is ``hilbert`` or ``nearest``, ``bucket`` (n,) that of each record. Returns the class of each record
    (n,) and the place of each class's seed on the curve (E,).
    """
    from likeness.kernels.retrieval import retrieve_nearest, retrieve_on_curve

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


REFINEMENTS = ("none", "hilbert", "mondrian", "exchange")


def refined(
    problem: Problem,
    how: str,
    loss: CellLoss,
    bucket: NDArray[np.int64],
    space: Points,
    classes: NDArray[np.int64],
    places: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split classes that hold while the parts hold: the finer classes (n,), and the ``places`` of those they were split from.

    ``how`` is ``hilbert``, ``mondrian`` or ``exchange``, which lowers ``loss``; ``places`` lie on the curve.
    """
    if how == "hilbert":
        finer, parent = _halved(problem, bucket, space, classes, places.size)
        return finer, places[parent]
    if how == "mondrian":
        finer = Mondrian(cut="all").run(replace(problem, parts=classes)).classes
    else:
        finer = exchange_classes(problem, loss, classes)
    parent = np.zeros(int(finer.max()) + 1, np.int64)
    parent[finer] = classes
    return finer, places[parent]


def _halved(
    problem: Problem, bucket: NDArray[np.int64], space: Points, classes: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Halve every bucket's part of a class along the curve; (classes, the classes they are parts of)."""
    from likeness.kernels.class_tests import lay_out
    from likeness.kernels.retrieval import sort_by_small_keys
    from likeness.methods.burel.kernels.halving import halve_classes

    buckets = int(bucket.max()) + 1
    members = sort_by_small_keys(classes, count, along_curve(bucket, buckets, space))
    starts = np.concatenate([[0], np.cumsum(np.bincount(classes, minlength=count))])
    views, tests, width = joint_views(problem)
    laid = lay_out(tests)
    finer = np.empty_like(classes)
    parent = halve_classes(
        laid.functions,
        laid.shape,
        laid.integers,
        laid.reals,
        laid.smallest,
        views,
        width,
        bucket,
        buckets,
        members,
        starts,
        finer,
    )
    return finer, parent


def mirror(
    problem: Problem,
    loss: CellLoss,
    buckets: Buckets,
    bucket: NDArray[np.int64],
    space: Points,
    smallest: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Halve every bucket at its own quantile of one quasi-identifier, as deep as the ECTree goes.

    The quasi-identifier whose halves lose least is cut; places on the Hilbert curve decide among equal codes.
    Returns the class of each record (n,) and the place of each class's first record on the curve.
    """
    from likeness.kernels.retrieval import sort_by_small_keys
    from likeness.methods.burel.kernels.halving import mirror_classes
    from likeness.microdata.regions import geometry

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
