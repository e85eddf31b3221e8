"""The classes that lie nearest to each of many people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import boolean, float64, int32, int64, types

from likeness.kernels import njit
from likeness.microdata.representatives import TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(
    float64(int64, int64, float64, float64[:, ::1], float64[:, ::1], boolean[:, ::1]),
    cache=True,
)
def _on_axes(t, e, limit, places, shown, everything):
    """Distance of a person from what a class shows on axes; infinite where it is larger than ``limit``."""
    squares = 0.0
    most = limit * limit
    for j in range(places.shape[0]):
        own, other = places[j, t], shown[j, e]
        if everything[j, e]:
            squares += 0.25
        elif np.isnan(own) or np.isnan(other):
            if np.isnan(own) != np.isnan(other):
                squares += 1.0
        elif np.isinf(own):
            squares += 1.0
        else:
            squares += (own - other) ** 2
        if squares > most:
            return np.inf
    return np.sqrt(squares)


@njit(
    types.UniTuple(int64[::1], 2)(
        float64[:, ::1],
        float64[:, ::1],
        boolean[:, ::1],
        int32[:, ::1],
        int64[::1],
        int64[:, ::1],
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
    ),
    cache=True,
)
def find_nearest(  # compiled: positions only
    places: NDArray[np.float64],
    shown: NDArray[np.float64],
    everything: NDArray[np.bool_],
    codes: NDArray[np.int32],
    begins: NDArray[np.int64],
    regions: NDArray[np.int64],
    widths: NDArray[np.int64],
    tables_at: NDArray[np.int64],
    tables: NDArray[np.float64],
    groups: NDArray[np.int64],
    placed: NDArray[np.int64],
    numbers: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the classes at the least distance from each person: how many, (people,), and which, ascending within each.

    ``places`` (a, people), ``shown`` (a, classes): on axes, over their width; NaN for the missing value, infinite for what has no
    place. ``everything`` (a, classes): whether ``*`` is shown. People who have the same of the c other attributes stand together:
    ``codes`` (c, b) of each block, which ``begins`` at (b + 1,). So do classes: ``regions`` (c, g) of each group, which begins at
    ``groups`` (g + 1,); its classes ascend on the first axis, those that have no place there, from ``placed`` (g,) on, last. How
    far a code is from a region stands in the table of its attribute, of ``widths`` (c,) columns from ``tables_at`` (c + 1,) in
    ``tables``; infinitely far classes are nobody's. ``numbers`` (classes,): what classes are called.

    Groups are looked at from the nearest on, and in each the classes from the nearest on the first axis on, until no other can be
    as near.
    """
    people, axes = begins[-1], places.shape[0]
    many = groups.shape[0] - 1
    counts = np.zeros(people, np.int64)
    found = np.empty(max(people, 1), np.int64)
    away, looked = np.empty(groups[-1]), np.empty(groups[-1], np.int64)
    far = np.empty(many)
    total = 0
    for b in range(begins.shape[0] - 1):
        for g in range(many):
            far[g] = 0.0
            for j in range(codes.shape[0]):
                far[g] += tables[tables_at[j] + codes[j, b] * widths[j] + regions[j, g]]
        nearest = np.argsort(far, kind="mergesort")
        for t in range(begins[b], begins[b + 1]):
            best, count = np.inf, 0
            here = axes > 0 and np.isfinite(places[0, t])
            for g in nearest:
                if far[g] > best + TIE or np.isinf(far[g]):
                    break
                middle = placed[g] if here else groups[g]
                for e in range(middle, groups[g + 1]):
                    d = far[g] + _on_axes(t, e, best + 2 * TIE - far[g], places, shown, everything)
                    if d <= best + TIE:
                        away[count], looked[count] = d, numbers[e]
                        count += 1
                        best = min(best, d)
                if not here:
                    continue
                up = groups[g] + np.searchsorted(shown[0, groups[g] : middle], places[0, t])
                down = up - 1
                while up < middle or down >= groups[g]:
                    above = shown[0, up] - places[0, t] if up < middle else np.inf
                    below = places[0, t] - shown[0, down] if down >= groups[g] else np.inf
                    # Twice the tolerance: sums of several axes are rounded too.
                    if far[g] + min(above, below) > best + 2 * TIE:
                        break
                    e = up if above <= below else down
                    if above <= below:
                        up += 1
                    else:
                        down -= 1
                    d = far[g] + _on_axes(t, e, best + 2 * TIE - far[g], places, shown, everything)
                    if d <= best + TIE:
                        away[count], looked[count] = d, numbers[e]
                        count += 1
                        best = min(best, d)
            kept = 0
            for i in range(count):
                if away[i] <= best + TIE:
                    looked[kept] = looked[i]
                    kept += 1
            while total + kept > found.shape[0]:
                longer = np.empty(2 * found.shape[0], np.int64)
                for i in range(total):
                    longer[i] = found[i]
                found = longer
            found[total : total + kept] = np.sort(looked[:kept])
            total += kept
            counts[t] = kept
    return counts, found[:total].copy()
