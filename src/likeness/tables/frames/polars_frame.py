"""polars frames: columns as codes, rows taken, columns built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.tables.columns import (
    Distinct,
    all_missing,
    as_text,
    from_integers,
    from_reals,
    from_texts,
    packed_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


def names(frame: pl.DataFrame) -> list[str]:
    """Column names, in order."""
    return frame.columns


def height(frame: pl.DataFrame) -> int:
    """Count the rows."""
    return frame.height


def unusable(frame: pl.DataFrame) -> dict[str, str]:
    """Columns whose cells are not single values, with their type."""
    refused = (pl.Binary, pl.Object, pl.Duration)
    return {
        name: str(dtype)
        for name, dtype in frame.schema.items()
        if dtype.is_nested() or isinstance(dtype, refused)
    }


def distinct(frame: pl.DataFrame, position: int) -> Distinct:
    """Turn the column at `position` into codes and distinct values."""
    column = frame.to_series(position)
    dtype = column.dtype
    if isinstance(dtype, pl.Null):
        return all_missing(len(column))
    if isinstance(dtype, (pl.String, pl.Categorical, pl.Enum)):
        return _texts(column)
    whole = isinstance(dtype, pl.Decimal) and dtype.scale == 0
    if dtype.is_float() or (dtype.is_decimal() and not whole):
        column = column.cast(pl.Float64) if dtype.is_decimal() else column
        return from_reals(column.fill_null(float("nan")).to_numpy())
    if dtype.is_integer() or whole:
        narrow = column.cast(pl.Int64, strict=False)
        # Whole numbers that int64 cannot hold stay exact as text.
        return _integers(narrow, pl.Int64) if narrow.null_count() == column.null_count() else _texts(column)
    if isinstance(dtype, (pl.Boolean, pl.Date)):
        return _integers(column.cast(pl.Int64), dtype)
    if isinstance(dtype, pl.Datetime):
        local = column.dt.replace_time_zone(None)
        return _integers(local.to_physical(), local.dtype)
    return _texts(column)


def order(frame: pl.DataFrame, position: int) -> tuple[list[str], bool] | None:
    """Categories of an Enum, which lists them in order, meant or not."""
    dtype = frame.to_series(position).dtype
    return (dtype.categories.to_list(), False) if isinstance(dtype, pl.Enum) else None


def take(frame: pl.DataFrame, rows: NDArray[np.int64], positions: Sequence[int]) -> pl.DataFrame:
    """Those rows of those columns."""
    return pl.DataFrame([as_text(frame.to_series(p)[rows]) for p in positions])


def column(frame: pl.DataFrame, rows: NDArray[np.int64], position: int) -> pl.Series:
    """One column of those rows; its type keeps only categories that they have."""
    taken = as_text(frame.to_series(position)[rows])
    if not isinstance(taken.dtype, pl.Enum):
        return taken
    present = set(taken.unique())
    kept = [category for category in taken.dtype.categories if category in present]
    return taken.cast(pl.String).cast(pl.Enum(kept))


def unpacked(frame: pl.DataFrame) -> pl.DataFrame:
    """Unpack columns of text that were packed while they were read; a frame without such columns is returned itself."""
    columns = [as_text(column) for column in frame.iter_columns()]
    packed = [column.dtype for column in columns] != frame.dtypes
    return pl.DataFrame(columns) if packed else frame


def preview(frame: pl.DataFrame, rows: int) -> tuple[str, str]:
    """Show the first rows as polars shows them: text and HTML."""
    first = unpacked(frame.head(rows))
    return str(first), first._repr_html_()


def texts(codes: NDArray[np.int32], labels: Sequence[str]) -> pl.Series:
    """Make a String column from codes into labels; -1 is null."""
    extended = pl.Series([*labels, None], dtype=pl.String)
    return extended.gather(np.where(codes < 0, len(labels), codes))


def array(values: NDArray[Any], valid: NDArray[np.bool_] | None) -> pl.Series:
    """Make a typed column from an array; null where not valid."""
    column = pl.Series(values.tolist()) if values.dtype.kind in "OU" else pl.Series(values)
    return column if valid is None else column.set(pl.Series(~valid), None)


def assemble(like: Any, columns: Mapping[str, pl.Series], rows: Any) -> pl.DataFrame:  # noqa: ARG001
    """Make a frame of these columns."""
    return pl.DataFrame([pl.Series(name, column) for name, column in columns.items()])


def _texts(column: pl.Series) -> Distinct:
    """Codes of text, by polars' own dictionary."""
    if not isinstance(column.dtype, (pl.Categorical, pl.Enum)):
        # Categories of its own: the codes stay small and are freed with the column.
        column = column.cast(pl.String).cast(packed_text())
    # In the order of their first records: a file that is read by several threads numbers its texts in any.
    values = column.unique(maintain_order=True).drop_nulls()
    physical = values.to_physical().to_numpy()
    codes = column.to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    table = np.full(int(physical.max()) + 1 if len(physical) else 0, -1, dtype=np.int32)
    table[physical] = np.arange(len(values), dtype=np.int32)
    return from_texts(codes, pl.Series([], dtype=pl.String)).remap(table, values.cast(pl.String))


def _integers(column: pl.Series, dtype: Any) -> Distinct:
    """Codes of an Int64 column whose values mean `dtype`."""
    valid = column.is_not_null().to_numpy() if column.null_count() else None
    return from_integers(column.fill_null(0).to_numpy(), valid, dtype)
