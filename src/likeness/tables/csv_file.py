"""CSV text to a polars frame in which every cell is the text that stands in the file."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import polars as pl

from likeness.errors import TableError
from likeness.tables.csv_dialect import Dialect, find_delimiter, without_padding
from likeness.tables.csv_shape import check_records, count_records
from likeness.tables.file_bytes import read_bytes, to_utf8
from likeness.tables.packed_text import narrowed, packed_text
from likeness.tables.table import Table, name_problems
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def read_csv(
    path: Path,
    *,
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None = None,
    header: bool | Sequence[str],
) -> Table:
    """Read a CSV file; `likeness.tables.read` explains the parameters.

    Returns
    -------
    Table
        Of a polars frame whose columns are all String, without nulls.

    Raises
    ------
    TableError
        If the file cannot be read, is empty or malformed.
    """
    source = str(path)
    data = to_utf8(read_bytes(path), source=source, encoding=encoding)
    if not data or data.isspace():
        raise TableError(f"{source}: the file is empty")
    padding = delimiter is not None and len(delimiter) == 2 and delimiter.endswith(" ")
    if delimiter is None:
        tabs = not {".tsv", ".tab"}.isdisjoint(suffix.lower() for suffix in path.suffixes[-2:])
        delimiter = (
            "\t" if tabs else find_delimiter(data, source=source, quote=quote or None, header=header is True)
        )
    dialect = Dialect(delimiter[0] if padding else delimiter, quote or None)
    data = without_padding(data, dialect, declared=padding)
    frame, first_line = parse(data, dialect, source=source, header=header)
    if frame.height == 0:
        raise TableError(f"{source}: holds a header and no records")
    # Where the comma delimits, it is no decimal mark; elsewhere each column tells.
    decimal = decimal or ("." if dialect.delimiter == "," and thousands != "." else None)
    columns = frame.get_columns()
    del frame
    for i, column in enumerate(columns):
        columns[i] = narrowed(column)
    return Table(
        pl.DataFrame(columns),
        source=source,
        library="polars",
        format="csv",
        first_line=first_line,
        decimal=decimal,
        thousands=thousands,
    )


def parse(
    data: bytes,
    dialect: Dialect,
    *,
    source: str,
    header: bool | Sequence[str] = True,
) -> tuple[pl.DataFrame, int]:
    """Parse CSV text.

    Parameters
    ----------
    data
        UTF-8 text without a byte order mark.
    dialect
        Its delimiter and quote.
    source
        What messages call it.
    header
        True if the first record names the columns; False or the names if it does not.

    Returns
    -------
    tuple[polars.DataFrame, int]
        Every column of text, without nulls, as codes into its own dictionary (`packed_text`); and the line on which the first
        record begins.

    Raises
    ------
    TableError
        For duplicate or empty names, records with more or fewer cells, and quotes not closed.
    """
    names, first_line = _names(data, dialect, source=source, header=header)
    problems = name_problems(names, source)
    if problems:
        raise TableError(*problems)
    if len(names) > 1 and data.endswith((b"\n\n", b"\n\r\n")):
        data = data.rstrip(b"\r\n")  # in a table of one column, blank lines are empty cells
    titled = header is True
    # Texts one by one take four times the file; most columns say the same few things again and again.
    types = [packed_text() for _ in names]
    frame = split(data, dialect, names, types, header=titled)
    records = count_records(data, dialect, len(names))
    if records is None or not _is_whole(frame, records - titled):
        records = check_records(data, dialect, len(names), source=source)
        if not _is_whole(frame, records - titled):
            # polars takes the quote in `5",x` for an opening one; quoted anew, it is plain.
            plain = Dialect(",")
            frame = split(
                plain.write(record for _, record in dialect.records(data)), plain, names, types, header=titled
            )
    if frame is None or not _is_whole(frame, records - titled):
        raise TableError(f"{source}: quotes are used inconsistently; double every quote inside a quoted cell")
    return frame, first_line


def _is_whole(frame: pl.DataFrame | None, records: int) -> bool:
    """Whether there is a frame and it has that many records."""
    return frame is not None and frame.height == records


def split(
    data: bytes, dialect: Dialect, names: list[str], types: Sequence[pl.DataType], *, header: bool
) -> pl.DataFrame | None:
    """Let polars split the text into columns of text; None if it cannot. Whether it took every line is not looked at.

    Parameters
    ----------
    data, dialect
        As for `parse`.
    names, types
        Of the columns: text, or `packed_text`, shared by the parts of one file.
    header
        Whether the first record names the columns.
    """
    try:
        frame = pl.read_csv(
            io.BytesIO(data),
            has_header=header,
            separator=dialect.delimiter,
            quote_char=dialect.quote,
            infer_schema=False,
            schema_overrides=list(types),
            empty_string_is_null=False,
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.width != len(names):
        return None
    filled = [column.fill_null("") if column.null_count() else column for column in frame.iter_columns()]
    return pl.DataFrame([column.alias(name) for name, column in zip(names, filled, strict=True)])


def _names(
    data: bytes, dialect: Dialect, *, source: str, header: bool | Sequence[str]
) -> tuple[list[str], int]:
    """Column names and the line of the first record."""
    records = dialect.records(data)
    try:
        _, first = next(records)
    except csv.Error as error:
        raise TableError(
            f"{source}: the first record cannot be read: {error}; is a quote not closed?"
        ) from None
    if not first:
        raise TableError(f"{source}: line 1 is blank; begin with the first record")
    if header is True and data[:4].lower() == b"sep=":
        mark = data.splitlines()[0].decode()
        raise TableError(
            f"{source}: line 1 is {quoted(mark)}, a mark for spreadsheets alone; remove that line"
        )
    if header is True:
        return first, 2 + sum(name.count("\n") for name in first)
    if header is False:
        return [f"column_{i}" for i in range(1, len(first) + 1)], 1
    if len(header) != len(first):
        raise TableError(
            f"{source}: line 1 has {count(len(first), 'cell')}, and the header that was given has "
            f"{count(len(header), 'name')}"
        )
    return list(header), 1
