"""`import likeness` and `likeness --help` load nothing heavy and take no time."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.pace import of_commands

from likeness.cli import main

HEAVY = ("numba", "numpy", "pandas", "polars", "pyarrow", "scipy")

LOADED = "import sys, json; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
HELP = "import sys; from likeness.cli import main; main(['--help']); print()"
LIST = "import sys; from likeness.cli import main; main(['list', 'models']); print()"


def loaded(code: str) -> set[str]:
    """Packages that a fresh process has loaded after running some code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{LOADED}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_loads_nothing_heavy():
    assert loaded("import likeness").isdisjoint({*HEAVY, "pydantic", "yaml", "cyclopts", "rich", "narwhals"})


def test_names_are_found_without_loading_anything_heavy():
    assert loaded("import likeness; dir(likeness); likeness.__version__").isdisjoint({*HEAVY, "pydantic"})


@pytest.mark.parametrize("code", [HELP, LIST, HELP.replace("'--help'", "'anonymize', '--help'")])
def test_help_and_list_load_nothing_heavy(code):
    assert loaded(code).isdisjoint({*HEAVY, "pydantic"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["anonymize", "Policy", "KAnonymity", "LinkageAttack", "read", "CannotBeMetError"]
)
def test_public_names_are_there_all_the_same(name):
    assert "likeness" in loaded(f"import likeness; likeness.{name}")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release, and the table it was made from, in a folder."""
    place = tmp_path_factory.mktemp("made")
    assert main(["generate", "hospital", "--rows", "300", "-o", str(place / "hospital.csv")]) == 0
    words = ["anonymize", str(place / "hospital.csv"), str(place / "hospital-policy.yaml")]
    assert main([*words, "-o", str(place / "out")]) == 0
    return place


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "hospital", "--rows", "300", "-o", "again.csv"],
        ["profile", "hospital.csv"],
        ["verify", "out/public"],
        ["verify", "out"],
        ["verify", "out", "--original", "hospital.csv"],
    ],
    ids=" ".join,
)
def test_what_a_small_table_is_verified_by_is_not_compiled(words, made):
    place = f"import os; os.chdir({str(made)!r})"
    code = f"{place}\nfrom likeness.cli import main\nassert main({words}) == 0"
    assert loaded(code).isdisjoint({"numba", "scipy", "pandas", "matplotlib"})


@pytest.mark.slow
def test_ratios_to_importing_numpy():
    python = [sys.executable, "-c"]
    numpy, likeness, help_ = of_commands(
        7,
        [*python, "import numpy"],
        [*python, "import likeness"],
        [sys.executable, "-m", "likeness", "--help"],
    )
    assert likeness <= 1.2 * numpy
    assert help_ <= 3.5 * numpy
