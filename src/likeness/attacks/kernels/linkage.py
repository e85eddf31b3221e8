"""Count the published records that may be a target's, for many targets at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import boolean, int8, int32, int64, void

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

RANGE, SET = 0, 1


@njit(boolean(int8, int64, int64, int64[::1], int64), cache=True)
def cell_holds(kind: int, low: int, high: int, members: NDArray[np.int64], code: int) -> bool:
    """Whether a region holds a code."""
    if kind == RANGE:
        return low <= code <= high
    end = high
    while low < high:
        middle = (low + high) // 2
        if members[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < end and members[low] == code


@njit(
    void(
        int32[:, ::1],
        int8[::1],
        int64[:, ::1],
        int64[:, ::1],
        int64[::1],
        int64,
        int32[:, ::1],
        int64[::1],
    ),
    cache=True,
)
def narrow(codes, kind, low, high, members, u, alive, count):
    """Narrow the identities down to those that hold the codes of target ``u``, all but the last.

    What it shares of its first codes with the target before is not looked at again: the first ``count[j]`` entries of
    ``alive[j]`` are the identities whose regions hold the first j codes.
    """
    last = codes.shape[0] - 1
    column = 0
    while u > 0 and column < last and codes[column, u] == codes[column, u - 1]:
        column += 1
    for j in range(column, last):
        kept = 0
        for i in range(count[j]):
            e = alive[j, i]
            if cell_holds(kind[j], low[j, e], high[j, e], members, codes[j, u]):
                alive[j + 1, kept] = e
                kept += 1
        count[j + 1] = kept


@njit(int64(int32[:, ::1], int64), cache=True)
def end_of_run(codes, u):
    """Find where the targets end that share all codes but the last with one."""
    last = codes.shape[0] - 1
    end = u + 1
    while end < codes.shape[1]:
        for j in range(last):
            if codes[j, end] != codes[j, u]:
                return end
        end += 1
    return end


@njit(
    int64[::1](int32[:, ::1], int8[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1]),
    cache=True,
)
def match_counts(  # compiled: positions only
    codes: NDArray[np.int32],
    kind: NDArray[np.int8],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    members: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(targets,) Count, for every target, the records of the identities whose regions hold all its codes.

    Targets that share their first codes share the work these cause: sort them.
    ``codes``: (d, targets) int32, d at least 1. ``kind``: (d,) int8, RANGE or SET.
    ``low``, ``high``: (d, identities), first and last code of a range; where a set begins and ends (exclusive) in
    ``members``, which ascend within each set.
    ``sizes``: (identities,), records of each.
    """
    d, targets = codes.shape
    identities = sizes.shape[0]
    last = d - 1
    found = np.zeros(targets, np.int64)
    # alive[j]: identities whose regions hold the target's first j codes.
    alive = np.empty((d, identities), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(identities):
        alive[0, e] = e
    count[0] = identities
    width = 0
    for u in range(targets):
        width = max(width, codes[last, u] + 1)
    running = np.zeros(width + 1, np.int64)
    u = 0
    while u < targets:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        left = count[last]
        if kind[last] == RANGE and (end - u) * left > width + left:
            # Many targets differ in the last code only: add up the ranges of all identities once.
            running[:] = 0
            for i in range(left):
                e = alive[last, i]
                first, stop = max(low[last, e], 0), min(high[last, e] + 1, width)
                if first < stop:
                    running[first] += sizes[e]
                    running[stop] -= sizes[e]
            for code in range(width):
                running[code + 1] += running[code]
            for t in range(u, end):
                found[t] = running[codes[last, t]]
        else:
            for t in range(u, end):
                for i in range(left):
                    e = alive[last, i]
                    if cell_holds(kind[last], low[last, e], high[last, e], members, codes[last, t]):
                        found[t] += sizes[e]
        u = end
    return found
