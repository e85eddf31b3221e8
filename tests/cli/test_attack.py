"""`likeness attack`."""

from __future__ import annotations

import pytest

import likeness as lk
from likeness import registry


def test_every_attack_there_is_as_in_python(run, released):
    release = lk.anonymize("patients.csv", "policy.yaml", seed=1)
    found = run("attack", "out", "--original", "patients.csv", "--format", "json")
    assert found.code == 0
    assert [one["attack"] for one in found.json] == list(registry.names("attacks"))
    for one in found.json:
        result = release.attack(one["attack"])
        assert one["success"] == pytest.approx(result.success)
        assert one["baseline"] == pytest.approx(result.baseline)
        assert one["details"] == pytest.approx(result.details)


def test_text_shows_before_and_after(run, released):
    found = run("attack", "out", "--original", "patients.csv", "--attack", "linkage:targets=10,seed=3")
    assert found.code == 0
    rows = {line.split()[0]: line.split() for line in found.out.splitlines()[1:]}
    assert rows["original"] == ["original", "release"]
    assert rows["unique"] == ["unique", "1", "0"]
    assert rows["targets"] == ["targets", "10"]


def test_a_threshold(run, released):
    words = ("attack", "out", "--original", "patients.csv", "--at-most")
    assert run(*words, "0.2").code == 0  # k = 5
    found = run(*words, "0.01")
    assert found.code == 1
    assert "above the threshold 0.01" in found.errors[0]
    assert run(*words, "often").code == 2


def test_the_public_part_needs_a_policy(run, released):
    words = ("attack", "out/public", "--original", "patients.csv", "--format", "json")
    found = run(*words)
    assert found.code == 2
    assert "--policy" in found.errors[0]
    whole = run("attack", "out", "--original", "patients.csv", "--format", "json")
    assert run(*words, "--policy", "policy.yaml").json == whole.json


def test_bad_usage(run, released):
    words = ("attack", "out", "--original", "patients.csv", "--attack")
    assert "did you mean 'linkage'?" in run(*words, "linkag").errors[0]
    assert "did you mean 'targets'?" in run(*words, "linkage:target=3").errors[0]
    assert run(*words, "linkage:targets=0").code == 2
