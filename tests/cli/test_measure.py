"""`likeness measure`."""

from __future__ import annotations

import shutil

import pytest

import likeness as lk


def test_the_same_values_as_in_python(run, released):
    release = lk.anonymize("patients.csv", "policy.yaml", seed=1)
    found = run("measure", "out", "--original", "patients.csv", "--format", "json")
    assert found.code == 0
    assert found.err == ""
    values = {name: one["value"] for name, one in found.json["metrics"].items()}
    assert values["c-avg"] == pytest.approx(values["average-class-size"] / 5)
    assert values == pytest.approx(release.loss())
    assert set(found.json["skipped"]).isdisjoint(values)
    assert found.json["exceeded"] == []


def test_withheld_and_dropped_records_are_charged_as_in_python(run, desk):
    with (desk / "patients.csv").open("a") as table:
        table.write("30,,flu\n30,99999,cold\n")
    policy = (desk / "policy.yaml").read_text()
    policy = policy.replace("{prefix: 5}}", "{prefix: 5}, max_level: 1, missing: {policy: drop}}")
    (desk / "policy.yaml").write_text(policy + "withhold: {at_most: 0.1}\n")
    release = lk.anonymize("patients.csv", "policy.yaml")
    release.write("out")
    found = run("measure", "out", "--original", "patients.csv", "--format", "json").json
    assert found["records"] == 61
    values = {name: one["value"] for name, one in found["metrics"].items()}
    assert values == pytest.approx(release.loss())
    withheld = found["withheld"]
    assert withheld == 1
    assert found["metrics"]["ncp"]["lower_bound"]["charged_withheld"] == withheld
    lines = run("measure", "out", "--original", "patients.csv").out.splitlines()
    assert lines[0].startswith("61 records (1 withheld), ")
    told = lines[lines.index("how withheld records count") + 1 :]
    (how,) = [
        line for line in told if line.endswith(": Left out of the mean; with charge_withheld each costs 1.")
    ]
    assert "ncp" in how
    assert any(line.startswith("ncp: no ") and " with 1 withheld record at 1 each" in line for line in told)


def test_one_metric_with_a_parameter(run, released):
    found = run("measure", "out", "--original", "patients.csv", "--metric", "c-avg:k=2", "--metric", "ncp")
    assert found.code == 0
    assert [line.split()[0] for line in found.out.splitlines()[2:5]] == ["metric", "c-avg", "ncp"]
    assert found.out.splitlines()[6].startswith("ncp: no ")


def test_what_is_not_measured_is_said_once(run, released):
    lines = run("measure", "out", "--original", "patients.csv").out.splitlines()
    (why,) = [line for line in lines if "no levels" in line]
    assert why.startswith("  generalization-height, precision: 'age' has no hierarchy, and so no levels")


def test_thresholds(run, released):
    words = ("measure", "out", "--original", "patients.csv", "--format", "json")
    assert run(*words, "--at-most", "ncp=1", "--at-most", "glm=1").code == 0
    found = run(*words, "--at-most", "ncp=0.001", "--at-most", "glm=1")
    assert found.code == 1
    assert found.json["exceeded"] == ["ncp"]
    assert "ncp is 0." in found.errors[0]
    assert found.errors[0].endswith("above the threshold 0.001")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--metric", "nccp"), "did you mean 'ncp'?"),
        (("--metric", "ncp:los=glm"), "did you mean 'loss'?"),
        (("--at-most", "nccp=1"), "did you mean 'ncp'?"),
        (("--at-most", "ncp=low"), "is not a number"),
        (("--at-most", "precision=1"), "no levels"),
    ],
)
def test_bad_usage(words, complaint, run, released):
    found = run("measure", "out", "--original", "patients.csv", *words)
    assert found.code == 2
    assert found.out == ""
    assert complaint in found.err


def test_nothing_is_measured_on_a_release_that_was_changed(run, released):
    table = released / "public" / "release.csv"
    table.write_text(table.read_text().replace("flu", "cold", 1))
    found = run("measure", "out", "--original", "patients.csv")
    assert found.code == 1
    assert found.out == ""
    assert any("release.csv" in line for line in found.errors)


def test_the_public_part_alone_cannot_be_measured(run, released):
    shutil.rmtree(released / "private")
    found = run("measure", "out", "--original", "patients.csv")
    assert found.code == 2
    assert "private/" in found.errors[0]


def test_what_is_measured_against_a_bound_takes_that_of_the_policy(run, desk):
    # Everybody has flu, so that one value is certain for everybody whatever the classes.
    rows = "".join(f"p{i},{20 + i % 9},flu\np{i},{20 + i % 9},{('cold', 'gout')[i % 2]}\n" for i in range(30))
    (desk / "people.csv").write_text("who,age,disease\n" + rows)
    (desk / "people.yaml").write_text(
        "columns: {who: {role: identifier}, age: {role: quasi}, disease: {role: sensitive}}\n"
        "individual: who\nprivacy: [{model: ir-kl-anonymity, k: 3, l: 2}]\n"
    )
    assert run("anonymize", "people.csv", "people.yaml", "-o", "people").code == 0
    found = run("measure", "people", "--original", "people.csv", "--format", "json").json
    assert found["metrics"]["vulnerable-classes"]["value"] == 1
    assert found["metrics"]["c-avg"]["value"] * 3 == pytest.approx(
        found["metrics"]["average-class-size"]["value"]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda rows: rows[:31], "it has 30 rows, not 60"),
        (
            lambda rows: [rows[0], *rows[:0:-1]],
            "it has as many rows, but other values, or the same in another order",
        ),
        (
            lambda rows: ["years,zip,disease", *rows[1:]],
            "it lacks 'age' of 3 columns, and it has 'years' besides",
        ),
        (lambda rows: [rows[0], "old,02100,flu", *rows[2:]], "column 'age'"),
    ],
)
@pytest.mark.parametrize("command", ["measure", "attack"])
def test_another_table_is_refused_in_one_line(command, change, why, run, released):
    rows = (released.parent / "patients.csv").read_text().splitlines()
    (released.parent / "other.csv").write_text("\n".join(change(rows)) + "\n")
    found = run(command, "out", "--original", "other.csv")
    assert found.code == 1
    assert found.out == ""
    (line,) = found.errors
    assert line.startswith("other.csv is not the table that out was made from: ")
    assert why in line


def test_a_threshold_is_told_in_few_digits(run, released):
    (line,) = run("measure", "out", "--original", "patients.csv", "--at-most", "ncp=0.001").errors
    value = line.removeprefix("ncp is ").removesuffix(", above the threshold 0.001")
    assert 0.001 < float(value) <= 1
    assert len(value) <= 9
