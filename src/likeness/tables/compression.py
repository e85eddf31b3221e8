"""Compressed files: gzip, bzip2, xz and Zstandard, told by how they begin, never by their names alone.

They are decompressed piece by piece, so that a small file that holds terabytes is refused before it fills the memory, and
strictly: whatever stands behind the end of a stream must be another one. What the standard library's ``open`` of each kind
leaves away there may be records.

What is compressed here is one stream that tells nothing but its content: no name, no time. The same content gives the same bytes,
as long as the library is of the same version.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.errors import Refusal, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

_STEP = 1 << 13
"""Compressed bytes taken at once: in any of these kinds they hold at most a few hundred megabytes."""
_PIECE = 1 << 24
_ALWAYS = 1 << 30
_TIMES = 200
"""What may be decompressed: a gigabyte of any file, and 200 times what a larger one takes. Of tables it is 3 to 50 times."""
_XZ_MEMORY = 1 << 29


class _Whole:
    """A decompressor that gives all that comes of some bytes at once, asked as those that can be held back are."""

    needs_input = True

    def __init__(self, one: Any) -> None:
        self._one = one

    def decompress(self, data: bytes, _most: int) -> bytes:
        """Give what comes of the next bytes."""
        return bytes(self._one.decompress(data))

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return bool(self._one.eof)

    @property
    def unused_data(self) -> bytes:
        """What came behind its end."""
        return bytes(self._one.unused_data)


def _zstd() -> _Whole:
    """Make a decompressor of Zstandard."""
    import zstandard

    return _Whole(zstandard.ZstdDecompressor().decompressobj())


def _zstd_writer(file: BinaryIO) -> Any:
    """Make a compressor of Zstandard."""
    import zstandard

    return zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(file, closefd=False)


def _zstd_version() -> str:
    """Tell the version of Zstandard."""
    import zstandard

    return f"zstd {'.'.join(map(str, zstandard.ZSTD_VERSION))}"


@dataclass(frozen=True)
class Compression:
    """A kind of compression: its ``name``, the ``ending`` of its files, how they ``begin``, who decompresses one stream.

    ``open``: opens a file to be compressed, always with the same options. ``packer``: the library that does, and its version;
    None where all versions give the same. ``one``: how a file begins that is compressed here.
    ``padded``: whether zero bytes may stand behind a stream.
    """

    name: str
    ending: str
    begin: re.Pattern[bytes]
    make: Callable[[], Any]
    open: Callable[[BinaryIO], Any]
    one: bytes
    packer: Callable[[], str | None] = lambda: None
    padded: bool = False


def zlib_version() -> str:
    """Tell the version of zlib, or of what stands for it."""
    return f"zlib {zlib.ZLIB_RUNTIME_VERSION}"


COMPRESSIONS = (
    Compression(
        "gzip",
        ".gz",
        re.compile(rb"\x1f\x8b"),
        lambda: _Whole(zlib.decompressobj(31)),
        lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        zlib_version,
        padded=True,
    ),
    Compression(
        "bzip2",
        ".bz2",
        # Three letters begin it, which a line of text may begin with, too; the digits of pi, or of its root, follow.
        re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
        bz2.BZ2Decompressor,
        lambda file: bz2.BZ2File(file, "wb", compresslevel=9),
        b"BZh9",
    ),
    Compression(
        "xz",
        ".xz",
        re.compile(rb"\xfd7zXZ\0"),
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY),
        # The higher ones take minutes where this takes seconds, and save a tenth.
        lambda file: lzma.LZMAFile(file, "wb", preset=1),  # noqa: SIM115  # whoever opens it
        b"\xfd7zXZ\0",
        padded=True,
    ),
    Compression(
        "Zstandard",
        ".zst",
        # Frames to skip may come first.
        re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
        _zstd,
        _zstd_writer,
        b"\x28\xb5\x2f\xfd",
        _zstd_version,
    ),
)
ENDINGS = tuple(one.ending for one in COMPRESSIONS)


def compression_of(data: bytes) -> Compression | None:
    """Tell the compression of a file from how it begins; None where it is not compressed."""
    return next((one for one in COMPRESSIONS if one.begin.match(data)), None)


def promised_by(path: Path) -> Compression | None:
    """Tell the compression that a name ends in; None where it ends in none."""
    return next((one for one in COMPRESSIONS if one.ending == path.suffix.lower()), None)


def bound(size: int) -> int:
    """Say how many bytes at most may come of a compressed file of that ``size``."""
    return max(_ALWAYS, _TIMES * size)


def decompress(data: bytes, compression: Compression, *, source: str) -> bytes:
    """Decompress a file whole; `TableError` if it is damaged, holds far more than tables do, or a library is missing."""
    most = bound(len(data))
    too_much = (
        f"holds more than {most >> 20:,} MB, over {_TIMES} times what the file takes; "
        "decompress it yourself if it is a table all the same"
    )
    return _joined(_pieces(data, compression), compression, most, too_much, source)


def decompress_published(data: bytes, compression: Compression, most: int, *, source: str) -> bytes:
    """Decompress what `compress` made: one stream, with nothing beside it, of at most so many bytes.

    `TableError` where it is anything else. Whether it is compressed as it would be here is not looked at.
    """
    if not data.startswith(compression.one):
        raise TableError(
            Refusal(f"does not begin as the {compression.name} files do that are written here", (source,))
        )
    too_much = f"holds more than {most:,} bytes; no more are read from a file of {len(data):,} bytes"
    return _joined(_pieces(data, compression, most=1), compression, most, too_much, source)


def missing_library(source: str) -> Refusal:
    """Say that the library is missing that reads a file; all others are the standard library's."""
    return Refusal(
        "is compressed by Zstandard, and zstandard, which reads that, is not installed; pip install 'likeness[zstd]'",
        (source,),
    )


def compress(pieces: Iterable[bytes], compression: Compression, file: BinaryIO) -> None:
    """Compress a file, always in the same way, however it is cut into pieces; `ModuleNotFoundError` without the library."""
    packed = compression.open(file)
    held = bytearray()
    with packed:
        for piece in pieces:
            held += piece
            while len(held) >= _PIECE:
                packed.write(bytes(held[:_PIECE]))
                del held[:_PIECE]
        packed.write(bytes(held))


class SameBytes(io.RawIOBase):
    """A file that compares what is written to it with some bytes, and keeps none of it."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data, self._at, self._same = memoryview(data), 0, True

    def writable(self) -> bool:
        """Whether it can be written: always."""
        return True

    def write(self, piece: Any) -> int:
        """Compare the next bytes."""
        own = memoryview(piece)
        self._same = self._same and self._data[self._at : self._at + own.nbytes] == own
        self._at += own.nbytes
        return own.nbytes

    @property
    def whole(self) -> bool:
        """Whether the very bytes were written, and all of them."""
        return self._same and self._at == len(self._data)


def _joined(
    pieces: Iterator[bytes], compression: Compression, most: int, too_much: str, source: str
) -> bytes:
    """Put together what comes of a file, up to so many bytes."""
    found, size = [], 0
    try:
        for piece in pieces:
            found.append(piece)
            size += len(piece)
            if size > most:
                raise TableError(Refusal(too_much, (source,)))
    except ModuleNotFoundError:
        raise TableError(missing_library(source)) from None
    except _errors() as error:
        raise TableError(
            Refusal(f"damaged or truncated {compression.name} file ({error}); fetch it again", (source,))
        ) from None
    return b"".join(found)


def _pieces(data: bytes, compression: Compression, *, most: int | None = None) -> Iterator[bytes]:
    """Decompress all streams of a file, or the ``most`` it may have, piece by piece; `EOFError` where one is not whole."""
    at = streams = 0
    while at < len(data):
        if streams == most:
            raise EOFError("something stands behind its end")
        streams += 1
        stream = compression.make()
        while not stream.eof:
            taken = data[at : at + _STEP] if stream.needs_input else b""
            if stream.needs_input and not taken:
                raise EOFError("it ends too early")
            at += len(taken)
            yield stream.decompress(taken, _PIECE)
        at -= len(stream.unused_data)
        if compression.padded and most is None:
            while data[at : at + 1] == b"\0":
                at += 1


def _errors() -> tuple[type[Exception], ...]:
    """What the decompressors raise of damaged files; that of a library only once it is there."""
    import sys

    found: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, lzma.LZMAError)
    library = sys.modules.get("zstandard")
    return found if library is None else (*found, library.ZstdError)
