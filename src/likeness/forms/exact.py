"""What forms publish exactly, read back: columns, records one a row, the table ``distribution`` of original sensitive values."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms.base import (
    Columns,
    Publication,
    ShownColumn,
    publish_values,
    read_survey_weights,
    written_labels,
)
from likeness.microdata.grouping import group_codes, ranked
from likeness.published.columns import exact_labels, read_domain
from likeness.published.regions import Region, read_regions
from likeness.published.text import write_label, write_value
from likeness.queries.asking import Askable
from likeness.queries.axes import ExactAxis
from likeness.queries.overlap import condition_shares
from likeness.queries.sums import number_weights, unknown_column
from likeness.tables import EncodedColumn
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.published.columns import ColumnNote, PublishedColumns


class ExactColumn:
    """One value per row, and what they mean: ``codes`` (n,) in ``domain``, the published values.

    ``note`` is what the certificate says about the column, ``table`` the name of its table. Raises `TableError` where the
    column is not there, or a text is no value of it.
    """

    def __init__(self, table: str, columns: Columns, note: ColumnNote) -> None:
        self.note = note
        column = column_of(table, columns, note.name)
        try:
            self.domain, of_label = read_domain(note, exact_labels(column.labels, note))
        except TableError as problem:
            raise TableError(*problem.within(f"table {table!r}")) from None
        self.codes = np.ascontiguousarray(of_label[column.codes], np.int32)

    def meets(self, condition: Any) -> NDArray[np.bool_]:
        """(n,) Whether each row meets a condition of a query."""
        return np.asarray((condition_shares(self.domain, condition) > 0)[self.codes])

    def regions(self) -> list[Region]:
        """Every code's value as the region that holds nothing else."""
        write = write_label if self.note.shape == "tree" else write_value
        return read_regions(written_labels(self.domain, write), self.note)


def column_of(table: str, columns: Columns, name: str) -> Any:
    """Find a column of a published table; `TableError` where it is not there."""
    if name not in columns:
        raise TableError(f"table {table!r}: the column {name!r} is not there; it was published with it")
    return columns[name]


def whole_numbers(table: str, columns: Columns, name: str, *, at_least: int) -> NDArray[np.int64]:
    """Read a column of whole numbers; `TableError` where it is not there, or holds anything else."""
    column = column_of(table, columns, name)
    numbers = []
    for label in column.labels:
        plain = label.isascii() and label.isdigit() and len(label) <= 18
        if not plain or int(label) < at_least or str(int(label)) != label:
            raise TableError(
                f"table {table!r}, column {name!r}: {quoted(label)} is not a whole number of at least {at_least}"
            )
        numbers.append(int(label))
    return np.asarray(np.array(numbers, np.int64)[column.codes])


def whole_column(name: str, numbers: NDArray[np.int64]) -> EncodedColumn:
    """Publish whole numbers as a column."""
    values, codes = ranked(numbers)
    return EncodedColumn(name, "integer", codes.astype(np.int32), values)


class ExactRecords(Publication):
    """Rows of exact quasi-identifiers, and one sensitive attribute that is shown in some other way.

    ``table`` are the columns of ``release``. Raises `TableError` where a column is missing, a text is no value of its
    column, or there is not one sensitive column.
    """

    def __init__(self, table: Columns, columns: PublishedColumns) -> None:
        if len({column.codes.shape[0] for column in table.values()}) > 1:
            raise TableError("table 'release': its columns are of different lengths; it was changed")
        self.size = next(iter(table.values())).codes.shape[0] if table else 0
        self.columns = tuple(ExactColumn("release", table, note) for note in columns.with_role("quasi"))
        groups = group_codes([c.codes for c in self.columns], [c.domain.codes for c in self.columns])
        self.identities = groups.of if self.columns else np.zeros(self.size, np.int64)
        self._first = groups.first if self.columns else np.zeros(min(1, self.size), np.int64)
        self.survey_weights = read_survey_weights(table, columns, self.size)
        self.beside = tuple(note.name for note in columns.with_role("other"))

    @cached_property
    def cells(self) -> tuple[ShownColumn, ...]:  # type: ignore[override]  # an attribute computed when first used
        """What is shown of each identity: single values."""
        return tuple(
            ShownColumn(column.note, column.regions(), column.codes[self._first].astype(np.int64))
            for column in self.columns
        )

    def exact_axes(self) -> dict[str, ExactAxis]:
        """Quasi-identifiers of the distinct tuples, for `make_units`."""
        return {own.note.name: ExactAxis(own.domain, own.codes[self._first]) for own in self.columns}

    def asked(self, where: Mapping[str, Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(n,), (m,) Find the records whose quasi-identifiers meet conditions, and the sensitive values that do.

        Raises `TableError` where a column was not published, or a condition does not suit its column.
        """
        matching = np.ones(self.size, np.bool_)
        domain = self.sensitive[0]
        wanted = np.ones(domain.codes, np.bool_)
        by_name = {column.note.name: column for column in self.columns}
        for name, condition in where.items():
            if name in by_name:
                matching &= by_name[name].meets(condition)
            elif name == domain.name:
                wanted &= condition_shares(domain, condition) > 0
            else:
                raise unknown_column(name, self._names)
        return matching, wanted

    def weights(self, of: str | None, power: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n,), (m,) What every record, and every sensitive value, counts for in a sum of the numbers ``of`` to a power, 0 or 1.

        A record whose original value is v counts for the product of the two; its survey weight is in the first. With ``of``
        None there is nothing else. Raises `TableError` where ``of`` was not published, or is not a column of numbers.
        """
        domain = self.sensitive[0]
        records, values = self.survey_weights, np.ones(domain.codes)
        by_name = {column.note.name: column for column in self.columns}
        if of is None:
            return records, values
        if of == domain.name:
            return records, number_weights(domain, power)
        if of not in by_name:
            raise unknown_column(of, self._names)
        return records * number_weights(by_name[of].domain, power)[by_name[of].codes], values

    @property
    def _names(self) -> tuple[str, ...]:
        return *(column.note.name for column in self.columns), self.sensitive[0].name

    @cached_property
    def askable(self) -> Mapping[str, Askable]:
        """Columns that can be asked about."""
        domains = (*(column.domain for column in self.columns), *self.sensitive)
        return {domain.name: Askable.of_domain(domain) for domain in domains}

    def matching(self, target: Mapping[str, Any]) -> NDArray[np.bool_]:
        """(n,) Records whose quasi-identifiers are the target's, as far as these are known."""
        found = np.ones(self.size, np.bool_)
        for column in self.columns:
            if column.note.name in target:
                found &= column.meets([target[column.note.name]])
        return found

    def candidates(self, target: Mapping[str, Any]) -> NDArray[np.int64]:
        """Classes with a record of the target's quasi-identifiers."""
        return np.unique(self.classes[self.matching(target)])


def one_sensitive(form: str, columns: PublishedColumns) -> ColumnNote:
    """Take the note on the only sensitive column; `TableError` where there is not exactly one."""
    notes = columns.with_role("sensitive")
    if len(notes) != 1:
        raise TableError(f"a {form} release has one sensitive column; the certificate names {len(notes)}")
    return notes[0]


DISTRIBUTION = "distribution"
"""The name of the table."""


def count_column(*sensitive: str) -> str:
    """Name the column of counts beside sensitive columns: ``count``, or ``records`` beside one that is called ``count``."""
    names = ("count", "records", *(f"count_{i}" for i in range(len(sensitive))))
    return next(own for own in names if own not in sensitive)


def publish_distribution(domain: Domain, counts: NDArray[np.int64]) -> dict[str, Any]:
    """Publish how many records have each value that occurs: ``counts`` (m,) of them, as the columns of a table."""
    present = np.flatnonzero(counts)
    counted = count_column(domain.name)
    return {
        domain.name: publish_values(domain, present.astype(np.int32)),
        counted: whole_column(counted, counts[present]),
    }


class Distribution:
    """The table ``distribution``, read back.

    ``note`` is what the certificate says about the sensitive column, ``size`` the number of published records. ``counts``
    (m,) are the records of each value; 0 for declared values that no record has. Raises `TableError` where a column is
    missing, a text is no value of its column, a value stands on two rows, or the counts do not sum to the records.
    """

    def __init__(self, table: Columns, note: ColumnNote, size: int) -> None:
        self.note = note
        column = column_of(DISTRIBUTION, table, note.name)
        self._values = exact_labels(column.labels, note)
        self.domain, of_label = _read(DISTRIBUTION, note, self._values)
        self._code = dict(zip(self._values, of_label.tolist(), strict=True))
        codes = of_label[column.codes]
        counted = count_column(note.name)
        found = whole_numbers(DISTRIBUTION, table, counted, at_least=1)
        if codes.shape != found.shape:
            raise TableError(f"table {DISTRIBUTION!r}: its columns are of different lengths; it was changed")
        twice = np.flatnonzero(np.bincount(codes, minlength=self.domain.codes) > 1)
        if twice.size:
            raise TableError(
                f"table {DISTRIBUTION!r}, column {note.name!r}: the value {self.name(int(twice[0]))} stands on two rows"
            )
        # Python's own integers: a changed count may be of any size.
        total = sum(found.tolist())
        if total != size:
            raise TableError(
                f"table {DISTRIBUTION!r}, column {counted!r}: the counts sum to {total}; "
                f"{count(size, 'record')} {'is' if size == 1 else 'are'} published"
            )
        self.counts = np.zeros(self.domain.codes, np.int64)
        self.counts[codes] = found

    def name(self, code: int) -> str:
        """Name a value in messages."""
        return self.domain.name_of(code)

    def find(self, table: str, values: Sequence[str | None]) -> NDArray[np.int32]:
        """Find the codes of the distinct values that stand in another table, None being the missing one.

        Raises `TableError` where one is no value of the column, or does not occur in the distribution.
        """
        # Every protected value is in the distribution, not in every table.
        _read(table, replace(self.note, sensitive_values=None), values)
        found = np.array([self._code.get(value, -1) for value in values], np.int32)
        for value, code in zip(values, found.tolist(), strict=True):
            if code < 0 or self.counts[code] == 0:
                named = "missing" if value is None else quoted(value)
                raise TableError(
                    f"table {table!r}, column {self.note.name!r}: the value {named} is not in the table "
                    f"{DISTRIBUTION!r}, which has every value there is"
                )
        return found


def _read(table: str, note: ColumnNote, values: Sequence[str | None]) -> tuple[Domain, NDArray[np.int32]]:
    """Read values, saying in which table one is wrong."""
    try:
        return read_domain(note, values)
    except TableError as problem:
        raise TableError(*problem.within(f"table {table!r}")) from None
