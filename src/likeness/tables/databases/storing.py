"""Published columns as a database holds them: typed, and the texts they stand for in the release's files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.tables.columns import EncodedColumn, Labelled, packed_text
from likeness.tables.kinds import INSTANT
from likeness.tables.spelling import Formulas, escape, escape_names, read_texts, texts

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {pl.Int64: "integer", pl.Float64: "real", pl.Date: "date"}
_ENCODED = {"integer": pl.Int64(), "real": pl.Float64(), "date": pl.Date(), "boolean": pl.Boolean()}


@dataclass(frozen=True, eq=False)
class Stored:
    """A table as a database is to hold it.

    ``frame``: typed columns; an empty cell is null. ``texts``: the same rows as the release's file has them, packed.
    """

    frame: pl.DataFrame
    texts: pl.DataFrame

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Labelled | EncodedColumn],
        types: Mapping[str, pl.DataType],
        formulas: Formulas,
    ) -> Stored:
        """Take published columns; texts in one of the ``types`` of the original where they all are of it.

        >>> flags = {"ill": Labelled(np.array([1, 0, -1], np.int32), ["false", "true"])}
        >>> made = Stored.of(flags, {"ill": pl.Boolean()}, "keep")
        >>> made.frame["ill"].to_list(), made.texts["ill"].to_list()
        ([True, False, None], ['true', 'false', ''])
        """
        names = escape_names(list(columns)) if formulas == "escape" else list(columns)
        frame, written = {}, {}
        for name, (own, column) in zip(names, columns.items(), strict=True):
            labels = texts(column.values) if isinstance(column, EncodedColumn) else column.labels
            plain = pl.Series([*labels, ""], dtype=pl.String)
            encoded = _ENCODED.get(column.kind) if isinstance(column, EncodedColumn) else None
            typed = _typed(plain, encoded or types.get(own))
            if typed is None:
                plain = escape(plain) if formulas == "escape" else plain
                typed = nulled(plain)
            rows = np.where(column.codes < 0, len(labels), column.codes)
            frame[name], written[name] = typed.gather(rows), plain.cast(packed_text()).gather(rows)
        return cls(pl.DataFrame(frame), pl.DataFrame(written))


def nulled(column: pl.Series) -> pl.Series:
    """Make empty texts null."""
    return column.set(column == "", None)


def _typed(labels: pl.Series, dtype: pl.DataType | None) -> pl.Series | None:
    """Read texts as values of a type, the empty one as null; None where they are not all written as such values are."""
    filled = nulled(labels)
    kind = None if dtype is None else _KINDS.get(type(dtype))
    if kind is not None:
        known = filled.drop_nulls().unique()
        try:
            values = pl.Series(read_texts(kind, known.to_list()), dtype=dtype)
        except ValueError:
            return None
        return filled.replace_strict(known, values, default=None, return_dtype=dtype)
    if isinstance(dtype, pl.Boolean):
        found = filled.replace_strict(
            ["true", "false"], [True, False], default=None, return_dtype=pl.Boolean()
        )
    elif isinstance(dtype, pl.Datetime):
        found = filled.str.to_datetime(INSTANT, time_unit="us", strict=False)
    else:
        return None
    return found if _texts(found).equals(labels.rename(found.name)) else None


def texts_of(frame: pl.DataFrame) -> pl.DataFrame:
    """Write every cell as it stands in a release's file."""
    return pl.DataFrame([_texts(column) for column in frame.iter_columns()])


def _texts(column: pl.Series) -> pl.Series:
    """Write the cells of a column as texts, a null as the empty one."""
    if isinstance(column.dtype, pl.Datetime):
        column = column.dt.strftime(INSTANT)
    elif column.dtype != pl.String:
        values = column.drop_nulls().unique()
        written = pl.Series(texts(values.to_numpy()), dtype=pl.String)
        column = column.replace_strict(values, written, default=None, return_dtype=pl.String())
    return column.fill_null("")
