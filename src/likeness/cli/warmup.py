"""``likeness warmup``: compile what is compiled once, kernel by kernel and by small releases of every method."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.errors import LikenessError
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.progress import Progress

_MODELS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("k-anonymity", {"k": 2}),
    ("distinct-l-diversity", {"l": 2}),
    ("eir-l-diversity", {"l": 2}),
    ("eir-alpha-beta-anonymity", {"alpha": "0.9", "beta": "0.9"}),
    ("beta-likeness", {"beta": 9}),
    ("t-closeness", {"t": "0.9"}),
)
_ROWS = 48


_WORKER = "from likeness.cli import warmup; warmup.work()"


def small_releases(method: str) -> None:
    """Make a small release by a method, of people with one record and with several, under each model that it takes."""
    import polars as pl

    from likeness import registry
    from likeness.anonymization import anonymize
    from likeness.policy import Policy, identifier, quasi, sensitive

    columns = {
        "who": identifier(),
        "age": quasi(),
        "zip": quasi(hierarchy={"prefix": 2}),
        "illness": sensitive(),
    }
    table = pl.DataFrame(
        {
            "who": [f"p{i // 2}" for i in range(_ROWS)],
            "age": [20 + (i // 2) * 7 % 40 for i in range(_ROWS)],
            "zip": [f"{10 + (i // 2) % 3}" for i in range(_ROWS)],
            "illness": ["flu", "cold", "gout", "cough", "angina"] * (_ROWS // 5) + ["flu"] * (_ROWS % 5),
        }
    )
    for model, parameters in _MODELS:
        about_people = registry.load("models", model).about_individuals
        if about_people and not registry.load("methods", method).takes_individuals:
            continue
        try:
            policy = Policy(
                columns=columns,
                privacy=registry.create("models", model, parameters),
                method={"name": method},
                withhold={"at_most": 1},
                individual="who" if about_people else None,
            )
            anonymize(table, policy, seed=1)
        except LikenessError:
            # This method does not take this model, or wants parameters: nothing of it to compile.
            continue


def _modules() -> list[str]:
    """Name the modules of kernels."""
    from pathlib import Path

    from likeness import kernels

    # Kernels of one subject stand beside it.
    root = Path(kernels.__path__[0]).parent
    files = sorted({*root.rglob("kernels.py"), *root.rglob("kernels/[!_]*.py")})
    return [".".join(["likeness", *file.relative_to(root).with_suffix("").parts]) for file in files]


def work() -> None:
    """Do what stands on the lines of stdin: compile what Python calls of a module, or make a method's releases."""
    from likeness.kernels import compile_called

    for line in sys.stdin:
        kind, name = json.loads(line)
        if kind == "module":
            compile_called(name, _modules())
        else:
            small_releases(name)
        print(flush=True)  # noqa: T201  # read by who asked


def _ask(waiting: deque[tuple[str, str]], progress: Progress, whole: int) -> None:
    """Have a process of its own do what waits, until nothing does."""
    from likeness.placing import remember

    with subprocess.Popen(
        [sys.executable, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        remember(worker.kill)
        with suppress(BrokenPipeError):
            while waiting and worker.stdin and worker.stdout:
                what = waiting.popleft()
                progress.step(f"compiling the kernels: {what[1]}", whole - len(waiting) - 1, whole)
                worker.stdin.write(json.dumps(what) + "\n")
                worker.stdin.flush()
                if not worker.stdout.readline():
                    break
        worker.communicate()
    if worker.returncode:
        raise LikenessError(
            "warmup: a process that compiles kernels ended before it was done; what it says stands above"
        )


def warmup() -> None:
    """Compile the kernels, so that the first run on this machine is as fast as every other.

    Every processor compiles a share. They are kept on disk until likeness is upgraded or the kind of processor changes;
    NUMBA_CACHE_DIR says where, beside the installed package when it is not set.

    Examples
    --------
    likeness warmup
    """
    import os
    from concurrent.futures import ThreadPoolExecutor
    from time import perf_counter

    from likeness import registry

    modules = _modules()
    waiting = deque(
        [("module", name) for name in modules] + [("method", name) for name in registry.names("methods")]
    )
    whole, processes = len(waiting), os.cpu_count() or 1
    begin = perf_counter()
    with console.progress() as progress, ThreadPoolExecutor(processes) as threads:
        for done in [threads.submit(_ask, waiting, progress, whole) for _ in range(processes)]:
            done.result()
    console.say(f"kernels are ready: {count(len(modules), 'file')} ({perf_counter() - begin:.1f} s)")


command = as_command(warmup)
