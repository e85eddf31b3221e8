"""`likeness verify`."""

from __future__ import annotations

import shutil

import pytest


@pytest.mark.parametrize("words", [(), ("--original", "patients.csv"), ("--policy", "policy.yaml")])
def test_a_release(words, run, released):
    found = run("verify", "out", *words)
    assert found.code == 0
    assert found.err == ""
    assert found.out.startswith("Verdict: proven (60 records in ")
    assert "holds: k-anonymity (k = 5), scope public" in found.out
    assert ("no record was lost or invented" in found.out) == ("--original" in words)


def test_the_public_part_alone(run, released):
    shutil.rmtree(released / "private")
    for place in ("out", "out/public"):
        assert run("verify", place).code == 0
    (line,) = run("verify", "out", "--original", "patients.csv").errors
    assert "no private/" in line


def test_json(run, released):
    found = run("verify", "out", "--format", "json").json
    assert found["ok"] is True
    assert found["problems"] == []
    assert found["proofs"][0]["model"] == "k-anonymity"
    assert found["proofs"][0]["holds"] is True


def test_tampered(run, released):
    table = released / "public" / "release.csv"
    first, *rows = table.read_text().splitlines(keepends=True)
    table.write_text("".join([first, *rows[1:]]))
    found = run("verify", "out")
    assert found.code == 1
    assert found.out.startswith("Verdict: FAILED")
    assert "release.csv" in found.out
    told = run("verify", "out/public", "--format", "json")
    assert told.code == 1
    assert told.json["ok"] is False
    assert told.json["problems"]


def test_another_original(run, released, desk):
    rows = (desk / "patients.csv").read_text().replace("20,02100,flu", "20,02100,cold", 1)
    (desk / "other.csv").write_text(rows)
    found = run("verify", "out", "--original", "other.csv")
    assert found.code == 1
    assert "original" in found.out


def test_another_policy(run, released, desk):
    policy = (desk / "policy.yaml").read_text()
    (desk / "stricter.yaml").write_text(policy.replace("k: 5", "k: 50"))
    found = run("verify", "out", "--policy", "stricter.yaml")
    assert found.code == 1
    assert "VIOLATED: k-anonymity (k = 50)" in found.out
