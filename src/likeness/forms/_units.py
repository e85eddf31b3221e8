"""What was published, as weighted units: equivalence classes, or distinct tuples of exact quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.forms._axes import ExactAxis
from likeness.microdata.grouping import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.forms._axes import Axis
    from likeness.microdata.domain import Domain

_DENSE = 1 << 22
"""Cells are counted in a table of at most so many places, or four per entry."""
_MOST_BITS = 8
"""Of a column's place on the Z-curve."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of sensitive tuples: those of individuals that have several records.

    Parameters
    ----------
    start : (k + 1,) int64
        Where the tuples of each set begin; no set is empty.
    tuples : (entries,) int64
        Sensitive tuples, set after set.

    Examples
    --------
    >>> Sets(np.array([0, 1, 3]), np.array([0, 0, 2])).any_of(np.array([[0.0, 1.0, 1.0]]))
    array([[0., 1.]])
    """

    start: NDArray[np.int64]
    tuples: NDArray[np.int64]

    @property
    def count(self) -> int:
        """Number k of sets."""
        return int(self.start.shape[0] - 1)

    def any_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(S, k) Whether each set has a tuple that is met, from (S, m) whether each tuple is, as 0 and 1."""
        rows = values.shape[0]
        # 64 rows at a time, as the bits of a word.
        words = -(-rows // 64)
        bits = np.zeros((values.shape[1], 8 * words), np.uint8)
        packed = np.packbits(values.T > 0, axis=1)
        bits[:, : packed.shape[1]] = packed
        met = np.ascontiguousarray(bits.view(np.uint64).T)
        found = np.zeros((self.count, words), np.uint64)
        if self.count:
            for word in range(words):
                found[:, word] = np.bitwise_or.reduceat(met[word][self.tuples], self.start[:-1])
        unpacked = np.unpackbits(found.view(np.uint8), axis=1, count=rows)
        return np.ascontiguousarray(unpacked.T, np.float64)


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
    sets
        Where what cells show are individuals: the k sets of sensitive tuples that their records have.
    """

    axes: Mapping[str, Axis]
    sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]]
    start: NDArray[np.int64]
    code: NDArray[np.int32]
    weight: NDArray[np.float64]
    mixing: NDArray[np.float64] | None = None
    sets: Sets | None = None

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
        return tuples_in(self.sensitive)

    @property
    def shown(self) -> int:
        """Number of different things that cells may show."""
        return self.tuples if self.sets is None else self.sets.count


def tuples_in(sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]]) -> int:
    """Count the sensitive tuples of `Units`."""
    return int(next(iter(sensitive.values()))[1].shape[0]) if sensitive else 1


def make_units(
    axes: Mapping[str, Axis],
    sensitive: Mapping[str, tuple[Domain, NDArray[np.integer]]],
    unit: NDArray[np.integer],
    code: NDArray[np.integer],
    weight: NDArray[np.float64],
    count: int,
    mixing: NDArray[np.float64] | None = None,
    sets: Sets | None = None,
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
    mixing, sets
        See `Units`; ``code`` then says what is shown.
    """
    order = nearby([axis.ranks.astype(np.int32)[axis.of] for axis in axes.values()], count)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    axes = {name: axis.at(axis.of[order]) for name, axis in axes.items()}
    m = tuples_in(sensitive) if sets is None else sets.count
    keys = place[unit]
    del order, place
    keys *= m
    keys += code
    keys, weights = _add_up(keys, weight, count * m)
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys // m, minlength=count), out=start[1:])
    return Units(axes, sensitive, start, (keys % m).astype(np.int32), weights, mixing, sets)


def units_of_individuals(
    axes: Mapping[str, Axis],
    domains: Sequence[Domain],
    codes: NDArray[np.int32],
    unit: NDArray[np.integer],
    individuals: NDArray[np.integer],
    weight: NDArray[np.float64],
    count: int,
) -> Units:
    """Put units that are alike beside each other and gather which individuals each holds.

    An individual counts in every unit that it has a record in, for the mean weight of its records there.

    Parameters
    ----------
    axes, weight, count
        As in `make_units`.
    domains, codes
        As in `tuples_of`.
    unit : (n,)
        Unit of each record.
    individuals : (n,)
        Number of the individual of each record.
    """
    sensitive, code = tuples_of(domains, codes)
    m, width = tuples_in(sensitive), int(individuals.max(initial=0)) + 1
    inside, who, records = np.unique(
        unit.astype(np.int64) * width + individuals, return_inverse=True, return_counts=True
    )
    pairs = distinct(who.reshape(-1).astype(np.int64) * m + code)
    own, number = pairs % m, np.bincount(pairs // m, minlength=inside.size)
    first = np.cumsum(number) - number
    several = number > 1
    # Those with one tuple are what a record with it is: sets of one, numbered as the tuples.
    shown = np.where(several, m - 1 + np.cumsum(several), own[first])
    ends = m + np.cumsum(number[several])
    sets = Sets(
        np.concatenate([np.arange(m + 1), ends]), np.concatenate([np.arange(m), own[several[pairs // m]]])
    )
    mean = np.bincount(who.reshape(-1), weight, inside.size) / records
    return make_units(axes, sensitive, inside // width, shown, mean, count, sets=sets)


def nearby(ranks: Sequence[NDArray[np.integer]], count: int) -> NDArray[np.int64]:
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
    widths, places = [], []
    for own in ranks:
        place, sizes = _places(own)
        bits = min(most, (sizes.size - 1).bit_length())
        if sizes.size > 1 << bits:
            # Equal numbers of units at every place.
            place = (((np.cumsum(sizes) - sizes) << bits) // count)[place]
        widths.append(bits)
        places.append(place.reshape(-1).astype(np.uint8))
    key = np.zeros(count, np.int64)
    for spread in _bits_apart(widths):
        key |= spread[places.pop(0)]
    order = np.argsort(key, kind="stable")
    # Few share a place on the curve: only these are compared column by column.
    here = key[order]
    tied = np.zeros(count, np.bool_)
    np.equal(here[1:], here[:-1], out=tied[1:])
    tied[:-1] |= tied[1:]
    those = order[tied]
    order[tied] = those[np.lexsort([*(own[those] for own in ranks), key[those]])]
    return order


def _bits_apart(widths: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """For numbers of so many bits: what each value gives where the bits of all take turns, the highest first."""
    turns = [
        (column, bits - 1 - level)
        for level in range(max(widths))
        for column, bits in enumerate(widths)
        if level < bits
    ]
    for column, bits in enumerate(widths):
        values, spread = np.arange(1 << bits), np.zeros(1 << bits, np.int64)
        for at, (whose, bit) in enumerate(reversed(turns)):
            if whose == column:
                spread |= ((values >> bit) & 1) << at
        yield spread


def _places(ranks: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Place of each rank among the distinct ones, and how often each of these stands there; counted, unless ranks are sparse."""
    lowest = ranks.min()
    span = int(ranks.max()) - int(lowest) + 1
    if span > max(_DENSE, 4 * ranks.size):
        _, place, sizes = np.unique(ranks, return_inverse=True, return_counts=True)
        return place, sizes
    often = np.bincount(ranks - lowest, minlength=span)
    return (np.cumsum(often > 0) - 1)[ranks - lowest], often[often > 0]


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
) -> tuple[dict[str, tuple[Domain, NDArray[np.integer]]], NDArray[np.integer]]:
    """Number the combinations of sensitive values that occur, in the order of their codes.

    Parameters
    ----------
    domains
        Sensitive attributes.
    codes : (s, n) int32
        Their codes.

    Returns
    -------
    dict, (n,) int
        What `Units` wants to know of them, and the combination of each record.
    """
    if len(domains) == 1:
        only = domains[0]
        return {only.name: (only, np.arange(only.codes))}, codes[0]
    if not domains:
        return {}, np.zeros(codes.shape[1], np.int64)
    found, of = np.unique(codes, axis=1, return_inverse=True)
    own = {domain.name: (domain, row) for domain, row in zip(domains, found, strict=True)}
    return own, of.astype(np.int64).reshape(-1)
