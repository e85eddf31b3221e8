"""What SQLite has of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from likeness.tables.columns import as_text
from likeness.tables.databases.sessions import quoted_name, quoted_text
from likeness.tables.databases.storing import nulled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.tables.databases.sessions import Session

_TYPES = {pl.Int64: "INTEGER", pl.Boolean: "INTEGER", pl.Float64: "REAL"}
"""Truth values are 1 and 0; days and points in time, as all else, texts."""
_EXACT = 1 << 53
"""Whole numbers up to here are exact as floats."""
_WHOLE_RESULT = {"adbc.sqlite.query.batch_rows": str(2**31 - 2)}
"""The driver takes the type of a column from the first rows that it fetches at once."""


def tables(own: Session) -> dict[str, tuple[str | None, str]]:
    """List what can be read: name to schema (none here) and name."""
    found = own.ask(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    return {name: (None, name) for name in found["name"]}


def read(own: Session, query: str) -> pl.DataFrame:
    """Read the rows of one query."""
    # The driver runs the first of several statements and forgets the others; and of what is no query it gives no rows.
    own.run(f"EXPLAIN SELECT 1 FROM (\n{query}\n)")
    frame = own.ask(query, _WHOLE_RESULT)
    for name, dtype in frame.schema.items():
        if dtype == pl.Float64 and (frame[name].abs() >= _EXACT).any():
            _refuse_inexact(own, query, name)
    return frame


def _refuse_inexact(own: Session, query: str, name: str) -> None:
    """Refuse whole numbers beside others that have decimals, where they are beyond what is exact as such."""
    cell = quoted_name(name)
    beyond = (
        f"SELECT 1 FROM (\n{query}\n) WHERE typeof({cell}) = 'integer' AND abs({cell}) > {_EXACT} LIMIT 1"
    )
    if not own.ask(beyond).is_empty():
        what = f"column {name!r} holds whole numbers beyond {_EXACT:,} and numbers with decimals, which no type holds exactly"
        raise own.refusal(what, remedy="read it as texts, by a query: CAST(… AS TEXT)")


def place(own: Session, name: str) -> tuple[str | None, str]:  # noqa: ARG001
    """Find the schema, if there are some, and the name that a table is to have."""
    return None, name


def identity(own: Session) -> str:
    """Tell the database from all others, by whatever URL it was reached."""
    return str(own.address.path.resolve())


def exists(own: Session, schema: str | None, name: str) -> bool:  # noqa: ARG001
    """Whether there is a table, or what cannot stand beside one, of that name."""
    alike = f"SELECT 1 FROM sqlite_master WHERE lower(name) = lower({quoted_text(name)})"
    return not own.ask(alike).is_empty()


def storable(column: pl.Series, written: pl.Series) -> pl.Series:
    """Take a column as it is stored; ``written``: as it stands in the release's file."""
    if column.dtype == pl.Boolean:
        return column.cast(pl.Int64)
    return column if type(column.dtype) in _TYPES else nulled(as_text(written))


def declared(columns: Mapping[str, pl.DataType]) -> str:
    """Declare columns by their types."""
    return ", ".join(
        f"{quoted_name(name)} {_TYPES.get(type(dtype), 'TEXT')}" for name, dtype in columns.items()
    )


def restored(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Take a column that was read back as the type it was stored from; what cannot be that stays what it is."""
    if dtype == pl.Boolean and column.dtype == pl.Int64 and column.drop_nulls().is_between(0, 1).all():
        return column.cast(pl.Boolean)
    # The type is that of the values that are there: of none it is another.
    return column.cast(dtype) if column.null_count() == len(column) else column
