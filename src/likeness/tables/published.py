"""Published files back in, cell for cell: what is proven is proven from these bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from likeness.errors import TableError
from likeness.tables.binary_file import read_binary
from likeness.tables.csv_dialect import Dialect
from likeness.tables.csv_file import parse
from likeness.tables.file_bytes import read_bytes
from likeness.tables.formulas import are_formulas, unescape
from likeness.tables.table import Table
from likeness.wording import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.tables.formulas import Formulas


def read_published(path: Path, formulas: Formulas = "keep") -> Table:
    r"""Read a file that `likeness.tables.write` wrote.

    Nothing is inferred: every cell of a CSV file is text, an empty cell is ``""``, and there are no
    nulls. Parquet keeps its types. A table without records is a table here.

    Parameters
    ----------
    path
        A .csv or .parquet file.
    formulas
        How it was written: as `likeness.tables.write`.

    Returns
    -------
    Table
        Of a polars frame.

    Raises
    ------
    TableError
        If the file is not there, damaged, or not as `write` leaves it: UTF-8, commas, equally many
        cells in each record; or if a formula is not escaped in a file that escapes them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "release.csv"
    ...     _ = file.write_text("zip,sex\n02139,\n")
    ...     read_published(file).frame.rows()
    [('02139', '')]
    """
    table = _as_it_stands(path)
    return _unescaped(table) if formulas == "escape" else table


def _as_it_stands(path: Path) -> Table:
    """Read a file, every text as it stands there."""
    if path.suffix == ".parquet":
        return read_binary(path, format="parquet")
    if path.suffix != ".csv":
        raise TableError(f"{path}: unknown extension {path.suffix!r}; published tables are .csv or .parquet")
    data = read_bytes(path)
    if not data:
        raise TableError(f"{path}: the file is empty")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableError(
            f"{path}: not UTF-8 at line {line} (byte offset {error.start}); it was changed"
        ) from None
    frame, first_line = parse(data, Dialect(","), source=str(path))
    return Table(frame, source=str(path), library="polars", format="csv", first_line=first_line)


def _unescaped(table: Table) -> Table:
    """Take away the apostrophes before formulas; a formula without one was not written so."""
    frame = table.frame
    problem = "stands without the apostrophe that is written before formulas; it was changed"
    bare = are_formulas(pl.Series(frame.columns, dtype=pl.String))
    if bare.any():
        raise TableError(
            f"{table.source}: the name of the column {quoted(frame.columns[bare.arg_max()])} {problem}"
        )
    for name in frame.columns:
        if frame[name].dtype == pl.String and (bare := are_formulas(frame[name])).any():
            row = int(bare.arg_max() or 0)
            raise TableError(
                f"{table.source}, {table.where(row)}, column {name!r}: {quoted(frame[name][row])} {problem}"
            )
    frame = frame.with_columns(pl.col(pl.String).map_batches(unescape, return_dtype=pl.String))
    frame.columns = unescape(pl.Series(frame.columns, dtype=pl.String)).to_list()
    return Table(
        frame, source=table.source, library="polars", format=table.format, first_line=table.first_line
    )
