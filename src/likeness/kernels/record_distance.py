"""Distances between records of numbers and categories (Amiri et al. 2016, section 4).

Numbers are apart by the Euclidean distance of their places in their domains; categories by the height of their lowest
common ancestor over that of the hierarchy (0 or 1 without one); both are summed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


TIE = 1e-12
"""Distances and losses nearer than this are equal: rounding must not decide between them."""


class Space(NamedTuple):
    """U distinct tuples laid out for distances: a numeric attributes, c others.

    ``numbers``: (U, a) place in each numeric domain, times the square root of the weight; NaN when missing.
    ``apart``: (a,) distance of a missing value from any number, times the same.
    ``categories``: (U, c) int32 codes.
    ``ancestors``: (c, codes, levels) int32, of each code at the levels below the root; codes themselves at level 0.
    ``heights``, ``weights``, ``codes``: (c,) levels below the root, weight and number of codes of each.
    """

    numbers: NDArray[np.float64]
    apart: NDArray[np.float64]
    categories: NDArray[np.int32]
    ancestors: NDArray[np.int32]
    heights: NDArray[np.int64]
    weights: NDArray[np.float64]
    codes: NDArray[np.int64]


@njit(cache=True)
def category_distance(space, j, one, other):
    """Height of the lowest common ancestor of two codes, over the height of the hierarchy, times the weight."""
    levels = space.heights[j]
    for level in range(levels):
        if space.ancestors[j, one, level] == space.ancestors[j, other, level]:
            return space.weights[j] * level / levels
    return space.weights[j]


@njit(cache=True)
def aim(space, categories, apart):
    """Write into ``apart`` (c, codes) how far every code is from a point's ``categories`` (c,), for `distance`.

    Rows of attributes without a hierarchy (one level below the root) are left as they are: `distance` does not read them.
    """
    for j in range(categories.size):
        if space.heights[j] > 1:
            for code in range(space.codes[j]):
                apart[j, code] = category_distance(space, j, code, categories[j])


@njit(cache=True)
def distance(space, numbers, categories, apart, u):
    """Distance of a tuple from a point given by its numbers and codes, that was aimed at."""
    squares = 0.0
    for j in range(numbers.size):
        own, other = space.numbers[u, j], numbers[j]
        if math.isnan(own) != math.isnan(other):
            squares += space.apart[j] ** 2
        elif not math.isnan(own):
            squares += (own - other) ** 2
    found = math.sqrt(squares)
    for j in range(categories.size):
        code = space.categories[u, j]
        if code != categories[j]:
            found += apart[j, code] if space.heights[j] > 1 else space.weights[j]
    return found


@njit(cache=True)
def distances(space, numbers, categories, apart, tuples, count, near):
    """Write into ``near`` (U,) the `distance` of the first ``count`` tuples of a list from a point that was aimed at."""
    # Arrays by themselves: passing the space on for every tuple takes longer than its distance.
    places, missing, codes, heights, weights = (
        space.numbers,
        space.apart,
        space.categories,
        space.heights,
        space.weights,
    )
    for i in range(count):
        u = tuples[i]
        squares = 0.0
        for j in range(numbers.size):
            own, other = places[u, j], numbers[j]
            if math.isnan(own) != math.isnan(other):
                squares += missing[j] ** 2
            elif not math.isnan(own):
                squares += (own - other) ** 2
        found = math.sqrt(squares)
        for j in range(categories.size):
            code = codes[u, j]
            if code != categories[j]:
                found += apart[j, code] if heights[j] > 1 else weights[j]
        near[u] = found


@njit(cache=True)
def centroid(space, sums, present, counts, numbers, categories):
    """Write the centre of a set of records into ``numbers`` and ``categories``, from its running sums.

    Numbers: the mean of those there are, ``sums`` over ``present`` (a,); NaN without any. Categories: the one with the
    least total distance to all members, then the most frequent, then the first; ``counts`` (c, codes, levels) holds the
    members below each ancestor, by its number, per level.
    """
    for j in range(sums.size):
        numbers[j] = sums[j] / present[j] if present[j] > 0 else np.nan
    for j in range(categories.size):
        best, best_near, best_count = 0, -1, -1
        for code in range(space.codes[j]):
            if counts[j, code, 0] == 0:
                # Some code that occurs is nearer to all: it shares every ancestor that has members.
                continue
            near = 0
            for level in range(space.heights[j]):
                near += counts[j, space.ancestors[j, code, level], level]
            if near > best_near or (near == best_near and counts[j, code, 0] > best_count):
                best, best_near, best_count = code, near, counts[j, code, 0]
        categories[j] = best


@njit(cache=True)
def add_records(space, sums, present, counts, u, times):
    """Add so many records of a tuple to running sums for `centroid` (a negative number takes them away)."""
    for j in range(sums.size):
        if not math.isnan(space.numbers[u, j]):
            sums[j] += times * space.numbers[u, j]
            present[j] += times
    for j in range(counts.shape[0]):
        for level in range(space.heights[j]):
            counts[j, space.ancestors[j, space.categories[u, j], level], level] += times


@njit(cache=True)
def running_sums(space, sizes):
    """Sum so many records of each tuple, for `centroid`."""
    sums, present = np.zeros(space.numbers.shape[1]), np.zeros(space.numbers.shape[1], np.int64)
    counts = np.zeros(space.ancestors.shape, np.int64)
    for u in range(sizes.size):
        if sizes[u] > 0:
            add_records(space, sums, present, counts, u, sizes[u])
    return sums, present, counts
