"""A published column in the type it had in the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.tables.columns import EncodedColumn, Labelled
from likeness.tables.kinds import convert
from likeness.tables.spelling import texts

if TYPE_CHECKING:
    from likeness.tables.columns import RawColumn
    from likeness.tables.table import Table


def in_own_type(table: Table, name: str, column: Labelled | EncodedColumn) -> Any | None:
    """Take a column of published values as cells of a column of the original: categories, truth values, times, narrow numbers.

    Of every value one cell of the original that says the same stands for all, so the type, and the order of categories, is the
    original's; categories that are not published are forgotten. None where a value has no such cell: a set, a coded end, a time
    of which only the day is published; and where the original has texts and numbers or days are published.

    Parameters
    ----------
    table
        The original.
    name
        The column in it.
    column
        As it is published.

    Examples
    --------
    >>> from likeness.tables import read
    >>> flags = read(pl.DataFrame({"ill": [True, False, None]}))
    >>> in_own_type(flags, "ill", Labelled(np.array([1, 0, 2, 2], np.int32), ["false", "true", ""])).to_list()
    [True, False, None, None]
    >>> in_own_type(flags, "ill", Labelled(np.array([0], np.int32), ["{false|true}"])) is None
    True
    """
    raw = table.raw(name)
    whole = isinstance(column, EncodedColumn)
    if whole and raw.values.dtype == pl.String:
        return None
    cells = raw.data.codes
    first = np.full(len(raw.values) + 1, -1, np.int64)
    # Where codes repeat, the last that is written stays: the first row.
    first[cells[::-1]] = np.arange(cells.size - 1, -1, -1)
    null = int(first[-1])
    row_of = {text: row for text, row in zip(_spelled(raw), first[:-1].tolist(), strict=True) if row >= 0}
    labels = texts(column.values) if isinstance(column, EncodedColumn) else column.labels
    rows = np.array([*(row_of.get(label, null if label == "" else -1) for label in labels), null], np.int64)
    taken = rows[column.codes]
    return None if (taken < 0).any() else table.column(name, taken)


def _spelled(raw: RawColumn) -> list[str]:
    """Write the distinct cells of a column as they would be published: points in time as days where all are midnights."""
    values = raw.values
    if isinstance(values.dtype, pl.Datetime):
        midnights = (values == values.dt.truncate("1d")).all()
        values = convert(raw, "date" if midnights else "text")
    return values.to_list() if values.dtype == pl.String else texts(values.to_numpy())
