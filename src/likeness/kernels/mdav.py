"""Maximum distance to average vector: clusters of k records around those farthest from the centre (see `methods.mdav`)."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from likeness.kernels.record_distance import centroid, distance


@njit(cache=True)
def mdav(space, sizes, k, label, taken):
    """Cluster the records of distinct tuples.

    Parameters
    ----------
    space : Space
        The tuples.
    sizes : (U,) int64
        Records of each tuple.
    k
        Records of a cluster, at least 1.
    label, taken : (L,) int64
        Where the clusters are written, entry by entry: a tuple, and how many of its records it gives; with L at least the
        tuples plus the clusters.

    Returns
    -------
    starts : (clusters + 1,) int64
        Where the entries of each cluster begin.
    """
    count = sizes.size
    left = sizes.copy()
    alive = np.arange(count)
    living = count
    records = left.sum()
    state = _sums(space, sizes)
    numbers, categories = np.empty(space.numbers.shape[0]), np.empty(space.categories.shape[0], np.int32)
    near = np.empty(count)
    heap = np.empty(min(k, count), np.int64)
    starts = [0]
    entries = 0
    while records >= 2 * k:
        centroid(space, state[0], state[1], state[2], numbers, categories)
        for turn in range(2):
            if turn == 1 and records < 2 * k:
                break
            seed = _farthest(space, alive, living, numbers, categories)
            _place(space, seed, numbers, categories)
            for i in range(living):
                near[alive[i]] = distance(space, numbers, categories, alive[i])
            entries = _take_nearest(near, left, alive, living, k, heap, label, taken, entries)
            _remove(space, state, label, taken, starts[-1], entries)
            starts.append(entries)
            records -= k
            living = _compact(left, alive, living)
            if records < 2 * k:
                break
    for i in range(living):
        label[entries], taken[entries] = alive[i], left[alive[i]]
        entries += 1
    if records > 0:
        starts.append(entries)
    return np.array(starts)


@njit(cache=True)
def _sums(space, sizes):
    """Sums of all records, from which centres are found."""
    a, u = space.numbers.shape
    c, codes, levels = space.ancestors.shape
    sums, present = np.zeros(a), np.zeros(a, np.int64)
    counts = np.zeros((c, codes, levels), np.int64)
    for i in range(u):
        _add(space, sums, present, counts, i, sizes[i])
    return sums, present, counts


@njit(cache=True)
def _add(space, sums, present, counts, u, times):
    """Add so many records of a tuple (a negative number takes them away)."""
    for j in range(sums.size):
        if not math.isnan(space.numbers[j, u]):
            sums[j] += times * space.numbers[j, u]
            present[j] += times
    for j in range(counts.shape[0]):
        for level in range(space.heights[j]):
            counts[j, space.ancestors[j, space.categories[j, u], level], level] += times


@njit(cache=True)
def _remove(space, state, label, taken, begin, end):
    """Take a cluster's records out of the sums."""
    for at in range(begin, end):
        _add(space, state[0], state[1], state[2], label[at], -taken[at])


@njit(cache=True)
def _place(space, u, numbers, categories):
    """Make a tuple the point to measure from."""
    for j in range(numbers.size):
        numbers[j] = space.numbers[j, u]
    for j in range(categories.size):
        categories[j] = space.categories[j, u]


@njit(cache=True)
def _farthest(space, alive, living, numbers, categories):
    """Find the tuple farthest from a point; the first of those equally far."""
    best, most = alive[0], -1.0
    for i in range(living):
        far = distance(space, numbers, categories, alive[i])
        if far > most:
            best, most = alive[i], far
    return best


@njit(cache=True)
def _after(near, one, other):
    """Whether a tuple is taken after another: farther, or as far and later."""
    return near[one] > near[other] or (near[one] == near[other] and one > other)


@njit(cache=True)
def _take_nearest(near, left, alive, living, k, heap, label, taken, entries):
    """Take k records from the nearest tuples; the last tuple may keep some. Where the entries now end."""
    # The k nearest tuples have at least k records: a heap with the last of them on top.
    size = 0
    for i in range(living):
        u = alive[i]
        if size < heap.size:
            heap[size] = u
            child = size
            size += 1
            while child > 0 and _after(near, heap[child], heap[(child - 1) // 2]):
                parent = (child - 1) // 2
                heap[child], heap[parent] = heap[parent], heap[child]
                child = parent
        elif _after(near, heap[0], u):
            heap[0] = u
            parent = 0
            while True:
                child = 2 * parent + 1
                if child >= size:
                    break
                if child + 1 < size and _after(near, heap[child + 1], heap[child]):
                    child += 1
                if not _after(near, heap[child], heap[parent]):
                    break
                heap[child], heap[parent] = heap[parent], heap[child]
                parent = child
    chosen = np.sort(heap[:size])
    order = np.argsort(near[chosen], kind="mergesort")
    wanted = k
    for at in order:
        u = chosen[at]
        given = min(wanted, left[u])
        label[entries], taken[entries] = u, given
        entries += 1
        left[u] -= given
        wanted -= given
        if wanted == 0:
            break
    return entries


@njit(cache=True)
def _compact(left, alive, living):
    """Forget tuples that have no records left, keeping the order; how many are left."""
    kept = 0
    for i in range(living):
        if left[alive[i]] > 0:
            alive[kept] = alive[i]
            kept += 1
    return kept
