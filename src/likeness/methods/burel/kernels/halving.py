"""Refine classes drawn from buckets: halve every bucket's part of a class while both halves hold, or each at its own quantile.

The second is mirror assembly: every bucket is halved at its own quantile of one dimension.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int32, int64, types

from likeness.kernels import njit
from likeness.kernels.class_tests import TESTS, evaluate
from likeness.kernels.hulls import GEOMETRY, INTERVAL


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
    ``members`` (m,) are sorted by class, then bucket, then along the curve. ``classes`` (n,) receives the new classes;
    returned is (new classes,) the class each is a part of. ``functions`` … ``smallest``: see `class_tests.lay_out`.
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


@njit(boolean(int64[:, ::1], boolean, int64[::1], int64[::1], int64), cache=True)
def _eligible(node, upper, start, least, smallest):
    """Whether one half of a node may be a class; ``upper`` halves are the larger."""
    size, needed = 0, max(1, smallest)
    for j in range(node.shape[0]):
        count = node[j, 1] - node[j, 0]
        count = count - (count >> 1) if upper else count >> 1
        size += count
        needed = max(needed, least[start[j] + count])
    return size >= needed


@njit(float64(GEOMETRY, int64, int64[::1], int64, int64, int64), cache=True)
def _spread(geometry, j, held, low, high, size):
    """Expected loss of the hull of two records of a half in dimension j, from its histogram of codes."""
    if geometry.kind[j] == INTERVAL:
        # Two records lie on both sides of a gap as often as the records below and above it meet.
        before, total = 0, 0.0
        for code in range(low, high):
            before += held[code]
            gap = min(geometry.position[j, code + 1] - geometry.position[j, code], geometry.most[j])
            total += gap * before * (size - before)
        return 2.0 * total / size / size
    same = 0.0
    for code in range(low, high + 1):
        same += float(held[code]) * held[code]
    return geometry.most[j] * (1.0 - same / size / size)


@njit(float64(GEOMETRY, int32[:, ::1], int32[::1], int64[:, ::1], boolean, int64[::1]), cache=True)
def _half_spread(geometry, codes, members, node, upper, held):
    """Size-weighted spread of one half of a node, over all dimensions."""
    total = 0.0
    for a in range(geometry.kind.shape[0]):
        column = codes[a]
        low, high, size = 2147483647, -1, 0
        for j in range(node.shape[0]):
            begin, end = node[j]
            middle = begin + ((end - begin) >> 1)
            begin, end = (middle, end) if upper else (begin, middle)
            size += end - begin
            for at in range(begin, end):
                code = column[members[at]]
                held[code] += 1
                low = min(low, code)
                high = max(high, code)
        if size > 0:
            total += size * _spread(geometry, a, held, low, high, size)
        for code in range(low, high + 1):
            held[code] = 0
    return total


@njit(types.void(int32[::1], int32[::1], int32[::1], int64[:, ::1]), cache=True)
def _sort_parts(column, place, members, node):
    """Sort every bucket's part of a node by the codes of one dimension, then along the curve."""
    for j in range(node.shape[0]):
        begin, end = node[j]
        keys = np.empty(end - begin, np.int64)
        for at in range(begin, end):
            keys[at - begin] = (int64(column[members[at]]) << 32) | place[members[at]]
        order = np.argsort(keys)
        part = members[begin:end].copy()
        for i in range(end - begin):
            members[begin + i] = part[order[i]]


@njit(
    int64(
        GEOMETRY, int32[:, ::1], int32[::1], int32[::1], int64[::1], int64[::1], int64[::1], int64, int64[::1]
    ),
    cache=True,
)
def mirror_classes(geometry, codes, place, members, starts, table_start, least, smallest, classes):
    """Halve all buckets, and the halves again, while both halves may be classes; return the number of classes.

    Sizes are those of the ECTree: the lower half has ``⌊x_j / 2⌋`` records of bucket j. Every bucket is halved at its
    own quantile of one dimension, the one whose halves lose least. Only buckets and quasi-identifiers are looked at.
    ``place`` (n,): places on the curve, which decide among equal codes. ``members`` (n,): sorted by bucket; reordered.
    ``table_start``, ``least``: see `buckets.least_sizes`. ``classes`` (n,) receives the class of each record.
    """
    buckets, dimensions = starts.shape[0] - 1, geometry.kind.shape[0]
    # Parts halve at every level, so a path is no longer than the bits of a size.
    stack = np.empty((66, buckets, 2), np.int64)
    stack[0, :, 0], stack[0, :, 1] = starts[:-1], starts[1:]
    held = np.zeros(geometry.position.shape[1], np.int64)
    top, count = 1, 0
    while top > 0:
        node, right = stack[top - 1], stack[top]
        largest = 0
        for j in range(buckets):
            largest = max(largest, node[j, 1] - node[j, 0])
        if (
            largest <= 1
            or not _eligible(node, False, table_start, least, smallest)
            or not _eligible(node, True, table_start, least, smallest)
        ):
            for j in range(buckets):
                for at in range(node[j, 0], node[j, 1]):
                    classes[members[at]] = count
            count += 1
            top -= 1
            continue
        best, lost, latest = 0, np.inf, -1
        for a in range(dimensions):
            _sort_parts(codes[a], place, members, node)
            latest = a
            loss = _half_spread(geometry, codes, members, node, False, held) + _half_spread(
                geometry, codes, members, node, True, held
            )
            if loss < lost:
                best, lost = a, loss
        if latest != best and dimensions > 0:
            _sort_parts(codes[best], place, members, node)
        for j in range(buckets):
            begin, end = node[j]
            middle = begin + ((end - begin) >> 1)
            right[j, 0], right[j, 1] = middle, end
            node[j, 1] = middle
        top += 1
    return count
