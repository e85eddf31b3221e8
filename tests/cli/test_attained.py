"""`attained`, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

POLICY = """
columns:
  age: {role: quasi}
  disease: {role: sensitive}
  "*": {role: drop}
privacy: [{model: k-anonymity, k: 2}]
form: {%s}
"""


def test_a_release_whose_regions_grow_from_end_to_end(run, released):
    Path("grows.yaml").write_text(POLICY % "name: generalized, attained: 2")
    assert run("anonymize", "patients.csv", "grows.yaml", "-o", "grows").code == 0
    found = run("verify", "grows/public")
    assert found.code == 0
    assert (
        "regions of 'age' are such that no end, listed value or child is certainly that of at least one"
        in found.out
    )
    found = run("attack", "grows", "--original", "patients.csv", "--attack", "downcoding", "--format", "json")
    assert found.code == 0
    (told,) = found.json
    assert told["success"] == told["details"]["values_known"] == 0
    page = Path("grows/public/certificate.html").read_text()
    assert "regions grow where it would follow from them" in page


@pytest.mark.parametrize(
    ("form", "line"),
    [
        (
            "attained: 1, name: generalized",
            "generalized: attained must be a whole number of at least 2; got 1",
        ),
        (
            "attained: two, name: generalized",
            "generalized: attained must be a whole number of at least 2; got 'two'",
        ),
        (
            "attained: 2.5, name: generalized",
            "generalized: attained must be a whole number of at least 2; got 2.5",
        ),
        (
            "attained: 2, name: generalized, recoding: grid, steps: {age: 5}",
            "attained and recoding: grid are two guards against the same; take one of them",
        ),
        ("attained: 2, name: microaggregated", "microaggregated"),
        ("attained: 2, name: anatomized", "anatomized"),
        ("attained: 2, name: identity-reserved", "attained counts records, and people have several here"),
    ],
)
def test_what_is_none_is_refused_in_one_line(run, released, form, line):
    Path("grows.yaml").write_text(POLICY % form)
    found = run("anonymize", "patients.csv", "grows.yaml", "-o", "grows")
    assert found.code == 2
    assert line in found.err
    assert "attained" in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not Path("grows").exists()


def test_real_numbers_have_no_neighbours(run, released):
    Path("real.csv").write_text("age,disease\n" + "".join(f"{20 + i / 2},flu\n" for i in range(9)))
    Path("grows.yaml").write_text(POLICY % "name: generalized, attained: 2")
    found = run("anonymize", "real.csv", "grows.yaml", "-o", "grows")
    assert found.code == 2
    assert "column 'age': attained needs values that have neighbours, and real numbers have none" in found.err
    assert not Path("grows").exists()


def test_two_values_and_classes_of_two_cannot_be_shown_and_are_joined(run, released):
    # No class of two may hold both; everybody together may.
    Path("two.csv").write_text("age,disease\n" + "old,flu\nyoung,cold\n" * 2)
    Path("grows.yaml").write_text(POLICY % "name: generalized, attained: 2")
    assert run("anonymize", "two.csv", "grows.yaml", "-o", "grows").code == 0
    Path("three.csv").write_text("age,disease\nold,flu\nyoung,cold\n")
    found = run("anonymize", "three.csv", "grows.yaml", "-o", "none")
    assert found.code == 3
    assert not Path("none").exists()
