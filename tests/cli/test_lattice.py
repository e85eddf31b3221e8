"""`recoding: grid` and the attack `downcoding`, from the command line."""

from __future__ import annotations

from pathlib import Path

POLICY = """
columns:
  age: {role: quasi}
  disease: {role: sensitive}
  "*": {role: drop}
privacy: [{model: k-anonymity, k: 2}]
form: {name: generalized, recoding: grid, steps: {%s}}
"""


def test_a_release_on_a_lattice_from_end_to_end(run, released):
    Path("steps.yaml").write_text(POLICY % "age: 5")
    assert run("anonymize", "patients.csv", "steps.yaml", "-o", "steps").code == 0
    found = run("verify", "steps/public")
    assert found.code == 0
    assert "regions of 'age' are made of whole steps" in found.out
    found = run("attack", "steps", "--original", "patients.csv", "--attack", "downcoding", "--format", "json")
    assert found.code == 0
    (told,) = found.json
    assert told["success"] == told["details"]["recovered"] == 0
    assert told["details"]["generalized"] == 1


def test_steps_that_do_not_suit_the_table(run, released):
    for steps, line in (
        ("aeg: 5", "form: steps: 'aeg' is no quasi-identifier of the policy"),
        ("age: 2.5", "column 'age': its step must be a whole number of at least 2; got 2.5"),
        ("age: -1", "steps: age must be a number above 0; got -1"),
    ):
        Path("steps.yaml").write_text(POLICY % steps)
        found = run("anonymize", "patients.csv", "steps.yaml", "-o", "steps")
        assert found.code == 2
        assert line in found.err
        assert len(found.err.strip().splitlines()) == 1
        assert not Path("steps").exists()
