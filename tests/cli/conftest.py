"""A small table, a policy for it, and the command line in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from likeness.cli import main
from likeness.cli._console import COMPILING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = "age,zip,disease\n" + "".join(
    f"{20 + i % 30},0{2100 + i % 7},{('flu', 'cold', 'hiv')[i % 3]}\n" for i in range(60)
)
POLICY = """\
columns:
  age: {role: quasi}
  zip: {role: quasi, hierarchy: {prefix: 5}}
  disease: {role: sensitive}
privacy:
  - {model: k-anonymity, k: 5}
"""


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout, read."""
        return json.loads(self.out)

    @property
    def errors(self) -> list[str]:
        """Its errors, one a line."""
        return [line.removeprefix("error: ") for line in self.err.splitlines() if line.startswith("error: ")]


Run = "Callable[..., Outcome]"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with patients.csv and policy.yaml."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LIKENESS_TRACEBACK", raising=False)
    (tmp_path / "patients.csv").write_text(ROWS)
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def run(desk: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run a command in the working folder."""

    def call(*words: str) -> Outcome:
        capsys.readouterr()
        code = main(words)
        said = capsys.readouterr()
        # What has to be compiled depends on what ran before on this machine.
        return Outcome(code, said.out, said.err.replace(f"{COMPILING}\n", ""))

    return call


@pytest.fixture
def released(run: Callable[..., Outcome], desk: Path) -> Path:
    """A release of the table."""
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--seed", "1").code == 0
    return desk / "out"
