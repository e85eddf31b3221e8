"""Whatever gives its rows as a stream of Arrow data: DuckDB relations, record batch readers, nanoarrow, Ibis and others.

They are known by the Arrow PyCapsule interface (``__arrow_c_stream__``), so none of their libraries is imported: whoever holds
such an object has its library loaded.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import polars as pl

from likeness.errors import Refusal, TableError
from likeness.tables.arrow_schemas import TABLE, StreamColumns, columns_of
from likeness.tables.table import name_problems

if TYPE_CHECKING:
    from likeness.tables.table import Table


def gives_a_stream(source: Any) -> bool:
    """Whether rows can be read from it; a frame of a library that `library_of` knows has an adapter of its own."""
    return hasattr(source, "__arrow_c_stream__")


def read_arrow_stream(source: Any) -> Any:
    """Read all rows: a pyarrow table of what pyarrow has, a polars frame of all else.

    `TableError` if it has no columns, names or types are as no table has them, or whoever gives it cannot give its rows.
    """
    name = type(source).__name__
    capsule = None
    try:
        capsule = source.__arrow_c_stream__()
        problems = _problems(columns_of(capsule), name)
        if not problems:
            stream = _Given(capsule)
            pyarrow = type(source).__module__.partition(".")[0] == "pyarrow"
            return sys.modules["pyarrow"].table(stream) if pyarrow else pl.DataFrame(stream)
    except Exception as error:  # noqa: BLE001  # a relation is only run now: it may raise whatever its library does
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        problems = [Refusal(f"gives no rows ({reason})", (name,))]
    # A stream that is not read to its end keeps a connection busy, for as long as anybody looks at this error.
    del capsule
    raise TableError(*problems)


def _problems(said: StreamColumns, name: str) -> list[Refusal]:
    """Say what is no table, which names stand twice or are empty, and types that polars does not take."""
    if said.format != TABLE:
        return [Refusal("is one column, and no table; give a frame of it", (name,))]
    return name_problems(said.names, name) + [
        Refusal(
            f"column {column!r} holds intervals, not single values",
            (name,),
            remedy="convert it or leave it out",
        )
        for column, kind in zip(said.names, said.formats, strict=True)
        if kind.startswith(_INTERVALS)
    ]


_INTERVALS = "ti"
"""How the formats of intervals of the calendar begin: months, days and what is left of them."""


def given_back(like: Table, frame: Any) -> Any:
    """Make of a frame, of the library that a table was read into, what the table was given as.

    A DuckDB relation, of the connection of the one that was given; a frame where there is no way back, as with readers, which
    are no tables, and where the connection is closed or takes no Python objects.
    """
    duckdb = sys.modules.get("duckdb")
    if duckdb is None or not isinstance(like.giver, duckdb.DuckDBPyRelation):
        return frame
    try:
        return _relation(like, frame)
    except duckdb.Error:
        return frame


class _Given:
    """Nothing but the stream, which was asked for its columns already."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:  # it is as it is
        return self._capsule


_LOST = (pl.Categorical, pl.Enum, pl.Decimal, pl.Time)
"""Types of polars that DuckDB does not take as the type they were in DuckDB."""


def _relation(like: Table, likeness_published_rows: pl.DataFrame) -> Any:
    """Ask a relation's connection for the rows of a frame: it finds them by the name of the variable."""
    types = dict(zip(like.giver.columns, like.giver.types, strict=True))
    casts = [
        f"CAST({_named(name)} AS {_type_of(types[name], likeness_published_rows[name])}) AS {_named(name)}"
        for name, dtype in likeness_published_rows.schema.items()
        if name in types and isinstance(dtype, _LOST)
    ]
    replaced = f"REPLACE ({', '.join(casts)}) " if casts else ""
    return like.giver.query("likeness_original", f"SELECT * {replaced}FROM likeness_published_rows")


def _type_of(kind: Any, column: pl.Series) -> str:
    """Name a type of DuckDB; an enumeration has only what occurs, in its own order."""
    if kind.id != "enum":
        return str(kind)
    occurs = set(column.cast(pl.String).unique())
    values = [value for value in dict(kind.children)["values"] if value in occurs]
    listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    return f"ENUM({listed})" if values else "VARCHAR"


def _named(name: str) -> str:
    """Write the name of a column as SQL does."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
