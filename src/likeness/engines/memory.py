"""Everything in memory: what fits there is quickest so, and whatever works on records works with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.engines.base import Engine
from likeness.tables import Table, read
from likeness.tables.parts import count_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.progress import Progress


@dataclass(frozen=True)
class MemoryEngine(Engine):
    """Hold the whole table in memory.

    Examples
    --------
    >>> MemoryEngine()
    MemoryEngine()
    """

    name: ClassVar[str] = "memory"
    whole: ClassVar[bool] = True

    def find(self, source: Any, *, delimiter: str | None = None, decimal: str | None = None) -> Table:
        """Read a table: whatever `likeness.read` takes.

        Parameters
        ----------
        source
            The table.
        delimiter, decimal
            Of CSV files; None to find them.

        Raises
        ------
        TableError
            Where it cannot be read.
        """
        return source if isinstance(source, Table) else read(source, delimiter=delimiter, decimal=decimal)

    def count(self, source: Table, names: Sequence[str], progress: Progress) -> Table:
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
            Where columns hold what no column of a table can.
        """
        import polars as pl

        progress.step("count", 0, 1)
        frame = source.frame if source.library == "polars" else pl.DataFrame(source.frame)
        return count_cells(
            frame.lazy(),
            names,
            source=source.source,
            collect=lambda query: query.collect(),
            decimal=source.decimal,
            thousands=source.thousands,
            format=source.format,
            written=source.written,
            reading=source.reading,
        )
