"""Where in their class records lie, and what a method's own rules make of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.points import axis
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.attacks._rerun import Rerun
    from likeness.microdata.data import Microdata

_REACHES = np.array([0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0])
"""Distances from the middle of the class, in units of the median distance, that places begin at."""
PLACES = 2 * (_REACHES.size + 1)
_CAUTION = 50.0
"""Imagined holders of a value, evenly spread over the places, added to those counted."""


def places(data: Microdata, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) Place of every record in its class: how far from the middle, and whether alone there.

    The distance from the class's mean, every attribute running from 0 to 1, is compared with the median distance of
    its members; records whose quasi-identifiers nobody else in the class has have places of their own.

    Parameters
    ----------
    data
        The records.
    labels : (n,) int64
        Class of each record, numbered from 0 without gaps.
    """
    sizes = np.bincount(labels)
    squares = np.zeros(labels.size)
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        own = axis(domain)[codes]
        squares += (own - (np.bincount(labels, own) / sizes)[labels]) ** 2
    # What differs by rounding only is equally distant.
    distance = np.round(np.sqrt(squares), 9)
    order = np.lexsort((distance, labels))
    median = distance[order][np.cumsum(sizes) - sizes + sizes // 2]
    reach = np.digitize(distance / np.maximum(median, 1e-9)[labels], _REACHES)
    alike = group_codes([data.tuples.of, labels], [data.tuples.count, sizes.size])
    alone = alike.sizes[alike.of] == 1
    return np.asarray(2 * reach + alone, np.int64)


def learn_places(
    rerun: Rerun, values: NDArray[np.int64], width: int, simulations: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """(2, places, m) Count the holders of each value in each place, in imagined tables; every other table apart.

    Parameters
    ----------
    rerun
        The method.
    values : (n,) int64
        The sensitive values there are.
    width
        Number m of codes.
    simulations
        Number of imagined tables: everybody's quasi-identifiers, the values dealt at random.
    rng
        Source of the deals.
    """
    counts = np.zeros((2, PLACES, width), np.int64)
    everybody = np.arange(values.size)
    for number in range(simulations):
        dealt = rng.permutation(values.size)
        labels = rerun.labels(everybody, dealt, None)
        inside = np.flatnonzero(labels >= 0)
        if inside.size == 0:
            continue
        own = np.unique(labels[inside], return_inverse=True)[1].astype(np.int64)
        keys = places(rerun.data.take(inside), own) * width + values[dealt[inside]]
        counts[number % 2] += np.bincount(keys, minlength=PLACES * width).reshape(PLACES, width)
    return counts


def lifts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(places, m) How much more often than anybody the holders of each value come to lie in each place.

    Examples
    --------
    >>> lifts(np.array([[900, 100], [900, 300]])).round(2)
    array([[1.1 , 0.6 ],
           [0.92, 1.33]])
    """
    total = max(1, int(counts.sum()))
    usual = np.maximum(counts.sum(axis=1, keepdims=True) / total, 1e-9)
    often = (counts + _CAUTION * usual) / (counts.sum(axis=0) + _CAUTION)
    return np.asarray(often / usual)
