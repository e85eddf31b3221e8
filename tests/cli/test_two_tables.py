"""Every command that looks at an original finds the second table of its policy."""

from __future__ import annotations

import json

import polars as pl
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
    # A person is no record: 80 rows of visits, 40 people, 7 of whom have none.
    assert "visits.csv: 80 records" in found.out
    assert "7 individuals without a record in the second table" in found.out
    assert "dropped 7" not in found.out
    found = run("anonymize", people, policy, "-o", "out")
    assert found.code == 0
    assert "80 records = 69 published + 0 withheld + 11 dropped" in found.out
    assert "40 individuals = 33 published + 0 withheld + 7 dropped" in found.out
    assert "of them without a record in the second table: 7" in found.out
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


# Of the 33 with records five zip codes have 5 and two have 4, of all 40 five have 6 and two have 5.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "k", "withheld"), [("drop", 3, 0), ("drop", 5, 8), ("value", 3, 0), ("value", 6, 10)]
)
@pytest.mark.parametrize("duplicates", ["drop", "keep"])
def test_every_record_and_every_person_is_accounted_for(run, two, rule, duplicates, k, withheld):
    text = POLICY.replace("k: 3", f"k: {k}")
    rules = f"hygiene: {{no_sensitive: {rule}, duplicates: {duplicates}}}\nwithhold: {{at_most: 1}}\n"
    # Who shares the zip code with fewer than k has to be withheld, and local moves may withhold more.
    rules += "method: mondrian\n"
    text = text.replace("prefix: 5}", "prefix: 5}, max_level: 0")
    (two / "policy.yaml").write_text(text + rules)
    found = run("anonymize", "data/people.csv", "data/policy.yaml", "-o", "out", "--format", "json")
    assert found.code == 0, found.err
    counts, people = found.json["counts"], found.json["individuals"]
    lost = sum(counts["withheld"].values()) + sum(counts["dropped"].values())
    assert counts["input"] == 80 == counts["published"] - counts["added"] + lost
    assert people["input"] == 40 == people["published"] + people["withheld"] + people["dropped"]
    assert people["without_records"] == 7
    assert people["withheld"] == withheld
    assert "people without records" not in counts["dropped"]
    assert (counts["added"] > 0) == (rule == "value")
    audit = json.loads((two.parent / "out/private/audit.json").read_text())
    assert audit["counts"] == counts
    kept = pl.read_parquet(two.parent / "out/private/classes.parquet")
    assert kept["added"].sum() == 7
    shown = counts["added"]
    ends = {"published": shown, "withheld": 7 - shown} if rule == "value" else {"dropped": 7}
    became = dict(kept.filter(pl.col("added") == 1).group_by("status").len().iter_rows())
    assert became == {end: number for end, number in ends.items() if number}
    # Two of the seven live where only five do.
    assert shown == {"drop": 0, "value": 7 if k == 3 else 5}[rule]
    verdict = run("verify", "out", "--original", "data/people.csv")
    assert verdict.code == 0, verdict.out
    assert "80 records = " in verdict.out
    report = (two.parent / "out/private/report.html").read_text()
    assert "people without a record in the second table" in report


def test_a_class_map_that_takes_a_record_for_a_person(run, two):
    (two / "policy.yaml").write_text(POLICY + "hygiene: {no_sensitive: value}\n")
    assert run("anonymize", "data/people.csv", "data/policy.yaml", "-o", "out").code == 0
    path = two.parent / "out/private/classes.parquet"
    kept = pl.read_parquet(path)
    for values, message in (
        (1 - kept["added"], "is said to be a person without records and is a record, or the other way round"),
        (kept["added"] * 7, "the column 'added' holds 7; it is 1 for people without records, else 0"),
    ):
        kept.with_columns(added=values).write_parquet(path)
        found = run("verify", "out", "--original", "data/people.csv")
        assert found.code == 1
        assert message in found.out
