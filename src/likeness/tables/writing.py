"""Columns to a file whose bytes depend on nothing but the columns.

Columns to a frame of the library the original came in.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import polars as pl

from likeness.errors import OutputError
from likeness.tables.arrow_streams import given_back
from likeness.tables.columns import EncodedColumn, Labelled, from_reals, is_packed, packed
from likeness.tables.compression import compress
from likeness.tables.formats import FileFormat
from likeness.tables.frames import FrameLibrary, library
from likeness.tables.json_cells import json_cells
from likeness.tables.sheet_cells import FOOT, check_room, sheet_cells, sheet_head, write_archive
from likeness.tables.spelling import Formulas, escape, escape_names, read_texts, texts
from likeness.tables.statistics_files import write_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likeness.endings import Ending
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


_WIDE = {"integer": pl.Int64, "real": pl.Float64, "date": pl.Date}
_KINDS: dict[type[pl.DataType], str] = {
    **dict.fromkeys((pl.Int8, pl.Int16, pl.Int32, pl.Int64), "integer"),
    **dict.fromkeys((pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64), "integer"),
    **dict.fromkeys((pl.Float32, pl.Float64), "real"),
    pl.Date: "date",
    pl.Boolean: "boolean",
}
"""Kinds of the types in which columns are published where they came so."""


def retyped(column: Labelled | EncodedColumn, dtype: pl.DataType) -> pl.Series | None:
    """Give a published column the type that its original had; None where it is of no such type any more.

    What is shown must be values of that type, each by its own text, and nothing else: no intervals, no sets, no labels of a
    hierarchy. An empty text is a missing value.

    >>> retyped(Labelled(np.array([1, 0, -1], np.int32), ["40", "31"]), pl.Int8()).to_list()
    [31, 40, None]
    """
    kind = _KINDS.get(dtype.base_type())
    if kind is None:
        return None
    labels = texts(column.values) if isinstance(column, EncodedColumn) else list(column.labels)
    occurs = np.zeros(len(labels) + 1, np.bool_)
    occurs[column.codes] = True
    shown = [i for i in np.flatnonzero(occurs[:-1]).tolist() if labels[i]]
    own = [labels[i] for i in shown]
    if kind == "boolean":
        if not {"true", "false"}.issuperset(own):
            return None
        values = pl.Series([text == "true" for text in own], dtype=pl.Boolean)
    else:
        try:
            values = pl.Series(read_texts(kind, own) if own else [], dtype=_WIDE[kind]).cast(dtype)
        except (ValueError, pl.exceptions.InvalidOperationError):
            return None
        # A number of 32 bits must be the one that its text says.
        if dtype == pl.Float32 and texts(from_reals(values.to_numpy()).values.to_numpy()) != _ranked(own):
            return None
    place = np.full(len(labels) + 1, -1, np.int64)
    place[shown] = np.arange(len(shown))
    places = pl.Series(place[column.codes])
    return values.gather(places.set(places < 0, None))


def widened(dtype: pl.DataType) -> pl.DataType:
    """Tell the type of 64 bits that numbers of a type have in files that know no narrower ones; others stay."""
    return _WIDE.get(_KINDS.get(dtype.base_type(), ""), type(dtype))() if dtype.is_numeric() else dtype


def _ranked(own: list[str]) -> list[str]:
    """Put texts of numbers in the order of their numbers."""
    return sorted(own, key=float)


# Fixed, because the default follows the machine and how the frame happens to be cut into chunks.
_ROW_GROUP = 1 << 18
_LINES_AT_ONCE = 1 << 16


def write(
    columns: Mapping[str, Any],
    path: Path,
    format: FileFormat | Ending,  # noqa: A002
    formulas: Formulas = "keep",
) -> None:
    """Write a table: the same columns give the same bytes, on any number of cores.

    ``columns``: by name, all of n rows (else `ValueError`): `Labelled`, `EncodedColumn`, an array or a polars Series.
    ``path``: in a folder that exists; a file there is replaced. `OutputError` if it cannot be written.
    ``format``: CSV is as `csv_lines` says; a file that is compressed is one stream that tells nothing but its content.
    ``formulas``: ``"keep"`` texts that a spreadsheet program would run, or ``"escape"`` them, names of columns too
    (`likeness.tables.spelling`).
    """
    how = format if isinstance(format, FileFormat) else FileFormat(format)
    heights = {name: _height(column) for name, column in columns.items()}
    if len(set(heights.values())) > 1:
        raise ValueError(f"columns must be of one length; got {heights}")
    try:
        if how.of_statistics:
            write_statistics(_frame(columns, formulas), path, how.kind)
            return
        with path.open("wb") as file:
            if how.kind == "parquet":
                write_parquet(_frame(columns, formulas), file)
                return
            if how.kind == "arrow":
                write_arrow(_frame(columns, formulas), file)
                return
            lines = text_lines(columns, how, formulas)
            if how.kind == "xlsx":
                write_archive(lines, file)
            elif how.compression is None:
                file.writelines(lines)
            else:
                compress(lines, how.compression, file)
    except ValueError as problem:
        raise OutputError(
            f"{path}: cannot be written: {problem}; choose another format (output: {{format: csv}})"
        ) from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None
    except ModuleNotFoundError as missing:
        raise OutputError(
            f"{path}: cannot be written, as {missing.name} is not installed; pip install "
            f"'likeness[{'statistics' if how.of_statistics else 'zstd'}]', or choose another format (output: {{format: csv}})"
        ) from None


def write_arrow(frame: pl.DataFrame, file: BinaryIO) -> None:
    """Write a frame as an Arrow file, always in the same way, uncompressed.

    Memory would be written as it is: where a value is missing, the one that was there before; and that none is missing, in one
    of two ways.
    """
    places = pl.arange(frame.height, eager=True, dtype=pl.UInt32)
    clean = pl.DataFrame(
        [
            column.gather(places.set(column.is_null(), None) if column.null_count() else places)
            for column in frame.iter_columns()
        ]
    )
    clean.write_ipc(
        file,
        compression="uncompressed",
        compat_level=pl.CompatLevel.oldest(),
        record_batch_size=_ROW_GROUP,
    )


def text_lines(columns: Mapping[str, Any], how: FileFormat, formulas: Formulas = "keep") -> Iterator[bytes]:
    """Write columns as the text of a file of some format, or the sheet in it, some rows at a time; see `write`.

    `ValueError` where such a file has no room for them.
    """
    kinds = [_kind(column) for column in columns.values()]
    names = escape_names(list(columns)) if formulas == "escape" else list(columns)
    coded = [_coded(_spelled(column), formulas) for column in columns.values()]
    if how.kind == "csv":
        return _csv_lines(names, coded, how.separator)
    texts = [own for _, own in coded]
    if how.kind == "jsonl":
        return _lines([(*own, cell) for own, cell in zip(coded, json_cells(names, kinds), strict=True)])
    problem = check_room(names, texts, len(coded[0][0]) if coded else 0)
    if problem is not None:
        raise ValueError(problem)
    rows = _lines([(*own, cell) for own, cell in zip(coded, sheet_cells(kinds, texts), strict=True)])
    return chain([sheet_head(names).encode()], rows, [FOOT.encode()])


def _kind(column: Any) -> str:
    """Say what kind a column to be written is, as `EncodedColumn` does."""
    if isinstance(column, EncodedColumn):
        return column.kind
    if isinstance(column, Labelled):
        return "text"
    dtype = pl.Series(column).dtype
    if dtype.is_integer():
        return "integer"
    if dtype.is_float():
        return "real"
    return {pl.Boolean: "boolean", pl.Date: "date"}.get(dtype.base_type(), "text")


def write_parquet(frame: pl.DataFrame, file: BinaryIO) -> None:
    """Write a frame as Parquet, always in the same way; texts that are packed are unpacked some rows at a time."""
    packed_texts = [pl.col(name).cast(pl.String) for name, dtype in frame.schema.items() if is_packed(dtype)]
    if not packed_texts:
        frame.write_parquet(file, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP)
        return
    frame.lazy().with_columns(packed_texts).sink_parquet(
        file, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP
    )


def csv_lines(frame: pl.DataFrame, *, delimiter: str = ",", header: bool = True) -> Iterator[bytes]:
    """Write a frame as CSV, some lines at a time: a table has one such text, whatever program reads or writes it.

    UTF-8 without a mark, one delimiter, LF after every line; in quotes stands what holds a delimiter, a quote or the end of a
    line, and nothing else. A cell that is null or empty has nothing in it, save in a table of one column, where an empty line may
    be taken for none: there it is ``""``. Columns are of texts, whole numbers, truth values or days.
    """
    lines = _csv_lines(frame.columns, [packed(column) for column in frame.iter_columns()], delimiter)
    if not header:
        next(lines)
    return lines


def _csv_lines(
    names: list[str], columns: list[tuple[NDArray[np.int32], pl.Series]], delimiter: str
) -> Iterator[bytes]:
    """Write columns of codes and texts as CSV."""
    quoted = re.compile(f'[{re.escape(delimiter)}"\r\n]').pattern
    cells = pl.select(_in_quotes(pl.lit(pl.Series(names, dtype=pl.String)), quoted)).to_series().to_list()
    yield (delimiter.join(cells) + "\n").encode()
    empty = '""' if len(columns) == 1 else ""
    ends = [delimiter] * (len(columns) - 1) + ["\n"]
    yield from _lines(
        [
            (codes, texts, partial(_csv_cells, quoted=quoted, empty=empty, end=end))
            for (codes, texts), end in zip(columns, ends, strict=True)
        ]
    )


def _lines(
    columns: Sequence[tuple[NDArray[np.int32], pl.Series, Callable[[pl.Series], pl.Series]]],
) -> Iterator[bytes]:
    """Write columns of codes and texts, some rows at a time; every text is written once, and then copied to where it stands.

    The third of each column writes texts as cells, with whatever stands around them, and null as what stands where there is none.
    """
    if not columns:
        return
    # A column that says something else in most cells would take several times its text: its texts are written where they stand.
    written = [
        _cells(texts, render) if texts.len() <= _LINES_AT_ONCE else None for _, texts, render in columns
    ]
    for begin in range(0, len(columns[0][0]), _LINES_AT_ONCE):
        cells: list[pl.Series] = []
        for (codes, said, render), whole in zip(columns, written, strict=True):
            some, own = codes[begin : begin + _LINES_AT_ONCE], whole
            if own is None:
                own = _cells(said.gather(np.maximum(some, 0)), render)
                some = np.where(some < 0, -1, np.arange(some.size))
            cells.append(own.gather(np.where(some < 0, own.len() - 1, some)).alias(str(len(cells))))
        lines = pl.DataFrame(cells).select(pl.concat_str(pl.all())).to_series()
        yield lines.str.join("").item().encode()


def _cells(texts: pl.Series, render: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """Write texts as cells and, behind them, what stands where there is none."""
    return render(pl.concat([texts, pl.Series([None], dtype=pl.String)]))


def _csv_cells(texts: pl.Series, *, quoted: str, empty: str, end: str) -> pl.Series:
    """Write texts as cells of CSV."""
    cells = _in_quotes(pl.col(""), quoted).fill_null("").replace("", empty) + end
    return texts.alias("").to_frame().select(cells).to_series()


def _in_quotes(column: pl.Expr, quoted: str) -> pl.Expr:
    """Quote what must be quoted of a column of texts: where ``quoted`` is found in them."""
    doubled = pl.concat_str(pl.lit('"'), column.str.replace_all('"', '""', literal=True), pl.lit('"'))
    return pl.when(column.str.contains(quoted)).then(doubled).otherwise(column)


def _spelled(column: Any) -> Any:
    """Write the values of a column that polars would write in its own way as the texts they have everywhere."""
    if isinstance(column, EncodedColumn) and column.values.dtype.kind in "fM":
        return Labelled(column.codes, texts(column.values))
    if not isinstance(column, np.ndarray | pl.Series) or not pl.Series(column).dtype.is_float():
        return column
    numbers = pl.Series(column)
    distinct = from_reals(numbers.fill_null(float("nan")).to_numpy())
    return Labelled(distinct.codes, texts(distinct.values.to_numpy()))


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
