"""Columns of text as codes into a dictionary of their own: four bytes a cell, whatever it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OWN = "likeness"
"""Namespace of the dictionaries; categories of a table that somebody gave are in others."""


def packed_text(codes: type[pl.DataType] = pl.UInt32) -> pl.Categorical:
    """Make the type of one column; its dictionary is shared with no other and freed with it."""
    return pl.Categorical(pl.Categories.random(namespace=_OWN, physical=codes))


def narrowed(column: pl.Series, *, growing: int = 1) -> pl.Series:
    """Pack a packed column as closely as the number of its texts allows: one or two bytes a cell instead of four.

    ``growing``: how many times as many texts there may come to be, where other parts are to have the same type.
    """
    texts = growing * column.n_unique()
    for codes, most in ((pl.UInt8, 1 << 8), (pl.UInt16, 1 << 16)):
        # One number less: the highest may stand for null.
        if texts < most:
            return column.cast(packed_text(codes))
    return column


def as_text(column: pl.Series) -> pl.Series:
    """Unpack a column, for whoever is to see it; columns that are not packed stay as they are."""
    return column.cast(pl.String) if _is_packed(column) else column


def packed(column: pl.Series) -> tuple[NDArray[np.int32], pl.Series]:
    """Take any column as codes, (n,) with -1 for null, and the distinct texts they stand for, in any order."""
    if not _is_packed(column):
        column = column.cast(pl.String).cast(packed_text())
    distinct = column.unique().drop_nulls()
    places = column.to_physical().cast(pl.Int64)
    number = np.full(int(distinct.to_physical().to_numpy().max(initial=0)) + 2, -1, np.int32)
    number[distinct.to_physical().to_numpy()] = np.arange(distinct.len(), dtype=np.int32)
    # Null takes the last place.
    return number[places.fill_null(-1).to_numpy()], distinct.cast(pl.String)


def _is_packed(column: pl.Series) -> bool:
    """Whether it is codes into a dictionary of its own."""
    dtype = column.dtype
    return isinstance(dtype, pl.Categorical) and dtype.categories.namespace() == _OWN
