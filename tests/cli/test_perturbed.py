"""Perturbed and baseline releases from the command line: made, verified, measured, attacked; and what is refused."""

from __future__ import annotations

import csv
import json
import re

import pytest

import likeness as lk

BETA = "{model: beta-likeness, beta: 4}"
PERTURBATION = "method: {name: perturbation}\n"


@pytest.fixture
def ask(desk):
    """Write a policy for the patients."""

    def write(privacy=BETA, rest=PERTURBATION, columns=""):
        (desk / "policy.yaml").write_text(
            "columns:\n  age: {role: quasi}\n  zip: {role: quasi}\n  disease: {role: sensitive}\n"
            f"{columns}privacy: [{privacy}]\n{rest}"
        )

    return write


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", ["perturbation", "baseline"])
def test_from_policy_to_attack(method, kind, ask, run, desk):
    ask(rest=f"method: {{name: {method}}}\noutput: {{format: {kind}}}\n")
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--format", "json")
    assert (found.code, found.err) == (0, "next: likeness verify out\n")
    assert found.json["form"] == {"perturbation": "perturbed", "baseline": "baseline"}[method]
    names = {"release." + kind, "distribution.csv", "certificate.json", "certificate.html"}
    names |= {"perturbation.csv"} if method == "perturbation" else set()
    assert {path.name for path in (desk / "out/public").iterdir()} == names
    scope = {"perturbation": "mechanism", "baseline": "public"}[method]
    for words in (["out"], ["out/public"], ["out", "--original", "patients.csv"]):
        verified = run("verify", *words)
        assert verified.code == 0, verified.out
        assert f"holds: beta-likeness (beta = 4) on 'disease', scope {scope}" in verified.out
    measured = run("measure", "out", "--original", "patients.csv", "--format", "json")
    assert measured.code == 0, measured.err
    assert measured.json["metrics"]["ncp"]["value"] == 0
    # Nothing is lost of quasi-identifiers; what is kept of sensitive values is said wherever that is.
    assert measured.json["kept"] == found.json["kept"]
    said = "sensitive values of 'disease'" if method == "perturbation" else "no sensitive value of 'disease'"
    assert said in found.json["kept"][0]
    assert found.json["kept"][0] in run("measure", "out", "--original", "patients.csv").out
    assert said in run("check", "patients.csv", "policy.yaml").out
    attacked = run("attack", "out", "--original", "patients.csv", "--attack", "linkage", "--format", "json")
    assert attacked.code == 0, attacked.err
    # Quasi-identifiers are published as they are: linkage finds everybody as before.
    assert attacked.json[0]["gain"] == 0


def test_the_plan_is_restored_from_the_folder(desk):
    table = lk.read(desk / "patients.csv")
    columns = {"age": lk.quasi(), "zip": lk.quasi(), "disease": lk.sensitive()}
    for method in ("perturbation", "baseline"):
        policy = lk.Policy(columns=columns, privacy=lk.BetaLikeness(1), method={"name": method})
        release = lk.anonymize(table, policy)
        joined = lk.open_release(release.write(desk / method), original=table)
        before, after = release.private.solution.plan, joined.evaluation.plan
        assert after.classes.tolist() == before.classes.tolist()
        assert (after.buckets is None) == (before.buckets is None)
        assert (after.sensitive is None) == (before.sensitive is None) == (method == "baseline")
        if before.sensitive is not None and after.sensitive is not None:
            assert after.sensitive.tolist() == before.sensitive.tolist()
            assert after.mechanism is not None
            assert before.mechanism is not None
            assert after.mechanism.counts.tolist() == before.mechanism.counts.tolist()
            assert after.mechanism.numerators.tolist() == before.mechanism.numerators.tolist()


def test_every_attack_runs_or_says_that_it_does_not(ask, run):
    ask()
    assert run("anonymize", "patients.csv", "policy.yaml", "-o", "out").code == 0
    found = run("attack", "out", "--original", "patients.csv")
    assert found.code == 0, found.err
    assert "linkage" in found.out


def test_a_changed_release(ask, run, desk):
    ask()
    run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    path = desk / "out/public/perturbation.csv"
    text = path.read_text()
    digit = re.search(r"0\.(\d)", text)
    path.write_text(f"{text[: digit.start(1)]}{9 - int(digit[1])}{text[digit.end(1) :]}")
    found = run("verify", "out/public")
    assert found.code == 1
    assert "perturbation.csv: its SHA-256 is not the one in certificate.json" in found.out + found.err
    assert "must sum to 1" in found.out + found.err


def test_a_seed_warns(ask, run, desk):
    ask()
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out", "--seed", "7")
    assert found.code == 0
    assert "warning: a seed was given" in found.err
    assert "a seed can be found by trying" in found.err
    assert "out/public is not to be handed out: it was made with a seed" in found.out
    assert "may be handed out" not in found.out
    certificate = json.loads((desk / "out/public/certificate.json").read_text())
    assert certificate["reproducible"]
    assert "a seed can be found by trying" in (desk / "out/public/certificate.html").read_text()
    ask(rest="method: {name: perturbation}\nseed: 7\n")
    assert "warning: a seed was given" in run("anonymize", "patients.csv", "policy.yaml", "-o", "again").err
    assert (desk / "again/public/release.csv").read_bytes() == (desk / "out/public/release.csv").read_bytes()
    for method in ("mondrian", "baseline"):
        ask(rest=f"method: {{name: {method}}}\n")
        found = run("anonymize", "patients.csv", "policy.yaml", "-o", method, "--seed", "7")
        assert found.code == 0
        assert "warning: a seed was given" not in found.err
        assert "found by trying" not in found.out


def test_without_a_seed_no_release_is_like_another(ask, run, desk):
    ask()
    for name in ("one", "two"):
        assert "warning" not in run("anonymize", "patients.csv", "policy.yaml", "-o", name).err
    assert (desk / "one/public/release.csv").read_bytes() != (desk / "two/public/release.csv").read_bytes()


TWO = "  job: {role: sensitive}\n"
CASES = {
    "t-closeness": (
        {"privacy": "{model: t-closeness, t: 0.2}"},
        2,
        ["perturbation: cannot meet t-closeness on 'disease'", "beta-likeness"],
    ),
    "k-anonymity alone": (
        {"privacy": "{model: k-anonymity, k: 1}"},
        2,
        ["perturbation: needs a model that limits the confidence in each value"],
    ),
    "the form without its method": (
        {"rest": "form: {name: perturbed}\n"},
        2,
        ["form: 'perturbed' needs a method that publishes in it; say method: {name: perturbation"],
    ),
    "the form with another method": (
        {"rest": "method: {name: mondrian}\nform: {name: perturbed}\n"},
        2,
        ["mondrian: publishes in the form 'generalized' or 'microaggregated' or 'mixed', not 'perturbed'"],
    ),
    "another form with the method": (
        {"rest": "method: {name: perturbation}\nform: {name: generalized}\n"},
        2,
        ["perturbation: publishes in the form 'perturbed', not 'generalized'"],
    ),
    "a reconstruction there is not": (
        {"rest": "method: {name: perturbation}\nform: {name: perturbed, reconstruction: clip}\n"},
        2,
        ["no reconstruction 'clip'", "clipped"],
    ),
    "an option there is not": (
        {"rest": "method: {name: perturbation}\nform: {name: perturbed, variant: plain}\n"},
        2,
        ["variant"],
    ),
    "a model the baseline cannot hold": (
        {"privacy": "{model: distinct-l-diversity, l: 4}", "rest": "method: {name: baseline}\n"},
        3,
        ["distinct-l-diversity on 'disease'", "the strongest it could meet is l = 3"],
    ),
    "identities that are not k-anonymous": (
        {"privacy": f"{BETA}, {{model: k-anonymity, k: 3}}"},
        3,
        [
            "60 of 60 records would have to be withheld",
            "quasi-identifiers, published exactly, do not hold k-anonymity",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_refused(case, ask, run, desk):
    given, code, said = CASES[case]
    ask(**given)
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == code, found.err
    for words in said:
        assert any(words in line for line in found.errors), found.err
    assert not (desk / "out").exists()


@pytest.mark.parametrize("method", ["perturbation", "baseline"])
def test_two_sensitive_columns(method, ask, run, desk):
    ask(rest=f"method: {{name: {method}}}\n", columns=TWO)
    rows = (desk / "patients.csv").read_text().splitlines()
    shown = [f"{rows[0]},job", *(f"{row},{i % 2}" for i, row in enumerate(rows[1:]))]
    (desk / "patients.csv").write_text("\n".join(shown) + "\n")
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 2
    assert f"{method}: " in found.errors[0]
    assert "one sensitive column; this table has 2" in found.errors[0]


def test_values_of_every_kind_of_text(ask, run, desk):
    odd = ["", '"{a|b}"', "*", "disease", '"two\nlines"', "age"]
    rows = "".join(f"{20 + i % 9},0{i % 3},{odd[i % 6]}\n" for i in range(120))
    (desk / "patients.csv").write_text(f"age,zip,disease\n{rows}")
    ask(rest=f"{PERTURBATION}missing: {{policy: category}}\n")
    found = run("anonymize", "patients.csv", "policy.yaml", "-o", "out")
    assert found.code == 0, found.err
    assert run("verify", "out", "--original", "patients.csv").code == 0
    assert run("measure", "out", "--original", "patients.csv").code == 0
    with (desk / "out/public/perturbation.csv").open(newline="") as file:
        head = next(csv.reader(file))
    assert head == ["published \\ original", "\\*", "age", "disease", "two\nlines", "\\{a|b}", "{}"]


@pytest.mark.parametrize(
    ("kind", "name"), [("form", "perturbed"), ("form", "baseline"), ("method", "baseline")]
)
def test_they_are_listed_and_shown(kind, name, run):
    assert any(line.split()[0] == name for line in run("list", f"{kind}s").out.splitlines() if line.strip())
    found = run("show", name)
    assert found.code == 0
    assert name in run("schema").out
