"""From a raw column to codes into its distinct values: markers, kind, order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import InvalidError, suggestion
from likeness.tables.encoded import EncodedColumn
from likeness.tables.kinds import KINDS, convert, detect, ranked
from likeness.tables.raw_column import is_marked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.tables.raw_column import RawColumn


def encode(column: RawColumn, *, missing: Sequence[str], kind: str | None) -> EncodedColumn:
    """Dictionary-encode one raw column.

    Parameters
    ----------
    column
        The raw column.
    missing
        Markers: cells with this text, or this number, are missing.
    kind
        What the values are; None to detect it.

    Returns
    -------
    EncodedColumn
        Codes and distinct values, ascending.

    Raises
    ------
    TableError
        If a cell is not of the declared kind, or the kind cannot be detected.
    InvalidError
        If there is no such kind.
    """
    if kind is not None and kind not in KINDS:
        raise InvalidError(f"no such kind: {kind!r}{suggestion(kind, KINDS)}")
    column = column.without(missing)
    kind = kind or detect(column)
    typed = convert(column, kind)
    if typed.dtype.is_numeric() and not column.values.dtype.is_numeric():
        # "-9.0" is the number that the marker "-9" names, as it would be in a column of numbers.
        wanted = ~is_marked(typed, missing)
        column, typed = column.keep(wanted), typed.filter(wanted)
    ranks, values = ranked(typed)
    codes = column.data.codes
    if not np.array_equal(ranks, np.arange(len(ranks))):
        codes = column.data.remap(ranks, values).codes
    return EncodedColumn(column.name, kind, codes, values.to_numpy())
