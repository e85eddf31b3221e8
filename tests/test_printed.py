"""What terminals show: lines where something is printed, or evaluated in IPython; one line where it stands among others."""

from __future__ import annotations

import polars as pl
import pytest

import likeness as lk

TABLE = pl.DataFrame(
    {"age": [20 + i % 30 for i in range(60)], "disease": [("flu", "cold", "hiv")[i % 3] for i in range(60)]}
)
POLICY = lk.Policy(
    columns={"age": lk.quasi(kind="integer", domain=[0, 110]), "disease": lk.sensitive()},
    privacy=lk.KAnonymity(5) & lk.DistinctLDiversity(2),
    withhold={"at_most": 0.02},
    effort="quick",
)


class Printer:
    """What IPython gives to write on."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        assert "\n" not in text
        self.written += text

    def break_(self) -> None:
        self.written += "\n"


@pytest.fixture(scope="module")
def release():
    return lk.anonymize(TABLE, POLICY, seed=1)


@pytest.fixture(scope="module")
def shown(release):
    return {
        "policy": POLICY,
        "profile": lk.profile(TABLE),
        "proof": release.verdict.proofs[0],
        "attack": release.attack("linkage"),
        "attacks": release.attack_all(),
        "loss": release.loss(),
        "searched": lk.strongest(TABLE, POLICY, "k-anonymity.k", loss={"ncp": 0.5}, seed=1),
    }


@pytest.mark.parametrize("name", ["policy", "profile", "proof", "attack", "attacks", "loss", "searched"])
def test_ipython_shows_what_is_printed(shown, name):
    printer = Printer()
    shown[name]._repr_pretty_(printer, False)
    assert printer.written == str(shown[name]).rstrip("\n")
    again = Printer()
    shown[name]._repr_pretty_(again, True)
    assert again.written == "…"
    # IPython takes the `repr` of the first class that has its own.
    assert "_repr_pretty_" in vars(type(shown[name]))


def test_a_policy_has_a_line_for_each_column_and_model():
    assert str(POLICY).splitlines() == [
        "Policy: 2 columns: 1 quasi, 1 sensitive; k-anonymity & distinct-l-diversity; best method",
        "  column   role",
        "  age      quasi      kind: 'integer', domain: [0, 110]",
        "  disease  sensitive",
        "privacy",
        "  KAnonymity(k=5)",
        "  DistinctLDiversity(l=2)",
        "withhold: Withhold(at_most=0.02)",
        "effort: 'quick'",
    ]
    assert "\n" not in repr(POLICY)


def test_a_search_has_a_line_for_each_value_that_was_tried(shown):
    first, head, *lines = str(shown["searched"]).splitlines()
    assert first == repr(shown["searched"])
    assert head.split() == ["k-anonymity.k", "met", "reached"]
    assert len(lines) == len(shown["searched"].tried)


def test_attacks_have_a_line_each_and_say_which_were_not_run(shown):
    lines = str(shown["attacks"]).splitlines()
    assert [line.split()[0] for line in lines if not line.startswith("not run: ")] == [
        "attack",
        *shown["attacks"],
    ]
    assert sum(line.startswith("not run: ") for line in lines) == len(shown["attacks"].skipped)
    first, success, *_ = str(shown["attack"]).splitlines()
    assert first == f"linkage: {shown['attack'].meaning}"
    assert success.split()[0] == "success"


def test_losses_have_a_line_each_with_their_range(shown):
    lines = str(shown["loss"]).splitlines()
    (line,) = [line for line in lines if line.startswith("ncp ")]
    assert line.endswith("0 to 1: 0 keeps every quasi-identifier value, 1 tells nothing")
    assert sum(line.startswith("does not apply: ") for line in lines) == len(shown["loss"].skipped)


@pytest.mark.parametrize("part", ["release", "verdict"])
def test_releases_and_verdicts_show_their_proofs(release, part):
    found = release if part == "release" else release.verdict
    assert str(found) == repr(found)
    assert "\nholds: k-anonymity (k = 5), scope public" in str(found)
