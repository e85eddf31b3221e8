"""Microdata: the table once encoded, as methods see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError, suggestion
from likeness.microdata.grouping import Groups, group_codes
from likeness.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.knowledge import Knowledge
    from likeness.microdata.signatures import Signatures


@dataclass(frozen=True, eq=False)
class Microdata:
    """A table of n records in small-integer codes: methods see codes, never strings.

    ``quasi``, ``codes``: domains of the d quasi-identifiers, and their codes, (d, n) int32.
    ``sensitive``, ``sensitive_codes``: domains of the s sensitive attributes, and their codes, (s, n) int32.
    ``rows``: (n,) int64, row of each record in the original table; records dropped by hygiene or missing values have none.
    ``individuals``: (n,) int64, number of each record's person, from 0, when people may have several records; else None.
    ``survey_weights``: (n,) float64, weight of each record, if any.
    ``copies``: (n,) int64, how many records each row stands for, all of which say the same; None where each is one record. Only
    methods that keep such records together work on them (`Method.keeps_copies`).
    ``members``: in a table of individuals (`people`) the records of each.
    ``knowledge``: what adversaries may know of each record beforehand; not where people may have several.
    ``source``: where a method keeps one record a person (`Method.prepared`), the records that it was made from, and whose they
    are; only attacks look at them, for what an adversary may know.
    ``signatures``: the values that earlier releases left possible of the same people, where these are to be kept.
    """

    quasi: tuple[Domain, ...]
    codes: NDArray[np.int32]
    sensitive: tuple[Domain, ...]
    sensitive_codes: NDArray[np.int32]
    rows: NDArray[np.int64]
    individuals: NDArray[np.int64] | None = None
    survey_weights: NDArray[np.float64] | None = None
    members: Members | None = None
    knowledge: tuple[Knowledge, ...] = ()
    source: Members | None = None
    copies: NDArray[np.int64] | None = None
    signatures: Signatures | None = None

    @property
    def size(self) -> int:
        """Number of rows: of records, unless rows stand for several (`count_records`)."""
        return int(self.rows.shape[0])

    def count_records(self, rows: NDArray[np.bool_] | NDArray[np.int64] | None = None) -> int:
        """Count the records, or individuals, that some rows stand for, given as a mask or by position; all where left out."""
        if self.copies is not None:
            return int((self.copies if rows is None else self.copies[rows]).sum())
        if rows is None:
            return self.size
        return int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else int(rows.size)

    @cached_property
    def judged_codes(self) -> NDArray[np.int32]:
        """(s + κ, n) Everything that models may look at: the sensitive codes, then the distribution of each knowledge."""
        if not self.knowledge:
            return self.sensitive_codes
        return np.concatenate([self.sensitive_codes, [own.of for own in self.knowledge]]).astype(np.int32)

    @cached_property
    def units(self) -> Microdata:
        """What a class holds or does not hold as a whole: individuals where people have several records, else records."""
        return self if self.individuals is None else self.people

    @cached_property
    def people(self) -> Microdata:
        """A table with one row per individual, for searches: codes are those of the individual's first record.

        Rows are in the order of the individuals' numbers. What their other records say stands in ``members``: proofs, regions
        and losses are of all of them.
        """
        assert self.individuals is not None  # noqa: S101  # asked only of tables that have them
        _, first, of = np.unique(self.individuals, return_index=True, return_inverse=True)
        alone = replace(self, individuals=None).take(first)
        return replace(alone, members=Members(of.reshape(-1).astype(np.int64), self))

    @cached_property
    def tuples(self) -> Groups:
        """The distinct quasi-identifier tuples and which record has which."""
        if not self.quasi:
            # Without quasi-identifiers all records look alike.
            one = min(1, self.size)
            sizes = np.full(one, self.count_records())
            return Groups(np.zeros(self.size, np.int64), np.zeros(one, np.int64), sizes)
        return group_codes(self.codes, [domain.codes for domain in self.quasi], self.copies)

    def sensitive_index(self, name: str) -> int:
        """Position of a sensitive attribute; `PolicyError` when there is none of that name."""
        for i, domain in enumerate(self.sensitive):
            if domain.name == name:
                return i
        known = [domain.name for domain in self.sensitive]
        raise PolicyError(f"{name!r} is not a sensitive column{suggestion(name, known)}")

    def take(self, records: NDArray[np.int64]) -> Microdata:
        """Keep only some records, by position; domains stay those of the whole table."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[:, records]),
            sensitive_codes=np.ascontiguousarray(self.sensitive_codes[:, records]),
            rows=self.rows[records],
            individuals=None if self.individuals is None else self.individuals[records],
            survey_weights=None if self.survey_weights is None else self.survey_weights[records],
            members=None if self.members is None else self.members.take(records, self.size),
            knowledge=tuple(own.take(records) for own in self.knowledge),
            source=None if self.source is None else self.source.take(records, self.size),
            copies=None if self.copies is None else self.copies[records],
            signatures=None if self.signatures is None else self.signatures.take(records),
        )

    def __repr__(self) -> str:
        """Sizes only: no record is ever shown."""
        return (
            f"Microdata({count(self.size, 'record')}, {count(len(self.quasi), 'quasi-identifier')}, "
            f"{len(self.sensitive)} sensitive)"
        )


@dataclass(frozen=True, eq=False)
class Members:
    """The records of the individuals that are the rows of a table; ``of``: (n,) int64, row of each record's individual."""

    of: NDArray[np.int64]
    records: Microdata

    def take(self, rows: NDArray[np.int64], size: int) -> Members:
        """Keep only some individuals, of ``size``, by position."""
        place = np.full(size, -1, np.int64)
        place[rows] = np.arange(rows.size)
        of = place[self.of]
        kept = np.flatnonzero(of >= 0)
        return Members(of[kept], self.records.take(kept))
