"""Two tables linked by a bucket number: what sensitive values are published as, and how they are read back.

Whoever's record is whose, what is believed of a value is a mean of its shares in buckets. So a model that survives the union of
classes, and holds of every bucket, holds for everybody who joins the tables.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import PolicyError, Refusal, TableError
from likeness.forms.base import (
    Columns,
    Form,
    Publication,
    Published,
    by_label,
    publish_values,
    read_survey_weights,
)
from likeness.forms.exact import ExactColumn, count_column, whole_column, whole_numbers
from likeness.queries.answering import make_units
from likeness.queries.overlap import condition_shares
from likeness.queries.sums import number_weights
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.published.columns import PublishedColumns
    from likeness.queries.answering import Units
    from likeness.queries.axes import Axis

BUCKET = "bucket"
"""The column that links the two tables."""


def keys_in(table: str, columns: PublishedColumns) -> frozenset[str]:
    """Name the bucket, and the counts of the sensitive values."""
    counted = {count_column(note.name) for note in columns.with_role("sensitive")}
    return frozenset({BUCKET} | (counted if table == "sensitive" else set()))


def published_beside(
    form: Form,
    quasi: dict[str, Any],
    rows: NDArray[np.int64],
    data: Microdata,
    plan: Plan,
    rng: np.random.Generator,
    of: NDArray[np.int64] | None = None,
) -> Published:
    """Link quasi-identifiers, as they are published of ``rows``, with their buckets' sensitive values.

    ``of``: the records whose sensitive values are published, where they are not those rows.
    Raises `PolicyError` when there is not exactly one sensitive column.
    """
    if len(data.sensitive) != 1:
        what = f"publishes one sensitive column; this table has {len(data.sensitive)}"
        raise PolicyError(Refusal(what, (form.name,)))
    buckets = plan.classes if plan.buckets is None else plan.buckets
    # Numbers in no order of anything: a method may number its buckets by what is in them.
    number = rng.permutation(int(buckets.max(initial=-1)) + 1)
    domain, held = data.sensitive[0], rows if of is None else of
    codes = (data.sensitive_codes if plan.sensitive is None else plan.sensitive)[0][held]
    keys, counts = np.unique(number[buckets[held]] * domain.codes + codes, return_counts=True)
    counted = count_column(domain.name)
    sensitive: dict[str, Any] = {
        BUCKET: whole_column(BUCKET, keys // domain.codes + 1),
        domain.name: publish_values(domain, (keys % domain.codes).astype(np.int32)),
        counted: whole_column(counted, counts.astype(np.int64)),
    }
    nobody = np.full(keys.shape[0], -1, np.int64)
    linked = quasi | {BUCKET: whole_column(BUCKET, number[buckets[rows]] + 1)}
    return Published({"quasi": linked, "sensitive": sensitive}, {"quasi": rows, "sensitive": nobody})


def check_tables(tables: Mapping[str, Columns], names: tuple[str, ...]) -> None:
    """Refuse a release of which a table is missing."""
    for name in names:
        if name not in tables:
            raise TableError(f"the table {name!r} is not there; it was published with the others")


class BucketPublication(Publication):
    """Two tables linked by buckets, read back; how quasi-identifiers are shown is for those that are one.

    ``classes`` are the buckets. ``sensitive_codes`` give every record of a bucket one of its values; which
    record has which means nothing, as nobody knows. Raises `TableError` where a column is missing, a text is no value of
    its column, or the tables contradict each other.
    """

    def __init__(self, quasi: Columns, sensitive: Columns, columns: PublishedColumns) -> None:
        notes = columns.with_role("sensitive")
        if len(notes) != 1:
            raise TableError(
                f"an {self.form} release has one sensitive column; the certificate names {len(notes)}"
            )
        _same_lengths("quasi", quasi)
        _same_lengths("sensitive", sensitive)
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
        self.survey_weights = read_survey_weights(quasi, columns, self.size)
        self.beside = tuple(note.name for note in columns.with_role("other"))

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

    def describe_class(self, number: int) -> str:
        """Its bucket number."""
        return f"{BUCKET} = {int(self.numbers[number])}"

    @abstractmethod
    def shares(self, where: Mapping[str, Any], of: str | None, power: int) -> NDArray[np.float64]:
        """(n,) Of each record how much of it meets conditions on quasi-identifiers, times the number ``of`` where that is one.

        Conditions on the sensitive column are not looked at. Raises `TableError` where a column was not published.
        """

    @property
    @abstractmethod
    def axes_of_identities(self) -> Mapping[str, Axis]:
        """Quasi-identifiers, with what each identity shows."""

    @abstractmethod
    def matching(self, target: Mapping[str, Any]) -> NDArray[np.bool_]:
        """(n,) Records that may be a target's, as far as its quasi-identifiers are known."""

    def total(self, where: Mapping[str, Any], of: str | None = None, power: int = 0) -> float:
        """Add up the records whose quasi-identifiers meet conditions, times their bucket's share of sensitive values that do.

        That is the estimator of Anatomy (Xiao & Tao 2006). Of a sensitive column every record adds the mean of its bucket.
        Where survey weights are published, every record counts for as many people as its weight says. Raises `TableError` where
        a column was not published, a condition does not suit its column, or ``of`` is not a column of numbers.
        """
        domain = self.values.domain
        weights = self.survey_weights * self.shares(where, of, power)
        values = np.ones(domain.codes)
        if domain.name in where:
            values = values * (condition_shares(domain, where[domain.name]) > 0)
        if of == domain.name:
            values = values * number_weights(domain, power)
        members = np.bincount(self.classes, weights, self.numbers.size)
        having = np.bincount(self.holders, self.counts * values[self.values.codes], self.numbers.size)
        return float(np.sum(members * having / self.sizes))

    @cached_property
    def units(self) -> Units:
        """What is shown of quasi-identifiers; of every record the shares of the values in its bucket."""
        order = np.argsort(self.holders, kind="stable")
        begins = np.searchsorted(self.holders[order], np.arange(self.numbers.size + 1))
        # Records of one identity in one bucket are alike.
        keys, of = np.unique(self.identities * self.numbers.size + self.classes, return_inverse=True)
        records = np.bincount(of, self.survey_weights, keys.shape[0])
        identities, buckets = np.divmod(keys, max(1, self.numbers.size))
        held = np.diff(begins)[buckets]
        within = np.arange(held.sum()) - np.repeat(np.cumsum(held) - held, held)
        entries = order[np.repeat(begins[buckets], held) + within]
        shares = self.counts[entries] / self.sizes[self.holders[entries]]
        domain = self.values.domain
        return make_units(
            self.axes_of_identities,
            {domain.name: (domain, np.arange(domain.codes))},
            np.repeat(identities, held),
            self.values.codes[entries],
            np.repeat(records, held) * shares,
            int(self.identities.max(initial=-1)) + 1,
        )

    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Buckets with a record that may be the target's."""
        return np.unique(self.classes[self.matching(target)])

    def posterior(self, target: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Average, over all records that match, the shares of the values in their buckets; empty where nobody matches.

        Raises `TableError` where the target names a column that is no published quasi-identifier.
        """
        self.check_target(target)
        buckets = self.classes[self.matching(target)]
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
