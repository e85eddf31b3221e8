"""pandas frames: columns as codes, rows taken, columns built. Imported only when one is seen.

Values go by position, never by index label: a shuffled, repeated or text index changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import polars as pl
from pandas.api import types

from likeness.tables.columns import Distinct, all_missing, from_integers, from_reals, from_texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_INT64 = np.iinfo(np.int64)
_EXACT = 2.0**53  # whole numbers up to here are exact as floats


def names(frame: pd.DataFrame) -> list[str]:
    """Column names, in order, as text."""
    return [str(label) for label in frame.columns]


def height(frame: pd.DataFrame) -> int:
    """Count the rows."""
    return len(frame)


def unusable(frame: pd.DataFrame) -> dict[str, str]:
    """Columns whose cells are not single values, with their type."""
    found = {name: _trouble(frame.iloc[:, i]) for i, name in enumerate(names(frame))}
    return {name: trouble for name, trouble in found.items() if trouble}


def distinct(frame: pd.DataFrame, position: int) -> Distinct:
    """Turn the column at `position` into codes and distinct values."""
    return _distinct(frame.iloc[:, position])


def order(frame: pd.DataFrame, position: int) -> tuple[list[str], bool] | None:
    """Categories of an ordered Categorical."""
    dtype = frame.iloc[:, position].dtype
    if not isinstance(dtype, pd.CategoricalDtype) or not dtype.ordered:
        return None
    return [str(category) for category in dtype.categories], True


def take(frame: pd.DataFrame, rows: NDArray[np.int64], positions: Sequence[int]) -> pd.DataFrame:
    """Those rows of those columns, with their index."""
    return frame.iloc[rows, list(positions)]


def column(frame: pd.DataFrame, rows: NDArray[np.int64], position: int) -> pd.Series[Any]:
    """One column of those rows; its type keeps only categories that they have."""
    taken = frame.iloc[:, position].iloc[rows]
    if isinstance(taken.dtype, pd.CategoricalDtype):
        return taken.cat.remove_unused_categories()
    if isinstance(taken.dtype, pd.ArrowDtype):
        from likeness.tables.frames.dictionaries import compact  # pyarrow is loaded: such a column is its

        return pd.Series(pd.array(compact(taken.array.__arrow_array__()), dtype=taken.dtype), taken.index)
    return taken


def unpacked(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave it as it came: only text that was read from a file is packed."""
    return frame


def preview(frame: pd.DataFrame, rows: int) -> tuple[str, str]:
    """Show the first rows as pandas shows them: text and HTML."""
    first = frame.head(rows)
    return str(first), first.to_html()


def texts(codes: NDArray[np.int32], labels: Sequence[str]) -> Any:
    """Make a text array from codes into labels; -1 is null."""
    # The dtype that this pandas gives to text: `str`, or object before pandas 3.
    plain = pd.Series(list(labels), dtype=pd.Series([""]).dtype).array
    if len(plain) == 0:
        plain = pd.Series([""]).array
    return plain.take(codes, allow_fill=True)


def array(values: NDArray[Any], valid: NDArray[np.bool_] | None) -> Any:
    """Make a typed array; null where not valid."""
    if values.dtype.kind == "M":
        values = values.astype("datetime64[s]")
    plain = pd.Series(values)
    if valid is None or valid.all():
        return plain.array
    if values.dtype.kind in "ib":  # only the nullable types keep whole numbers and booleans as they are
        plain = plain.convert_dtypes()
    return plain.mask(~valid).array


def assemble(like: pd.DataFrame, columns: Mapping[str, Any], rows: NDArray[np.int64] | None) -> pd.DataFrame:
    """Make a frame of these columns, under the original's labels and, if `rows` are given, its index."""
    labels = dict(zip(names(like), like.columns, strict=True))
    index = None if rows is None else like.index.take(rows)
    # With its type: of an array of objects pandas would make texts.
    plain = {i: pd.Series(_cells(column), index, column.dtype) for i, column in enumerate(columns.values())}
    frame = pd.DataFrame(plain, index=index)
    frame.columns = pd.Index([labels.get(name, name) for name in columns])
    if frame.columns.nlevels == like.columns.nlevels:
        frame.columns.names = like.columns.names
    return frame


def _cells(column: Any) -> Any:
    """Take the cells of a column, which go by position."""
    return column.array if isinstance(column, pd.Series) else column


def _trouble(series: pd.Series[Any]) -> str:
    """Why the column cannot be used, or nothing."""
    dtype = series.dtype
    if types.is_complex_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        return str(dtype)
    arrow = getattr(dtype, "pyarrow_dtype", None)
    if arrow is not None and any(
        word in str(arrow) for word in ("list", "struct", "map", "binary", "duration")
    ):
        return str(arrow)
    if not types.is_object_dtype(dtype):
        return ""
    inferred = types.infer_dtype(series, skipna=True)
    if inferred in {"bytes", "complex", "timedelta", "timedelta64"}:
        return str(inferred)
    if inferred == "mixed":
        cells = {type(cell) for cell in series.to_numpy()}
        nested = sorted(
            t.__name__ for t in cells if issubclass(t, (list, tuple, set, dict, bytes, np.ndarray))
        )
        return ", ".join(nested)
    return ""


def _distinct(series: pd.Series[Any]) -> Distinct:
    """Codes of one column, by its dtype."""
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        series = pd.Series(np.asarray(series))
        dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        inner = _distinct(pd.Series(dtype.categories))
        return Distinct(series.cat.codes.to_numpy().astype(np.int32), inner.values).remap(
            inner.codes, inner.values
        )
    if types.is_bool_dtype(dtype):
        return _integers(series, pl.Boolean)
    if types.is_integer_dtype(dtype):
        return _integers(series, pl.Int64)
    if types.is_float_dtype(dtype):
        return _reals(series)
    if types.is_datetime64_any_dtype(dtype) and not str(dtype).startswith("date32"):
        return _timestamps(series)
    if types.is_object_dtype(dtype):
        return _objects(series)
    return _factorized(series)


def _integers(series: pd.Series[Any], dtype: Any) -> Distinct:
    """Codes of a column of whole numbers or booleans."""
    if types.is_unsigned_integer_dtype(series.dtype) and (series.max(skipna=True) or 0) > _INT64.max:
        return _factorized(series)  # what int64 cannot hold stays exact as text
    missing = series.isna().to_numpy()
    if not missing.any():
        return from_integers(series.to_numpy(np.int64), None, dtype)
    filler, width = (False, np.bool_) if types.is_bool_dtype(series.dtype) else (0, np.int64)
    return from_integers(series.to_numpy(width, na_value=filler), ~missing, dtype)


def _reals(series: pd.Series[Any]) -> Distinct:
    """Codes of floats; whole numbers that became floats for the sake of NaN are whole again."""
    extension = types.is_extension_array_dtype(series.dtype)
    numbers = series.to_numpy(np.float64, na_value=np.nan) if extension else series.to_numpy()
    valid = ~np.isnan(numbers)
    if not extension and not valid.all():
        kept = numbers[valid]
        if np.all((np.abs(kept) < _EXACT) & (np.trunc(kept) == kept)):
            return from_integers(np.where(valid, numbers, 0), valid)
    return from_reals(numbers)


def _timestamps(series: pd.Series[Any]) -> Distinct:
    """Codes of points in time, on the clock of their own zone."""
    if getattr(getattr(series.dtype, "pyarrow_dtype", series.dtype), "tz", None) is not None:
        series = series.dt.tz_localize(None)
    if not isinstance(series.dtype, np.dtype):
        series = series.astype("datetime64[us]" if "[us]" in str(series.dtype) else "datetime64[ns]")
    times = series.to_numpy()
    unit: Literal["ns", "us"] = "ns" if times.dtype == np.dtype("datetime64[ns]") else "us"
    return from_integers(
        times.astype(f"datetime64[{unit}]").view(np.int64), ~np.isnat(times), pl.Datetime(unit)
    )


def _objects(series: pd.Series[Any]) -> Distinct:
    """Codes of a column of Python objects, by what they are."""
    inferred = types.infer_dtype(series, skipna=True)
    if inferred == "empty":
        return all_missing(len(series))
    if inferred in {"floating", "mixed-integer-float"}:
        return _reals(pd.Series(series.to_numpy(np.float64, na_value=np.nan)))
    if inferred in {"datetime", "datetime64"}:
        return _timestamps(pd.to_datetime(series))
    if inferred in {"string", "integer", "boolean", "date", "decimal"}:
        return _factorized(series)
    # A mixture: 1, 1.0 and True are equal to pandas but read differently, so each cell becomes its text.
    missing = series.isna().to_numpy()
    cells = np.array([str(cell) for cell in series.to_numpy()], dtype=object)
    cells[missing] = None
    return _factorized(pd.Series(cells, dtype=object))


def _factorized(series: pd.Series[Any]) -> Distinct:
    """Codes by pandas' own hash table."""
    codes, uniques = pd.factorize(series)
    values = list(uniques)
    inferred = types.infer_dtype(values, skipna=True)
    if inferred in {"date", "boolean"}:
        return Distinct(
            codes.astype(np.int32), pl.Series(values, dtype=pl.Date if inferred == "date" else pl.Boolean)
        )
    if inferred == "decimal" and getattr(getattr(series.dtype, "pyarrow_dtype", None), "scale", None) == 0:
        values, inferred = [int(value) for value in values], "integer"
    if inferred == "decimal":
        return Distinct(codes.astype(np.int32), pl.Series([float(v) for v in values], dtype=pl.Float64))
    if inferred == "integer" and all(_INT64.min <= v <= _INT64.max for v in values):
        return Distinct(codes.astype(np.int32), pl.Series(values, dtype=pl.Int64))
    return from_texts(codes, [str(v) for v in values])
