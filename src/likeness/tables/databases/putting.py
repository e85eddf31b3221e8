"""Published tables into a database: in one transaction, in which they are read back and compared with what was proven."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from likeness.errors import Refusal, VerificationError
from likeness.placing import PARTIAL, check_file, write_files
from likeness.tables.columns import as_text, packed_text
from likeness.tables.databases.addresses import SQLITE, Address, ReadRows, address_of
from likeness.tables.databases.sessions import Session, quoted_name, session
from likeness.tables.databases.sorts import DatabaseSort, sort_of
from likeness.tables.databases.storing import Stored, texts_of
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def check_database(
    url: str, names: Iterable[str], *, overwrite: bool, original: ReadRows | None = None
) -> None:
    """Refuse a database that tables of these names cannot be put into, before any work is done; leaves it as it is.

    ``original``: the rows that the tables are made from, which are never replaced. `OutputError` where it cannot be reached or
    written, or a table is there that must not be replaced.
    """
    address = address_of(url)
    if _is_new(address):
        check_file(address.path, overwrite=False)
        return
    sort = sort_of(address)
    with session(address, write=True) as own:
        for name in names:
            schema, inner = sort.place(own, name)
            if sort.exists(own, schema, inner):
                _refuse_there(own, name, overwrite=overwrite)
                _refuse_original(own, original, schema, inner)
            else:
                own.run(f"CREATE TABLE {_whole(schema, inner)} ({sort.declared({'any': pl.Int64()})})")


def put(url: str, tables: Mapping[str, Stored], *, overwrite: bool, original: ReadRows | None = None) -> None:
    """Put tables into a database, all of them or none, and prove before that is final that it holds their rows.

    An SQLite file that is not there is made. Without ``overwrite`` nothing is replaced, and the ``original`` rows never are.
    `OutputError` where something is refused, `VerificationError` where the rows that are read back are not those that were put
    in; the database is then as it was, as it is where the process ends, however it does.
    """
    address = address_of(url)
    if _is_new(address):

        def fill(stage: Path) -> None:
            # Nobody else writes there now: what stands beside the place was left by one who was killed.
            for path in stage.parent.iterdir():
                if path.name.startswith(f".{address.path.name}.") and path.name.endswith(
                    f"{PARTIAL}-journal"
                ):
                    path.unlink()
            _put(replace(address, path=stage), tables, overwrite=False, original=None)

        write_files({address.path: fill}, overwrite=False)
    else:
        _put(address, tables, overwrite=overwrite, original=original)


def _is_new(address: Address) -> bool:
    """Whether it is a file that is still to be made."""
    return address.kind == SQLITE and not address.path.exists()


def _put(
    address: Address, tables: Mapping[str, Stored], *, overwrite: bool, original: ReadRows | None
) -> None:
    """Put tables into a database that is there."""
    sort = sort_of(address)
    with session(address, write=True) as own:
        for name, stored in tables.items():
            schema, inner = sort.place(own, name)
            if sort.exists(own, schema, inner):
                _refuse_there(own, name, overwrite=overwrite)
                _refuse_original(own, original, schema, inner)
                own.run(f"DROP TABLE {_whole(schema, inner)}")
            own.run(f"CREATE TABLE {_whole(schema, inner)} ({sort.declared(stored.frame.schema)})")
            pairs = zip(stored.frame.iter_columns(), stored.texts.iter_columns(), strict=True)
            own.ingest(inner, schema, pl.DataFrame([sort.storable(*pair) for pair in pairs]))
        for name, stored in tables.items():
            _prove(own, sort, name, stored)
        own.commit()


def _refuse_there(own: Session, name: str, *, overwrite: bool) -> None:
    """Refuse to replace a table unasked."""
    if not overwrite:
        raise own.refusal(
            f"has a table {name!r} already", remedy="say --overwrite to replace it, or give another name"
        )


def _refuse_original(own: Session, original: ReadRows | None, schema: str | None, name: str) -> None:
    """Refuse to replace the table that the release was made from, whatever was asked."""
    if original is not None and original.are_of(sort_of(own.address).identity(own), schema, name):
        raise own.refusal(f"{name!r} is the table that the release is made from", remedy="give another name")


def _prove(own: Session, sort: DatabaseSort, name: str, stored: Stored) -> None:
    """Read a table back, and compare all its rows, in any order, with those that were published."""
    found = own.ask(f"SELECT * FROM {_whole(*sort.place(own, name))}")
    wrong = f"does not hold what was published; nothing was changed in {own.address.label}"
    if found.columns != stored.frame.columns:
        raise VerificationError(Refusal(wrong, (name,), why="its columns have other names"))
    back = pl.DataFrame(
        [sort.restored(column, stored.frame.schema[column.name]) for column in found.iter_columns()]
    )
    lacking = _lacking(stored.texts, texts_of(back))
    if lacking or back.height != stored.texts.height:
        why = (
            f"{count(lacking, 'row')} of {stored.texts.height:,} were not read back, and {back.height:,} were"
        )
        raise VerificationError(Refusal(wrong, (name,), why=why))


def _lacking(wanted: pl.DataFrame, found: pl.DataFrame) -> int:
    """Count the rows that are not found as often as they are wanted: texts are compared as numbers of one dictionary."""
    pairs = zip(wanted.iter_columns(), found.iter_columns(), strict=True)
    both = pl.DataFrame(
        [
            pl.concat([as_text(one), other]).cast(packed_text()).to_physical().alias(str(i))
            for i, (one, other) in enumerate(pairs)
        ]
    )
    given = (
        pl.Series("given", [False])
        .new_from_index(0, wanted.height)
        .append(pl.Series("given", [True]).new_from_index(0, found.height))
    )
    times = (
        both.with_columns(given)
        .group_by(both.columns)
        .agg(wanted=(~pl.col("given")).sum().cast(pl.Int64), found=pl.col("given").sum().cast(pl.Int64))
    )
    return int((times["wanted"] - times["found"]).clip(lower_bound=0).sum())


def _whole(schema: str | None, name: str) -> str:
    """Write a table's name as SQL does, behind its schema where there are some."""
    return ".".join(quoted_name(part) for part in (schema, name) if part is not None)
