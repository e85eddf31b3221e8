"""The spaces in which records are looked for as neighbours.

One has an axis per quasi-identifier, and the Hilbert curve (Cao & Karras 2012, 4.5): classes that do not hold every requirement
are joined with their neighbours on the curve. In the other one categories are as far apart as their hierarchies say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError
from likeness.microdata.domain import NUMERIC
from likeness.microdata.regions import attribute_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.record_distance import Space
    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct quasi-identifier tuples as points, in the order of the Hilbert curve.

    ``rank``: (n,) of each record's point; tuples in one cell of the curve's grid are ranked by first appearance.
    ``keys``, ``coordinates``: (points,) Hilbert key of each rank, ascending, and (points, axes).
    """

    rank: NDArray[np.int64]
    keys: NDArray[np.int64]
    coordinates: NDArray[np.float64]


def axis(domain: Domain) -> NDArray[np.float64]:
    """(codes,) Place every code of an attribute on its axis, from 0 to 1.

    Numbers lie at ``(x - low) / (high - low)``; the leaves of a hierarchy (in pre-order), ordered values
    and plain values at ``code / (codes - 1)``. The missing value is the last code; beside numbers it lies
    one width of the domain beyond them, at 2, because no interval of numbers covers it.
    """
    if domain.kind in NUMERIC and domain.shape == "interval":
        return domain.places(2.0)
    return np.arange(domain.codes) / max(1, domain.codes - 1)


def points(data: Microdata) -> Points:
    """Place every record in space and on the Hilbert curve; attributes of one value have no axis.

    Raises `PolicyError` with more axes than a key has bits.
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
    """Join failing classes with neighbours, and judge again, until every class holds; None when not even all as one hold.

    ``seeds`` (E,): place of each class on the curve. Returns classes (n,), numbered along the curve where any had to be
    joined, and their places, of a joined one that of its first.
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
    """(G,) Join every failing group with the nearest free neighbours, until it has doubled or none is free.

    Doubling keeps the number of rounds logarithmic in the number of classes. Groups stand in the order of the curve, each
    from ``low`` to ``high``, and are joined from ``weight`` classes; new ones are numbered in the same order.

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


def record_space(data: Microdata) -> Space:
    """Lay out the distinct tuples of a table for `record_distance`.

    Numbers, dates and ordered values are places in their domain, from 0 to 1; a missing one is 1 away from all others.
    Categories with a hierarchy are as far apart as their lowest common ancestor is high, plain ones 0 or 1.
    """
    from likeness.kernels.record_distance import Space

    first = data.tuples.first
    weights = attribute_weights(data.quasi) * len(data.quasi)
    numeric = [j for j, domain in enumerate(data.quasi) if domain.shape == "interval"]
    other = [j for j, domain in enumerate(data.quasi) if domain.shape != "interval"]
    apart = np.sqrt(weights[numeric])
    numbers = (
        np.array([data.quasi[j].places(np.nan)[data.codes[j, first]] for j in numeric], np.float64).reshape(
            len(numeric), first.size
        )
        * apart[:, None]
    )
    categories = np.array([data.codes[j, first] for j in other], np.int32).reshape(len(other), first.size)
    sizes = np.array([data.quasi[j].codes for j in other], np.int64)
    ladders = [_ancestors(data.quasi[j]) for j in other]
    codes = max((ladder.shape[0] for ladder in ladders), default=1)
    levels = max((ladder.shape[1] for ladder in ladders), default=1)
    ancestors = np.zeros((len(other), codes, levels), np.int32)
    for j, ladder in enumerate(ladders):
        ancestors[j, : ladder.shape[0], : ladder.shape[1]] = ladder
    heights = np.array([ladder.shape[1] for ladder in ladders], np.int64)
    return Space(
        np.ascontiguousarray(numbers.T),
        apart,
        np.ascontiguousarray(categories.T),
        ancestors,
        heights,
        weights[other],
        sizes,
    )


def _ancestors(domain: Domain) -> NDArray[np.int32]:
    """(codes, heights) Number of each code's highest ancestor of at most every height in edges, the code itself first."""
    codes = np.arange(domain.codes)
    if domain.shape != "tree" or domain.hierarchy is None or domain.hierarchy.height < 1:
        return codes[:, None].astype(np.int32)
    tree = domain.hierarchy.unpadded
    columns = [codes]
    for level in range(1, tree.height):
        node = tree.ancestor_at(np.arange(domain.size), level).astype(np.int64)
        if domain.missing:
            node = np.append(node, len(tree.labels))
        columns.append(np.unique(node, return_inverse=True)[1])
    return np.stack(columns, axis=1).astype(np.int32)
