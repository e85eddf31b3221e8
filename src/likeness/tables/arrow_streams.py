"""Whatever gives its rows as a stream of Arrow data: DuckDB relations, record batch readers, nanoarrow, Ibis and others.

They are known by the Arrow PyCapsule interface (``__arrow_c_stream__``), so none of their libraries is imported: whoever holds
such an object has its library loaded.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import polars as pl

from likeness.errors import Refusal, TableError

if TYPE_CHECKING:
    from likeness.tables.table import Table


def gives_a_stream(source: Any) -> bool:
    """Whether rows can be read from it; a frame of a library that `library_of` knows has an adapter of its own."""
    return hasattr(source, "__arrow_c_stream__")


def read_arrow_stream(source: Any) -> Any:
    """Read all rows: a pyarrow table of what pyarrow has, a polars frame of all else.

    `TableError` if it gives no columns, two columns have one name, or whoever gives it cannot give its rows.
    """
    name = type(source).__name__
    try:
        if type(source).__module__.partition(".")[0] == "pyarrow":
            return sys.modules["pyarrow"].table(source)
        return pl.DataFrame(_Stream(source))
    except (pl.exceptions.DuplicateError, pl.exceptions.PanicException):
        raise TableError(Refusal("has several columns of one name; give each its own", (name,))) from None
    except Exception as error:  # noqa: BLE001  # a relation is only run now: it may raise whatever its library does
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise TableError(Refusal(f"gives no table ({reason})", (name,))) from None


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


class _Stream:
    """Nothing but the stream: of a column alone polars would make a table of one column."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._source.__arrow_c_stream__(requested_schema)


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
