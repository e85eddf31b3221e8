"""Columns to a frame of the library the original came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.tables.encoded import EncodedColumn
from likeness.tables.frames import FrameLibrary, library
from likeness.tables.labelled import Labelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.tables.table import Table


def build(like: Table, columns: Mapping[str, Any], index_rows: NDArray[np.int64] | None = None) -> Any:
    """Build a frame of the library that `like` came in.

    Parameters
    ----------
    like
        The original table; gives the library, and in pandas the column labels and the index.
    columns
        By name, all of n rows: `Labelled` (becomes text), `EncodedColumn` (its values again), an array,
        or a column of that library as `Table.column` gives it (taken by position, its index is ignored).
    index_rows
        Shape (n,): the row of the original that each row has its pandas index from; None for 0, 1, 2 …
        (also where rows are no longer anybody's).

    Returns
    -------
    polars.DataFrame or pandas.DataFrame or pyarrow.Table
        The columns, in the order given.

    Raises
    ------
    ValueError
        If the columns are not of one length.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from likeness.tables import read
    >>> table = read(pl.DataFrame({"age": [40, 31], "sex": ["f", "m"]}))
    >>> build(table, {"age": table.encode("age"), "weight": np.array([0.5, 1.5])}).rows()
    [(40, 0.5), (31, 1.5)]
    """
    frames = library(like.library)
    native = native_columns(frames, columns)
    return frames.assemble(like.held, native, index_rows)


def native_columns(frames: FrameLibrary, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Make each column one of that library.

    Parameters
    ----------
    frames
        The functions of the library.
    columns
        As for `build`.

    Returns
    -------
    dict[str, Any]
        The same names, native columns of one length.

    Raises
    ------
    ValueError
        If the columns are not of one length.
    """
    native = {name: _native(frames, column) for name, column in columns.items()}
    heights = {name: len(column) for name, column in native.items()}
    if len(set(heights.values())) > 1:
        raise ValueError(f"columns must be of one length; got {heights}")
    return native


def _native(frames: FrameLibrary, column: Any) -> Any:
    """One native column."""
    if isinstance(column, Labelled):
        return frames.texts(column.codes, column.labels)
    if isinstance(column, EncodedColumn):
        return _decoded(frames, column)
    if isinstance(column, np.ndarray):
        return frames.array(column, None)
    return column


def _decoded(frames: FrameLibrary, column: EncodedColumn) -> Any:
    """Turn an encoded column back into values."""
    if column.kind == "text":
        return frames.texts(column.codes, column.values.tolist())
    if len(column.values) == 0:
        return frames.texts(column.codes, [])
    # Code -1 takes the last value, which the mask then makes null.
    return frames.array(column.values[column.codes], column.codes >= 0 if column.missing else None)
