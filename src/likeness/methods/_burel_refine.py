"""Split BUREL's classes further while the frequencies that are really there allow it (spec section 4.1, step 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods._base import joint_views
from likeness.methods._burel_draws import along_curve
from likeness.methods._burel_exchange import exchange_classes
from likeness.methods.mondrian import Mondrian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem
    from likeness.methods._burel_space import Points
    from likeness.metrics.loss import CellLoss

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
    """Split classes while the parts hold.

    Parameters
    ----------
    problem
        The records and requirements.
    how
        ``hilbert``, ``mondrian`` or ``exchange``.
    loss
        What ``exchange`` lowers.
    bucket : (n,) int64
        Bucket of each record.
    space
        Where the records lie.
    classes : (n,) int64
        Classes that hold.
    places : (E,) int64
        Their places on the curve.

    Returns
    -------
    classes : (n,) int64
        The finer classes.
    places : (finer classes,) int64
        Places of the classes they were split from.
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
    from likeness.kernels.halving import halve_classes
    from likeness.kernels.retrieval import sort_by_small_keys

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
