"""`likeness verify`."""

from __future__ import annotations

import json
import shutil

import pytest
import yaml
from tests.folder.samples import Folder


@pytest.mark.parametrize("words", [(), ("--original", "patients.csv"), ("--policy", "policy.yaml")])
def test_a_release(words, run, released):
    found = run("verify", "out", *words)
    assert found.code == 0
    assert found.err == ""
    assert found.out.startswith("Verdict: proven (60 records in ")
    assert "holds: k-anonymity (k = 5), scope public" in found.out
    assert ("no record was lost or invented" in found.out) == ("--original" in words)


def test_the_public_part_alone(run, released):
    shutil.rmtree(released / "private")
    for place in ("out", "out/public"):
        assert run("verify", place).code == 0
    (line,) = run("verify", "out", "--original", "patients.csv").errors
    assert "no private/" in line


def test_json(run, released):
    found = run("verify", "out", "--format", "json").json
    assert found["ok"] is True
    assert found["problems"] == []
    assert found["proofs"][0]["model"] == "k-anonymity"
    assert found["proofs"][0]["holds"] is True


def test_tampered(run, released):
    table = released / "public" / "release.csv"
    first, *rows = table.read_text().splitlines(keepends=True)
    table.write_text("".join([first, *rows[1:]]))
    found = run("verify", "out")
    assert found.code == 1
    assert found.out.startswith("Verdict: FAILED")
    assert "release.csv" in found.out
    told = run("verify", "out/public", "--format", "json")
    assert told.code == 1
    assert told.json["ok"] is False
    assert told.json["problems"]


def test_another_original(run, released, desk):
    rows = (desk / "patients.csv").read_text().replace("20,02100,flu", "20,02100,cold", 1)
    (desk / "other.csv").write_text(rows)
    found = run("verify", "out", "--original", "other.csv")
    assert found.code == 1
    assert "original" in found.out


def test_another_policy(run, released, desk):
    policy = (desk / "policy.yaml").read_text()
    (desk / "stricter.yaml").write_text(policy.replace("k: 5", "k: 50"))
    found = run("verify", "out", "--policy", "stricter.yaml")
    assert found.code == 1
    assert "VIOLATED: k-anonymity (k = 50)" in found.out


@pytest.fixture
def unchecked(desk, run):
    """A release of which only the steward can check anything, with a blatantly violated guarantee."""
    policy = (desk / "policy.yaml").read_text()
    head, _, _ = policy.partition("privacy:")
    claim = "privacy:\n  - {model: beta-likeness, beta: 9, reference: original}\n"
    (desk / "steward.yaml").write_text(head + claim)
    assert run("anonymize", "patients.csv", "steward.yaml", "-o", "hidden").code == 0
    return desk / "hidden"


def test_nothing_checkable(run, unchecked):
    folder = Folder(unchecked)
    content = folder.read("public/certificate.json")
    content["guarantee"][0]["parameters"]["beta"] = 0.001
    folder.forge(content)
    found = run("verify", "hidden/public")
    assert (found.code, found.err) == (4, "")
    assert found.out.startswith("Verdict: nothing could be checked from these files (")
    told = run("verify", "hidden/public", "--format", "json")
    assert told.code == 4
    assert (told.json["ok"], told.json["status"]) == (None, "nothing checkable")
    assert told.json["problems"] == []


def test_nothing_checkable_without_the_original(run, unchecked):
    assert run("verify", "hidden").code == 4
    assert run("verify", "hidden/public").code == 4
    assert run("verify", "hidden", "--original", "patients.csv").code == 0
    assert (
        run("verify", "hidden", "--original", "patients.csv", "--format", "json").json["status"] == "proven"
    )


def test_no_figure_that_only_the_steward_could_check_is_handed_out(run, unchecked):
    """Against the original's distribution a strength of 17 digits gives the original's counts away."""
    (entry,) = json.loads((unchecked / "public/certificate.json").read_text())["guarantee"]
    assert entry["measured"] is None
    (proof,) = run("verify", "hidden", "--original", "patients.csv", "--format", "json").json["proofs"]
    strength = str(proof["measured"]["beta"])
    assert len(strength) > 2
    for path in (unchecked / "public").iterdir():
        assert strength not in path.read_text()
    page = (unchecked / "private/report.html").read_text()
    assert strength[:6] in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "code", "said"),
    [
        ("{model: rho-privacy, rho2: {nobody: 0.0001}}", 2, "nobody"),
        ("{model: alpha-k-anonymity, alpha: 0.5, k: 2, values: [nobody]}", 2, "nobody"),
        ("{model: beta-likeness, caps: {flu: 1, nobody: 1}}", 2, "nobody"),
        ("{model: beta-likeness, caps: {flu: 1, cold: 1, gout: 1, mumps: 1}}", 3, "its bound is 1"),
        ("{model: rho-privacy, rho2: 0.9, rho1: 0.0001}", 3, "no value that somebody has"),
    ],
)
def test_guarantees_about_nothing(model, code, said, run, desk):
    values = sorted({line.split(",")[2] for line in (desk / "patients.csv").read_text().splitlines()[1:]})
    model = model.replace(
        "{flu: 1, cold: 1, gout: 1, mumps: 1}", "{" + ", ".join(f"{v}: 1" for v in values) + "}"
    )
    head, _, _ = (desk / "policy.yaml").read_text().partition("privacy:")
    (desk / "nothing.yaml").write_text(f"{head}privacy:\n  - {model}\n")
    for words in (("anonymize", "-o", "nothing"), ("check",)):
        found = run(words[0], "patients.csv", "nothing.yaml", *words[1:])
        assert found.code == code
        assert said in found.err
    assert not (desk / "nothing").exists()
    # Nor is a certificate of it one.
    head, _, _ = (desk / "policy.yaml").read_text().partition("privacy:")
    (desk / "some.yaml").write_text(head + "privacy:\n  - {model: beta-likeness, beta: 9}\n")
    assert run("anonymize", "patients.csv", "some.yaml", "-o", "claimed").code == 0
    folder = Folder(desk / "claimed")
    content = folder.read("public/certificate.json")
    parameters = yaml.safe_load(model)
    content["guarantee"][0] |= {"model": parameters.pop("model"), "parameters": parameters}
    folder.forge(content)
    found = run("verify", "claimed/public")
    assert found.code == 1
    assert said in found.out
