"""The strongest parameters a table can meet: those of the whole table taken as one class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.exact import smallest_sizes
from likeness.microdata.domain import Domain
from likeness.microdata.grouping import distinct
from likeness.microdata.statistics import ClassStatistics
from likeness.models.base import SensitiveAttribute
from likeness.models.beta_bounds import enhanced_limit
from likeness.models.entropy_l_diversity import EntropyLDiversity
from likeness.models.recursive_cl_diversity import RecursiveClDiversity
from likeness.models.rounding import float_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.profiling.cells import Cells

BETAS = (1, 2, 4)
"""Bounds of β-likeness whose smallest classes are shown."""
_RANKS = (2, 3, 4, 5)
_RARE = 3
_MOST_VALUES = 200
_COVERED = 0.99
_ROOM = 20
"""β-likeness is proposed when the classes that its values need are at most this part of the table."""


@dataclass(frozen=True)
class RareValue:
    """A sensitive value that few have.

    Parameters
    ----------
    label
        The value.
    count
        Records that have it; people, where these are counted.
    smallest_class
        β to the size of the smallest class that may hold it under enhanced β-likeness, counted likewise.
    """

    label: str
    count: int
    smallest_class: dict[int, int]


@dataclass(frozen=True)
class Reach:
    """The strongest parameters a sensitive column can meet in this table.

    β-likeness, t-closeness and δ-disclosure can be met with any parameter: the whole table as one class has the
    distribution it is compared with. What they cost is told by the smallest classes of rare values.

    Where people are counted, α, the smallest classes and what suits β-likeness are of people: shares are people who
    have a value, of all people. l and c are of distinct pairs of a person and a value, as these models count them.

    Parameters
    ----------
    column
        The sensitive column.
    values
        Different values, the missing one included: the largest l of distinct l-diversity.
    entropy_l
        Largest l of entropy l-diversity, not rounded up.
    recursive_c
        l to the c that recursive (c,l)-diversity must exceed.
    alpha
        Smallest α of (α,k)-anonymity, not rounded down: the share of the most frequent value.
    rare
        The rarest values, the rarest first.
    suits_beta
        Whether β-likeness with β = 4 can be met in classes that are small beside the table.
    people
        Number of people, where these are counted instead of records.
    eir_l
        An l of eir-l-diversity that is surely met, where people are counted: fewer values, even the most frequent ones,
        are had by fewer people than there are. The largest one may be larger.
    """

    column: str
    values: int
    entropy_l: float
    recursive_c: dict[int, float]
    alpha: float
    rare: tuple[RareValue, ...]
    suits_beta: bool
    people: int | None = None
    eir_l: int | None = None

    def to_mapping(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        counted = "records" if self.people is None else "people"
        rare = [
            {
                "value": value.label,
                counted: value.count,
                "smallest_class": {str(beta): size for beta, size in value.smallest_class.items()},
            }
            for value in self.rare
        ]
        return {
            "column": self.column,
            "counted": counted,
            "distinct_l": self.values,
            "entropy_l": self.entropy_l,
            "recursive_c_above": {str(rank): c for rank, c in self.recursive_c.items()},
            "alpha": self.alpha,
            "rare_values": rare,
            "suits_beta_likeness": self.suits_beta,
            **({} if self.eir_l is None else {"eir_l_at_least": self.eir_l}),
        }


def measure_reach(cells: Cells, person: Cells | None = None) -> Reach:
    """Measure what a sensitive column can meet.

    Parameters
    ----------
    cells
        The column; missing values count as one value.
    person
        The column that the policy counts people by, where they have several records.

    Examples
    --------
    >>> import polars as pl
    >>> from likeness.profiling.cells import read_cells
    >>> from likeness.tables import read
    >>> frame = pl.DataFrame({"who": [1, 1, 1, 2], "disease": ["flu", "flu", "hiv", "cold"]})
    >>> who, disease = (read_cells(read(frame), name) for name in frame.columns)
    >>> reach = measure_reach(disease)
    >>> reach.values, reach.alpha, reach.recursive_c[2], reach.rare[0].smallest_class[4]
    (3, 0.5, 1.0, 2)
    >>> measure_reach(disease, who).recursive_c[2]  # of three people and values
    0.5
    """
    counts, total = _counted(cells, person)
    places = np.arange(counts.size)
    pairs = np.array([int(counts.sum())])
    whole = ClassStatistics(pairs, counts.size, np.zeros_like(places), places, counts)
    domain = Domain(cells.name, "categorical", np.zeros(0, object), "set")
    attribute = SensitiveAttribute(domain, counts)
    entropy = EntropyLDiversity(1).bind_to(attribute).strongest(whole).values["l"]
    recursive = {
        rank: RecursiveClDiversity(1, rank).bind_to(attribute).strongest(whole).values["c"]
        for rank in _RANKS
        if rank <= counts.size
    }
    order = np.argsort(counts, kind="stable")[:_RARE]
    rare = tuple(
        RareValue(_label(cells, int(i)), int(counts[i]), {beta: smallest_class(int(counts[i]), total, beta) for beta in BETAS})
        for i in order
    )  # fmt: skip
    alpha = float_above(Fraction(int(counts.max()), total))
    found = Reach(cells.name, counts.size, entropy, recursive, alpha, rare, _suits(counts, total))
    if person is None:
        return found
    covered = np.cumsum(np.sort(counts)[::-1])
    return replace(found, people=total, eir_l=1 + int(np.count_nonzero(covered < total)))


def smallest_class(count: int, total: int, beta: int) -> int:
    """Size of the smallest class that may hold a value under enhanced β-likeness (n_min of the spec, section 2).

    Parameters
    ----------
    count, total
        Records (or people) of the value, and of the table.
    beta
        The bound on relative gain.

    Examples
    --------
    >>> smallest_class(2, 19, 2)  # f(2/19) = 6/19 (paper 002, Example 2)
    4
    """
    return int(smallest_sizes(enhanced_limit(Fraction(count, total), Fraction(beta)), 1)[0])


def _counted(cells: Cells, person: Cells | None) -> tuple[NDArray[np.int64], int]:
    """(m,) Records of each value and of the table; people, where these are counted: whoever has a value has it once."""
    if person is None:
        counts = np.append(cells.counts, cells.missing) if cells.missing else cells.counts
        return counts, cells.height
    pairs = distinct(person.groups().astype(np.int64) * cells.radix + cells.groups())
    return np.bincount(pairs % cells.radix, minlength=cells.radix), person.radix


def _suits(counts: NDArray[np.int64], total: int) -> bool:
    """Whether the values of nearly all records (or people) fit in classes that are small beside the table."""
    if counts.size > _MOST_VALUES:
        return False
    sizes, values = np.unique(counts, return_counts=True)
    needed = np.array([smallest_class(int(count), total, max(BETAS)) for count in sizes])
    held = np.cumsum((sizes * values)[np.argsort(needed, kind="stable")])
    most = int(np.sort(needed)[np.searchsorted(held, _COVERED * int(counts.sum()))])
    return most <= max(5, total // _ROOM)


def _label(cells: Cells, code: int) -> str:
    """Text of a value."""
    return "missing" if code >= cells.distinct else str(cells.values[code])
