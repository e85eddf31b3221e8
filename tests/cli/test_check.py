"""`likeness check`."""

from __future__ import annotations

import pytest


def test_a_dry_run_writes_nothing_and_says_so(run, desk):
    before = sorted(desk.iterdir())
    found = run("check", "patients.csv", "policy.yaml")
    assert found.code == 0
    assert found.err == "nothing was written\n"
    for words in (
        "ncp: no release loses less than ",
        "a gap of ",
        "patients.csv: 60 records",
        "100 % of the records are the only ones",
        "can be met",
        "cost",
    ):
        assert words in found.out
    rows = found.out.partition("before and after\n")[2].splitlines()
    assert rows[0].split() == ["age", "zip", "disease"]
    assert [row.split()[0] for row in rows[1:]] == ["before", "after"] * 10
    assert sorted(desk.iterdir()) == before


def test_unique_people_are_people(run, desk):
    # Ann is alone with 30 and with 31, Eve with 40 only, Bob and Zoe never.
    rows = "ann,30,a\nann,31,b\neve,40,a\neve,50,b\nbob,50,a\nzoe,50,b\nzoe,50,c\n"
    (desk / "visits.csv").write_text("who,age,s\n" + rows)
    (desk / "visits.yaml").write_text(
        "columns: {who: {role: identifier}, age: {role: quasi}, s: {role: sensitive}}\nindividual: who\n"
        "privacy: [{model: k-anonymity, k: 2}]\n"
    )
    found = run("check", "visits.csv", "visits.yaml")
    assert "50 % of the individuals are the only ones with their quasi-identifiers" in found.out
    assert "4 individuals = 4 published + 0 withheld + 0 dropped" in found.out


def test_a_table_too_large_for_the_optimum_is_refused_in_one_line(run, desk):
    method = "method: {name: optimal, most_assignments: 10}\n"
    (desk / "policy.yaml").write_text((desk / "policy.yaml").read_text() + method)
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 2
    (line,) = found.errors
    assert line.startswith(
        "optimal: is for small tables: the 60 cells of this one have more than 10 pairs of a cell and a region"
    )
    assert line.endswith("take fewer records, or take mondrian or local-recoding, or leave method out")
    assert not (desk / "out").exists()


def test_json(run):
    found = run("check", "patients.csv", "policy.yaml", "--format", "json").json
    assert found["feasible"] is True
    assert found["unique"] == 1.0
    tried = {name: one["loss"] for name, one in found["candidates"].items() if one["loss"] is not None}
    assert "local-recoding" in tried
    kept = next(name for name, one in found["candidates"].items() if one["outcome"] == "kept")
    assert kept.startswith("local-search from local-recoding")
    assert found["method"].startswith("local-search (start = ")
    assert tried[kept] == min(tried.values())
    assert found["seconds"] > 0
    bound = found["lower_bound"]["ncp"]
    assert 0 < bound["value"] < bound["charged_loss"] == found["loss"]["ncp"]
    assert bound["gap"] == pytest.approx(1 - bound["value"] / bound["charged_loss"])
    assert set(found["before_after"][0]["before"]) == {"age", "zip", "disease"}
    before, after = found["before_after"][0]["before"], found["before_after"][0]["after"]
    assert before["disease"] == after["disease"]
    low, high = after["age"].strip("[]").split(", ")
    assert int(low) <= int(before["age"]) <= int(high)


def test_rare_values_and_the_classes_they_need(run, desk):
    policy = (desk / "policy.yaml").read_text()
    (desk / "policy.yaml").write_text(policy.replace("k-anonymity, k: 5", "beta-likeness, beta: 1"))
    with (desk / "patients.csv").open("a") as table:
        table.write("30,02101,ebola\n")
    found = run("check", "patients.csv", "policy.yaml", "--format", "json").json
    (one,) = found["smallest_classes"]
    assert one["model"] == "beta-likeness"
    assert one["column"] == "disease"
    assert one["values"]["ebola"] == 31  # one record of 61 may be at most 2/61 of its class


def test_what_cannot_be_met(run, desk):
    policy = (desk / "policy.yaml").read_text()
    (desk / "policy.yaml").write_text(policy.replace("k: 5", "k: 500"))
    found = run("check", "patients.csv", "policy.yaml", "--format", "json")
    assert found.code == 3
    assert found.json["feasible"] is False
    assert found.json["problems"] == found.errors
    assert "nothing was written" in found.err
    text = run("check", "patients.csv", "policy.yaml")
    assert text.code == 3
    assert "k-anonymity (k = 500)" in text.out
    assert "can be met" not in text.out


def test_cells_cannot_move_the_cursor(run, desk):
    with (desk / "patients.csv").open("a") as table:
        table.write("\n".join(f"{age},02101,\x1b[2Jflu" for age in range(20, 50)) + "\n")
    found = run("check", "patients.csv", "policy.yaml", "--seed", "1")
    assert found.code == 0
    assert "\x1b" not in found.out
    assert "\\x1b[2Jflu" in found.out


def test_a_release_of_no_column_is_refused(run, desk):
    # Every column of a table of one record is constant, so its profile drops all.
    (desk / "one.csv").write_text("age,zip,disease\n30,02100,flu\n")
    assert run("profile", "one.csv", "-o", "one.yaml").code == 0
    found = run("check", "one.csv", "one.yaml")
    assert found.code == 2
    assert found.errors == [
        "columns: nothing would be published, as every column is dropped or an identifier; give one another role"
    ]
