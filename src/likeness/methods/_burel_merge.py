"""Join classes that do not hold every requirement with their neighbours on the Hilbert curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem


def join_failing(
    problem: Problem, classes: NDArray[np.int64], seeds: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Join failing classes with neighbours, and judge again, until every class holds.

    Parameters
    ----------
    problem
        The requirements and records.
    classes : (n,) int64
        Class of each record.
    seeds : (E,) int64
        Place of each class on the curve.

    Returns
    -------
    classes : (n,) int64
        Numbered along the curve where any had to be joined.
    seeds : (E,) int64
        Place of each class.
    None
        When not even all records as one class hold.
    """
    good = problem.holding(classes, seeds.size)
    if good.all():
        return classes, seeds
    order = np.argsort(seeds, kind="stable")
    number = np.empty(order.size, np.int64)
    number[order] = np.arange(order.size)
    group, good = number, good[order]
    low = high = seeds[order]
    weight = np.ones(order.size, np.int64)
    while not good.all():
        if good.size == 1:
            return None
        joined = join_neighbours(good, low, high, weight)
        first = np.flatnonzero(np.diff(joined, prepend=-1))
        last = np.append(first[1:], joined.size) - 1
        low, high, weight = low[first], high[last], np.add.reduceat(weight, first)
        group = joined[group]
        good = problem.holding(group[classes], first.size)
    return group[classes], low


def join_neighbours(
    good: NDArray[np.bool_], low: NDArray[np.int64], high: NDArray[np.int64], weight: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Join every failing group with the nearest free neighbours, until it has doubled or none is free.

    Doubling keeps the number of rounds logarithmic in the number of classes.

    Parameters
    ----------
    good : (G,) bool
        Whether each group holds; groups stand in the order of the curve.
    low, high : (G,) int64
        Places on the curve of each group's first and last class.
    weight : (G,) int64
        Number of classes each group was joined from.

    Returns
    -------
    (G,) int64
        New group of each group, in the same order.

    Examples
    --------
    >>> places = np.array([0, 5, 6, 9])
    >>> join_neighbours(np.array([True, False, True, True]), places, places, np.ones(4, np.int64))
    array([0, 1, 1, 2])
    """
    size = good.size
    begins = np.ones(size, np.bool_)
    free = [True] * size
    lows, highs, weights = low.tolist(), high.tolist(), weight.tolist()
    for at in np.flatnonzero(~good).tolist():
        if not free[at]:
            continue
        first = last = at
        wanted = weights[at]
        while wanted > 0:
            left = lows[first] - highs[first - 1] if first > 0 and free[first - 1] else None
            right = lows[last + 1] - highs[last] if last + 1 < size and free[last + 1] else None
            if left is None and right is None:
                break
            if right is None or (left is not None and left <= right):
                first -= 1
                begins[first + 1] = False
                wanted -= weights[first]
            else:
                last += 1
                begins[last] = False
                wanted -= weights[last]
        if first < last:
            free[first : last + 1] = [False] * (last + 1 - first)
    return np.cumsum(begins) - 1
