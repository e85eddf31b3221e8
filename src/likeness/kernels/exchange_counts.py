"""How many records of every sensitive value the kept side of an exchanging cut may keep, and where the others come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import boolean, float64, int64, njit, types

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIZES_TRIED = 256
_NOBODY = 1 << 62


class Caps(NamedTuple):
    """Upper limits of m values: exact tables decide, shares aim."""

    share: NDArray[np.float64]
    """(m,) limit of each value's share of a class, rounded."""
    start: NDArray[np.int64]
    """(m + 1,) where each value's table begins."""
    smallest: NDArray[np.int64]
    """Per value, the smallest class that may hold 1, 2, … of its records."""


CAPS = types.NamedTuple((float64[::1], int64[::1], int64[::1]), Caps)
"""Numba type of the caps."""


class Sides(NamedTuple):
    """Counts per value while cuts of a class are compared."""

    whole: NDArray[np.int64]
    """(m,) records of the class."""
    inside: NDArray[np.int64]
    """(m,) records on the kept side of a cut."""
    most: NDArray[np.int64]
    """(m,) most that the kept side may keep."""
    least: NDArray[np.int64]
    """(m,) least that it must keep, because the rest may not have more."""
    chosen_most: NDArray[np.int64]
    """(m,) ``most`` of the best cut so far."""
    chosen_least: NDArray[np.int64]
    """(m,) ``least`` of the best cut so far."""
    present: NDArray[np.int64]
    """(m,) the values of the class."""
    aim: NDArray[np.float64]
    """(m,) share that parts of the class should stay below."""


SIDES = types.NamedTuple((int64[::1],) * 7 + (float64[::1],), Sides)
"""Numba type of the counts."""


def sides(values: int) -> Sides:
    """Allocate the counts."""
    counts = np.zeros((7, values), np.int64)
    return Sides(
        counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], np.zeros(values)
    )


@njit(int64(CAPS, int64, int64), cache=True)
def _largest_count(caps, value, size):
    """Most records of a value that a class of so many may hold."""
    start = caps.start[value]
    known = caps.start[value + 1] - start
    count = min(int64(caps.share[value] * size), known)
    while count < known and caps.smallest[start + count] <= size:
        count += 1
    while count > 0 and caps.smallest[start + count - 1] > size:
        count -= 1
    return count


@njit(int64(CAPS, int64, int64), cache=True)
def _smallest_class(caps, value, count):
    """Smallest class that may hold so many records of a value."""
    if count == 0:
        return 0
    start = caps.start[value]
    return caps.smallest[start + count - 1] if start + count <= caps.start[value + 1] else _NOBODY


@njit(int64(CAPS, SIDES, int64, int64), cache=True)
def _allowed(caps, c, value, size):
    """Most records of a value for a part of so many: as its limit says, and hardly more than is aimed at."""
    return min(_largest_count(caps, value, size), int64(c.aim[value] * size) + 1)


@njit(int64(CAPS, SIDES, int64, int64, int64), cache=True)
def largest_kept(caps, c, values, size, smallest):
    """Largest kept side of the records ``inside``, with its ``most`` and ``least``; 0 when there is none.

    Of sizes that every value's rounding allows, the largest of those tried.
    """
    found, bound = 0, size - smallest
    for k in range(values):
        value = c.present[k]
        found += c.inside[value]
        bound = min(bound, size - _smallest_class(caps, value, c.whole[value] - c.inside[value]))
    found = min(found, bound)
    # Fewer kept means lower limits: step down to the size at which what is allowed fills it.
    while found >= smallest:
        kept, free, limited, rounded = 0, 0, 0.0, 0
        for k in range(values):
            value = c.present[k]
            allowed = _allowed(caps, c, value, found)
            if c.inside[value] <= allowed:
                free += c.inside[value]
                kept += c.inside[value]
            else:
                limited += c.aim[value]
                rounded += 1
                kept += allowed
        if kept >= found:
            break
        # A size Y that fills itself has Y <= free + limited Y + rounded.
        found = kept if limited >= 1.0 else min(kept, int((free + rounded) / (1.0 - limited)) + 1)
    for _ in range(_SIZES_TRIED):
        if found < smallest:
            return 0
        kept, needed, good = 0, 0, True
        for k in range(values):
            value = c.present[k]
            c.most[value] = min(c.inside[value], _allowed(caps, c, value, found))
            c.least[value] = max(0, c.whole[value] - _allowed(caps, c, value, size - found))
            kept += c.most[value]
            needed += c.least[value]
            if c.least[value] > c.most[value]:
                good = False
                # What fails at this size likely fails at the next: ask it first.
                c.present[k], c.present[0] = c.present[0], value
                break
        if good and needed <= found <= kept:
            return found
        found -= 1
    return 0


@njit(int64(SIDES, int64[:, ::1], int64, int64, int64, int64, boolean), cache=True)
def reach(c, below, values, leaving, items, cut, first):
    """How many items from the cut on leaving records come from; ``first`` keeps the items before the cut."""
    low, high = 0, cut if first else items - cut
    while low < high:
        middle = (low + high) >> 1
        left, enough = 0, True
        for k in range(values):
            value = c.present[k]
            if first:
                near = below[cut, value] - below[cut - middle, value]
            else:
                near = below[cut + middle, value] - below[cut, value]
            if near < c.inside[value] - c.most[value]:
                enough = False
                break
            left += min(near, c.inside[value] - c.least[value])
        if enough and left >= leaving:
            high = middle
        else:
            low = middle + 1
    return low
