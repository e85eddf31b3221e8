"""`likeness apply`."""

from __future__ import annotations

import pytest


def test_a_table_fits_into_its_own_release(run, desk):
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out").code == 0
    found = run("apply", "out", "patients.csv", "-o", "next")
    assert found.code == 0
    assert "it has the regions of an earlier release" in found.err
    assert run("verify", "next", "--original", "patients.csv").code == 0


@pytest.mark.parametrize("earlier", ["out", "out/public"])
def test_the_release_whose_regions_are_applied_is_not_replaced(run, desk, earlier):
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out").code == 0
    found = run("apply", earlier, "patients.csv", "-o", "out", "--overwrite", "--policy", "policy.yaml")
    assert found.code == 2
    assert found.errors == ["out: is the release whose regions are applied; give another folder"]
    assert run("verify", "out", "--original", "patients.csv").code == 0


def test_a_folder_that_is_no_release(run, desk):
    found = run("apply", "nowhere", "patients.csv", "-o", "next")
    assert found.code == 2
    assert not (desk / "next").exists()


def test_regions_of_a_large_release_are_not_all_printed(run, desk):
    people = [f"{age},{'flu' if age % 2 else 'cold'}" for age in range(100) for _ in range(2)]
    (desk / "many.csv").write_text("\n".join(["age,disease", *people, ""]))
    (desk / "many.yaml").write_text(
        "columns: {age: {role: quasi}, disease: {role: sensitive}}\nprivacy: [{model: k-anonymity, k: 2}]\n"
    )
    assert run("anonymize", "many.csv", "many.yaml", "-o", "many").code == 0
    found = run("apply", "many", "many.csv", "-o", "more")
    assert found.code == 0
    assert "lost, by regions-of (columns = ['age'])" in found.out
