"""Releases of means from the command line: made, verified, measured, attacked, reported; and what is refused."""

from __future__ import annotations

import json

import pytest

from likeness import registry

FORMS = [
    name
    for name in registry.names("forms")
    if registry.load("forms", name)().shows("integer", "interval") == "mean"
]


def ask(desk, form, rest=""):
    """Write a policy for the patients."""
    (desk / "policy.yaml").write_text(
        "columns:\n  age: {role: quasi}\n  zip: {role: quasi}\n  disease: {role: sensitive}\n"
        f"privacy: [{{model: k-anonymity, k: 3}}]\nform: {form}\n{rest}"
    )


@pytest.mark.parametrize("form", FORMS)
def test_from_policy_to_report(form, run, desk):
    ask(desk, form)
    made = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert made.code == 0, made.err
    assert f"in the form {form}" in made.out
    assert "  sse " in made.out
    assert "  ncp " not in made.out
    for words in (["out"], ["out/public"], ["out", "--original", "patients.csv"]):
        verified = run("verify", *words)
        assert verified.code == 0, verified.out
        assert "holds: k-anonymity (k = 3), scope public" in verified.out
    measured = run("measure", "out", "--original", "patients.csv", "--format", "json")
    assert {"sse", "query-error"} <= set(measured.json["metrics"])
    assert "measures regions, and means" in measured.json["skipped"]["ncp"]
    refused = run("measure", "out", "--original", "patients.csv", "--metric", "ncp")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "ncp: measures regions, and means or modes are published instead" in refused.err
    attacked = run("attack", "out", "--original", "patients.csv", "--format", "json")
    assert attacked.code == 0, attacked.err
    found = {one["attack"]: one for one in attacked.json}
    assert {"homogeneity", "linkage", "skewness", "corruption", "definetti"} <= set(found)
    assert "misled" in found["linkage"]["details"]
    page = (desk / "out/public/certificate.html").read_text()
    assert "the mean of the values of the class" in page
    assert ("the most frequent value of the class" in page) == (form == "microaggregated")
    assert json.loads((desk / "out/public/certificate.json").read_text())["form"]["name"] == form


@pytest.mark.parametrize("form", FORMS)
def test_they_are_listed_and_shown(form, run):
    assert f"\n{form} " in "\n" + run("list", "forms").out
    assert "mean" in run("show", f"forms/{form}").out


@pytest.mark.parametrize("form", FORMS)
def test_people_with_several_records_are_refused(form, run, desk):
    (desk / "visits.csv").write_text("who,age,zip,disease\n1,30,1,flu\n1,30,1,cold\n2,40,2,flu\n")
    (desk / "policy.yaml").write_text(
        "columns:\n  who: {role: identifier}\n  age: {role: quasi}\n  zip: {role: quasi}\n  disease: {role: sensitive}\n"
        f"individual: who\nprivacy: [{{model: k-anonymity, k: 2}}]\nform: {form}\n"
    )
    found = run("anonymize", "visits.csv", "policy.yaml", "-o", "out")
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert f"form: '{form}' takes every record for another person's" in found.err
