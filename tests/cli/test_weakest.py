"""`likeness weakest`."""

from __future__ import annotations

import pytest

import likeness as lk

WORDS = ("weakest", "patients.csv", "policy.yaml", "--parameter", "k", "--seed", "1")


def test_the_same_as_in_python(run, desk):
    python = lk.weakest("patients.csv", "policy.yaml", "k", measured={"t-closeness.t": 0.2}, seed=1)
    found = run(*WORDS, "--measured", "t-closeness.t=0.2", "--format", "json")
    assert found.code == 0
    assert found.json["value"] == python.value
    assert found.json["reached"]["t-closeness.t"] <= 0.2


def test_for_people(run):
    found = run(*WORDS, "--measured", "t-closeness.t=0.2", "-o", "found")
    assert found.code == 0
    assert "weakest found: k-anonymity.k = " in found.out
    assert "likeness verify found" in found.err
    assert run("verify", "found").code == 0


@pytest.mark.parametrize(
    ("goal", "code", "complaint"),
    [
        ("t-closeness=0.1", 2, "name it, as in t-closeness.t"),
        ("t-closenes.t=0.1", 2, "did you mean"),
        ("t-closeness.t=5", 2, "measured: t-closeness: t must be a number"),
        ("k-anonymity.k=0", 2, "measured: k-anonymity: k must be a whole number of at least 1; got 0"),
        ("k-anonymity.k=61", 3, "k-anonymity.k at least 61"),
    ],
)
def test_refusals(run, goal, code, complaint):
    found = run(*WORDS, "--measured", goal)
    assert found.code == code
    assert complaint in found.errors[0]
