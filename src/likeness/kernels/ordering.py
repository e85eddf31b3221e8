"""Sort small arrays inside kernels: numba's own sorts take seconds to compile."""

from __future__ import annotations

import numpy as np
from numba import int64, types

from likeness.kernels import njit

_RATIO = 3
"""Of one gap to the next: Knuth's 1, 4, 13, … (The Art of Computer Programming 3, section 5.2.1)."""


@njit(int64(int64), cache=True)
def _widest_gap(count):
    """Find the gap to begin with."""
    gap = 1
    while gap < count // _RATIO:
        gap = _RATIO * gap + 1
    return gap


@njit(types.void(int64[::1], int64), cache=True)
def sort_ascending(keys, count):
    """Sort the first ``count`` keys in place (Shell's sort)."""
    gap = _widest_gap(count)
    while gap > 0:
        for i in range(gap, count):
            key = keys[i]
            at = i
            while at >= gap and keys[at - gap] > key:
                keys[at] = keys[at - gap]
                at -= gap
            keys[at] = key
        gap //= _RATIO


@njit(int64[::1](int64[::1]), cache=True)
def ascending_order(keys):
    """(n,) Positions in ascending order of the keys, those of equal keys in the order they come (Shell's sort)."""
    count = keys.shape[0]
    order = np.empty(count, np.int64)
    for i in range(count):
        order[i] = i
    gap = _widest_gap(count)
    while gap > 0:
        for i in range(gap, count):
            item = order[i]
            at = i
            while at >= gap and (
                keys[order[at - gap]] > keys[item]
                or (keys[order[at - gap]] == keys[item] and order[at - gap] > item)
            ):
                order[at] = order[at - gap]
                at -= gap
            order[at] = item
        gap //= _RATIO
    return order
