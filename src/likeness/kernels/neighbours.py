"""Draw classes from buckets, as `likeness.kernels.retrieval` does, by exact Euclidean distance.

A *run* is what a bucket holds of one point. The runs of a bucket lie along the curve, so that blocks of
consecutive runs, pairs of blocks and so on are compact boxes: a binary tree in which a search skips what lies
too far away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, njit, types

from likeness.kernels.retrieval import leave_pool

_BLOCK = 8


class Boxes(NamedTuple):
    """One tree per bucket over its blocks of runs; node i has the children 2i and 2i + 1, the root is 1."""

    base: np.ndarray  # (buckets,) where the nodes of each tree begin
    blocks: np.ndarray  # (buckets,) number of blocks, rounded up to a power of two: the first block's node
    alive: np.ndarray  # (nodes,) runs with records left
    low: np.ndarray  # (nodes, d)
    high: np.ndarray


_BOXES = types.NamedTuple((int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1]), Boxes)


class Heap(NamedTuple):
    """The nearest runs found so far, the farthest of them on top."""

    distance: np.ndarray
    rank: np.ndarray
    run: np.ndarray


_HEAP = types.NamedTuple((float64[::1], int32[::1], int64[::1]), Heap)


@njit(boolean(float64, int64, float64, int64), cache=True)
def _nearer(distance, rank, other_distance, other_rank):
    """Whether a point comes first: by distance, then by rank."""
    return distance < other_distance or (distance == other_distance and rank < other_rank)


@njit(types.void(_HEAP, int64, float64, int32, int64), cache=True)
def _push(heap, size, distance, rank, run):
    """Add an entry to a heap of ``size`` entries."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if not _nearer(heap.distance[above], heap.rank[above], distance, rank):
            break
        heap.distance[at], heap.rank[at], heap.run[at] = (
            heap.distance[above],
            heap.rank[above],
            heap.run[above],
        )
        at = above
    heap.distance[at], heap.rank[at], heap.run[at] = distance, rank, run


@njit(types.void(_HEAP, int64), cache=True)
def _pop(heap, size):
    """Drop the top of a heap of ``size`` entries."""
    last = size - 1
    distance, rank, run = heap.distance[last], heap.rank[last], heap.run[last]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= last:
            break
        other = below + 1
        if other < last and _nearer(
            heap.distance[below], heap.rank[below], heap.distance[other], heap.rank[other]
        ):
            below = other
        if not _nearer(distance, rank, heap.distance[below], heap.rank[below]):
            break
        heap.distance[at], heap.rank[at], heap.run[at] = (
            heap.distance[below],
            heap.rank[below],
            heap.run[below],
        )
        at = below
    heap.distance[at], heap.rank[at], heap.run[at] = distance, rank, run


@njit(types.Tuple((int64[::1], int64[::1], int64[::1]))(int32[::1], int64[::1]), cache=True)
def _runs(rank, starts):
    """Find the runs: first position and end of each, and the first run of each bucket."""
    n, buckets = rank.shape[0], starts.shape[0] - 1
    begin, end = np.empty(n, np.int64), np.empty(n, np.int64)
    of_bucket = np.empty(buckets + 1, np.int64)
    runs = 0
    for j in range(buckets):
        of_bucket[j] = runs
        for position in range(starts[j], starts[j + 1]):
            if position == starts[j] or rank[position] != rank[position - 1]:
                begin[runs] = position
                runs += 1
            end[runs - 1] = position + 1
    of_bucket[buckets] = runs
    return begin[:runs].copy(), end[:runs].copy(), of_bucket


@njit(_BOXES(float64[:, ::1], int32[::1], int64[::1], int64[::1]), cache=True)
def _boxes(points, rank, begin, of_bucket):
    """Build the trees."""
    buckets, d = of_bucket.shape[0] - 1, points.shape[1]
    base, blocks = np.zeros(buckets, np.int64), np.ones(buckets, np.int64)
    nodes = 0
    for j in range(buckets):
        while blocks[j] * _BLOCK < of_bucket[j + 1] - of_bucket[j]:
            blocks[j] *= 2
        base[j] = nodes
        nodes += 2 * blocks[j]
    alive = np.zeros(nodes, np.int64)
    low, high = np.full((nodes, d), np.inf), np.full((nodes, d), -np.inf)
    for j in range(buckets):
        for run in range(of_bucket[j], of_bucket[j + 1]):
            node = base[j] + blocks[j] + (run - of_bucket[j]) // _BLOCK
            alive[node] += 1
            for i in range(d):
                x = points[rank[begin[run]], i]
                low[node, i], high[node, i] = min(low[node, i], x), max(high[node, i], x)
        for inner in range(blocks[j] - 1, 0, -1):
            node, child = base[j] + inner, base[j] + 2 * inner
            alive[node] = alive[child] + alive[child + 1]
            for i in range(d):
                low[node, i] = min(low[child, i], low[child + 1, i])
                high[node, i] = max(high[child, i], high[child + 1, i])
    return Boxes(base, blocks, alive, low, high)


@njit(float64(_BOXES, int64, float64[:, ::1], int64), cache=True)
def _box_distance(boxes, node, points, seed):
    """Squared distance to a box: rounded as the distances to its points are, so never above them."""
    total = 0.0
    for i in range(points.shape[1]):
        x = points[seed, i]
        apart = 0.0
        if x < boxes.low[node, i]:
            apart = boxes.low[node, i] - x
        elif x > boxes.high[node, i]:
            apart = x - boxes.high[node, i]
        total += apart * apart
    return total


@njit(
    types.UniTuple(int64, 2)(
        _BOXES,
        _HEAP,
        float64[:, ::1],
        int32[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64,
    ),
    cache=True,
)
def _search(boxes, heap, points, rank, begin, end, of_bucket, j, seed, take):
    """Fill the heap with a bucket's nearest runs that hold ``take`` records; (runs, records they hold)."""
    base, blocks = boxes.base[j], boxes.blocks[j]
    waiting, apart = np.empty(64, np.int64), np.empty(64)
    waiting[0], apart[0] = 1, 0.0
    top, size, held = 1, 0, 0
    while top > 0:
        top -= 1
        node = waiting[top]
        if boxes.alive[base + node] == 0 or (held >= take and apart[top] > heap.distance[0]):
            continue
        if node < blocks:
            near, far = 2 * node, 2 * node + 1
            near_apart = _box_distance(boxes, base + near, points, seed)
            far_apart = _box_distance(boxes, base + far, points, seed)
            if far_apart < near_apart:
                near, far, near_apart, far_apart = far, near, far_apart, near_apart
            waiting[top], apart[top] = far, far_apart
            waiting[top + 1], apart[top + 1] = near, near_apart
            top += 2
            continue
        first = of_bucket[j] + (node - blocks) * _BLOCK
        for run in range(first, min(first + _BLOCK, of_bucket[j + 1])):
            if begin[run] == end[run]:
                continue
            point = rank[end[run] - 1]
            distance = 0.0
            for i in range(points.shape[1]):
                difference = points[point, i] - points[seed, i]
                distance += difference * difference
            if held >= take and not _nearer(distance, point, heap.distance[0], heap.rank[0]):
                continue
            _push(heap, size, distance, point, run)
            size += 1
            held += end[run] - begin[run]
            while held - (end[heap.run[0]] - begin[heap.run[0]]) >= take:
                held -= end[heap.run[0]] - begin[heap.run[0]]
                _pop(heap, size)
                size -= 1
    return size, held


@njit(
    int32[::1](
        int32[::1],
        int32[::1],
        int64[::1],
        float64[:, ::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
    ),
    cache=True,
)
def retrieve_nearest(
    order, rank, starts, points, draft_start, draft_bucket, draft_take, draft_of, uniform, classes
):
    """Fill every class with the records nearest to its seed.

    Of two points at equal distance the one of smaller rank goes first; of equal points the first positions.

    Parameters
    ----------
    points : (points, d) float64
        Coordinates of the point of each rank.
    order, rank, starts, draft_start, draft_bucket, draft_take, draft_of, uniform, classes
        See `likeness.kernels.retrieval.retrieve_on_curve`.

    Returns
    -------
    (E,) int32
        Rank of each class's seed.
    """
    pool = np.arange(order.shape[0]).astype(np.int32)
    place = pool.copy()
    ends = starts[1:].copy()
    begin, end, of_bucket = _runs(rank, starts)
    boxes = _boxes(points, rank, begin, of_bucket)
    room = begin.shape[0] + 1
    heap = Heap(np.empty(room), np.empty(room, np.int32), np.empty(room, np.int64))
    seeds = np.empty(draft_of.shape[0], np.int32)
    for c in range(draft_of.shape[0]):
        first, stop = draft_start[draft_of[c]], draft_start[draft_of[c] + 1]
        low, high = starts[draft_bucket[first]], ends[draft_bucket[first]]
        seed = rank[pool[min(low + int64(uniform[c] * (high - low)), high - 1)]]
        seeds[c] = seed
        for entry in range(first, stop):
            j, take = draft_bucket[entry], draft_take[entry]
            size, held = _search(boxes, heap, points, rank, begin, end, of_bucket, j, seed, take)
            # Every run found is drawn, farthest first; only of the farthest perhaps not all.
            spare = held - take
            while size > 0:
                run = heap.run[0]
                until = end[run] - spare
                spare = 0
                for position in range(begin[run], until):
                    ends[j] -= 1
                    leave_pool(pool, place, position, ends[j])
                    classes[order[position]] = c
                begin[run] = until
                node = boxes.blocks[j] + (run - of_bucket[j]) // _BLOCK
                while until == end[run] and node > 0:
                    boxes.alive[boxes.base[j] + node] -= 1
                    node >>= 1
                _pop(heap, size)
                size -= 1
    return seeds
