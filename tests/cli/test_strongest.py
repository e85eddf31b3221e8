"""`likeness strongest`."""

from __future__ import annotations

import pytest

import likeness as lk

WORDS = ("strongest", "patients.csv", "policy.yaml", "--parameter", "k", "--seed", "1")


def test_the_same_as_in_python(run, desk):
    python = lk.strongest("patients.csv", "policy.yaml", "k", loss={"ail": 0.3}, seed=1)
    found = run(*WORDS, "--loss", "ail=0.3", "--format", "json")
    assert found.code == 0
    assert (found.json["parameter"], found.json["value"]) == ("k-anonymity.k", python.value)
    assert [one["value"] for one in found.json["tried"]] == [one.value for one in python.tried]
    assert found.json["reached"] == python.release.loss("ail")
    assert found.json["folder"] is None
    assert found.json["next_tried"] == python.next_tried.value


def test_for_people(run):
    found = run(*WORDS, "--loss", "ail=0.3", "--loss", "ncp=0.9", "--between", "2..30")
    assert found.code == 0
    assert found.out.startswith("tried\n  k   ail")
    assert "strongest found: k-anonymity.k = " in found.out
    assert "was tried and fails" in found.out
    assert "nothing was written" in found.err


def test_the_release_that_was_found_is_written(run, desk):
    found = run(*WORDS, "--loss", "ail=0.3", "-o", "found", "--format", "json")
    assert found.code == 0
    assert run("verify", "found").code == 0
    written = lk.open_release("found")
    assert written.certificate.classes == found.json["classes"]
    again = run(*WORDS, "--loss", "ail=0.3", "-o", "found")
    assert again.code == 2
    assert "exists" in again.errors[0]


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("--loss", "ail"), 2, "--loss: give NAME=VALUE"),
        (("--loss", "ail=0.1", "--loss", "ail=0.2"), 2, "given twice"),
        (("--loss", "aill=0.1"), 2, "did you mean 'ail'"),
        (("--loss", "ail=x"), 2, "must be a number"),
        (("--loss", "ail=0.3", "--between", "4"), 2, "give LOW..HIGH"),
        (("--loss", "ail=0.3", "--between", "5..5"), 2, "must differ"),
        (("--loss", "ail=0.3", "--between", "30..2"), 2, "the lower end first; got '30..2'"),
        (("--loss", "ail=0.3", "--between", "a..b"), 2, "--between: LOW must be a number; got 'a'"),
        (("--loss", "ail=0.3", "--overwrite"), 2, "--overwrite: nothing is written without -o"),
        (("--loss", "ail=0.3", "--parameter", "beta"), 2, "multiple times"),
        ((), 2, "--loss"),
        (("--loss", "ail=0.00001", "--between", "2..30"), 3, "ail = 0."),
    ],
)
def test_refusals(run, words, code, complaint):
    found = run(*WORDS, *words)
    assert found.code == code
    assert found.out == ""
    assert complaint in found.errors[0]
