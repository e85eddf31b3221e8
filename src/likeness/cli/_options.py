"""Options that several commands share."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from likeness.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Collection

    from likeness.policy import Policy
    from likeness.release import Release
    from likeness.tables import Table

STANDARD_INPUT = Path("-")
TablePath = Annotated[
    str,
    Parameter(
        help="CSV or JSON lines (also .gz .bz2 .xz .zst), Excel, Parquet, Arrow, SPSS, Stata or SAS file; a folder of Parquet or "
        "CSV files, or a pattern in quotes ('visits/*.parquet'); - is CSV from standard input; or the URL of a database "
        "(sqlite:///clinic.db, postgresql://…)."
    ),
]
PolicyPath = Annotated[Path, Parameter(help="Policy file, YAML or JSON.")]
FolderPath = Annotated[Path, Parameter(help="Release folder, or its public/ alone.")]
Overwrite = Annotated[bool, Parameter(help="Replace what is there.", show_default=False)]
Seed = Annotated[
    int | None,
    Parameter(
        help="Makes the release reproducible; overrides the policy's. Whoever knows it can make it again."
    ),
]
EngineName = Annotated[
    str | None,
    Parameter(
        help="Where counting runs: memory, streaming (larger than memory) or spark; overrides the policy's. Left out: "
        "streaming where the files of the table take more than an eighth of the machine's memory."
    ),
]
Format = Annotated[Literal["text", "json"], Parameter(help="How stdout is written.")]
Original = Annotated[
    str,
    Parameter(
        help="The table the release was made from: a file, or the URL of a database. It is read as it was then, which private/ "
        "knows, unless an option says how."
    ),
]


@Parameter(name="*", group=Group("Reading the table", sort_key=50))
@dataclass(frozen=True)
class Reading:
    """How a table is to be read.

    Parameters
    ----------
    delimiter
        CSV: what stands between cells, such as ; or tab; found when left out.
    quote
        CSV: the quote character; none when quotes have no meaning.
    encoding
        CSV and JSON lines: such as cp1252, or utf-8+cp1252 where only a part is UTF-8; UTF-8, or what the byte order mark
        says, when left out. Never guessed.
    decimal
        The decimal mark of numbers that are text, . or , ; found for each column when left out.
    thousands
        What separates the thousands of numbers that are text: comma, point, space or apostrophe; when left out, a comma or
        point that can be nothing else, as in 1,234,567.
    no_header
        CSV: the first line is a record already; columns are named column_1, column_2 …
    header
        CSV without a header: the names of the columns, with commas between.
    sheet
        Excel: the sheet that holds the table; may be left out where no other in sight holds anything.
    table
        Databases: the table, behind its schema where it is not found without; may be left out where there is one.
    query
        Databases: a query (SELECT …) whose rows are the table, instead of --table.
    """

    delimiter: str | None = None
    quote: str = '"'
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    no_header: Annotated[bool, Parameter(show_default=False)] = False
    header: str | None = None
    sheet: str | None = None
    table: str | None = None
    query: str | None = None

    def read(self, place: str) -> Table:
        """Read a table.

        Parameters
        ----------
        place
            Its file; - for CSV from standard input; or the URL of its database.

        Raises
        ------
        TableError
            When it cannot be read.
        """
        from likeness.tables import read_as_said

        return read_as_said(
            sys.stdin.buffer if Path(place) == STANDARD_INPUT else place,
            delimiter=self.delimiter,
            quote=self.quote,
            encoding=self.encoding,
            decimal=self.decimal,
            thousands=self.thousands,
            header=_names(self.header) or not self.no_header,
            sheet=self.sheet,
            table=self.table,
            query=self.query,
        )

    def again(self, place: str) -> str | Table:
        """Take the original of a release that is there: read, where it is said how, else its place, as the release knows how.

        Parameters
        ----------
        place
            Its file; - for CSV from standard input; or the URL of its database.

        Raises
        ------
        TableError
            When it cannot be read.
        """
        return place if self == AS_FOUND and Path(place) != STANDARD_INPUT else self.read(place)

    def of_parts(self) -> dict[str, str | None]:
        """Take what can be said of a table in many files.

        Raises
        ------
        InvalidError
            When more was said.
        """
        taken = {"delimiter", "decimal"}
        more = [
            f"--{one.name.replace('_', '-')}"
            for one in fields(self)
            if one.name not in taken and getattr(self, one.name) != one.default
        ]
        if more:
            raise InvalidError(
                f"{' and '.join(more)} can be given for tables that are read as a whole only; leave it out, or say "
                "--engine memory"
            )
        tab = self.delimiter in {"tab", "\\t"}
        return {"delimiter": "\t" if tab else self.delimiter, "decimal": self.decimal}

    def said(self, place: str) -> str:
        """Write a table as it is given to another command, with what was said of how to read it.

        Parameters
        ----------
        place
            Its file, or the URL of its database, whose password is not written.

        Examples
        --------
        >>> Reading(encoding="cp1252", no_header=True).said("clinic.csv")
        'clinic.csv --encoding cp1252 --no-header'
        >>> Reading(table="patients").said("postgresql://ada:secret@db/clinic")
        'postgresql://ada@db/clinic --table patients'
        """
        from shlex import quote

        from likeness.tables.databases import is_url, shown_url

        words = [shown_url(place) if is_url(place) else quote(place)]
        for one in fields(self):
            given = getattr(self, one.name)
            if given != one.default:
                option = f"--{one.name.replace('_', '-')}"
                words.append(option if given is True else f"{option} {quote(given)}")
        return " ".join(words)


AS_FOUND = Reading()
"""Everything about a file is found from the file."""


@Parameter(name="*", group=Group("Into a database", sort_key=52))
@dataclass(frozen=True)
class Into:
    """Where the published tables are put beside the release folder.

    Parameters
    ----------
    to
        The URL of a database that gets the published table too, once the folder is in place: sqlite:///research.db (made where
        it is not there) or postgresql://…; proven from what it gives back, before it is final.
    to_table
        What the table is called there; of a release of several tables each has its own name behind this one.
    """

    to: str | None = None
    to_table: str | None = None

    def check(self, tables: Collection[str], original: Table, *, overwrite: bool) -> None:
        """Refuse a database that the tables of a release cannot be put into, before any work is done.

        Parameters
        ----------
        tables
            Their names in the release.
        original
            What it is made from, which is not replaced.
        overwrite
            Replace tables that are there.

        Raises
        ------
        InvalidError
            When one of the two is missing.
        OutputError
            When it cannot be written, or a table is there.
        """
        from likeness.release import database_names
        from likeness.tables.databases import check_database

        if (self.to is None) != (self.to_table is None):
            raise InvalidError(
                "--to and --to-table belong together: the URL of a database, and the name of a table in it"
            )
        if self.to is not None and self.to_table is not None:
            names = database_names(self.to_table, tables)
            check_database(self.to, names, overwrite=overwrite, original=original.read_rows)

    def refuse(self, engine: str) -> None:
        """Refuse a database for a release that is never in memory as a whole.

        Parameters
        ----------
        engine
            What counts its records.

        Raises
        ------
        InvalidError
            When a database was given.
        """
        if self.to is not None or self.to_table is not None:
            raise InvalidError(
                f"--to needs a release that is in memory, which none of --engine {engine} is; load its files into the database"
            )

    def put(self, release: Release, folder: Path, *, overwrite: bool) -> dict[str, Any]:
        """Put a release that was written into the database too, if one is given; what a summary says of it.

        Parameters
        ----------
        release
            The release.
        folder
            Where it lies, which is said where it is not put into the database.
        overwrite
            Replace tables that are there.
        """
        if self.to is None or self.to_table is None:
            return {}
        from likeness.cli._console import console
        from likeness.errors import LikenessError
        from likeness.tables.databases import shown_url

        try:
            names = release.to_database(self.to, self.to_table, overwrite=overwrite)
        except LikenessError:
            console.note(f"note: the release is in {folder}, and the database is as it was")
            raise
        return {"database": {"url": shown_url(self.to), "tables": list(names)}}


FOLDER_ALONE = Into()
"""Into no database."""


@Parameter(name="*", group=Group("Reading the second table, where there is one", sort_key=51))
@dataclass(frozen=True)
class RecordsReading:
    """How the second table is to be read; overrides what the policy says under records.

    Parameters
    ----------
    records_delimiter
        CSV: what stands between its cells, as --delimiter for the first table.
    records_quote
        CSV: its quote character, as --quote.
    records_encoding
        CSV: its encoding, as --encoding.
    records_decimal
        The decimal mark of its numbers, as --decimal.
    records_thousands
        What separates the thousands of its numbers, as --thousands.
    records_no_header
        CSV: its first line is a record already.
    records_header
        CSV: the names of its columns, as --header.
    records_sheet
        Excel: its sheet, as --sheet.
    records_key
        What the column that names a person is called in the second table, where it has another name there.
    """

    records_delimiter: str | None = None
    records_quote: str | None = None
    records_encoding: str | None = None
    records_decimal: str | None = None
    records_thousands: str | None = None
    records_no_header: Annotated[bool, Parameter(show_default=False)] = False
    records_header: str | None = None
    records_sheet: str | None = None
    records_key: str | None = None

    def of(self, policy: Path) -> Policy | Path:
        """Take a policy with what is said here; the file itself where nothing is.

        Parameters
        ----------
        policy
            The policy file.

        Raises
        ------
        PolicyError
            When it names no second table, or cannot be read.
        """
        changes = self.said() if self.records_key is None else {**self.said(), "key": self.records_key}
        if not changes:
            return policy
        from likeness.errors import PolicyError
        from likeness.policy import Policy

        told = Policy.load(policy)
        if told.records is None:
            raise PolicyError(
                f"{policy}: names no second table (records:), and {self.options()} is about one; leave it out"
            )
        try:
            return told.replace(records=told.records.replace(**changes))
        except PolicyError as problem:
            raise PolicyError(*(f"--records-{refusal}" for refusal in problem.refusals)) from None

    def said(self) -> dict[str, Any]:
        """Give what is said about reading its file, as a policy says it under records."""
        header = _names(self.records_header) or (False if self.records_no_header else None)
        said = {
            "delimiter": self.records_delimiter,
            "quote": self.records_quote,
            "encoding": self.records_encoding,
            "decimal": self.records_decimal,
            "thousands": self.records_thousands,
            "header": header,
            "sheet": self.records_sheet,
        }
        return {key: value for key, value in said.items() if value is not None}

    def options(self) -> str:
        """Name the options that are given; nothing where none is."""
        given = (name for name, value in vars(self).items() if value not in {None, False})
        return " and ".join(f"--{name.replace('_', '-')}" for name in given)


AS_SAID = RecordsReading()
"""The policy says all there is to say about the second table."""


def _names(listed: str | None) -> tuple[str, ...] | None:
    """Names with commas between."""
    return None if listed is None else tuple(name.strip() for name in listed.split(","))


def refuse_overwriting_nothing(output: Path | None, *, overwrite: bool) -> None:
    """Refuse ``--overwrite`` where nothing is written.

    Parameters
    ----------
    output
        Where something is to be written; None for nowhere.
    overwrite
        Whether what is there is to be replaced.

    Raises
    ------
    InvalidError
        Saying so.
    """
    if overwrite and output is None:
        raise InvalidError("--overwrite: nothing is written without -o; give -o, or leave it out")


def pair(text: str, option: str) -> tuple[str, str]:
    """Split ``NAME=VALUE``.

    Parameters
    ----------
    text
        What was given.
    option
        The option it was given to.

    Raises
    ------
    InvalidError
        When it is not of that shape.

    Examples
    --------
    >>> pair("visit=other", "--role")
    ('visit', 'other')
    """
    name, equals, value = text.rpartition("=")
    if not equals or not name or not value:
        raise InvalidError(f"{option}: give NAME=VALUE; got {text!r}")
    return name, value


def part(text: str) -> tuple[str, dict[str, object]]:
    """Split the name of a part from its parameters: ``NAME`` or ``NAME:key=value,key=value``.

    Raises
    ------
    InvalidError
        When it is not of that shape.

    Examples
    --------
    >>> part("linkage:targets=1000,seed=3")
    ('linkage', {'targets': 1000, 'seed': 3})
    """
    import yaml

    name, _, given = text.partition(":")
    found = {}
    for one in given.split(",") if given else []:
        key, value = pair(one, text)
        try:
            found[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise InvalidError(f"{text}: {value!r} is not a value") from None
    return name, found
