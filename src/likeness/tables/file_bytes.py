"""The bytes of a text file, as UTF-8: compression, byte order marks, encodings. Nothing is guessed."""

from __future__ import annotations

import codecs
import gzip
import zlib
from typing import TYPE_CHECKING

from likeness.errors import TableError

if TYPE_CHECKING:
    from pathlib import Path

_GZIP = b"\x1f\x8b"
# The longer mark first: that of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOK = 1 << 16


def read_bytes(path: Path) -> bytes:
    """Read a file whole, decompressing gzip.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    bytes
        Its content.

    Raises
    ------
    TableError
        If it does not exist, is a folder, cannot be read, or is damaged gzip.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise TableError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise TableError(f"{path}: is a folder; give one file") from None
    except OSError as error:
        raise TableError(
            f"{path}: cannot be read ({error.strerror or error}); check its permissions"
        ) from None
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise TableError(f"{path}: damaged or truncated gzip file ({error}); fetch it again") from None


def to_utf8(data: bytes, *, source: str, encoding: str | None) -> bytes:
    """Bring the bytes of a text file to UTF-8 without a byte order mark.

    Parameters
    ----------
    data
        The bytes of the file.
    source
        What messages call it.
    encoding
        Its encoding; None if it has a byte order mark or is UTF-8.

    Returns
    -------
    bytes
        Valid UTF-8, with lines ended by LF or CRLF.

    Raises
    ------
    TableError
        If a byte does not belong to the encoding, and which encodings to try; nothing is guessed.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if encoding is None and marked is None and b"\0" in data[:_LOOK]:
        raise TableError(
            f"{source}: holds zero bytes, so it is no CSV text, or UTF-16 without a byte order mark; "
            "in that case give its encoding, utf-16-le or utf-16-be"
        )
    chosen = encoding or marked or "utf-8"
    try:
        text = data.decode(chosen)
    except LookupError:
        raise TableError(
            f"{source}: no such encoding: {chosen!r}; try 'utf-8', 'cp1252' or 'latin-1'"
        ) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        advice = "" if encoding else "; give its encoding, such as cp1252 or latin-1 (--encoding cp1252)"
        raise TableError(
            f"{source}: not {chosen} at line {line} "
            f"(byte offset {error.start}, value 0x{data[error.start]:02X}){advice}"
        ) from None
    if chosen.lower().replace("_", "-") not in {"utf-8", "utf8"}:
        data = text.removeprefix("\ufeff").encode()
    else:
        data = data.removeprefix(codecs.BOM_UTF8)
    # Lines ended by a bare CR, as old Macintoshes wrote them.
    return data.replace(b"\r", b"\n") if b"\n" not in data else data
