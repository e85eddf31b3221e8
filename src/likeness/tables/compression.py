"""Compressed files: gzip, bzip2, xz and Zstandard, told by how they begin, never by their names alone.

They are decompressed piece by piece, so that a small file that holds terabytes is refused before it fills the memory, and
strictly: whatever stands behind the end of a stream must be another one. What the standard library's ``open`` of each kind
leaves away there may be records.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likeness.errors import Refusal, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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


@dataclass(frozen=True)
class Compression:
    """A kind of compression: its ``name``, the ``ending`` of its files, how they ``begin``, who decompresses one stream.

    ``padded``: whether zero bytes may stand behind a stream.
    """

    name: str
    ending: str
    begin: re.Pattern[bytes]
    make: Callable[[], Any]
    padded: bool = False


COMPRESSIONS = (
    Compression("gzip", ".gz", re.compile(rb"\x1f\x8b"), lambda: _Whole(zlib.decompressobj(31)), padded=True),
    # Three letters begin it, which a line of text may begin with, too; the digits of pi, or of its root, follow.
    Compression("bzip2", ".bz2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), bz2.BZ2Decompressor),
    Compression(
        "xz",
        ".xz",
        re.compile(rb"\xfd7zXZ\0"),
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY),
        padded=True,
    ),
    # Frames to skip may come first.
    Compression("Zstandard", ".zst", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _zstd),
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
    pieces, size = [], 0
    try:
        for piece in _pieces(data, compression):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise TableError(
                    Refusal(
                        f"holds more than {most >> 20:,} MB, over {_TIMES} times what the file takes; "
                        "decompress it yourself if it is a table all the same",
                        (source,),
                    )
                )
    except ModuleNotFoundError:
        raise TableError(
            Refusal(
                "is compressed by Zstandard, and zstandard, which reads that, is not installed; "
                "pip install 'likeness[zstd]'",
                (source,),
            )
        ) from None
    except _errors() as error:
        raise TableError(
            Refusal(f"damaged or truncated {compression.name} file ({error}); fetch it again", (source,))
        ) from None
    return b"".join(pieces)


def _pieces(data: bytes, compression: Compression) -> Iterator[bytes]:
    """Decompress all streams of a file, piece by piece; `EOFError` where the last one is not whole."""
    at = 0
    while at < len(data):
        stream = compression.make()
        while not stream.eof:
            taken = data[at : at + _STEP] if stream.needs_input else b""
            if stream.needs_input and not taken:
                raise EOFError("it ends too early")
            at += len(taken)
            yield stream.decompress(taken, _PIECE)
        at -= len(stream.unused_data)
        if compression.padded:
            while data[at : at + 1] == b"\0":
                at += 1


def _errors() -> tuple[type[Exception], ...]:
    """What the decompressors raise of damaged files; that of a library only once it is there."""
    import sys

    found: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error, lzma.LZMAError)
    library = sys.modules.get("zstandard")
    return found if library is None else (*found, library.ZstdError)
