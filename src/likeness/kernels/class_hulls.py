"""Smallest and largest code, and set of codes, of every class."""

from __future__ import annotations

import numpy as np
from numba import int32, int64, njit, types, uint64


@njit(types.Tuple((int32[::1], int32[::1]))(int32[::1], int64[::1], int64), cache=True)
def class_ranges(codes, classes, count):
    """Smallest and largest code of each class; records of class -1 are left out.

    Returns
    -------
    low, high : (count,) int32
    """
    low = np.full(count, 2147483647, np.int32)
    high = np.full(count, -1, np.int32)
    for row in range(codes.shape[0]):
        group = classes[row]
        if group >= 0:
            code = codes[row]
            if code < low[group]:
                low[group] = code
            if code > high[group]:
                high[group] = code
    return low, high


@njit(uint64[:, ::1](int32[::1], int64[::1], int64, int64), cache=True)
def class_sets(codes, classes, count, words):
    """Set of codes of each class as bits; records of class -1 are left out.

    Returns
    -------
    (count, words) uint64
    """
    bits = np.zeros((count, words), np.uint64)
    for row in range(codes.shape[0]):
        group = classes[row]
        if group >= 0:
            code = codes[row]
            bits[group, code >> 6] |= uint64(1) << uint64(code & 63)
    return bits
