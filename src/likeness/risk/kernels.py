"""Loops of risk: one step of expectation and maximization over latent classes, and the people that every region holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import float64, int8, int32, int64

from likeness.attacks.kernels.beliefs import RANGE, end_of_run, narrow
from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(
    float64(
        int32[:, ::1], int64[::1], float64[::1], float64[::1], float64[:, ::1], float64[::1], float64[:, ::1]
    ),
    cache=True,
)
def expect(codes, begins, weights, shares, cells, own, counts):
    """Share every tuple out among latent classes and add it up; the log likelihood of the tuples.

    ``codes``: (d, m); ``begins``: (d,), where the codes of each attribute begin among the rows of ``cells``.
    ``weights``: (m,), how many people have each tuple. ``shares``: (L,), of each class; ``cells``: (codes, L), probability
    of each code in each class. ``own`` (L,) and ``counts`` (codes, L) are where people are added up, and must be 0.
    """
    d, m = codes.shape
    classes = shares.shape[0]
    part = np.empty(classes)
    total = 0.0
    for i in range(m):
        for c in range(classes):
            part[c] = shares[c]
        for j in range(d):
            row = begins[j] + codes[j, i]
            for c in range(classes):
                part[c] *= cells[row, c]
        whole = 0.0
        for c in range(classes):
            whole += part[c]
        total += weights[i] * np.log(whole)
        scale = weights[i] / whole
        for c in range(classes):
            part[c] *= scale
            own[c] += part[c]
        for j in range(d):
            row = begins[j] + codes[j, i]
            for c in range(classes):
                counts[row, c] += part[c]
    return total


@njit(
    int64[::1](int32[:, ::1], int8[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1]),
    cache=True,
)
def count_inside(
    codes: NDArray[np.int32],
    kind: NDArray[np.int8],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    members: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(identities,) Count, for every identity, the people whose codes its regions hold.

    ``sizes``: (tuples,), people of each tuple; all else as of `match_counts`, whose targets the tuples are.
    """
    d, tuples = codes.shape
    identities = low.shape[1]
    last = d - 1
    found = np.zeros(identities, np.int64)
    alive = np.empty((d, identities), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(identities):
        alive[0, e] = e
    count[0] = identities
    width = 0
    for u in range(tuples):
        width = max(width, codes[last, u] + 1)
    # running[c]: people of the run whose last code is below c.
    running = np.zeros(width + 1, np.int64)
    u = 0
    while u < tuples:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        running[:] = 0
        for t in range(u, end):
            running[codes[last, t] + 1] += sizes[t]
        for c in range(width):
            running[c + 1] += running[c]
        for i in range(count[last]):
            e = alive[last, i]
            if kind[last] == RANGE:
                first, stop = max(low[last, e], 0), min(high[last, e] + 1, width)
                if first < stop:
                    found[e] += running[stop] - running[first]
            else:
                for at in range(low[last, e], high[last, e]):
                    code = members[at]
                    if code < width:
                        found[e] += running[code + 1] - running[code]
        u = end
    return found
