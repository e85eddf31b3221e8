"""The installed command, as people run it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from likeness.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INSTALLED = Path(sys.executable).with_name("likeness")
COMMAND = [str(INSTALLED)] if INSTALLED.exists() else [sys.executable, "-m", "likeness"]
SECONDS = 600
"""Far more than any command takes, even where kernels are compiled first on a busy machine."""


def environment() -> dict[str, str]:
    """The environment of a user: no traceback, no coloured help, no warnings filtered away."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LIKENESS"))}
    return {**kept, "COLUMNS": "80"}


@pytest.fixture(scope="session")
def command() -> list[str]:
    """Words that start the command."""
    return COMMAND


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one hospital table as CSV, Parquet and Arrow, and a policy."""
    folder = tmp_path_factory.mktemp("desk")
    words = ["generate", "hospital", "--rows", "1000", "-o", "hospital.csv"]
    subprocess.run([*COMMAND, *words], cwd=folder, env=environment(), check=True, timeout=SECONDS)
    frame = pl.read_csv(folder / "hospital.csv", schema_overrides={"zip": pl.String}, try_parse_dates=True)
    frame.write_parquet(folder / "hospital.parquet")
    frame.write_ipc(folder / "hospital.arrow")
    return folder


def ran(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run something in a folder, and take what it prints."""
    return subprocess.run(
        words, cwd=folder, env=environment(), capture_output=True, text=True, timeout=SECONDS, check=False
    )


@pytest.fixture(scope="module")
def run(desk: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in that folder."""

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        return ran([*COMMAND, *words], desk)

    return call


@pytest.fixture
def here(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in that folder, and in this process: where other tests show that the installed one does the same."""

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(desk)
        capsys.readouterr()
        code = main(words)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, code, said.out, said.err)

    return call
