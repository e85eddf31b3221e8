"""Losses of whole classes."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, njit

from likeness.kernels.hulls import GEOMETRY, SET, hull_loss


@njit(float64(GEOMETRY, int32[:, ::1], int64[::1]), cache=True)
def classes_loss(geometry, codes, starts):
    """Sum of the losses of all records' classes.

    Parameters
    ----------
    geometry
        The attributes' `Geometry`.
    codes : (d, n) int32
        Quasi-identifier codes, class by class.
    starts : (E + 1,) int64
        First record of each class.
    """
    d = geometry.kind.shape[0]
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    bits = np.empty(max(geometry.word[d], 1), np.uint64)
    total = 0.0
    for e in range(starts.shape[0] - 1):
        begin, end = starts[e], starts[e + 1]
        if begin == end:
            continue
        for word in range(bits.shape[0]):
            bits[word] = 0
        for j in range(d):
            low[j], high[j] = codes[j, begin], codes[j, begin]
            for at in range(begin, end):
                low[j] = min(low[j], codes[j, at])
                high[j] = max(high[j], codes[j, at])
            if geometry.kind[j] == SET:
                for at in range(begin, end):
                    code = codes[j, at]
                    bits[geometry.word[j] + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
        total += (end - begin) * hull_loss(geometry, low, high, bits)
    return total
