"""Number equal 64-bit keys by an open-addressing hash table, and cells that are alike in some attributes."""

from __future__ import annotations

import numpy as np
from numba import int64, types, uint64

from likeness.kernels import njit


@njit(types.Tuple((int64[::1], int64[::1]))(int64[::1]), cache=True)
def first_appearance(keys):
    """Number equal keys in order of first appearance: the number of each key (n,), and where each appeared first (distinct,)."""
    n = keys.shape[0]
    bits = 4
    while (1 << bits) < 1024 and (1 << bits) < 2 * n:
        bits += 1
    # Groups that fit into memory fit into 32 bits.
    table = np.full(1 << bits, -1, np.int32)
    of = np.empty(n, np.int64)
    first = np.empty(max(1, min(n, 1024)), np.int64)
    count = 0
    shift = uint64(64 - bits)
    mask = (1 << bits) - 1
    for row in range(n):
        slot = int64((uint64(keys[row]) * uint64(0x9E3779B97F4A7C15)) >> shift)
        while table[slot] >= 0 and keys[first[table[slot]]] != keys[row]:
            slot = (slot + 1) & mask
        if table[slot] < 0:
            if count == first.shape[0]:
                grown = np.empty(2 * count, np.int64)
                for i in range(count):
                    grown[i] = first[i]
                first = grown
            table[slot] = count
            first[count] = row
            count += 1
            if 2 * count > (1 << bits):
                # Small tables grow by four times, large ones by twice: nothing is as large while keys are grouped.
                bits += 2 if bits < 20 else 1
                shift = uint64(64 - bits)
                mask = (1 << bits) - 1
                table = np.full(1 << bits, -1, np.int32)
                for group in range(count):
                    at = int64((uint64(keys[first[group]]) * uint64(0x9E3779B97F4A7C15)) >> shift)
                    while table[at] >= 0:
                        at = (at + 1) & mask
                    table[at] = group
                of[row] = count - 1
                continue
        of[row] = table[slot]
    return of, first[:count].copy()


@njit(cache=True)
def group_together(groups, radices, vector, cells, keys):
    """Group cells by their groups in some rows: the number of each (m,), and where each number appeared first.

    ``groups``, ``radices``: (rows, all cells) and (rows,), group of each cell and how many there are.
    ``vector``: rows to combine. ``keys``: as long as ``cells`` (m,) at least, overwritten.
    """
    m = cells.shape[0]
    keys[:m] = 0
    span = 1
    for row in vector:
        radix = radices[row]
        # Divided, because the product itself may not fit.
        if span > (1 << 62) // radix:
            # The keys are numbered first: there are at most m of them.
            of, first = first_appearance(keys[:m])
            for i in range(m):
                keys[i] = of[i]
            span = first.shape[0]
        for i in range(m):
            keys[i] = keys[i] * radix + groups[row, cells[i]]
        span *= radix
    return first_appearance(keys[:m])
