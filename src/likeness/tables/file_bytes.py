"""The bytes of a text file, as UTF-8: byte order marks, encodings. Nothing is guessed."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from likeness.errors import Refusal, TableError
from likeness.tables.compression import compression_of, decompress, promised_by
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from io import BufferedIOBase, RawIOBase
    from pathlib import Path

# The longer mark first: that of UTF-32 begins like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_TEXT = {
    b"PAR1": "a Parquet file; give it a name that ends in .parquet",
    b"PK\x03\x04": "an archive, such as an Excel file; give that a name that ends in .xlsx",
    b"SQLite format 3\0": "a SQLite database; give sqlite:///FILE and the table",
}
"""What files begin with that are often called .csv, and are none."""
_LOOK = 1 << 16
_MIXED = "utf-8+"
_WORD = re.compile(r"\w*[^\W\x00-\x7f]\w*|[^\x00-\x7f]")
_RARE, _FEW = 10, 3
"""Of lines in an encoding of single bytes, fewer than one in ten are UTF-8 by chance; of one in several bytes, a few may be."""


def read_bytes(path: Path, *, packed: bool = True) -> bytes:
    """Read a file whole, decompressed if it is compressed, which is refused where it must not be ``packed``.

    `TableError` for that, and if it does not exist, is a folder, cannot be read, is damaged, or no compressed file though its
    name says so.
    """
    data = read_file(path)
    found = compression_of(data)
    if found is None:
        promised = promised_by(path)
        if promised is not None and data:
            raise TableError(
                Refusal(
                    f"is no {promised.name} file, though its name says so; fetch it again, or rename it if it is not compressed",
                    (str(path),),
                )
            )
        return data
    if not packed:
        raise TableError(Refusal("is compressed, which its name does not say; it was changed", (str(path),)))
    return decompress(data, found, source=str(path))


def read_file(path: Path) -> bytes:
    """Read a file whole, as it is; `TableError` if it does not exist, is a folder, or cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise TableError(Refusal("no such file", (str(path),))) from None
    except IsADirectoryError:
        raise TableError(Refusal("is a folder; give one file", (str(path),))) from None
    except OSError as error:
        raise TableError(
            Refusal(f"cannot be read ({error.strerror or error}); check its permissions", (str(path),))
        ) from None


def read_stream(file: BufferedIOBase | RawIOBase, *, name: str) -> bytes:
    """Read an open file to its end, decompressed if it is compressed; `TableError` if it cannot be read or is damaged."""
    try:
        data = file.read() or b""
    except (OSError, ValueError) as error:
        raise TableError(
            Refusal(f"cannot be read ({getattr(error, 'strerror', None) or error})", (name,))
        ) from None
    found = compression_of(data)
    return data if found is None else decompress(data, found, source=name)


def to_utf8(data: bytes, *, source: str, encoding: str | None) -> bytes:
    """Bring the bytes of a text file to UTF-8 without a byte order mark, with lines ended by LF or CRLF.

    ``encoding``: None if it has a byte order mark or is UTF-8; ``utf-8+cp1252`` (or another encoding of single bytes) where
    what is UTF-8 is to be read as that, and every other byte as cp1252. Nothing is guessed: `TableError` if a byte does not
    belong to the encoding, saying which to try, and if a given one would garble lines which are UTF-8.
    """
    if encoding is None and _marked(data) is None and b"\0" in data[:_LOOK]:
        what = next((own for magic, own in _NO_TEXT.items() if data.startswith(magic)), None)
        perhaps = "in that case give its encoding, utf-16-le or utf-16-be"
        said = f"holds zero bytes, so it is no text, or UTF-16 without a byte order mark; {perhaps}"
        raise TableError(Refusal(said if what is None else f"is no text but {what}", (source,)))
    chosen = encoding_of(data, encoding)
    if chosen == "utf-8-sig":
        chosen = "utf-8"
    text = _decoded(data, chosen, source=source, given=encoding is not None)
    # Whatever is UTF-8 already is not written again.
    data = data.removeprefix(codecs.BOM_UTF8) if chosen == "utf-8" else text.removeprefix("\ufeff").encode()
    # Lines ended by a bare CR, as old Macintoshes wrote them.
    return data.replace(b"\r", b"\n") if b"\n" not in data else data


def encoding_of(data: bytes, encoding: str | None) -> str:
    """Name the encoding in which the bytes of a text file are read: the one that is given, or that its mark tells, or UTF-8."""
    return (encoding or _marked(data) or "utf-8").lower().replace("_", "-").replace("utf8", "utf-8")


def _marked(data: bytes) -> str | None:
    """Name the encoding that a byte order mark tells."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _decoded(data: bytes, encoding: str, *, source: str, given: bool) -> str:
    """Decode the bytes of a text file; see `to_utf8`."""
    first, plus, other = encoding.partition("+")
    plain, single = _about(other if plus else encoding, source)
    if plus and not (first == "utf-8" and plain and single):
        raise TableError(
            Refusal(
                f"no such encoding: {encoding!r}; what is UTF-8 in part is read as utf-8+cp1252, or with another encoding "
                "of single bytes behind the plus",
                (source,),
            )
        )
    try:
        text = data.decode("utf-8", _fallback(other)) if plus else data.decode(encoding)
    except UnicodeDecodeError as error:
        line, at = data.count(b"\n", 0, error.start) + 1, error.start
        advice = _lines_in_utf8(data, encoding, plain=plain, single=single) if plain and not plus else ""
        if not advice and not given:
            advice = "give its encoding, such as cp1252 or latin-1 (--encoding cp1252)"
        raise TableError(
            Refusal(
                f"not {encoding} at line {line} (byte offset {at}, value 0x{data[at]:02X}){advice and '; '}{advice}",
                (source,),
            )
        ) from None
    if given and plain and not plus and encoding != "utf-8":
        advice = _lines_in_utf8(data, encoding, plain=plain, single=single)
        if advice:
            raise TableError(Refusal(f"the encoding {encoding} was given, but {advice}", (source,)))
    return text


def _about(encoding: str, source: str) -> tuple[bool, bool]:
    """Whether an encoding has ASCII as it is, and whether every character is one byte."""
    try:
        plain = b"a,1\n".decode(encoding, "replace") == "a,1\n"
        return plain, len(bytes(range(256)).decode(encoding, "replace")) == 256
    except LookupError:
        raise TableError(
            Refusal(f"no such encoding: {encoding!r}; try 'utf-8', 'cp1252' or 'latin-1'", (source,))
        ) from None


def _fallback(encoding: str) -> str:
    """Name the way of reading what is not UTF-8 in an encoding of single bytes."""
    name = f"likeness {_MIXED}{encoding}"

    def read(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)  # noqa: S101  # nothing is encoded
        try:
            return error.object[error.start : error.end].decode(encoding), error.end
        except UnicodeDecodeError as own:
            raise UnicodeDecodeError(encoding, error.object, error.start, error.end, own.reason) from None

    codecs.register_error(name, read)
    return name


def _lines_in_utf8(data: bytes, encoding: str, *, plain: bool, single: bool) -> str:
    """Say how many lines hold letters in UTF-8, and what an encoding makes of them; nothing where none or too few do."""
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    letters = [(i, line) for i, line in enumerate(lines, 1) if not line.isascii()]
    good: list[tuple[int, str]] = []
    for number, line in letters:
        try:
            good.append((number, line.decode()))
        except UnicodeDecodeError:
            continue
    bad = len(letters) - len(good)
    enough = _RARE * len(good) >= bad if single or encoding == "utf-8" else not bad and len(good) >= _FEW
    if not (plain and good and enough):
        return ""
    at, text = good[0]
    words = _WORD.findall(text)
    word = words[0] if words else text
    other = "cp1252" if encoding == "utf-8" else encoding
    garbled = f", which {other} would turn into {quoted(word.encode().decode(other, 'replace'))}"
    verb = "holds" if len(good) == 1 else "hold"
    hold = f"{count(len(good), 'line')} {verb} letters in UTF-8, such as {quoted(word)} on line {at}"
    if not bad:
        return f"{hold}{garbled}; leave the encoding out"
    mixed = _MIXED + (other if single and other != "ascii" else "cp1252")
    are = f"{count(bad, 'line')} {'is' if bad == 1 else 'are'}"
    return (
        f"{are} not UTF-8, and {hold}{garbled}; give the encoding {mixed} (--encoding {mixed}): what is UTF-8 is read as that, "
        f"every other byte as {mixed.removeprefix(_MIXED)}"
    )
