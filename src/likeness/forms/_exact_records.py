"""Records whose quasi-identifiers were published exactly, one a row, read back."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._asking import Askable
from likeness.forms._axes import ExactAxis
from likeness.forms._base import Cells, Columns, Publication, read_survey_weights
from likeness.forms._exact import ExactColumn
from likeness.forms._overlap import condition_shares
from likeness.forms._sums import number_weights, unknown_column
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.forms._columns import ColumnNote, PublishedColumns


class ExactRecords(Publication):
    """Rows of exact quasi-identifiers, and one sensitive attribute that is shown in some other way.

    Parameters
    ----------
    table
        Columns of the table ``release``.
    columns
        What the certificate says about them.

    Raises
    ------
    TableError
        When a column is missing, a text is no value of its column, or there is not one sensitive column.
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
    def cells(self) -> tuple[Cells, ...]:  # type: ignore[override]  # an attribute computed when first used
        """What is shown of each identity: single values."""
        return tuple(
            Cells(column.note, column.regions(), column.codes[self._first].astype(np.int64))
            for column in self.columns
        )

    def exact_axes(self) -> dict[str, ExactAxis]:
        """Quasi-identifiers of the distinct tuples, for `make_units`."""
        return {own.note.name: ExactAxis(own.domain, own.codes[self._first]) for own in self.columns}

    def asked(self, where: Mapping[str, Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Find the records whose quasi-identifiers meet conditions, and the sensitive values that do.

        Returns
        -------
        (n,) bool, (m,) bool

        Raises
        ------
        TableError
            When a column was not published, or a condition does not suit its column.
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
        """Give what every record, and every sensitive value, counts for in a sum of numbers to some power.

        Parameters
        ----------
        of
            A quasi-identifier or the sensitive column; None: every record counts for 1.
        power
            0 or 1.

        Returns
        -------
        (n,) float64, (m,) float64
            A record whose original value is v counts for the product of the two, and its survey weight.

        Raises
        ------
        TableError
            When ``of`` was not published, or is not a column of numbers.
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
    """Take the note on the only sensitive column.

    Raises
    ------
    TableError
        When there is not exactly one.
    """
    notes = columns.with_role("sensitive")
    if len(notes) != 1:
        raise TableError(f"a {form} release has one sensitive column; the certificate names {len(notes)}")
    return notes[0]
