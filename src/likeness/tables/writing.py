"""Columns to a file whose bytes depend on nothing but the columns."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from likeness.errors import OutputError
from likeness.tables.building import native_columns
from likeness.tables.encoded import EncodedColumn
from likeness.tables.formulas import Formulas, escape, escape_names
from likeness.tables.frames import library
from likeness.tables.labelled import Labelled
from likeness.tables.packed_text import as_text
from likeness.tables.spelling import texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

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
    r"""Write a table: the same columns give the same bytes, on any number of cores.

    Parameters
    ----------
    columns
        By name, all of n rows: `Labelled`, `EncodedColumn`, an array or a polars Series.
    path
        The file to write; its folder exists. An existing file is replaced.
    format
        ``"csv"`` (as `csv_lines` says) or ``"parquet"``.
    formulas
        ``"keep"`` texts that a spreadsheet program would run, or ``"escape"`` them, names of columns too
        (`likeness.tables.formulas`).

    Raises
    ------
    OutputError
        If the file cannot be written.
    ValueError
        If the columns are not of one length.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from pathlib import Path
    >>> from likeness.tables import Labelled
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "release.csv"
    ...     write({"age": Labelled(np.array([0, 0], dtype=np.int32), ["[18, 40]"])}, file, "csv")
    ...     file.read_bytes()
    b'age\n"[18, 40]"\n"[18, 40]"\n'
    """
    if format == "csv":
        columns = {name: _spelled(column) for name, column in columns.items()}
    heights = {name: _height(column) for name, column in columns.items()}
    if len(set(heights.values())) > 1:
        raise ValueError(f"columns must be of one length; got {heights}")
    rows = max(heights.values(), default=0)
    try:
        with path.open("wb") as file:
            if format == "csv":
                # A part at a time: as texts, all of a large table takes several times its file.
                for begin in range(0, max(1, rows), _ROW_GROUP):
                    part = _frame(columns, begin, begin + _ROW_GROUP, formulas)
                    file.writelines(csv_lines(part, header=begin == 0))
            else:
                _frame(columns, 0, rows, formulas).write_parquet(
                    file, compression="zstd", compression_level=3, row_group_size=_ROW_GROUP
                )
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None


def csv_lines(frame: pl.DataFrame, *, header: bool = True) -> Iterator[bytes]:
    r"""Write a frame as CSV, some lines at a time: a table has one such text, whatever program reads or writes it.

    UTF-8 without a mark, commas, LF after every line; in quotes stands what holds a comma, a quote or the end of a line, and
    nothing else. A cell that is null or empty has nothing in it, save in a table of one column, where an empty line may be
    taken for none: there it is ``""``.

    Parameters
    ----------
    frame
        Columns of texts, whole numbers, truth values or days.
    header
        Whether the line of the names comes first.

    Examples
    --------
    >>> b"".join(csv_lines(pl.DataFrame({"a": ["x,y", None], "b": [1, 2]})))
    b'a,b\n"x,y",1\n,2\n'
    """
    if header:
        yield (",".join(map(_quoted, frame.columns)) + "\n").encode()
    # A name of a column may mean something to `pl.col`.
    cells = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(frame.iter_columns())])
    empty = '""' if frame.width == 1 else ""
    written = [
        _cells(name, as_text(column.clear()).dtype).fill_null("").replace("", empty).alias(name)
        for name, column in zip(cells.columns, cells.iter_columns(), strict=True)
    ]
    for part in cells.iter_slices(_LINES_AT_ONCE):
        lines = pl.DataFrame([as_text(column) for column in part.iter_columns()])
        buffer = io.BytesIO()
        # What must be quoted is quoted already: when polars quotes is a matter of its version.
        lines.select(written).write_csv(
            buffer, include_header=False, separator=",", line_terminator="\n", quote_style="never"
        )
        yield buffer.getvalue()


def _cells(name: str, dtype: pl.DataType) -> pl.Expr:
    """Write the cells of a column."""
    return _in_quotes(pl.col(name)) if dtype == pl.String else pl.col(name).cast(pl.String)


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


def _frame(columns: Mapping[str, Any], begin: int, end: int, formulas: Formulas) -> pl.DataFrame:
    """Build some rows of a table."""
    some = {
        name: replace(column, codes=column.codes[begin:end])
        if isinstance(column, Labelled | EncodedColumn)
        else column[begin:end]
        for name, column in columns.items()
    }
    native = native_columns(library("polars"), some)
    frame = pl.DataFrame([pl.Series(name, column) for name, column in native.items()]).rechunk()
    if formulas == "escape":
        frame = frame.with_columns(pl.col(pl.String).map_batches(escape, return_dtype=pl.String))
        frame.columns = escape_names(frame.columns)
    return frame
