"""Hilbert keys: one number per point of a grid; neighbouring numbers belong to neighbours in space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import int64

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_BITS = 63
"""Bits of a key: keys and their differences fit a signed 64-bit integer."""
_MOST_BITS = 21


def bits_per_axis(axes: int) -> int:
    """Give the grid as many bits per axis as a key holds, 21 at most; 0 with more axes than bits."""
    return min(_MOST_BITS, KEY_BITS // max(1, axes))


def grid_cells(positions: NDArray[np.float64], bits: int) -> NDArray[np.int64]:
    """(d, n) int64: put positions (d, n) on a grid of ``2**bits`` cells per axis.

    ``floor(position * 2**bits)``; 1, and what lies outside 0 to 1, goes to the nearest cell.
    """
    cells = np.floor(positions * (1 << bits)).astype(np.int64)
    return np.ascontiguousarray(np.clip(cells, 0, (1 << bits) - 1))


@njit(int64[::1](int64[:, ::1], int64), cache=True)
def hilbert_keys(cells, bits):
    """(n,) Position of each grid cell along the Hilbert curve, by Skilling's transform.

    ``cells`` (d, n) holds coordinates from 0 to ``2**bits - 1``, and ``d * bits`` is at most 63. Keys go from 0 to
    ``2**(d * bits) - 1``; cells whose keys differ by 1 differ by 1 in one coordinate.
    Skilling 2004, "Programming the Hilbert curve", AIP Conference Proceedings 707.
    """
    d, n = cells.shape
    keys = np.zeros(n, np.int64)
    if d == 0 or bits == 0:
        return keys
    axes = np.empty(d, np.int64)
    top = 1 << (bits - 1)
    for point in range(n):
        for i in range(d):
            axes[i] = cells[i, point]
        bit = top
        while bit > 1:
            below = bit - 1
            for i in range(d):
                if axes[i] & bit:
                    axes[0] ^= below
                else:
                    exchanged = (axes[0] ^ axes[i]) & below
                    axes[0] ^= exchanged
                    axes[i] ^= exchanged
            bit >>= 1
        for i in range(1, d):
            axes[i] ^= axes[i - 1]
        flipped = 0
        bit = top
        while bit > 1:
            if axes[d - 1] & bit:
                flipped ^= bit - 1
            bit >>= 1
        key = 0
        for shift in range(bits - 1, -1, -1):
            for i in range(d):
                key = (key << 1) | (((axes[i] ^ flipped) >> shift) & 1)
        keys[point] = key
    return keys
