"""The individuals of equivalence classes, where one person may have several records (1:M tables)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.microdata.grouping import distinct, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata

_MOST = 1 << 62
"""Keys of a class, an individual and a value are smaller."""


@dataclass(frozen=True, eq=False)
class Individuals:
    """Who is in each of E classes, and which sensitive values each of them has there.

    An individual of several classes is counted in each. ``start`` and ``first`` are nested: the individuals of class ``e``
    are ``start[e] … start[e + 1] - 1``, the distinct values of individual ``i`` are ``value[first[i] : first[i + 1]]``.

    ``records``: (E,) int64, records of each class, |Q| (Wang et al. 2019, table 1).
    ``most``: (E,) int64, largest number of records that one individual has in each class, max |R(p)|; 0 for empty classes.
    ``start``: (E + 1,) int64, where the individuals of each class begin.
    ``number``: (I,) int64, number of each individual, ascending within a class.
    ``first``: (I + 1,) int64, where the values of each begin; all 0 where no sensitive attribute is looked at.
    ``value``: (pairs,) int64, distinct values S(p) of each individual, ascending.
    """

    records: NDArray[np.int64]
    most: NDArray[np.int64]
    start: NDArray[np.int64]
    number: NDArray[np.int64]
    first: NDArray[np.int64]
    value: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(E,) Individuals of each class, n_Q."""
        return np.diff(self.start)

    @property
    def class_of(self) -> NDArray[np.int64]:
        """(I,) Class of each individual."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    def take(self, classes: NDArray[np.int64]) -> Individuals:
        """Keep some classes, in the order given."""
        people = _ranges(self.start, classes)
        pairs = _ranges(self.first, people)
        return Individuals(
            self.records[classes],
            self.most[classes],
            _starts(self.sizes[classes]),
            self.number[people],
            _starts(np.diff(self.first)[people]),
            self.value[pairs],
        )


def find_individuals(
    classes: NDArray[np.int64],
    count: int,
    individuals: NDArray[np.int64],
    codes: NDArray[np.integer] | None = None,
    values: int = 0,
) -> Individuals:
    """Find the individuals of each of ``count`` classes.

    ``classes``: (n,) int64, class of each record, none below 0. ``individuals``: (n,) int64, number of each record's
    person, from 0. ``codes``: (n,) sensitive code of each record, below ``values``; None: no sensitive attribute.
    """
    width = max(1, int(individuals.max(initial=-1)) + 1)
    values = 1 if codes is None else max(1, values)
    names = classes * width + individuals
    distinct_names = None
    if count * width * values >= _MOST:
        distinct_names, names = np.unique(names, return_inverse=True)
        names = names.reshape(-1).astype(np.int64)
    # Whole numbers are sorted several times as fast by value as by their order.
    keys = np.sort(names if codes is None else names * values + codes)
    own = keys // values
    begins = np.flatnonzero(np.diff(own, prepend=-1))
    names = own[begins] if distinct_names is None else distinct_names[own[begins]]
    class_of = names // width
    most = np.zeros(count, np.int64)
    np.maximum.at(most, class_of, np.diff(np.append(begins, keys.size)))
    records = np.bincount(classes, minlength=count).astype(np.int64)
    start = _starts(np.bincount(class_of, minlength=count))
    if codes is None:
        nothing = np.zeros(0, np.int64)
        return Individuals(records, most, start, names % width, np.zeros(begins.size + 1, np.int64), nothing)
    fresh = np.flatnonzero(np.diff(keys, prepend=-1))
    first = np.append(np.searchsorted(fresh, begins), fresh.size).astype(np.int64)
    return Individuals(records, most, start, names % width, first, keys[fresh] % values)


def who_share(values: NDArray[np.integer], individuals: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Count who has each value of a column that occurs, ascending: individuals, or records where everybody has one.

    ``values``: (n,) value of each record, -1 for none. ``individuals``: (n,) number of each record's person, if any.
    """
    named = values >= 0
    own = values[named].astype(np.int64)
    count = int(own.max(initial=-1)) + 1
    sizes = np.bincount(own, minlength=count)
    found = sizes if individuals is None else find_individuals(own, count, individuals[named]).sizes
    return np.asarray(found[sizes > 0], np.int64)


def owners(data: Microdata) -> NDArray[np.int64]:
    """(n,) Number of each record's person; its own where everybody has one record."""
    return np.arange(data.size) if data.individuals is None else data.individuals


def rows_of(data: Microdata, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) Row of each record's person in a table with a row for each, made from the records ``rows``; -1 for all others."""
    people = owners(data)
    of_person = np.full(int(people.max(initial=-1)) + 1, -1, np.int64)
    of_person[people[rows]] = np.arange(rows.size)
    return np.asarray(of_person[people])


def refuse_uncountable(data: Microdata) -> None:
    """Refuse a table of which it cannot be published how many people have each value.

    Raises `PolicyError` where there are several sensitive columns, or records that repeat a value of their person.
    """
    if len(data.sensitive) > 1:
        what = f"publishes one sensitive column of people with several records; this table has {len(data.sensitive)}"
        raise PolicyError(Refusal(what))
    radices = [data.size + 1, *(domain.codes for domain in data.sensitive)]
    repeated = data.size - distinct(pack([owners(data), *data.sensitive_codes], radices)).size
    if repeated and data.sensitive:
        what = f"publishes how many people have each value; records that repeat one of their person: {repeated:,}"
        raise PolicyError(Refusal(what, remedy="leave them out, with hygiene: {duplicates: drop}"))


def _starts(sizes: NDArray[np.integer]) -> NDArray[np.int64]:
    """(groups + 1,) Where groups of these sizes begin, one after the other."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _ranges(start: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of all members of the chosen groups, group by group."""
    sizes = (start[1:] - start[:-1])[chosen]
    begins = np.repeat(start[chosen] - (np.cumsum(sizes) - sizes), sizes)
    return np.asarray(begins + np.arange(int(sizes.sum())), np.int64)
