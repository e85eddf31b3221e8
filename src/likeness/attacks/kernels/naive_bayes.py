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
    """(codes, stop - first) Count the records of every sensitive value whose regions cover every code of one attribute.

    The region of a part (parts,) is the codes ``low`` to ``high``, or with ``is_set`` those in ``members`` from ``low`` to
    before ``high``; its ``records`` are of the class ``part_class``. Entries of class c, from ``start[c]``, are a sensitive
    ``value`` and the ``count`` of its records among the ``size[c]``: a record has each value with its share in the class.
    Counted are the values from ``first`` to before ``stop``; with ``evenly`` every record is spread over the codes of its
    region, instead of counting for each of them.
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
    """Score some sensitive values for every target, and keep the best; of equal ones (within ``TIE``) the first.

    ``logs`` (rows, values) are logarithms of the conditional probabilities of every code given every value, those of
    attribute j from row ``offsets[j]``; ``priors`` (values,) logarithms too. ``first`` is the number of the first of these
    values among all. Where the codes of attribute ``by`` leave few values possible (-1: none does), those of code c are
    ``possible[start[c]:start[c + 1]]``, ascending. Changed: ``best`` (targets,) the best score so far (-inf), ``at`` its
    value (-1), and ``total``, the sum of all probabilities over the best one's.
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
