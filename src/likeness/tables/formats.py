"""The kinds of files that a table is published as, each told by the ending of its name, and how the file of a table was written.

A release is a file of the kind its table came in. What a reader needs to know beside the name is the delimiter of a CSV file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from likeness.endings import FORMATS
from likeness.tables.compression import COMPRESSIONS, zlib_version
from likeness.tables.statistics_files import PROGRAMS, packer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.endings import Ending
    from likeness.tables.compression import Compression

DELIMITERS = r"[\t -!#-+\--~]"
"""Delimiters of CSV files that are told beside them: any but the comma, which is not told, and the quote."""


@dataclass(frozen=True)
class FileFormat:
    r"""How a published table is written.

    ``ending``: of its file's name. ``delimiter``: of CSV.

    >>> FileFormat("tsv.gz").kind, FileFormat("tsv.gz").separator, FileFormat("tsv.gz").compression.name
    ('csv', '\t', 'gzip')
    """

    ending: Ending = "csv"
    delimiter: str = ","

    @property
    def kind(self) -> str:
        """What is in the file, once it is decompressed: ``csv``, ``jsonl``, or what its ending says."""
        first = self.ending.split(".", 1)[0]
        return "csv" if first == "tsv" else first

    @property
    def of_statistics(self) -> bool:
        """Whether it is a file of a statistics program."""
        return self.kind in PROGRAMS

    @property
    def separator(self) -> str:
        """What delimits the cells of CSV; tabs where the name says so."""
        return "\t" if self.ending.startswith("tsv") else self.delimiter

    @property
    def takes_delimiter(self) -> bool:
        """Whether a file of this name may have this delimiter."""
        return self.delimiter == "," or self.ending.startswith("csv")

    @property
    def compression(self) -> Compression | None:
        """How the file is compressed, around what is in it; None where it is not."""
        return next((one for one in COMPRESSIONS if self.ending.endswith(one.ending)), None)

    @property
    def packer(self) -> str | None:
        """The library that packs or compresses it and its version, where another one may give other bytes."""
        if self.kind in {"parquet", "arrow"}:
            return f"polars {pl.__version__}"
        if self.kind == "xlsx":
            return zlib_version()
        if self.of_statistics:
            return packer(self.kind)
        return None if self.compression is None else self.compression.packer()

    @property
    def facts(self) -> dict[str, str]:
        """What is told of a file beside its name: ``delimiter``, where it is another than the name says; ``packed_by``."""
        told = {}
        if self.delimiter != ",":
            told["delimiter"] = self.delimiter
        if self.packer is not None:
            told["packed_by"] = self.packer
        return told


def format_of(path: str | Path, delimiter: str = ",") -> FileFormat | None:
    """Tell the format of a published table from its file's name; None where published tables have no such ending.

    >>> format_of("public/release.csv.gz").ending
    'csv.gz'
    """
    name = Path(path).name
    found = [ending for ending in FORMATS if name.endswith(f".{ending}")]
    return FileFormat(max(found, key=len), delimiter) if found else None


@dataclass(frozen=True)
class Written:
    """How the file that a table was read from is written.

    ``format``: that of a release of the same kind.
    ``other``: what such a release is written without, by the name of the option that says it: ``quote``, ``encoding`` …
    ``read``: what was made of it while it was read, as `likeness.tables.statistics_files.read_statistics` tells it.
    """

    format: FileFormat
    other: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)


def listed_endings() -> str:
    """List the endings of published tables for messages."""
    plain = [ending for ending in FORMATS if "." not in ending]
    packed = ", ".join(one.ending for one in COMPRESSIONS)
    return f"{', '.join(f'.{ending}' for ending in plain)}, and text compressed ({packed})"
