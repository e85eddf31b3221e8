"""Spark, on this machine with as many workers as two executors have: the same classes, failures told in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from tests.engines.tables import policy_of, published, random_table, shown, written

import likeness as lk
from likeness.engines.base import engine_for
from likeness.engines.spark import SparkEngine
from likeness.folder import parts as parts_module
from likeness.folder.layout import PARTS, PUBLIC
from likeness.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# PySpark leaves sockets to be closed by the garbage collection.
_UNCLOSED = ("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
pytestmark = [pytest.mark.slow, *map(pytest.mark.filterwarnings, _UNCLOSED)]
_ASKED = bool(os.environ.get("LIKENESS_SPARK_REQUIRED"))
if not _ASKED:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java", allow_module_level=True)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session with the partitions of two executors."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_the_same_classes_as_in_memory(spark: Any, tmp_path: Path) -> None:
    """Frames in one, two and seven partitions, and files: what is published is what a search on single records publishes."""
    frame = random_table(np.random.default_rng(9), 250)
    source = written(frame, tmp_path / "in", 3)
    read = spark.read.parquet(str(source))
    beta = [{"model": "k-anonymity", "k": 2}, {"model": "beta-likeness", "beta": 2, "others": "unknown"}]
    close = [{"model": "t-closeness", "t": "1/4", "others": "unknown"}]
    asked = [
        (read.repartition(1), beta, "mondrian"),
        (read.repartition(2), beta, "mondrian"),
        (read.repartition(7), close, "local-recoding"),
        (source, close, "local-recoding"),
    ]
    for number, (given, privacy, method) in enumerate(asked):
        policy = policy_of(privacy, method)
        alone = lk.anonymize(frame, policy)
        made = lk.publish(
            given, policy, tmp_path / f"out{number}", engine="spark" if given is source else None
        )
        assert made.engine == "spark"
        assert published(made.folder) == shown(alone)
        assert made.loss["ncp"] == pytest.approx(alone.loss("ncp")["ncp"], abs=1e-12)
    assert lk.verify(made.folder, original=read, engine="spark").ok


def test_counts_are_those_of_streaming(spark: Any, tmp_path: Path) -> None:
    """Every cell with its number, in the same order, so that a seed gives the same bytes."""
    source = written(random_table(np.random.default_rng(3), 400), tmp_path / "in", 2)
    tables = []
    for name in ("streaming", "spark"):
        engine = engine_for(source, name)
        found = engine.find(source)
        tables.append(engine.count(found, found.names, Progress()))
    one, other = tables
    assert one.copies is not None
    assert other.copies is not None
    assert one.copies.tolist() == other.copies.tolist()
    assert one.digest == other.digest


def test_the_same_bytes_as_streaming(spark: Any, tmp_path: Path) -> None:
    """With a seed."""
    source = written(random_table(np.random.default_rng(4), 200), tmp_path / "in", 2)
    policy = policy_of([{"model": "k-anonymity", "k": 3}], "mondrian")
    files = [
        lk.publish(source, policy, tmp_path / name, engine=name).certificate.files
        for name in ("streaming", "spark")
    ]
    assert files[0] == files[1]


def test_people_and_other_forms(spark: Any, tmp_path: Path) -> None:
    """What is about single records, or people with several, has the bytes that streaming gives it."""
    rng = np.random.default_rng(6)
    frame = random_table(rng, 200).select("age", "letter", "disease")
    source = written(frame.with_columns(pl.Series("who", rng.integers(0, 100, 200))), tmp_path / "in", 3)
    columns = {
        "age": {"role": "quasi"},
        "letter": {"role": "quasi", "missing": {"policy": "category"}},
        "disease": {"role": "sensitive"},
        "who": {"role": "identifier"},
    }
    for number, more in enumerate(
        (
            {"privacy": [{"model": "basic-beta-likeness", "beta": 3}], "method": "perturbation"},
            {"privacy": [{"model": "k-anonymity", "k": 3}], "individual": "who", "method": "mondrian"},
            {"privacy": [{"model": "beta-likeness", "beta": 3}], "method": "burel"},
        )
    ):
        policy = {"columns": columns, "seed": 5} | more
        made = [
            lk.publish(source, policy, tmp_path / f"{name}-{number}", engine=name)
            for name in ("streaming", "spark")
        ]
        assert made[0].certificate.files == made[1].certificate.files
        assert lk.verify(made[1].folder, original=spark.read.parquet(str(source))).ok


def test_csv_and_tables(spark: Any, tmp_path: Path) -> None:
    """CSV files are texts, as everywhere; a table of the session's catalogue is a frame."""
    folder = tmp_path / "in"
    folder.mkdir()
    rows = ["age,town", *(f'{30 + i % 2},"a, {i % 3}"' for i in range(60))]
    for number in range(2):
        (folder / f"{number}.csv").write_text("\n".join(rows) + "\n")
    columns = {"age": {"role": "quasi"}, "town": {"role": "quasi"}}
    policy = {"columns": columns, "privacy": [{"model": "k-anonymity", "k": 15}], "method": "mondrian"}
    made = lk.publish(folder, policy, tmp_path / "out", engine="spark")
    assert published(made.folder) == published(
        lk.publish(folder, policy, tmp_path / "out2", engine="streaming").folder
    )
    spark.read.csv(str(folder), header=True).createOrReplaceTempView("visits")
    again = lk.publish(spark.table("visits"), policy, tmp_path / "out3")
    assert published(again.folder) == published(made.folder)


def test_tampering_is_found_by_spark(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `verify` finds, it finds with the executors reading the files."""
    monkeypatch.setattr(parts_module, "ROWS", 100)
    source = written(random_table(np.random.default_rng(5), 380), tmp_path / "in", 2)
    made = lk.publish(
        source, policy_of([{"model": "k-anonymity", "k": 3}], "mondrian"), tmp_path / "out", engine="spark"
    )
    assert lk.verify(made.folder, engine="spark").ok
    part = made.folder / PUBLIC / PARTS / "part-00001.parquet"
    pl.read_parquet(part)[1:].write_parquet(part)
    by_spark, alone = lk.verify(made.folder, engine="spark"), lk.verify(made.folder)
    assert by_spark.failed
    assert by_spark.problems == alone.problems


def test_a_query_that_fails_is_one_line(spark: Any, tmp_path: Path) -> None:
    """What goes wrong in executors is told without a trace of Java, and nothing is left."""
    from pyspark.sql import functions

    frame = spark.range(100).select(functions.raise_error(functions.lit("no such disk")).alias("age"))
    policy = {"columns": {"age": {"role": "quasi"}}, "privacy": [{"model": "k-anonymity", "k": 3}]}
    with pytest.raises(lk.TableError, match="Spark could not count its records") as caught:
        lk.publish(frame, policy, tmp_path / "out")
    assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_is_killed(spark: Any, tmp_path: Path) -> None:
    """An executor's worker that dies in the middle: the job fails or is done again, the folder is as it was."""
    from pyspark.sql.types import IntegerType, StructField, StructType

    marker = tmp_path / "killed"

    def die_once(batches: Any) -> Any:
        import os
        import signal

        for batch in batches:
            if not os.path.exists(str(marker)):  # noqa: PTH110
                open(str(marker), "w").close()  # noqa: PTH123
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    kind = StructType([StructField("age", IntegerType())])
    frame = spark.range(300).selectExpr("cast(id % 3 as int) as age").mapInArrow(die_once, kind)
    policy = {"columns": {"age": {"role": "quasi"}}, "privacy": [{"model": "k-anonymity", "k": 3}]}
    out = tmp_path / "out"
    with pytest.raises(lk.TableError, match="Spark could not count"):
        lk.publish(frame, policy, out)
    assert marker.exists()
    assert not out.exists()
    # Local mode tries a task once; the second run finds no debris, and goes through.
    assert lk.publish(frame, policy, out).certificate.records == 300


def test_without_java(tmp_path: Path) -> None:
    """A machine without Java is told so in one line, with the exit code of invalid use."""
    written(random_table(np.random.default_rng(5), 30), tmp_path / "in", 1)
    code = (
        "import likeness as lk, sys\n"
        "try: lk.publish('in', {'columns': {'*': {'role': 'quasi'}}, 'privacy': [{'model': 'k-anonymity', 'k': 2}]}, 'out', "
        "engine='spark')\n"
        "except lk.InvalidError as problem: print(problem); sys.exit(2)\n"
    )
    path = os.pathsep.join([os.path.dirname(sys.executable), str(tmp_path)])  # noqa: PTH120
    environment = {key: value for key, value in os.environ.items() if key != "JAVA_HOME"} | {"PATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "it needs a JDK" in done.stdout


def test_what_spark_does_not_take() -> None:
    """Frames of other libraries are refused."""
    with pytest.raises(lk.TableError, match="neither"):
        SparkEngine().find(pl.DataFrame({"a": [1]}))


@pytest.mark.parametrize("method", ["local-recoding", "k-member"])
def test_blocks_are_searched_by_workers(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """What workers find is what is found here; where one dies, nothing is left, and the next run goes through."""
    monkeypatch.setattr("likeness.blocks.ROWS", 60)
    privacy = [{"model": "k-anonymity", "k": 2}, {"model": "beta-likeness", "beta": 2, "others": "unknown"}]
    source = written(random_table(np.random.default_rng(3), 300), tmp_path / "in", 2)
    policy = policy_of(privacy, method)
    here = lk.publish(source, policy, tmp_path / "streaming", engine="streaming")
    out = tmp_path / "spark"
    with monkeypatch.context() as patch:
        patch.setattr("likeness.blocks.search_block", _die)
        with pytest.raises(
            lk.TableError, match="search blocks: the workers of Spark could not do it"
        ) as caught:
            lk.publish(source, policy, out, engine="spark")
    assert len(str(caught.value).splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "streaming"]
    there = lk.publish(source, policy, out, engine="spark")
    assert there.blocks == here.blocks > 1
    assert there.certificate.files == here.certificate.files
    assert (out / "private" / "cells.parquet").read_bytes() == (
        tmp_path / "streaming" / "private" / "cells.parquet"
    ).read_bytes()


class Heard(Progress):
    """Keeps what it hears; interrupts where it is asked to."""

    def __init__(self, interrupting: bool = False) -> None:
        self.steps: list[tuple[str, int, int]] = []
        self.interrupting = interrupting

    def step(self, stage: str, done: int, total: int) -> None:
        self.steps.append((stage, done, total))
        if self.interrupting and total:
            raise KeyboardInterrupt


def _slowly(part: int) -> int:
    """Take a while."""
    import time

    time.sleep(0.8)
    return 2 * part


def test_what_is_done_is_told_while_it_is(spark: Any, tmp_path: Path) -> None:
    """Of parts that workers work on, and of tasks that count."""
    heard, engine = Heard(), SparkEngine()
    assert engine.each(_slowly, range(6), heard, "work", local=False) == [0, 2, 4, 6, 8, 10]
    told = [(done, total) for stage, done, total in heard.steps if total]
    assert {total for _, total in told} == {6}
    assert told == sorted(told)
    assert 0 < told[-1][0] <= 6
    slow = spark.range(8).repartition(8).mapInPandas(_slowly_again, "id long")
    engine.count(engine.find(slow), ["id"], heard)
    assert any(stage == "count" and total for stage, _, total in heard.steps)


def _slowly_again(frames: Any) -> Any:
    """Take a while over the rows of a partition."""
    import time

    for frame in frames:
        time.sleep(0.8)
        yield frame


def test_where_threads_are_not_pinned_nothing_is_told(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.util.inheritable_thread_target", lambda session: session)
    heard = Heard()
    assert SparkEngine().each(_slowly, range(2), heard, "work", local=False) == [0, 2]
    assert heard.steps == [("work", 0, 0)]


def test_whoever_is_interrupted_ends_the_job(spark: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        SparkEngine().each(_slowly, range(40), Heard(interrupting=True), "work", local=False)
    assert spark.sparkContext.statusTracker().getActiveJobsIds() == []


def _die(block: Any) -> Any:
    """Die as a worker does whose machine is gone."""
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)


def test_a_cluster_without_likeness(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Executors that have another likeness, or none, are not asked; those of this one are."""
    from likeness.engines import spark as module

    assert module._is_installed(spark.sparkContext)
    monkeypatch.setattr(module, "__version__", "0.0.0")
    assert not module._is_installed(spark.sparkContext)
