"""Bad input ends with exit code 2 and one clear line per error, and nothing is written."""

from __future__ import annotations

import polars as pl
import pytest

from likeness.cli._app import USAGE

ROWS, K = "age,zip,disease\n", "{model: k-anonymity, k: 5}"
WITH_HIERARCHY = ("policy.yaml", "{role: sensitive}", "{role: sensitive, hierarchy: icd.csv}")

# What is changed (file, text, replacement), and what each line of the complaint must name.
CASES = {
    "no such column": (
        [("policy.yaml", "  age:", "  agee:")],
        [("patients.csv", "'age'", "does not name"), ("'agee'", "did you mean 'age'")],
    ),
    "a column that the policy does not name": (
        [("policy.yaml", "  age: {role: quasi}\n", "")],
        [("patients.csv", "'age'", "does not name")],
    ),
    "empty file": ([("patients.csv", None, "")], [("patients.csv", "empty")]),
    "header only": ([("patients.csv", None, ROWS)], [("patients.csv", "no records")]),
    "duplicate column names": (
        [("patients.csv", "age,zip", "zip,zip")],
        [("patients.csv", "'zip'", "columns 1 and 2")],
    ),
    "a column without a name": (
        [("patients.csv", "age,zip", ",zip")],
        [("patients.csv", "column 1", "no name")],
    ),
    "a role missing": (
        [("policy.yaml", "age: {role: quasi}", "age: {kind: integer}")],
        [("policy.yaml", "line 2", "age", "role", "missing")],
    ),
    "quasi-identifier also sensitive, as two keys": (
        [("policy.yaml", "privacy", "  age: {role: sensitive}\nprivacy")],
        [("policy.yaml", "'age'", "given twice")],
    ),
    "quasi-identifier also sensitive, as two roles": (
        [("policy.yaml", "age: {role: quasi}", "age: {role: [quasi, sensitive]}")],
        [("policy.yaml", "line 2", "age", "must be one of")],
    ),
    "no sensitive column for a model that needs one": (
        [
            ("policy.yaml", "{role: sensitive}", "{role: drop}"),
            ("policy.yaml", K, "{model: t-closeness, t: 0.2}"),
        ],
        [("policy.yaml", "line 6", "t-closeness", "needs a sensitive column")],
    ),
    "k = 0": ([("policy.yaml", "k: 5", "k: 0")], [("policy.yaml", "line 6", "k", "at least 1", "got 0")]),
    "β = 0": (
        [("policy.yaml", K, "{model: beta-likeness, beta: 0}")],
        [("policy.yaml", "line 6", "beta", "above 0", "got 0")],
    ),
    "β < 0": (
        [("policy.yaml", K, "{model: beta-likeness, beta: -1}")],
        [("policy.yaml", "line 6", "beta", "above 0", "got -1")],
    ),
    "two bad parameters": (
        [("policy.yaml", K, "{model: k-anonymity, k: 0}\n  - {model: beta-likeness, beta: -1}")],
        [("line 6", "k-anonymity"), ("line 7", "beta-likeness")],
    ),
    "a column of mixed types": (
        [("patients.csv", "\n21,", "\nold,")],
        [("patients.csv", "'age'", "'old'", "line 3")],
    ),
    "wrong encoding": (
        [("patients.csv", "flu", b"gripp\xe9")],
        [("patients.csv", "line 2", "0xE9", "encoding")],
    ),
    "a hierarchy that lacks a value": (
        [WITH_HIERARCHY, ("icd.csv", None, "flu;lung;*\ncold;lung;*\n")],
        [("icd.csv", "'hiv'", "'disease'")],
    ),
    "a ragged hierarchy": (
        [WITH_HIERARCHY, ("icd.csv", None, "flu;lung;*\ncold;lung;*\nhiv;*\n")],
        [("icd.csv", "line 3", "'hiv'")],
    ),
    "a leaf with two parents": (
        [WITH_HIERARCHY, ("icd.csv", None, "flu;lung;*\ncold;lung;*\nhiv;x;*\nflu;x;*\n")],
        [("icd.csv", "line 4", "'flu'", "twice")],
    ),
    "a hierarchy with two roots": (
        [WITH_HIERARCHY, ("icd.csv", None, "flu;lung;*\ncold;lung;*\nhiv;x;!\n")],
        [("icd.csv", "line 3", "two roots", "'!'")],
    ),
    "no such hierarchy": ([WITH_HIERARCHY], [("icd.csv", "no such file")]),
    "a policy that is not YAML": (
        [("policy.yaml", None, "columns: [\n a: {")],
        [("policy.yaml", "is not YAML")],
    ),
    "a policy that is not a mapping": ([("policy.yaml", None, "hello")], [("policy.yaml", "mapping")]),
    "a policy that is no text": ([("policy.yaml", None, b"\x80\x81")], [("policy.yaml", "UTF-8")]),
    "an empty policy": ([("policy.yaml", None, "")], [("policy.yaml", "empty")]),
    "unknown keys": (
        [("policy.yaml", "privacy:", "methd: burel\nprivcy:")],
        [("line 5", "'methd'", "'method'"), ("line 6", "'privcy'", "'privacy'")],
    ),
    "categories of a column that is not sensitive": (
        [("policy.yaml", "privacy:", "categories: {age: severity.csv}\nprivacy:")],
        [("categories", "'age'", "not sensitive")],
    ),
    "a file of categories that is not there": (
        [("policy.yaml", "privacy:", "categories: {disease: severity.csv}\nprivacy:")],
        [("severity.csv", "no such file")],
    ),
    "knowledge that nothing uses": (
        [("policy.yaml", "privacy:", "knowledge: {table: known.csv}\nprivacy:")],
        [("knowledge", "no model in privacy uses it", "js-background")],
    ),
    "a table of shares that is not there": (
        [
            (
                "policy.yaml",
                "privacy:",
                "knowledge: {table: known.csv}\nprivacy:\n  - {model: js-background, j: 1}",
            )
        ],
        [("knowledge: table", "known.csv", "no such file")],
    ),
    "a person who is no identifier": (
        [("policy.yaml", "privacy:", "individual: zip\nprivacy:")],
        [("line 5", "individual", "'zip' has the role quasi", "role: identifier")],
    ),
    "no such second table": (
        [
            ("policy.yaml", "privacy:", "individual: who\nrecords: {table: visits.csv, on: who}\nprivacy:"),
            ("policy.yaml", "columns:", "columns:\n  who: {role: identifier}"),
        ],
        [("records", "visits.csv", "no such file")],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("command", ["anonymize", "check"])
def test_bad_input(case, command, run, desk):
    changes, complaints = CASES[case]
    for name, old, new in changes:
        path = desk / name
        new = new if isinstance(new, bytes) else new.encode()  # noqa: PLW2901  # a text or bytes
        assert old is None or old.encode() in path.read_bytes()
        path.write_bytes(new if old is None else path.read_bytes().replace(old.encode(), new))
    before = sorted(desk.iterdir())
    found = run(command, "patients.csv", "policy.yaml", *(("-o", "out") if command == "anonymize" else ()))
    assert found.code == 2
    assert found.out == ""
    assert len(found.errors) == len(complaints) == len(found.err.splitlines())
    for line, words in zip(found.errors, complaints, strict=True):
        assert all(word in line for word in words), line
    assert sorted(desk.iterdir()) == before


def test_no_such_table_or_policy(run, desk):
    assert run("anonymize", "none.csv", "policy.yaml", "-o", "out").errors == ["none.csv: no such file"]
    (line,) = run("anonymize", "patients.csv", "none.yaml", "-o", "out").errors
    assert "none.yaml: there is no such policy file" in line
    assert not (desk / "out").exists()


def test_truncated_parquet(run, desk):
    pl.read_csv("patients.csv", infer_schema=False).write_parquet("patients.parquet")
    whole = (desk / "patients.parquet").read_bytes()
    (desk / "patients.parquet").write_bytes(whole[: len(whole) // 2])
    found = run("anonymize", "patients.parquet", "policy.yaml", "-o", "out")
    assert found.code == 2
    (line,) = found.errors
    assert "patients.parquet" in line
    assert "not a whole Parquet file" in line
    assert not (desk / "out").exists()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nowhere/out", "does not exist"),
        ("patients.csv", "is a file"),
        ("patients.csv/out", "is a file"),
        ("/proc/out", "cannot be written"),
        (".", "already exists"),
    ],
)
def test_output_that_cannot_be_written(place, words, run, desk):
    before = sorted(desk.iterdir())
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", place)
    assert found.code == 2
    (line,) = found.errors
    assert words in line
    assert sorted(desk.iterdir()) == before


def test_only_releases_are_replaced(run, desk):
    (desk / "mine").mkdir()
    (desk / "mine" / "thesis.txt").write_text("years of work")
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "mine", "--overwrite")
    assert found.code == 2
    assert "is not a release folder" in found.errors[0]
    assert (desk / "mine" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["anonymize", "patients.csv"], "POLICY is missing; see likeness anonymize --help"),
        (["measure", "out"], "--original is missing; see likeness measure --help"),
        (["measure", "out", "--original"], "requires an argument; see likeness measure --help"),
        (["anonymize", "patients.csv", "policy.yaml", "-o", "out", "--sede", "3"], "Did you mean --seed?"),
        (["anonymize", "patients.csv", "policy.yaml", "-o", "out", "--seed", "x"], "--seed"),
        (["anonymize", "patients.csv", "policy.yaml", "-o", "out", "--seed", "-1"], "seed"),
        (["check", "patients.csv", "policy.yaml", "--format", "xml"], '"text", "json"'),
        (
            ["check", "patients.csv", "policy.yaml", "more"],
            "too many arguments: more; see likeness check",
        ),
        (["anonymise"], "did you mean 'anonymize'?"),
        (["list", "methds"], "did you mean 'methods'?"),
        (["show", "burell"], "did you mean 'burel'?"),
        (["generate", "hospitl"], "did you mean 'hospital'?"),
        (["generate", "hospital", "--rows", "0"], "at least 1"),
        (["verify", "nowhere"], "there is no such release folder"),
        (["verify", "."], "is not a release folder"),
        (["profile", "patients.csv", "--role", "age"], "NAME=VALUE"),
        (["profile", "patients.csv", "--delimiter", "long"], "delimiter"),
    ],
)
def test_bad_usage(words, complaint, run, desk):
    before = sorted(desk.iterdir())
    found = run(*words)
    assert found.code == USAGE == 2
    assert found.out == ""
    assert len(found.err.splitlines()) == 1
    assert complaint in found.errors[0]
    assert sorted(desk.iterdir()) == before
