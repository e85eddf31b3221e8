"""What every form is: it publishes a plan as tables, and reads published tables back.

Reading gives a `Publication`, which knows only what was published. It answers the questions everything else asks: which
records nobody can tell apart (proofs), what an analyst computes (`estimate`), what an adversary believes (`posterior`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from likeness.errors import PolicyError, TableError, suggestion
from likeness.microdata.domain import NUMERIC
from likeness.microdata.grouping import add_up
from likeness.microdata.statistics import count_classes
from likeness.published.text import MISSING, write_value
from likeness.tables import EncodedColumn, Labelled, plain_value, texts
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain, Shown
    from likeness.microdata.mechanism import Mechanism
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import ColumnNote, PublishedColumns
    from likeness.published.regions import Region
    from likeness.queries.answering import Units
    from likeness.queries.asking import Askable
    from likeness.queries.contingency import ContingencyTables
    from likeness.queries.query import Query, Workload

Columns = Mapping[str, Labelled]
"""A published table: column name to codes and labels."""
People = Mapping[str, "tuple[NDArray[np.integer], Sequence[str | None], Hierarchy | None]"]
"""Who is looked for: column to the code of each person, the texts of codes (None: missing), and its hierarchy, if it has one."""
RESERVED = ("person", "bucket")
"""Columns that releases use themselves; those of the original with such a name are published under another one."""


@dataclass(frozen=True, eq=False)
class ShownColumn:
    """What published tables show of one quasi-identifier.

    Parameters
    ----------
    note
        What the certificate says about the column.
    regions
        Its distinct regions; single values in forms that publish quasi-identifiers exactly.
    of : (identities,) int64
        Region of each identity.
    """

    note: ColumnNote
    regions: Sequence[Region]
    of: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Joined:
    """How likely each value is for the people of every identity who join what was published, every record of it as likely.

    Shares are exact: whole numbers over one denominator.

    Parameters
    ----------
    start : (identities + 1,) int64
        Where the entries of each identity begin, ascending by value.
    value : (entries,) int64
        Published code.
    weight : (entries,) int64 or object
        Sum, over the identity's records, of the value's share in the record's class, times ``one``: whole numbers, Python's
        where 64 bits do not hold their sum. Those of an identity sum to its records times ``one``.
    one : int
        What a record weighs.
    values : int
        Number of codes.
    """

    start: NDArray[np.int64]
    value: NDArray[np.int64]
    weight: NDArray[Any]
    one: int
    values: int


class Publication(ABC):
    """Published tables, understood: nothing here comes from the original.

    Attributes
    ----------
    form : str
        Name of the form it was published in.
    mechanism : Mechanism or None
        How published sensitive values were randomized, in forms that do.
    size : int
        Number of published records, or of different ones where they were counted (``copies``).
    copies : (n,) int64 or None
        How often each record was published, where only different ones are at hand; None where each stands for itself.
    sensitive : tuple of Domain
        Sensitive attributes, with the values that were published.
    sensitive_codes : (s, n) int32
        Their published codes.
    classes : (n,) int64
        Records of one number share all an adversary sees of their quasi-identifiers when they look for a sensitive value
        (equivalence classes; buckets in two-table forms).
    identities : (n,) int64
        Records of one number share all an adversary sees of their quasi-identifiers; the same as ``classes``, save in
        forms that publish quasi-identifiers exactly.
    cells : tuple of ShownColumn
        What is shown of the identities, one quasi-identifier each.
    tells_together : bool
        Whether it is told which values of several sensitive columns are one record's, if only in which class.
    survey_weights : (n,) float64
        How many people each record counts for: 1, unless survey weights were published.
    beside : tuple of str
        Columns that are published as they are, beside what can be estimated.
    steps : mapping of str
        Columns whose regions are made of whole cells of a lattice that was declared, with its steps.
    attained : int or None
        How many members must have an end, a listed value or a child, or else regions grow (`likeness.microdata.attained`).
    persons : (n,) int64 or None
        Number of the individual of each record, from 0, in forms that say whose records belong together.
    rows : (n,) int64 or None
        Row of the first published table of each record, in forms whose rows are people and whose records are dealt to them,
        since nobody knows which are whose; None where every record has a row of its own.
    """

    form: ClassVar[str]
    covers: ClassVar[bool] = True
    """Whether what is shown of quasi-identifiers covers those it was made from, so that a target is among its candidates."""
    links_buckets: ClassVar[bool] = False
    """Whether ``classes`` are buckets that link two tables, and identities are what is shown of quasi-identifiers."""
    tells_classes: ClassVar[bool] = True
    """Whether sensitive values are told by class; else of everybody at once."""
    claimed_immune: ClassVar[str] = ""
    """Who claims that adversaries who know some values of people learn no others from such releases."""
    mechanism: Mechanism | None = None
    tells_together: bool = True
    size: int
    sensitive: tuple[Domain, ...]
    sensitive_codes: NDArray[np.int32]
    classes: NDArray[np.int64]
    identities: NDArray[np.int64]
    cells: tuple[ShownColumn, ...]
    survey_weights: NDArray[np.float64]
    persons: NDArray[np.int64] | None = None
    rows: NDArray[np.int64] | None = None
    beside: tuple[str, ...] = ()
    steps: Mapping[str, Any] = MappingProxyType({})
    attained: int | None = None
    copies: NDArray[np.int64] | None = None

    @property
    def records(self) -> int:
        """Number of published records."""
        return self.size if self.copies is None else int(self.copies.sum())

    @property
    def counted(self) -> NDArray[np.int64] | None:
        """(n,) Number of the person that each record counts for, from 0; None where every record counts for itself."""
        return self.persons if self.rows is None else self.rows

    @abstractmethod
    def describe_class(self, number: int) -> str:
        """Say which class it is, as the published table shows it, for messages."""

    def describe_identity(self, number: int) -> str:
        """Say which identity it is, as the published table shows it, for messages."""
        parts = (f"{cells.note.name} = {cells.regions[int(cells.of[number])].text}" for cells in self.cells)
        return ", ".join(parts)

    def estimate(self, query: Query) -> float:
        """Estimate the answer to a query.

        Returns
        -------
        float
            NaN for the mean over no record (an estimated number of records that is not above 0).

        Raises
        ------
        TableError
            When the query names a column that was not published, a condition does not suit its column (a category that it
            does not have, a range that ends before it begins: see `Askable`), ``of`` is not a column of numbers, or
            individuals are asked of a release that does not tell them apart.
        """
        from likeness.queries.asking import read_query

        where = read_query(self.askable, query.where, query.of, self.beside)
        if query.aggregate == "individuals":
            return self.total_individuals(where)
        if query.aggregate == "count" or query.of is None:
            return self.total(where)
        total = self.total(where, query.of, 1)
        return total if query.aggregate == "sum" else mean(total, self.total(where, query.of, 0))

    @abstractmethod
    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Estimate the sum, over the records that meet all conditions, of a number to some power.

        Parameters
        ----------
        where
            Conditions, as in `Query`.
        of
            The column of numbers; records in which it is missing are left out. None: every record counts for 1.
        power
            0 to count, 1 to sum.
        """

    def dealt(self, rows: NDArray[np.int64], codes: NDArray[np.int32] | None = None) -> Publication:  # noqa: ARG002
        """Deal records to people as only the steward knows, in forms that have ``rows``; others are what they are.

        Parameters
        ----------
        rows : (n,) int64
            Row of the first published table of each record.
        codes : (s, n) int32, optional
            Its published sensitive codes; any of its class where left out.
        """
        return self

    def largest_shares(self) -> NDArray[np.int64]:
        """(E,) Most records that one person of each class may have, whoever has which values.

        Raises
        ------
        TableError
            In forms that have no ``rows``.
        """
        raise TableError(f"{self.form} releases deal no records to people")

    def total_individuals(self, where: Mapping[str, Any]) -> float:  # noqa: ARG002
        """Estimate how many individuals have a record that meets all conditions.

        Parameters
        ----------
        where
            Conditions, as in `Query`.

        Raises
        ------
        TableError
            When the release does not say whose records belong together.
        """
        raise self._no_persons()

    def _no_persons(self) -> TableError:
        """Say that individuals cannot be counted."""
        return TableError(
            f"individuals can be counted only where a release says whose records belong together; this one is {self.form}: "
            "count records"
        )

    def estimate_all(self, workload: Workload) -> NDArray[np.float64]:
        """Estimate the answers to many queries at once: those of `estimate`, up to rounding in the last digits.

        Parameters
        ----------
        workload
            Queries in arrays.

        Returns
        -------
        (queries,) float64

        Raises
        ------
        TableError
            As `estimate`.
        """
        from likeness.queries.answering import answer, by_aggregate
        from likeness.queries.asking import read_workload

        workload = read_workload(self.askable, workload, self.beside)
        if workload.aggregate == "individuals":
            return answer(self.units_of_individuals, workload, None)
        return by_aggregate(workload, lambda power: self.totals(workload, power))

    def contingency(
        self, conditions: Mapping[str, Sequence[Any]], *, drawn: bool = False
    ) -> ContingencyTables:
        """Estimate the counts of all conditions on a column, and of all pairs of those on two columns, at once.

        Parameters
        ----------
        conditions
            Columns to conditions, as in `Query`.
        drawn
            Whether they come from the domains of a table, and so name nothing that is not there, as in `Workload`.

        Returns
        -------
        ContingencyTables
            What `estimate` says of every combination, up to rounding in the last digits.

        Raises
        ------
        TableError
            As `estimate`.
        """
        from likeness.queries.asking import read_conditions
        from likeness.queries.contingency import ContingencyTables

        conditions = read_conditions(self.askable, conditions, self.beside, drawn=drawn)
        return ContingencyTables(self.units, conditions, self.reconstructing)

    @property
    def reconstructing(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """What makes estimates of counts by cell, where they are not sums over what cells show."""
        return None

    @property
    @abstractmethod
    def askable(self) -> Mapping[str, Askable]:
        """Columns that queries may name, with what conditions on them may name."""

    @property
    @abstractmethod
    def units(self) -> Units:
        """What was published, as weighted units that `estimate_all` counts in."""

    @property
    def units_of_individuals(self) -> Units:
        """The same units, counted in individuals.

        Raises
        ------
        TableError
            When the release does not say whose records belong together.
        """
        raise self._no_persons()

    def totals(self, workload: Workload, power: int | None = None) -> NDArray[np.float64]:
        """(queries,) What `total` is for every query of a workload; ``power`` None counts every record."""
        from likeness.queries.answering import answer

        return answer(self.units, workload, power)

    @abstractmethod
    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Classes a target with known quasi-identifiers may be in."""

    def shows_highest(self, column: int) -> bool:
        """Whether a sensitive attribute shows of everybody the highest category of their values, and no value."""
        domain = self.sensitive[column]
        return domain.categories is not None and set(domain.labels) <= set(domain.categories.labels)

    def consistent(self, column: int, known: Collection[str | None]) -> NDArray[np.bool_]:
        """Find which published values somebody with some known values may have.

        Parameters
        ----------
        column
            Position of the attribute in ``sensitive``.
        known
            Texts of values (or categories) that the person has; None for the missing one.

        Returns
        -------
        (shown,) bool
            The known value itself; where categories are published, which are everybody's highest, the highest category of the
            known values and all above it; of sets of nodes those that cover all known values. All of them where nothing is known.

        Raises
        ------
        TableError
            When categories are published, and a known value has none, or sets are, and it is no leaf of their hierarchy.
        """
        domain = self.sensitive[column]
        if not known:
            return np.ones(domain.codes, np.bool_)
        texts = [value for value in known if value is not None]
        if domain.sets is not None:
            leaves = [domain.sets.tree.leaf_rank(value) for value in texts]
            return np.asarray(domain.sets.covering(np.array(leaves, np.int64)).all(axis=0))
        if domain.categories is None or not self.shows_highest(column):
            return np.array([{label} == set(known) for label in domain.labels_with(None)], np.bool_)
        rank = domain.categories.rank
        for value in texts:
            if value not in rank:
                raise TableError(f"column {domain.name!r}: {quoted(value)} is in none of its categories")
        least = domain.categories.highest(texts)
        return np.array(
            [label is not None and rank[label] >= least for label in domain.labels_with(None)], np.bool_
        )

    def joined(self, column: int) -> Joined:
        """Join what is shown of quasi-identifiers with the values of classes: exact shares of every identity.

        Whoever's record is whose, a record of a class has each value with its share there; people of one identity are
        its records, each as likely.

        Parameters
        ----------
        column
            Position of the attribute in ``sensitive``.

        Raises
        ------
        TableError
            Where published values were randomized, so that their shares are not those of people.
        """
        if self.mechanism is not None:
            raise TableError(
                f"{self.form} releases randomize values: what is published has no shares of true ones"
            )
        values = self.sensitive[column].codes
        classes = int(self.classes.max(initial=-1)) + 1
        stats = count_classes(self.classes, classes, self.sensitive_codes[column], values)
        keys, records = np.unique(self.identities * max(1, classes) + self.classes, return_counts=True)
        identity, of = np.divmod(keys, max(1, classes))
        sizes = stats.sizes[of]
        common = np.gcd(records, sizes)
        one = lcm(*np.unique(sizes // common).tolist())
        # One record's worth of a class with all of its values is a whole number, as are the sums over whole identities.
        exact = np.int64 if one * max(1, self.size) < 1 << 62 else object
        times = (records // common).astype(exact) * (one // (sizes // common).astype(exact))
        held = stats.distinct[of]
        entries = np.repeat(stats.start[of] - np.cumsum(held) + held, held) + np.arange(int(held.sum()))
        cells = np.repeat(identity, held) * values + stats.value[entries]
        weights = np.repeat(times, held) * stats.count[entries].astype(exact)
        cells, weights = add_up(cells, weights)
        identities = int(self.identities.max(initial=-1)) + 1
        start = np.searchsorted(cells, np.arange(identities + 1) * values).astype(np.int64)
        return Joined(start, cells % max(1, values), weights, one, values)

    def nearest(self, people: People) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # noqa: ARG002
        """Find the identities nearest to each of many people, where what is shown need not cover them.

        Parameters
        ----------
        people
            What is known of them.

        Returns
        -------
        start : (people + 1,) int64
            Where those of each person begin.
        identities : (entries,) int64
            Ascending for each person.

        Raises
        ------
        TableError
            In forms whose regions cover the people they were made from: there, candidates are those that do.
        """
        raise TableError(f"{self.form} releases show regions that cover people; nearest is not asked of them")

    def reconstruct(self, counts: NDArray[np.floating]) -> NDArray[np.float64]:
        """Estimate how many records have each original sensitive value from counts of the published ones.

        Parameters
        ----------
        counts : (..., m) float
            Published records of every value of the (only) sensitive attribute, over any set of records.

        Returns
        -------
        (..., m) float
            The counts themselves, in forms that publish sensitive values as they are.
        """
        return np.asarray(counts, np.float64)

    def reconstructed(self, query: Query, variant: str | None = None) -> dict[str, float]:  # noqa: ARG002
        """Estimate how many of the records that meet a query have each original sensitive value.

        Raises
        ------
        PolicyError
            In forms that publish no matrix.
        """
        raise PolicyError(
            f"a reconstruction needs the matrix PM, which only perturbed releases publish; this one is {self.form}: "
            "use estimate"
        )

    def check_target(self, target: Mapping[str, Any]) -> None:
        """Refuse to know of a target what no column tells.

        Raises
        ------
        TableError
            When the target names a column that is no published quasi-identifier.
        """
        published = [cells.note.name for cells in self.cells]
        for name in target:
            if name not in published:
                raise TableError(f"no published quasi-identifier {name!r}{suggestion(name, published)}")

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """What an adversary believes about a target's sensitive values, every matching record being as likely.

        Parameters
        ----------
        target
            What the adversary knows: quasi-identifier values by column.

        Returns
        -------
        dict
            For every sensitive column, the probability of every value; empty when nobody matches. Where sets are
            published, that of having it, so that they need not sum to 1.

        Raises
        ------
        TableError
            When the target names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        inside = np.isin(self.classes, self.candidates(target))
        total = int(inside.sum())
        found: dict[str, dict[str, float]] = {}
        if total == 0:
            return found
        for domain, codes in zip(self.sensitive, self.sensitive_codes, strict=True):
            likely = np.bincount(codes[inside], minlength=domain.codes) / total
            if domain.sets is not None:
                likely = domain.sets.beliefs(likely)
            found[domain.name] = by_label(domain.single, likely)
        return found


def mean(total: float, count: float) -> float:
    """Divide a sum by a number of records; NaN when that is not above 0.

    Examples
    --------
    >>> mean(6.0, 4.0), mean(0.0, 0.0)
    (1.5, nan)
    """
    return total / count if count > 0 else float("nan")


class Form(ABC):
    """How a plan is published; a small frozen value."""

    name: ClassVar[str]
    tables: ClassVar[tuple[str, ...]] = ("release",)
    """Names of the published tables; columns published as they are go with the first."""
    leading: ClassVar[tuple[str, ...]] = ()
    """Columns of its own that stand before those of the original in the first table."""
    recoding: str = "tight"
    """How regions are found: a parameter of forms that publish regions."""
    steps: Mapping[str, Any] | None = None
    """What regions of columns are rounded outward to: a parameter of forms that publish regions on a lattice."""
    attained: int | None = None
    """How many members must have an end or a listed value, or else the region grows: a parameter of forms that can ask for it."""
    numeric_pairs: bool = False
    """Whether the ends of regions are published as numbers too: a parameter of forms that can."""
    needs_individuals: ClassVar[bool] = False
    """Whether it publishes whose records are whose, so that the policy must name the column that tells people apart."""
    of_classes: ClassVar[bool] = False
    """Whether it publishes any plan of classes: a method that publishes in one such form publishes in all."""
    takes_individuals: ClassVar[bool] = True
    """Whether it can publish tables in which people have several records."""
    publishes_exactly: ClassVar[bool] = False
    """Whether quasi-identifiers are published as they are."""
    always_csv: ClassVar[frozenset[str]] = frozenset()
    """Published tables that are CSV whatever the format of the others: small, and read by any tool."""
    undescribed: ClassVar[frozenset[str]] = frozenset()
    """Published tables whose columns are no columns of the original, so that no note describes them."""
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType({})
    """Roles of the columns that each table may hold; all, where a table is not named."""
    protected_by_randomness: ClassVar[bool] = False
    """Whether what protects is that nobody can repeat the random draws: a given seed then weakens a release."""
    sensitive_shown: ClassVar[str] = "exactly"
    """How sensitive values are shown, in a certificate's list of columns."""
    publishes_buckets: ClassVar[bool] = False
    """Whether sensitive values are published by buckets: these are its classes."""
    publishes_counts: ClassVar[bool] = False
    """Whether it can publish rows that stand for several records (`Microdata.copies`), and prove them so."""
    publishes_added: ClassVar[bool] = False
    """Whether it can publish records that nobody is beside the others (`Plan.added`)."""
    remark: ClassVar[str] = "sensitive values are published exactly, one per record"
    """What the form publishes as it is, said in every certificate."""
    further_remarks: ClassVar[tuple[str, ...]] = ()
    """What else the form's guarantee takes for granted, said in every certificate."""

    def file_of(self, table: str, format_: str) -> str:
        """Name the file of a published table in a release of some format.

        Examples
        --------
        >>> from likeness.forms.perturbed import PerturbedForm
        >>> PerturbedForm().file_of("perturbation", "parquet")
        'perturbation.csv'
        """
        return f"{table}.{'csv' if table in self.always_csv else format_}"

    def shows(self, kind: str, shape: str) -> Shown:  # noqa: ARG002
        """Say what classes show of a quasi-identifier of some kind and shape: its region, its mean or its mode."""
        return "region"

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:  # noqa: ARG002
        """Name the columns that the form itself adds to a table, beside those of the original."""
        return frozenset()

    def words_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:  # noqa: ARG002
        """Name those of these columns that hold words; the others hold numbers."""
        return frozenset()

    def own_columns(self, columns: PublishedColumns) -> frozenset[str]:
        """Name all columns that the form itself adds, in any of its tables."""
        return frozenset(self.leading).union(*(self.keys_in(table, columns) for table in self.tables))

    def misplaced(self, table: str, names: Iterable[str], columns: PublishedColumns) -> list[str]:
        """Say which columns a table must not hold: exact values beside what the form publishes would undo it.

        The original's columns never have `RESERVED` names, so that nothing can be taken for a number of the form.

        Parameters
        ----------
        table
            Its name.
        names
            Its columns.
        columns
            What the certificate says about all columns.
        """
        of, roles = {note.name: note.role for note in columns.notes}, self.roles_in.get(table)
        keys = self.keys_in(table, columns).union(self.leading if table == self.tables[0] else ())

        foreign = (name for name in names if name not in keys)
        allowed = {*of.values()} - {"added"} if roles is None else roles
        return [name for name in foreign if name in RESERVED or of.get(name) not in allowed]

    @property
    def rows_are_individuals(self) -> bool:
        """Whether the rows of its first table are people, each of whom may have several records."""
        return False

    def of_individuals(self, several: bool) -> Self:  # noqa: ARG002
        """Publish people with several records, or one record a person; forms that do both alike stay as they are."""
        return self

    @property
    def class_noun(self) -> str:
        """What a class is called where people read of it."""
        return "bucket" if self.publishes_buckets else "equivalence class"

    def with_numeric_pairs(self) -> Self:
        """Publish the ends of regions as numbers too, where the form can."""
        return self

    @abstractmethod
    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:
        """Make the published tables; rows in random order, withheld records left out."""

    @abstractmethod
    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand published tables, from their texts alone."""

    def read_counts(
        self, tables: Mapping[str, Columns], columns: PublishedColumns, copies: NDArray[np.int64]
    ) -> Publication:
        """Understand published tables whose first has its different rows only; ``copies`` (n,) is how often each is published."""
        found = self.read(tables, columns)
        found.copies = copies
        return found


@dataclass(frozen=True, eq=False)
class Published:
    """Published tables in memory, and which record of the data each row is (private).

    Parameters
    ----------
    tables
        Table name to its columns.
    rows
        Table name to the record each row was made from; below 0 for rows that are nobody's (``-1 - i`` for the i-th record that
        was added). The private class map.
    """

    tables: dict[str, dict[str, Labelled | EncodedColumn]]
    rows: dict[str, NDArray[np.int64]]


def publish_values(domain: Domain, codes: NDArray[np.int32]) -> Labelled | EncodedColumn:
    """Publish exact values: numbers and dates as themselves, everything else as text."""
    shown = np.where(codes == domain.missing_code, -1, codes).astype(np.int32) if domain.missing else codes
    if domain.kind in NUMERIC and domain.shape == "interval":
        return EncodedColumn(domain.name, domain.kind, shown, domain.values)
    if domain.sets is not None:
        return Labelled(codes, domain.labels_with(MISSING))
    return Labelled(codes, written_labels(domain, write_value))


def beside_own_values(
    table: dict[str, Any], rows: NDArray[np.int64], data: Microdata, plan: Plan
) -> Published:
    """Publish one table: what stands in it of the quasi-identifiers of some rows, and the sensitive values of each."""
    sensitive = plan.sensitive_of(data.sensitive_codes, rows)
    for domain, codes in zip(data.sensitive, sensitive, strict=True):
        table[domain.name] = publish_values(domain, codes)
    return Published({"release": table}, {"release": rows})


def written_labels(domain: Domain, write: Callable[[str], str]) -> list[str]:
    """(codes,) The text of every code as it is published; the missing value is the empty one."""
    return [MISSING if label is None else write(label) for label in domain.labels_with(None)]


def by_label(
    domain: Domain, numbers: NDArray[Any], which: NDArray[np.bool_] | None = None
) -> dict[str, float]:
    """Give the numbers of chosen values (all that are not 0) by their labels; the missing value is the empty text."""
    labels = domain.labels_with(MISSING)
    found: dict[str, float] = {}
    for code in np.flatnonzero(numbers if which is None else which).tolist():
        # An empty text and the missing value have the same label.
        found[labels[code]] = found.get(labels[code], 0.0) + float(numbers[code])
    return found


def as_labelled(column: Labelled | EncodedColumn) -> Labelled:
    """Give any published column as codes and the texts that occur, null cells as the empty text."""
    labels = texts(column.values) if isinstance(column, EncodedColumn) else list(column.labels)
    labels.append(MISSING)
    # A file holds only the texts that occur: what is read here must be what is read there.
    occurs = np.zeros(len(labels), np.bool_)
    occurs[column.codes] = True
    if occurs[:-1].all() and not occurs[-1]:
        return Labelled(column.codes, labels[:-1])
    number = (np.cumsum(occurs) - 1).astype(np.int32)
    return Labelled(number[column.codes], [labels[i] for i in np.flatnonzero(occurs)])


def read_survey_weights(table: Columns, columns: PublishedColumns, size: int) -> NDArray[np.float64]:
    """(n,) How many people each record stands for: 1, unless survey weights were published.

    Raises
    ------
    TableError
        When a published weight is not a number of at least 0.
    """
    name = columns.survey_weight
    if name is None:
        return np.broadcast_to(np.ones(1), size)  # one number, for everybody
    column = table[name]
    numbers = [plain_value("real", label) for label in column.labels]
    for number, label in zip(numbers, column.labels, strict=True):
        if number is None or number < 0:
            raise TableError(
                f"column {name!r}: the survey weight {quoted(label)} is not a number of at least 0"
            )
    return np.asarray(np.array(numbers, np.float64)[column.codes])
