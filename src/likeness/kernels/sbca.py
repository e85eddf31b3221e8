"""Similarity-based clustering: one class after the other around the first record that is left (see `methods.sbca`).

Records are numbered by their place in the sorted table. Distances are computed once per distinct tuple; where the first
record has enough exact duplicates they are its nearest records, and none are computed at all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from likeness.kernels.class_tests import evaluate

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Options(NamedTuple):
    """Readings of what the paper leaves open."""

    widen_all: bool
    """Whether a context of fewer than k records is given up at once, instead of widened step by step."""
    dense: bool
    """Whether values of equal similarity share an index."""
    by_type: bool
    """Whether numbers and categories weigh one half each, however many there are."""


class Sorted(NamedTuple):
    """A sorted table of n records and U distinct tuples.

    Parameters
    ----------
    numbers : (a, U) float64
        Place of each tuple in each numeric domain, from 0 to 1; NaN when missing.
    categories : (c, U) int32
        Code of each tuple in each other domain.
    codes : (c,) int64
        Number of codes of each.
    of : (n,) int64
        Tuple of each record.
    start : (U + 1,) int64
        Where the records of each tuple begin in ``record``.
    record : (n,) int64
        Records by tuple, ascending.
    views : (v, n) int32
        Positions in the joint histogram that each record counts in.
    """

    numbers: NDArray[np.float64]
    categories: NDArray[np.int32]
    codes: NDArray[np.int64]
    of: NDArray[np.int64]
    start: NDArray[np.int64]
    record: NDArray[np.int64]
    views: NDArray[np.int32]


@njit(cache=True)
def cluster(table, options, k, functions, shape, integers, reals, smallest, width, label, begins):
    """Build classes until fewer than k records are left, or what is left cannot hold.

    Parameters
    ----------
    table, options
        What is clustered, and how.
    k
        Records of a class, at least 2.
    functions, shape, integers, reals, smallest
        The tests of `likeness.kernels.class_tests.lay_out`: a class grows until they hold.
    width
        Length of the joint histogram.
    label : (n,) int64
        Where the class of each record is written; -1 for those that are left.
    begins : (n // k,) int64
        Where the tuple that each class was built around is written.

    Returns
    -------
    int
        Number of classes.
    """
    tests = (functions, shape, integers, reals)
    n, u = table.of.size, table.start.size - 1
    label[:] = -1
    head = table.start[:-1].copy()
    alive = np.arange(u)
    place = np.arange(u)
    living = u
    most = 1
    for j in range(table.codes.size):
        most = max(most, table.codes[j])
    held = np.zeros((table.codes.size, most), np.int64)
    for i in range(u):
        for j in range(table.codes.size):
            held[j, table.categories[j, i]] += table.start[i + 1] - table.start[i]
    values = np.zeros(table.codes.size, np.int64)
    for j in range(table.codes.size):
        values[j] = np.count_nonzero(held[j])
    near, apart = np.empty(u), np.empty(u)
    heap = np.empty(u, np.int64)
    taken = np.empty(n, np.int64)
    histogram = np.zeros(width, np.int64)
    classes, first, left = 0, 0, n
    wanted = max(k, smallest)
    while left >= k:
        while label[first] >= 0:
            first += 1
        seed = table.of[first]
        count = 0
        histogram[:] = 0
        while count < wanted and head[seed] < table.start[seed + 1]:
            count = _take(table, seed, head, taken, count, histogram)
        far = count < wanted or not _holds(tests, count, histogram)
        if far:
            _measure(table, options, k, seed, count, alive, living, head, held, values, near, apart)
            if count < wanted:
                count = _nearest(
                    table, seed, alive, living, head, near, heap, wanted, taken, count, histogram
                )
            while count < left and not _holds(tests, count, histogram):
                count = _grow(table, tests, alive, living, head, near, taken, count, histogram)
            if count < wanted or not _holds(tests, count, histogram):
                break
        for i in range(count):
            record = taken[i]
            label[record] = classes
            tuple_ = table.of[record]
            for j in range(table.codes.size):
                code = table.categories[j, tuple_]
                held[j, code] -= 1
                if held[j, code] == 0:
                    values[j] -= 1
            if head[tuple_] == table.start[tuple_ + 1] and place[tuple_] >= 0:
                living -= 1
                last = alive[living]
                alive[place[tuple_]] = last
                place[last] = place[tuple_]
                place[tuple_] = -1
        begins[classes] = seed
        classes += 1
        left -= count
    return classes


@njit(cache=True)
def _take(table, tuple_, head, taken, count, histogram):
    """Take the next record of a tuple; how many are taken now."""
    record = table.record[head[tuple_]]
    head[tuple_] += 1
    taken[count] = record
    for view in range(table.views.shape[0]):
        histogram[table.views[view, record]] += 1
    return count + 1


@njit(cache=True)
def _holds(tests, count, histogram):
    """Whether what is taken is a class."""
    return tests[1].shape[0] == 0 or evaluate(tests[0], tests[1], tests[2], tests[3], count, histogram)


@njit(cache=True)
def _measure(table, options, k, seed, taken, alive, living, head, held, values, near, apart):
    """Distance of every tuple that is left from the seed (equations 6 to 8)."""
    c, a = table.codes.size, table.numbers.shape[0]
    for i in range(living):
        apart[alive[i]] = 0.0
    order = np.argsort(values, kind="mergesort")
    for at in range(c):
        j = order[at]
        own = table.categories[j, seed]
        if values[j] <= 1:
            continue
        if values[j] == 2:
            for i in range(living):
                if table.categories[j, alive[i]] != own:
                    apart[alive[i]] += 1.0
            continue
        index = _similarity(table, options, k, j, seed, taken, alive, living, head, held, apart)
        for i in range(living):
            apart[alive[i]] += index[table.categories[j, alive[i]]] / (values[j] - 1)
    for i in range(living):
        tuple_ = alive[i]
        total = 0.0
        for j in range(a):
            one, other = table.numbers[j, tuple_], table.numbers[j, seed]
            if math.isnan(one) != math.isnan(other):
                total += 1.0
            elif not math.isnan(one):
                total += abs(one - other)
        if options.by_type and a > 0 and c > 0:
            near[tuple_] = (total / a + apart[tuple_] / c) / 2
        else:
            near[tuple_] = (total + apart[tuple_]) / (a + c)


@njit(cache=True)
def _similarity(table, options, k, j, seed, taken, alive, living, head, held, apart):
    """Index of every value in the order of its similarity to the seed's, in the context of the seed (equation 6)."""
    counts = np.zeros(table.codes[j], np.int64)
    appears = np.full(table.codes[j], table.of.size, np.int64)
    for i in range(living):
        tuple_ = alive[i]
        at = table.start[tuple_] if tuple_ == seed else head[tuple_]
        if tuple_ == seed or at < table.start[tuple_ + 1]:
            code = table.categories[j, tuple_]
            # The seed is the first record that is left, whatever it has taken.
            appears[code] = -1 if tuple_ == seed else min(appears[code], table.record[at])
    total, reach = 0, 0.0
    while True:
        # The context: records equal to the seed in all attributes before this one, or the next nearest ones too.
        beyond = np.inf
        counts[:] = 0
        total = 0
        for i in range(living):
            tuple_ = alive[i]
            if apart[tuple_] <= reach:
                # Records the class already has are still in the table that it is chosen from.
                times = table.start[tuple_ + 1] - head[tuple_] + (taken if tuple_ == seed else 0)
                counts[table.categories[j, tuple_]] += times
                total += times
            elif apart[tuple_] < beyond:
                beyond = apart[tuple_]
        if total >= k or beyond == np.inf:
            break
        reach = np.inf if options.widen_all else beyond
    own = table.categories[j, seed]
    # Ascending difference of counts, then descending count, then first appearance.
    ranked = np.argsort(appears, kind="mergesort")
    ranked = ranked[np.argsort(-counts[ranked], kind="mergesort")]
    ranked = ranked[np.argsort(np.abs(counts - counts[own])[ranked], kind="mergesort")]
    index = np.zeros(counts.size)
    before, step = -1, 0
    for code in ranked:
        if held[j, code] == 0 or code == own:
            continue
        gap = abs(counts[code] - counts[own])
        if gap != before or not options.dense:
            step += 1
        index[code] = step
        before = gap
    return index


@njit(cache=True)
def _nearest(table, seed, alive, living, head, near, heap, wanted, taken, count, histogram):
    """Take the nearest records until there are enough; equally near ones in the order of the table."""
    size, total = 0, 0
    for i in range(living):
        tuple_ = alive[i]
        times = table.start[tuple_ + 1] - head[tuple_]
        if times == 0 or (total >= wanted - count and near[tuple_] > near[heap[0]]):
            continue
        heap[size] = tuple_
        child = size
        size += 1
        total += times
        while child > 0 and near[heap[child]] > near[heap[(child - 1) // 2]]:
            parent = (child - 1) // 2
            heap[child], heap[parent] = heap[parent], heap[child]
            child = parent
        while size > 1:
            top = heap[0]
            times = table.start[top + 1] - head[top]
            if total - times < wanted - count:
                break
            total -= times
            size -= 1
            heap[0] = heap[size]
            parent = 0
            while True:
                child = 2 * parent + 1
                if child >= size:
                    break
                if child + 1 < size and near[heap[child + 1]] > near[heap[child]]:
                    child += 1
                if near[heap[child]] <= near[heap[parent]]:
                    break
                heap[child], heap[parent] = heap[parent], heap[child]
                parent = child
    limit = near[heap[0]] if size > 0 else 0.0
    for i in range(size):
        if near[heap[i]] < limit:
            while head[heap[i]] < table.start[heap[i] + 1]:
                count = _take(table, heap[i], head, taken, count, histogram)
    while count < wanted:
        best, earliest = -1, table.of.size
        for i in range(living):
            tuple_ = alive[i]
            if near[tuple_] == limit and head[tuple_] < table.start[tuple_ + 1]:
                record = table.record[head[tuple_]]
                if record < earliest:
                    best, earliest = tuple_, record
        if best < 0:
            break
        count = _take(table, best, head, taken, count, histogram)
    return count


@njit(cache=True)
def _grow(table, tests, alive, living, head, near, taken, count, histogram):
    """Take the next nearest records, all that are equally near one by one, until the class holds."""
    limit = np.inf
    for i in range(living):
        tuple_ = alive[i]
        if head[tuple_] < table.start[tuple_ + 1] and near[tuple_] < limit:
            limit = near[tuple_]
    while not _holds(tests, count, histogram):
        best, earliest = -1, table.of.size
        for i in range(living):
            tuple_ = alive[i]
            if near[tuple_] == limit and head[tuple_] < table.start[tuple_ + 1]:
                record = table.record[head[tuple_]]
                if record < earliest:
                    best, earliest = tuple_, record
        if best < 0:
            break
        count = _take(table, best, head, taken, count, histogram)
    return count
