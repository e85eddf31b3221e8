"""What was published, as weighted units: equivalence classes, or distinct tuples of exact quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.forms._axes import ExactAxis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.forms._axes import Axis
    from likeness.microdata.domain import Domain

_DENSE = 1 << 22
"""Cells are counted in a table of at most so many places, or four per entry."""
_MOST_BITS = 8
"""Of a column's place on the Z-curve."""


@dataclass(frozen=True, eq=False)
class Units:
    """What was published, as units whose records nobody can tell apart by their quasi-identifiers.

    Units are equivalence classes where quasi-identifiers are generalized, and distinct tuples where they are exact.

    Parameters
    ----------
    axes
        Quasi-identifiers by name; the regions of a unit.
    sensitive
        Sensitive attributes by name: their domain, and (m,) the code each sensitive tuple has.
    start : (units + 1,) int64
        Where the cells of each unit begin.
    code : (cells,) int32
        Sensitive tuple of each cell, 0 … m - 1.
    weight : (cells,) float64
        Records of each cell, by survey weight; parts of records where only a share is known.
    mixing : (k, m) float64, optional
        Where what cells show are not sensitive tuples: what each of the k shows says of each tuple, on average.
    """

    axes: Mapping[str, Axis]
    sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]]
    start: NDArray[np.int64]
    code: NDArray[np.int32]
    weight: NDArray[np.float64]
    mixing: NDArray[np.float64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that can be asked about."""
        return (*self.axes, *self.sensitive)

    @cached_property
    def by_cell(self) -> Units:
        """The same with a unit for every cell: the (only) sensitive attribute becomes one more axis."""
        ((name, (domain, _)),) = self.sensitive.items()
        unit = np.repeat(np.arange(self.start.shape[0] - 1), np.diff(self.start))
        axes = {own: axis.at(axis.of[unit]) for own, axis in self.axes.items()}
        count = unit.shape[0]
        return make_units(
            {**axes, name: ExactAxis(domain, self.code)},
            {},
            np.arange(count),
            np.zeros(count, np.int64),
            self.weight,
            count,
        )

    @property
    def tuples(self) -> int:
        """Number m of sensitive tuples."""
        return int(next(iter(self.sensitive.values()))[1].shape[0]) if self.sensitive else 1


def make_units(
    axes: Mapping[str, Axis],
    sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]],
    unit: NDArray[np.integer],
    code: NDArray[np.integer],
    weight: NDArray[np.float64],
    count: int,
    mixing: NDArray[np.float64] | None = None,
) -> Units:
    """Put units that are alike beside each other and gather what each holds.

    Parameters
    ----------
    axes
        Quasi-identifiers; their ``of`` in the order that units are numbered in.
    sensitive
        See `Units`.
    unit, code, weight : (entries,)
        Unit, sensitive tuple and weight of records, or of parts of them.
    count
        Number of units.
    mixing
        See `Units`; ``code`` then says what is shown.
    """
    order = nearby([axis.ranks[axis.of] for axis in axes.values()], count)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    axes = {name: axis.at(axis.of[order]) for name, axis in axes.items()}
    m = int(next(iter(sensitive.values()))[1].shape[0]) if sensitive else 1
    keys, weights = _add_up(place[unit] * m + code, weight, count * m)
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys // m, minlength=count), out=start[1:])
    return Units(axes, sensitive, start, (keys % m).astype(np.int32), weights, mixing)


def nearby(ranks: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.int64]:
    """(units,) Order units along a Z-curve, so that every stretch of them is near each other in all columns.

    Parameters
    ----------
    ranks
        Of every column, the rank of each unit.
    count
        Number of units.

    Examples
    --------
    >>> nearby([np.array([0, 0, 1, 1]), np.array([0, 5, 5, 0])], 4)
    array([0, 1, 3, 2])
    """
    if not ranks or not count:
        return np.arange(count)
    most = min(_MOST_BITS, 60 // len(ranks))
    places = []
    for own in ranks:
        distinct, place, sizes = np.unique(own, return_inverse=True, return_counts=True)
        bits = min(most, (distinct.size - 1).bit_length())
        if distinct.size > 1 << bits:
            # Equal numbers of units at every place.
            place = (((np.cumsum(sizes) - sizes) << bits) // count)[place]
        places.append((place.reshape(-1), bits))
    key = np.zeros(count, np.int64)
    for level in range(most):
        for place, bits in places:
            if level < bits:
                key = (key << 1) | ((place >> (bits - 1 - level)) & 1)
    return np.lexsort([*ranks, key])


def _add_up(
    keys: NDArray[np.int64], weight: NDArray[np.float64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up weights of equal keys below ``most``; the keys ascending."""
    if most <= max(_DENSE, 4 * keys.shape[0]):
        sums = np.bincount(keys, weight, most)
        found = np.flatnonzero(sums)
        return found, np.asarray(sums[found], np.float64)
    found, of = np.unique(keys, return_inverse=True)
    return found, np.bincount(of, weight, found.shape[0]).astype(np.float64)


def tuples_of(
    domains: Sequence[Domain], codes: NDArray[np.int32]
) -> tuple[dict[str, tuple[Domain, NDArray[np.integer]]], NDArray[np.int64]]:
    """Number the combinations of sensitive values that occur, in the order of their codes.

    Parameters
    ----------
    domains
        Sensitive attributes.
    codes : (s, n) int32
        Their codes.

    Returns
    -------
    dict, (n,) int64
        What `Units` wants to know of them, and the combination of each record.
    """
    if len(domains) == 1:
        only = domains[0]
        return {only.name: (only, np.arange(only.codes))}, codes[0].astype(np.int64)
    if not domains:
        return {}, np.zeros(codes.shape[1], np.int64)
    found, of = np.unique(codes, axis=1, return_inverse=True)
    own = {domain.name: (domain, row) for domain, row in zip(domains, found, strict=True)}
    return own, of.astype(np.int64).reshape(-1)
