"""Published Excel files: one sheet, its first row the names; how its cells are written, and what written ones say.

The archive holds what a workbook must have, and nothing that tells who made it when, or with what: no properties of a document,
no dates, no comments. Texts stand in their cells, so that a sheet is written column by column as CSV is; XlsxWriter and openpyxl
go from cell to cell, which takes minutes where this takes seconds. What is read back is not given to a reader of Excel files
either: a cell far down to the right makes one fill the memory. Cells are cut apart, and what that gives must give the same bytes
again.

Source: ECMA-376, Office Open XML, part 1 (SpreadsheetML) and part 2 (packages).
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROWS, COLUMNS, CHARACTERS = (1 << 20) - 1, 1 << 14, (1 << 15) - 1
"""Records, columns and characters of a cell that a sheet has room for."""
_EXACT = 1 << 53
_FIRST, _FROM, _TO = date(1899, 12, 30), date(1900, 3, 1), date(9999, 12, 31)
"""The day of the number 0, and the days that every program takes for the same number: Excel has a 29th of February in 1900."""
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OPEN = "http://schemas.openxmlformats.org/"
_MAIN = f"{_OPEN}spreadsheetml/2006/main"
_OFFICE = f"{_OPEN}officeDocument/2006/relationships"
_PACKAGE = f"{_OPEN}package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEET = "xl/worksheets/sheet1.xml"
MEMBERS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/{SHEET}" ContentType="{_KIND}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
    "xl/styles.xml": (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
        '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    ),
}
"""What stands in the archive before the sheet, always the same, each behind `_XML`."""
_HEAD = f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'
FOOT = "</sheetData></worksheet>"
_CELL = {
    "text": ('<c t="inlineStr"><is><t xml:space="preserve">', "</t></is></c>"),
    "number": ("<c><v>", "</v></c>"),
    "date": ('<c s="1"><v>', "</v></c>"),
    "boolean": ('<c t="b"><v>', "</v></c>"),
}
_NOTHING = "<c></c>"
_END = "</c>"
# XML has no other control characters, not even escaped; Excel writes them in underscores, and so text that looks like that.
_CONTROL = {chr(i): f"_x{i:04X}_" for i in (*range(32), 0xFFFE, 0xFFFF) if chr(i) not in "\t\n\r"}
_ESCAPES = _CONTROL | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_ESCAPED = "[&<>\x00-\x1f\ufffe\uffff]"
_LIKE_ESCAPED = "_x[0-9A-Fa-f]{4}_"
_BACK = {text: character for character, text in _ESCAPES.items()}
_INTEGER = r"^-?[0-9]+$"


def sheet_head(names: Sequence[str]) -> str:
    """What stands before the first record: the beginning of the sheet, and the row of names."""
    before, after = _CELL["text"]
    cells = (before + _escaped(pl.Series(names, dtype=pl.String)) + after).to_list()
    return f"{_HEAD}<row>{''.join(cells)}</row>"


def sheet_cells(kinds: Sequence[str], texts: Sequence[pl.Series]) -> list[Callable[[pl.Series], pl.Series]]:
    """How the texts of each column are written as cells, with what stands between them.

    ``kinds``: kinds of columns, as `EncodedColumn` has them. ``texts``: all that may occur: a column is written as numbers or
    days only where a sheet has them exactly.

    >>> [cell(pl.Series(["1", None])).to_list() for cell in sheet_cells(["integer"], [pl.Series(["1"])])]
    [['<row><c><v>1</v></c></row>', '<row><c></c></row>']]
    """
    last = len(kinds) - 1
    return [
        partial(
            _cells,
            kind=_kind(kind, own),
            before="" if i else "<row>",
            after="</row>" if i == last else "",
        )
        for i, (kind, own) in enumerate(zip(kinds, texts, strict=True))
    ]


def check_room(names: Sequence[str], texts: Sequence[pl.Series], height: int) -> str | None:
    """Say what a sheet has no room for; None where it has."""
    if height > ROWS:
        return f"it has {count(height, 'record')}, and a sheet has room for {ROWS:,}"
    if len(names) > COLUMNS:
        return f"it has {count(len(names), 'column')}, and a sheet has room for {COLUMNS:,}"
    for name, own in zip(names, texts, strict=True):
        # Counted as Excel does, which takes two for a character beyond 16 bits: bytes in UTF-8 are never fewer.
        longest = own.filter(own.str.len_bytes() > CHARACTERS)
        for text in (name, *longest):
            if len(text.encode("utf-16-le")) // 2 > CHARACTERS:
                return f"column {quoted(name)} holds a text of {len(text):,} characters, and a cell has room for {CHARACTERS:,}"
    return None


def _kind(kind: str, texts: pl.Series) -> str:
    """How a column is written: as numbers only where all are exact in 64 bits, as days only where every program has them."""
    if kind == "integer":
        exact = texts.cast(pl.Int64).is_between(-_EXACT, _EXACT)
        return "number" if bool(exact.all()) else "text"
    if kind == "date":
        days = texts.str.to_date("%Y-%m-%d", strict=False)
        known = days.null_count() == texts.null_count()
        return "date" if known and bool(days.is_between(_FROM, _TO).all()) else "text"
    return "number" if kind == "real" else kind


def _cells(texts: pl.Series, *, kind: str, before: str, after: str) -> pl.Series:
    """Write texts as cells."""
    values = texts
    if kind == "text":
        values = _escaped(texts)
    elif kind == "boolean":
        values = texts.replace_strict(["true", "false"], ["1", "0"], default=None, return_dtype=pl.String)
    elif kind == "date":
        values = (texts.str.to_date("%Y-%m-%d") - _FIRST).dt.total_days().cast(pl.String)
    begin, end = _CELL[kind]
    return before + (begin + values + end).fill_null(_NOTHING) + after


def _escaped(texts: pl.Series) -> pl.Series:
    """Write texts as XML has them."""
    alike = texts.str.contains(_LIKE_ESCAPED).fill_null(value=False)
    if alike.any():
        texts = texts.str.replace_all("_x", "_x005F_x", literal=True).zip_with(alike, texts)
    if bool(texts.str.contains(_ESCAPED).any()):
        texts = texts.str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return texts


def cut_sheet(content: bytes) -> tuple[list[str], tuple[int, int]]:
    """Take a sheet apart: the names of its columns, and where the rows behind begin and end.

    `ValueError` where it is none that is written here.
    """
    head, foot = _HEAD.encode(), FOOT.encode()
    end = content.find(b"</row>")
    if not content.startswith(head + b"<row>") or not content.endswith(foot) or end < 0:
        raise ValueError("it does not begin and end as a sheet does that is written here")
    end += len(b"</row>")
    first = content[len(head) : end]
    cells = cut_rows(first).decode().removesuffix("\n").split("\t")
    if len(cells) > COLUMNS:
        raise ValueError(f"it has more than {COLUMNS:,} columns")
    return decoded(pl.Series(cells)).to_list(), (end, len(content) - len(foot))


def cut_rows(rows: bytes) -> bytes:
    """Take whole rows apart: their cells, with a tab between two and the end of a line behind the last."""
    rows = rows.removeprefix(b"<row>").replace(b"</c></row><row>", b"\n").removesuffix(b"</c></row>")
    return rows.replace(_END.encode(), b"\t") + b"\n"


def decoded(written: pl.Series) -> pl.Series:
    """Read what distinct cells say, each by itself, as a typed column; `TableError` where they are not of one kind."""
    missing = written == _NOTHING.removesuffix(_END)
    filled = written.filter(~missing)
    for kind, (begin, end) in _CELL.items():
        if not filled.is_empty() and bool(filled.str.starts_with(begin).all()):
            plain = written.set(missing, None).str.slice(len(begin)).str.strip_suffix(end.removesuffix(_END))
            return _values(kind, plain)
    if not filled.is_empty():
        raise TableError("holds cells of several kinds")
    return written.set(missing, None)


def _values(kind: str, plain: pl.Series) -> pl.Series:
    """Read what stands in distinct cells of one kind."""
    if kind == "boolean":
        return plain == "1"
    if kind == "number":
        whole = bool(plain.str.contains(_INTEGER).all())
        return plain.cast(pl.Int64 if whole else pl.Float64, strict=False)
    if kind == "date":
        days = plain.cast(pl.Int32, strict=False)
        return (days + (_FIRST - date(1970, 1, 1)).days).cast(pl.Date)
    texts = plain
    if bool(texts.str.contains("[&_]").any()):
        pattern = re.compile("|".join(map(re.escape, _BACK)) + "|_x005F_(?=x)")
        back = _BACK | {"_x005F_": "_"}
        odd = texts.str.contains("[&_]").fill_null(value=False)
        found = [pattern.sub(lambda match: back[match[0]], text) for text in texts.filter(odd)]
        texts = texts.scatter(odd.arg_true(), pl.Series(found, dtype=pl.String))
    return texts


_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX, _MODE = 3, 0o600 << 16


def write_archive(pieces: Iterable[bytes], file: BinaryIO) -> None:
    """Write the archive around the pieces of a sheet, always in the same way."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in MEMBERS.items():
            archive.writestr(_member(name), _XML + content)
        with archive.open(_member(SHEET), "w") as member:
            for piece in pieces:
                member.write(piece)


def _member(name: str) -> zipfile.ZipInfo:
    """Describe a member as it is in every file: of no time, and of nobody."""
    info = zipfile.ZipInfo(name, _TIME)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, _UNIX, _MODE
    return info


def read_archive(data: bytes, most: int, source: str) -> bytes:
    """Read the sheet in an archive that holds what `write_archive` writes, at those places, and nothing else.

    ``most``: bytes that all members may have. `TableError` where it is another. How it is compressed is not looked at.
    """
    problem = "is not as the Excel files are that are written here ({}); it was changed"
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise TableError(Refusal(f"not a whole Excel file ({error})", (source,))) from None
    if [member.filename for member in members] != [*MEMBERS, SHEET]:
        raise TableError(Refusal(problem.format("it holds other members"), (source,)))
    size = sum(member.file_size for member in members)
    if size > most:
        raise TableError(
            Refusal(
                f"unpacks to {size:,} bytes; at most {most:,} are read from a file of {len(data):,} bytes",
                (source,),
            )
        )
    at, local, central, contents = 0, list[bytes](), list[bytes](), list[bytes]()
    for member in members:
        name = member.filename.encode()
        begin = at + 30 + len(name)
        packed = data[begin : begin + member.compress_size]
        facts = (20, 0, 8, 0, 33, member.CRC, member.compress_size, member.file_size, len(name), 0)
        local.append(struct.pack("<4s5H3L2H", b"PK\3\4", *facts) + name + packed)
        central.append(
            struct.pack("<4s6H3L5H2L", b"PK\1\2", _UNIX << 8 | 20, *facts, 0, 0, 0, _MODE, at) + name
        )
        at = begin + member.compress_size
        unpacking = zlib.decompressobj(-15)
        try:
            content = unpacking.decompress(packed, member.file_size + 1)
        except zlib.error as error:
            raise TableError(Refusal(f"not a whole Excel file ({error})", (source,))) from None
        whole = unpacking.eof and not unpacking.unused_data and not unpacking.unconsumed_tail
        if not whole or len(content) != member.file_size or zlib.crc32(content) != member.CRC:
            raise TableError(Refusal(problem.format(f"{member.filename} is damaged"), (source,)))
        contents.append(content)
    listed = b"".join(central)
    number = len(members)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, number, number, len(listed), at, 0)
    if b"".join((*local, listed, end)) != data:
        raise TableError(Refusal(problem.format("something stands beside its members"), (source,)))
    for (member_name, text), content in zip(MEMBERS.items(), contents, strict=False):
        if content != (_XML + text).encode():
            raise TableError(Refusal(problem.format(f"{member_name} says something else"), (source,)))
    return contents[-1]
