"""Naive Bayes over regions: how often every value of an attribute goes with every class, and the likeliest class."""

from __future__ import annotations

from math import exp, inf

import numpy as np
from numba import boolean, float64, int32, int64, void

from likeness.kernels import njit

TIE = 1e-11
"""Scores that differ by less are equal: they are sums of rounded logarithms."""


@njit(
    float64[:, ::1](
        boolean,
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int64,
        int64,
        boolean,
    ),
    cache=True,
)
def attribute_counts(  # compiled: positions only
    is_set, low, high, members, part_class, records, start, value, count, size, codes, first, stop, evenly
):
    """Count the records of every sensitive value whose regions cover every code of one attribute.

    Parameters
    ----------
    is_set
        Whether regions are sets of codes, or ranges.
    low, high : (parts,) int64
        First and last code of the region of each part; where a set begins and ends (exclusive) in ``members``.
    members : int64
        Members of sets.
    part_class, records : (parts,) int64
        Class of the records of each part, and their number.
    start : (classes + 1,) int64
        Where the entries of each class begin.
    value, count : (entries,) int64
        Sensitive value of each entry, and its records in the class.
    size : (classes,) int64
        Records of each class; a record has each value with its share in the class.
    codes
        Number of codes.
    first, stop
        Sensitive values to count, from ``first`` to before ``stop``.
    evenly
        Spread every record over the codes of its region, instead of counting it for each of them.

    Returns
    -------
    (codes, stop - first) float64
    """
    width = stop - first
    found = np.zeros((codes + 1, width))
    # Where nothing is counted, sums of differences must be zero, not nearly zero.
    times = np.zeros((codes + 1, width), np.int32)
    for p in range(part_class.shape[0]):
        c, begin, end = part_class[p], low[p], high[p]
        covered = end - begin if is_set else end - begin + 1
        if covered <= 0:
            continue
        for k in range(start[c], start[c + 1]):
            v = value[k] - first
            if v < 0 or v >= width:
                continue
            # Exact where all records of a class are one part.
            weight = records[p] * count[k] / size[c]
            if evenly:
                weight /= covered
            if is_set:
                for i in range(begin, end):
                    found[members[i], v] += weight
            else:
                found[begin, v] += weight
                found[end + 1, v] -= weight
                times[begin, v] += 1
                times[end + 1, v] -= 1
    if not is_set:
        for code in range(1, codes):
            for v in range(width):
                times[code, v] += times[code - 1, v]
                if times[code, v] == 0:
                    found[code, v] = 0.0
                else:
                    found[code, v] += found[code - 1, v]
    return found[:codes]


@njit(
    void(
        int32[:, ::1],
        int64[::1],
        float64[:, ::1],
        float64[::1],
        int64,
        int64,
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
        float64[::1],
    ),
    cache=True,
)
def take_best(  # compiled: positions only
    codes, offsets, logs, priors, first, by, start, possible, best, at, total
):
    """Score some sensitive values for every target, and keep the best; of equal ones the first.

    Parameters
    ----------
    codes : (d, targets) int32
        Codes of the targets.
    offsets : (d,) int64
        Where the rows of each attribute begin in ``logs``.
    logs : (rows, values) float64
        Logarithm of the conditional probability of every code given every value.
    priors : (values,) float64
        Logarithm of the prior of every value.
    first
        Number of the first of these values among all.
    by, start, possible
        An attribute whose codes leave few values possible (-1: none does): where the possible values of each of its
        codes begin, and these, ascending.
    best, at, total
        Changed: the best score so far (-inf), its value (-1), and the sum of all probabilities over the best
        one's.
    """
    d, targets = codes.shape
    for t in range(targets):
        begin, end = 0, priors.shape[0]
        if by >= 0:
            begin, end = start[codes[by, t]], start[codes[by, t] + 1]
        for i in range(begin, end):
            v = possible[i] if by >= 0 else i
            s = priors[v]
            for j in range(d):
                s += logs[offsets[j] + codes[j, t], v]
            if s == -inf:
                continue
            if s > best[t] + TIE:
                total[t] = total[t] * exp(best[t] - s) + 1.0
                best[t] = s
                at[t] = first + v
            else:
                total[t] += exp(s - best[t])
