"""What is believed of many targets, whole: of every value how strongly."""

from __future__ import annotations

from numba import float64, int64, void

from likeness.attacks.kernels.beliefs import CLASSES, PARTS
from likeness.kernels import njit


@njit(
    void(int64[::1], int64[::1], int64[::1], PARTS, CLASSES, float64[:, ::1], int64[::1]),
    cache=True,
)
def sum_shares(which, start, matched, parts, classes, found, candidates):  # compiled: positions only
    """Add up the shares that values have in the classes of all records that may be each target's.

    ``which`` (t,) are tuples of `likeness.attacks.kernels.beliefs.list_matches`, whose answer are ``start`` and ``matched``;
    ``parts`` and ``classes`` are those of `likeness.attacks.kernels.beliefs.guess_matching`. Filled: ``found`` (t, values) with
    the sums, ``candidates`` (t,) with the number of records; both are 0 before.
    """
    begin, class_of, records = parts
    first, value, count, size = classes
    for t in range(which.shape[0]):
        for i in range(start[which[t]], start[which[t] + 1]):
            for p in range(begin[matched[i]], begin[matched[i] + 1]):
                c = class_of[p]
                candidates[t] += records[p]
                for k in range(first[c], first[c + 1]):
                    found[t, value[k]] += records[p] * count[k] / size[c]
