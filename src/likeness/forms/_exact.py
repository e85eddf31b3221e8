"""A column that was published exactly, read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import TableError
from likeness.forms._columns import exact_labels, read_domain
from likeness.forms._overlap import condition_shares
from likeness.forms._regions import Region, read_regions
from likeness.forms._text import MISSING, write_label, write_value
from likeness.tables import EncodedColumn
from likeness.wording import quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.forms._base import Columns
    from likeness.forms._columns import ColumnNote


class ExactColumn:
    """One value per row, and what they mean.

    Parameters
    ----------
    table, name
        The name of the published table and its columns.
    note
        What the certificate says about the column.

    Attributes
    ----------
    domain : Domain
        The published values.
    codes : (n,) int32
        The code of each row.

    Raises
    ------
    TableError
        When the column is not there, or a text is no value of it.
    """

    def __init__(self, table: str, columns: Columns, note: ColumnNote) -> None:
        self.note = note
        column = column_of(table, columns, note.name)
        try:
            self.domain, of_label = read_domain(note, exact_labels(column.labels, note))
        except TableError as problem:
            raise TableError(*(f"table {table!r}: {line}" for line in problem.problems)) from None
        self.codes = np.ascontiguousarray(of_label[column.codes], np.int32)

    def meets(self, condition: Any) -> NDArray[np.bool_]:
        """(n,) Whether each row meets a condition of a query."""
        return np.asarray((condition_shares(self.domain, condition) > 0)[self.codes])

    def regions(self) -> list[Region]:
        """Every code's value as the region that holds nothing else."""
        write = write_label if self.note.shape == "tree" else write_value
        labels = [write(label) for label in self.domain.labels]
        return read_regions([*labels, *([MISSING] if self.domain.missing else [])], self.note)


def column_of(table: str, columns: Columns, name: str) -> Any:
    """Find a column of a published table.

    Raises
    ------
    TableError
        When it is not there.
    """
    if name not in columns:
        raise TableError(f"table {table!r}: the column {name!r} is not there; it was published with it")
    return columns[name]


def whole_numbers(table: str, columns: Columns, name: str, *, at_least: int) -> NDArray[np.int64]:
    """Read a column of whole numbers.

    Raises
    ------
    TableError
        When the column is not there, or holds anything else.
    """
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
    """Publish whole numbers.

    Examples
    --------
    >>> whole_column("count", np.array([7, 2, 7])).codes.tolist()
    [1, 0, 1]
    """
    values, codes = np.unique(numbers, return_inverse=True)
    return EncodedColumn(name, "integer", codes.astype(np.int32), values)
