"""Releases of two tables find the second one again when they are verified and measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.folder.audit import locate_records
from likeness.tables import read

POLICY = """\
columns:
  pid: {role: identifier}
  age: {role: quasi}
  zip: {role: quasi, hierarchy: zip.csv}
  disease: {role: sensitive}
individual: pid
records: {table: visits.csv, on: pid}
privacy: [{model: k-anonymity, k: 3}]
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables, a policy with a hierarchy, and a release of them."""
    place = tmp_path_factory.mktemp("two") / "data"
    place.mkdir()
    rng = np.random.default_rng(4)
    people = [f"{i:03}" for i in range(60)]
    pl.DataFrame(
        {
            "pid": people,
            "age": rng.integers(20, 60, 60),
            "zip": [f"{100 + x}" for x in rng.integers(0, 4, 60)],
        }
    ).write_csv(place / "people.csv")
    diseases = rng.choice(["flu", "cold", "gout", "angina"], 150)
    pl.DataFrame({"pid": rng.choice(people[:50], 150), "disease": diseases}).write_csv(place / "visits.csv")
    (place / "zip.csv").write_text("".join(f"{100 + x};10{x // 2}*;*\n" for x in range(4)))
    (place / "policy.yaml").write_text(POLICY)
    release = lk.anonymize(place / "people.csv", place / "policy.yaml", seed=3)
    release.write(place.parent / "out")
    return place.parent


def test_beside_the_original(desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = lk.verify(desk / "out", desk / "data/people.csv")
    assert found.ok
    assert any(
        one.startswith("the original is the table the release was made from; 47 records are dropped")
        for one in found.checks
    )
    assert lk.verify(desk / "out", desk / "data/people.csv", policy=desk / "data/policy.yaml").ok


def test_where_it_was_when_the_release_was_made(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.read_csv(desk / "data/people.csv", infer_schema=False)
    assert lk.verify(desk / "out", frame).ok
    shutil.copy(desk / "data/people.csv", tmp_path)
    assert lk.verify(desk / "out", "people.csv").ok
    audit = json.loads((desk / "out/private/audit.json").read_text())
    assert audit["original"]["records"] == str(desk / "data/visits.csv")
    assert audit["policy"]["records"] == {"table": "visits.csv", "on": "pid"}
    assert str(desk) not in (desk / "out/public/certificate.json").read_text()


def test_moved_with_its_original(desk: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(desk, tmp_path / "moved"))
    audit = lk.Policy.load(desk / "data/policy.yaml")
    kept = lk.Policy.from_mapping(audit.to_mapping())
    assert locate_records(kept, read(moved / "data/people.csv"), None).folder == moved / "data"
    assert lk.verify(moved / "out", moved / "data/people.csv").ok


def test_another_second_table_is_noticed(desk: Path, tmp_path: Path) -> None:
    moved = Path(shutil.copytree(desk, tmp_path / "moved"))
    visits = moved / "data/visits.csv"
    lines = visits.read_text().splitlines(keepends=True)
    lines[1] = lines[1].split(",")[0] + ",plague\n"
    visits.write_text("".join(lines))
    found = lk.verify(moved / "out", moved / "data/people.csv")
    assert not found.ok
    assert "is not the table that the release was made from: " in found.problems[0]


def test_a_second_table_that_is_gone_is_one_line(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    moved = Path(shutil.copytree(desk, tmp_path / "moved"))
    (moved / "data/visits.csv").unlink()
    path = moved / "out/private/audit.json"
    kept = json.loads(path.read_text())["original"]["records"]
    gone = Path(kept).with_name("aside.csv")
    Path(kept).rename(gone)
    try:
        found = lk.verify(moved / "out", moved / "data/people.csv")
    finally:
        gone.rename(kept)
    assert found.problems == ("the original does not fit the policy: records: visits.csv: no such file",)


def test_a_release_of_one_table_says_nothing_about_a_second(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [30, 31, 60, 61]})
    policy = lk.Policy(columns={"age": lk.quasi()}, privacy=lk.KAnonymity(2))
    lk.anonymize(table, policy, seed=1).write(tmp_path / "out")
    assert set(json.loads((tmp_path / "out/private/audit.json").read_text())["original"]) == {
        "source", "rows", "sha256",
    }  # fmt: skip
