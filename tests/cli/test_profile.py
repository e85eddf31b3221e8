"""`likeness profile`."""

from __future__ import annotations

import json
import shlex

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


@pytest.fixture
def two(desk):
    """People, and their visits in cp1252 with semicolons, in folders of their own."""
    for folder in ("people", "visits", "policies"):
        (desk / folder).mkdir()
    people = "".join(f"p{i},{20 + i % 30},0{2100 + i % 7}\n" for i in range(40))
    visits = "".join(f"v{i};p{i % 33};{('Ménière', 'flu', 'hiv')[i % 4 % 3]}\n" for i in range(80))
    (desk / "people" / "people.csv").write_text("patient,age,zip\n" + people)
    (desk / "visits" / "visits.csv").write_bytes(("visit_id;pid;disease\n" + visits).encode("cp1252"))
    return desk


TWO = ["people/people.csv", "--records", "visits/visits.csv", "--records-encoding", "cp1252"]


def test_two_tables_give_one_policy_that_is_accepted_unchanged(run, two):
    found = run("profile", *TWO, "-o", "policies/policy.yaml")
    assert found.code == 0, found.err
    assert (
        "visits.csv is joined to people.csv by 'patient', 'pid' in the second, which names 40 people"
        in found.out
    )
    assert "33 people have 80 records, up to 3 each; 7 people have none" in found.out
    policy = Policy.load(two / "policies" / "policy.yaml")
    assert (policy.individual, policy.records.table, policy.records.key) == (
        "patient",
        "../visits/visits.csv",
        "pid",
    )
    assert policy.records.encoding == "cp1252"
    assert run("anonymize", "people/people.csv", "policies/policy.yaml", "-o", "out").code == 0
    printed = run("profile", *TWO, "-o", "-")
    assert "table: visits/visits.csv" in printed.out
    told = run("profile", *TWO, "--format", "json").json["joined"]
    assert (told["people_without_records"], told["most"]) == (7, 3)
    assert run("profile", *TWO, "--on", "patient", "--records-key", "pid", "-o", "-").out == printed.out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--on", "age"], "--on: about a second table; name it with --records, or leave it out"),
        (
            ["--records-sheet", "x"],
            "--records-sheet: about a second table; name it with --records, or leave it out",
        ),
    ],
)
def test_options_about_a_second_table_need_one(run, words, error):
    found = run("profile", "patients.csv", *words)
    assert (found.code, found.errors) == (2, [error])


def test_the_second_table_is_never_replaced(run, two):
    before = (two / "visits" / "visits.csv").read_bytes()
    assert run("profile", *TWO, "-o", "visits/visits.csv", "--overwrite").code == 2
    assert (two / "visits" / "visits.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "reading"),
    [
        (["--records-header", "v,pid,disease"], {"header": ("v", "pid", "disease")}),
        (["--records-no-header", "--records-key", "column_2", "--on", "patient"], {"header": False}),
        (
            ["--records-no-header", "--records-key", "column_2", "--records-delimiter", ";"],
            {"header": False, "delimiter": ";"},
        ),
    ],
)
def test_what_is_said_about_the_second_table_goes_into_the_policy(run, two, words, reading):
    visits = two / "visits" / "visits.csv"
    visits.write_bytes(visits.read_bytes().partition(b"\n")[2])
    found = run("profile", *TWO, *words, "-o", "policies/policy.yaml")
    assert found.code == 0, found.err
    assert Policy.load(two / "policies" / "policy.yaml").records.reading == {"encoding": "cp1252", **reading}
    assert run("anonymize", "people/people.csv", "policies/policy.yaml", "-o", "out").code == 0


def test_a_mixed_encoding_is_named_with_the_option_that_reads_it(run, desk):
    (desk / "mixed.csv").write_bytes("town,age\nJosé,1\n".encode() + "Köln,2\n".encode("cp1252"))
    found = run("profile", "mixed.csv")
    assert found.code == 2
    assert "give the encoding utf-8+cp1252 (--encoding utf-8+cp1252)" in found.errors[0]
    assert run("profile", "mixed.csv", "--encoding", "utf-8+cp1252").code == 0


def test_what_it_says_to_type_next_reads_the_table_as_it_was_read(run, tmp_path):
    table, policy = tmp_path / "patients of ours.csv", tmp_path / "proposed for ours.yaml"
    lines = [
        "age;city",
        *(f"{20 + i % 9};{city}" for i, city in enumerate(["Zürich", "Genève", "Bern", "Bâle"] * 9)),
    ]
    table.write_bytes("\n".join(lines).encode("cp1252"))
    found = run("profile", str(table), "--encoding", "cp1252", "--delimiter", ";", "-o", str(policy))
    assert found.code == 0, found.err
    typed = " ".join(found.err.split()).partition("then: likeness ")[2]
    again = run(*shlex.split(typed))
    assert again.code == 0, again.err


def test_what_contradicts_itself_about_the_output(run):
    (line,) = run("profile", "patients.csv", "-o", "-", "--format", "json").errors
    assert (
        line == "-o -: prints a policy in YAML; what --format json prints holds it too; leave out one of them"
    )
    for words in (
        ("profile", "patients.csv"),
        ("profile", "patients.csv", "-o", "-"),
        ("generate", "hospital"),
    ):
        found = run(*words, "--overwrite")
        assert (found.code, found.out) == (2, "")
        assert found.errors == ["--overwrite: nothing is written without -o; give -o, or leave it out"]
