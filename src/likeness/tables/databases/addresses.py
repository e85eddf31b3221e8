"""URLs of databases taken apart: what the driver is told, and what people are told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from likeness.errors import InvalidError, Refusal

SQLITE, POSTGRESQL = "sqlite", "postgresql"
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SCHEMES = {"sqlite": SQLITE, "postgresql": POSTGRESQL, "postgres": POSTGRESQL}
_SERVER = re.compile(
    r"""[a-z]+://
    (?:(?P<user>[^:@/?#\s]*)(?::(?P<password>[^@/?#\s]*))?@)?
    (?P<hosts>(?:\[[0-9A-Fa-f:.%]+\]|[^:@/?#,\[\]\s]*)(?::[0-9]*)?(?:,[^:@/?#,\[\]\s]*(?::[0-9]*)?)*)
    (?:/(?P<database>[^@/?#\s]*))?
    (?:\?(?P<options>[^@#\s]*))?""",
    re.VERBOSE | re.IGNORECASE,
)
_SHOWN = {"host", "hostaddr", "port", "user", "dbname"}
"""Options of a URL that are shown; others may be passwords, or the names of files that hold some."""
_SECRET = re.compile("pass|secret|key", re.IGNORECASE)
"""What the names of options have in them whose values nobody may see in what a driver says."""


@dataclass(frozen=True)
class Address:
    """Where a database is.

    ``kind``: ``sqlite`` or ``postgresql``. ``label``: its URL as messages show it. ``uri``: what the driver of a server is told.
    ``path``: the file, of SQLite. ``secrets``: texts that must not be shown.
    """

    kind: str
    label: str
    uri: str = ""
    path: Path = Path()
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadRows:
    """Where rows were read in a database, so that nothing is put in their place.

    ``database``: what tells it from all others, by whatever URL. ``schema``, ``name``: of the table, where ``query`` is none.
    """

    database: str
    schema: str | None = None
    name: str = ""
    query: str = ""

    def are_of(self, database: str, schema: str | None, name: str) -> bool:
        """Whether they are rows of a table, or of a query that names it.

        >>> rows = ReadRows("clinic", query="SELECT age FROM Patients WHERE age > 3")
        >>> [rows.are_of(database, None, name) for database in ("clinic", "other") for name in ("patients", "patient")]
        [True, False, False, False]
        """
        if database != self.database:
            return False
        if self.query:
            return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.query, re.IGNORECASE) is not None
        return (self.schema, self.name.lower()) == (schema, name.lower())


def is_url(text: str) -> bool:
    """Whether a text is a URL, of whatever kind; paths are none.

    >>> is_url("sqlite:///clinic.db"), is_url("clinic.db"), is_url("C://clinic.db")
    (True, False, False)
    """
    return _URL.match(text) is not None


def is_url_as_path(path: Path) -> bool:
    """Whether a path was made of the URL of a database: it may hold a password, and names no file.

    >>> is_url_as_path(Path("folder") / "postgresql://ada:secret@db/clinic"), is_url_as_path(Path("clinic.csv"))
    (True, False)
    """
    return any(part.endswith(":") and part[:-1].lower() in _SCHEMES for part in path.parts)


def shown_url(url: str) -> str:
    """Write a URL as it may be shown: without password and without options that may hold one.

    >>> shown_url("postgresql://ada:secret@db:5433/clinic?sslpassword=x")
    'postgresql://ada@db:5433/clinic'
    """
    return address_of(url).label


def address_of(url: str) -> Address:
    """Take a URL of a database apart; `InvalidError` where it is none, and then nothing of it is shown but its kind."""
    begin = _URL.match(url)
    if begin is None:
        what = "must be the URL of a database: sqlite:///clinic.db, or postgresql://user@host/database"
        raise InvalidError(Refusal(what, about="where tables are put"))
    scheme = begin.group(1).lower()
    if scheme not in _SCHEMES:
        what = f"are no databases that can be read; known: {', '.join(_SCHEMES)}; fetch a file first"
        raise InvalidError(Refusal(what, about=f"{scheme}:// URLs"))
    return _file(url) if _SCHEMES[scheme] == SQLITE else _server(url)


def _file(url: str) -> Address:
    """Take the URL of an SQLite file apart: three slashes and a path, which is absolute where it begins with one."""
    empty, slash, path = url[len("sqlite://") :].partition("/")
    if empty or not slash or not path or "?" in path or "#" in path:
        what = "must read sqlite:///clinic.db, or sqlite:////data/clinic.db for an absolute path, with nothing behind it"
        raise InvalidError(Refusal(what, about="the URL of an SQLite file"))
    return Address(SQLITE, url, path=Path(unquote(path)))


def _server(url: str) -> Address:
    """Take the URL of a PostgreSQL server apart as libpq does; what it might read otherwise is refused."""
    found = _SERVER.fullmatch(url)
    options = (
        [] if found is None else [one.partition("=") for one in (found["options"] or "").split("&") if one]
    )
    if found is None or any(not equals for _, equals, _ in options):
        what = "must read postgresql://user:password@host:port/database, special characters of each part as % and their code"
        raise InvalidError(Refusal(what, about="the URL of a PostgreSQL database"))
    hidden = [found["password"] or "", *(value for name, _, value in options if _SECRET.search(name))]
    secrets = {text for value in hidden for text in (value, unquote(value)) if text}
    user = "" if found["user"] is None else f"{found['user']}@"
    database = "" if found["database"] is None else f"/{found['database']}"
    kept = "&".join(f"{name}={value}" for name, _, value in options if name in _SHOWN)
    label = f"postgresql://{user}{found['hosts']}{database}{kept and '?'}{kept}"
    return Address(POSTGRESQL, label, uri=url, secrets=tuple(secrets))
