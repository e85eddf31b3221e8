"""JSON lines to a polars frame: an object a line, its keys the columns; a key that is not there is a missing value.

polars reads them. Its complaints name no line, and beside text it takes a list for text of its own: what is wrong is
looked for once more, line by line, only where something is. Of a key that stands twice in a line it takes the first value and
other readers the last.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables.file_bytes import to_utf8
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ANY_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^,"}]*)'
_VALUE = rf":\s*{_ANY_VALUE}"
"""A value and the colon before it, where no key has a colon."""
_KEY_AND_VALUE = rf'("(?:[^"\\]|\\.)*"\s*:)\s*{_ANY_VALUE}'
_PIECE = 1 << 25
"""Bytes of lines that are looked at together."""


def read_json_lines(data: bytes, *, source: str, encoding: str | None) -> pl.DataFrame:
    """Read JSON lines from their bytes; columns stand in the order in which their keys come first.

    `TableError` if there is no line, one is no JSON object or has a key twice, or a column holds lists or objects, or both
    numbers and booleans.
    """
    text = to_utf8(data, source=source, encoding=encoding)
    if not text or text.isspace():
        raise TableError(Refusal("the file is empty", (source,)))
    try:
        frame = pl.read_ndjson(io.BytesIO(text), infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        _refuse(text, source)
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise TableError(Refusal(f"cannot be read as JSON lines ({reason})", (source,))) from None
    if any(map(_may_be_nested, frame.iter_columns())) or _may_repeat_keys(text, frame.columns):
        _refuse(text, source)
    if frame.height != text.count(b"\n") + (not text.endswith(b"\n")):
        # There are blank lines, or polars has not taken all.
        lines = sum(1 for _ in _lines(text))
        if frame.height != lines:
            raise TableError(
                Refusal(
                    f"{count(lines, 'line')} gave {count(frame.height, 'record')}; write one object a line",
                    (source,),
                )
            )
    return frame


def _lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Go through the lines that are not blank, with their numbers."""
    return ((i, line) for i, line in enumerate(io.BytesIO(text), 1) if not line.isspace())


def _may_be_nested(column: pl.Series) -> bool:
    """Whether cells are lists or objects, or texts that may have been."""
    if column.dtype != pl.String:
        return column.dtype.is_nested()
    return bool(column.str.contains(r"^[\[{]").any())


def _may_repeat_keys(text: bytes, names: Sequence[str]) -> bool:
    """Whether a key may stand twice in a line; where it says no, none does.

    Lines of a table differ in their values, and in few other things: without these, few are left to be read.
    """
    # The second takes four times as long.
    value, nothing = (_KEY_AND_VALUE, "${1}0") if any(":" in name for name in names) else (_VALUE, ":0")
    known: set[str] = set()
    for lines in _pieces(text):
        left = set(lines.str.replace_all(value, nothing).unique().drop_nulls()) - known
        for line in left:
            try:
                keys = [key for key, _ in json.loads(line, object_pairs_hook=list)] if line.strip() else []
            except (ValueError, TypeError, RecursionError):
                return True  # lists or objects, where polars did not see them
            if len(set(keys)) < len(keys):
                return True
        known |= left
    return False


def _pieces(text: bytes) -> Iterator[pl.Series]:
    """Cut a text into its lines, some at a time."""
    start = 0
    while start < len(text):
        end = text.find(b"\n", start + _PIECE) + 1 or len(text)
        # polars takes no JSON with a zero byte: every line is one cell.
        yield pl.read_csv(
            text[start:end],
            separator="\0",
            quote_char=None,
            has_header=False,
            infer_schema=False,
            raise_if_empty=False,
        ).to_series()
        start = end


def _refuse(text: bytes, source: str) -> None:
    """Say what is wrong with which line or column; nothing where nothing is found."""
    first: dict[tuple[str, str], int] = {}
    for number, line in _lines(text):
        try:
            record = json.loads(line, parse_constant=_no_constant, object_pairs_hook=_each_once)
        except _TwiceError as twice:
            raise TableError(
                Refusal(
                    f"the key {quoted(twice.key)} stands twice on line {number}; give each value its own",
                    (source,),
                )
            ) from None
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise TableError(
                Refusal(f"line {number} is not JSON ({reason}); write one object a line", (source,))
            ) from None
        if not isinstance(record, dict):
            raise TableError(
                Refusal(f'line {number} is not an object such as {{"age": 40}}; write one a line', (source,))
            )
        for name, value in record.items():
            first.setdefault((name, _kind(value)), number)
    problems = [
        Refusal(
            f"column {quoted(name)} holds lists or objects, the first on line {number}, not single values; "
            "make columns of what is in them, or leave it out",
            (source,),
        )
        for (name, kind), number in first.items()
        if kind == "nested"
    ]
    problems += [
        Refusal(
            f"column {quoted(name)} holds true or false, the first on line {number}, and numbers, the first on line "
            f"{first[name, 'number']}; write it in one way",
            (source,),
        )
        for (name, kind), number in first.items()
        if kind == "boolean" and (name, "number") in first and (name, "text") not in first
    ]
    if problems:
        raise TableError(*problems)


class _TwiceError(Exception):
    """A key stands twice in an object."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its keys and values; none may have a key twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in found if keys.count(key) > 1))
    return found


def _kind(value: Any) -> str:
    """What sort of thing a value is, as far as it matters in a column."""
    if isinstance(value, dict | list):
        return "nested"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "missing"


def _no_constant(name: str) -> Any:
    """Refuse what Python writes and JSON has not."""
    raise ValueError(f"{name} is no number of JSON; leave the key out where a value is missing")
