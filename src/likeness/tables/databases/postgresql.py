"""What PostgreSQL has of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from likeness.tables.columns import as_text
from likeness.tables.databases.sessions import quoted_name, quoted_text
from likeness.tables.databases.storing import nulled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.tables.databases.sessions import Session

_TYPES = {
    pl.Int64: "BIGINT",
    pl.Boolean: "BOOLEAN",
    pl.Float64: "DOUBLE PRECISION",
    pl.Date: "DATE",
    pl.Datetime: "TIMESTAMP",
}
_AS_THEY_ARE = {
    "bool", "int2", "int4", "int8", "float4", "float8", "date", "timestamp", "timestamptz", "time", "text", "varchar",
}  # fmt: skip
"""Types that come as what they are. All others come as their texts: exact decimals too, which no other type holds in full."""
_NO_SINGLE_VALUES = {"bytea", "json", "jsonb", "hstore", "xml"}
_LISTS, _ROWS = "A", "C"
"""Categories of types."""


def tables(own: Session) -> dict[str, tuple[str | None, str]]:
    """List what can be read: name, behind its schema where that is not looked for by itself, to schema and name."""
    found = own.ask(
        "SELECT n.nspname::text AS schema, c.relname::text AS name, pg_table_is_visible(c.oid) AS visible "
        "FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') "
        "AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' ORDER BY 3 DESC, 1, 2"
    )
    return {
        (name if visible else f"{schema}.{name}"): (schema, name)
        for schema, name, visible in found.iter_rows()
    }


def read(own: Session, query: str) -> pl.DataFrame:
    """Read the rows of one query, each column in a type that loses nothing; refuse those whose cells are not single values."""
    # The server tells names and types of a query that is not run: no row of it is asked for.
    nothing = f"(SELECT 1) AS likeness_one LEFT JOIN (\n{query}\n) AS likeness_query ON false"
    names = own.ask(
        "SELECT k.key AS name FROM (SELECT row_to_json(likeness_row) AS likeness_names FROM "
        f"(SELECT likeness_query.* FROM {nothing}) AS likeness_row) AS likeness_told, "
        "json_object_keys(likeness_told.likeness_names) WITH ORDINALITY AS k(key, place) ORDER BY k.place"
    )["name"].to_list()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise own.refusal(
            f"has several columns of the name {twice[0]!r}",
            "query",
            remedy="give each its own: SELECT … AS …",
        )
    kinds = ", ".join(f"pg_typeof(likeness_query.{quoted_name(name)})::oid" for name in names)
    types = own.ask(
        "SELECT t.typname::text AS name, t.typcategory::text AS category, "
        f"format_type(t.oid, NULL) AS said FROM (SELECT ARRAY[{kinds}]::oid[] AS oids FROM {nothing}) AS likeness_types, "
        "unnest(oids) WITH ORDINALITY AS u(oid, place) JOIN pg_type AS t ON t.oid = u.oid ORDER BY u.place"
    )
    told = dict(zip(names, types.iter_rows(), strict=True))
    refused = {
        name: said
        for name, (kind, category, said) in told.items()
        if kind in _NO_SINGLE_VALUES or category in {_LISTS, _ROWS}
    }
    if refused:
        raise own.refused(
            *(
                own.refusal(
                    f"column {name!r} holds {said}, not single values", remedy="convert it or leave it out"
                ).refusals[0]
                for name, said in refused.items()
            )
        )
    asked = ", ".join(
        f"likeness_query.{quoted_name(name)}{'' if kind in _AS_THEY_ARE else '::text'} AS {quoted_name(name)}"
        for name, (kind, *_) in told.items()
    )
    return own.ask(f"SELECT {asked} FROM (\n{query}\n) AS likeness_query")


def place(own: Session, name: str) -> tuple[str | None, str]:
    """Find the schema and the name that a table is to have: what stands before a point is a schema."""
    schema, point, inner = name.partition(".")
    if point:
        return schema, inner
    return own.ask("SELECT current_schema()::text AS name")["name"].item(), name


def identity(own: Session) -> str:
    """Tell the database from all others, by whatever URL it was reached."""
    asked = "SELECT pg_postmaster_start_time()::text || ' ' || current_database() AS name"
    return str(own.ask(asked)["name"].item())


def exists(own: Session, schema: str | None, name: str) -> bool:
    """Whether there is a table, or what cannot stand beside one, of that name."""
    whole = quoted_text(".".join(quoted_name(part) for part in (schema, name) if part is not None))
    return not own.ask(f"SELECT 1 AS there WHERE to_regclass({whole}) IS NOT NULL").is_empty()


def storable(column: pl.Series, written: pl.Series) -> pl.Series:
    """Take a column as it is stored; ``written``: as it stands in the release's file."""
    return column if type(column.dtype) in _TYPES else nulled(as_text(written))


def declared(columns: Mapping[str, pl.DataType]) -> str:
    """Declare columns by their types."""
    return ", ".join(
        f"{quoted_name(name)} {_TYPES.get(type(dtype), 'TEXT')}" for name, dtype in columns.items()
    )


def restored(column: pl.Series, dtype: pl.DataType) -> pl.Series:  # noqa: ARG001
    """Take a column that was read back as the type it was stored from."""
    return column
