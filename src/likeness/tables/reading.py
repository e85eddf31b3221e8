"""Any table in: a path, or a frame of any library.

Parquet and Arrow files to polars frames.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import quote as quote_url

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables.arrow_streams import gives_a_stream, read_arrow_stream
from likeness.tables.compression import ENDINGS
from likeness.tables.csv_files import read_csv, text_facts
from likeness.tables.databases import is_url, is_url_as_path, read_database
from likeness.tables.file_bytes import read_bytes, read_stream
from likeness.tables.formats import FileFormat, Written
from likeness.tables.frames import library_of
from likeness.tables.json_lines import read_json_lines
from likeness.tables.kinds import MARK_NAMES
from likeness.tables.parts import find_parts, is_parted, read_whole
from likeness.tables.spreadsheets import read_sheet
from likeness.tables.statistics_files import PROGRAMS, read_statistics
from likeness.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likeness.endings import Ending

_ARROW_FILE = b"ARROW1"


def read_binary(
    path: Path,
    data: bytes,
    *,
    format: str,  # noqa: A002
    decimal: str = ".",
    thousands: str | None = None,
) -> Table:
    """Read a Parquet or Arrow IPC file (file or stream format) from its bytes; `TableError` if truncated or damaged.

    ``format``: ``"parquet"`` or ``"arrow"``. ``decimal``, ``thousands``: marks of the numbers in text columns.
    """
    if not data:
        raise TableError(Refusal("the file is empty", (str(path),)))
    try:
        frame = _decode(data, format)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        name = {"parquet": "Parquet", "arrow": "Arrow"}[format]
        raise TableError(
            Refusal(f"not a whole {name} file ({reason}); fetch or write it again", (str(path),))
        ) from None
    return Table(
        frame,
        source=str(path),
        library="polars",
        format=format,
        decimal=decimal,
        thousands=thousands,
        written=Written(FileFormat("parquet" if format == "parquet" else "arrow")),
    )


def _decode(data: bytes, format: str) -> pl.DataFrame:  # noqa: A002
    """Decode the frame in these bytes."""
    if format == "parquet":
        return pl.read_parquet(io.BytesIO(data))
    if data.startswith(_ARROW_FILE):
        return pl.read_ipc(io.BytesIO(data))
    return pl.read_ipc_stream(io.BytesIO(data))


_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".sav": "sav",
    ".zsav": "zsav",
    ".dta": "dta",
    ".sas7bdat": "sas7bdat",
    ".xpt": "xpt",
    ".xport": "xpt",
}
_TEXT = {"csv", "jsonl"}
"""Files that are text may be compressed; the others are within."""
_OPTIONS: dict[str, set[str]] = {
    "csv": {"delimiter", "quote", "encoding", "header"},
    "jsonl": {"encoding"},
    "excel": {"sheet"},
    **{name: {"encoding"} for name in PROGRAMS},
}
"""Beside what is said of numbers, what can be said of a file."""
_TAB = {"tab", "\\t"}
_NO_QUOTE = {"none", ""}


def read(
    source: Any,
    *,
    delimiter: str | None = None,
    quote: str | None = '"',
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | Sequence[str] = True,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Table:
    """Read a table, as it is.

    Cells of CSV files stay the text they are: a leading zero survives, and what a column means is found
    when it is encoded, from its distinct values.

    Parameters
    ----------
    source
        Path of a CSV file (.csv .tsv .tab .txt) or JSON lines (.jsonl .ndjson), both also compressed (.csv.gz .csv.bz2
        .csv.xz .csv.zst), of an Excel file (.xlsx .xlsm; ``likeness[excel]``), Parquet file (.parquet .pq) or Arrow file
        (.arrow .feather .ipc), or of one of SPSS (.sav .zsav), Stata (.dta) or SAS (.sas7bdat .xpt; ``likeness[statistics]``);
        or a folder of Parquet or CSV files with the same columns, or a pattern that names them (``visits/*.parquet``);
        or the URL of a database (``sqlite:///clinic.db``, ``postgresql://ada@server/clinic``; ``likeness[database]``), which is
        read in a transaction that may only read; or a CSV file that is open for reading bytes; or a polars frame, pandas frame
        or pyarrow table; or anything else with the Arrow PyCapsule interface (``__arrow_c_stream__``), such as a DuckDB
        relation, a record batch reader or a nanoarrow stream, which is read once; or a `Table`, which is returned as it is.
    delimiter
        CSV: comma, semicolon, tab, bar or another character, or ``", "`` when a space follows each;
        None to find it.
    quote
        CSV: the quote character; None when quotes have no meaning.
    encoding
        CSV, JSON lines, statistics programs: such as ``"cp1252"``; None for UTF-8, or what the file says. Never guessed.
        ``"utf-8+cp1252"`` for a file that is UTF-8 in part: what is UTF-8 is read as that, every other byte as cp1252.
    decimal
        ``"."`` or ``","`` in numbers that are text; None to find it for each column (a comma only where it
        is not the delimiter).
    thousands
        ``","``, ``"."``, ``" "`` or ``"'"`` where numbers that are text separate thousands by it, as in ``1,234``; a space may be
        a narrow or fixed one. None to find a comma or point that can be nothing else, as in ``1,234,567`` or ``1,234.5``, where
        all of a column are numbers so.
    header
        CSV: False if the first line is a record already; or the column names to use then.
    sheet
        Excel: the sheet that holds the table; None where no other in sight holds anything.
    table
        Databases: the table, behind its schema (``public.patients``) where it is not found without; None where there is one.
    query
        Databases: a query (``SELECT …``) whose rows are the table, instead of a table.

    Returns
    -------
    Table
        The table, with at least one record.

    Raises
    ------
    TableError
        If there is no such file, its extension is unknown, it cannot be read, is empty, damaged or
        malformed, has duplicate or empty column names, or columns of nested values.

    Examples
    --------
    >>> import polars as pl
    >>> read(pl.DataFrame({"age": [40, 31], "zip": ["02139", "10001"]})).names
    ('age', 'zip')
    """
    if isinstance(source, Table):
        return source
    given: dict[str, Any] = {
        "delimiter": delimiter, "quote": quote, "encoding": encoding, "decimal": decimal, "thousands": thousands,
        "header": header if isinstance(header, bool) else list(header), "sheet": sheet, "table": table, "query": query,
    }  # fmt: skip
    found = _read(source, **given)
    found.reading = {name: value for name, value in given.items() if value != _AS_FOUND.get(name)}
    return found


_AS_FOUND = {"quote": '"', "header": True}
"""What `read` takes where it is not told; else None."""
_NUMBERS = {"decimal", "thousands"}
_OF_ONE = {"header", "sheet", "table", "query"}
"""What is said of one table, and not of others that are written as it is."""


def read_again(source: Any, reading: Mapping[str, Any]) -> Table:
    """Read a table as it was read once, as far as that can be said of its kind of file now; ``reading``: `Table.reading` of then.

    Raises what `read` does, and says how it was read where that fails.
    """
    if isinstance(source, Table):
        return source
    options = _that_fits(source, reading)
    try:
        return read(source, **options)
    except TableError as problem:
        if not options:
            raise
        listed = ", ".join(f"{name}={value!r}" for name, value in options.items())
        raise TableError(
            *problem.refusals,
            f"it was read as the original was when the release was made ({listed}); if it is written in another way now, say "
            "how, in Python by giving what likeness.read returns",
        ) from None


def read_beside(source: Any, other: Table) -> Table:
    """Read a table that is written as another is: the numbers in its texts, and the file where it is text.

    Raises what `read` does.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        return read_again(
            source, {name: value for name, value in other.reading.items() if name not in _OF_ONE}
        )
    return read(source).marked_as(other)


def _that_fits(source: Any, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Take the options that can be said of a source."""
    fits = set(_NUMBERS)
    if isinstance(source, str) and is_url(source):
        fits |= {"table", "query"}
    elif isinstance(source, str | os.PathLike):
        if is_parted(source):
            fits = {"delimiter", "decimal"}
        else:
            fits |= _OPTIONS.get(_kind_of(Path(source))[0] or "", set())
    return {name: value for name, value in reading.items() if name in fits}


def _read(
    source: Any,
    *,
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None,
    header: bool | Sequence[str],
    sheet: str | None,
    table: str | None,
    query: str | None,
) -> Table:
    """Read what is no `Table` yet."""
    _check_options(delimiter, quote, decimal, thousands)
    if isinstance(source, str) and is_url(source):
        extra = _given(
            delimiter=delimiter, encoding=encoding, header=None if header is True else header, sheet=sheet
        )
        if extra:
            raise TableError(
                f"{' and '.join(extra)} can be given for files only, and this is a database; leave it out"
            )
        frame, name, rows = read_database(source, table=table, query=query)
        return _held(frame, name, "polars", decimal, thousands, format="database", read_rows=rows)
    extra = _given(table=table, query=query)
    if extra:
        raise TableError(f"{' and '.join(extra)} can be given for databases only; leave it out")
    if isinstance(source, (str, os.PathLike)):
        return _file(
            Path(source),
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            thousands=thousands,
            header=header,
            sheet=sheet,
        )
    if isinstance(source, io.BufferedIOBase | io.RawIOBase):
        if sheet is not None:
            raise TableError("sheet can be given for Excel files only; an open file is read as CSV")
        name = "standard input" if source is getattr(sys.stdin, "buffer", None) else _name_of(source)
        return read_csv(
            read_stream(source, name=name),
            source=name,
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            thousands=thousands,
            header=header,
        )
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    return _frame(source, decimal, thousands)


def read_as_said(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | Sequence[str] | None = None,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
) -> Table:
    r"""Read a table file with options as the command line and policies write them; None for what `read` does unless told.

    ``delimiter``: ``tab`` and ``\t`` (two characters) are a tab. ``quote``: ``none``, or nothing, when quotes mean nothing.
    """
    return read(
        path,
        delimiter="\t" if delimiter in _TAB else delimiter,
        quote='"' if quote is None else None if quote in _NO_QUOTE else quote,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        header=True if header is None else header,
        sheet=sheet,
        table=table,
        query=query,
    )


def _file(
    path: Path,
    *,
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None,
    header: bool | Sequence[str],
    sheet: str | None,
) -> Table:
    """Read a file by its extension."""
    if is_url_as_path(path):
        raise TableError(
            "the URL of a database can be given, as a text, for the table itself only; join others to it in a query "
            "(--query), or write them to files"
        )
    if is_parted(path):
        titles = None if header is True else header
        _refuse_for_parts(path, quote != '"' or None, encoding, thousands, sheet, titles)
        return _with_records(read_whole(find_parts(path, delimiter=delimiter, decimal=decimal)))
    suffixes = [suffix.lower() for suffix in path.suffixes]
    format_, packed = _kind_of(path)
    if format_ is None or (format_ not in _TEXT and packed):
        if suffixes[-1:] in ([".xls"], [".xlsb"], [".ods"]):
            remedy = "save it as .xlsx, or the sheet that holds the table as CSV"
            raise TableError(Refusal("is a spreadsheet of another kind", (str(path),), remedy=remedy))
        if suffixes[-1:] in ([".db"], [".sqlite"], [".sqlite3"]):
            remedy = f"give it by its URL, sqlite:///{quote_url(str(path))}"
            raise TableError(Refusal("is a database, as it is called", (str(path),), remedy=remedy))
        if suffixes[-1:] in ([".yaml"], [".yml"], [".json"]):
            remedy = "the table stands first, and the policy behind it"
            if suffixes[-1] == ".json":
                remedy += "; a table in JSON has one record a line, and the ending .jsonl"
            raise TableError(Refusal("is named as policies are, and no table", (str(path),), remedy=remedy))
        raise TableError(
            Refusal(
                f"unknown extension {path.suffix!r}; known: {', '.join(_FORMATS)}, and text compressed: "
                f"{', '.join(f'.csv{ending}' for ending in ENDINGS)}",
                (str(path),),
            )
        )
    if sheet is not None and format_ != "excel":
        raise TableError(Refusal("sheet can be given for Excel files only; leave it out", (str(path),)))
    if format_ == "csv":
        return read_csv(
            read_bytes(path),
            source=str(path),
            named=_ending("tsv" if {".tsv", ".tab"} & {*suffixes[-2:]} else "csv", suffixes, packed=packed),
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            decimal=decimal,
            thousands=thousands,
            header=header,
        )
    extra = _given(
        delimiter=delimiter,
        header=None if header is True else header,
        encoding=None if format_ in {*_TEXT, *PROGRAMS} else encoding,
    )
    if extra:
        kinds = "text files and those of statistics programs" if extra == ["encoding"] else "CSV files"
        raise TableError(
            Refusal(f"{' and '.join(extra)} can be given for {kinds} only; leave it out", (str(path),))
        )
    data, point = read_bytes(path), _point(decimal, thousands)
    if format_ in {"parquet", "arrow"}:
        return _with_records(read_binary(path, data, format=format_, decimal=point, thousands=thousands))
    ending = suffixes[-1] if packed or suffixes[-1] == ".xlsm" else ""
    frame, written = _rows_of(data, format_, ending, source=str(path), encoding=encoding, sheet=sheet)
    return _with_records(
        Table(
            frame,
            source=str(path),
            library="polars",
            format=format_,
            decimal=point,
            thousands=thousands,
            written=written,
        )
    )


def kind_of(path: Path) -> str | None:
    """What kind of table a file is, by its name; None where no table is named so."""
    format_, packed = _kind_of(path)
    return None if packed and format_ not in _TEXT else format_


def _kind_of(path: Path) -> tuple[str | None, bool]:
    """What a file is, by its name, None where that is not known; and whether it is compressed."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = "".join(suffixes[-1:]) in ENDINGS
    return _FORMATS.get("".join(suffixes[-2:-1] if packed else suffixes[-1:])), packed


def _refuse_for_parts(path: Path, *said: Any) -> None:
    """Refuse what can be said of single files only: quote, encoding, thousands, sheet and header."""
    names = ("quote", "encoding", "thousands", "sheet", "header")
    extra = [name for name, value in zip(names, said, strict=True) if value is not None]
    if extra:
        what = f"{' and '.join(extra)} can be given for one file only; leave it out"
        raise TableError(Refusal(what, (str(path),)))


def _given(**options: Any) -> list[str]:
    """Name the options that were given."""
    return [name for name, value in options.items() if value is not None]


def _frame(source: Any, decimal: str | None, thousands: str | None) -> Table:
    """Take a frame as it is; read what gives a stream of rows."""
    library = library_of(source)
    if library is not None:
        return _held(source, f"{library} frame", library, decimal, thousands)
    name = type(source).__name__
    if not gives_a_stream(source):
        raise TableError(
            f"cannot read a table from {name!r}; give a path, a polars or pandas frame, a pyarrow table, or another frame with "
            "the Arrow PyCapsule interface"
        )
    frame = read_arrow_stream(source)
    return _held(frame, name, library_of(frame) or "polars", decimal, thousands, giver=source)


def _held(
    frame: Any, name: str, library: str, decimal: str | None, thousands: str | None, **more: Any
) -> Table:
    """Make a table of a frame; what else `Table` takes."""
    point = _point(decimal, thousands)
    return _with_records(
        Table(frame, source=name, library=library, decimal=point, thousands=thousands, **more)
    )


def _rows_of(
    data: bytes,
    format: str,  # noqa: A002
    ending: str,
    *,
    source: str,
    encoding: str | None,
    sheet: str | None,
) -> tuple[pl.DataFrame, Written]:
    """Read a file that is neither CSV nor Parquet or Arrow: its rows, and how it is written.

    ``ending``: of its name, behind what the format says: how it is compressed, or that it holds macros.
    """
    if format == "jsonl":
        frame = read_json_lines(data, source=source, encoding=encoding)
        return frame, Written(FileFormat(cast("Ending", f"jsonl{ending}")), text_facts(data, encoding))
    if format in PROGRAMS:
        frame, made = read_statistics(data, format, source=source, encoding=encoding)
        # No library writes these; SAS reads the others, too.
        other = {"format": ".sas7bdat"} if format == "sas7bdat" else {}
        return frame, Written(FileFormat(cast("Ending", "xpt" if other else format)), other, made)
    other = ({} if sheet is None else {"sheet": sheet}) | ({"macros": ending} if ending else {})
    return read_sheet(data, source=source, sheet=sheet), Written(FileFormat("xlsx"), other)


def _ending(kind: str, suffixes: list[str], *, packed: bool) -> Ending:
    """Name the ending of a published file of some kind that is compressed as this one is."""
    return cast("Ending", kind + (suffixes[-1] if packed else ""))


def _name_of(file: Any) -> str:
    """Name an open file as messages do."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else "open file"


def _point(decimal: str | None, thousands: str | None) -> str:
    """The decimal mark, where it is not to be found from the cells."""
    return decimal or ("," if thousands == "." else ".")


def _with_records(table: Table) -> Table:
    """Return the table, unless it has no column or no record."""
    if not table.names:
        raise TableError(Refusal("has no columns", (table.source,)))
    if table.height == 0:
        raise TableError(Refusal("has columns and no records", (table.source,)))
    return table


def _check_options(
    delimiter: str | None, quote: str | None, decimal: str | None, thousands: str | None
) -> None:
    """Refuse options that no file can have."""
    problems = []
    if delimiter is not None and not (
        _is_one(delimiter) or (len(delimiter) == 2 and _is_one(delimiter[0]) and delimiter[1] == " ")
    ):
        problems.append(
            f"delimiter must be one ASCII character, a space behind it at most; got {delimiter!r}"
        )
    if quote and (not _is_one(quote) or quote == delimiter):
        problems.append(f"quote must be one ASCII character other than the delimiter, or None; got {quote!r}")
    if decimal not in {None, ".", ","}:
        problems.append(f"decimal must be '.' or ','; got {decimal!r}")
    if thousands is not None and thousands not in MARK_NAMES:
        problems.append(
            f"thousands must be a comma, a point, a space or an apostrophe, or None; got {thousands!r}"
        )
    elif thousands is not None and thousands == decimal:
        problems.append(f"decimal and thousands are the same mark, {decimal!r}; a number needs two")
    if problems:
        raise TableError(*problems)


def _is_one(character: str) -> bool:
    """Whether it is one ASCII character that can delimit."""
    return len(character) == 1 and character.isascii() and character not in "\r\n"
