"""What a Parquet file says of itself, before anything in it is unpacked: its schema, its rows, the size of every page.

A page of a few bytes may unpack to gigabytes, one page may be named by ten thousand chunks, and the metadata of a writer
may describe types of types without end. So a stranger's file is unpacked only where its footer and the headers of all of its
pages say what `likeness.tables.write` would have written, and how much that is. Whatever else stands there is refused, also
what other writers may write: two readers must not understand it differently.

Source: Apache Parquet's ``parquet.thrift``, and the compact protocol of Apache Thrift.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables.table import name_problems
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TYPES: tuple[type[pl.DataType], ...] = (
    pl.String,
    pl.Int8,
    pl.Int16,
    pl.Int32,
    pl.Int64,
    pl.UInt8,
    pl.UInt16,
    pl.UInt32,
    pl.UInt64,
    pl.Float32,
    pl.Float64,
    pl.Boolean,
    pl.Date,
)
"""The types of the columns that `likeness.tables.write` writes."""
_MAGIC = b"PAR1"
_END = 8  # bytes after the footer: its length, and the magic number
LARGEST_FOOTER = 1 << 24
"""Bytes of a footer that is read: room for a hundred thousand chunks of columns."""
_ZSTD, _PLAIN, _RLE, _RLE_DICTIONARY = 6, 0, 3, 8
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_PHYSICAL = ("Boolean", "Int32", "Int64", "Int96", "Float32", "Float64", "Binary", "Binary of one length")
_LEAST = {1: 4, 2: 8, 4: 4, 5: 8, 6: 4}
"""Bytes that a value of a dictionary takes at least, by its physical type."""
_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
_KINDS = {"i8": 3, "i16": 4, "i32": 5, "i64": 6, "bytes": 8}

# Fields of Parquet's structures: number to type. A dict is a structure, a list holds elements of its one type.
_NOTHING: dict[int, Any] = {}
_TIME = {1: "bool", 2: {1: _NOTHING, 2: _NOTHING, 3: _NOTHING}}
_LOGICAL = dict.fromkeys((1, 2, 3, 4, 6, 11, 12, 13, 14, 15), _NOTHING) | {
    5: {1: "i32", 2: "i32"},
    7: _TIME,
    8: _TIME,
    10: {1: "i8", 2: "bool"},
}
_LOGICAL_NAMES = {4: "Enum", 5: "Decimal", 7: "Time", 8: "Datetime", 11: "Null"}
_STRING, _DATE, _INTEGER = 1, 6, 10
_ELEMENT = dict.fromkeys((1, 2, 3, 5, 6, 7, 8, 9), "i32") | {4: "bytes", 10: _LOGICAL}
_STATISTICS = {1: "bytes", 2: "bytes", 3: "i64", 4: "i64", 5: "bytes", 6: "bytes", 7: "bool", 8: "bool"}
_KEY_VALUE = {1: "bytes", 2: "bytes"}
_CHUNK = {
    2: "i64",
    3: dict.fromkeys((5, 6, 7, 9, 10, 11, 14), "i64")
    | {1: "i32", 2: ["i32"], 3: ["bytes"], 4: "i32", 12: _STATISTICS, 15: "i32"}
    | {13: [{1: "i32", 2: "i32", 3: "i32"}], 16: {1: "i64", 2: ["i64"], 3: ["i64"]}},
    4: "i64",
    5: "i32",
    6: "i64",
    7: "i32",
}
_ROW_GROUP = {
    1: [_CHUNK],
    2: "i64",
    3: "i64",
    4: [{1: "i32", 2: "bool", 3: "bool"}],
    5: "i64",
    6: "i64",
    7: "i16",
}
_FOOTER = {
    1: "i32",
    2: [_ELEMENT],
    3: "i64",
    4: [_ROW_GROUP],
    5: [_KEY_VALUE],
    6: "bytes",
    7: [{1: _NOTHING}],
}
_PAGE = {
    1: "i32",
    2: "i32",
    3: "i32",
    4: "i32",
    5: {1: "i32", 2: "i32", 3: "i32", 4: "i32", 5: _STATISTICS},
    7: {1: "i32", 2: "i32", 3: "bool"},
}


@dataclass(frozen=True)
class ParquetLayout:
    """What a Parquet file says of itself: columns and types, all of `TYPES`; rows; bytes of all pages once unpacked."""

    types: dict[str, pl.DataType]
    rows: int
    unpacked: int


def read_layout(data: bytes, source: str) -> ParquetLayout:
    """Read the footer and the headers of all pages; nothing is unpacked.

    `TableError` when it is no whole Parquet file, or says anything that `likeness.tables.write` does not.
    """
    try:
        footer, begin = _footer(data)
        types = _types(footer, source)
        _check_metadata(footer, types, source)
        pages = _Pages(data, begin, footer)
        return ParquetLayout(types, footer[3], pages.unpacked)
    except _NotWholeError as problem:
        raise TableError(
            Refusal(f"not a whole Parquet file ({problem}); fetch or write it again", (source,))
        ) from None


class _NotWholeError(Exception):
    """What is no Parquet file as `likeness.tables.write` writes it."""


class _Thrift:
    """A reader of structures in the compact protocol, which takes nothing but what is expected."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def structure(self, fields: Mapping[int, Any]) -> dict[int, Any]:
        """Read a structure; by number, the fields that are there."""
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number += step
            # A field of number 0, a field twice, and fields that nobody knows: readers differ in them.
            if not step or number not in fields:
                raise _NotWholeError(f"it has a field that is not known, of the number {number}")
            found[number] = self._field(fields[number], kind)
        return found

    def _field(self, wanted: Any, kind: int) -> Any:
        """Read the value of a field."""
        if wanted == "bool" and kind in {1, 2}:
            return kind == 1
        if isinstance(wanted, dict) and kind == 12:
            return self.structure(wanted)
        if isinstance(wanted, list) and kind == 9:
            return self._list(wanted[0])
        if isinstance(wanted, str) and kind == _KINDS.get(wanted):
            return self._plain(wanted)
        raise _NotWholeError("a field is of another type than Parquet has there")

    def _list(self, wanted: Any) -> list[Any]:
        """Read a list; every element takes a byte at least, so that none is longer than what stands there."""
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        if kind != (12 if isinstance(wanted, dict) else _KINDS[wanted]):
            raise _NotWholeError("a list holds another type than Parquet has there")
        return [
            self.structure(wanted) if isinstance(wanted, dict) else self._plain(wanted) for _ in range(size)
        ]

    def _plain(self, wanted: str) -> Any:
        """Read a number or a text."""
        if wanted == "i8":
            return self._byte()
        number = self._varint()
        if wanted == "bytes":
            begin, self.at = self.at, self.at + number
            if self.at > self.end:
                raise _NotWholeError("a text is cut off")
            return self.data[begin : self.at]
        if number >> _BITS[wanted]:
            raise _NotWholeError(f"a number is of more than {_BITS[wanted]} bits")
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        """Read a number of at most 64 bits."""
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                break
        if byte >= 128 or number >> 64:
            raise _NotWholeError("a number is of more than 64 bits")
        return number

    def _byte(self) -> int:
        """Read a byte."""
        if self.at >= self.end:
            raise _NotWholeError("it is cut off")
        self.at += 1
        return self.data[self.at - 1]


def _footer(data: bytes) -> tuple[dict[int, Any], int]:
    """Read the footer, and find where it begins."""
    if len(data) < len(_MAGIC) + _END or data[:4] != _MAGIC or data[-4:] != _MAGIC:
        raise _NotWholeError("it does not begin and end as such files do")
    size, end = int.from_bytes(data[-8:-4], "little"), len(data) - _END
    begin = end - size
    if begin < len(_MAGIC):
        raise _NotWholeError("its footer is cut off")
    if size > LARGEST_FOOTER:
        raise _NotWholeError(f"its footer is of {count(size, 'byte')}; at most {LARGEST_FOOTER:,} are read")
    reader = _Thrift(data, begin, end)
    footer = reader.structure(_FOOTER)
    if reader.at != end:
        raise _NotWholeError("something stands behind its footer")
    for number in (2, 3, 4):
        if number not in footer:
            raise _NotWholeError("its footer has no schema, rows or row groups")
    return footer, begin


def _types(footer: Mapping[int, Any], source: str) -> dict[str, pl.DataType]:
    """Columns and their types.

    `TableError` at one that `likeness.tables.write` does not write, or a name that is empty or stands twice.
    """
    root, columns = footer[2][:1], footer[2][1:]
    if not root or not columns:
        raise _NotWholeError("it has no columns")
    names = []
    for element in columns:
        try:
            names.append(element[4].decode())
        except (KeyError, UnicodeDecodeError):
            raise _NotWholeError("a column has no name in UTF-8") from None
        if 1 not in element or 5 in element or element.get(3) == 2:
            raise refused_type(source, names[-1], "List, Struct or another of several values")
    if root[0].get(5) != len(columns):
        raise _NotWholeError("its schema is cut off")
    problems = name_problems(names, source)
    if problems:
        raise TableError(*problems)
    known = {str(dtype): dtype() for dtype in TYPES}
    found = {}
    for name, element in zip(names, columns, strict=True):
        word = _type_name(element)
        if word not in known:
            raise refused_type(source, name, word)
        found[name] = known[word]
    return found


def _type_name(element: Mapping[int, Any]) -> str:
    """Name the type of a column as polars does."""
    physical = _PHYSICAL[element[1]] if 0 <= element[1] < len(_PHYSICAL) else "unknown"
    for number, what in element.get(10, {}).items():
        if number == _INTEGER:
            return f"{'' if what.get(2) else 'U'}Int{what.get(1)}"
        if number == _STRING and physical == "Binary":
            return "String"
        if number == _DATE and physical == "Int32":
            return "Date"
        return _LOGICAL_NAMES.get(number, "unknown")
    return physical


def refused_type(source: str, name: str, word: str) -> TableError:
    """Say that a column is of a type that is not published."""
    known = ", ".join(str(dtype) for dtype in TYPES[:-1])
    return TableError(
        Refusal(
            f"column {name!r} is of the type {word}; published columns are {known} or {TYPES[-1]}", (source,)
        )
    )


def _check_metadata(footer: Mapping[int, Any], types: Mapping[str, pl.DataType], source: str) -> None:
    """Refuse a schema, or keys and values beside it, that polars does not write for columns of these types."""
    buffer = io.BytesIO()
    pl.DataFrame(schema=dict(types)).write_parquet(buffer)
    own, _ = _footer(buffer.getvalue())
    if footer[2] != own[2] or footer.get(5) != own.get(5):
        raise TableError(
            Refusal(
                "its metadata are not those that are written for its columns, as where one is of the type Categorical; "
                "it was changed, or written by another version of polars",
                (source,),
            )
        )


class _Pages:
    """The chunks of all columns and their pages, checked when made; ``unpacked``: bytes of all pages once unpacked."""

    def __init__(self, data: bytes, end: int, footer: Mapping[int, Any]) -> None:
        self.data, self.unpacked = data, 0
        types = [element[1] for element in footer[2][1:]]
        names = [element[4] for element in footer[2][1:]]
        rows, at = 0, len(_MAGIC)
        for begin, size, values, physical in sorted(self._chunks(footer[4], types, names)):
            # Each byte of the file belongs to one chunk at most: a page that many name would be unpacked many times.
            if begin < at or begin + size > end:
                raise _NotWholeError("chunks of its columns overlap, or lie outside of it")
            at = begin + size
            self._walk(begin, at, values, physical)
        rows = sum(group[3] for group in footer[4])
        if rows != footer[3]:
            raise _NotWholeError("its row groups have other rows than it says")

    def _chunks(
        self, groups: list[dict[int, Any]], types: list[int], names: list[bytes]
    ) -> Iterator[tuple[int, int, int, int]]:
        """Where the chunks begin, how long they are, how many values they have, of which physical type."""
        for group in groups:
            rows, chunks = group.get(3, -1), group.get(1, [])
            if rows < 0 or len(chunks) != len(types):
                raise _NotWholeError("a row group has no rows, or other columns than the schema")
            for chunk, physical, name in zip(chunks, types, names, strict=True):
                told = chunk.get(3, {})
                if not {1, 3, 4, 5, 7, 9} <= told.keys() or told[1] != physical or told[3] != [name]:
                    raise _NotWholeError("a chunk is not of its column")
                if told[4] != _ZSTD:
                    raise _NotWholeError("a chunk is not packed by zstd")
                if told[5] != rows or told[7] < 0:
                    raise _NotWholeError("a chunk has other rows than its group")
                begin = told.get(11, told[9])
                if not 0 < begin <= told[9]:
                    raise _NotWholeError("a chunk begins nowhere")
                yield begin, told[7], rows, physical

    def _walk(self, at: int, end: int, values: int, physical: int) -> None:
        """Read the headers of the pages of a chunk, which fill it."""
        first = True
        while at < end:
            reader = _Thrift(self.data, at, end)
            page = reader.structure(_PAGE)
            at = reader.at + page.get(3, -1)
            size = page.get(2, -1)
            if page.get(3, -1) < 0 or at > end or size < 0:
                raise _NotWholeError("a page is cut off")
            dictionary, shown = page.get(7, {}), page.get(5, {})
            if page.get(1) == _DICTIONARY_PAGE and first and 5 not in page:
                most = size // _LEAST[physical] if physical in _LEAST else -1
                if dictionary.get(2) != _PLAIN or not 0 <= dictionary.get(1, -1) <= most:
                    raise _NotWholeError("a dictionary is not as it is written")
            elif page.get(1) == _DATA_PAGE and 7 not in page:
                plain = shown.get(2) in {_PLAIN, _RLE_DICTIONARY, *([_RLE] if physical == 0 else [])}
                if not plain or shown.get(3) != _RLE or not 0 <= shown.get(1, -1) <= values:
                    raise _NotWholeError("a page is not encoded as it is written")
                values -= shown[1]
            else:
                raise _NotWholeError("a page is of a kind that is not written")
            first = False
            self.unpacked += size
        if values:
            raise _NotWholeError("the pages of a chunk have other rows than it says")
