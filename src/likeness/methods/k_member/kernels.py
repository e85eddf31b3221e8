"""Greedy k-member clustering: grow a class by the record that adds least information loss (see `methods.k_member`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.class_tests import evaluate
from likeness.kernels.hulls import INTERVAL, SET, TREE, common_ancestor
from likeness.kernels.record_distance import TIE, aim, distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.kernels.record_distance import Space


LIVING, LEFT, CLASSES, SEED = 0, 1, 2, 3
"""Positions in `State.numbers`."""


class ClassHulls(NamedTuple):
    """Hulls of classes, and how many records they have; one row a class."""

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    bits: NDArray[np.uint64]
    present: NDArray[np.int64]
    sizes: NDArray[np.int64]


class State(NamedTuple):
    """How far a clustering is; the kernel goes on from here.

    ``label``: (n,) class of each record, -1 for those that are left. ``hulls``: hull and size of each class.
    ``head``: (U,) the next record of each tuple. ``alive``: (U,) tuples that have records left, in order.
    ``least``: (U,) what each tuple costs the class that grows, at least.
    ``numbers``: (4,) tuples and records left, classes made, the last class's first tuple. The others are room to work in.
    """

    label: NDArray[np.int64]
    hulls: ClassHulls
    head: NDArray[np.int64]
    alive: NDArray[np.int64]
    least: NDArray[np.float64]
    taken: NDArray[np.int64]
    histogram: NDArray[np.int64]
    apart: NDArray[np.float64]
    numbers: NDArray[np.int64]


def begin(geometry: Geometry, space: Space, start: NDArray[np.int64], k: int, width: int, seed: int) -> State:
    """Make the state of a clustering that has not begun; the first class begins farthest from the tuple ``seed``.

    ``start`` (U + 1,): where the records of each tuple begin; ``k``: records of a class; ``width``: of the histogram.
    """
    n, u, d = int(start[-1]), start.size - 1, geometry.kind.size
    most = n // k
    return State(
        np.full(n, -1, np.int64),
        ClassHulls(
            np.zeros((most, d), np.int32),
            np.zeros((most, d), np.int32),
            np.zeros((most, int(geometry.word[-1])), np.uint64),
            np.zeros((most, d), np.int64),
            np.zeros(most, np.int64),
        ),
        start[:-1].copy(),
        np.arange(u),
        np.zeros(u),
        np.empty(n, np.int64),
        np.zeros(width, np.int64),
        np.zeros(space.ancestors.shape[:2]),
        np.array([u, n, 0, seed], np.int64),
    )


@njit(inline="always")
def widened_loss(geometry, hulls, own, codes, u, most):
    """Loss of a hull, widened by one tuple; no less than ``most`` where it is found to be so before all is added."""
    total = 0.0
    for j in range(codes.shape[1]):
        low, high = hulls.low[own, j], hulls.high[own, j]
        first, last = min(low, codes[u, j]), max(high, codes[u, j])
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
            word, bit = geometry.word[j] + (codes[u, j] >> 6), np.uint64(codes[u, j] & 63)
            known = (hulls.bits[own, word] >> bit) & np.uint64(1)
            total += geometry.set_loss[j, hulls.present[own, j] + np.int64(known == 0)]
        if total >= most:
            break
    return total


@njit(cache=True)
def widen(geometry, hulls, own, codes, u):
    """Widen a hull by one tuple."""
    for j in range(codes.shape[1]):
        hulls.low[own, j] = min(hulls.low[own, j], codes[u, j])
        hulls.high[own, j] = max(hulls.high[own, j], codes[u, j])
        if geometry.kind[j] == SET:
            word, bit = geometry.word[j] + (codes[u, j] >> 6), np.uint64(codes[u, j] & 63)
            if (hulls.bits[own, word] >> bit) & np.uint64(1) == 0:
                hulls.bits[own, word] |= np.uint64(1) << bit
                hulls.present[own, j] += 1


@njit(cache=True)
def go_on(geometry, space, codes, start, record, views, k, functions, shape, integers, reals, state, work):
    """Make more classes, until no more can be made (True) or after ``work`` looks at tuples; ``state`` is changed.

    ``codes`` (U, d) are the tuples, ``start`` (U + 1,) and ``record`` (n,) their records; ``space`` serves for the distance
    between one class's first record and the next's. A class grows until it has k records and the tests
    (`class_tests.lay_out`) hold; ``views`` (v, n): positions in their histogram.
    """
    done = 0
    numbers, hulls = state.numbers, state.hulls
    while numbers[LEFT] >= k:
        if done >= work:
            return False
        own, living, left = numbers[CLASSES], numbers[LIVING], numbers[LEFT]
        chosen = _farthest(space, state)
        numbers[SEED] = chosen
        for i in range(living):
            state.least[state.alive[i]] = 0.0
        for j in range(codes.shape[1]):
            hulls.low[own, j] = codes[chosen, j]
            hulls.high[own, j] = codes[chosen, j]
        state.histogram[:] = 0
        count, good = 0, False
        while True:
            widen(geometry, hulls, own, codes, chosen)
            # Its other records add nothing: they are the best there are.
            while state.head[chosen] < start[chosen + 1] and not good:
                one = record[state.head[chosen]]
                state.head[chosen] += 1
                state.taken[count] = one
                count += 1
                for view in range(views.shape[0]):
                    state.histogram[views[view, one]] += 1
                good = count >= k and (
                    shape.shape[0] == 0 or evaluate(functions, shape, integers, reals, count, state.histogram)
                )
            if good or count == left:
                break
            state.least[chosen] = np.inf
            chosen = _cheapest(geometry, codes, state, own)
            done += living
        if not good:
            break
        for i in range(count):
            state.label[state.taken[i]] = own
        hulls.sizes[own] = count
        numbers[CLASSES] += 1
        numbers[LEFT] -= count
        kept = 0
        for i in range(living):
            if state.head[state.alive[i]] < start[state.alive[i] + 1]:
                state.alive[kept] = state.alive[i]
                kept += 1
        numbers[LIVING] = kept
        done += living
    return True


@njit(cache=True)
def _farthest(space, state):
    """Find the tuple farthest from the last class's first; the first of those equally far."""
    seed = state.numbers[SEED]
    numbers, categories = space.numbers[seed], space.categories[seed]
    aim(space, categories, state.apart)
    best, most = state.alive[0], -1.0
    for i in range(state.numbers[LIVING]):
        far = distance(space, numbers, categories, state.apart, state.alive[i])
        if far > most + TIE:
            best, most = state.alive[i], far
    return best


@njit(cache=True)
def _cheapest(geometry, codes, state, own):
    """Find the tuple that widens a hull at least loss; the first of equals.

    A hull only widens while its class grows, so what a tuple cost before, or a part of it, is what it costs at least.
    """
    least, alive, hulls = state.least, state.alive, state.hulls
    best, lowest = -1, np.inf
    for i in range(state.numbers[LIVING]):
        tuple_ = alive[i]
        if least[tuple_] >= lowest - TIE:
            continue
        lost = widened_loss(geometry, hulls, own, codes, tuple_, lowest)
        least[tuple_] = lost
        if lost < lowest - TIE:
            best, lowest = tuple_, lost
    return best


@njit(cache=True)
def added_losses(geometry, hulls, classes, codes, u):
    """(classes,) What a tuple would add to the total loss of each class: ``(n + 1) loss' - n loss``."""
    found = np.empty(classes)
    for i in range(classes):
        own = widened_loss(geometry, hulls, i, codes, u, np.inf)
        before = 0.0
        for j in range(codes.shape[1]):
            before += _own_loss(geometry, hulls.low[i], hulls.high[i], hulls.present[i], j)
        found[i] = (hulls.sizes[i] + 1) * own - hulls.sizes[i] * before
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
