"""Angelized tables (Tao et al. 2009): generalized quasi-identifiers and sensitive values, linked by buckets."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms.base import Columns, Form, Publication, Published
from likeness.forms.buckets import (
    BUCKET,
    BucketPublication,
    SensitiveRows,
    check_apart,
    check_tables,
    keys_in,
    published_beside,
    words_in,
)
from likeness.forms.generalized import GeneralizedForm, GeneralizedPublication
from likeness.microdata.individuals import owners, refuse_uncountable
from likeness.queries.asking import Askable
from likeness.queries.sums import unknown_column
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import ShownColumn
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import ColumnNote, PublishedColumns
    from likeness.queries.answering import Units
    from likeness.queries.axes import Axis


@dataclass(frozen=True)
class AngelizedForm(Form):
    """Two tables: everybody's region with a bucket, and every bucket's sensitive values.

    The table ``quasi`` has a row per record, in random order, with what `GeneralizedForm` shows of its quasi-identifiers;
    ``sensitive`` one per bucket and value, with the number of records. The column ``bucket`` links them; its numbers are
    random. People of one region may be in many buckets, and of one bucket in many regions.

    Where people have several records, ``quasi`` has a row per person, whose region covers all of their records, and
    ``sensitive`` says how many people of the bucket have each value: nobody sees whose a value is, nor which values are of
    one person.

    Parameters
    ----------
    recoding, numeric_pairs
        As those of `GeneralizedForm`.
    individuals
        Whether people may have several records. It follows from the policy's ``individual``; certificates say it.
    apart
        List the values of each of several sensitive columns by themselves, in a column ``column`` the name of the one that a
        row is of. By default what records have together is counted, so that who knows one of their values learns of the others.

    References
    ----------
    Tao, Chen, Xiao, Zhou & Zhang 2009, "ANGEL: enhancing the utility of generalization for privacy preserving publication"
    (the generalized table GT and the bucket table BT); Fazal et al. 2023 (the quasi table QT and the sensitive table ST).

    Examples
    --------
    >>> AngelizedForm().tables
    ('quasi', 'sensitive')
    """

    recoding: str = "tight"
    numeric_pairs: bool = False
    individuals: bool = False
    apart: bool = False

    name: ClassVar[str] = "angelized"
    tables: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"quasi": frozenset({"quasi", "other", "pseudonym"}), "sensitive": frozenset({"sensitive"})}
    )
    publishes_buckets: ClassVar[bool] = True
    publishes_added: ClassVar[bool] = True
    remark: ClassVar[str] = (
        "sensitive values are published by bucket, each with how often it is there; what k-anonymity and its like say is decided "
        "on the table of quasi-identifiers, what models say of sensitive values on the buckets"
    )

    def __post_init__(self) -> None:
        self._quasi.__post_init__()
        check_apart(self.name, self.apart)
        if not isinstance(self.individuals, bool):
            raise PolicyError(f"{self.name}: individuals must be true or false; got {self.individuals!r}")

    @property
    def further_remarks(self) -> tuple[str, ...]:  # type: ignore[override]
        """What is counted of people with several records."""
        return (_OF_PEOPLE,) if self.individuals else ()

    @property
    def rows_are_individuals(self) -> bool:
        """Whether people may have several records."""
        return self.individuals

    def of_individuals(self, several: bool) -> Self:
        """Publish a row per person, where people may have several records."""
        return replace(self, individuals=several)

    @property
    def _quasi(self) -> GeneralizedForm:
        """The form of the table of quasi-identifiers."""
        return GeneralizedForm(self.recoding, self.numeric_pairs)

    def with_numeric_pairs(self) -> Self:
        """Publish the ends of regions as numbers too."""
        return replace(self, numeric_pairs=True)

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the bucket, the counts of the sensitive values, and the numeric pairs."""
        pairs = self._quasi.keys_in(table, columns) if table == "quasi" else frozenset[str]()
        return keys_in(table, columns, apart=self.apart) | pairs

    def words_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the column that says of which sensitive column a row is, where each is listed by itself."""
        return words_in(table, columns, apart=self.apart)

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:
        """Publish every kept record's region, and its bucket's sensitive values.

        Raises
        ------
        PolicyError
            When there is no sensitive column, a column of the table has the name of a numeric pair, or people have a value
            twice, or several sensitive columns.
        """
        if self.individuals:
            return self._publish_individuals(data, plan, recoding, rng)
        shown = self._quasi.publish(data, plan, recoding, rng)
        table, rows = shown.tables["release"], shown.rows["release"]
        sensitive = {domain.name for domain in data.sensitive}
        quasi = {name: column for name, column in table.items() if name not in sensitive}
        return published_beside(self, quasi, rows, data, plan, rng, apart=self.apart)

    def _publish_individuals(
        self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator
    ) -> Published:
        """Publish every kept person's region, and how many people of their bucket have each value."""
        refuse_uncountable(data)
        kept = np.flatnonzero(plan.published)
        # All records of a person show the same region: one of them stands for all.
        _, first = np.unique(owners(data)[kept], return_index=True)
        alone = np.full(data.size, -1, np.int64)
        alone[kept[first]] = plan.classes[kept[first]]
        shown = self._quasi.publish(data, replace(plan, classes=alone), recoding, rng)
        table, rows = shown.tables["release"], shown.rows["release"]
        sensitive = {domain.name for domain in data.sensitive}
        quasi = {name: column for name, column in table.items() if name not in sensitive}
        return published_beside(self, quasi, rows, data, plan, rng, held=kept)

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand published tables.

        Raises
        ------
        TableError
            When they are not as `publish` makes them; says which table and column.
        """
        check_tables(tables, self.tables)
        made = AngelizedIndividualsPublication if self.individuals else AngelizedPublication
        return made(tables["quasi"], tables["sensitive"], columns, pairs=self.numeric_pairs, apart=self.apart)


_OF_PEOPLE = (
    "a row of the table of quasi-identifiers is a person; of every value it is published how many people of the bucket have it, "
    "and not whose it is, nor which values are of one person"
)


class AngelizedPublication(BucketPublication):
    """Angelized tables, read back: regions of quasi-identifiers, linked with buckets of sensitive values.

    ``identities`` are the regions. ``regions``: the table of quasi-identifiers by itself.
    """

    form: ClassVar[str] = "angelized"
    claimed_immune: ClassVar[str] = "Fazal et al. 2023"

    def __init__(
        self,
        quasi: Columns,
        sensitive: Columns,
        columns: PublishedColumns,
        *,
        pairs: bool = False,
        apart: bool = False,
    ) -> None:
        super().__init__(quasi, sensitive, columns, apart=apart)
        notes = tuple(note for note in columns.notes if note.role != "sensitive")
        shown = {name: column for name, column in quasi.items() if name != BUCKET}
        self.regions = GeneralizedPublication(shown, replace(columns, notes=notes), pairs=pairs)
        # Without a quasi-identifier nobody can be told from anybody.
        self.identities = self.regions.classes if self.regions.names else np.zeros(self.size, np.int64)
        self.cells: tuple[ShownColumn, ...] = self.regions.cells

    @cached_property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        return {
            **self.regions.askable,
            **{domain.name: Askable.of_domain(domain) for domain in self.sensitive},
        }

    def shares(self, where: Mapping[str, Any], of: str | None, power: int) -> NDArray[np.float64]:
        """Share of each record's region that meets all conditions, as in generalized tables; times the mean of ``of`` there."""
        published = [domain.name for domain in self.sensitive]
        names = (*self.regions.names, *published)
        for name in (*where, *(() if of is None else (of,))):
            if name not in names:
                raise unknown_column(name, names)
        quasi = {name: condition for name, condition in where.items() if name not in published}
        return self.regions.shares(quasi, None if of in published else of, power)[self.identities]

    @property
    def axes_of_identities(self) -> Mapping[str, Axis]:
        """Regions."""
        return self.regions.axes_by_name

    def matching(self, target: Mapping[str, Any]) -> NDArray[np.bool_]:
        """(n,) Records whose region contains the target's quasi-identifiers, as far as these are known."""
        return np.isin(self.identities, self.regions.candidates(target))


class _PeopleTables(AngelizedPublication):
    """The same tables where rows of ``quasi`` are people with several values: what is counted is the people who have each."""

    def _check_counts(
        self, holders: NDArray[np.int64], counts: NDArray[np.int64], counted: str, notes: Sequence[ColumnNote]
    ) -> None:
        """Refuse values that more people have than the bucket has, and buckets with fewer values than people."""
        if len(notes) > 1 or not self.tells_together:
            what = "an angelized release of people with several records has one sensitive column; the certificate names several"
            raise TableError(what)
        where = f"table 'sensitive', column {counted!r}"
        above = np.flatnonzero(counts > self.sizes[holders])
        if above.size:
            bucket = int(holders[above[0]])
            raise TableError(
                f"{where}: {count(int(counts[above[0]]), 'person')} of the bucket {int(self.numbers[bucket])} are said to have "
                f"one value; the table 'quasi' has {int(self.sizes[bucket])}"
            )
        sums = np.bincount(holders, counts, self.numbers.size).astype(np.int64)
        few = np.flatnonzero(sums < self.sizes)
        if few.size:
            bucket = int(few[0])
            raise TableError(
                f"{where}: the counts of the bucket {int(self.numbers[bucket])} sum to {int(sums[bucket])}; each of its "
                f"{count(int(self.sizes[bucket]), 'person')} has a value"
            )

    def _expand(self, listed: SensitiveRows) -> NDArray[np.int32]:
        """(1, n) Nobody's value: people have several."""
        return np.full((len(listed.columns), self.size), -1, np.int32)

    @property
    def entries(self) -> SensitiveRows:
        """Values of the buckets, with how many people have each."""
        return self._listed[0]


class AngelizedIndividualsPublication(Publication):
    """Angelized tables of people with several records, read back: a row of ``quasi`` is a person.

    Its n records are the pairs of a person and a value of theirs, of which the tables tell how many there are in each bucket.
    ``rows`` and ``sensitive_codes`` deal them to people as evenly as can be; nobody knows who has which, so whose they are means
    nothing unless it was told (`dealt`). ``classes`` are the buckets, ``identities`` the regions, ``tables`` the two with
    a row for each person.

    Raises `TableError` where a column is missing, a text is no value of its column, more people of a bucket have a value than
    it has, or it has fewer values than people.
    """

    form: ClassVar[str] = "angelized"
    links_buckets: ClassVar[bool] = True

    def __init__(
        self,
        quasi: Columns,
        sensitive: Columns,
        columns: PublishedColumns,
        *,
        pairs: bool = False,
        apart: bool = False,
    ) -> None:
        self.tables = _PeopleTables(quasi, sensitive, columns, pairs=pairs, apart=apart)
        told = self.tables
        self.sensitive, self.cells, self.beside = told.sensitive, told.cells, told.beside
        self._deal(*_dealt_evenly(told))

    def _deal(self, rows: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        """Take whose every record is, and its value."""
        self.rows, self.sensitive_codes, self.size = rows, codes, rows.shape[0]
        self.classes, self.identities = self.tables.classes[rows], self.tables.identities[rows]
        self.survey_weights = self.tables.survey_weights[rows]

    def dealt(self, rows: NDArray[np.int64], codes: NDArray[np.int32] | None = None) -> Self:
        """Deal the records as only the steward knows: ``rows`` (n,) of ``quasi``, with the values ``codes`` (1, n) they have.

        Without codes every record has some value of its bucket, and whose it is means nothing. There must be as many rows of
        each bucket as it has records.
        """
        other = copy(self)
        if codes is None:
            buckets = self.tables.classes
            codes = np.empty((1, rows.size), np.int32)
            codes[0, np.argsort(buckets[rows], kind="stable")] = self.sensitive_codes[
                0, np.argsort(self.classes, kind="stable")
            ]
        other._deal(rows, codes)  # noqa: SLF001  # its own
        return other

    def largest_shares(self) -> NDArray[np.int64]:
        """(buckets,) Most records that one person of each bucket may have, whoever has which values.

        One has each value at most once, and everybody else has one at least; so many can be dealt to one, the others' round
        by round.
        """
        told, entries = self.tables, self.tables.entries
        values = np.bincount(entries.holders, minlength=told.numbers.size)
        records = np.bincount(entries.holders, entries.counts, told.numbers.size).astype(np.int64)
        return np.asarray(np.minimum(values, records - told.sizes + 1), np.int64)

    def describe_class(self, number: int) -> str:
        """Its bucket number."""
        return self.tables.describe_class(number)

    @property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        return self.tables.askable

    @property
    def units(self) -> Units:
        """Of every person the shares of the people of their bucket who have each value."""
        return self.tables.units

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Add up the records expected of everybody who meets conditions: the shares of their bucket's people who have each value.

        Conditions on quasi-identifiers are met by the share of a region, as in generalized tables. Where survey weights are
        published, every person counts for as many as their weight says. Raises `TableError` where a column was not published, a
        condition does not suit its column, or ``of`` is not a column of numbers.
        """
        return self.tables.total(where, of, power)

    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Buckets with a person who may be the target."""
        return self.tables.candidates(target)

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Average, over all people who match, the shares of their bucket's people who have each value; empty where nobody does.

        The shares of one person add up to more than 1 where people have several values. Raises `TableError` where the target
        names a column that is no published quasi-identifier.
        """
        return self.tables.posterior(target)


def _dealt_evenly(told: _PeopleTables) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(n,) rows of ``quasi`` and (1, n) codes: everybody of a bucket gets its values in turn, so that nobody has one twice."""
    _, holders, counts = listed = told.entries
    (column,) = listed.columns
    order = np.lexsort((column.codes, holders))
    counts = counts[order]
    bucket = np.repeat(holders[order], counts)
    totals = np.bincount(bucket, minlength=told.numbers.size)
    turn = np.arange(bucket.size) - np.repeat(np.cumsum(totals) - totals, totals)
    begins = np.cumsum(told.sizes) - told.sizes
    people = np.argsort(told.classes, kind="stable")
    rows = people[begins[bucket] + turn % told.sizes[bucket]].astype(np.int64)
    return rows, np.repeat(column.codes[order], counts).astype(np.int32)[None]
