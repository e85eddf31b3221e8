"""Draw classes from buckets: around one random seed each, the nearest records that are left.

Records stand sorted by bucket, then by the rank of their point along a curve; *position* means a place in that order. Every class
says how many records it draws from which bucket (a *draft*; many classes share one). Random numbers come in as arrays, so the
same numbers give the same classes.

Nearest is along the curve or, in the second half, by exact Euclidean distance. There a *run* is what a bucket holds of one point;
the runs of a bucket lie along the curve, so that blocks of consecutive runs, pairs of blocks and so on are compact boxes: a
binary tree in which a search skips what lies too far away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int32, int64, types

from likeness.kernels import njit


@njit(int32[::1](int64[::1], int64, int32[::1]), cache=True)
def sort_by_small_keys(keys, count, order):
    """(m,) Sort the records ``order`` (m,) by ``keys`` (n,), each below ``count``; equal ones stay in order (counting sort)."""
    places = np.zeros(count + 1, np.int64)
    for record in order:
        places[keys[record] + 1] += 1
    for key in range(count):
        places[key + 1] += places[key]
    found = np.empty(order.shape[0], np.int32)
    for record in order:
        key = keys[record]
        found[places[key]] = record
        places[key] += 1
    return found


@njit(int64(int32[::1], int64), cache=True)
def _alive(link, slot):
    """Follow the links to a slot that is alive, and shorten the path."""
    end = slot
    while link[end] != end:
        end = link[end]
    while link[slot] != end:
        slot, link[slot] = link[slot], end
    return end


@njit(int64(int32[::1], int64, int64, int64), cache=True)
def first_at_least(rank, low, high, wanted):
    """Find the first position in [low, high) whose rank is at least ``wanted``."""
    while low < high:
        middle = (low + high) >> 1
        if rank[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(types.void(int32[::1], int32[::1], int64, int64), cache=True)
def leave_pool(pool, place, position, last):
    """Take a position out of its bucket's pool; ``last`` is the pool's last entry."""
    hole = place[position]
    moved = pool[last]
    pool[hole] = moved
    place[moved] = hole


@njit(
    types.void(
        int32[::1],
        int64[::1],
        int32[::1],
        int32[::1],
        int64[::1],
        int64,
        int64,
        int64,
        int64,
        int32[::1],
    ),
    cache=True,
)
def _draw(rank, keys, before, after, starts, j, middle, key, take, drawn):
    """Draw the ``take`` living positions of bucket j that are nearest to a key, outwards from ``middle``."""
    # Slot p + j + 1 is position p of bucket j; between buckets stand slots that never die and end a search.
    shift = j + 1
    none_left, none_right = starts[j] + j, starts[j + 1] + shift
    left, right = _alive(before, middle + j), _alive(after, middle + shift)
    below = key - keys[rank[left - shift]] if left != none_left else 0
    above = keys[rank[right - shift]] - key if right != none_right else 0
    for i in range(take):
        if right == none_right or (left != none_left and below <= above):
            drawn[i] = left - shift
            left = _alive(before, left - 1)
            below = key - keys[rank[left - shift]] if left != none_left else 0
        else:
            drawn[i] = right - shift
            right = _alive(after, right + 1)
            above = keys[rank[right - shift]] - key if right != none_right else 0
    for position in drawn[:take]:
        before[position + shift], after[position + shift] = left, right


@njit(
    int32[::1](
        int32[::1],
        int32[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
    ),
    cache=True,
)
def retrieve_on_curve(
    order, rank, starts, keys, draft_start, draft_bucket, draft_take, draft_of, uniform, classes
):
    """(E,) int32: fill every class with the records whose keys are nearest to its seed's; return the rank of each seed.

    At equal distance what lies before the seed goes first; records of one key go nearest position first.
    ``order``, ``rank``: (n,) record at each position, and rank of its point, ascending within each bucket.
    ``starts``: (buckets + 1,) first position of each bucket. ``keys``: (points,) key of each rank, ascending.
    ``draft_start``, ``draft_bucket``, ``draft_take``: (drafts + 1,), (entries,), (entries,), for every draft its buckets
    and how many records it takes from each, at least one. ``draft_of``: (E,); together they take what there is, or less.
    ``uniform``: (E,) in [0, 1), choose the seeds, each from the first bucket of its draft.
    ``classes``: (n,) receives the class of each record drawn.
    """
    n, buckets = order.shape[0], starts.shape[0] - 1
    after = np.arange(n + buckets + 1).astype(np.int32)
    before = after.copy()
    pool = np.arange(n).astype(np.int32)
    place = pool.copy()
    ends = starts[1:].copy()
    drawn = np.empty(n, np.int32)
    seeds = np.empty(draft_of.shape[0], np.int32)
    for c in range(draft_of.shape[0]):
        first, stop = draft_start[draft_of[c]], draft_start[draft_of[c] + 1]
        begin, end = starts[draft_bucket[first]], ends[draft_bucket[first]]
        seed = rank[pool[min(begin + int64(uniform[c] * (end - begin)), end - 1)]]
        seeds[c] = seed
        key = keys[seed]
        lowest = np.searchsorted(keys, key)
        for entry in range(first, stop):
            j, take = draft_bucket[entry], draft_take[entry]
            middle = first_at_least(rank, starts[j], starts[j + 1], lowest)
            _draw(rank, keys, before, after, starts, j, middle, key, take, drawn)
            for position in drawn[:take]:
                ends[j] -= 1
                leave_pool(pool, place, position, ends[j])
                classes[order[position]] = c
    return seeds


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
    """(E,) int32: fill every class with the records nearest to its seed, and return the rank of each seed.

    Of two points at equal distance the one of smaller rank goes first; of equal points the first positions.
    ``points`` (points, d): coordinates of the point of each rank; the others are those of `retrieval.retrieve_on_curve`.
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
