"""Refine classes drawn from buckets: halve every bucket's part of a class while both halves hold."""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int32, int64

from likeness.kernels import njit
from likeness.kernels.class_tests import TESTS, evaluate


@njit(
    boolean(
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        int32[:, ::1],
        int32[::1],
        int64[:, ::1],
        int64[::1],
    ),
    cache=True,
)
def _holds(functions, shape, integers, reals, smallest, views, members, parts, histogram):
    """Whether the records in some parts of a class hold every test."""
    size = 0
    for j in range(parts.shape[0]):
        size += parts[j, 1] - parts[j, 0]
    if size < smallest:
        return False
    if shape.shape[0] == 0:
        return True
    histogram[:] = 0
    for v in range(views.shape[0]):
        for j in range(parts.shape[0]):
            for at in range(parts[j, 0], parts[j, 1]):
                histogram[views[v, members[at]]] += 1
    return evaluate(functions, shape, integers, reals, size, histogram)


@njit(int64(int64[::1], int32[::1], int64, int64, int64[:, ::1]), cache=True)
def _parts(bucket, members, begin, end, parts):
    """Find where each bucket's part of a class begins and ends; return their number."""
    count = 0
    for at in range(begin, end):
        if at == begin or bucket[members[at]] != bucket[members[at - 1]]:
            parts[count, 0] = at
            count += 1
        parts[count - 1, 1] = at + 1
    return count


@njit(
    int64[::1](
        TESTS,
        int64[:, ::1],
        int64[::1],
        float64[::1],
        int64,
        int32[:, ::1],
        int64,
        int64[::1],
        int64,
        int32[::1],
        int64[::1],
        int64[::1],
    ),
    cache=True,
)
def halve_classes(
    functions, shape, integers, reals, smallest, views, width, bucket, buckets, members, starts, classes
):
    """Split every class in two, and its halves again, as long as both halves hold all tests.

    A half takes the first (or last) half of every bucket's part of the class; the first is the larger one.

    Parameters
    ----------
    functions, shape, integers, reals, smallest
        The tests of `likeness.kernels.class_tests.lay_out`.
    views : (v, n) int32
        Positions in the joint histogram that each record counts in.
    width
        Length of the joint histogram.
    bucket : (n,) int64
        Bucket of each record.
    buckets
        Number of buckets.
    members : (m,) int32
        Records sorted by class, then bucket, then along the curve.
    starts : (E + 1,) int64
        First member of each class.
    classes : (n,) int64
        Receives the new class of each record.

    Returns
    -------
    (new classes,) int64
        The class each new class is a part of.
    """
    histogram = np.zeros(width, np.int64)
    # A node's parts halve at every level, so a path is no longer than the bits of a size.
    stack = np.empty((66, buckets, 2), np.int64)
    parent = np.empty(members.shape[0], np.int64)
    count = 0
    for c in range(starts.shape[0] - 1):
        parts = _parts(bucket, members, starts[c], starts[c + 1], stack[0])
        top = 1 if parts > 0 else 0
        while top > 0:
            node, right = stack[top - 1, :parts], stack[top, :parts]
            for j in range(parts):
                begin, end = node[j]
                middle = end - (end - begin) // 2
                right[j, 0], right[j, 1] = middle, end
                node[j, 1] = middle
            if _holds(
                functions, shape, integers, reals, smallest, views, members, node, histogram
            ) and _holds(functions, shape, integers, reals, smallest, views, members, right, histogram):
                top += 1
                continue
            for j in range(parts):
                node[j, 1] = right[j, 1]
                for at in range(node[j, 0], node[j, 1]):
                    classes[members[at]] = count
            parent[count] = c
            count += 1
            top -= 1
    return parent[:count].copy()
