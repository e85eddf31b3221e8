"""One machine, and tables larger than its memory: polars reads the files of a table some rows at a time.

What is held are the counts: about four bytes a column and sixteen more for every different combination of values.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.engines.base import Engine, memory_of_machine
from likeness.errors import Refusal, TableError
from likeness.tables.parts import PartedTable, collected, count_cells, files_of, find_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from likeness.progress import Progress
    from likeness.tables import Table

SHARE = 8
"""A table whose files take more than one part in so many of the machine's memory is too large to be read as a whole: read, it
takes several times its files, and a search as much again."""


@dataclass(frozen=True)
class StreamingEngine(Engine):
    """Read files of Parquet or CSV some rows at a time, and count.

    Examples
    --------
    >>> StreamingEngine()
    StreamingEngine()
    """

    name: ClassVar[str] = "streaming"

    @classmethod
    def made_for(cls, source: Any) -> bool:
        """Whether its files take more than a share of the machine's memory (`SHARE`).

        Parameters
        ----------
        source
            As `find` takes it.
        """
        files = files_of(source) if isinstance(source, str | os.PathLike) else []
        return SHARE * sum(path.stat().st_size for path in files) > memory_of_machine()

    def find(self, source: Any, *, delimiter: str | None = None, decimal: str | None = None) -> PartedTable:
        """Find a folder of Parquet or CSV files, those that a pattern names, or one file.

        Parameters
        ----------
        source
            Its path, or pattern.
        delimiter, decimal
            Of CSV files; None to find them.

        Raises
        ------
        TableError
            Where there is none.
        """
        if isinstance(source, PartedTable):
            return source
        try:
            return find_parts(source, delimiter=delimiter, decimal=decimal)
        except TypeError:
            what = f"only files can be counted by engine: {self.name}, and this is none"
            remedy = "give a folder, or a pattern, of Parquet or CSV files, or use engine: memory"
            raise TableError(Refusal(what, (type(source).__name__,), remedy=remedy)) from None

    def count(self, source: PartedTable, names: Sequence[str], progress: Progress) -> Table:
        """Count the records that say the same in some columns.

        Parameters
        ----------
        source
            What `find` found.
        names
            The columns.
        progress
            Where to say how far the work is.

        Raises
        ------
        TableError
            Where a file cannot be read, or its columns hold what no column of a table can.
        """

        def collect(query: pl.LazyFrame) -> pl.DataFrame:
            return collected(source, lambda: query.collect(engine="streaming"))

        source = source.looked_through(progress)
        counted = count_cells(
            source.scan(),
            names,
            source=source.source,
            collect=collect,
            pieces=source.pieces(collect),
            progress=progress,
            decimal=source.decimal,
            format=source.kind,
            written=source.written,
            reading=source.reading,
        )
        source.check_number(counted.records)
        return counted
