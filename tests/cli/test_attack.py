"""`likeness attack`."""

from __future__ import annotations

from pathlib import Path

import pytest

import likeness as lk
from likeness import registry


def test_every_attack_there_is_as_in_python(run, released):
    release = lk.anonymize("patients.csv", "policy.yaml", seed=1)
    found = run("attack", "out", "--original", "patients.csv", "--format", "json")
    assert found.code == 0
    left_out = [line for line in found.err.splitlines() if line.startswith("note: left out: ")]
    ran = [one["attack"] for one in found.json]
    missing = [name for name in registry.names("attacks") if name not in ran]
    # Of diseases nothing is known that makes some similar.
    assert "similarity" in missing
    assert len(left_out) == 1
    told = [f" {name} (" in left_out[0] or f" {name}, " in left_out[0] for name in registry.names("attacks")]
    assert told == [name in missing for name in registry.names("attacks")]
    for one in found.json:
        result = release.attack(one["attack"])
        assert one["success"] == pytest.approx(result.success)
        assert one["baseline"] == pytest.approx(result.baseline)
        assert one["details"] == pytest.approx(result.details)
    for name in missing:
        with pytest.raises(lk.PolicyError, match=f"{name}: "):
            release.attack(name)


def test_text_shows_every_figure_and_what_it_means(run, released):
    found = run("attack", "out", "--original", "patients.csv", "--attack", "linkage:targets=10,seed=3")
    assert found.code == 0
    assert found.err == ""
    rows = {line[2:19].strip(): line[19:].split() for line in found.out.splitlines()[1:]}
    assert rows[""] == ["release", "original"]
    assert rows["unique"][:2] == ["0", "1"]
    assert rows["targets"] == ["10", "records", "or", "people", "attacked"]
    assert "the same for the original table" in found.out
    assert "1 over the fewest records" in found.out
    found = run("attack", "out", "--original", "patients.csv", "--attack", "homogeneity")
    lines = found.out.splitlines()
    assert lines[0].startswith("homogeneity: share of targets whose 'disease'")
    assert [line.split()[0] for line in lines[1:4]] == ["success", "baseline", "gain"]
    assert "guessing the table's most frequent value" in lines[2]
    assert "original" not in found.out


def test_an_undefined_attack_that_is_asked_for_is_an_error(run, released):
    found = run("attack", "out", "--original", "patients.csv", "--attack", "similarity")
    assert found.code == 2
    assert found.out == ""
    assert "'disease' have neither a hierarchy nor an order" in found.errors[0]


def test_how_it_was_made_is_known_with_private_alone(run, released):
    words = ("--original", "patients.csv", "--attack", "minimality", "--format", "json")
    assert run("attack", "out", *words).code == 0
    found = run("attack", "out/public", "--policy", "policy.yaml", *words)
    assert found.code == 2
    assert "private/" in found.errors[0]


def test_a_threshold(run, released):
    words = ("attack", "out", "--original", "patients.csv", "--attack", "linkage", "--attack", "skewness")
    assert run(*words, "--at-most", "linkage=0.2").code == 0  # k = 5
    found = run(*words, "--at-most", "0.01", "--at-most", "skewness=0.9")
    assert found.code == 1
    assert [error.split()[0] for error in found.errors] == ["linkage", "skewness"]
    assert "above the threshold 0.01" in found.errors[0]
    for bad in ("often", "linkage=often", "homogeneity=0.5", "3", "linkage=-0.1"):
        assert run(*words, "--at-most", bad).code == 2
    assert "did you mean 'linkage'" in run(*words, "--at-most", "linkag=0.1").errors[0]


def test_the_public_part_needs_a_policy(run, released):
    words = ("attack", "out/public", "--original", "patients.csv", "--format", "json")
    found = run(*words)
    assert found.code == 2
    assert "--policy" in found.errors[0]
    whole = run("attack", "out", "--original", "patients.csv", "--format", "json")
    public = run(*words, "--policy", "policy.yaml")
    hidden = ("definetti", "minimality")
    known = [one for one in whole.json if one["attack"] not in hidden]
    # Who does not know who is in which class is told nothing of who does.
    for one, told in zip(known, public.json, strict=True):
        of_class = {key for key in one["details"] if key.endswith("in_class")}
        assert one["details"].keys() - of_class <= told["details"].keys()
        one["details"] = {key: value for key, value in one["details"].items() if key in told["details"]}
    assert public.json == known
    assert all(f" {name} (needs to know " in public.err for name in hidden)


def test_bad_usage(run, released):
    words = ("attack", "out", "--original", "patients.csv", "--attack")
    assert "did you mean 'linkage'?" in run(*words, "linkag").errors[0]
    assert "did you mean 'targets'?" in run(*words, "linkage:target=3").errors[0]
    assert run(*words, "linkage:targets=0").code == 2


def test_a_success_below_the_baseline_is_no_gain():
    from likeness.attacks.base import AttackResult
    from likeness.cli.attack import as_json, as_text

    below = AttackResult("homogeneity", 0.1, 0.3, "meaning", {})
    (line,) = (line for line in as_text([below]) if line.strip().startswith("gain"))
    assert line.split()[1] == "none"
    assert "success is not above the baseline" in line
    assert as_json(below)["gain"] == pytest.approx(-0.2)
    above = AttackResult("homogeneity", 0.4, 0.3, "meaning", {})
    (line,) = (line for line in as_text([above]) if line.strip().startswith("gain"))
    assert line.split()[1].startswith("0.1")
    assert "success less baseline" in line


def test_what_a_paper_claims_stands_below_the_figures():
    from likeness.attacks.base import AttackResult
    from likeness.cli.attack import as_json, as_text

    claimed = AttackResult("membership", 0.5, 0.25, "share", claim="the paper claims that it is 0")
    assert as_text([claimed])[-1] == as_json(claimed)["claim"] == "the paper claims that it is 0"
    assert "claim" not in as_json(AttackResult("membership", 0.5, 0.25, "share"))


def test_what_somebody_else_knows_beforehand(run, released, tmp_path):
    Path("insurer.yaml").write_text("knowledge: {kernel: {bandwidth: 0.2}}\n", encoding="utf-8")
    ask = ("attack", "out", "--original", "patients.csv", "--attack", "background-knowledge")
    refused = run(*ask)
    assert refused.code == 2
    assert "nothing says what an adversary may know beforehand" in refused.err
    found = run(*ask, "--knowledge", "insurer.yaml", "--format", "json")
    assert found.code == 0
    (one,) = found.json
    release = lk.anonymize("patients.csv", "policy.yaml", seed=1)
    again = release.attack("background-knowledge", {"kernel": {"bandwidth": 0.2}})
    assert one["success"] == pytest.approx(again.success)
    assert one["details"] == pytest.approx(again.details)
    blind = release.attack("background-knowledge", {"kernel": {"bandwidth": 1000}})
    assert blind.details["added"] <= again.details["added"]
    everything = release.attack_all(knowledge="insurer.yaml")
    assert everything["background-knowledge"] == again
    assert everything["linkage"] == release.attack("linkage")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--at-most", "background-knowledge=0"),
            "--at-most: background-knowledge was left out (nothing says what",
        ),
        (
            (
                "--earlier",
                "out",
                "--earlier-original",
                "patients.csv",
                "--on",
                "zzz",
                "--at-most",
                "composition=0",
            ),
            "--at-most: composition was left out (on: 'zzz' is no column of the table",
        ),
        (
            ("--knowledge", "nofile.yaml"),
            "--knowledge: background-knowledge was left out (nofile.yaml: there is no such",
        ),
        (
            ("--attack", "linkage", "--earlier", "out"),
            "--earlier: none of these attacks takes it; those that do: composition",
        ),
    ],
    ids=["threshold", "on", "knowledge", "earlier"],
)
def test_what_is_asked_of_an_attack_that_is_left_out_is_no_success(run, released, words, said):
    found = run("attack", "out", "--original", "patients.csv", *words)
    assert found.code == 2
    assert any(said in line for line in found.errors), found.err
    # A threshold for all is for those that are run.
    assert run("attack", "out", "--original", "patients.csv", "--at-most", "1").code == 0


def test_knowledge_that_nobody_takes_or_understands(run, released):
    Path("insurer.yaml").write_text("knowledge: {kernel: {bandwidth: 0}}\n", encoding="utf-8")
    Path("empty.yaml").write_text("columns: {}\n", encoding="utf-8")
    ask = ("attack", "out", "--original", "patients.csv", "--attack")
    found = run(*ask, "linkage", "--knowledge", "insurer.yaml")
    assert found.code == 2
    assert "--knowledge: none of these attacks takes it; those that do: background-knowledge" in found.err
    found = run(*ask, "background-knowledge", "--knowledge", "insurer.yaml")
    assert found.code == 2
    assert "insurer.yaml, line 1: knowledge: kernel: bandwidth must be a number above 0; got 0" in found.err
    found = run(*ask, "background-knowledge", "--knowledge", "empty.yaml")
    assert found.code == 2
    assert "empty.yaml: says no knowledge, such as knowledge: {kernel: {bandwidth: 0.3}}" in found.err


def test_earlier_releases_are_put_together_with_one(run, desk):
    """Two years of the same people: each leaves two diseases of everybody, both together one."""
    years = {
        "2023": [("a", 30, "flu"), ("b", 30, "cold"), ("c", 40, "hiv"), ("d", 40, "tb")],
        "2024": [("a", 31, "flu"), ("b", 41, "cold"), ("c", 31, "hiv"), ("d", 41, "tb")],
    }
    (desk / "two.yaml").write_text(
        "columns: {id: {role: identifier}, age: {role: quasi}, disease: {role: sensitive}}\n"
        "privacy: [{model: distinct-l-diversity, l: 2}]\n"
    )
    for year, rows in years.items():
        lines = ["id,age,disease", *(",".join(map(str, row)) for row in rows)]
        (desk / f"{year}.csv").write_text("\n".join(lines) + "\n")
        made = run("anonymize", f"{year}.csv", "two.yaml", "-o", year, "--seed", "1")
        assert made.code == 0
    given = ("2024", "--original", "2024.csv", "--earlier", "2023")
    known = (*given, "--earlier-original", "2023.csv", "--on", "id", "--format", "json")
    found = run("attack", *known, "--attack", "composition")
    assert found.code == 0
    (result,) = found.json
    assert result["success"] == result["details"]["certain_and_right"] == 1
    assert result["baseline"] < 1
    by_class = run("attack", *known, "--attack", "composition:knows=class")
    assert by_class.json[0]["success"] == 1
    everything = run("attack", *known)
    assert result in everything.json
    without = run("attack", *given, "--format", "json")
    assert "composition" in [one["attack"] for one in without.json]
    named = run("attack", *given[:3], "--attack", "composition:earlier=./2023", "--format", "json")
    assert named.err == ""
    assert named.json[0]["details"]["in_all"] == 0
    for wrong, said in (
        (
            ("--on", "id"),
            "--on: needs the original of every earlier release; 1 --earlier and 0 --earlier-original are given",
        ),
        (("--earlier-original", "2023.csv"), "--earlier-original: is read only with --on"),
    ):
        refused = run("attack", *given, *wrong)
        assert refused.code == 2
        assert said in refused.err
