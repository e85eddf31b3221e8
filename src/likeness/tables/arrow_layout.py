"""What an Arrow file says of itself, before polars reads it: where its record batches are, and how long their buffers.

Buffers may be compressed, and two columns may name the same bytes of a file: a few of them could become gigabytes. So a
stranger's file is read only where its buffers lie side by side as they are, and then takes no more memory than it has bytes.

Source: Apache Arrow's columnar format, ``File.fbs`` and ``Message.fbs``, and the encoding of FlatBuffers.
"""

from __future__ import annotations

import struct

from likeness.errors import Refusal, TableError

_MAGIC = b"ARROW1"
_END = 4 + len(_MAGIC)
"""Bytes behind the footer: its length, and the magic number."""
_DICTIONARIES, _BATCHES = 2, 3
_KIND, _HEADER = 1, 2
_RECORDS, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3
_RECORD_BATCH = 3
_STEPS = 1 << 22
"""Buffers of all batches together that are looked at: of a table of the most columns more than any file of ours has."""


class _NotSoError(Exception):
    """What is no Arrow file as `likeness.tables.write` writes it."""


class _Flat:
    """A table of FlatBuffers: fields by their numbers, wherever they lie in the bytes it is in."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self.fields = at - self._number("<i", at)

    @classmethod
    def root(cls, data: bytes) -> _Flat:
        """Take the table that some bytes are of."""
        return cls(data, _unpacked("<I", data, 0))

    def _number(self, kind: str, at: int) -> int:
        """Read a number."""
        return _unpacked(kind, self.data, at)

    def _place(self, field: int) -> int | None:
        """Find where a field is; None where it is left out."""
        if 4 + 2 * field >= self._number("<H", self.fields):
            return None
        offset = self._number("<H", self.fields + 4 + 2 * field)
        return self.at + offset if offset else None

    def has(self, field: int) -> bool:
        """Whether a field is there."""
        return self._place(field) is not None

    def number(self, field: int, kind: str) -> int:
        """Read a field that is a number; 0 where it is left out."""
        at = self._place(field)
        return 0 if at is None else self._number(kind, at)

    def table(self, field: int) -> _Flat:
        """Read a field that is a table."""
        at = self._place(field)
        if at is None:
            raise _NotSoError("a part of it is missing")
        return _Flat(self.data, at + self._number("<I", at))

    def structures(self, field: int, kind: str) -> list[tuple[int, ...]]:
        """Read a field that is a vector of structures."""
        at = self._place(field)
        if at is None:
            return []
        at += self._number("<I", at)
        size = struct.calcsize(kind)
        length, at = self._number("<I", at), at + 4
        if at < 0 or at + length * size > len(self.data):
            raise _NotSoError("it is cut off")
        return list(struct.iter_unpack(kind, self.data[at : at + length * size]))


def _unpacked(kind: str, data: bytes, at: int) -> int:
    """Read a number that stands somewhere."""
    if at < 0 or at + struct.calcsize(kind) > len(data):
        raise _NotSoError("it is cut off")
    return int(struct.unpack_from(kind, data, at)[0])


def count_arrow_rows(data: bytes, source: str) -> int:
    """Count the records of an Arrow file whose buffers lie side by side, uncompressed; nothing else of it is read.

    `TableError` where it is no whole file, or one that `likeness.tables.write` would not write so.
    """
    try:
        return sum(_batches(data))
    except _NotSoError as problem:
        raise TableError(
            Refusal(f"is not as Arrow files are that are written here ({problem}); it was changed", (source,))
        ) from None


def _batches(data: bytes) -> list[int]:
    """Rows of each record batch."""
    if not data.startswith(_MAGIC) or not data.endswith(_MAGIC) or len(data) < 8 + _END:
        raise _NotSoError("it does not begin and end as such files do")
    size = _unpacked("<i", data, len(data) - _END)
    footer = data[len(data) - _END - size : len(data) - _END] if 0 < size < len(data) - _END else b""
    found = _Flat.root(footer)
    if found.structures(_DICTIONARIES, "<qi4xq"):
        raise _NotSoError("it has dictionaries")
    rows, end, buffers = [], 8, 0
    for offset, head, body in found.structures(_BATCHES, "<qi4xq"):
        begin = offset + head
        if offset < end or head < 8 or body < 0 or begin + body > len(data) - _END - size:
            raise _NotSoError("its record batches overlap, or lie outside of it")
        end = begin + body
        # Behind a mark and the length of what follows.
        message = _Flat.root(data[offset + 8 : begin])
        if message.number(_KIND, "<B") != _RECORD_BATCH:
            raise _NotSoError("it holds something else than record batches")
        batch = message.table(_HEADER)
        if batch.has(_COMPRESSION):
            raise _NotSoError("it is compressed within")
        height, at = batch.number(_RECORDS, "<q"), 0
        if height < 0:
            raise _NotSoError("it says that there are fewer rows than none")
        for length, _ in batch.structures(_NODES, "<qq"):
            if length != height:
                raise _NotSoError("a column has other rows than its batch")
        for place, length in batch.structures(_BUFFERS, "<qq"):
            buffers += 1
            if place < at or length < 0 or place + length > body or buffers > _STEPS:
                raise _NotSoError("its buffers overlap, or lie outside of it")
            at = place + length
        rows.append(height)
    return rows
