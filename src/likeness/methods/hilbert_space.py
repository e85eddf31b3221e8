"""The space in which records are looked for as neighbours: one axis per quasi-identifier (paper 002, section 4.5).

Classes that do not hold every requirement are joined with their neighbours on the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError
from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct quasi-identifier tuples as points, in the order of the Hilbert curve.

    Parameters
    ----------
    rank : (n,) int64
        Rank of each record's point on the curve; tuples in one cell of its grid are ranked by first
        appearance.
    keys : (points,) int64
        Hilbert key of each rank, ascending.
    coordinates : (points, axes) float64
        Coordinates of each rank's point.
    """

    rank: NDArray[np.int64]
    keys: NDArray[np.int64]
    coordinates: NDArray[np.float64]


def axis(domain: Domain) -> NDArray[np.float64]:
    """(codes,) Place every code of an attribute on its axis, from 0 to 1.

    Numbers lie at ``(x - low) / (high - low)``; the leaves of a hierarchy (in pre-order), ordered values
    and plain values at ``code / (codes - 1)``. The missing value is the last code; beside numbers it lies
    one width of the domain beyond them, at 2, because no interval of numbers covers it.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> axis(Domain("age", "integer", np.array([20, 30, 60]), "interval", low=20, high=60))
    array([0.  , 0.25, 1.  ])
    """
    if domain.kind in NUMERIC and domain.shape == "interval":
        width = domain.width
        own = (domain.numbers - domain.low) / width if width > 0 else np.zeros(domain.size)
        return np.append(own, 2.0) if domain.missing else own
    return np.arange(domain.codes) / max(1, domain.codes - 1)


def points(data: Microdata) -> Points:
    """Place every record in space and on the Hilbert curve. Attributes of one value have no axis.

    Raises
    ------
    PolicyError
        When there are more axes than a key has bits.
    """
    from likeness.kernels.hilbert import KEY_BITS, bits_per_axis, grid_cells, hilbert_keys

    axes = [axis(domain) for domain in data.quasi]
    varying = [j for j, places in enumerate(axes) if places.size and places.max() > places.min()]
    if len(varying) > KEY_BITS:
        raise PolicyError(
            f"burel: a Hilbert curve takes at most {KEY_BITS} quasi-identifiers; got {len(varying)}: "
            "declare fewer, or use the method mondrian"
        )
    if not varying:
        return Points(np.zeros(data.size, np.int64), np.zeros(1, np.int64), np.zeros((1, 0)))
    tuples = data.tuples
    coordinates = np.array([axes[j][data.codes[j, tuples.first]] for j in varying])
    bits = bits_per_axis(len(varying))
    reach = np.array([max(1.0, axes[j].max()) for j in varying])
    keys = hilbert_keys(grid_cells(coordinates / reach[:, None], bits), bits)
    order = np.argsort(keys, kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    return Points(rank[tuples.of], keys[order], np.ascontiguousarray(coordinates[:, order].T))


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
