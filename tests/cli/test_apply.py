"""`likeness apply`."""

from __future__ import annotations


def test_a_table_fits_into_its_own_release(run, desk):
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out").code == 0
    found = run("apply", "out", "patients.csv", "-o", "next")
    assert found.code == 0
    assert "it has the regions of an earlier release" in found.err
    assert run("verify", "next", "--original", "patients.csv").code == 0


def test_a_folder_that_is_no_release(run, desk):
    found = run("apply", "nowhere", "patients.csv", "-o", "next")
    assert found.code == 2
    assert not (desk / "next").exists()
