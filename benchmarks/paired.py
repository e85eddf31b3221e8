"""Another checkout and this one in turn, in one run: ``python -m benchmarks.paired ../before``.

Every row is run by a process of each, one after the other, as often as asked; what counts is the least CPU time of each, which
other work on the machine disturbs least. Both run these same rows, so they ask for nothing but the public face of `likeness`.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

import likeness as lk
from benchmarks import whole
from benchmarks.cold import SMALL_RUN
from benchmarks.jobs import Job, jobs
from likeness.datasets.informs import Informs

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parents[1]
MOST = 1.05
"""A row that takes longer than this times what it took before is marked."""


class Time(NamedTuple):
    """What one run took, in seconds."""

    cpu: float
    wall: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="the other checkout")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        _work(10 if chosen.small else 1)
        return
    trees = (chosen.before.resolve(), HERE)
    print(f"{'':60}{'before':>9}{'after':>9}{'CPU':>7}{'wall':>7}")
    workers = [_Worker(tree, small=chosen.small) for tree in trees]
    for name in cast("list[str]", workers[1].ask("names")):
        if chosen.only in name:
            for worker in workers:
                worker.ask(name)  # compiles and caches
            _print(name, [[Time(*worker.ask(name)) for worker in workers] for _ in range(chosen.repeat)])
    for worker in workers:
        worker.process.communicate()
    for name, command in _commands():
        if chosen.only in name:
            _print(name, [[_timed(tree, command) for tree in trees] for _ in range(chosen.repeat)])
    for name, command in FIRST.items():
        if chosen.only in name:
            _print(name, [[_first(tree, command) for tree in trees] for _ in range(min(2, chosen.repeat))])


FIRST = {
    "a first run, no kernel compiled": ("-c", SMALL_RUN),
    "a first demo, no kernel compiled": ("-m", "likeness", "demo", "--quiet", "-o", "{folder}/demo"),
}


def _print(name: str, rounds: list[list[Time]]) -> None:
    """Print one row: seconds of CPU before and after, and the ratios."""
    (before, after) = (Time(*map(min, zip(*own, strict=True))) for own in zip(*rounds, strict=True))
    ratio = after.cpu / before.cpu
    print(
        f"{name:60}{before.cpu:>9.3f}{after.cpu:>9.3f}{ratio:>7.2f}{after.wall / before.wall:>7.2f}"
        f"{'  slower' if ratio > MOST else ''}",
        flush=True,
    )


def _environment(tree: Path) -> dict[str, str]:
    """Run the source of a checkout with what is installed here."""
    return {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{HERE}"}


class _Worker:
    """A process that runs rows with the source of one checkout."""

    def __init__(self, tree: Path, *, small: bool) -> None:
        command = [sys.executable, "-m", "benchmarks.paired", "--work", "."] + ["--small"] * small
        self.process = subprocess.Popen(
            command,
            cwd=HERE,
            env=_environment(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, row: str) -> Any:
        """Run a row; its times."""
        given, answers = cast("IO[str]", self.process.stdin), cast("IO[str]", self.process.stdout)
        given.write(row + "\n")
        given.flush()
        return json.loads(answers.readline())


def _work(scale: int) -> None:
    """Answer every line with what the row of that name took."""
    answers = sys.stdout
    with redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as place:
        rows = {job.what: _anonymize(job) for job in jobs(scale)} | _stages(scale, Path(place))
        for line in sys.stdin:
            name = line.strip()
            answer: Any = list(rows) if name == "names" else _time(rows[name])
            print(json.dumps(answer), file=answers, flush=True)


def _time(work: Callable[[], object]) -> Time:
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Time(time.process_time() - cpu, time.perf_counter() - wall)


def _anonymize(job: Job) -> Callable[[], object]:
    return lambda: lk.anonymize(job.table, job.policy, seed=1)


def _stages(scale: int, place: Path) -> dict[str, Callable[[], object]]:
    """What comes before and after the search, of a register and of people with several records."""

    @cache
    def register() -> tuple[Path, lk.Policy, lk.Release, Path]:
        table, roles = whole.register(200_000 // scale)
        source = place / "register.csv"
        table.write_csv(source)
        policy = lk.Policy(
            columns={name: {"role": role} for name, role in roles.items()}, privacy=lk.KAnonymity(5)
        )
        release = lk.anonymize(source, policy, seed=1)
        return source, policy, release, Path(release.write(place / "register"))

    @cache
    def patients() -> tuple[Path, lk.Policy, lk.Release, Path]:
        source = place / "patients.csv"
        Informs().generate(100_000 // scale, seed=1).write_csv(source)
        told: dict[str, Any] = Informs().policy(6)
        told["columns"]["diagnosis"] = {"role": "sensitive"}
        told["privacy"] = [{"model": "ir-kl-anonymity", "k": 6, "l": 6}]
        policy = lk.Policy(**told, method={"name": "mondrian"}, form={"name": "identity-reserved"})
        release = lk.anonymize(source, policy, seed=1)
        return source, policy, release, Path(release.write(place / "patients"))

    rows: dict[str, Callable[[], object]] = {}
    for what, made in (("register", register), ("people", patients)):
        rows |= {
            f"{what}: profile": lambda made=made: lk.profile(made()[0]),
            f"{what}: from CSV to a release in memory": lambda made=made: lk.anonymize(
                made()[0], made()[1], seed=1
            ),
            f"{what}: write": lambda made=made: made()[2].write(made()[3], overwrite=True),
            f"{what}: verify, from public/": lambda made=made: lk.verify(made()[3] / "public"),
            f"{what}: verify, with the original": lambda made=made: lk.verify(made()[3], made()[0]),
            f"{what}: attack linkage": lambda made=made: made()[2].attack(lk.LinkageAttack()),
            f"{what}: attack homogeneity": lambda made=made: made()[2].attack(lk.HomogeneityAttack()),
        }
    return rows


def _commands() -> list[tuple[str, list[str]]]:
    """What a new process takes."""
    command = "import sys; from likeness.cli import main; sys.exit(main())"
    return [
        ("import likeness", ["-c", "import likeness"]),
        ("likeness --help", ["-c", command, "--help"]),
        ("likeness anonymize --help", ["-c", command, "anonymize", "--help"]),
        ("likeness list", ["-c", command, "list", "methods"]),
        ("a small run in a new process, kernels compiled", ["-c", SMALL_RUN]),
    ]


def _timed(tree: Path, command: list[str], **more: str) -> Time:
    """Run Python to its end."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        check=True,
        env={**_environment(tree), **more},
        stdout=subprocess.DEVNULL,
        cwd=tree,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Time(
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - wall
    )


def _first(tree: Path, command: tuple[str, ...]) -> Time:
    """Run with an empty cache of kernels."""
    with tempfile.TemporaryDirectory() as folder:
        own = [part.replace("{folder}", folder) for part in command]
        return _timed(tree, own, NUMBA_CACHE_DIR=f"{folder}/kernels")


if __name__ == "__main__":
    main()
