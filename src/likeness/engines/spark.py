"""Many machines: Spark counts the records, and only the counts come to the machine that searches.

Needs ``pip install 'likeness[spark]'`` and a JDK. One shuffle: every executor counts what it has, and sends one row for each
combination of values; so the driver holds what the streaming engine would, however many records there are.
"""

from __future__ import annotations

import os
import re
import sys
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

from likeness._version import __version__
from likeness.engines.base import Engine, Found, Part, memory_of_machine
from likeness.errors import InvalidError, Refusal, TableError
from likeness.tables.formats import FileFormat, Written
from likeness.tables.parts import COPIES, PartedTable, count_cells, find_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likeness.progress import Progress
    from likeness.tables import Table

_PYTHON = re.compile(r"[A-Za-z]+(Error|Exception): ")
"""How the last line of a trace of Python begins."""
_LOOKS = 0.5
"""Seconds between looks at how far a job is."""
_SHARE = 3
"""The part of the machine's memory that a session of our own may take is one in so many."""


@dataclass(frozen=True, eq=False)
class SparkTable:
    """A DataFrame of Spark. ``decimal``: the decimal mark of numbers in columns of texts. ``parts``: the files it is of."""

    frame: Any
    source: str = "Spark frame"
    decimal: str | None = "."
    written: Written | None = Written(FileFormat("parquet"))  # noqa: RUF009  # a frozen value
    parts: PartedTable | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Columns, in order."""
        return tuple(self.frame.columns)


@dataclass(frozen=True)
class SparkEngine(Engine):
    """Let Spark count: a DataFrame or table of a session that is there, or files, by a session of this machine.

    Examples
    --------
    >>> SparkEngine()
    SparkEngine()
    """

    name: ClassVar[str] = "spark"

    @classmethod
    def made_for(cls, source: Any) -> bool:
        """Whether it is a DataFrame of Spark.

        Parameters
        ----------
        source
            As `find` takes it.
        """
        return type(source).__module__.startswith("pyspark.sql")

    def find(self, source: Any, *, delimiter: str | None = None, decimal: str | None = None) -> SparkTable:
        """Take a DataFrame of Spark, or find a folder of Parquet or CSV files, those that a pattern names, or one file.

        Parameters
        ----------
        source
            The DataFrame, the path or the pattern.
        delimiter, decimal
            Of CSV files; None to find them.

        Raises
        ------
        TableError
            Where there is none.
        InvalidError
            Where Spark, or a JDK, is not installed.
        """
        if isinstance(source, SparkTable):
            return source
        if self.made_for(source):
            return SparkTable(source)
        if not isinstance(source, str | os.PathLike | PartedTable):
            what = "the engine spark counts DataFrames of Spark and files, and this is neither"
            raise TableError(Refusal(what, (type(source).__name__,)))
        parts = (
            source
            if isinstance(source, PartedTable)
            else find_parts(source, delimiter=delimiter, decimal=decimal)
        )
        paths = [str(path.resolve()) for path in parts.files]
        session = _session()
        if parts.kind == "parquet":
            frame = session.read.parquet(*paths)
        else:
            options = {"header": True, "sep": parts.delimiter, "escape": '"', "multiLine": True}
            frame = session.read.csv(paths, **options).toDF(*parts.columns).fillna("")
        return SparkTable(frame, parts.source, parts.decimal, parts.written, parts)

    def count(self, source: SparkTable, names: Sequence[str], progress: Progress) -> Table:
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
            Where Spark cannot count them, or columns hold what no column of a table can.
        """
        import polars as pl
        from pyspark.sql import functions

        parts = None if source.parts is None else source.parts.looked_through(progress)
        columns = [functions.col(f"`{name.replace('`', '``')}`") for name in names]
        counting = functions.count(functions.lit(1)).alias(COPIES)
        asked = source.frame.groupBy(*columns).agg(counting)
        what = f"{source.source}: Spark could not count its records"
        found = pl.DataFrame(_watched(source.frame.sparkSession, asked.toArrow, progress, "count", what))
        counted = count_cells(
            found.lazy(),
            names,
            source=source.source,
            collect=lambda query: query.collect(),
            decimal=source.decimal,
            counted=True,
            format="frame",
            written=source.written,
            reading=None if source.parts is None else source.parts.reading,
        )
        if parts is not None:
            parts.check_number(counted.records)
        return counted

    def each(
        self,
        work: Callable[[Part], Found],
        parts: Sequence[Part],
        progress: Progress,
        stage: str,
        *,
        local: bool = True,
    ) -> list[Found]:
        """Do the same for each of many parts: by the executors, where they see the parts and have this likeness.

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
        session = _session()
        context = session.sparkContext
        here = re.fullmatch(r"local(\[.*\])?", context.master) is not None
        if len(parts) < 2 or not (here or (not local and _is_installed(context))):
            return super().each(work, parts, progress, stage, local=local)
        from pyspark import cloudpickle

        # What is sent with a task must be small; and what a model was bound to has functions made there and then.
        packed: Iterator[bytes] = map(cloudpickle.dumps, parts)
        sent = [context.broadcast(part) for part in packed]
        try:
            numbers = context.parallelize(range(len(parts)), len(parts))
            done = numbers.map(lambda number: work(cloudpickle.loads(sent[number].value)))
            what = f"{stage}: the workers of Spark could not do it"
            found: list[Found] = _watched(session, done.collect, progress, stage, what)
        finally:
            for one in sent:
                one.destroy()
        return found


def _is_installed(context: Any) -> bool:
    """Whether the executors have this version of likeness."""

    def version(_: int) -> str:
        try:
            from likeness._version import __version__ as there
        except ImportError:
            return ""
        return there

    many = context.defaultParallelism
    return {*context.parallelize(range(many), many).map(version).collect()} == {__version__}


def _watched(session: Any, ask: Callable[[], Found], progress: Progress, stage: str, what: str) -> Found:
    """Ask for what a job of Spark finds, and tell meanwhile how many of its tasks are done; who is interrupted ends it, too.

    ``what`` could not be done, where it fails.
    """
    from pyspark.errors import PySparkAttributeError
    from pyspark.util import inheritable_thread_target

    progress.step(stage, 0, 0)
    as_here = inheritable_thread_target(session)
    try:
        context = session.sparkContext
    except PySparkAttributeError:
        # Of a session of Spark Connect.
        context = None
    # Threads that are not pinned have no jobs of their own.
    if context is None or as_here is session:
        with _failing(what):
            return ask()
    group = f"likeness {uuid4().hex}"

    def asked() -> Found:
        context.setJobGroup(group, f"likeness: {stage}")
        return ask()

    waiting = ThreadPoolExecutor(1)
    found: Future[Found] = waiting.submit(as_here(asked))
    try:
        while not wait([found], _LOOKS).done:
            progress.step(stage, *_tasks_of(context.statusTracker(), group))
    except BaseException:
        # Until it has ended: between two of its jobs there may be none to cancel.
        with suppress(Exception):
            while not found.done():
                context.cancelJobGroup(group)
                wait([found], _LOOKS)
        raise
    finally:
        waiting.shutdown(wait=False)
    with _failing(what):
        return found.result()


def _tasks_of(tracker: Any, group: str) -> tuple[int, int]:
    """Count the tasks of a group of jobs that are done, and all that are known; none where Spark does not say."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    done = total = 0
    # What is wrong with Spark, its job will tell.
    with suppress(Py4JError):
        for job in map(tracker.getJobInfo, tracker.getJobIdsForGroup(group)):
            for stage in map(tracker.getStageInfo, () if job is None else job.stageIds):
                done += 0 if stage is None else stage.numCompletedTasks
                total += 0 if stage is None else stage.numTasks
    return done, total


@contextmanager
def _failing(what: str) -> Iterator[None]:
    """Say what Spark could not do, and why in its own first line."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, OSError) as problem:
        lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
        # What went wrong in a worker stands behind what went wrong around it.
        told = next(
            (line for line in lines if _PYTHON.match(line)), lines[0] if lines else type(problem).__name__
        )
        raise TableError(f"{what} ({told})") from None


def _session() -> Any:
    """Take the session that is there, or start one on this machine."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise InvalidError(
            "engine: spark needs PySpark, which is not installed; pip install 'likeness[spark]'"
        ) from None
    found = SparkSession.getActiveSession()
    if found is not None:
        return found
    memory = max(1 << 30, memory_of_machine() // _SHARE) >> 20
    settings = {
        "spark.driver.memory": f"{memory}m",
        "spark.driver.maxResultSize": "0",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    # Workers are of the Python that has likeness.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("likeness")
    if "SPARK_REMOTE" not in os.environ and "MASTER" not in os.environ:
        builder = builder.master("local[*]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        return builder.getOrCreate()
    except PySparkException as problem:
        first = str(problem).splitlines()[0]
        raise InvalidError(
            f"engine: spark could not start ({first}); it needs a JDK (17 or later) on the PATH, or in JAVA_HOME"
        ) from None
