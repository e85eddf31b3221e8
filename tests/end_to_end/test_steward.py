"""A steward's day, from a table to a release that others verify."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from pathlib import Path

# Said where no progress is drawn, on a machine on which nothing was compiled yet.
COMPILING = "compiling, once on this machine: a first run may take minutes"


def quickly(policy: Path, changed: Path) -> None:
    """Write a policy that takes the best method as it is: how far searches get does not matter here."""
    text = policy.read_text()
    assert "effort:" not in text
    changed.write_text(f"{text}\neffort: quick\n")


@pytest.mark.slow
def test_from_csv_to_a_verified_release(run, desk):
    made = run("anonymize", "hospital.csv", "hospital-policy.yaml", "-o", "out")
    assert made.returncode == 0, made.stderr
    assert "1,000 records = " in made.stdout
    assert made.stderr.removeprefix(f"{COMPILING}\n") == "next: likeness verify out\n"
    proven = run("verify", "out", "--original", "hospital.csv")
    assert proven.returncode == 0
    assert "VIOLATED" not in proven.stdout
    assert proven.stderr.removeprefix(f"{COMPILING}\n") == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_from_other_formats(kind, run, desk):
    quickly(desk / "hospital-policy.yaml", desk / "quick-policy.yaml")
    made = run("anonymize", f"hospital.{kind}", "quick-policy.yaml", "-o", f"out-{kind}")
    assert made.returncode == 0, made.stderr
    read = {"parquet": pl.read_parquet, "arrow": pl.read_ipc}[kind]
    release = read(desk / f"out-{kind}" / "public" / f"release.{kind}")
    assert release.schema["diagnosis"] == pl.String
    assert run("verify", f"out-{kind}", "--original", f"hospital.{kind}").returncode == 0


@pytest.mark.slow
def test_from_profile_to_attack(run, desk):
    assert run("profile", "hospital.csv", "-o", "proposed.yaml").returncode == 0
    quickly(desk / "proposed.yaml", desk / "proposed.yaml")
    check = run("check", "hospital.csv", "proposed.yaml", "--format", "json")
    assert check.returncode == 0, check.stderr
    assert json.loads(check.stdout)["feasible"]
    assert run("anonymize", "hospital.csv", "proposed.yaml", "-o", "proposed").returncode == 0
    loss = json.loads(run("measure", "proposed", "--original", "hospital.csv", "--format", "json").stdout)
    assert loss["metrics"]["ncp"]["value"] == pytest.approx(json.loads(check.stdout)["loss"]["ncp"], abs=0.05)
    attacked = json.loads(run("attack", "proposed", "--original", "hospital.csv", "--format", "json").stdout)
    linkage = next(one for one in attacked if one["attack"] == "linkage")
    assert linkage["success"] < linkage["baseline"]


@pytest.mark.slow
def test_a_recipient_finds_what_was_changed(run, desk):
    if not (desk / "out").exists():
        assert run("anonymize", "hospital.csv", "hospital-policy.yaml", "-o", "out").returncode == 0
    shutil.copytree(desk / "out" / "public", desk / "received")
    assert run("verify", "received").returncode == 0
    table = desk / "received" / "release.csv"
    head, *rows = table.read_text().splitlines(keepends=True)
    table.write_text(head + "".join(rows[1:]))
    found = run("verify", "received")
    assert found.returncode == 1
    assert "release.csv" in found.stdout
