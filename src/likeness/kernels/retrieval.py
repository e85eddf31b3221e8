"""Draw classes from buckets: around one random seed each, the nearest records that are left.

Records stand sorted by bucket, then by the rank of their point along a curve; *position* means a place in
that order. Every class says how many records it draws from which bucket (a *draft*; many classes share
one). Random numbers come in as arrays, so the same numbers give the same classes.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, njit, types


@njit(int32[::1](int64[::1], int64, int32[::1]), cache=True)
def sort_by_small_keys(keys, count, order):
    """Sort record numbers by their small keys, keeping the given order among equal ones (counting sort).

    Parameters
    ----------
    keys : (n,) int64
        Key of each record, 0 to ``count - 1``.
    count
        Number of keys.
    order : (m,) int32
        The records to sort.

    Returns
    -------
    (m,) int32
    """
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
    """Fill every class with the records whose keys are nearest to its seed's.

    At equal distance what lies before the seed goes first; records of one key go nearest position first.

    Parameters
    ----------
    order : (n,) int32
        Record at each position.
    rank : (n,) int32
        Rank of the point at each position, ascending within each bucket.
    starts : (buckets + 1,) int64
        First position of each bucket.
    keys : (points,) int64
        Key of the point of each rank, ascending.
    draft_start, draft_bucket, draft_take : (drafts + 1,), (entries,), (entries,) int64
        For every draft its buckets and how many records it takes from each, at least one.
    draft_of : (E,) int64
        Draft of each class; together they take exactly what there is, or less.
    uniform : (E,) float64
        Random numbers from 0 to below 1 that choose the seeds, each from the first bucket of its draft.
    classes : (n,) int64
        Receives the class of each record drawn.

    Returns
    -------
    (E,) int32
        Rank of each class's seed.
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
