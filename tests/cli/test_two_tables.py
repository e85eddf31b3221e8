"""Every command that looks at an original finds the second table of its policy."""

from __future__ import annotations

import pytest

POLICY = """\
columns:
  who: {role: identifier}
  age: {role: quasi}
  zip: {role: quasi, hierarchy: {prefix: 5}}
  disease: {role: sensitive}
individual: who
records: {table: visits.csv, on: who}
privacy: [{model: k-anonymity, k: 3}]
"""


@pytest.fixture
def two(desk, monkeypatch):
    """A folder of two tables and their policy, which is not where commands are run."""
    folder = desk / "data"
    folder.mkdir()
    people = "".join(f"p{i},{20 + i % 30},0{2100 + i % 7}\n" for i in range(40))
    visits = "".join(f"p{i % 33},{('flu', 'cold', 'hiv')[i % 4 % 3]}\n" for i in range(80))
    (folder / "people.csv").write_text("who,age,zip\n" + people)
    (folder / "visits.csv").write_text("who,disease\n" + visits)
    (folder / "policy.yaml").write_text(POLICY)
    return folder


def test_two_tables_from_check_to_attack(run, two):
    people, policy = "data/people.csv", "data/policy.yaml"
    found = run("check", people, policy)
    assert found.code == 0, found.err
    assert "people.csv with " in found.out
    assert "visits.csv: 87 records" in found.out
    assert "dropped 7: people without records" in found.out
    assert run("anonymize", people, policy, "-o", "out").code == 0
    assert run("verify", "out", "--original", people).code == 0
    # Of all the places where the second table may be, only the one it was in is left.
    (two / "people.csv").rename(two.parent / "people.csv")
    for command in ("verify", "measure", "attack"):
        found = run(command, "out", "--original", "people.csv")
        assert found.code == 0, found.err
    (two / "visits.csv").unlink()
    found = run("measure", "out", "--original", "people.csv")
    assert found.code == 2
    assert found.errors == ["records: visits.csv: no such file"]
