"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter

from likeness.errors import InvalidError

if TYPE_CHECKING:
    from likeness.tables import Table

TablePath = Annotated[Path, Parameter(help="CSV (also .csv.gz), Parquet or Arrow file.")]
PolicyPath = Annotated[Path, Parameter(help="Policy file, YAML or JSON.")]
FolderPath = Annotated[Path, Parameter(help="Release folder, or its public/ alone.")]
Overwrite = Annotated[bool, Parameter(help="Replace what is there.", show_default=False)]
Seed = Annotated[
    int | None,
    Parameter(
        help="Makes the release reproducible; overrides the policy's. Whoever knows it can make it again."
    ),
]
Format = Annotated[Literal["text", "json"], Parameter(help="How stdout is written.")]
Original = Annotated[Path, Parameter(help="The table the release was made from.")]

_TAB = {"tab", "\\t"}
_NONE = {"none", ""}


@Parameter(name="*", group=Group("Reading the table", sort_key=50))
@dataclass(frozen=True)
class Reading:
    """How a table file is to be read.

    Parameters
    ----------
    delimiter
        CSV: what stands between cells, such as ; or tab; found when left out.
    quote
        CSV: the quote character; none when quotes have no meaning.
    encoding
        CSV: such as cp1252; UTF-8, or what the byte order mark says, when left out. Never guessed.
    decimal
        The decimal mark of numbers that are text, . or , ; found for each column when left out.
    no_header
        CSV: the first line is a record already; columns are named column_1, column_2 …
    header
        CSV without a header: the names of the columns, with commas between.
    """

    delimiter: str | None = None
    quote: str = '"'
    encoding: str | None = None
    decimal: str | None = None
    no_header: Annotated[bool, Parameter(show_default=False)] = False
    header: str | None = None

    def read(self, path: Path) -> Table:
        """Read a table.

        Parameters
        ----------
        path
            Its file.

        Raises
        ------
        TableError
            When it cannot be read.
        """
        from likeness.tables import read

        names = None if self.header is None else tuple(name.strip() for name in self.header.split(","))
        return read(
            path,
            delimiter="\t" if self.delimiter in _TAB else self.delimiter,
            quote=None if self.quote in _NONE else self.quote,
            encoding=self.encoding,
            decimal=self.decimal,
            header=names or not self.no_header,
        )


AS_FOUND = Reading()
"""Everything about a file is found from the file."""


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
