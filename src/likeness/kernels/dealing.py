"""Take one record of each of the most frequent sensitive values, again and again (Anatomy), and place who is left over."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np
from numba import int64

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(int64[::1](int64[::1], int64), cache=True)
def deal(counts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Fill buckets with ``width`` different values each, always those with most records left, then of smaller code.

    Returns (places,) the value in each place, bucket after bucket; what no longer fills a bucket is left out.
    """
    total = counts.sum()
    heap = [(-counts[value], value) for value in range(counts.shape[0]) if counts[value] > 0]
    heapify(heap)
    places = np.empty(total, np.int64)
    left = np.empty(width, np.int64)
    taken = 0
    while len(heap) >= width:
        for i in range(width):
            owed, value = heappop(heap)
            places[taken + i] = value
            left[i] = owed + 1
        for i in range(width):
            if left[i] < 0:
                heappush(heap, (left[i], places[taken + i]))
        taken += width
    return places[:taken].copy()


@njit(int64[::1](int64[::1], int64[:, ::1], int64), cache=True)
def place_leftovers(values: NDArray[np.int64], held: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Place records, one after the other, into the first bucket that has their value fewer than ``most`` times.

    ``held`` (values, buckets) counts each value in each bucket, and is kept up to date. Returns (records,) the bucket, -1 where
    none has room.
    """
    buckets = held.shape[1]
    # A bucket that is full for a value stays full for it.
    first = np.zeros(held.shape[0], np.int64)
    found = np.full(values.shape[0], -1, np.int64)
    for i in range(values.shape[0]):
        value = values[i]
        while first[value] < buckets and held[value, first[value]] >= most:
            first[value] += 1
        if first[value] < buckets:
            found[i] = first[value]
            held[value, first[value]] += 1
    return found
