"""Greedy k-member clustering: grow a class by the record that adds least information loss (see `methods.k_member`)."""

from __future__ import annotations

import numpy as np
from numba import njit

from likeness.kernels.class_tests import evaluate
from likeness.kernels.hulls import INTERVAL, SET, TREE, common_ancestor
from likeness.kernels.record_distance import distance


@njit(cache=True)
def widened_loss(geometry, low, high, bits, present, codes):
    """Loss of a hull, widened by one tuple.

    Parameters
    ----------
    geometry
        The attributes.
    low, high : (d,) int32
        Smallest and largest code of the hull.
    bits : (words,) uint64
        Its value sets.
    present : (d,) int64
        Number of values in each set.
    codes : (d,) int32
        The tuple.
    """
    total = 0.0
    for j in range(codes.size):
        first, last = min(low[j], codes[j]), max(high[j], codes[j])
        kind = geometry.kind[j]
        if kind == INTERVAL:
            total += min(geometry.position[j, last] - geometry.position[j, first], geometry.most[j])
        elif kind == TREE:
            leaf = geometry.leaf_node[j, first]
            node = (
                leaf if first == last else common_ancestor(geometry.parent[j], geometry.right[j], leaf, last)
            )
            total += geometry.node_loss[j, node]
        else:
            word, bit = geometry.word[j] + (codes[j] >> 6), np.uint64(codes[j] & 63)
            known = (bits[word] >> bit) & np.uint64(1)
            total += geometry.set_loss[j, present[j] + np.int64(known == 0)]
    return total


@njit(cache=True)
def widen(geometry, low, high, bits, present, codes):
    """Widen a hull by one tuple."""
    for j in range(codes.size):
        low[j], high[j] = min(low[j], codes[j]), max(high[j], codes[j])
        if geometry.kind[j] == SET:
            word, bit = geometry.word[j] + (codes[j] >> 6), np.uint64(codes[j] & 63)
            if (bits[word] >> bit) & np.uint64(1) == 0:
                bits[word] |= np.uint64(1) << bit
                present[j] += 1


@njit(cache=True)
def k_member(
    geometry,
    space,
    codes,
    start,
    record,
    views,
    k,
    width,
    functions,
    shape,
    integers,
    reals,
    seed,
    label,
    hulls,
):
    """Cluster the records of distinct tuples.

    Parameters
    ----------
    geometry
        What hulls lose.
    space
        The tuples, for the distance between one class's first record and the next's.
    codes : (U, d) int32
        The tuples.
    start, record : (U + 1,), (n,) int64
        Records of each tuple.
    views : (v, n) int32
        Positions in the joint histogram that each record counts in.
    k
        Records of a class.
    width
        Length of the joint histogram.
    functions, shape, integers, reals
        The tests of `likeness.kernels.class_tests.lay_out`: a class grows until they hold.
    seed
        The tuple that the first class is farthest from.
    label : (n,) int64
        Where the class of each record is written; -1 for those that are left.
    hulls : tuple of arrays
        Where the hull and the size of each class are written: low, high (n // k, d), bits (n // k, words), present (n // k, d)
        and sizes (n // k,).

    Returns
    -------
    int
        Number of classes.
    """
    u, d = codes.shape
    n = record.size
    lows, highs, sets, counts, sizes = hulls
    label[:] = -1
    head = start[:-1].copy()
    alive = np.arange(u)
    living = u
    taken = np.empty(n, np.int64)
    histogram = np.zeros(width, np.int64)
    left, classes = n, 0
    while left >= k:
        seed = _farthest(space, alive, living, seed)
        low, high = codes[seed].copy(), codes[seed].copy()
        bits, present = np.zeros(geometry.word[d], np.uint64), np.zeros(d, np.int64)
        histogram[:] = 0
        chosen, count, good = seed, 0, False
        while count < left:
            widen(geometry, low, high, bits, present, codes[chosen])
            # Its other records add nothing: they are the best there are.
            while head[chosen] < start[chosen + 1] and not good:
                own = record[head[chosen]]
                head[chosen] += 1
                taken[count] = own
                count += 1
                for view in range(views.shape[0]):
                    histogram[views[view, own]] += 1
                good = count >= k and (
                    shape.shape[0] == 0 or evaluate(functions, shape, integers, reals, count, histogram)
                )
            if head[chosen] == start[chosen + 1]:
                living = _forget(alive, living, chosen)
            if good or living == 0:
                break
            chosen = _cheapest(geometry, low, high, bits, present, codes, alive, living)
        if not good:
            break
        for i in range(count):
            label[taken[i]] = classes
        lows[classes], highs[classes], sets[classes], counts[classes] = low, high, bits, present
        sizes[classes] = count
        classes += 1
        left -= count
    return classes


@njit(cache=True)
def _farthest(space, alive, living, seed):
    """Find the tuple farthest from another; the first of those equally far."""
    numbers, categories = space.numbers[:, seed].copy(), space.categories[:, seed].copy()
    best, most = alive[0], -1.0
    for i in range(living):
        far = distance(space, numbers, categories, alive[i])
        if far > most:
            best, most = alive[i], far
    return best


@njit(cache=True)
def _cheapest(geometry, low, high, bits, present, codes, alive, living):
    """Find the tuple that widens a hull at least loss; the first of equals."""
    best, least = alive[0], np.inf
    for i in range(living):
        lost = widened_loss(geometry, low, high, bits, present, codes[alive[i]])
        if lost < least:
            best, least = alive[i], lost
    return best


@njit(cache=True)
def _forget(alive, living, gone):
    """Leave a tuple out, keeping the order; how many are left."""
    kept = 0
    for i in range(living):
        if alive[i] != gone:
            alive[kept] = alive[i]
            kept += 1
    return kept


@njit(cache=True)
def added_losses(geometry, hulls, classes, codes):
    """(classes,) What a tuple would add to the total loss of each class: ``(n + 1) loss' - n loss``."""
    lows, highs, sets, counts, sizes = hulls
    found = np.empty(classes)
    for i in range(classes):
        own = widened_loss(geometry, lows[i], highs[i], sets[i], counts[i], codes)
        # A hull widened by a tuple it has is itself.
        before = 0.0
        for j in range(codes.size):
            before += _own_loss(geometry, lows[i], highs[i], counts[i], j)
        found[i] = (sizes[i] + 1) * own - sizes[i] * before
    return found


@njit(cache=True)
def _own_loss(geometry, low, high, present, j):
    """Loss of one attribute of a hull."""
    kind = geometry.kind[j]
    if kind == INTERVAL:
        return min(geometry.position[j, high[j]] - geometry.position[j, low[j]], geometry.most[j])
    if kind == TREE:
        leaf = geometry.leaf_node[j, low[j]]
        node = (
            leaf
            if low[j] == high[j]
            else common_ancestor(geometry.parent[j], geometry.right[j], leaf, high[j])
        )
        return geometry.node_loss[j, node]
    return geometry.set_loss[j, present[j]]
