"""Columns of text as codes into a dictionary of their own: four bytes a cell, whatever it says."""

from __future__ import annotations

import polars as pl

_OWN = "likeness"
"""Namespace of the dictionaries; categories of a table that somebody gave are in others."""


def packed_text() -> pl.Categorical:
    """Make the type of one column; its dictionary is shared with no other and freed with it."""
    return pl.Categorical(pl.Categories.random(namespace=_OWN))


def as_text(column: pl.Series) -> pl.Series:
    """Unpack a column, for whoever is to see it; columns that are not packed stay as they are.

    Examples
    --------
    >>> as_text(pl.Series(["f", "m"], dtype=packed_text())).dtype, as_text(pl.Series([1])).dtype
    (String, Int64)
    """
    dtype = column.dtype
    packed = isinstance(dtype, pl.Categorical) and dtype.categories.namespace() == _OWN
    return column.cast(pl.String) if packed else column
