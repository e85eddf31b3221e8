"""`likeness profile`."""

from __future__ import annotations

import json

import pytest

from likeness.policy import Policy


def test_what_was_found_goes_to_stdout_and_nothing_is_written(run, desk):
    before = sorted(desk.iterdir())
    found = run("profile", "patients.csv")
    assert found.code == 0
    assert "disease" in found.out
    assert "60 records" in found.out
    assert "nothing was written" in found.err
    assert sorted(desk.iterdir()) == before


def test_the_policy_is_written_and_accepted_unchanged(run, desk):
    found = run("profile", "patients.csv", "-o", "proposed.yaml")
    assert found.code == 0
    assert "wrote proposed.yaml" in found.err
    assert Policy.load(desk / "proposed.yaml").columns["disease"].role == "sensitive"
    assert run("anonymize", "patients.csv", "proposed.yaml", "-o", "out").code == 0


def test_dash_prints_the_policy(run, desk):
    printed = run("profile", "patients.csv", "-o", "-")
    assert run("profile", "patients.csv", "-o", "same.yaml").code == 0
    assert printed.out == (desk / "same.yaml").read_text()
    assert printed.err == ""


def test_a_policy_is_never_replaced_unasked(run, desk):
    mine = (desk / "policy.yaml").read_text()
    found = run("profile", "patients.csv", "-o", "policy.yaml")
    assert found.code == 2
    assert found.out == ""
    assert "already exists; say --overwrite" in found.errors[0]
    assert (desk / "policy.yaml").read_text() == mine
    assert run("profile", "patients.csv", "-o", "policy.yaml", "--overwrite").code == 0
    assert (desk / "policy.yaml").read_text() != mine


def test_json(run):
    found = run("profile", "patients.csv", "--format", "json").json
    assert found["records"] == 60
    assert json.loads(json.dumps(found["policy"]))["columns"]["disease"]["role"] == "sensitive"


def test_roles_that_are_decided(run):
    found = run(
        "profile", "patients.csv", "--role", "zip=drop", "--role", "age=sensitive", "--format", "json"
    ).json
    assert {one["name"]: one["role"] for one in found["columns"]} == {
        "age": "sensitive",
        "zip": "drop",
        "disease": "sensitive",
    }


@pytest.mark.parametrize(("given", "words"), [("agee=quasi", "'age'"), ("age=quasy", "'quasi'")])
def test_misspelt_roles(given, words, run):
    found = run("profile", "patients.csv", "--role", given)
    assert found.code == 2
    assert words in found.errors[0]


def test_the_table_itself_is_never_replaced(run, desk):
    before = (desk / "patients.csv").read_bytes()
    found = run("profile", "patients.csv", "-o", "patients.csv", "--overwrite")
    assert found.code == 2
    assert "is the table itself" in found.err
    assert (desk / "patients.csv").read_bytes() == before
