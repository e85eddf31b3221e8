"""Records that stand twice, and people who stand in several records.

How much the quasi-identifiers single people out: together, alone, and in pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.microdata.grouping import distinct
from likeness.profiling import meaning as words
from likeness.profiling.findings import PUBLISHED
from likeness.profiling.meaning import MANY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells
    from likeness.profiling.findings import ColumnProfile
    from likeness.profiling.meaning import Meaning

_PERSONAL = ("social security number", "e-mail address", "phone number", "number of a person", "account name")

_ALMOST = 0.95
"""Share of records alone with an unnamed number from which it only almost tells records apart."""


@dataclass(frozen=True)
class Persons:
    """Who stands in the table how often.

    ``duplicates``: records that equal an earlier one in every column.
    ``column``: the one whose repeated values are most likely people with several records; None where there is none.
    ``people``: its different values, or the records where there is none; ``most``: largest number of records of one.
    """

    duplicates: int
    column: str | None
    people: int
    most: int

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "duplicates": self.duplicates,
            "individual": self.column,
            "people": self.people,
            "most": self.most,
        }


def individual_of(persons: Persons, columns: Sequence[ColumnProfile]) -> str | None:
    """Name the column that a policy should count people by; None where none fits, or no column is quasi or sensitive.

    Only an identifier, which is never published, can be it. A mere name should not, as namesakes would be one person.
    """
    found = [own for own in columns if own.name == persons.column]
    fits = any(tells_apart(own.role, own.looks_like) for own in found)
    return persons.column if fits and any(own.role in PUBLISHED for own in columns) else None


def tells_apart(role: str, looks_like: str) -> bool:
    """Whether a policy may count people by a column of this role and look: an identifier that is no mere name."""
    return role == "identifier" and looks_like != "name"


def find_persons(columns: Mapping[str, Cells], meanings: Mapping[str, Meaning]) -> Persons:
    """Count duplicates and find the column that names a person with several records.

    Numbers of people come first, then their e-mail addresses and the like, then ids of something, names last: a name that
    repeats beside numbers that do not is a namesake. Numbers of visits are never taken for those of people, nor are unnamed
    numbers that only almost every record has for itself: amounts and times are such.
    """
    height = next(iter(columns.values())).height
    duplicates = height - count_groups(list(columns.values()))
    for name in _candidates(meanings):
        cells = columns[name]
        by_values = meanings[name].looks_like == "id" and words.numbers_what(name) is None
        almost = by_values and cells.distinct < height and cells.unique >= _ALMOST
        if cells.missing or almost or (by_values and height < MANY):
            continue
        if cells.distinct < height:
            return Persons(duplicates, name, cells.distinct, int(cells.counts.max()))
        break
    return Persons(duplicates, None, height, 1)


def _candidates(meanings: Mapping[str, Meaning]) -> list[str]:
    """Columns that may name a person, the most likely first."""

    def rank(name: str) -> int:
        look = meanings[name].looks_like
        if look == "id":
            return {"person": 0, "something": 2}.get(words.numbers_what(name) or "", 3)
        return 1 if look in _PERSONAL else 4

    wanted = {*_PERSONAL, "id", "name"}
    found = [
        name
        for name, meaning in meanings.items()
        if meaning.looks_like in wanted
        and not (meaning.looks_like == "id" and words.numbers_what(name) == "record")
    ]
    return sorted(found, key=rank)


def count_groups(columns: Sequence[Cells]) -> int:
    """Count different combinations of the values of columns (at least one), missing ones being equal."""
    return len(group_sizes(columns))


def group_sizes(columns: Sequence[Cells]) -> NDArray[np.int64]:
    """(groups,) Records of every combination of the values of columns, as `keys_of` numbers them."""
    return np.bincount(keys_of(columns))


def keys_of(columns: Sequence[Cells]) -> NDArray[np.int64]:
    """(n,) Number of each record's combination of the values of columns: from 0, without gaps, in no particular order."""
    key, span = np.zeros(columns[0].height, np.int64), 1
    for cells in sorted(columns, key=lambda own: own.radix):
        radix = max(1, cells.radix)
        if span * radix >= 1 << 62:
            key, span = _dense(key, span)
        key = key * radix + cells.groups()
        span *= radix
    return _dense(key, span)[0]


def _dense(key: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], int]:
    """Number keys below `span` anew without gaps, and say how many there are."""
    if span <= max(1 << 16, 4 * key.size):
        occurs = np.zeros(span, np.bool_)
        occurs[key] = True
        number = np.cumsum(occurs) - 1
        return number[key], int(number[-1]) + 1
    ranks = pl.Series(key).rank("dense").to_numpy().astype(np.int64) - 1
    return ranks, int(ranks.max()) + 1


BELOW = (2, 5, 10)
"""Sizes below which groups are counted."""
PAIRED = 10
"""Pairs are formed of so many columns, those that identify most alone."""
SHOWN = 5


@dataclass(frozen=True)
class Standing:
    """How many records a set of columns singles out.

    ``groups``: different combinations of their values; a missing value is one of its own.
    ``smallest``: records (people, where a column names them) of the smallest group: the k the table has as it is.
    ``below``: size to the number of records in groups of fewer records (people) than that; below 2 they are unique.
    """

    columns: tuple[str, ...]
    groups: int
    smallest: int
    below: dict[int, int]

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        below = {str(size): count for size, count in self.below.items()}
        return {
            "columns": list(self.columns),
            "groups": self.groups,
            "smallest": self.smallest,
            "below": below,
        }


@dataclass(frozen=True)
class Uniqueness:
    """How much the quasi-identifiers single people out.

    ``together``: all of them; None without any. ``alone``: each by itself, the one that identifies most first.
    ``pairs``: the `SHOWN` that identify most, of the first `PAIRED` of these.
    ``of_people``: whether groups are measured in people, not in records.
    """

    together: Standing | None
    alone: tuple[Standing, ...]
    pairs: tuple[Standing, ...]
    of_people: bool = False

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "together": None if self.together is None else self.together.to_mapping(),
            "alone": [standing.to_mapping() for standing in self.alone],
            "pairs": [standing.to_mapping() for standing in self.pairs],
            "of_people": self.of_people,
        }


def measure_uniqueness(quasi: Mapping[str, Cells], person: Cells | None = None) -> Uniqueness:
    """Measure how much quasi-identifiers single people out; ``person``: who they are, where they have several records."""
    if not quasi:
        return Uniqueness(None, (), (), person is not None)
    alone = sorted((_standing([cells], person) for cells in quasi.values()), key=_order)
    first = [standing.columns[0] for standing in alone[:PAIRED]]
    pairs = sorted((_standing([quasi[a], quasi[b]], person) for a, b in combinations(first, 2)), key=_order)
    together = _standing(list(quasi.values()), person)
    return Uniqueness(together, tuple(alone), tuple(pairs[:SHOWN]), person is not None)


def _order(standing: Standing) -> tuple[int, ...]:
    """Most unique records first, then most in small groups, then most groups."""
    return (*(-count for count in standing.below.values()), -standing.groups)


def _standing(columns: Sequence[Cells], person: Cells | None) -> Standing:
    """Measure one set of columns."""
    names = tuple(cells.name for cells in columns)
    if person is None:
        records = people = columns[0].counts if _is_plain(columns) else group_sizes(columns)
    else:
        keys = keys_of(columns)
        records, people = np.bincount(keys), _people(keys, person)
    below = {size: int(records[people < size].sum()) for size in BELOW}
    return Standing(names, len(records), int(people.min()), below)


def _is_plain(columns: Sequence[Cells]) -> bool:
    """Whether the columns are one, without missing values, counted already."""
    return len(columns) == 1 and not columns[0].missing


def _people(keys: NDArray[np.int64], person: Cells) -> NDArray[np.int64]:
    """(groups,) Different people of every group."""
    own = distinct(keys * person.radix + person.groups())
    return np.bincount(own // person.radix)
