"""The sorts of databases: one module each, the same functions in all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from likeness.tables.databases.addresses import Address
    from likeness.tables.databases.sessions import Session


class DatabaseSort(Protocol):
    """What every kind of database can do."""

    def tables(self, own: Session) -> dict[str, tuple[str | None, str]]:
        """List what can be read: name to schema and name."""

    def read(self, own: Session, query: str) -> pl.DataFrame:
        """Read the rows of one query, each column in a type that loses nothing."""

    def place(self, own: Session, name: str) -> tuple[str | None, str]:
        """Find the schema, if there are some, and the name that a table is to have."""

    def identity(self, own: Session) -> str:
        """Tell the database from all others, by whatever URL it was reached."""

    def exists(self, own: Session, schema: str | None, name: str) -> bool:
        """Whether there is a table, or what cannot stand beside one, of that name."""

    def storable(self, column: pl.Series, written: pl.Series) -> pl.Series:
        """Take a column as it is stored; ``written``: as it stands in the release's file."""

    def declared(self, columns: Mapping[str, pl.DataType]) -> str:
        """Declare columns by their types."""

    def restored(self, column: pl.Series, dtype: pl.DataType) -> pl.Series:
        """Take a column that was read back as the type it was stored from."""


def sort_of(address: Address) -> DatabaseSort:
    """Import the module for databases of this kind."""
    return cast("DatabaseSort", import_module(f"likeness.tables.databases.{address.kind}"))
