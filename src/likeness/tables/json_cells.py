"""Published JSON lines: an object a line, the same keys in all of them; how its cells are written, and what written ones say.

Texts and days are in quotes, numbers and truth values are not, a missing value is null. A text escapes quotes, backslashes and
control characters, and nothing else: so every table has one such file. What is read back is not given to a reader of JSON, which
could be led to take gigabytes for a few bytes: lines are cut at their keys, and what that gives must give the same lines again.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from likeness.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CONTROL = {chr(i): f"\\u{i:04x}" for i in range(32)}
_ESCAPES = _CONTROL | {
    "\\": "\\\\",
    '"': '\\"',
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}
_ESCAPED = r'[\\"\x00-\x1f]'
_INTEGER, _REAL = r"^-?[0-9]+$", r"^-?[0-9.eE+-]+$"
_LONGEST_HEAD = 1 << 24
"""Bytes of a first line that is read for its keys: room for the most columns, named at length."""


def json_cells(names: Sequence[str], kinds: Sequence[str]) -> list[Callable[[pl.Series], pl.Series]]:
    r"""How the texts of each column are written as cells, with their keys, and what stands between them.

    ``kinds``: kinds of columns, as `EncodedColumn` has them.

    >>> [cell(pl.Series(["a", None])).to_list() for cell in json_cells(["n"], ["text"])]
    [['{"n":"a"}\n', '{"n":null}\n']]
    """
    keys = _keys(names)
    return [
        partial(
            _cells,
            in_quotes=kind in {"text", "date"},
            before=key,
            after="}\n" if key is keys[-1] else "",
        )
        for key, kind in zip(keys, kinds, strict=True)
    ]


def _cells(texts: pl.Series, *, in_quotes: bool, before: str, after: str) -> pl.Series:
    """Write texts as cells; null as null."""
    values = _quoted(texts) if in_quotes else texts
    return before + values.fill_null("null") + after


def _quoted(texts: pl.Series) -> pl.Series:
    """Write texts as JSON has them."""
    escaped = texts
    if bool(texts.str.contains(_ESCAPED).any()):
        escaped = texts.str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return '"' + escaped + '"'


def _keys(names: Sequence[str]) -> list[str]:
    """What stands before the value of each column."""
    keys = _quoted(pl.Series(names, dtype=pl.String)).to_list()
    return [f"{',' if i else '{'}{key}:" for i, key in enumerate(keys)]


def names_in(line: bytes) -> list[str]:
    """Take the names of the columns from the first line; `ValueError` where it is no object."""
    if len(line) > _LONGEST_HEAD:
        raise ValueError(f"it is of {len(line):,} bytes")
    try:
        pairs = json.loads(line, object_pairs_hook=list)
    except RecursionError:
        raise ValueError("it holds lists or objects") from None
    if not isinstance(pairs, list) or not line.startswith(b"{") or not pairs:
        raise ValueError("it is no object")
    return [name for name, _ in pairs]


def cut_lines(lines: bytes, names: Sequence[str]) -> bytes:
    """Take whole lines apart: their values, with a tab between two and the end of a line behind the last."""
    keys = [key.encode() for key in _keys(names)]
    lines = lines.removeprefix(keys[0]).replace(b"}\n" + keys[0], b"\n")
    lines = lines.removesuffix(b"}\n") + b"\n"
    for key in keys[1:]:
        lines = lines.replace(key, b"\t")
    return lines


def decoded(written: pl.Series) -> pl.Series:
    """Read what distinct cells say, each by itself, as a typed column; `TableError` where they are not of one kind."""
    missing = written == "null"
    values = written.set(missing, None)
    filled = values.drop_nulls()
    if bool(filled.str.starts_with('"').all()):
        return _texts(values)
    if bool(filled.is_in(["true", "false"]).all()):
        return values == "true"
    for pattern, dtype in ((_INTEGER, pl.Int64), (_REAL, pl.Float64)):
        if bool(filled.str.contains(pattern).all()):
            return values.cast(dtype, strict=False)
    raise TableError("holds texts beside numbers or truth values, or what is neither")


def _texts(values: pl.Series) -> pl.Series:
    """Read texts as JSON has them."""
    plain = values.str.slice(1).str.strip_suffix('"')
    escaped = values.str.contains("\\", literal=True).fill_null(value=False)
    if not escaped.any():
        return plain
    try:
        found = [json.loads(text) for text in values.filter(escaped)]
        if not all(isinstance(text, str) for text in found):
            raise TableError("holds what is no text, in quotes")
        return plain.scatter(escaped.arg_true(), pl.Series(found, dtype=pl.String))
    except (ValueError, RecursionError, pl.exceptions.PolarsError) as problem:
        raise TableError(f"holds what is no text of JSON ({type(problem).__name__})") from None
