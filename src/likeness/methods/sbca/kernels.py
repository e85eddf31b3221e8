"""Similarity-based clustering: one class after the other around the first record that is left (see `methods.sbca`).

Records are numbered by their place in the sorted table. Distances are computed once per distinct tuple; where the first
record has enough exact duplicates they are its nearest records, and none are computed at all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.class_tests import evaluate
from likeness.kernels.ordering import ascending_order

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

    ``numbers``: (a, U) place in each numeric domain, from 0 to 1; NaN when missing.
    ``categories``: (c, U) code in each other domain, of ``codes`` (c,). ``of``: (n,) tuple of each record.
    ``start``, ``record``: (U + 1,) and (n,), where the records of each tuple begin, ascending.
    ``views``: (v, n) positions in the joint histogram that each record counts in.
    """

    numbers: NDArray[np.float64]
    categories: NDArray[np.int32]
    codes: NDArray[np.int64]
    of: NDArray[np.int64]
    start: NDArray[np.int64]
    record: NDArray[np.int64]
    views: NDArray[np.int32]


FIRST, LIVING, LEFT, CLASSES = 0, 1, 2, 3
"""Positions in `State.numbers`."""


class State(NamedTuple):
    """How far a clustering is; the kernel goes on from here.

    ``label``: (n,) class of each record, -1 for those that are left.
    ``begins``: (n // k,) the tuple that each class was built around. ``head``: (U,) the next record of each tuple.
    ``alive``, ``place``: (U,) tuples that have records left, in no order, and where each stands there (-1: none left).
    ``held``: (c, codes) records left with each code. ``values``: (c,) codes that have records left.
    ``near``, ``apart``: (U,) distance of each tuple from the first one, and its sum over the categories.
    ``numbers``: (4,) first record left, tuples and records left, classes made. The others are room to work in.
    """

    label: NDArray[np.int64]
    begins: NDArray[np.int64]
    head: NDArray[np.int64]
    alive: NDArray[np.int64]
    place: NDArray[np.int64]
    held: NDArray[np.int64]
    values: NDArray[np.int64]
    near: NDArray[np.float64]
    apart: NDArray[np.float64]
    heap: NDArray[np.int64]
    taken: NDArray[np.int64]
    histogram: NDArray[np.int64]
    numbers: NDArray[np.int64]


def begin(table: Sorted, k: int, width: int) -> State:
    """Make the state of a clustering that has not begun, of k records a class and a joint histogram of ``width``."""
    n, u, c = table.of.size, table.start.size - 1, table.codes.size
    held = np.zeros((c, int(table.codes.max(initial=1))), np.int64)
    for j in range(c):
        np.add.at(held[j], table.categories[j], np.diff(table.start))
    return State(
        np.full(n, -1, np.int64),
        np.zeros(n // k, np.int64),
        table.start[:-1].copy(),
        np.arange(u),
        np.arange(u),
        held,
        np.count_nonzero(held, axis=1).astype(np.int64),
        np.zeros(u),
        np.zeros(u),
        np.zeros(u, np.int64),
        np.zeros(n, np.int64),
        np.zeros(width, np.int64),
        np.array([0, u, n, 0], np.int64),
    )


@njit(cache=True)
def go_on(table, options, k, functions, shape, integers, reals, smallest, state, work):
    """Build more classes, until no more can be built (True) or after ``work`` distances or records taken; changes ``state``.

    ``k``: records of a class, at least 2; it grows until the tests (`class_tests.lay_out`) hold.
    """
    tests = (functions, shape, integers, reals)
    numbers, label = state.numbers, state.label
    wanted = max(k, smallest)
    done = 0
    while numbers[LEFT] >= k:
        if done >= work:
            return False
        while label[numbers[FIRST]] >= 0:
            numbers[FIRST] += 1
        seed = table.of[numbers[FIRST]]
        left, count = numbers[LEFT], 0
        state.histogram[:] = 0
        while count < wanted and state.head[seed] < table.start[seed + 1]:
            count = _take(table, state, seed, count)
        if count < wanted or not _holds(tests, count, state.histogram):
            done += numbers[LIVING]
            _measure(table, options, k, seed, count, state)
            if count < wanted:
                count = _nearest(table, state, wanted, count)
            while count < left and not _holds(tests, count, state.histogram):
                count = _grow(table, tests, state, count)
            if count < wanted or not _holds(tests, count, state.histogram):
                break
        for i in range(count):
            label[state.taken[i]] = numbers[CLASSES]
            _forget(table, state, table.of[state.taken[i]])
        state.begins[numbers[CLASSES]] = seed
        numbers[CLASSES] += 1
        numbers[LEFT] -= count
        done += count
    return True


@njit(cache=True)
def _forget(table, state, tuple_):
    """Count a record of a tuple out of what is left."""
    for j in range(table.codes.size):
        code = table.categories[j, tuple_]
        state.held[j, code] -= 1
        if state.held[j, code] == 0:
            state.values[j] -= 1
    if state.head[tuple_] == table.start[tuple_ + 1] and state.place[tuple_] >= 0:
        state.numbers[LIVING] -= 1
        last = state.alive[state.numbers[LIVING]]
        state.alive[state.place[tuple_]] = last
        state.place[last] = state.place[tuple_]
        state.place[tuple_] = -1


@njit(cache=True)
def _take(table, state, tuple_, count):
    """Take the next record of a tuple; how many are taken now."""
    record = table.record[state.head[tuple_]]
    state.head[tuple_] += 1
    state.taken[count] = record
    for view in range(table.views.shape[0]):
        state.histogram[table.views[view, record]] += 1
    return count + 1


@njit(cache=True)
def _holds(tests, count, histogram):
    """Whether what is taken is a class."""
    return tests[1].shape[0] == 0 or evaluate(tests[0], tests[1], tests[2], tests[3], count, histogram)


@njit(cache=True)
def _measure(table, options, k, seed, taken, state):
    """Distance of every tuple that is left from the seed (equations 6 to 8)."""
    c, a = table.codes.size, table.numbers.shape[0]
    alive, apart, living = state.alive, state.apart, state.numbers[LIVING]
    for i in range(living):
        apart[alive[i]] = 0.0
    order = ascending_order(state.values)
    for at in range(c):
        j = order[at]
        own = table.categories[j, seed]
        if state.values[j] <= 1:
            continue
        if state.values[j] == 2:
            for i in range(living):
                if table.categories[j, alive[i]] != own:
                    apart[alive[i]] += 1.0
            continue
        index = _similarity(table, options, k, j, seed, taken, state)
        for i in range(living):
            apart[alive[i]] += index[table.categories[j, alive[i]]] / (state.values[j] - 1)
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
            state.near[tuple_] = (total / a + apart[tuple_] / c) / 2
        else:
            state.near[tuple_] = (total + apart[tuple_]) / (a + c)


@njit(cache=True)
def _count_context(table, j, seed, taken, state, reach, counts):
    """Count the values of an attribute among the records within reach; how many there are."""
    counts[:] = 0
    total = 0
    for i in range(state.numbers[LIVING]):
        tuple_ = state.alive[i]
        if state.apart[tuple_] <= reach:
            # Records the class already has are still in the table that it is chosen from.
            times = table.start[tuple_ + 1] - state.head[tuple_] + (taken if tuple_ == seed else 0)
            counts[table.categories[j, tuple_]] += times
            total += times
    return total


@njit(cache=True)
def _similarity(table, options, k, j, seed, taken, state):
    """Index of every value in the order of its similarity to the seed's, in the context of the seed (equation 6)."""
    counts = np.zeros(table.codes[j], np.int64)
    # The context: records equal to the seed in all attributes before this one, or the next nearest ones too.
    total = _count_context(table, j, seed, taken, state, 0.0, counts)
    if total < k:
        reach = np.inf
        if not options.widen_all:
            size = _fewest(table, state, state.apart, k, seed, taken)
            reach = state.apart[state.heap[0]] if size > 0 else np.inf
        _count_context(table, j, seed, taken, state, reach, counts)
    own = table.categories[j, seed]
    here = np.empty(state.values[j], np.int64)
    found = 0
    for code in range(table.codes[j]):
        if state.held[j, code] > 0 and code != own:
            here[found] = code
            found += 1
    here = here[:found]
    gaps = np.abs(counts[here] - counts[own])
    if not options.dense:
        # Of equal gaps, descending count, then first appearance.
        rank = ascending_order(_first_places(table, j, seed, state)[here])
        rank = rank[ascending_order(-counts[here][rank])]
        here, gaps = here[rank], gaps[rank]
    index = np.zeros(counts.size)
    before, step = -1, 0
    for at in ascending_order(gaps):
        if gaps[at] != before or not options.dense:
            step += 1
        index[here[at]] = step
        before = gaps[at]
    return index


@njit(cache=True)
def _first_places(table, j, seed, state):
    """Find where each value of an attribute appears first among the records that are left."""
    appears = np.full(table.codes[j], table.of.size, np.int64)
    for i in range(state.numbers[LIVING]):
        tuple_ = state.alive[i]
        if tuple_ != seed and state.head[tuple_] < table.start[tuple_ + 1]:
            code = table.categories[j, tuple_]
            appears[code] = min(appears[code], table.record[state.head[tuple_]])
    # The seed is the first record that is left, whatever it has taken.
    appears[table.categories[j, seed]] = -1
    return appears


@njit(cache=True)
def _fewest(table, state, far, wanted, seed, taken):
    """Put the nearest tuples that together have enough records in a heap, the farthest on top; how many these are."""
    heap, size, total = state.heap, 0, 0
    for i in range(state.numbers[LIVING]):
        tuple_ = state.alive[i]
        times = table.start[tuple_ + 1] - state.head[tuple_] + (taken if tuple_ == seed else 0)
        if times == 0 or (total >= wanted and far[tuple_] > far[heap[0]]):
            continue
        heap[size] = tuple_
        child = size
        size += 1
        total += times
        while child > 0 and far[heap[child]] > far[heap[(child - 1) // 2]]:
            parent = (child - 1) // 2
            heap[child], heap[parent] = heap[parent], heap[child]
            child = parent
        while size > 1:
            top = heap[0]
            times = table.start[top + 1] - state.head[top] + (taken if top == seed else 0)
            if total - times < wanted:
                break
            total -= times
            size -= 1
            heap[0] = heap[size]
            parent = 0
            while True:
                child = 2 * parent + 1
                if child >= size:
                    break
                if child + 1 < size and far[heap[child + 1]] > far[heap[child]]:
                    child += 1
                if far[heap[child]] <= far[heap[parent]]:
                    break
                heap[child], heap[parent] = heap[parent], heap[child]
                parent = child
    return size


@njit(cache=True)
def _nearest(table, state, wanted, count):
    """Take the nearest records until there are enough; equally near ones in the order of the table."""
    near, heap = state.near, state.heap
    size = _fewest(table, state, near, wanted - count, -1, 0)
    if size == 0:
        return count
    limit = near[heap[0]]
    for i in range(size):
        if near[heap[i]] < limit:
            while state.head[heap[i]] < table.start[heap[i] + 1]:
                count = _take(table, state, heap[i], count)
    size = _gather(table, state, limit)
    while count < wanted and size > 0:
        count = _take(table, state, heap[0], count)
        size = _sift(table, state, size)
    return count


@njit(cache=True)
def _grow(table, tests, state, count):
    """Take the next nearest records, all that are equally near one by one, until the class holds."""
    limit = np.inf
    for i in range(state.numbers[LIVING]):
        tuple_ = state.alive[i]
        if state.head[tuple_] < table.start[tuple_ + 1] and state.near[tuple_] < limit:
            limit = state.near[tuple_]
    size = _gather(table, state, limit)
    while size > 0 and not _holds(tests, count, state.histogram):
        count = _take(table, state, state.heap[0], count)
        size = _sift(table, state, size)
    return count


@njit(cache=True)
def _gather(table, state, limit):
    """Put all tuples at one distance in a heap, the one whose record comes next in the table on top; how many they are."""
    size = 0
    for i in range(state.numbers[LIVING]):
        tuple_ = state.alive[i]
        if state.near[tuple_] == limit and state.head[tuple_] < table.start[tuple_ + 1]:
            record = table.record[state.head[tuple_]]
            child = size
            size += 1
            while child > 0:
                parent = (child - 1) // 2
                above = state.heap[parent]
                if table.record[state.head[above]] <= record:
                    break
                state.heap[child] = above
                child = parent
            state.heap[child] = tuple_
    return size


@njit(cache=True)
def _sift(table, state, size):
    """Restore the heap after its top gave a record; how many tuples have records left."""
    heap = state.heap
    if state.head[heap[0]] == table.start[heap[0] + 1]:
        size -= 1
        heap[0] = heap[size]
        if size == 0:
            return 0
    moved, parent = heap[0], 0
    record = table.record[state.head[moved]]
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        if (
            child + 1 < size
            and table.record[state.head[heap[child + 1]]] < table.record[state.head[heap[child]]]
        ):
            child += 1
        if table.record[state.head[heap[child]]] >= record:
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = moved
    return size
