"""Counts of sensitive values in every equivalence class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.grouping import count_copies
from likeness.microdata.individuals import Individuals, find_individuals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_DENSE_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class ClassStatistics:
    """Sizes of E classes, and their counts of the m values of one sensitive attribute, stored sparsely.

    ``sizes``: (E,) int64, records of each class; individuals, where people have several records.
    ``values``: m, the number of sensitive values (0 when there is no sensitive attribute).
    ``class_of``, ``value``, ``count``: (entries,) int64, one entry per class and value that is present, sorted by class,
    then value; counts are of individuals that have the value, where people have several records.
    ``parent``: (E,) int64, when the classes here are parts of published classes (records that share the sensitive values
    an adversary is taken to know), the published class of each; else None.
    ``of``: who is in each class, where people may have several records; without it every record is another person's.
    """

    sizes: NDArray[np.int64]
    values: int
    class_of: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    parent: NDArray[np.int64] | None = None
    of: Individuals | None = None

    @property
    def classes(self) -> int:
        """Number of classes."""
        return int(self.sizes.shape[0])

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """(m,) Records of each value over all classes."""
        return np.bincount(self.value, self.count, self.values).astype(np.int64)

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """(E + 1,) Where the entries of each class begin."""
        return np.searchsorted(self.class_of, np.arange(self.classes + 1)).astype(np.int64)

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """(E,) Number of values present in each class."""
        return np.diff(self.start)

    @cached_property
    def individuals(self) -> Individuals:
        """Who is in each class: where every record is another person's, each of them has one value."""
        if self.of is not None:
            return self.of
        value = np.repeat(self.value, self.count)
        start = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        everybody = np.arange(int(start[-1]) + 1)
        first = everybody if self.values else np.zeros_like(everybody)
        return Individuals(self.sizes, np.minimum(self.sizes, 1), start, everybody[:-1], first, value)

    def of_some(self, values: NDArray[np.bool_]) -> ClassStatistics:
        """Leave the entries of all other values out; sizes stay: shares are of everybody."""
        kept = values[self.value]
        return replace(self, class_of=self.class_of[kept], value=self.value[kept], count=self.count[kept])

    def of_values(self) -> ClassStatistics:
        """Count pairs of an individual and one of its values instead of individuals: their shares sum to 1."""
        if self.of is None:
            return self
        return replace(self, sizes=np.bincount(self.class_of, self.count, self.classes).astype(np.int64))

    def dense(self) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Yield runs of classes with their (classes, m) count matrix, a few million cells at a time."""
        step = max(1, _DENSE_CELLS // max(1, self.values))
        for begin in range(0, self.classes, step):
            end = min(begin + step, self.classes)
            low, high = self.start[begin], self.start[end]
            counts = np.zeros((end - begin, self.values), np.int64)
            counts[self.class_of[low:high] - begin, self.value[low:high]] = self.count[low:high]
            yield slice(begin, end), counts

    def regroup(self, group: NDArray[np.int64], groups: int) -> ClassStatistics:
        """Count groups of values instead of values (``group`` gives each value's group)."""
        return _from_keys(
            self.class_of * groups + group[self.value], self.count, self.sizes, groups, self.parent
        )


def count_classes(
    classes: NDArray[np.int64],
    count: int,
    codes: NDArray[np.integer] | None = None,
    values: int = 0,
    individuals: NDArray[np.int64] | None = None,
    copies: NDArray[np.int64] | None = None,
) -> ClassStatistics:
    """Count every class of a table, ``count`` of them.

    ``classes``: (n,) int64, class of each record; records with -1 are left out. ``codes``: (n,) sensitive code of each,
    below ``values``. ``individuals``: (n,) int64, number of each record's person, where people have several: then people
    are counted. ``copies``: (n,) int64, how many records each row stands for; one where left out.
    """
    if (classes < 0).any():
        kept = classes >= 0
        classes = classes[kept]
        codes = None if codes is None else codes[kept]
        individuals = None if individuals is None else individuals[kept]
        copies = None if copies is None else copies[kept]
    if individuals is not None:
        return _count_individuals(find_individuals(classes, count, individuals, codes, values), values, None)
    sizes = count_copies(classes, copies, count)
    if codes is None:
        nothing = np.zeros(0, np.int64)
        return ClassStatistics(sizes, 0, nothing, nothing, nothing)
    keys = classes * values + codes
    return _from_keys(keys, copies, sizes, values, None)


def count_within(
    classes: NDArray[np.int64],
    known: NDArray[np.int64],
    codes: NDArray[np.integer],
    values: int,
    individuals: NDArray[np.int64] | None = None,
    copies: NDArray[np.int64] | None = None,
) -> ClassStatistics:
    """Count the parts of every class whose records share the sensitive values known to the adversary.

    ``classes``, ``codes``, ``individuals``, ``copies``: as for `count_classes`; a person is counted in every part they have a
    record in. ``known``: (n,) int64, number of each record's combination of known sensitive values.
    """
    kept = classes >= 0
    keys = classes[kept] * (int(known.max(initial=0)) + 1) + known[kept]
    distinct, part = np.unique(keys, return_inverse=True)
    parent = distinct // (int(known.max(initial=0)) + 1)
    part = part.astype(np.int64)
    if individuals is not None:
        found = find_individuals(part, distinct.size, individuals[kept], codes[kept], values)
        return _count_individuals(found, values, parent)
    copies = None if copies is None else copies[kept]
    sizes = count_copies(part, copies, distinct.size)
    return _from_keys(part * values + codes[kept], copies, sizes, values, parent)


def _count_individuals(found: Individuals, values: int, parent: NDArray[np.int64] | None) -> ClassStatistics:
    """Count the individuals that have each value."""
    if values == 0:
        nothing = np.zeros(0, np.int64)
        return ClassStatistics(found.sizes, 0, nothing, nothing, nothing, parent, found)
    class_of = np.repeat(found.class_of, np.diff(found.first))
    return replace(_from_keys(class_of * values + found.value, None, found.sizes, values, parent), of=found)


def _from_keys(
    keys: NDArray[np.int64],
    weights: NDArray[np.int64] | None,
    sizes: NDArray[np.int64],
    values: int,
    parent: NDArray[np.int64] | None,
) -> ClassStatistics:
    """Count equal (class, value) keys: by one table when it is small, by sorting otherwise."""
    cells = sizes.shape[0] * values
    if cells <= max(1 << 22, 4 * keys.shape[0]):
        table = count_copies(keys, weights, cells)
        distinct = np.flatnonzero(table)
        count = table[distinct]
    else:
        distinct, inverse = np.unique(keys, return_inverse=True)
        count = count_copies(inverse.reshape(-1), weights, distinct.size)
    return ClassStatistics(sizes, values, distinct // values, distinct % values, count, parent)
