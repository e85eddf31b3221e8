"""Records that stand twice, and people who stand in several records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.profiling import words
from likeness.profiling.findings import PUBLISHED
from likeness.profiling.meaning import MANY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells
    from likeness.profiling.findings import ColumnProfile
    from likeness.profiling.meaning import Meaning

_PERSONAL = ("social security number", "e-mail address", "phone number", "number of a person", "account name")


@dataclass(frozen=True)
class Persons:
    """Who stands in the table how often.

    Parameters
    ----------
    duplicates
        Records that equal an earlier one in every column.
    column
        The column whose repeated values are most likely people with several records; None where there is none.
    people
        Different values of that column (records, where there is none).
    most
        Largest number of records of one of them.
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
    """Name the column that a policy should count people by.

    Only an identifier, which is never published, can be it. A mere name should not, as namesakes would be one person.

    Parameters
    ----------
    persons
        Who stands in the table how often.
    columns
        What is said about every column.
    """
    found = [own for own in columns if own.name == persons.column]
    fits = any(tells_apart(own.role, own.looks_like) for own in found)
    return persons.column if fits and any(own.role in PUBLISHED for own in columns) else None


def tells_apart(role: str, looks_like: str) -> bool:
    """Whether a column of this role that looks like this may be what a policy counts people by.

    Examples
    --------
    >>> tells_apart("identifier", "id"), tells_apart("identifier", "name"), tells_apart("quasi", "id")
    (True, False, False)
    """
    return role == "identifier" and looks_like != "name"


def find_persons(columns: Mapping[str, Cells], meanings: Mapping[str, Meaning]) -> Persons:
    """Count duplicates and find the column that names a person with several records.

    Numbers of people come first, then their e-mail addresses and the like, then ids of something, names last: a
    name that repeats beside numbers that do not is a namesake.

    Parameters
    ----------
    columns, meanings
        Every column by name, and what it means.
    """
    height = next(iter(columns.values())).height
    duplicates = height - count_groups(list(columns.values()))
    for name in _candidates(meanings):
        cells = columns[name]
        by_values = meanings[name].looks_like == "id" and words.numbers_what(name) is None
        if cells.missing or (by_values and height < MANY):
            continue
        if cells.distinct < height:
            return Persons(duplicates, name, cells.distinct, int(cells.counts.max()))
        if words.numbers_what(name) != "record":
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
    found = [name for name, meaning in meanings.items() if meaning.looks_like in wanted]
    return sorted(found, key=rank)


def count_groups(columns: Sequence[Cells]) -> int:
    """Count different combinations of the values of columns, missing ones being equal.

    Parameters
    ----------
    columns
        At least one.
    """
    return len(group_sizes(columns))


def group_sizes(columns: Sequence[Cells]) -> NDArray[np.int64]:
    """Count the records of every combination of the values of columns.

    Returns
    -------
    (groups,) int64
        In no particular order.
    """
    return np.bincount(keys_of(columns))


def keys_of(columns: Sequence[Cells]) -> NDArray[np.int64]:
    """Number the combinations of the values of columns, record by record.

    Returns
    -------
    (n,) int64
        From 0, without gaps.
    """
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
