"""Draw classes from buckets, as `likeness.kernels.retrieval` does, by exact Euclidean distance.

The cost of a class is proportional to the distinct points still left in its buckets.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int32, int64, njit, types

from likeness.kernels.retrieval import leave_pool


@njit(boolean(float64, int64, float64, int64), cache=True)
def _nearer(distance, rank, other_distance, other_rank):
    """Whether a point comes first: by distance, then by rank."""
    return distance < other_distance or (distance == other_distance and rank < other_rank)


@njit(types.void(float64[::1], int32[::1], int64[::1], int64, float64, int32, int64), cache=True)
def _sift_up(distance, rank, run, at, new_distance, new_rank, new_run):
    """Put an entry into a heap whose top is the farthest point, from the free place ``at`` upwards."""
    while at > 0:
        above = (at - 1) >> 1
        if not _nearer(distance[above], rank[above], new_distance, new_rank):
            break
        distance[at], rank[at], run[at] = distance[above], rank[above], run[above]
        at = above
    distance[at], rank[at], run[at] = new_distance, new_rank, new_run


@njit(types.void(float64[::1], int32[::1], int64[::1], int64), cache=True)
def _pop(distance, rank, run, size):
    """Drop the top of a heap of ``size`` entries."""
    last = size - 1
    at = 0
    while True:
        below = 2 * at + 1
        if below >= last:
            break
        if below + 1 < last and _nearer(distance[below], rank[below], distance[below + 1], rank[below + 1]):
            below += 1
        if not _nearer(distance[last], rank[last], distance[below], rank[below]):
            break
        distance[at], rank[at], run[at] = distance[below], rank[below], run[below]
        at = below
    distance[at], rank[at], run[at] = distance[last], rank[last], run[last]


@njit(types.Tuple((int64[::1], int64[::1], int64[::1]))(int32[::1], int64[::1]), cache=True)
def _runs(rank, starts):
    """Runs of equal rank within each bucket: first position and end of each run, first run of each bucket."""
    n, buckets = rank.shape[0], starts.shape[0] - 1
    run_start, run_end = np.empty(n, np.int64), np.empty(n, np.int64)
    bucket_run = np.empty(buckets + 1, np.int64)
    runs = 0
    for j in range(buckets):
        bucket_run[j] = runs
        for position in range(starts[j], starts[j + 1]):
            if position == starts[j] or rank[position] != rank[position - 1]:
                run_start[runs] = position
                runs += 1
            run_end[runs - 1] = position + 1
    bucket_run[buckets] = runs
    return run_start[:runs].copy(), run_end[:runs].copy(), bucket_run


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
    """Fill every class with the records nearest to its seed; of two at equal distance the smaller rank goes first.

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
    n, dimensions = order.shape[0], points.shape[1]
    pool = np.arange(n).astype(np.int32)
    place = pool.copy()
    ends = starts[1:].copy()
    run_start, run_end, bucket_run = _runs(rank, starts)
    live_end = bucket_run[1:].copy()
    live = np.arange(run_start.shape[0])
    heap_distance = np.empty(live.shape[0] + 1)
    heap_rank = np.empty(live.shape[0] + 1, np.int32)
    heap_run = np.empty(live.shape[0] + 1, np.int64)
    seeds = np.empty(draft_of.shape[0], np.int32)
    for c in range(draft_of.shape[0]):
        first, stop = draft_start[draft_of[c]], draft_start[draft_of[c] + 1]
        begin, end = starts[draft_bucket[first]], ends[draft_bucket[first]]
        seed = rank[pool[min(begin + int64(uniform[c] * (end - begin)), end - 1)]]
        seeds[c] = seed
        for entry in range(first, stop):
            j, take = draft_bucket[entry], draft_take[entry]
            size, held = 0, 0
            for at in range(bucket_run[j], live_end[j]):
                run = live[at]
                point = rank[run_start[run]]
                distance = 0.0
                for i in range(dimensions):
                    distance += (points[point, i] - points[seed, i]) ** 2
                if held >= take and not _nearer(distance, point, heap_distance[0], heap_rank[0]):
                    continue
                _sift_up(heap_distance, heap_rank, heap_run, size, distance, point, at)
                size += 1
                held += run_end[run] - run_start[run]
                farthest = live[heap_run[0]]
                while held - (run_end[farthest] - run_start[farthest]) >= take:
                    held -= run_end[farthest] - run_start[farthest]
                    _pop(heap_distance, heap_rank, heap_run, size)
                    size -= 1
                    farthest = live[heap_run[0]]
            # Everything in the heap is drawn, only of the farthest point perhaps not all.
            spare = held - take
            farthest = live[heap_run[0]]
            for i in range(size):
                run = live[heap_run[i]]
                until = run_end[run] - (spare if run == farthest else 0)
                for position in range(run_start[run], until):
                    ends[j] -= 1
                    leave_pool(pool, place, position, ends[j])
                    classes[order[position]] = c
                run_start[run] = until
            kept = bucket_run[j]
            for at in range(bucket_run[j], live_end[j]):
                if run_start[live[at]] < run_end[live[at]]:
                    live[kept] = live[at]
                    kept += 1
            live_end[j] = kept
    return seeds
