"""What every engine does: it finds a table, counts the records that say the same, and works on many parts."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from likeness import registry
from likeness.errors import PolicyError, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likeness.progress import Progress
    from likeness.tables import Table
    from likeness.tables.formats import Written

_FILES_AT_ONCE = 2
"""Files that are read at a time, by as many threads: most of it is done by libraries that let others run."""
Part = TypeVar("Part")
Found = TypeVar("Found")


class Source(Protocol):
    """A table that was found and not read.

    Attributes
    ----------
    source : str
        What messages call it.
    names : tuple of str
        Its columns.
    written : Written or None
        How a release of the same kind is written.
    """

    @property
    def source(self) -> str:
        """What messages call it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns."""

    @property
    def written(self) -> Written | None:
        """How a release of the same kind is written."""


class Engine(ABC):
    """Where counting runs; a small object without any state but its options."""

    name: ClassVar[str]
    whole: ClassVar[bool] = False
    """Whether it holds all records at once, so that whatever works on records works with it."""

    @classmethod
    def made_for(cls, source: Any) -> bool:  # noqa: ARG003  # most are asked for by name
        """Whether a source is one that it was made for.

        Parameters
        ----------
        source
            As `find` takes it.
        """
        return False

    @abstractmethod
    def find(self, source: Any, *, delimiter: str | None = None, decimal: str | None = None) -> Source:
        """Find a table without reading it.

        Parameters
        ----------
        source
            A folder of files, a pattern, a file; what else an engine takes.
        delimiter, decimal
            Of CSV files; None to find them.

        Raises
        ------
        TableError
            Where there is no table, or none of this engine's.
        """

    @abstractmethod
    def count(self, source: Any, names: Sequence[str], progress: Progress) -> Table:
        """Count the records that say the same in some columns, as `likeness.tables.parts.count_cells` does.

        Parameters
        ----------
        source
            What `find` found.
        names
            The columns.
        progress
            Where to say how far the work is.
        """

    def each(
        self,
        work: Callable[[Part], Found],
        parts: Sequence[Part],
        progress: Progress,
        stage: str,
        *,
        local: bool = True,  # all of this machine's engines are
    ) -> list[Found]:
        """Do the same for each of many parts, in their order.

        Parameters
        ----------
        work
            What is done.
        parts
            The parts.
        progress
            Where to say how many are done.
        stage
            What it is called there.
        local
            Whether the parts lie on this machine's disk.
        """
        found = []
        if not local or len(parts) < _FILES_AT_ONCE:
            for number, part in enumerate(parts):
                progress.step(stage, number, len(parts))
                found.append(work(part))
            return found
        pool = ThreadPoolExecutor(_FILES_AT_ONCE)
        try:
            for number, one in enumerate(pool.map(work, parts)):
                progress.step(stage, number, len(parts))
                found.append(one)
        finally:
            pool.shutdown(cancel_futures=True)
        return found


def engine_for(source: Any, asked: str | None = None) -> Engine:
    """Take the engine that was asked for, or the one for what is given.

    Spark's for frames of Spark; streaming for files that take more than a share of the machine's memory; else memory.

    Parameters
    ----------
    source
        As `Engine.find` takes it.
    asked
        Its name.

    Raises
    ------
    PolicyError
        When there is no engine of that name.

    Examples
    --------
    >>> engine_for("patients.csv").name, engine_for("patients.csv", "streaming").name
    ('memory', 'streaming')
    """
    known = registry.names("engines")
    if asked is not None and asked not in known:
        raise PolicyError(f"engine: there is no {asked!r}{suggestion(asked, known)}")
    if asked is None:
        asked = next((name for name in known if registry.load("engines", name).made_for(source)), "memory")
    made: Engine = registry.create("engines", asked, {})
    return made


def memory_of_machine() -> int:
    """Bytes of memory that the machine has, or that its control group leaves to this process."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return found
    return min(found, int(limit)) if limit.isdigit() else found
