"""`likeness anonymize`."""

from __future__ import annotations

import html

import polars as pl
import pytest


def test_the_summary(run, desk):
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 0
    for words in (
        "k-anonymity (k = 5)",
        "quasi-identifiers: age, zip",
        "holds: k-anonymity (k = 5), scope public",
        "60 records = 60 published + 0 withheld + 0 dropped",
        "lost, by local-search (start = local-recoding, steps = ",
        "methods tried",
        "  local-search from local-recoding  kept",
        f"{desk}/out/public may be handed out",
    ):
        assert words in found.out
    assert found.err == "next: likeness verify out\n"
    assert {path.name for path in (desk / "out" / "public").iterdir()} == {
        "release.csv",
        "certificate.json",
        "certificate.html",
    }


def test_what_of_a_file_is_not_kept_is_said(run, desk):
    text = (desk / "patients.csv").read_text().replace("flu", "grippe aiguë")
    (desk / "latin.csv").write_bytes(text.replace("\n", "\r\n").encode("cp1252"))
    said = "the release is written as its table came (csv), but in UTF-8 (it came in cp1252); with lines that end in LF"
    found = run("anonymize", "latin.csv", "policy.yaml", "-o", "out", "--encoding", "cp1252")
    assert found.code == 0
    assert f"note: {said}" in found.err
    assert said[1:] in (desk / "out/private/report.html").read_text()
    again = run(
        "anonymize", "latin.csv", "policy.yaml", "-o", "json", "--encoding", "cp1252", "--format", "json"
    )
    assert [line.startswith(said) for line in again.json["files"]] == [True]


def test_json_accounts_for_every_record(run, desk):
    with (desk / "patients.csv").open("a") as table:
        table.write("30,,flu\n30,99999,cold\n")
    policy = (desk / "policy.yaml").read_text()
    policy = policy.replace("{prefix: 5}}", "{prefix: 5}, max_level: 1, missing: {policy: drop}}")
    (desk / "policy.yaml").write_text(policy + "withhold: {at_most: 0.1}\neffort: quick\n")
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--format", "json").json
    counts = found["counts"]
    assert counts["input"] == 62
    assert sum(counts["dropped"].values()) == 1
    assert sum(counts["withheld"].values()) == 1
    assert counts["published"] == pl.read_csv(desk / "out" / "public" / "release.csv").height == 60
    assert found["proven"]["ok"]
    assert found["asked"] == [{"model": "k-anonymity", "k": 5}]


def test_a_seed_gives_the_same_bytes_and_a_warning(run, desk):
    for name in ("one", "two", "none"):
        seed = () if name == "none" else ("--seed", "7")
        found = run("anonymize", "patients.csv", "policy.yaml", "-o", name, *seed)
        assert ("keep it secret" in found.err) == (name != "none")
    files = [(desk / name / "public" / "release.csv").read_bytes() for name in ("one", "two", "none")]
    assert files[0] == files[1] != files[2]


def test_a_release_is_replaced_only_when_asked(run, released, desk):
    before = (released / "public" / "release.csv").read_bytes()
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 2
    assert "already exists" in found.errors[0]
    assert (released / "public" / "release.csv").read_bytes() == before
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--overwrite").code == 0
    assert (released / "public" / "release.csv").read_bytes() != before
    assert sorted(path.name for path in desk.iterdir()) == ["out", "patients.csv", "policy.yaml"]


def test_reserved_names_are_published_under_others(run, desk):
    table = (desk / "patients.csv").read_text().replace("age,", "person,")
    (desk / "patients.csv").write_text(table)
    (desk / "policy.yaml").write_text((desk / "policy.yaml").read_text().replace("age:", "person:"))
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 0
    assert "note: column 'person' is published as 'person_original'" in found.err


def test_quiet_says_nothing_on_stderr(run):
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--seed", "1", "--quiet").err == ""


@pytest.mark.parametrize("method", ["burel", "anatomy"])
def test_other_methods(method, run, desk):
    policy = (desk / "policy.yaml").read_text()
    models = {"burel": "beta-likeness, beta: 4", "anatomy": "distinct-l-diversity, l: 2"}
    policy = policy.replace("k-anonymity, k: 5", models[method])
    options = ", l: 2" if method == "anatomy" else ""
    (desk / "policy.yaml").write_text(f"{policy}method: {{name: {method}{options}}}\n")
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 0, found.err
    assert f"lost, by {method}" in found.out
    assert run("verify", "out", "--original", "patients.csv").code == 0


def test_a_sensitive_column_of_one_value_is_warned_about(run, desk):
    (desk / "one.csv").write_text("age,s\n" + "".join(f"{age},flu\n" for age in range(20, 30)))
    (desk / "one.yaml").write_text(
        "columns: {age: {role: quasi}, s: {role: sensitive}}\nprivacy: [{model: beta-likeness, beta: 4}]\n"
    )
    warning = (
        "all 10 published records have the same value of 's': everybody learns it of everybody in the release"
    )
    found = run("anonymize", "one.csv", "one.yaml", "-o", "out")
    assert found.code == 0
    assert f"warning: {warning}" in found.err
    assert warning in html.unescape((desk / "out/private/report.html").read_text())
    found = run("check", "one.csv", "one.yaml")
    assert f"  {warning}" in found.out
    assert run("check", "one.csv", "one.yaml", "--format", "json").json["warnings"][0].startswith(warning)
    found = run(
        "strongest", "one.csv", "one.yaml", "--parameter", "beta", "--between", "1..2", "--loss", "ncp=1"
    )
    assert f"warning: {warning}" in found.err
    # Also where the hierarchy knows more, and where only the others are withheld.
    (desk / "tree.csv").write_text("flu,*\ncold,*\n")
    (desk / "one.yaml").write_text(
        "columns: {age: {role: quasi}, s: {role: sensitive, hierarchy: tree.csv}}\n"
        "privacy: [{model: k-anonymity, k: 2}]\n"
    )
    assert f"warning: {warning}" in run("anonymize", "one.csv", "one.yaml", "-o", "out2").err
    assert run("check", "patients.csv", "policy.yaml", "--format", "json").json["warnings"] == []


def test_what_a_count_of_records_would_miss_is_warned_about(run, desk):
    rows = [("ann", 30)] * 3 + [(f"p{i}", 40 + i) for i in range(6)]
    text = "".join(f"{who},{age},d{i}\n" for i, (who, age) in enumerate(rows))
    (desk / "visits.csv").write_text("who,age,s\n" + text)
    (desk / "visits.yaml").write_text(
        "columns: {who: {role: identifier}, age: {role: quasi}, s: {role: sensitive}}\nindividual: who\n"
        "privacy: [{model: k-anonymity, k: 3}]\n"
    )
    found = run("anonymize", "visits.csv", "visits.yaml", "-o", "out")
    assert found.code == 0, found.err
    assert "warning: k-anonymity counts people here; a count of records would take 1 of 7 groups" in found.err
    assert "7 individuals = 7 published + 0 withheld + 0 dropped" in found.out


@pytest.mark.parametrize(
    ("rule", "how"),
    [
        ("hull", "published as the hull of all their records"),
        ("first", "published as in their first record"),
        ("mode", "published as in most of their records"),
    ],
)
def test_people_whose_records_differ_are_counted(run, desk, rule, how):
    text = "".join(f"p{i},{30 + j * (i < 2)},d{j}\n" for i in range(6) for j in range(3))
    (desk / "visits.csv").write_text("who,age,s\n" + text)
    (desk / "visits.yaml").write_text(
        "columns: {who: {role: identifier}, age: {role: quasi}, s: {role: sensitive}}\nindividual: who\n"
        f"privacy: [{{model: ir-k-anonymity, k: 2}}]\nhygiene: {{inconsistent_quasi: {rule}}}\n"
    )
    line = f"of them with records that differ in a quasi-identifier: 2, {how}\n"
    assert line in run("check", "visits.csv", "visits.yaml").out
    assert line in run("anonymize", "visits.csv", "visits.yaml", "-o", "out").out


@pytest.mark.slow
def test_many_records_that_say_nothing_new_of_a_person_are_warned_about(run, desk):
    assert run("generate", "hospital-visits", "--rows", "800", "-o", "visits.csv").code == 0
    policy = (desk / "visits-policy.yaml").read_text().replace("k: 5", "k: 2").replace("l: 3", "l: 2")
    (desk / "visits-policy.yaml").write_text(policy)
    found = run("anonymize", "visits.csv", "visits-policy.yaml", "-o", "out")
    assert found.code == 0
    again = 800 - pl.read_csv("visits.csv").select("patient_id", "diagnosis").unique().height
    assert again > 160
    assert (
        f"warning: {again} of 800 records say the same sensitive values of the same person again" in found.err
    )
    (desk / "visits-policy.yaml").write_text(f"{policy}hygiene: {{duplicates: drop}}\n")
    found = run("anonymize", "visits.csv", "visits-policy.yaml", "-o", "out2")
    assert (found.code, "warning" in found.err) == (0, False)
