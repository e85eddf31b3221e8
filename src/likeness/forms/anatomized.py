"""Anatomized tables (Xiao & Tao 2006): exact quasi-identifiers and sensitive values, linked by buckets.

Anatomized tables, read back: what they prove, what an analyst computes and what an adversary believes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.errors import PolicyError, TableError
from likeness.forms.base import (
    Columns,
    Form,
    Publication,
    Published,
    ShownColumn,
    by_label,
    publish_values,
    read_survey_weights,
)
from likeness.forms.exact import ExactColumn, count_column, whole_column, whole_numbers
from likeness.microdata.grouping import group_codes
from likeness.queries.answering import make_units
from likeness.queries.asking import Askable
from likeness.queries.axes import ExactAxis
from likeness.queries.overlap import condition_shares
from likeness.queries.sums import number_weights, unknown_column
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.published.columns import PublishedColumns
    from likeness.queries.answering import Units


BUCKET = "bucket"
"""The column that links the two tables."""


@dataclass(frozen=True)
class AnatomizedForm(Form):
    """Two tables: everybody's exact quasi-identifiers with a bucket, and every bucket's sensitive values.

    The table ``quasi`` has a row per record, in random order; ``sensitive`` one per bucket and value, with
    the number of records. The column ``bucket`` links them; its numbers are random.

    References
    ----------
    Xiao & Tao 2006, "Anatomy: simple and effective privacy preservation", definition 3 (QIT and ST).

    Examples
    --------
    >>> AnatomizedForm().tables
    ('quasi', 'sensitive')
    """

    name: ClassVar[str] = "anatomized"
    tables: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    publishes_exactly: ClassVar[bool] = True
    roles_in: ClassVar[Mapping[str, frozenset[str]]] = MappingProxyType(
        {"quasi": frozenset({"quasi", "other", "pseudonym"}), "sensitive": frozenset({"sensitive"})}
    )
    remark: ClassVar[str] = (
        "quasi-identifiers are published exactly, one record a row, so everybody sees who is in the table; "
        "sensitive values are published by bucket, each with its number of records"
    )

    def keys_in(self, table: str, columns: PublishedColumns) -> frozenset[str]:
        """Name the bucket, and the counts of the sensitive values."""
        counted = {count_column(note.name) for note in columns.with_role("sensitive")}
        return frozenset({BUCKET} | (counted if table == "sensitive" else set()))

    def publish(self, data: Microdata, plan: Plan, recoding: Recoding, rng: np.random.Generator) -> Published:  # noqa: ARG002
        """Publish every kept record's quasi-identifiers, and its bucket's sensitive values.

        Raises
        ------
        PolicyError
            When there is not exactly one sensitive column.
        """
        if len(data.sensitive) != 1:
            raise PolicyError(
                f"{self.name}: publishes one sensitive column; this table has {len(data.sensitive)}"
            )
        rows = rng.permutation(np.flatnonzero(plan.published))
        buckets = (plan.classes if plan.buckets is None else plan.buckets)[rows]
        # Numbers in no order of anything: a method may number its buckets by what is in them.
        numbers = rng.permutation(int(buckets.max(initial=-1)) + 1)[buckets]
        quasi: dict[str, Any] = {
            domain.name: publish_values(domain, np.ascontiguousarray(codes[rows]))
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
        quasi[BUCKET] = whole_column(BUCKET, numbers + 1)
        domain = data.sensitive[0]
        codes = (data.sensitive_codes if plan.sensitive is None else plan.sensitive)[0][rows]
        keys, counts = np.unique(numbers * domain.codes + codes, return_counts=True)
        counted = count_column(domain.name)
        sensitive: dict[str, Any] = {
            BUCKET: whole_column(BUCKET, keys // domain.codes + 1),
            domain.name: publish_values(domain, (keys % domain.codes).astype(np.int32)),
            counted: whole_column(counted, counts.astype(np.int64)),
        }
        nobody = np.full(keys.shape[0], -1, np.int64)
        return Published({"quasi": quasi, "sensitive": sensitive}, {"quasi": rows, "sensitive": nobody})

    def read(self, tables: Mapping[str, Columns], columns: PublishedColumns) -> Publication:
        """Understand published tables.

        Raises
        ------
        TableError
            When they are not as `publish` makes them; says which table and column.
        """
        for name in self.tables:
            if name not in tables:
                raise TableError(f"the table {name!r} is not there; it was published with the others")
        return AnatomizedPublication(tables["quasi"], tables["sensitive"], columns)


class AnatomizedPublication(Publication):
    """Anatomized tables, read back.

    ``classes`` are the buckets. ``sensitive_codes`` give every record of a bucket one of its values; which
    record has which means nothing, as nobody knows. Raises `TableError` where a column is missing, a text is no value of
    its column, or the tables contradict each other.
    """

    form: ClassVar[str] = "anatomized"

    def __init__(self, quasi: Columns, sensitive: Columns, columns: PublishedColumns) -> None:
        notes = columns.with_role("sensitive")
        if len(notes) != 1:
            raise TableError(
                f"an anatomized release has one sensitive column; the certificate names {len(notes)}"
            )
        _same_lengths("quasi", quasi)
        _same_lengths("sensitive", sensitive)
        self.columns = tuple(ExactColumn("quasi", quasi, note) for note in columns.with_role("quasi"))
        self.values = ExactColumn("sensitive", sensitive, notes[0])
        self.sensitive = (self.values.domain,)
        own = whole_numbers("quasi", quasi, BUCKET, at_least=0)
        self.size = own.shape[0]
        self.numbers, classes = np.unique(own, return_inverse=True)
        self.classes = classes.astype(np.int64)
        self.sizes = np.bincount(self.classes, minlength=self.numbers.size).astype(np.int64)
        self.counts = whole_numbers("sensitive", sensitive, count_column(notes[0].name), at_least=1)
        self.holders = self._find_buckets(whole_numbers("sensitive", sensitive, BUCKET, at_least=0))
        self._check_counts()
        self.sensitive_codes = self._expand()
        groups = group_codes([c.codes for c in self.columns], [c.domain.codes for c in self.columns])
        self.identities = groups.of if self.columns else np.zeros(self.size, np.int64)
        self.survey_weights = read_survey_weights(quasi, columns, self.size)
        self.beside = tuple(note.name for note in columns.with_role("other"))
        self._first = groups.first if self.columns else np.zeros(min(1, self.size), np.int64)

    def _find_buckets(self, held: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bucket of every row of ``sensitive``, by position in ``numbers``."""
        at = np.searchsorted(self.numbers, held).astype(np.int64)
        known = at < self.numbers.size
        known[known] = self.numbers[at[known]] == held[known]
        if not known.all():
            number = int(held[~known][0])
            raise TableError(
                f"table 'sensitive', column {BUCKET!r}: the bucket {number} is not in the table 'quasi'"
            )
        keys = at * self.values.domain.codes + self.values.codes
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        if (times > 1).any():
            number = int(held[first[times > 1][0]])
            raise TableError(
                f"table 'sensitive', column {self.values.note.name!r}: the bucket {number} has one value on "
                "two rows"
            )
        return at

    def _check_counts(self) -> None:
        """Refuse buckets that do not have as many values as records."""
        limited = np.minimum(self.counts, self.size + 1)
        sums = np.bincount(self.holders, limited, self.numbers.size).astype(np.int64)
        wrong = np.flatnonzero(sums != self.sizes)
        if wrong.size:
            number, size = int(self.numbers[wrong[0]]), int(self.sizes[wrong[0]])
            raise TableError(
                f"table 'sensitive', column {count_column(self.values.note.name)!r}: the counts of the "
                f"bucket {number} do not sum to its {count(size, 'record')} in the table 'quasi'"
            )

    def _expand(self) -> NDArray[np.int32]:
        """(1, n) One of its bucket's values for every record."""
        # Sorted by bucket, both tables run side by side.
        order = np.argsort(self.holders, kind="stable")
        codes = np.empty((1, self.size), np.int32)
        codes[0, np.argsort(self.classes, kind="stable")] = np.repeat(
            self.values.codes[order], self.counts[order]
        )
        return codes

    @cached_property
    def cells(self) -> tuple[ShownColumn, ...]:  # type: ignore[override]  # an attribute computed when first used
        """What is shown of each identity: single values."""
        return tuple(
            ShownColumn(column.note, column.regions(), column.codes[self._first].astype(np.int64))
            for column in self.columns
        )

    @cached_property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        domains = (*(column.domain for column in self.columns), *self.sensitive)
        return {domain.name: Askable.of_domain(domain) for domain in domains}

    def describe_class(self, number: int) -> str:
        """Its bucket number."""
        return f"{BUCKET} = {int(self.numbers[number])}"

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Add up the records whose quasi-identifiers meet conditions, times their bucket's share of sensitive values that do.

        That is the estimator of Anatomy (Xiao & Tao 2006). Of a sensitive column every record adds the mean of its bucket.
        Where survey weights are published, every record counts for as many people as its weight says. Raises `TableError` where
        a column was not published, a condition does not suit its column, or ``of`` is not a column of numbers.
        """
        weights = self.survey_weights
        values = np.ones(self.values.domain.codes)
        by_name = {column.note.name: column for column in self.columns}
        for name in (*where, *(() if of is None else (of,))):
            if name not in by_name and name != self.values.note.name:
                raise unknown_column(name, (*by_name, self.values.note.name))
        for name, condition in where.items():
            if name in by_name:
                weights = weights * by_name[name].meets(condition)
            else:
                values = values * (condition_shares(self.values.domain, condition) > 0)
        if of in by_name:
            weights = weights * number_weights(by_name[of].domain, power)[by_name[of].codes]
        elif of is not None:
            values = values * number_weights(self.values.domain, power)
        members = np.bincount(self.classes, weights, self.numbers.size)
        having = np.bincount(self.holders, self.counts * values[self.values.codes], self.numbers.size)
        return float(np.sum(members * having / self.sizes))

    @cached_property
    def units(self) -> Units:
        """Distinct tuples; of every record the shares of the values in its bucket."""
        order = np.argsort(self.holders, kind="stable")
        begins = np.searchsorted(self.holders[order], np.arange(self.numbers.size + 1))
        # Records of one tuple in one bucket are alike.
        keys, of = np.unique(self.identities * self.numbers.size + self.classes, return_inverse=True)
        records = np.bincount(of, self.survey_weights, keys.shape[0])
        tuples, buckets = np.divmod(keys, max(1, self.numbers.size))
        held = np.diff(begins)[buckets]
        within = np.arange(held.sum()) - np.repeat(np.cumsum(held) - held, held)
        entries = order[np.repeat(begins[buckets], held) + within]
        shares = self.counts[entries] / self.sizes[self.holders[entries]]
        domain = self.values.domain
        return make_units(
            {c.note.name: ExactAxis(c.domain, c.codes[self._first]) for c in self.columns},
            {domain.name: (domain, np.arange(domain.codes))},
            np.repeat(tuples, held),
            self.values.codes[entries],
            np.repeat(records, held) * shares,
            self._first.shape[0],
        )

    def _matching(self, target: Mapping[str, Any]) -> NDArray[np.bool_]:
        """(n,) Records whose quasi-identifiers are the target's, as far as these are known."""
        found = np.ones(self.size, np.bool_)
        for column in self.columns:
            if column.note.name in target:
                found &= column.meets([target[column.note.name]])
        return found

    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Buckets with a record of the target's quasi-identifiers."""
        return np.unique(self.classes[self._matching(target)])

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Average, over all records that match, the shares of the values in their buckets; empty where nobody matches.

        Raises `TableError` where the target names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        buckets = self.classes[self._matching(target)]
        if buckets.size == 0:
            return {}
        weights = np.bincount(buckets, minlength=self.numbers.size) / self.sizes / buckets.size
        domain = self.values.domain
        beliefs = np.bincount(self.values.codes, self.counts * weights[self.holders], domain.codes)
        return {domain.name: by_label(domain, beliefs)}


def _same_lengths(table: str, columns: Columns) -> None:
    """Refuse columns of different lengths."""
    if len({column.codes.shape[0] for column in columns.values()}) > 1:
        raise TableError(f"table {table!r}: its columns are of different lengths; it was changed")
