"""Fixtures every test may use."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.postgresql import Server

# Workers share the processors: one that waits for a second thread of its own waits for the others.
if "PYTEST_XDIST_WORKER" in os.environ:
    with patch.dict(os.environ, POLARS_MAX_THREADS="1"):
        pl.thread_pool_size()

# A test run judges a change, so it tries the same examples every time, and no clock has a say in it: the machine may be busy
# with other things. Looking for new counterexamples is `make explore`.
CLOCKS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("judge", derandomize=True, **CLOCKS)
settings.register_profile("explore", derandomize=False, print_blob=True, **CLOCKS)
settings.load_profile("judge")

# Hypothesis tries constants from whatever modules are loaded, which depends on what else a worker has run.
_constants_of_modules = providers._get_local_constants


def constants_of_modules() -> providers.Constants:
    """Those of the modules that are loaded where counterexamples are hunted, none where the examples are to be the same."""
    return providers._local_constants if settings.default.derandomize else _constants_of_modules()


providers._get_local_constants = constants_of_modules

SHARES = {"explore": 1.0, "all": 0.3, "quick": 0.15}
"""Of the examples that a property asks for, how many are tried: where counterexamples are hunted, by `make test`, by default."""
FEWEST = 5


def kind_of_run(config: pytest.Config) -> str:
    """Which of `SHARES` a run has."""
    if config.getoption("--hypothesis-profile") == "explore":
        return "explore"
    return "quick" if config.option.markexpr == "not slow" else "all"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Try of the examples of every property the share that this run has, and `FEWEST` at least."""
    share = SHARES[kind_of_run(config)]
    found = {getattr(item.obj, "__func__", item.obj) for item in items if isinstance(item, pytest.Function)}
    for function in found:
        asked = getattr(function, "_hypothesis_internal_use_settings", None)
        if asked is not None:
            tried = max(min(asked.max_examples, FEWEST), round(asked.max_examples * share))
            function._hypothesis_internal_use_settings = settings(asked, max_examples=tried)
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        order = slow_first([item.path for item in items], slow, config.workerinput["workercount"])
        items[:] = [items[i] for i in order]


def slow_first(files: list[Path], slow: set[Path], workers: int) -> list[int]:
    """Order tests, given the file of each, so that every worker begins with slow files: none is left with long tests at the end.

    Workers begin with equal stretches of all tests, and take from others when they are done (`--dist worksteal`).
    """
    turn = {
        file: number % workers for number, file in enumerate(dict.fromkeys(f for f in files if f in slow))
    }
    others = iter([i for i, file in enumerate(files) if file not in slow])
    found: list[int] = []
    for worker in range(workers):
        found += [i for i, file in enumerate(files) if turn.get(file) == worker]
        found += islice(others, max(0, (worker + 1) * len(files) // workers - len(found)))
    return [*found, *others]


# Shells let background jobs ignore Ctrl-C, and the processes that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Leave the garbage collector out of collecting; compile the kernels once, by all processors, where none is kept.

    Twelve thousand tests and what they import all stay: looking for garbage among them took nearly half of that time.

    Of a run of all tests every worker would compile what it needs for itself. A run of some, or in one process, compiles what
    these need.
    """
    config = session.config
    workers = getattr(config.option, "numprocesses", None)
    if hasattr(config, "workerinput") or not workers:
        gc.disable()
        return
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if everything and not kernels_are_kept():
        subprocess.run([sys.executable, "-m", "likeness", "warmup"], check=True)


def pytest_collection_finish() -> None:
    """Look for garbage from now on, but not among what was collected, and less often."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def kernels_are_kept() -> bool:
    """Whether compiled kernels are where numba keeps them."""
    kept = os.environ.get("NUMBA_CACHE_DIR")
    return any((Path(kept) if kept else REPOSITORY / "src").rglob("*.nbi"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let `effort: normal` take 50,000 steps, not 20 million or more, where a test is not about what a search finds.

    The same is improved by the same code; it only ends earlier. Of tables of a few thousand records the same methods are tried,
    of larger ones those that are always tried, and others as long as 50 million steps allow. The mark `whole_search` says that
    a test, or what it compares with in another process, searches as users do.
    """
    if item.get_closest_marker("whole_search"):
        return (yield)
    from likeness import choosing

    normal = choosing.EFFORTS["normal"]._replace(times=0, steps=50_000)
    with patch.dict(choosing.EFFORTS, normal=normal), patch.object(choosing, "MOST_WORK", 50_000_000):
        return (yield)


REPOSITORY = Path(__file__).resolve().parents[1]


def find_data_folder() -> Path | None:
    """The folder of real tables, or None: $LIKENESS_DATA, else ../shared/data beside the checkout."""
    named = os.environ.get("LIKENESS_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real tables; skips, saying why, where there is none."""
    folder = find_data_folder()
    if folder is None:
        if os.environ.get("LIKENESS_DATA_REQUIRED"):
            pytest.fail("LIKENESS_DATA_REQUIRED is set, but the folder of real tables is not here")
        pytest.skip("LIKENESS_DATA: the folder of real tables is not here")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Generator[Server, None, None]:
    """A PostgreSQL server of this process alone; skips, saying why, where there is none."""
    from tests.postgresql import find_binaries, started

    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("LIKENESS_POSTGRES_REQUIRED"):
            pytest.fail("LIKENESS_POSTGRES_REQUIRED is set, but there is no PostgreSQL")
        pytest.skip("there is no PostgreSQL: apt-get install postgresql")
    with started(binaries) as server:
        yield server
