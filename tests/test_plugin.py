"""Parts of other distributions: found by entry point, and used like our own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import likeness as lk
from likeness import registry
from likeness.errors import PolicyError

ROOT = Path(__file__).resolve().parents[1]
PLUGIN = ROOT / "tests" / "plugin"
THEIRS = (("models", "minimum-frequency"), ("methods", "equal-runs"), ("attacks", "plurality"))
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
  - {model: minimum-frequency, m: 2}
"""


def describe(home: Path, project: dict) -> None:
    """Write what an installer writes beside the modules of a distribution."""
    folder = home / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with the example distribution installed."""
    found = tmp_path_factory.mktemp("site")
    shutil.copytree(
        PLUGIN / "likeness_example",
        found / "likeness_example",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    describe(found, tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"])
    return found


def run(home: Path | None, *arguments: str, cwd: Path = ROOT, code: int = 0) -> str:
    """Run Python where the distribution is installed, or is not."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if home is not None:
        environment["PYTHONPATH"] = str(home)
    found = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == code, found.stdout + found.stderr
    return found.stdout + found.stderr


@pytest.mark.slow
def test_it_is_listed_shown_and_in_the_schema(home, tmp_path):
    code = (
        "from contextlib import suppress\n"
        "from likeness.cli import main\n"
        "for line in ('list models', 'list methods', 'list attacks', 'show equal-runs', 'schema'):\n"
        "    with suppress(SystemExit):\n"
        "        main(line.split())\n"
    )
    parts, _, schema = run(home, "-c", code).partition("{\n")
    parts = " ".join(parts.split())
    for line in (
        "minimum-frequency Every sensitive value that an equivalence class has, at least m",
        "equal-runs Sort records by their quasi-identifiers",
        "plurality Guess that each published record has the most frequent",
        "k-anonymity ",
        "brought by: likeness-example 1.0",
    ):
        assert line in parts
    definitions = json.loads("{" + schema)["$defs"]
    model = next(
        one
        for one in definitions["model"]["oneOf"]
        if one["properties"]["model"] == {"const": "minimum-frequency"}
    )
    assert model["properties"]["m"] == {
        "type": "integer",
        "description": "Smallest allowed number of records of one value in a class, at least 1.",
    }
    assert {"const": "equal-runs"} in [one["properties"]["name"] for one in definitions["method"]["oneOf"]]
    assert "minimum-frequency" not in run(None, "-m", "likeness", "list", "models")


MAIN = (
    "import sys\n"
    "from likeness.cli import main\n"
    "codes = [print('=>', line, flush=True) or main(line.split()) for line in sys.argv[1:]]\n"
    "print('codes', codes)\n"
)


@pytest.mark.slow
def test_releases_are_made_proved_and_attacked(home, tmp_path):
    methods = ("mondrian", "equal-runs")
    (tmp_path / "people.csv").write_text(ROWS)
    for method in methods:
        (tmp_path / f"{method}.yaml").write_text(f"{POLICY}method: {{name: {method}}}\n")
    lines = [
        line
        for method in methods
        for line in (
            f"anonymize people.csv {method}.yaml --output {method} --seed 1",
            f"verify {method}/public",
            f"attack {method} --original people.csv --attack plurality",
        )
    ]
    said = run(home, "-c", MAIN, *lines, cwd=tmp_path)
    assert "codes [0, 0, 0, 0, 0, 0]" in said
    for method in methods:
        attacked = said.partition(f"=> attack {method} ")[2].partition("\n")[2].partition("=>")[0]
        assert "plurality" in attacked
        certificate = json.loads((tmp_path / method / "public/certificate.json").read_text())
        assert "minimum-frequency" in json.dumps(certificate)
    # Whoever has not got the distribution is told what is missing.
    refused = run(None, "-c", MAIN, *(f"verify {method}/public" for method in methods), cwd=tmp_path)
    assert "codes [1, 1]" in refused
    assert refused.count("there is no model 'minimum-frequency'") == len(methods)


@pytest.mark.slow
def test_it_keeps_the_contracts(home):
    chosen = " or ".join(name for _, name in THEIRS)
    command = ["-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", "tests/contracts", "-k", chosen]
    passed = re.search(r"(\d+) passed", run(home, *command))
    # Of every part some ten of its kind and the six of all parts.
    assert passed is not None
    assert int(passed[1]) > 30


def test_ours_are_found_without_asking_other_distributions(home):
    code = (
        "import sys, likeness\n"
        "from likeness import registry\n"
        "registry.load('models', 'k-anonymity'), registry.summary('methods', 'mondrian'), likeness.Mondrian\n"
        "assert registry._entry_points.cache_info().currsize == 0\n"
        "registry.summary('models', 'minimum-frequency')\n"
        "assert 'likeness_example.minimum_frequency' not in sys.modules\n"
        "print(likeness.MinimumFrequency(2), 'PluralityAttack' in dir(likeness))"
    )
    assert run(home, "-c", code).strip() == "MinimumFrequency(m=2) True"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install distributions into this process, by the entries they have."""

    def install(name: str, kind: str, entry: str, value: str, module: str = "") -> None:
        project = {"name": name, "version": "1.0", "entry-points": {f"likeness.{kind}": {entry: value}}}
        describe(tmp_path / name, project)
        if module:
            (tmp_path / name / f"{value.partition(':')[0]}.py").write_text(module)
        monkeypatch.syspath_prepend(str(tmp_path / name))
        registry.refresh()

    yield install
    monkeypatch.undo()
    registry.refresh()


def test_a_name_of_ours_stays_ours(installed):
    installed("rival", "models", "k-anonymity", "rival:KAnonymity")
    with pytest.warns(
        UserWarning, match="rival 1.0 brings the model 'k-anonymity', which likeness has itself"
    ):
        assert "k-anonymity" in registry.names("models")
    assert registry.load("models", "k-anonymity") is lk.KAnonymity
    assert registry.distribution("models", "k-anonymity") is None


def test_a_name_that_two_bring_is_nobodys(installed):
    installed("one", "attacks", "staring", "one:StaringAttack")
    installed("two", "attacks", "staring", "two:StaringAttack")
    assert "staring" in registry.names("attacks")
    for asked in (registry.load, registry.summary, registry.distribution):
        with pytest.raises(PolicyError, match=r"one 1\.0 and two 1\.0 each bring the attack 'staring'"):
            asked("attacks", "staring")


HEAD = "from dataclasses import dataclass\nfrom likeness.attacks.base import Attack\n\n"


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("", "No module named 'broken_attack'"),
        ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found'"),
        (HEAD, "no attribute 'StaringAttack'"),
        (f"{HEAD}class StaringAttack(Attack):\n    name = 'staring'\n", "must be a dataclass"),
        (
            f"{HEAD}@dataclass(frozen=True)\nclass StaringAttack:\n    name = 'staring'\n",
            "likeness.attacks.base",
        ),
        (
            f"{HEAD}@dataclass(frozen=True)\nclass StaringAttack(Attack):\n    name = 'looking'\n",
            "must say name",
        ),
    ],
)
def test_what_is_no_part_is_one_clear_error(installed, monkeypatch, module, why):
    monkeypatch.delitem(sys.modules, "broken_attack", raising=False)
    installed("broken", "attacks", "staring", "broken_attack:StaringAttack", module)
    with pytest.raises(PolicyError, match=why) as refused:
        registry.load("attacks", "staring")
    assert str(refused.value).startswith("attack 'staring' of broken 1.0 cannot be used (broken_attack:")
    monkeypatch.delitem(sys.modules, "broken_attack", raising=False)
