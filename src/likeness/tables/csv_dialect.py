"""How a CSV file is written: its delimiter and quote."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from likeness.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CANDIDATES = (",", ";", "\t", "|")
_LOOK = 1000  # records looked at
_QUOTED_OR_PADDED = b"Q(?:[^Q]|QQ)*Q|D "


@dataclass(frozen=True)
class Dialect:
    """How records are split into cells.

    Parameters
    ----------
    delimiter
        One character.
    quote
        One character, or None when quotes have no meaning.
    """

    delimiter: str
    quote: str | None = '"'

    def records(self, data: bytes) -> Iterator[tuple[int, list[str]]]:
        """Read records one by one with the line each begins on: for headers, samples and messages only.

        Raises
        ------
        csv.Error
            If a quote is not closed, or is followed by something other than a delimiter.
        """
        lines = (line.decode() for line in io.BytesIO(data))
        if self.quote is None:
            reader = csv.reader(lines, delimiter=self.delimiter, quoting=csv.QUOTE_NONE)
        else:
            reader = csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, strict=True)
        line = 1
        for record in reader:
            yield line, record
            line = reader.line_num + 1

    def write(self, records: Iterable[list[str]]) -> bytes:
        """Write records with every cell quoted; an empty record is one empty cell."""
        text = io.StringIO(newline="")
        writer = csv.writer(
            text, delimiter=self.delimiter, quotechar=self.quote, quoting=csv.QUOTE_ALL, lineterminator="\n"
        )
        writer.writerows(record or [""] for record in records)
        return text.getvalue().encode()


def find_delimiter(data: bytes, *, source: str, quote: str | None, header: bool) -> str:
    r"""Find the delimiter: the one that splits the first records into equally many cells.

    Parameters
    ----------
    data
        UTF-8 text.
    source
        What messages call it.
    quote
        The quote character, or None.
    header
        Whether the first record names the columns and so says how many there are.

    Returns
    -------
    str
        Comma, semicolon, tab or bar; a comma when nothing splits the header.

    Raises
    ------
    TableError
        If two delimiters fit equally well.

    Examples
    --------
    >>> find_delimiter(b"age;dose\n40;3,5\n31;2,5\n", source="a.csv", quote='"', header=True)
    ';'
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
            f"{source}: the delimiter may be {' or '.join(map(repr, found))}; say which with delimiter="
        )
    return found[0] if found else ","


def without_padding(data: bytes, dialect: Dialect, *, declared: bool = False) -> bytes:
    """Take away the one space after each delimiter, if every delimiter has it (``1, x, y``).

    Parameters
    ----------
    data
        UTF-8 text.
    dialect
        Its delimiter and quote.
    declared
        Whether the steward said so; otherwise the first records decide.

    Returns
    -------
    bytes
        The text without that padding; quoted cells are left alone.
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
