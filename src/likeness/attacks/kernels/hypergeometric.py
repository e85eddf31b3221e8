"""Tails of hypergeometric distributions, for many of them at once."""

from __future__ import annotations

from math import exp

import numpy as np
from numba import float64, int64

from likeness.kernels import njit


@njit(float64[::1](int64), cache=True)
def log_factorials(most):
    """(most + 1,) Natural logarithms of 0! … most!."""
    found = np.zeros(most + 1)
    for i in range(2, most + 1):
        found[i] = found[i - 1] + np.log(i)
    return found


@njit(float64[::1](int64[::1], int64[::1], int64[::1], int64[::1]), cache=True)
def at_least(marked, total, drawn, wanted):
    """(n,) Chance that ``drawn`` of ``total`` items, without replacement, hold at least ``wanted`` of the ``marked`` ones."""
    logs = log_factorials(max(0, total.max())) if total.size else np.zeros(1)
    found = np.zeros(total.shape[0])
    for i in range(total.shape[0]):
        c, n, r = marked[i], total[i], drawn[i]
        low, high = max(wanted[i], r - (n - c), 0), min(c, r)
        ways = logs[n] - logs[r] - logs[n - r]
        chance = 0.0
        for j in range(low, high + 1):
            chance += exp(
                logs[c] - logs[j] - logs[c - j] + logs[n - c] - logs[r - j] - logs[n - c - r + j] - ways
            )
        found[i] = min(chance, 1.0)
    return found
