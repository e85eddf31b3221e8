"""`likeness compare`."""

from __future__ import annotations

import json

import pytest

import likeness as lk
from likeness import comparing

WORDS = (
    "compare",
    "patients.csv",
    "policy.yaml",
    "-o",
    "compared",
    "--methods",
    "mondrian,mdav",
    "--jobs",
    "1",
)


@pytest.mark.slow
def test_the_same_as_in_python_and_again_without_any_run(run, desk):
    first = run(*WORDS, "--vary", "k=5", "--seed", "1", "--format", "json")
    assert first.code == 0
    assert "it is the steward's alone" in first.err
    assert "likeness anonymize patients.csv compared/policy.yaml -o out/" in first.err
    python = lk.compare(
        "patients.csv",
        "policy.yaml",
        methods=["mondrian", "mdav"],
        vary={"k": [5]},
        seed=1,
        folder="compared",
    )
    assert first.json["runs"] == json.loads(json.dumps(python.to_json()))["runs"]
    assert first.json["folder"] == "compared"
    assert first.json["recommendation"]["policy"] == python.recommend().policy.to_mapping()
    text = run(*WORDS, "--vary", "k=5", "--seed", "1", "--within", "0.9", "--at", "k=4")
    assert text.code == 0
    assert text.out.splitlines()[0].startswith("Comparison: 2 runs, 2 methods × 1 value of k-anonymity.k")
    assert "recommended: " in text.out
    assert "strongest within: " in text.out
    assert "least loss at: " in text.out
    none = run(
        *WORDS, "--vary", "k=5", "--seed", "1", "--within", "0.0001", "--at", "k=50", "--format", "json"
    )
    assert none.code == 3
    assert len(none.errors) == 2
    assert none.json["runs"] == first.json["runs"]
    other = run(*WORDS, "--vary", "k=5", "--seed", "2")
    assert (other.code, other.out) == (2, "")
    assert "with another seed; say --overwrite" in other.errors[0]
    assert run("anonymize", "patients.csv", "compared/policy.yaml", "-o", "out").code == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--within", "15"), "ncp is a number from 0 to 1; got 15; 15 % is 0.15"),
        (("--within", "15", "--loss", "ail"), "ail is a number from 0 to 1; got 15; 15 % is 0.15"),
        (("--at", "t=0.3"), "'t'"),
        (("--at", "k=many"), "the value must be a number above 0; got 'many'"),
    ],
)
def test_what_no_comparison_can_answer_is_refused_before_any_run(asked, said, run, desk):
    found = run(*WORDS, "--vary", "k=5", *asked)
    assert (found.code, found.out) == (2, "")
    (line,) = found.errors
    assert said in line
    assert not (desk / "compared").exists()


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("--vary", "k"), 2, "--vary: give NAME=VALUE"),
        (("--vary", "k=x"), 2, "must be a number"),
        (("--memory-limit", "much"), 2, "--memory-limit: give a number of bytes"),
        (("--methods", "mondrian:cutt=1"), 2, "unknown parameter 'cutt'"),
        (("--loss", "x"), 2, "there is no metric 'x'"),
        (("-o", "policy.yaml"), 2, "multiple times"),
        (("--effort", "much"), 2, "effort"),
    ],
)
def test_refusals(run, words, code, complaint, desk):
    found = run(*WORDS, *words)
    assert (found.code, found.out) == (code, "")
    assert complaint in found.errors[0]
    assert not (desk / "compared").exists()


def test_interrupted_it_says_how_to_go_on(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparing, "compare", interrupt)
    found = run(*WORDS)
    assert found.code == 130
    assert found.errors == [
        "interrupted; nothing half-written was left; finished runs are kept in compared; the same command goes on"
    ]
    assert "finished runs" not in run("show", "k-anonymty").err


@pytest.mark.slow
def test_no_release_at_all_is_exit_3(run):
    found = run(*WORDS[:5], "--methods", "burel", "--vary", "k=5", "--jobs", "1")
    assert found.code == 3
    assert "burel, 5: does not fit" in found.out
    assert "made a release" in found.errors[0]
