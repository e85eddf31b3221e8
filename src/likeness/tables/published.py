"""Published files back in, cell for cell: what is proven is proven from these bytes."""

from __future__ import annotations

import io
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables import json_cells, sheet_cells, statistics_files
from likeness.tables.arrow_layout import count_arrow_rows
from likeness.tables.columns import narrowed, packed, packed_text
from likeness.tables.compression import (
    SameBytes,
    compress,
    decompress_published,
    missing_library,
    zlib_version,
)
from likeness.tables.csv_files import Dialect, parse, split
from likeness.tables.file_bytes import read_bytes, read_file
from likeness.tables.formats import FileFormat, format_of, listed_endings
from likeness.tables.parquet_layout import TYPES, read_layout, refused_type
from likeness.tables.reading import read_binary
from likeness.tables.spelling import are_formulas, unescape
from likeness.tables.table import Table, name_problems
from likeness.tables.writing import csv_lines, text_lines, write_arrow, write_parquet
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from likeness.tables.compression import Compression
    from likeness.tables.spelling import Formulas

COLUMNS = 1 << 14
"""Columns that a published table may have: every one costs some thousand times the byte it may take in the file."""
CELLS, CELLS_OF_A_BYTE = 1 << 26, 1000
"""Cells that a Parquet file may hold whatever its size, and further ones for each of its bytes: equal cells take next to no
room in a file, and some bytes each in memory."""
UNPACKED, UNPACKED_OF_A_BYTE = 1 << 28, 100
"""Bytes that the pages of a Parquet file may have when they are unpacked, and further ones for each byte of the file."""
TEXTS = 1 << 30
"""Bytes that the texts of a Parquet file may have in all rows together; as many further ones for each of its bytes as cells."""
LINE, LINES = 1 << 16, 1 << 28
"""Bytes that the lines of a CSV file may have on average, and bytes that are read whatever its lines are: a file without lines,
such as a hole of zeros, is one cell, of which a dozen copies are made."""
_BLOCK = 1 << 24
_PART = 1 << 23
"""Bytes that are read at once, unless one line takes more."""
_LINE = 200  # bytes of a line that are looked at for a message


def read_published(
    path: Path, formulas: Formulas = "keep", facts: Mapping[str, Any] = MappingProxyType({})
) -> Table:
    """Read a file that `likeness.tables.write` wrote, with the same ``formulas``; nothing is inferred.

    Every cell of a CSV file is text, an empty cell is ``""``, and there are no nulls. Parquet keeps its types. A table
    without records is a table here.

    ``facts``: what is told beside its name, as `FileFormat.facts`. Where ``packed_by`` is what packs here, too, its bytes must be
    those that are made of its content here; else only its content is looked at, and that it holds nothing else. Files that are
    compressed are packed here unless they say otherwise.

    `TableError` if the file is not there, is a device or pipe, or is not as `write` leaves it: byte for byte in CSV, in
    Parquet with the types that `write` gives; or if a formula is not escaped in a file that escapes them.
    """
    how = format_of(path, facts.get("delimiter", ","))
    if how is None:
        raise TableError(
            Refusal(
                f"unknown extension {path.suffix!r}; published tables are {listed_endings()}", (str(path),)
            )
        )
    try:
        own = how.packer
    except ModuleNotFoundError:
        what = (
            statistics_files.missing_library(how.kind, str(path))
            if how.of_statistics
            else missing_library(str(path))
        )
        raise TableError(what) from None
    packer = facts.get("packed_by", None if how.compression is None else own)
    # What gives the same in all versions has none.
    here = packer == own if packer is not None else how.compression is not None
    if (packer is not None and own is None) or not how.takes_delimiter:
        raise TableError(
            Refusal("is said to be delimited, or packed, as no file of its name is", (str(path),))
        )
    # A pipe would be waited for.
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise TableError(Refusal("is no file, but a device or pipe", (str(path),)))
    table = _READERS[how.kind](path, how, here)
    return _unescaped(table) if formulas == "escape" else table


def _read_csv(path: Path, how: FileFormat, here: bool) -> Table:
    """Read a CSV file, every text as it stands there."""
    content = None if how.compression is None else _content(path, how.compression, here=here)
    if content is not None or path.is_file():
        _check_lines(path, content)
    found = _in_parts(path, how.separator, content)
    if found is not None:
        return found
    # Something may be wrong with it: what, and where, is said of all of it.
    data = read_bytes(path, packed=False) if content is None else content
    if not data:
        raise TableError(Refusal("the file is empty", (str(path),)))
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableError(
            Refusal(f"not UTF-8 at line {line} (byte offset {error.start}); it was changed", (str(path),))
        ) from None
    if data[: data.find(b"\n")].count(how.separator.encode()) > COLUMNS:
        raise _too_many_columns(path)
    frame, first_line = parse(data, Dialect(how.separator), source=str(path))
    _check_bytes(data, csv_lines(frame, delimiter=how.separator), path)
    return _csv_table(frame, path, first_line)


def _read_parquet(path: Path, _how: FileFormat, here: bool) -> Table:
    """Read a Parquet file, every text as it stands there."""
    data = read_bytes(path, packed=False)
    _check_size(data, path)
    return _binary(path, data, "parquet", write_parquet if here else None)


def _read_arrow(path: Path, _how: FileFormat, here: bool) -> Table:
    """Read an Arrow file, every text as it stands there."""
    data = read_bytes(path, packed=False)
    if not data:
        raise TableError(Refusal("the file is empty", (str(path),)))
    rows = count_arrow_rows(data, str(path))
    try:
        schema = pl.read_ipc_schema(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise TableError(
            Refusal(f"not a whole Arrow file ({type(error).__name__}); it was changed", (str(path),))
        ) from None
    if len(schema) > COLUMNS:
        raise _too_many_columns(path)
    for name, dtype in schema.items():
        if dtype not in TYPES:
            raise refused_type(str(path), name, str(dtype))
    # Buffers may be left out, but not as long as there are rows.
    if rows * len(schema) > CELLS + CELLS_OF_A_BYTE * len(data):
        raise TableError(
            Refusal(
                f"says it holds {count(rows, 'row')}, more than have room in it; it was changed", (str(path),)
            )
        )
    return _binary(path, data, "arrow", write_arrow if here else None)


def _binary(
    path: Path,
    data: bytes,
    format: str,  # noqa: A002
    write: Callable[[pl.DataFrame, BinaryIO], object] | None,
) -> Table:
    """Read what polars wrote; with what writes it, where that is the same polars, to the very bytes."""
    table = read_binary(path, data, format=format)
    _check_texts(table.held, len(data), path)
    _check_values(table.held, path)
    if write is not None:
        same = SameBytes(data)
        write(table.held, cast("BinaryIO", same))
        if not same.whole:
            raise _packed_otherwise(path, f"polars {pl.__version__}")
    return _packed(table)


def _read_statistics(path: Path, how: FileFormat, here: bool) -> Table:
    """Read a file of a statistics program, every text as it stands there."""
    data = read_bytes(path, packed=False)
    frame = statistics_files.read_published_statistics(data, how.kind, str(path))
    if frame.width > COLUMNS:
        raise _too_many_columns(path)
    table = Table(frame, source=str(path), library="polars", format=how.kind)
    _check_values(frame, path)
    if here and not statistics_files.is_written_so(frame, data, how.kind):
        raise _packed_otherwise(path, statistics_files.packer(how.kind))
    return _packed(table)


def _read_json_lines(path: Path, how: FileFormat, here: bool) -> Table:
    """Read JSON lines, every value as it stands there."""
    packing = how.compression
    content = read_bytes(path, packed=False) if packing is None else _content(path, packing, here=here)
    if not content:
        raise TableError(Refusal("the file is empty", (str(path),)))
    _check_lines(path, content)
    try:
        names = json_cells.names_in(content[: content.find(b"\n") + 1] or content)
        cut = partial(json_cells.cut_lines, names=names)
        frame = _from_cells(content, (0, len(content)), b"\n", names, cut, json_cells, path)
    except ValueError as problem:
        raise TableError(
            Refusal(f"its lines are not as they are written here ({problem}); it was changed", (str(path),))
        ) from None
    _check_bytes(content, text_lines(dict(zip(names, frame.iter_columns(), strict=True)), how), path)
    return Table(frame, source=str(path), library="polars", format="jsonl")


def _read_sheet(path: Path, how: FileFormat, here: bool) -> Table:
    """Read an Excel file, every value as it stands there."""
    data = read_bytes(path, packed=False)
    if not data:
        raise TableError(Refusal("the file is empty", (str(path),)))
    sheet = sheet_cells.read_archive(data, UNPACKED + UNPACKED_OF_A_BYTE * len(data), str(path))
    changed = Refusal("its cells are not as they are written here; it was changed", (str(path),))
    try:
        names, span = sheet_cells.cut_sheet(sheet)
        frame = _from_cells(sheet, span, b"</row>", names, sheet_cells.cut_rows, sheet_cells, path)
    except ValueError as problem:
        raise TableError(
            Refusal(f"is not as it is written here ({problem}); it was changed", (str(path),))
        ) from None
    columns = dict(zip(names, frame.iter_columns(), strict=True))
    again = io.BytesIO()
    if here:
        sheet_cells.write_archive(text_lines(columns, how), again)
    if again.getbuffer() != data:
        if not _says(sheet, text_lines(columns, how)):
            raise TableError(changed)
        if here:
            raise _packed_otherwise(path, zlib_version())
    return Table(frame, source=str(path), library="polars", format="excel")


def _from_cells(
    content: bytes,
    span: tuple[int, int],
    end: bytes,
    names: list[str],
    cut: Callable[[bytes], bytes],
    kind: Any,
    path: Path,
) -> pl.DataFrame:
    """Read columns from a text that is cut into cells some rows at a time, each of which ends so; else `ValueError`.

    ``span``: where the first row begins, and the last one ends. ``kind``: the module that knows what cells say. Whether the
    columns, written again, give the same text is not looked at.
    """
    if len(names) > COLUMNS:
        raise _too_many_columns(path)
    problems = name_problems(names, str(path))
    if problems:
        raise TableError(*problems)
    # A cell takes more than one byte; what is left out at the end of a line would be put there.
    at, last = span
    if content.count(end, at, last) * len(names) > len(content):
        raise ValueError("it has rows of fewer cells")
    types, parts = [packed_text() for _ in names], []
    while at < last:
        to = content.rfind(end, at, min(at + _PART, last))
        to = (content.find(end, at, last) if to < 0 else to) + len(end)
        rows = content[at : to if to >= len(end) else last]
        at += len(rows)
        frame = split(cut(rows), Dialect("\t", None), names, types, header=False)
        if frame is None:
            raise ValueError("it has rows of other cells")
        parts.append(frame)
    whole = pl.concat(parts, rechunk=True) if parts else pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    del parts
    columns = []
    for column in whole.iter_columns():
        codes, written = packed(column)
        try:
            values = kind.decoded(written).gather(codes)
        except (TableError, pl.exceptions.PolarsError) as problem:
            raise ValueError(f"column {quoted(column.name)} {problem}") from None
        columns.append(values.alias(column.name))
    held: pl.DataFrame = _packed(Table(pl.DataFrame(columns), source=str(path), library="polars")).held
    return held


_READERS: Mapping[str, Callable[[Path, FileFormat, bool], Table]] = {
    "arrow": _read_arrow,
    "csv": _read_csv,
    "jsonl": _read_json_lines,
    "xlsx": _read_sheet,
    **dict.fromkeys(("sav", "zsav", "dta", "xpt"), _read_statistics),
    "parquet": _read_parquet,
}
"""By kind; the last parameter says whether it was compressed by what compresses here."""


def _content(path: Path, compression: Compression, *, here: bool) -> bytes:
    """Decompress a file; `TableError` where it holds anything beside its content, or, made ``here``, is not as it would be."""
    data = read_file(path)
    if not data:
        raise TableError(Refusal("the file is empty", (str(path),)))
    most = UNPACKED + UNPACKED_OF_A_BYTE * len(data)
    content = decompress_published(data, compression, most, source=str(path))
    own = compression.packer()
    if here:
        same = SameBytes(data)
        compress([content], compression, cast("BinaryIO", same))
        if not same.whole:
            raise _packed_otherwise(path, own or compression.name)
    return content


def _packed_otherwise(path: Path, packer: str) -> TableError:
    """Say that a file is not, to the byte, what is made of what was read from it."""
    what = f"its bytes are not those that {packer} makes of its content; it was changed, or packed by another version"
    return TableError(Refusal(what, (str(path),)))


def _too_many_columns(path: Path) -> TableError:
    """Say that there are more columns than any published table has."""
    return TableError(
        Refusal(f"has more than {COLUMNS:,} columns; published tables have fewer", (str(path),))
    )


def _packed(table: Table) -> Table:
    """Keep the texts of a table as codes: one by one they take 16 bytes each, and their encoding packs them anyway."""
    columns = table.held.get_columns()
    table.held = pl.DataFrame()
    for i, column in enumerate(columns):
        if column.dtype == pl.String:
            columns[i] = narrowed(column)
    table.held = pl.DataFrame(columns)
    return table


def _csv_table(frame: pl.DataFrame, path: Path, first_line: int) -> Table:
    """Make a table of a CSV file."""
    return Table(frame, source=str(path), library="polars", format="csv", first_line=first_line)


def _in_parts(path: Path, delimiter: str, content: bytes | None = None) -> Table | None:
    """Read a CSV file some lines at a time, in a fraction of the memory; None where anything is not as `write` leaves it.

    ``content``: what is in it, where it is compressed. Cells that are written as the very bytes they were read from are those
    of the file, however it was cut.
    """
    columns: list[list[pl.Series]] = []
    names: list[str] = []
    first_line = 0
    try:
        for lines in _parts(path.open("rb") if content is None else io.BytesIO(content)):
            if not columns:
                if lines[: lines.find(b"\n")].count(delimiter.encode()) > COLUMNS:
                    return None
                frame, first_line = parse(lines, Dialect(delimiter), source=str(path))
                # Rows are in random order: where a later part has very many new texts, it cannot be read as this one.
                frame = pl.DataFrame([narrowed(column, growing=2) for column in frame.iter_columns()])
                names, columns = frame.columns, [[] for _ in frame.columns]
            else:
                types = [own[0].dtype for own in columns]
                found = split(lines, Dialect(delimiter), names, types, header=False)
                if found is None:
                    return None
                frame = found
            if not lines.isascii():
                lines.decode()
            if not _says(lines, csv_lines(frame, delimiter=delimiter, header=not columns[0])):
                return None
            for own, column in zip(columns, frame.iter_columns(), strict=True):
                own.append(column)
    except (OSError, UnicodeDecodeError, TableError):
        return None
    if not columns:
        return None
    whole = []
    while columns:
        # Whatever is put together is not needed in parts any more.
        whole.append(pl.concat(columns.pop(0), rechunk=True))
    return _csv_table(pl.DataFrame(whole), path, first_line)


def _parts(file: BinaryIO) -> Iterator[bytes]:
    """Whole lines of a file, some at a time; a line that ends within quotes goes on."""
    size, rest = _PART, b""
    with file:
        while block := file.read(size):
            block, rest = rest + block, b""
            odd = block.count(b'"') % 2 == 1
            end = len(block)
            while True:
                cut = block.rfind(b"\n", 0, end) + 1
                odd ^= block.count(b'"', cut, end) % 2 == 1
                if not odd or not cut:
                    break
                # Inside quotes: they begin at the quote before it, or further ahead.
                end = block.rfind(b'"', 0, cut)
                odd = not odd
            if not cut:
                rest, size = block, 2 * size
                continue
            yield block[:cut]
            rest = block[cut:]
    if rest:
        yield rest


def _says(data: bytes, written: Iterator[bytes]) -> bool:
    """Whether bytes are those that are written."""
    at = 0
    for lines in written:
        if not data.startswith(lines, at):
            return False
        at += len(lines)
    return at == len(data)


def _unescaped(table: Table) -> Table:
    """Take away the apostrophes before formulas; a formula without one was not written so."""
    frame = table.frame
    problem = "stands without the apostrophe that is written before formulas; it was changed"
    bare = are_formulas(pl.Series(frame.columns, dtype=pl.String))
    if bare.any():
        raise TableError(
            Refusal(
                f"the name of the column {quoted(frame.columns[bare.arg_max() or 0])} {problem}",
                (table.source,),
            )
        )
    for name in frame.columns:
        if frame[name].dtype == pl.String and (bare := are_formulas(frame[name])).any():
            row = int(bare.arg_max() or 0)
            raise TableError(
                Refusal(
                    f"{quoted(frame[name][row])} {problem}",
                    (table.source,),
                    f"{table.where(row)}, column {name!r}",
                )
            )
    frame = frame.with_columns(pl.col(pl.String).map_batches(unescape, return_dtype=pl.String))
    frame.columns = unescape(pl.Series(frame.columns, dtype=pl.String)).to_list()
    return Table(
        frame, source=table.source, library="polars", format=table.format, first_line=table.first_line
    )


def _check_bytes(data: bytes, written: Iterator[bytes], path: Path) -> None:
    """Refuse a text that `write` would have written otherwise: quotes and line ends could tell rows of equal cells apart."""
    at = 0
    for lines in written:
        if data[at : at + len(lines)] != lines:
            differ = next(
                (i for i, (a, b) in enumerate(zip(data[at:], lines, strict=False)) if a != b), len(data) - at
            )
            begin = lines.rfind(b"\n", 0, differ) + 1
            found, right = (_line(text, begin) for text in (data[at:], lines))
            number = data.count(b"\n", 0, at + begin) + 1
            wrong = "is cut off" if found == right else f"reads {quoted(found)} and must read {quoted(right)}"
            raise TableError(Refusal(f"line {number} {wrong}; it was changed", (str(path),)))
        at += len(lines)
    if at < len(data):
        number = data.count(b"\n", 0, at) + 1
        raise TableError(Refusal(f"line {number} must not be there; it was changed", (str(path),)))


def _line(data: bytes, begin: int) -> str:
    """Take the line that begins there, or what a message shows of it."""
    return data[begin : begin + _LINE].split(b"\n")[0].decode(errors="replace")


def _check_lines(path: Path, content: bytes | None = None) -> None:
    """Refuse a CSV file of next to no lines, before the whole of it is in memory, or is copied: its ``content``, where given."""
    size = path.stat().st_size if content is None else len(content)
    if size <= LINES:
        return
    lines = read = 0
    try:
        with path.open("rb") if content is None else io.BytesIO(content) as file:
            while block := file.read(_BLOCK):
                read, lines = read + len(block), lines + block.count(b"\n")
                if read > LINES + LINE * lines:
                    raise TableError(
                        Refusal(
                            f"is of {count(size, 'byte')}, and its first {read:,} bytes are {count(lines, 'line')}; "
                            f"lines of at most {LINE:,} bytes on average are read",
                            (str(path),),
                        )
                    )
    except OSError:
        return  # reading it says what is wrong


def _check_size(data: bytes, path: Path) -> None:
    """Refuse a Parquet file that says it holds many times more than its size can tell of, before any of it is unpacked."""
    layout = read_layout(data, str(path))
    width = len(layout.types)
    if width > COLUMNS:
        raise _too_many_columns(path)
    for what, found, most in (
        ("cell", layout.rows * width, CELLS + CELLS_OF_A_BYTE * len(data)),
        ("unpacked byte", layout.unpacked, UNPACKED + UNPACKED_OF_A_BYTE * len(data)),
    ):
        if found > most:
            raise TableError(
                Refusal(
                    f"says it holds {count(found, what)}; at most {most:,} are read from a file of {count(len(data), 'byte')}",
                    (str(path),),
                )
            )


def _check_texts(frame: pl.DataFrame, size: int, path: Path) -> None:
    """Refuse texts that are stored once and stand in so many rows that going over them never ends."""
    found = sum(
        # Their own type, of 32 bits, overflows.
        int(column.str.len_bytes().cast(pl.Int64).sum())
        for column in frame.iter_columns()
        if column.dtype == pl.String
    )
    most = TEXTS + CELLS_OF_A_BYTE * size
    if found > most:
        raise TableError(
            Refusal(
                f"holds texts of {count(found, 'byte')}; at most {most:,} are read from a file of {count(size, 'byte')}",
                (str(path),),
            )
        )


def _check_values(frame: pl.DataFrame, path: Path) -> None:
    """Refuse numbers that `write` never gives a column: they could tell rows of equal values apart."""
    for name, dtype in frame.schema.items():
        if dtype.is_float():
            numbers = frame[name]
            # -0.0 and 0.0 are equal, and their bits are not.
            odd = numbers.is_nan() | numbers.is_infinite() | ((numbers == 0) & (1 / numbers < 0))
            if odd.any():
                row = int(odd.arg_max() or 0)
                raise TableError(
                    Refusal(
                        f"row {row + 1}, column {name!r}: {numbers[row]} is no number that is published",
                        (str(path),),
                    )
                )
