"""How much the quasi-identifiers single people out: together, alone, and in pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.grouping import distinct
from likeness.profiling.persons import group_sizes, keys_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells

BELOW = (2, 5, 10)
"""Sizes below which groups are counted."""
PAIRED = 10
"""Pairs are formed of so many columns, those that identify most alone."""
SHOWN = 5


@dataclass(frozen=True)
class Standing:
    """How many records a set of columns singles out.

    Parameters
    ----------
    columns
        Their names.
    groups
        Different combinations of their values; a missing value is one of its own.
    smallest
        Records (people, where a column names them) of the smallest group: the k the table has as it is.
    below
        Size to the number of records in groups of fewer records (people) than that; below 2 they are unique.
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

    Parameters
    ----------
    together
        All of them; None without any.
    alone
        Each by itself, the one that identifies most first.
    pairs
        The pairs that identify most, of the first `PAIRED` of these.
    of_people
        Whether groups are measured in people, not in records.
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
    """Measure how much quasi-identifiers single people out.

    Parameters
    ----------
    quasi
        The quasi-identifiers by name.
    person
        The column that names a person, where people have several records.

    Examples
    --------
    >>> import polars as pl
    >>> from likeness.profiling.cells import read_cells
    >>> from likeness.tables import read
    >>> table = read(pl.DataFrame({"sex": ["f", "f", "m"], "age": [30, 31, 31]}))
    >>> found = measure_uniqueness({name: read_cells(table, name) for name in table.names})
    >>> found.together.below[2], [standing.below[2] for standing in found.alone]
    (3, [1, 1])
    """
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
