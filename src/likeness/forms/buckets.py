"""Two tables linked by a bucket number: what sensitive values are published as, and how they are read back.

Whoever's record is whose, what is believed of a value is a mean of its shares in buckets. So a model that survives the union of
classes, and holds of every bucket, holds for everybody who joins the tables.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from likeness.errors import PolicyError, Refusal, TableError
from likeness.forms.base import (
    Columns,
    Form,
    Publication,
    Published,
    as_labelled,
    by_label,
    publish_values,
    read_survey_weights,
)
from likeness.forms.exact import ExactColumn, column_of, count_column, whole_column, whole_numbers
from likeness.microdata.grouping import ranked
from likeness.published.text import MISSING
from likeness.queries.answering import make_units, tuples_of
from likeness.queries.overlap import condition_shares
from likeness.queries.sums import number_weights
from likeness.tables import EncodedColumn, Labelled
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan
    from likeness.published.columns import ColumnNote, PublishedColumns
    from likeness.queries.answering import Units
    from likeness.queries.axes import Axis

BUCKET = "bucket"
"""The column that links the two tables."""


def keys_in(table: str, columns: PublishedColumns, *, apart: bool = False) -> frozenset[str]:
    """Name the bucket, and the counts of the sensitive values; where these are ``apart`` also the column of which a row is."""
    names = [note.name for note in columns.with_role("sensitive")]
    if table != "sensitive" or not names:
        return frozenset({BUCKET})
    return frozenset({BUCKET, count_column(*names)}) | words_in(table, columns, apart=apart)


def words_in(table: str, columns: PublishedColumns, *, apart: bool) -> frozenset[str]:
    """Name the column that says of which sensitive column a row is, where each is listed by itself."""
    names = [note.name for note in columns.with_role("sensitive")]
    listed = table == "sensitive" and _listed_apart(names, apart)
    return frozenset({_which_column(names)} if listed else ())


def check_apart(form: str, apart: Any) -> None:
    """Refuse what is no yes or no."""
    if not isinstance(apart, bool):
        raise PolicyError(Refusal(f"apart must be true or false; got {apart!r}", (form,)))


def _which_column(names: Sequence[str]) -> str:
    """Name the column that says of which sensitive column a row is, where each is listed by itself."""
    return next(own for own in ("column", *(f"column_{i}" for i in range(len(names)))) if own not in names)


def _listed_apart(names: Sequence[str], apart: bool) -> bool:
    """Whether each sensitive column is listed by itself; a single one is in either case."""
    return apart and len(names) > 1


def published_beside(
    form: Form,
    quasi: dict[str, Any],
    rows: NDArray[np.int64],
    data: Microdata,
    plan: Plan,
    rng: np.random.Generator,
    *,
    held: NDArray[np.int64] | None = None,
    apart: bool = False,
) -> Published:
    """Link quasi-identifiers, as they are published of ``rows``, with their buckets' sensitive values.

    ``held``: the records whose sensitive values are published, where they are not those rows.

    Of several sensitive columns the values that records have together are counted, or with ``apart`` those of each column by
    themselves. Raises `PolicyError` when there is no sensitive column.
    """
    if not data.sensitive:
        raise PolicyError(Refusal("publishes sensitive values; no column is sensitive", (form.name,)))
    of_plan = plan.classes if plan.buckets is None else plan.buckets
    held = rows if held is None else held
    # Numbers in no order of anything: a method may number its buckets by what is in them.
    of_bucket = rng.permutation(int(plan.of_rows(of_plan, rows).max(initial=-1)) + 1)
    numbers = of_bucket[plan.of_rows(of_plan, held)]
    codes = plan.sensitive_of(data.sensitive_codes, held)
    names = [domain.name for domain in data.sensitive]
    counted = count_column(*names)
    sensitive: dict[str, Any]
    if _listed_apart(names, apart):
        found = [_count(numbers, [domain], codes[i : i + 1]) for i, domain in enumerate(data.sensitive)]
        length = [first.size for first, _ in found]
        first, counts = (np.concatenate(own) for own in zip(*found, strict=True))
        of = np.repeat(np.arange(len(names)), length)
        order = np.lexsort((of, numbers[first]))
        first, counts, of = first[order], counts[order], of[order]
        sensitive = {BUCKET: None, _which_column(names): Labelled(of.astype(np.int32), names)}
        for i, domain in enumerate(data.sensitive):
            shown = publish_values(domain, codes[i, first].astype(np.int32))
            sensitive[domain.name] = _empty_where(shown, of != i)
    else:
        first, counts = _count(numbers, data.sensitive, codes)
        sensitive = {BUCKET: None}
        for domain, own in zip(data.sensitive, codes, strict=True):
            sensitive[domain.name] = publish_values(domain, own[first].astype(np.int32))
    sensitive[BUCKET] = whole_column(BUCKET, numbers[first] + 1)
    sensitive[counted] = whole_column(counted, counts.astype(np.int64))
    nobody = np.full(first.shape[0], -1, np.int64)
    linked = quasi | {BUCKET: whole_column(BUCKET, of_bucket[plan.of_rows(of_plan, rows)] + 1)}
    return Published({"quasi": linked, "sensitive": sensitive}, {"quasi": rows, "sensitive": nobody})


def _count(
    numbers: NDArray[np.int64], domains: Sequence[Domain], codes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count what records of a bucket have together: the first record of each, by bucket and codes, and how many there are."""
    keys = numbers
    for domain, own in zip(domains, codes, strict=True):
        keys = ranked(keys)[1] * domain.codes + own
    values, of = ranked(keys)
    first = np.empty(values.size, np.int64)
    first[of[::-1]] = np.arange(of.size)[::-1]
    return first, np.bincount(of, minlength=values.size).astype(np.int64)


def _empty_where(column: Labelled | EncodedColumn, empty: NDArray[np.bool_]) -> Labelled | EncodedColumn:
    """Leave cells of a column empty."""
    if isinstance(column, EncodedColumn):
        return replace(column, codes=np.where(empty, -1, column.codes).astype(np.int32))
    codes = np.where(empty, len(column.labels), column.codes).astype(np.int32)
    return Labelled(codes, [*column.labels, MISSING])


def check_tables(tables: Mapping[str, Columns], names: tuple[str, ...]) -> None:
    """Refuse a release of which a table is missing."""
    for name in names:
        if name not in tables:
            raise TableError(f"the table {name!r} is not there; it was published with the others")


class SensitiveRows(NamedTuple):
    """Rows of the table of sensitive values, of all columns or of one that is listed by itself.

    ``columns``: what they show of each, one value a row. ``holders`` (rows,): bucket, by position in the numbers of buckets.
    ``counts`` (rows,): how many records have the values.
    """

    columns: tuple[ExactColumn, ...]
    holders: NDArray[np.int64]
    counts: NDArray[np.int64]


class BucketPublication(Publication):
    """Two tables linked by buckets, read back; how quasi-identifiers are shown is for those that are one.

    ``classes`` are the buckets. ``sensitive_codes`` give every record of a bucket values that are listed together there; which
    record has which means nothing, as nobody knows. ``apart``: the values of each sensitive column are listed by themselves.
    Raises `TableError` where a column is missing, a text is no value of its column, or the tables contradict each other.
    """

    links_buckets: ClassVar[bool] = True

    def __init__(
        self, quasi: Columns, sensitive: Columns, columns: PublishedColumns, *, apart: bool = False
    ) -> None:
        notes = columns.with_role("sensitive")
        if not notes:
            raise TableError(f"an {self.form} release has a sensitive column; the certificate names none")
        names = [note.name for note in notes]
        _same_lengths("quasi", quasi)
        _same_lengths("sensitive", sensitive)
        own = whole_numbers("quasi", quasi, BUCKET, at_least=0)
        self.size = own.shape[0]
        self.numbers, self.classes = ranked(own)
        self.sizes = np.bincount(self.classes, minlength=self.numbers.size).astype(np.int64)
        self.tells_together = not _listed_apart(names, apart)
        parts = [(sensitive, notes)]
        if not self.tells_together:
            parts = [(_rows_of(sensitive, names, note.name), (note,)) for note in notes]
        self._listed = [self._read(*part, count_column(*names)) for part in parts]
        self.sensitive = tuple(column.domain for one in self._listed for column in one.columns)
        self.sensitive_codes = np.concatenate([self._expand(one) for one in self._listed])
        self.survey_weights = read_survey_weights(quasi, columns, self.size)
        self.beside = tuple(note.name for note in columns.with_role("other"))

    def _read(self, table: Columns, notes: Sequence[ColumnNote], counted: str) -> SensitiveRows:
        """Read rows of ``sensitive``, and whose they are."""
        columns = tuple(ExactColumn("sensitive", table, note) for note in notes)
        counts = whole_numbers("sensitive", table, counted, at_least=1)
        holders = self._find_buckets(columns, whole_numbers("sensitive", table, BUCKET, at_least=0))
        self._check_counts(holders, counts, counted, notes)
        return SensitiveRows(columns, holders, counts)

    def _find_buckets(self, columns: Sequence[ExactColumn], held: NDArray[np.int64]) -> NDArray[np.int64]:
        """Bucket of every row of ``sensitive``, by position in ``numbers``."""
        at = np.searchsorted(self.numbers, held).astype(np.int64)
        known = at < self.numbers.size
        known[known] = self.numbers[at[known]] == held[known]
        if not known.all():
            number = int(held[~known][0])
            raise TableError(
                f"table 'sensitive', column {BUCKET!r}: the bucket {number} is not in the table 'quasi'"
            )
        domains, codes = [column.domain for column in columns], np.array([column.codes for column in columns])
        first, times = _count(at, domains, codes)
        if (times > 1).any():
            number = int(held[first[times > 1][0]])
            named = " and ".join(repr(column.note.name) for column in columns)
            what = "one value" if len(columns) == 1 else "the same values"
            word = "column" if len(columns) == 1 else "columns"
            raise TableError(f"table 'sensitive', {word} {named}: the bucket {number} has {what} on two rows")
        return at

    def _check_counts(
        self,
        holders: NDArray[np.int64],
        counts: NDArray[np.int64],
        counted: str,
        notes: Sequence[ColumnNote],
    ) -> None:
        """Refuse buckets that do not have as many values as records."""
        limited = np.minimum(counts, self.size + 1)
        sums = np.bincount(holders, limited, self.numbers.size).astype(np.int64)
        wrong = np.flatnonzero(sums != self.sizes)
        if wrong.size:
            number, size = int(self.numbers[wrong[0]]), int(self.sizes[wrong[0]])
            of = "" if self.tells_together else f" of {notes[0].name!r}"
            raise TableError(
                f"table 'sensitive', column {counted!r}: the counts{of} of the "
                f"bucket {number} do not sum to its {count(size, 'record')} in the table 'quasi'"
            )

    def _expand(self, listed: SensitiveRows) -> NDArray[np.int32]:
        """(columns, n) Values that are listed together in its bucket, for every record."""
        from likeness.kernels.retrieval import sort_by_small_keys

        # Sorted by bucket, both tables run side by side.
        order = np.argsort(listed.holders, kind="stable")
        place = sort_by_small_keys(self.classes, self.numbers.size, np.arange(self.size, dtype=np.int32))
        codes = np.empty((len(listed.columns), self.size), np.int32)
        for own, column in zip(codes, listed.columns, strict=True):
            own[place] = np.repeat(column.codes[order], listed.counts[order])
        return codes

    @cached_property
    def _entries(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
        """Buckets, (s, entries) codes and expected numbers of records of the sensitive tuples that buckets may hold.

        What is listed apart is taken to go together as it does by chance.
        """
        first, *others = self._listed
        holders, counts = first.holders, first.counts
        codes = np.array([column.codes for column in first.columns], np.int32)
        for other in others:
            order = np.argsort(other.holders, kind="stable")
            begins = np.searchsorted(other.holders[order], np.arange(self.numbers.size + 1))
            times = np.diff(begins)[holders]
            within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            own = order[np.repeat(begins[holders], times) + within]
            more = np.array([column.codes[own] for column in other.columns], np.int32)
            codes = np.concatenate([np.repeat(codes, times, axis=1), more])
            holders, counts = np.repeat(holders, times), np.repeat(counts, times)
            counts = counts * other.counts[own] / self.sizes[holders]
        return holders, codes, counts

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
        weights = self.survey_weights * self.shares(where, of, power)
        holders, codes, counts = self._entries
        having = counts
        for domain, own in zip(self.sensitive, codes, strict=True):
            if domain.name in where:
                having = having * (condition_shares(domain, where[domain.name]) > 0)[own]
            if of == domain.name:
                having = having * number_weights(domain, power)[own]
        members = np.bincount(self.classes, weights, self.numbers.size)
        having = np.bincount(holders, having, self.numbers.size)
        return float(np.sum(members * having / self.sizes))

    @cached_property
    def units(self) -> Units:
        """What is shown of quasi-identifiers; of every record the shares of the values in its bucket."""
        holders, codes, counts = self._entries
        order = np.argsort(holders, kind="stable")
        begins = np.searchsorted(holders[order], np.arange(self.numbers.size + 1))
        # Records of one identity in one bucket are alike.
        keys, of = np.unique(self.identities * self.numbers.size + self.classes, return_inverse=True)
        records = np.bincount(of, self.survey_weights, keys.shape[0])
        identities, buckets = np.divmod(keys, max(1, self.numbers.size))
        held = np.diff(begins)[buckets]
        within = np.arange(held.sum()) - np.repeat(np.cumsum(held) - held, held)
        entries = order[np.repeat(begins[buckets], held) + within]
        shares = counts[entries] / self.sizes[holders[entries]]
        sensitive, shown = tuples_of(self.sensitive, codes)
        return make_units(
            self.axes_of_identities,
            sensitive,
            np.repeat(identities, held),
            shown[entries],
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
        found = {}
        for one in self._listed:
            likely = one.counts * weights[one.holders]
            for column in one.columns:
                beliefs = np.bincount(column.codes, likely, column.domain.codes)
                found[column.domain.name] = by_label(column.domain, beliefs)
        return found


def _rows_of(sensitive: Columns, names: Sequence[str], name: str) -> Columns:
    """The rows of a sensitive column that is listed by itself, with their buckets and counts."""
    said = column_of("sensitive", sensitive, _which_column(names))
    unknown = [label for label in said.labels if label not in names]
    if unknown:
        raise TableError(
            f"table 'sensitive', column {_which_column(names)!r}: {quoted(unknown[0])} is no sensitive column"
        )
    here = np.array([label == name for label in said.labels], np.bool_)[said.codes]
    cells = column_of("sensitive", sensitive, name)
    told = np.array([label != MISSING for label in cells.labels], np.bool_)[cells.codes]
    if (told & ~here).any():
        raise TableError(f"table 'sensitive', column {name!r}: a row of another column has a value of it")
    kept = {BUCKET, count_column(*names), name}
    return {
        own: as_labelled(Labelled(column.codes[here], column.labels))
        for own, column in sensitive.items()
        if own in kept
    }


def _same_lengths(table: str, columns: Columns) -> None:
    """Refuse columns of different lengths."""
    if len({column.codes.shape[0] for column in columns.values()}) > 1:
        raise TableError(f"table {table!r}: its columns are of different lengths; it was changed")
