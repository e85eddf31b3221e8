"""A real PostgreSQL for tests: made in a folder of its own, spoken to through a socket, never through a port."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adbc_driver_postgresql import dbapi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STEWARD, ADA, PASSWORD = "steward", "ada", "se/cr@t"
"""Who may do everything, and who must give a password."""


@dataclass(frozen=True)
class Server:
    """A server that runs; ``folder`` holds its socket."""

    folder: Path

    def url(self, database: str = "postgres", *, user: str = STEWARD) -> str:
        """The URL of one of its databases; ADA's has her password in it."""
        login = user if user == STEWARD else f"{user}:se%2Fcr%40t"
        return f"postgresql://{login}@/{database}?host={self.folder}"

    def fresh(self) -> str:
        """Make a database that nobody else uses; its name."""
        name = f"fresh_{os.urandom(8).hex()}"
        self.run(f"CREATE DATABASE {name}")
        return name

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Run statements, each for itself, as the one who may do everything."""
        with dbapi.connect(self.url(database), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def rows(self, query: str, database: str = "postgres") -> list[tuple]:
        """Ask for rows."""
        with dbapi.connect(self.url(database)) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()


def find_binaries() -> Path | None:
    """The folder of its programs, of the newest version; None where there is none."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in folders), key=lambda path: int(path.parent.name), default=None)


@contextmanager
def started(binaries: Path) -> Iterator[Server]:
    """Start a server of its own; root, as whom it refuses to run, starts it as nobody."""
    folder = Path(
        tempfile.mkdtemp(prefix="likeness-postgresql-", dir="/tmp")
    )  # a socket's path must be short
    other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    if other:
        shutil.chown(folder, "nobody", "nogroup")

    def call(program: str, *words: str | Path) -> None:
        _quietly([*other, binaries / program, *words], folder)

    data = folder / "data"
    try:
        call("initdb", "-D", data, "-U", STEWARD, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        hba = data / "pg_hba.conf"
        hba.write_text(f"local all {ADA} scram-sha-256\n{hba.read_text()}")
        options = f"-c listen_addresses='' -k {folder} -c fsync=off"
        call("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            server = Server(folder)
            server.run(
                f"CREATE ROLE {ADA} LOGIN PASSWORD '{PASSWORD}'", f"GRANT ALL ON SCHEMA public TO {ADA}"
            )
            yield server
        finally:
            call("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _quietly(command: Sequence[str | Path], folder: Path) -> None:
    """Run a program; what it says is said where it fails. A server that goes on holds no pipe."""
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(command, stdout=said, stderr=said, cwd=folder, check=False)
        said.seek(0)
        assert done.returncode == 0, said.read().decode()
