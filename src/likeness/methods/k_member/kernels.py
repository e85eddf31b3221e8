"""Greedy k-member clustering: grow a class by the record that adds least information loss (see `methods.k_member`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import borrowed, njit
from likeness.kernels.class_tests import evaluate
from likeness.kernels.hulls import INTERVAL, SET, TREE, common_ancestor
from likeness.kernels.record_distance import TIE, aim, distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.kernels.record_distance import Space


LIVING, LEFT, CLASSES, SEED, LISTED = 0, 1, 2, 3, 4
"""Positions in `State.numbers`."""
_LIVING_SHARE = 0.75
"""Of the tuples listed in blocks, the share that has records left, below which they are listed anew."""


class ClassHulls(NamedTuple):
    """Hulls of classes, and how many records they have; one row a class."""

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    bits: NDArray[np.uint64]
    present: NDArray[np.int64]
    sizes: NDArray[np.int64]


class Blocks(NamedTuple):
    """Tuples that are near each other, ``size`` to a block, and what a block says of all of them; one row a block.

    ``listed``: (U,) tuples, block by block. ``of``: (U,) block of each. ``first``: the first tuple of a block, ``living``: how
    many of its tuples have records left. ``low``, ``high``, ``bits``: the codes they have. ``least``, ``most``: (numeric
    attributes) their smallest and largest number, ``missing`` whether some have none. ``nearest``, ``farthest``: (categories)
    smallest and largest code. ``cost``: what any of them costs the class that grows, at least; ``grown``: the class that this
    is about. ``reach``: how far any of them is, at most.
    """

    size: int
    listed: NDArray[np.int64]
    of: NDArray[np.int64]
    first: NDArray[np.int64]
    living: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    bits: NDArray[np.uint64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    missing: NDArray[np.bool_]
    nearest: NDArray[np.int32]
    farthest: NDArray[np.int32]
    cost: NDArray[np.float64]
    grown: NDArray[np.int64]
    reach: NDArray[np.float64]


class State(NamedTuple):
    """How far a clustering is; the kernel goes on from here.

    ``label``: (n,) class of each record, -1 for those that are left. ``hulls``: hull and size of each class.
    ``head``: (U,) the next record of each tuple. ``least``: (U,) what each tuple costs the class that grows, at least.
    ``numbers``: (5,) tuples and records left, classes made, the last class's first tuple, tuples listed in blocks. The others
    are room to work in.
    """

    label: NDArray[np.int64]
    hulls: ClassHulls
    blocks: Blocks
    head: NDArray[np.int64]
    least: NDArray[np.float64]
    far: NDArray[np.float64]
    taken: NDArray[np.int64]
    histogram: NDArray[np.int64]
    apart: NDArray[np.float64]
    numbers: NDArray[np.int64]


def begin(
    geometry: Geometry,
    space: Space,
    start: NDArray[np.int64],
    listed: NDArray[np.int64],
    block: int,
    k: int,
    width: int,
    seed: int,
) -> State:
    """Make the state of a clustering that has not begun; the first class begins farthest from the tuple ``seed``.

    ``start`` (U + 1,): where the records of each tuple begin; ``listed`` (U,): tuples, near ones together, of which ``block``
    make a block; ``k``: records of a class; ``width``: of the histogram.
    """
    n, u, d = int(start[-1]), start.size - 1, geometry.kind.size
    most, blocks = n // k, -(-u // block)
    words, numeric, others = int(geometry.word[-1]), space.numbers.shape[1], space.categories.shape[1]
    return State(
        np.full(n, -1, np.int64),
        ClassHulls(
            np.zeros((most, d), np.int32),
            np.zeros((most, d), np.int32),
            np.zeros((most, words), np.uint64),
            np.zeros((most, d), np.int64),
            np.zeros(most, np.int64),
        ),
        Blocks(
            block,
            listed.copy(),
            np.zeros(u, np.int64),
            np.zeros(blocks, np.int64),
            np.zeros(blocks, np.int64),
            np.zeros((blocks, d), np.int32),
            np.zeros((blocks, d), np.int32),
            np.zeros((blocks, words), np.uint64),
            np.zeros((blocks, numeric)),
            np.zeros((blocks, numeric)),
            np.zeros((blocks, numeric), np.bool_),
            np.zeros((blocks, others), np.int32),
            np.zeros((blocks, others), np.int32),
            np.zeros(blocks),
            np.zeros(blocks, np.int64),
            np.zeros(blocks),
        ),
        start[:-1].copy(),
        np.zeros(u),
        np.zeros(u),
        np.empty(n, np.int64),
        np.zeros(width, np.int64),
        np.zeros(space.ancestors.shape[:2]),
        np.array([u, n, 0, seed, 0], np.int64),
    )


@njit(inline="always")
def _region_loss(geometry, hulls, own, j, first, last):
    """Loss of an interval or a node that covers an attribute of a hull, and codes from ``first`` to ``last``."""
    first, last = min(hulls.low[own, j], first), max(hulls.high[own, j], last)
    if geometry.kind[j] == INTERVAL:
        return min(geometry.position[j, last] - geometry.position[j, first], geometry.most[j])
    node = geometry.leaf_node[j, first]
    if first < last:
        node = common_ancestor(geometry.parent[j], geometry.right[j], node, last)
    return geometry.node_loss[j, node]


@njit(inline="always")
def widened_attribute(geometry, hulls, own, j, code):
    """Loss of one attribute of a hull, widened by one code."""
    if geometry.kind[j] != SET:
        return _region_loss(geometry, hulls, own, j, code, code)
    word, bit = geometry.word[j] + (code >> 6), np.uint64(code & 63)
    known = (hulls.bits[own, word] >> bit) & np.uint64(1)
    return geometry.set_loss[j, hulls.present[own, j] + np.int64(known == 0)]


@njit(inline="always")
def widened_loss(geometry, hulls, own, codes, u, most):
    """Loss of a hull, widened by one tuple; no less than ``most`` where it is found to be so before all is added."""
    total = 0.0
    for j in range(codes.shape[1]):
        total += widened_attribute(geometry, hulls, own, j, codes[u, j])
        if total >= most:
            break
    return total


@njit(inline="always")
def _widened_by_block(geometry, hulls, own, blocks, block, most):
    """Loss of a hull, widened by whatever tuple of a block, at least; as `widened_loss` adds it up."""
    total = 0.0
    for j in range(geometry.kind.size):
        if geometry.kind[j] != SET:
            # The end of the block that is nearer is the least that the hull must reach to.
            first, last = blocks.high[block, j], blocks.low[block, j]
            total += _region_loss(geometry, hulls, own, j, first, last)
        else:
            shared = np.uint64(0)
            for word in range(geometry.word[j], geometry.word[j + 1]):
                shared |= hulls.bits[own, word] & blocks.bits[block, word]
            total += geometry.set_loss[j, hulls.present[own, j] + np.int64(shared == 0)]
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
    """Make more classes, until no more can be made (True) or after ``work`` looks at tuples and blocks; ``state`` is changed.

    ``codes`` (U, d) are the tuples, ``start`` (U + 1,) and ``record`` (n,) their records; ``space`` serves for the distance
    between one class's first record and the next's. A class grows until it has k records and the tests
    (`class_tests.lay_out`) hold; ``views`` (v, n): positions in their histogram.
    """
    geometry, space, codes, start, record, views = borrowed((geometry, space, codes, start, record, views))
    shape, integers, reals, state = borrowed((shape, integers, reals, state))
    done = 0
    numbers, hulls = state.numbers, state.hulls
    while numbers[LEFT] >= k:
        if done >= work:
            return False
        if numbers[LISTED] == 0 or numbers[LIVING] < _LIVING_SHARE * numbers[LISTED]:
            done += _list_living(geometry, space, codes, start, state)
        own, left = numbers[CLASSES], numbers[LEFT]
        chosen, looks = _farthest(space, start, state)
        done += looks
        numbers[SEED] = chosen
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
            if state.head[chosen] == start[chosen + 1]:
                numbers[LIVING] -= 1
                state.blocks.living[state.blocks.of[chosen]] -= 1
            if good or count == left:
                break
            chosen, looks = _cheapest(geometry, codes, start, state, own, chosen)
            done += looks
        if not good:
            break
        for i in range(count):
            state.label[state.taken[i]] = own
        hulls.sizes[own] = count
        numbers[CLASSES] += 1
        numbers[LEFT] -= count
    return True


@njit(cache=True)
def _list_living(geometry, space, codes, start, state):
    """List the tuples that have records left in blocks anew, in the same order; how many they are."""
    blocks, size = state.blocks, state.blocks.size
    kept = 0
    for i in range(blocks.listed.size if state.numbers[LISTED] == 0 else state.numbers[LISTED]):
        u = blocks.listed[i]
        if state.head[u] < start[u + 1]:
            blocks.listed[kept] = u
            kept += 1
    state.numbers[LISTED] = kept
    for i in range(kept):
        u, block = blocks.listed[i], i // size
        begins = i % size == 0
        if begins:
            blocks.first[block], blocks.living[block], blocks.grown[block] = u, 0, -1
            blocks.bits[block] = np.uint64(0)
            blocks.missing[block] = False
        blocks.of[u] = block
        blocks.living[block] += 1
        blocks.first[block] = min(blocks.first[block], u)
        for j in range(codes.shape[1]):
            code = codes[u, j]
            blocks.low[block, j] = code if begins else min(blocks.low[block, j], code)
            blocks.high[block, j] = code if begins else max(blocks.high[block, j], code)
            if geometry.kind[j] == SET:
                blocks.bits[block, geometry.word[j] + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
        for j in range(space.numbers.shape[1]):
            place = space.numbers[u, j]
            if begins:
                blocks.least[block, j], blocks.most[block, j] = np.inf, -np.inf
            if math.isnan(place):
                blocks.missing[block, j] = True
            else:
                blocks.least[block, j] = min(blocks.least[block, j], place)
                blocks.most[block, j] = max(blocks.most[block, j], place)
        for j in range(space.categories.shape[1]):
            code = space.categories[u, j]
            blocks.nearest[block, j] = code if begins else min(blocks.nearest[block, j], code)
            blocks.farthest[block, j] = code if begins else max(blocks.farthest[block, j], code)
    return kept


@njit(cache=True)
def _reach(space, numbers, categories, apart, blocks, block):
    """How far any tuple of a block is from a point that was aimed at, at most; added up as `distances` does it."""
    squares = 0.0
    for j in range(numbers.size):
        own, far = numbers[j], 0.0
        low, high = blocks.least[block, j], blocks.most[block, j]
        if low <= high:
            far = space.apart[j] if math.isnan(own) else max(abs(low - own), abs(high - own))
        if blocks.missing[block, j] and not math.isnan(own):
            far = max(far, space.apart[j])
        squares += far**2
    found = math.sqrt(squares)
    for j in range(categories.size):
        low, high = blocks.nearest[block, j], blocks.farthest[block, j]
        if low != categories[j] or high != categories[j]:
            # Codes lie in the order of their hierarchy: none between two is farther than both.
            found += max(apart[j, low], apart[j, high]) if space.heights[j] > 1 else space.weights[j]
    return found


@njit(cache=True)
def _farthest(space, start, state):
    """Find the tuple farthest from the last class's first, the first of those equally far; and how many were looked at."""
    seed, blocks = state.numbers[SEED], state.blocks
    numbers, categories = space.numbers[seed], space.categories[seed]
    aim(space, categories, state.apart)
    count = (state.numbers[LISTED] + blocks.size - 1) // blocks.size
    ahead = 0
    for block in range(count):
        blocks.reach[block] = (
            _reach(space, numbers, categories, state.apart, blocks, block)
            if blocks.living[block]
            else -np.inf
        )
        if blocks.reach[block] > blocks.reach[ahead]:
            ahead = block
    best, most, looks = -1, -1.0, count
    for at in range(-1, count):
        block = ahead if at < 0 else at
        reach = blocks.reach[block]
        if at == ahead or reach < most - TIE or (reach <= most + TIE and blocks.first[block] > best):
            continue
        own = blocks.listed[block * blocks.size : min((block + 1) * blocks.size, state.numbers[LISTED])]
        distances(space, numbers, categories, state.apart, own, own.size, state.far)
        looks += own.size
        for u in own:
            far = state.far[u]
            if state.head[u] < start[u + 1] and (far > most + TIE or (far >= most - TIE and u < best)):
                best, most = u, max(far, most)
    return best, looks


@njit(cache=True)
def _cheapest(geometry, codes, start, state, own, last):
    """Find the tuple that widens a hull at least loss, the first of equals; and how many were looked at.

    A hull only widens while its class grows, so what a tuple or a block cost before, or a part of it, is what it costs at least.
    The blocks are gone through beginning with that of the ``last`` tuple.
    """
    blocks, hulls = state.blocks, state.hulls
    count = (state.numbers[LISTED] + blocks.size - 1) // blocks.size
    best, lowest, looks = -1, np.inf, count
    for at in range(-1, count):
        block = blocks.of[last] if at < 0 else at
        if blocks.living[block] == 0 or at == blocks.of[last]:
            continue
        begins = blocks.grown[block] != own
        if begins:
            blocks.grown[block] = own
            blocks.cost[block] = 0.0
        if _not_cheaper(blocks.cost[block], blocks.first[block], lowest, best):
            continue
        cost = _widened_by_block(geometry, hulls, own, blocks, block, lowest + 2 * TIE)
        blocks.cost[block] = cost
        listed = range(block * blocks.size, min((block + 1) * blocks.size, state.numbers[LISTED]))
        if begins:
            for i in listed:
                state.least[blocks.listed[i]] = cost
        if _not_cheaper(cost, blocks.first[block], lowest, best):
            continue
        for i in listed:
            u = blocks.listed[i]
            if state.head[u] == start[u + 1] or _not_cheaper(state.least[u], u, lowest, best):
                continue
            looks += 1
            lost = widened_loss(geometry, hulls, own, codes, u, lowest + 2 * TIE)
            state.least[u] = lost
            if not _not_cheaper(lost, u, lowest, best):
                best, lowest = u, min(lost, lowest)
    return best, looks


@njit(inline="always")
def _not_cheaper(cost, first, lowest, best):
    """Whether what costs so much at least is no better than the best so far: of equals, the first is."""
    return cost > lowest + TIE or (cost >= lowest - TIE and first > best)


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
