"""A connection to a database, with one transaction: what is asked of it, and what is said where it refuses."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import polars as pl

from likeness.errors import LikenessError, OutputError, Refusal, TableError
from likeness.placing import Apart, unfinished
from likeness.tables.databases.addresses import POSTGRESQL, SQLITE, Address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Result = TypeVar("_Result")

_PATIENCE = 10.0
"""Seconds that what was stopped may take to end; the process ends then, and the database undoes what is left."""
_DRIVERS = {SQLITE: "adbc_driver_sqlite", POSTGRESQL: "adbc_driver_postgresql"}

_ONLY_READING = {SQLITE: "PRAGMA query_only = ON", POSTGRESQL: "SET TRANSACTION READ ONLY"}


class Session:
    """One transaction of a database; made by `session`.

    ``address``: where it is. ``refused``: the error that is raised where the database refuses something.
    """

    def __init__(
        self,
        address: Address,
        refused: type[LikenessError],
        connection: Any,
        errors: type[Exception],
    ) -> None:
        self.address, self.refused = address, refused
        self._connection, self._errors = connection, errors
        self._running: Apart | None = None

    def run(self, statement: str) -> None:
        """Run a statement that gives no rows."""

        def work() -> None:
            with self._connection.cursor() as cursor:
                cursor.execute(statement)

        self._do(work)

    def ask(self, query: str, options: dict[str, str] | None = None) -> pl.DataFrame:
        """Ask for rows; types that polars does not know are those they are stored as.

        ``options``: what the driver is told beside the query.
        """

        def work() -> pl.DataFrame:
            with self._connection.cursor(adbc_stmt_kwargs=options) as cursor:
                cursor.execute(query)
                return pl.DataFrame(cursor.fetch_arrow())

        frame = self._do(work)
        return frame.with_columns(
            pl.Series(name, column.ext.storage())
            for name, column in zip(frame.columns, frame.iter_columns(), strict=True)
            if isinstance(column.dtype, pl.BaseExtension)
        )

    def ingest(self, name: str, schema: str | None, frame: pl.DataFrame) -> None:
        """Append rows to a table."""

        def work() -> None:
            with self._connection.cursor() as cursor:
                cursor.adbc_ingest(name, frame, mode="append", db_schema_name=schema)

        self._do(work)

    def commit(self) -> None:
        """Make what was done the database's."""
        self._do(self._connection.commit)

    def end(self) -> None:
        """Stop what is being done, and leave the database as it was unless all was committed; also where a signal comes."""
        if self._running is not None and self._running.is_alive():
            with suppress(self._errors):
                self._connection.adbc_cancel()
            self._running.join(_PATIENCE)
        if self._running is None or not self._running.is_alive():
            # A connection that is lost, or closed, did so: what it says of that is nobody's.
            Apart(self._connection.rollback).join(_PATIENCE)

    def _do(self, work: Callable[[], _Result]) -> _Result:
        """Do something, and say in one line what the database refuses."""
        with self.saying():
            self._running = Apart(work)
            return cast("_Result", self._running.result())

    @contextmanager
    def saying(self) -> Iterator[None]:
        """Say in one line what the database refuses in the block."""
        try:
            yield
        except (self._errors, pl.exceptions.PolarsError) as error:
            raise self.refusal(_reason(str(error), self.address)) from None

    def refusal(self, what: str, *where: str, remedy: str = "") -> LikenessError:
        """Make an error about this database."""
        return self.refused(Refusal(what, (self.address.label, *where), remedy=remedy))


@contextmanager
def session(address: Address, *, write: bool = False) -> Iterator[Session]:
    """Connect to a database for one transaction, which may only read unless it is to ``write``.

    `TableError` (`OutputError` where it is written) where the driver is not installed, there is no such file or server, or
    whatever is done in the block is refused. What was not committed is undone.
    """
    refused = OutputError if write else TableError
    driver = _DRIVERS[address.kind]
    try:
        dbapi, manager = import_module(f"{driver}.dbapi"), import_module("adbc_driver_manager")
    except ModuleNotFoundError:
        what = f"is a database, and {driver.replace('_', '-')}, which reads that, is not installed"
        raise refused(Refusal(what, (address.label,), remedy="pip install 'likeness[database]'")) from None
    if address.kind == SQLITE and not address.path.is_file():
        raise refused(Refusal("there is no such file", (address.label,)))
    # A file whose writer was killed is put in order by whoever opens it next, which needs the right to write; none is made.
    uri = f"{address.path.absolute().as_uri()}?mode=rw" if address.kind == SQLITE else address.uri
    try:
        connection = Apart(partial(dbapi.connect, uri)).result()
    except manager.Error as error:
        what = f"cannot be reached ({_reason(str(error), address)})"
        raise refused(Refusal(what, (address.label,))) from None
    try:
        made = Session(address, refused, connection, manager.Error)
        with unfinished(made.end):
            if not write:
                made.run(_ONLY_READING[address.kind])
            yield made
    finally:
        Apart(connection.close).join(_PATIENCE)


def _reason(said: str, address: Address) -> str:
    """Take the first line of what a driver says; nothing of it where it has a password in it."""
    if any(secret in said for secret in address.secrets):
        return "what the driver says holds the password, so it is not shown"
    return next(iter(said.splitlines()), "no reason was given")


def quoted_name(name: str) -> str:
    """Write a name as SQL does.

    >>> quoted_name('a "b" c')
    '"a ""b"" c"'
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def quoted_text(text: str) -> str:
    """Write a text as SQL does.

    >>> quoted_text("it's")
    "'it''s'"
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
