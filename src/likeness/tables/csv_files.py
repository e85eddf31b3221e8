"""CSV text to a polars frame in which every cell is the text that stands in the file.

Before that: how the file is written (its delimiter and quote), and whether every record has as many cells as there are
columns, and if not, where.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables.columns import narrowed, packed_text
from likeness.tables.file_bytes import encoding_of, to_utf8
from likeness.tables.formats import DELIMITERS, FileFormat, Written
from likeness.tables.table import Table, name_problems
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from likeness.endings import Ending

_CANDIDATES = (",", ";", "\t", "|")
_NUMBER = re.compile(r"-?[0-9]+([.,][0-9]+)*")
_LOOK = 1000  # records looked at
_LOOK_AT = 1 << 16  # bytes looked at for the end of lines
_BLANK_END = (b"\n\n", b"\n\r\n")
_QUOTED_OR_PADDED = b"Q(?:[^Q]|QQ)*Q|D "


@dataclass(frozen=True)
class Dialect:
    """How records are split into cells: by one character each; ``quote`` is None when quotes have no meaning."""

    delimiter: str
    quote: str | None = '"'

    def records(self, data: bytes | Iterable[bytes], *, line: int = 1) -> Iterator[tuple[int, list[str]]]:
        """Read records one by one with the line each begins on: for headers, samples and messages only.

        ``data``: the text, or its lines, of which ``line`` is the first. `csv.Error` if a quote is not closed, or is followed by
        something other than a delimiter.
        """
        lines = (one.decode() for one in (io.BytesIO(data) if isinstance(data, bytes) else data))
        if self.quote is None:
            reader = csv.reader(lines, delimiter=self.delimiter, quoting=csv.QUOTE_NONE)
        else:
            reader = csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, strict=True)
        begins = line
        for record in reader:
            yield begins, record
            begins = line + reader.line_num

    def write(self, records: Iterable[list[str]]) -> bytes:
        """Write records with every cell quoted; an empty record is one empty cell."""
        text = io.StringIO(newline="")
        writer = csv.writer(
            text, delimiter=self.delimiter, quotechar=self.quote, quoting=csv.QUOTE_ALL, lineterminator="\n"
        )
        writer.writerows(record or [""] for record in records)
        return text.getvalue().encode()


def find_delimiter(data: bytes, *, source: str, quote: str | None, header: bool) -> str:
    """Find the delimiter: the one that splits most of the first records into equally many cells.

    Comma, semicolon, tab or bar; a comma when none splits them. With ``header``, the first record says how many cells
    there must be; else it is the most frequent number. `TableError` if two delimiters fit equally well.
    """
    fit = {}
    for delimiter in _CANDIDATES:
        widths = _widths(data, Dialect(delimiter, quote))
        expected = widths[0] if header else Counter(widths).most_common(1)[0][0]
        if expected > 1:
            fit[delimiter] = widths.count(expected) / len(widths)
    best = max(fit.values(), default=0.0)
    found = [delimiter for delimiter in fit if fit[delimiter] == best]
    if len(found) > 1:
        raise TableError(
            Refusal(
                f"the delimiter may be {' or '.join(map(repr, found))}",
                (source,),
                remedy="say which: delimiter= in Python, --delimiter of commands",
            )
        )
    return found[0] if found else ","


def without_padding(data: bytes, dialect: Dialect, *, declared: bool = False) -> bytes:
    """Take away the one space after each delimiter, if every delimiter has it (``1, x, y``); quoted cells are left alone.

    The first records decide, unless the steward has ``declared`` it.
    """
    delimiter, quote = dialect.delimiter.encode(), (dialect.quote or "").encode()
    padded = delimiter + b" "
    if not declared and not _is_padded(data, dialect):
        return data
    if not quote or quote not in data:
        return data.replace(padded, delimiter)
    pattern = _QUOTED_OR_PADDED.replace(b"Q", re.escape(quote)).replace(b"D", re.escape(delimiter))
    return re.sub(pattern, lambda match: delimiter if match[0] == padded else match[0], data)


def _is_padded(data: bytes, dialect: Dialect) -> bool:
    """Whether, in the first records, a space follows every delimiter."""
    if dialect.delimiter.encode() + b" " not in data[: 1 << 16]:
        return False
    try:
        # A quote after the space is not yet seen as one, so quotes are left out of the question.
        records = [record for _, record in islice(Dialect(dialect.delimiter, None).records(data), _LOOK)]
    except csv.Error:
        return False
    return all(cell.startswith(" ") for record in records for cell in record[1:])


def _widths(data: bytes, dialect: Dialect) -> list[int]:
    """Cells in each of the first records, up to one that cannot be read; at least one entry."""
    widths = []
    try:
        for _, record in islice(dialect.records(data), _LOOK):
            widths.append(len(record))
    except csv.Error:
        pass
    return [width for width in widths if width] or [1]


_BLOCK = 1 << 24  # bytes looked at together
_HEAD = 1 << 20  # bytes that a delimiter is found from, and the header
_LONGEST = 1 << 28  # bytes of a record, in files of which no more is held


def count_records(data: bytes, dialect: Dialect, width: int) -> int | None:
    """Count the records, the header among them, if it is plain that each has ``width`` cells; else None.

    Only delimiters, quotes and line ends are looked at, all at once; a file of 100 MB takes well under a second. None when
    a record has more or fewer cells, or quotes stand where this cannot follow them: then `check_records` decides.
    """
    delimiter, quote = dialect.delimiter.encode(), (dialect.quote or "").encode()
    structure = data.translate(None, bytes(set(range(256)) - {*delimiter, *quote, *b"\n"}))
    if not data.endswith(b"\n"):
        structure += b"\n"
    if quote:
        marks = np.frombuffer(structure, dtype=np.uint8)
        quotes = marks == quote[0]
        # Each quote opens or closes; a doubled one does both, so what lies between stays inside.
        inside = np.logical_xor.accumulate(quotes)
        if quotes.any() and (inside[-1] or not _quotes_enclose_cells(data, delimiter, quote)):
            return None
        structure = marks[~(quotes | inside)].tobytes()
    record = delimiter * (width - 1) + b"\n"
    records, rest = divmod(len(structure), len(record))
    return records if not rest and structure == record * records else None


def _quotes_enclose_cells(data: bytes, delimiter: bytes, quote: bytes) -> bool:
    """Whether every first, third … quote begins a cell and every second, fourth … ends one or is doubled."""
    begins = np.zeros(256, dtype=np.bool_)
    begins[[delimiter[0], quote[0], *b"\n"]] = True
    ends = begins.copy()
    ends[[*b"\r"]] = True
    text = np.frombuffer(data, dtype=np.uint8)
    opening = True
    for start in range(0, len(text), _BLOCK):
        places = np.flatnonzero(text[start : start + _BLOCK] == quote[0]) + start
        first, second = (places[::2], places[1::2]) if opening else (places[1::2], places[::2])
        first, second = first[first > 0], second[second < len(text) - 1]
        if not (begins[text[first - 1]].all() and ends[text[second + 1]].all()):
            return False
        opening ^= bool(len(places) % 2)
    return True


def check_records(
    data: bytes | Iterable[bytes], dialect: Dialect, width: int, *, source: str, first: int = 1
) -> int:
    """Count the records one by one, the header among them, stopping at the first that has not ``width`` cells.

    ``data``: as `Dialect.records` takes it; ``first``: its first line. Blank lines at the end are nothing, where there are
    several columns. `TableError` at that record, and at a quote that is not closed.
    """
    records, line, blank = 0, max(1, first - 1), 0
    expected = f"{'is' if width == 1 else 'are'} {count(width, 'column')}"
    try:
        for line, record in dialect.records(data, line=first):
            if not record and width > 1:
                blank = blank or line
                continue
            found = max(1, len(record))  # a blank line is an empty cell
            if blank or found != width:
                amount = "is blank" if blank else f"has {found} cell{'s' * (found != 1)}"
                what = f"line {blank or line} {amount}, but there {expected}; correct the line"
                raise TableError(Refusal(what, (source,)))
            records += 1
    except csv.Error as error:
        raise TableError(
            Refusal(
                f"the record after line {line} cannot be read: {error}; "
                "close every quote, and double quotes inside quoted cells",
                (source,),
            )
        ) from None
    return records


def header_of(path: Path, delimiter: str | None) -> tuple[list[str], str]:
    """Read the names of the columns of a CSV file of which more is not read; find its delimiter, unless it is said.

    `TableError` where the file is empty or no text in UTF-8, has a name twice or not at all, or is written as polars and Spark
    do not read files.
    """
    source = str(path)
    with path.open("rb") as file:
        head = (file.read(_HEAD) + file.readline(_BLOCK)).removeprefix(codecs.BOM_UTF8)
    if not head.strip():
        raise TableError(Refusal("the file is empty", (source,)))
    _check_bytes(head, source, 1)
    remedy = "correct it, or read the file by itself"
    if b"\n" not in head and b"\r" in head:
        raise TableError(Refusal("its lines end in CR alone", (source,), remedy=remedy))
    tabs = path.suffix.lower() in {".tsv", ".tab"}
    found = delimiter or ("\t" if tabs else find_delimiter(head, source=source, quote='"', header=True))
    dialect = Dialect(found[0])
    if len(found) > 1 or _is_padded(head, dialect):
        raise TableError(Refusal("a space stands behind every delimiter", (source,), remedy=remedy))
    names, _ = _names(head, dialect, source=source, header=True)
    problems = name_problems(names, source)
    if problems:
        raise TableError(*problems)
    return names, found


def count_in_file(path: Path, dialect: Dialect, width: int) -> int:
    """Count the records of a CSV file behind its header, some megabytes of it at a time.

    `TableError` where it is no text in UTF-8, and at the first record that has not ``width`` cells or is not closed.
    """
    source, records, line = str(path), 0, 1
    with path.open("rb") as file:
        begins = len(codecs.BOM_UTF8) if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
        file.seek(begins)
        for data in _whole_records(file, dialect, source):
            _check_bytes(data, source, line)
            found = count_records(data, dialect, width)
            if found is None:
                file.seek(begins)
                rest = _text_lines(file, source, line)
                return records + check_records(rest, dialect, width, source=source, first=line) - 1
            records, line, begins = records + found, line + data.count(b"\n"), begins + len(data)
    return records - 1


def ends_blank(path: Path) -> bool:
    """Whether a CSV file ends in blank lines, which polars takes for records."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 3))
        return file.read().endswith(_BLANK_END)


def _text_lines(lines: Iterable[bytes], source: str, first: int) -> Iterator[bytes]:
    """Look at lines one by one; see `_check_bytes`."""
    for number, line in enumerate(lines, first):
        _check_bytes(line, source, number)
        yield line


def _whole_records(file: BinaryIO, dialect: Dialect, source: str) -> Iterator[bytes]:
    """Read some megabytes of records at a time, as far as every quote opens or closes."""
    rest = b""
    while more := file.read(_BLOCK):
        rest += more
        end = _end_of_records(rest, dialect)
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > _LONGEST:
            what = f"a record does not end within {_LONGEST >> 20} MB"
            raise TableError(Refusal(what, (source,), remedy="close every quote"))
    if rest:
        yield rest


def _end_of_records(data: bytes, dialect: Dialect) -> int:
    """Find where the last record that is whole ends, 0 where none is; ``data`` begins with a record."""
    quote, end = (dialect.quote or "").encode(), data.rfind(b"\n")
    if not quote:
        return end + 1
    before = data.count(quote, 0, end + 1)
    while end >= 0 and before % 2:
        opening = data.rfind(quote, 0, end)
        end = data.rfind(b"\n", 0, opening)
        before -= data.count(quote, end + 1, opening + 1)
    return end + 1


def _check_bytes(data: bytes, source: str, line: int) -> None:
    """Refuse what is no text in UTF-8; ``line``: the first."""
    at = data.find(b"\0")
    remedy = "write it as UTF-8; files of other encodings are read one at a time only"
    if at >= 0:
        at = line + data.count(b"\n", 0, at)
        what = f"holds a zero byte at line {at}, so it is no text in UTF-8"
        raise TableError(Refusal(what, (source,), remedy=remedy))
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as problem:
        at = line + data.count(b"\n", 0, problem.start)
        what = f"is not UTF-8 at line {at} (value 0x{data[problem.start]:02X})"
        raise TableError(Refusal(what, (source,), remedy=remedy)) from None


def read_csv(
    data: bytes,
    *,
    source: str,
    named: Ending = "csv",
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    decimal: str | None,
    thousands: str | None = None,
    header: bool | Sequence[str],
) -> Table:
    """Read the bytes of a CSV file as columns of text without nulls; `likeness.tables.read` explains the parameters.

    ``named``: the ending of published files that are named as it is, which may say that tabs delimit. `TableError` if it is empty
    or malformed.
    """
    tabs, given = named.startswith("tsv"), data
    data = to_utf8(data, source=source, encoding=encoding)
    if not data or data.isspace():
        raise TableError(Refusal("the file is empty", (source,)))
    padding = delimiter is not None and len(delimiter) == 2 and delimiter.endswith(" ")
    if delimiter is None:
        delimiter = (
            "\t" if tabs else find_delimiter(data, source=source, quote=quote or None, header=header is True)
        )
    dialect = Dialect(delimiter[0] if padding else delimiter, quote or None)
    text, data = data, without_padding(data, dialect, declared=padding)
    other = {"quote": dialect.quote or "none"} if dialect.quote != '"' else {}
    if data is not text:
        other["delimiter"] = f"{dialect.delimiter} "
    if header is not True:
        other["header"] = "none"
    written = _written(named, dialect.delimiter, given, encoding, other)
    del given, text
    frame, first_line = parse(data, dialect, source=source, header=header)
    if frame.height == 0:
        raise TableError(Refusal("holds a header and no records", (source,)))
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
        written=written,
    )


def _written(
    named: Ending, delimiter: str, given: bytes, encoding: str | None, other: dict[str, str]
) -> Written:
    """Say how a CSV file is written; ``other``: what is known already that no published file keeps."""
    ending: Ending = f"csv{named[3:]}"  # type: ignore[assignment]  # with the compression that it has
    if delimiter == "\t" and named.startswith("tsv"):
        return Written(FileFormat(named), other | text_facts(given, encoding))
    if delimiter != "," and re.fullmatch(DELIMITERS, delimiter) is None:
        other, delimiter = other | {"delimiter": delimiter}, ","
    return Written(FileFormat(ending, delimiter), other | text_facts(given, encoding))


def text_facts(given: bytes, encoding: str | None) -> dict[str, str]:
    """Say how a text file is written where published ones are not: its encoding, and how its lines end."""
    chosen = encoding_of(given, encoding)
    other = {} if chosen in {"utf-8", "ascii"} else {"encoding": chosen}
    if b"\r\n" in given[:_LOOK_AT]:
        other["lines"] = "CR LF"
    return other


def parse(
    data: bytes,
    dialect: Dialect,
    *,
    source: str,
    header: bool | Sequence[str] = True,
) -> tuple[pl.DataFrame, int]:
    """Parse CSV text: columns of text without nulls, each `packed_text`, and the line on which the first record begins.

    ``data``: UTF-8 without a byte order mark. ``header``: True if the first record names the columns, else False or names.
    `TableError` for duplicate or empty names, records with more or fewer cells, and quotes not closed.
    """
    names, first_line = _names(data, dialect, source=source, header=header)
    problems = name_problems(names, source)
    numbers = [name for name in names if _NUMBER.fullmatch(name.strip())] if header is True else []
    if problems and numbers:
        what = f"its first line may be a record already, as {quoted(numbers[0])} is a number"
        problems.append(
            Refusal(what, (source,), remedy="read the table with header=False (--no-header) then")
        )
    if problems:
        raise TableError(*problems)
    if len(names) > 1 and data.endswith(_BLANK_END):
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
        raise TableError(
            Refusal("quotes are used inconsistently; double every quote inside a quoted cell", (source,))
        )
    return frame, first_line


def _is_whole(frame: pl.DataFrame | None, records: int) -> bool:
    """Whether there is a frame and it has that many records."""
    return frame is not None and frame.height == records


def split(
    data: bytes, dialect: Dialect, names: list[str], types: Sequence[pl.DataType], *, header: bool
) -> pl.DataFrame | None:
    """Let polars split the text into columns of text; None if it cannot. Whether it took every line is not looked at.

    ``types``: text, or `packed_text`, shared by the parts of one file. ``header``: whether names come first.
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
            Refusal(f"the first record cannot be read: {error}; is a quote not closed?", (source,))
        ) from None
    if not first:
        raise TableError(Refusal("line 1 is blank; begin with the first record", (source,)))
    if header is True and data[:4].lower() == b"sep=":
        mark = data.splitlines()[0].decode()
        raise TableError(
            Refusal(f"line 1 is {quoted(mark)}, a mark for spreadsheets alone; remove that line", (source,))
        )
    if header is True:
        return first, 2 + sum(name.count("\n") for name in first)
    if header is False:
        return [f"column_{i}" for i in range(1, len(first) + 1)], 1
    if len(header) != len(first):
        raise TableError(
            Refusal(
                f"line 1 has {count(len(first), 'cell')}, and the header that was given has "
                f"{count(len(header), 'name')}",
                (source,),
            )
        )
    return list(header), 1
