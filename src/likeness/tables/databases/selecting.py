"""A table of a database, or the rows of a query, to a polars frame."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import polars as pl

from likeness.errors import InvalidError
from likeness.tables.databases.addresses import ReadRows, address_of
from likeness.tables.databases.sessions import quoted_name, session
from likeness.tables.databases.sorts import sort_of
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.tables.databases.sessions import Session

_SHOWN = 12
_DAYS = {pl.Date: (date(1, 1, 1), date(9999, 12, 31)), pl.Datetime: (datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59))}  # noqa: DTZ001  # fmt: skip


def read_database(url: str, *, table: str | None, query: str | None) -> tuple[pl.DataFrame, str, ReadRows]:
    """Read a table, or the rows of a query; also what messages call it, and where it stands.

    Without either the only table there is. `TableError` where the database, or the table, is not there, or something is refused.
    """
    if table is not None and query is not None:
        raise InvalidError("a table and a query are given; give one of them")
    address = address_of(url)
    sort = sort_of(address)
    with session(address) as own:
        if query is None:
            schema, name = _found(own, sort.tables(own), table)
            whole = ".".join(quoted_name(part) for part in (schema, name) if part is not None)
            source, asked = f"{name} of {address.label}", f"SELECT * FROM {whole}"
            rows = ReadRows(sort.identity(own), schema, name)
        else:
            source, asked = f"query of {address.label}", query.strip().rstrip(";")
            rows = ReadRows(sort.identity(own), query=query)
        frame = sort.read(own, asked)
        _refuse_no_days(own, frame)
        return frame, source, rows


def _found(
    own: Session, there: dict[str, tuple[str | None, str]], table: str | None
) -> tuple[str | None, str]:
    """Find a table by its name, behind its schema or not; the only one where none is named."""
    listed = ", ".join(sorted(there)[:_SHOWN]) + (
        f" and {len(there) - _SHOWN} more" if len(there) > _SHOWN else ""
    )
    if table is None:
        if len(there) == 1:
            return next(iter(there.values()))
        what = f"has {count(len(there), 'table')}: {listed}" if there else "has no table"
        raise own.refusal(what, remedy="say which one (--table), or give a query (--query)" if there else "")
    named = there | {
        f"{schema}.{name}": (schema, name) for schema, name in there.values() if schema is not None
    }
    if table not in named:
        raise own.refusal(
            f"has no table {table!r}", remedy=f"there are: {listed}" if there else "it has none"
        )
    return named[table]


def _refuse_no_days(own: Session, frame: pl.DataFrame) -> None:
    """Refuse days without end, as PostgreSQL has them: they are numbers that no calendar has."""
    for name, dtype in frame.schema.items():
        if type(dtype) not in _DAYS:
            continue
        ends = pl.Series(_DAYS[type(dtype)]).cast(dtype).to_physical()
        if not frame[name].to_physical().drop_nulls().is_between(*ends).all():
            what = f"column {name!r} holds infinity, or a day outside of the years 1 to 9999"
            raise own.refusal(what, remedy="leave such rows out, or make them NULL, by a query")
