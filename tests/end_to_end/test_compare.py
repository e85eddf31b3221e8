"""A comparison of many methods, killed and interrupted, goes on where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import psutil
import pytest
from tests.adult import SIX, complete
from tests.end_to_end.conftest import SECONDS, environment

import likeness as lk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METHODS = (
    *("beta-likeness-primacy", "burel", "datafly", "exchange-cuts", "geneir", "hilbert-index", "incognito"),
    *("k-anonymity-primacy", "k-member", "local-recoding", "mondrian", "sbca"),
)
BETAS = (16, 8, 4, 2, 1)


@pytest.fixture
def adult(tmp_path: Path, data_folder: Path) -> Path:
    """A folder with 300 records of Adult and a policy."""
    complete(data_folder, 300).write_csv(tmp_path / "adult.csv")
    trees = {name: data_folder / "adult" / f"adult_hierarchy_{name}.csv" for name in SIX}
    lines = [f"  {name}: {{role: quasi, hierarchy: {path}}}" for name, path in trees.items()]
    privacy = "privacy: [{model: beta-likeness, beta: 4}]"
    text = ["columns:", *lines, "  occupation: {role: sensitive}", '  "*": {role: drop}', privacy, ""]
    (tmp_path / "policy.yaml").write_text("\n".join(text))
    return tmp_path


def kept(folder: Path) -> dict[str, tuple[int, str]]:
    """Finished runs: name to when they were written and what they say."""
    paths = (folder / "compared" / "private" / "runs").glob("[!.]*.json")
    return {path.name: (path.stat().st_mtime_ns, path.read_text()) for path in paths}


def until(process: subprocess.Popen[str], done: Callable[[], bool]) -> None:
    """Wait for something that happens while a process runs."""
    end = time.monotonic() + SECONDS
    while not done():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)


def has_ended(process: psutil.Process) -> bool:
    """Whether a process is no more, or waits for nothing but that somebody hears of it."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.slow
def test_killed_and_interrupted_it_goes_on(command, adult):
    words = [*command, "compare", "adult.csv", "policy.yaml", "-o", "compared", "--seed", "3", "--jobs", "2"]
    words += [
        "--methods",
        ",".join(METHODS),
        "--vary",
        f"beta={','.join(map(str, BETAS))}",
        "--format",
        "json",
    ]
    given = {"cwd": adult, "env": environment(), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **given, text=True) as process:
        until(process, lambda: len(kept(adult)) >= 10)
        workers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.communicate(timeout=SECONDS)
    assert len(workers) == 2
    # Whoever worked for it ends by itself.
    end = time.monotonic() + 60
    while not all(map(has_ended, workers)):
        assert time.monotonic() < end
        time.sleep(0.1)
    first = kept(adult)

    with subprocess.Popen(words, **given, text=True) as process:
        until(process, lambda: len(kept(adult)) >= len(first) + 10)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (130, "")
    assert "finished runs are kept in compared; the same command goes on" in err
    second = kept(adult)
    assert first.items() <= second.items()

    done = subprocess.run(words, **given, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    third = kept(adult)
    assert second.items() <= third.items()
    assert len(third) == len(METHODS) * len(BETAS)
    assert not list(adult.rglob("*.partial"))
    found = json.loads(done.stdout)
    assert len(found["runs"]) == len(third)
    assert sum(run["outcome"] == "made" for run in found["runs"]) >= 50
    as_by_themselves(found, adult)


def as_by_themselves(found: dict, adult: Path) -> None:
    """What was measured is what releases with the same seed have that are made one by one."""
    policy = lk.Policy.load(adult / "policy.yaml")
    for run in found["runs"]:
        if run["outcome"] != "made" or run["asked"]["beta-likeness.beta"] != 8:
            continue
        own = policy.replace(privacy=lk.BetaLikeness(8.0), method=run["method"])
        release = lk.anonymize(adult / "adult.csv", own, seed=3)
        assert {name: str(value) for name, value in run["loss"].items()} == {
            name: str(value) for name, value in release.loss().items()
        }
        assert (run["records"], run["classes"]) == (300, release.certificate.classes)
