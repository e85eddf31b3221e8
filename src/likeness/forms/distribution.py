"""The table ``distribution``: how many published records have each original sensitive value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms.anatomized import count_column
from likeness.forms.base import Columns, publish_values
from likeness.forms.exact import column_of, whole_column, whole_numbers
from likeness.published.columns import exact_labels, read_domain
from likeness.published.text import MISSING
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.published.columns import ColumnNote

DISTRIBUTION = "distribution"
"""The name of the table."""


def publish_distribution(domain: Domain, counts: NDArray[np.int64]) -> dict[str, Any]:
    """Publish how many records have each value that occurs.

    Parameters
    ----------
    domain
        The sensitive attribute.
    counts : (m,) int64
        Records of each value.

    Returns
    -------
    dict
        Columns: the value, and the number of its records.
    """
    present = np.flatnonzero(counts)
    counted = count_column(domain.name)
    return {
        domain.name: publish_values(domain, present.astype(np.int32)),
        counted: whole_column(counted, counts[present]),
    }


class Distribution:
    """The table ``distribution``, read back.

    Parameters
    ----------
    table
        Its columns.
    note
        What the certificate says about the sensitive column.
    size
        Number of published records.

    Attributes
    ----------
    note : ColumnNote
        What the certificate says about the sensitive column.
    domain : Domain
        The values.
    counts : (m,) int64
        Records of each value; 0 for declared values that no record has.

    Raises
    ------
    TableError
        When a column is missing, a text is no value of its column, a value stands on two rows, or the counts do not
        sum to the records.
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
        return "missing" if code == self.domain.missing_code else repr(self.domain.labels[code])

    def find(self, table: str, values: Sequence[str | None]) -> NDArray[np.int32]:
        """Find the codes of values that stand in another table.

        Parameters
        ----------
        table
            The name of that table.
        values
            Its distinct values; None is the missing one.

        Raises
        ------
        TableError
            When one is no value of the column, or does not occur in the distribution.
        """
        _read(table, self.note, values)
        found = np.array([self._code.get(value, -1) for value in values], np.int32)
        for value, code in zip(values, found.tolist(), strict=True):
            if code < 0 or self.counts[code] == 0:
                named = "missing" if value is None else quoted(value)
                raise TableError(
                    f"table {table!r}, column {self.note.name!r}: the value {named} is not in the table "
                    f"{DISTRIBUTION!r}, which has every value there is"
                )
        return found

    def by_label(self, numbers: NDArray[np.float64], which: NDArray[np.bool_]) -> dict[str, float]:
        """Give the numbers of some values by their labels; the missing value is the empty text."""
        labels = [*self.domain.labels, *([MISSING] if self.domain.missing else [])]
        found: dict[str, float] = {}
        for code in np.flatnonzero(which).tolist():
            # An empty text and the missing value have the same label.
            found[labels[code]] = found.get(labels[code], 0.0) + float(numbers[code])
        return found


def _read(table: str, note: ColumnNote, values: Sequence[str | None]) -> tuple[Domain, NDArray[np.int32]]:
    """Read values, saying in which table one is wrong."""
    try:
        return read_domain(note, values)
    except TableError as problem:
        raise TableError(*(f"table {table!r}: {line}" for line in problem.problems)) from None
