"""pyarrow tables: columns as codes, rows taken, columns built. Imported only when one is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from likeness.tables.columns import Distinct, all_missing, from_integers, from_reals, from_texts
from likeness.tables.frames.dictionaries import compact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_INT64 = np.iinfo(np.int64)
_TEXT_LIMIT = 2**31 - 1  # bytes a `string` array can address


def names(frame: pa.Table) -> list[str]:
    """Column names, in order."""
    return list(frame.column_names)


def height(frame: pa.Table) -> int:
    """Count the rows."""
    return int(frame.num_rows)


def unusable(frame: pa.Table) -> dict[str, str]:
    """Columns whose cells are not single values, with their type."""
    return {field.name: str(field.type) for field in frame.schema if not _is_plain(field.type)}


def distinct(frame: pa.Table, position: int) -> Distinct:
    """Turn the column at `position` into codes and distinct values."""
    column = frame.column(position)
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if types.is_null(kind):
        return all_missing(len(column))
    if types.is_boolean(kind):
        return _integers(column.cast(pa.int8()), pl.Boolean)
    if types.is_integer(kind) or _is_whole(kind):
        # Whole numbers that int64 cannot hold stay exact as text.
        wide = types.is_uint64(kind) or types.is_decimal(kind)
        large = wide and _beyond_int64(pc.min_max(column).as_py())
        return _texts(column.cast(pa.string())) if large else _integers(column.cast(pa.int64()), pl.Int64)
    if types.is_floating(kind) or types.is_decimal(kind):
        column = column.cast(pa.float64()) if types.is_decimal(kind) else column
        return from_reals(column.to_numpy() if column.null_count == 0 else _nan_for_null(column))
    if types.is_date(kind):
        return _integers(column.cast(pa.date32()).cast(pa.int32()), pl.Date)
    if types.is_timestamp(kind):
        return _timestamps(column)
    return _texts(column)


def order(frame: pa.Table, position: int) -> tuple[list[str], bool] | None:
    """Entries of an ordered dictionary."""
    column = frame.column(position)
    if not types.is_dictionary(column.type) or not column.type.ordered or not column.num_chunks:
        return None
    return [str(entry) for entry in column.unify_dictionaries().chunk(0).dictionary.to_pylist()], True


def take(frame: pa.Table, rows: NDArray[np.int64], positions: Sequence[int]) -> pa.Table:
    """Those rows of those columns."""
    columns = [_takeable(frame.column(position)).take(pa.array(rows)) for position in positions]
    return pa.table(columns, names=[frame.column_names[position] for position in positions])


def _takeable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in a type that pyarrow can take rows of: it cannot from views of texts."""
    return column.cast(pa.large_string()) if types.is_string_view(column.type) else column


def column(frame: pa.Table, rows: NDArray[np.int64], position: int) -> pa.ChunkedArray:
    """One column of those rows; its type keeps only categories that they have."""
    return compact(_takeable(frame.column(position)).take(pa.array(rows)))


def unpacked(frame: pa.Table) -> pa.Table:
    """Leave it as it came: only text that was read from a file is packed."""
    return frame


def preview(frame: pa.Table, rows: int) -> tuple[str, str]:
    """Show the first rows, drawn by polars because pyarrow shows no tables."""
    cells = {name: frame.column(i)[:rows].to_pylist() for i, name in enumerate(names(frame))}
    texts = {name: [None if cell is None else str(cell) for cell in column] for name, column in cells.items()}
    first = pl.DataFrame(texts)
    return str(first), first._repr_html_()


def texts(codes: NDArray[np.int32], labels: Sequence[str]) -> pa.Array:
    """Make a string array from codes into labels; -1 is null."""
    longest = max((len(label) for label in labels), default=0) * 4
    kind = pa.string() if longest * len(codes) < _TEXT_LIMIT else pa.large_string()
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(labels, type=kind)).dictionary_decode()


def array(values: NDArray[Any], valid: NDArray[np.bool_] | None) -> pa.Array:
    """Make a typed array; null where not valid."""
    cells = values.tolist() if values.dtype.kind in "OU" else values
    return pa.array(cells, mask=None if valid is None else ~valid)


def assemble(like: pa.Table, columns: Mapping[str, Any], rows: NDArray[np.int64] | None) -> pa.Table:  # noqa: ARG001
    """Make a table of these columns."""
    return pa.table(dict(columns))


def _is_plain(kind: pa.DataType) -> bool:
    """Whether one cell of this type is one value that has a text."""
    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    refused = (
        types.is_nested,
        types.is_binary,
        types.is_large_binary,
        types.is_fixed_size_binary,
        types.is_duration,
        types.is_interval,
    )
    return not (any(test(kind) for test in refused) or isinstance(kind, pa.BaseExtensionType))


def _is_whole(kind: pa.DataType) -> bool:
    """Whether it is a type of decimal numbers that have no decimals."""
    return bool(types.is_decimal(kind) and kind.scale == 0)


def _beyond_int64(ends: Mapping[str, Any]) -> bool:
    """Whether the lowest or the highest of some whole numbers does not fit 64 bits."""
    return (ends["max"] or 0) > _INT64.max or (ends["min"] or 0) < _INT64.min


def _texts(column: pa.ChunkedArray) -> Distinct:
    """Codes of text, by pyarrow's own dictionary."""
    if not (types.is_string(column.type) or types.is_large_string(column.type)):
        column = column.cast(pa.string())
    encoded = pc.dictionary_encode(column).unify_dictionaries().combine_chunks()
    return from_texts(encoded.indices.fill_null(-1).to_numpy(), encoded.dictionary.to_pylist())


def _integers(column: pa.ChunkedArray, dtype: Any) -> Distinct:
    """Codes of an integer column whose values mean `dtype`."""
    valid = column.is_valid().to_numpy() if column.null_count else None
    return from_integers(column.fill_null(0).to_numpy(), valid, dtype)


def _nan_for_null(column: pa.ChunkedArray) -> Any:
    """Floats with NaN for null, in their own width."""
    return column.fill_null(pa.scalar(float("nan"), type=column.type)).to_numpy()


def _timestamps(column: pa.ChunkedArray) -> Distinct:
    """Codes of points in time, on the clock of their own zone."""
    local = pc.local_timestamp(column) if column.type.tz else column
    unit: Literal["ns", "us"] = "ns" if local.type.unit == "ns" else "us"
    return _integers(local.cast(pa.timestamp(unit)).cast(pa.int64()), pl.Datetime(unit))
