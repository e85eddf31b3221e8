"""Whether every record of a CSV file has as many cells as there are columns, and if not, where."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import TableError
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.tables.csv_dialect import Dialect

_BLOCK = 1 << 24  # bytes looked at together


def count_records(data: bytes, dialect: Dialect, width: int) -> int | None:
    r"""Count the records, if it is plain that each has `width` cells.

    Only delimiters, quotes and line ends are looked at, all at once; a file of 100 MB takes well under
    a second.

    Parameters
    ----------
    data
        UTF-8 text.
    dialect
        Its delimiter and quote.
    width
        Cells that every record must have.

    Returns
    -------
    int or None
        The number of records, the header among them; None when a record has more or fewer cells, or
        quotes stand where this cannot follow them (then `check_records` decides).

    Examples
    --------
    >>> from likeness.tables.csv_dialect import Dialect
    >>> count_records(b'a,b\n1,"x,y"\n', Dialect(","), 2), count_records(b"a,b\n1\n", Dialect(","), 2)
    (2, None)
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


def check_records(data: bytes, dialect: Dialect, width: int, *, source: str) -> int:
    """Count the records one by one, stopping at the first that has not `width` cells.

    Parameters
    ----------
    data, dialect, width
        As for `count_records`.
    source
        What messages call the file.

    Returns
    -------
    int
        The number of records, the header among them.

    Raises
    ------
    TableError
        At the first record with more or fewer cells, and at a quote that is not closed.
    """
    records, line = 0, 1
    try:
        for line, record in dialect.records(data):
            found = len(record) if record or width > 1 else 1  # a blank line is an empty cell
            if found != width:
                amount = "is blank" if not record else f"has {found} cell{'s' * (found != 1)}"
                expected = f"{'is' if width == 1 else 'are'} {count(width, 'column')}"
                raise TableError(f"{source}: line {line} {amount}, but there {expected}; correct the line")
            records += 1
    except csv.Error as error:
        raise TableError(
            f"{source}: the record after line {line} cannot be read: {error}; "
            "close every quote, and double quotes inside quoted cells"
        ) from None
    return records
