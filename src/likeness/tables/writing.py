"""Columns to a file whose bytes depend on nothing but the columns.

Columns to a frame of the library the original came in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from likeness.errors import OutputError
from likeness.tables.arrow_streams import given_back
from likeness.tables.columns import EncodedColumn, Labelled, packed
from likeness.tables.frames import FrameLibrary, library
from likeness.tables.spelling import Formulas, escape, escape_names, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.tables.table import Table


def build(like: Table, columns: Mapping[str, Any], index_rows: NDArray[np.int64] | None = None) -> Any:
    """Build a frame of the library that ``like`` came in; in pandas with its column labels and index, too.

    Where a DuckDB relation was given, it is a relation of the same connection; for other givers of Arrow streams the frame that
    their rows were read into.

    ``columns``: by name and in order, all of n rows (else `ValueError`): `Labelled` (becomes text), `EncodedColumn` (its
    values again), an array, or a column of that library as `Table.column` gives it (by position, its index is ignored).
    ``index_rows``: (n,) row of the original that each row has its pandas index from; None for 0, 1, 2 … (also where rows
    are no longer anybody's).
    """
    frames = library(like.library)
    native = native_columns(frames, columns)
    return given_back(like, frames.assemble(like.held, native, index_rows))


def native_columns(frames: FrameLibrary, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Make each column, given as for `build`, one of that library; `ValueError` if they are not of one length."""
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


# Fixed, because the default follows the machine and how the frame happens to be cut into chunks.
_ROW_GROUP = 1 << 18
_LINES_AT_ONCE = 1 << 16
_QUOTED = r'[,"\r\n]'
"""What a cell must be quoted for."""


def write(
    columns: Mapping[str, Any],
    path: Path,
    format: Literal["csv", "parquet"],  # noqa: A002
    formulas: Formulas = "keep",
) -> None:
    """Write a table: the same columns give the same bytes, on any number of cores.

    ``columns``: by name, all of n rows (else `ValueError`): `Labelled`, `EncodedColumn`, an array or a polars Series.
    ``path``: in a folder that exists; a file there is replaced. `OutputError` if it cannot be written.
    ``format``: ``"csv"`` is as `csv_lines` says.
    ``formulas``: ``"keep"`` texts that a spreadsheet program would run, or ``"escape"`` them, names of columns too
    (`likeness.tables.spelling`).
    """
    if format == "csv":
        columns = {name: _spelled(column) for name, column in columns.items()}
    heights = {name: _height(column) for name, column in columns.items()}
    if len(set(heights.values())) > 1:
        raise ValueError(f"columns must be of one length; got {heights}")
    try:
        with path.open("wb") as file:
            if format == "csv":
                names = escape_names(list(columns)) if formulas == "escape" else list(columns)
                file.writelines(_lines(names, [_coded(column, formulas) for column in columns.values()]))
            else:
                _frame(columns, formulas).write_parquet(
                    file, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP
                )
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None


def csv_lines(frame: pl.DataFrame, *, header: bool = True) -> Iterator[bytes]:
    """Write a frame as CSV, some lines at a time: a table has one such text, whatever program reads or writes it.

    UTF-8 without a mark, commas, LF after every line; in quotes stands what holds a comma, a quote or the end of a line,
    and nothing else. A cell that is null or empty has nothing in it, save in a table of one column, where an empty line may
    be taken for none: there it is ``""``. Columns are of texts, whole numbers, truth values or days.
    """
    lines = _lines(frame.columns, [packed(column) for column in frame.iter_columns()])
    if not header:
        next(lines)
    return lines


def _lines(names: list[str], columns: list[tuple[NDArray[np.int32], pl.Series]]) -> Iterator[bytes]:
    """Write columns of codes and texts as CSV; every text is written once, and then copied to where it stands."""
    from likeness.tables.kernels import join_cells

    yield (",".join(map(_quoted, names)) + "\n").encode()
    if not columns:
        return
    empty = '""' if len(columns) == 1 else ""
    ends = [","] * (len(columns) - 1) + ["\n"]
    # A column that says something else in most cells would take several times its text: its texts are written where they stand.
    few = [texts.len() <= _LINES_AT_ONCE for _, texts in columns]
    written = [
        _cells(texts, empty, end) if short else None
        for (_, texts), end, short in zip(columns, ends, few, strict=True)
    ]
    for begin in range(0, len(columns[0][0]), _LINES_AT_ONCE):
        some = [codes[begin : begin + _LINES_AT_ONCE] for codes, _ in columns]
        parts = []
        for i, own in enumerate(written):
            parts.append(own or _cells(columns[i][1].gather(np.maximum(some[i], 0)), empty, ends[i]))
            if own is None:
                some[i] = np.where(some[i] < 0, -1, np.arange(some[i].size, dtype=np.int32))
        lengths = np.concatenate([size for _, size in parts])
        begins, firsts = np.zeros(lengths.size + 1, np.int64), np.zeros(len(parts) + 1, np.int64)
        np.cumsum(lengths, out=begins[1:])
        np.cumsum([size.size for _, size in parts], out=firsts[1:])
        most = sum(int(size[codes].sum()) for (_, size), codes in zip(parts, some, strict=True))
        out = np.empty(most, np.uint8)
        text = np.frombuffer(bytearray().join(text for text, _ in parts), np.uint8)
        join_cells(np.array(some, np.int32), text, begins, firsts, out)
        yield out.tobytes()


def _cells(texts: pl.Series, empty: str, end: str) -> tuple[bytes, NDArray[np.int64]]:
    """Write texts as cells and, behind them, what stands where there is none: their bytes, and how many each takes."""
    cells = (
        texts.alias("").to_frame().select(_in_quotes(pl.col("")).fill_null("").replace("", empty)).to_series()
    )
    cells = cells.extend(pl.Series([empty], dtype=pl.String)) + end
    return (cells.str.join("").item() or "").encode(), cells.str.len_bytes().to_numpy().astype(np.int64)


def _in_quotes(column: pl.Expr) -> pl.Expr:
    """Quote what must be quoted of a column of texts."""
    doubled = pl.concat_str(pl.lit('"'), column.str.replace_all('"', '""', literal=True), pl.lit('"'))
    return pl.when(column.str.contains(_QUOTED)).then(doubled).otherwise(column)


def _quoted(name: str) -> str:
    """Quote a name of a column, where it must be."""
    return str(pl.select(_in_quotes(pl.lit(name))).item())


def _spelled(column: Any) -> Any:
    """Write the values of a column that polars would write in its own way as the texts they have everywhere."""
    if isinstance(column, EncodedColumn) and column.values.dtype.kind in "fM":
        return Labelled(column.codes, texts(column.values))
    if not isinstance(column, np.ndarray | pl.Series) or not pl.Series(column).dtype.is_float():
        return column
    numbers = pl.Series(column)
    values, codes = np.unique(numbers.fill_null(0.0).to_numpy() + 0.0, return_inverse=True)
    return Labelled(np.where(numbers.is_null(), -1, codes).astype(np.int32), texts(values))


def _height(column: Any) -> int:
    """Count the rows of a column."""
    return len(column.codes) if isinstance(column, Labelled | EncodedColumn) else len(column)


def _coded(column: Any, formulas: Formulas) -> tuple[NDArray[np.int32], pl.Series]:
    """Take a column as codes and the texts that stand in a file."""
    codes = None
    if isinstance(column, Labelled | EncodedColumn):
        codes, labels = column.codes, column.labels if isinstance(column, Labelled) else column.values
        column = replace(column, codes=np.arange(len(labels), dtype=np.int32))
    values = pl.Series(native_columns(library("polars"), {"": column})[""])
    texts = values.cast(pl.String)
    if codes is None:
        codes, texts = packed(texts)
    numbers = not isinstance(values.dtype, pl.String | pl.Categorical | pl.Enum)
    return codes, texts if numbers or formulas == "keep" else escape(texts)


def _frame(columns: Mapping[str, Any], formulas: Formulas) -> pl.DataFrame:
    """Build a table."""
    native = native_columns(library("polars"), columns)
    frame = pl.DataFrame([pl.Series(name, column) for name, column in native.items()]).rechunk()
    if formulas == "escape":
        frame = frame.with_columns(pl.col(pl.String).map_batches(escape, return_dtype=pl.String))
        frame.columns = escape_names(frame.columns)
    return frame
