"""Loops of metrics over records and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ClassRegions(NamedTuple):
    """The regions of E classes in d columns."""

    of: NDArray[np.int64]
    """(E, d) column of a table of distances that each class's region has."""
    squared: NDArray[np.bool_]
    """(d,) whether the distances of a column are squares, which are summed before their root is taken."""
    sizes: NDArray[np.float64]
    """(E,) records."""


REGIONS = types.NamedTuple((int64[:, ::1], boolean[::1], float64[::1]), ClassRegions)


@njit(float64(REGIONS, float64[::1], int64, float64), cache=True, nogil=True, inline="always")
def _apart(regions: ClassRegions, away: NDArray[np.float64], e: int, most: float) -> float:
    """How far a class is, or infinity as soon as it is known to be farther than ``most``."""
    squares, others = 0.0, 0.0
    for j in range(regions.of.shape[1]):
        own = away[regions.of[e, j]]
        if regions.squared[j]:
            squares += own
        else:
            others += own
        left = most - others
        if left < 0.0 or squares > left * left * (1.0 + 1e-9):
            return np.inf
    return float(np.sqrt(squares)) + others


@njit(float64[::1](REGIONS, float64[:, ::1], int64[::1], int64[::1], float64), cache=True, nogil=True)
def chances(
    regions: ClassRegions,
    away: NDArray[np.float64],
    begins: NDArray[np.int64],
    own: NDArray[np.int64],
    tie: float,
) -> NDArray[np.float64]:
    """(pairs,) Chance of finding a record among the classes nearest to it: 1 over their records, 0 where its own is none of them.

    ``away`` (t, regions): how far each of t tuples is from every region, column after column. ``begins`` (t + 1,): where the
    classes ``own`` (pairs,) begin that records of each tuple are in.
    """
    found = np.zeros(own.shape[0])
    classes = regions.of.shape[0]
    for t in range(begins.shape[0] - 1):
        if begins[t] == begins[t + 1]:
            continue
        least = np.inf
        for p in range(begins[t], begins[t + 1]):
            least = min(least, _apart(regions, away[t], own[p], np.inf))
        records = 0.0
        nearest = least
        for e in range(classes):
            here = _apart(regions, away[t], e, nearest + 2.0 * tie)
            if here < nearest:
                nearest = here
                if nearest + tie < least:
                    break
        if nearest + tie < least:
            continue
        for e in range(classes):
            if _apart(regions, away[t], e, nearest + 2.0 * tie) <= nearest + tie:
                records += regions.sizes[e]
        for p in range(begins[t], begins[t + 1]):
            if _apart(regions, away[t], own[p], np.inf) <= nearest + tie:
                found[p] = 1.0 / records
    return found
