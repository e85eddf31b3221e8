"""Maximum distance to average vector: clusters of k records around those farthest from the centre (see `methods.mdav`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.record_distance import (
    TIE,
    add_records,
    aim,
    centroid,
    distance,
    distances,
    running_sums,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.record_distance import Space


LIVING, RECORDS, ENTRIES, CLUSTERS = 0, 1, 2, 3
"""Positions in `State.numbers`."""


class State(NamedTuple):
    """How far a clustering is; the kernel goes on from here.

    ``label``, ``taken``: (L,) the clusters, entry by entry: a tuple, and how many of its records it gives.
    ``starts``: (clusters + 1,) where the entries of each cluster begin. ``left``: (U,) records each tuple still has.
    ``alive``: (U,) the tuples that have some. ``near``: (U,) distance of every tuple from the last seed.
    ``sums``, ``present``, ``counts``: of all records that are left (`record_distance.centroid`).
    ``numbers``: (4,) tuples and records left, entries and clusters made. The others are room to work in.
    """

    label: NDArray[np.int64]
    taken: NDArray[np.int64]
    starts: NDArray[np.int64]
    left: NDArray[np.int64]
    alive: NDArray[np.int64]
    sums: NDArray[np.float64]
    present: NDArray[np.int64]
    counts: NDArray[np.int64]
    near: NDArray[np.float64]
    heap: NDArray[np.int64]
    apart: NDArray[np.float64]
    numbers: NDArray[np.int64]


def begin(space: Space, sizes: NDArray[np.int64], k: int) -> State:
    """Make the state of a clustering that has not begun; ``sizes`` (U,) records of each tuple, k (1 or more) of a cluster."""
    count, records = sizes.size, int(sizes.sum())
    clusters = records // k + 1
    sums, present, counts = running_sums(space, sizes)
    return State(
        np.empty(count + clusters, np.int64),
        np.empty(count + clusters, np.int64),
        np.zeros(clusters + 1, np.int64),
        sizes.astype(np.int64),
        np.arange(count),
        sums,
        present,
        counts,
        np.empty(count),
        np.empty(min(k, count), np.int64),
        np.zeros(space.ancestors.shape[:2]),
        np.array([count, records, 0, 0], np.int64),
    )


@njit(cache=True)
def go_on(space, state, k, work):
    """Make more clusters of k records, until all are in one (True) or after ``work`` distances; ``state`` is changed.

    The last cluster takes the rest, k to 2k - 1 records, or fewer where there were fewer at all.
    """
    numbers, categories = np.empty(space.numbers.shape[1]), np.empty(space.categories.shape[1], np.int32)
    done = 0
    while state.numbers[RECORDS] >= 2 * k and done < work:
        centroid(space, state.sums, state.present, state.counts, numbers, categories)
        aim(space, categories, state.apart)
        seed = _farthest(space, state, numbers, categories)
        for turn in range(2):
            if turn == 1:
                # From the first seed: these distances are known.
                seed = _farthest_known(state)
            for j in range(numbers.size):
                numbers[j] = space.numbers[seed, j]
            for j in range(categories.size):
                categories[j] = space.categories[seed, j]
            aim(space, categories, state.apart)
            living = state.numbers[LIVING]
            distances(space, numbers, categories, state.apart, state.alive, living, state.near)
            done += 2 * living
            _take_nearest(space, state, k)
            if state.numbers[RECORDS] < 2 * k:
                break
    if state.numbers[RECORDS] >= 2 * k:
        return False
    entries = state.numbers[ENTRIES]
    for i in range(state.numbers[LIVING]):
        state.label[entries], state.taken[entries] = state.alive[i], state.left[state.alive[i]]
        entries += 1
    if state.numbers[RECORDS] > 0:
        state.numbers[CLUSTERS] += 1
        state.starts[state.numbers[CLUSTERS]] = entries
    state.numbers[LIVING], state.numbers[RECORDS], state.numbers[ENTRIES] = 0, 0, entries
    return True


@njit(cache=True)
def _farthest(space, state, numbers, categories):
    """Find the tuple farthest from a point that was aimed at; the first of those equally far."""
    best, most = state.alive[0], -1.0
    for i in range(state.numbers[LIVING]):
        far = distance(space, numbers, categories, state.apart, state.alive[i])
        if far > most + TIE:
            best, most = state.alive[i], far
    return best


@njit(cache=True)
def _farthest_known(state):
    """Find the tuple farthest from the last seed; the first of those equally far."""
    best, most = state.alive[0], -1.0
    for i in range(state.numbers[LIVING]):
        far = state.near[state.alive[i]]
        if far > most + TIE:
            best, most = state.alive[i], far
    return best


@njit(cache=True)
def _after(near, one, other):
    """Whether a tuple is taken after another: farther, or as far and later."""
    return near[one] > near[other] or (near[one] == near[other] and one > other)


@njit(cache=True)
def _take_nearest(space, state, k):
    """Make a cluster of k records of the nearest tuples; the last tuple may keep some."""
    near, heap, left = state.near, state.heap, state.left
    # The k nearest tuples have at least k records: a heap with the last of them on top.
    size = 0
    for i in range(state.numbers[LIVING]):
        u = state.alive[i]
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
    wanted, entries = k, state.numbers[ENTRIES]
    for at in order:
        u = chosen[at]
        given = min(wanted, left[u])
        state.label[entries], state.taken[entries] = u, given
        entries += 1
        add_records(space, state.sums, state.present, state.counts, u, -given)
        left[u] -= given
        wanted -= given
        if wanted == 0:
            break
    state.numbers[ENTRIES] = entries
    state.numbers[RECORDS] -= k
    state.numbers[CLUSTERS] += 1
    state.starts[state.numbers[CLUSTERS]] = entries
    kept = 0
    for i in range(state.numbers[LIVING]):
        if left[state.alive[i]] > 0:
            state.alive[kept] = state.alive[i]
            kept += 1
    state.numbers[LIVING] = kept
