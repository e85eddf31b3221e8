"""Take one record of each of the most frequent sensitive values, again and again (Anatomy)."""

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
