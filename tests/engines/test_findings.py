"""What a steward is warned of does not depend on whether records are counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

NEEDS_RECORDS = {"regions-can-be-undone", "people-not-counted"}
"""What takes attacks, or the names of people, which are not counted."""
COLUMNS = {
    "age": lk.quasi(),
    "town": lk.quasi(),
    "disease": lk.sensitive(),
    "note": lk.other(),
    "salary": lk.other(),
}


def table_of(seed: int, records: int = 240) -> pl.DataFrame:
    """Records of which many say the same: few ages, towns and notes; some salaries are one person's."""
    rng = np.random.default_rng(seed)
    salary = rng.choice([1000, 2000], records)
    salary[:9] = 5000 + np.arange(9)
    return pl.DataFrame(
        {
            "age": rng.choice([20, 30, 31, 32, 80], records, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
            "town": rng.choice(["Bonn", "Ulm"], records),
            "disease": rng.choice(["flu", "cold", "HIV"], records, p=[0.5, 0.4, 0.1]),
            "note": rng.choice(["=1+1", "@x", "fine", ""], records),
            "salary": salary,
        }
    )


def told(findings: Any) -> list[tuple[str, Any, bool, str]]:
    return [(one.code, one.facts, one.warned, str(one)) for one in findings if one.code not in NEEDS_RECORDS]


POLICIES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "formulas and numbers": (
        {"privacy": lk.KAnonymity(3), "method": "mondrian"},
        {"formulas", "alone-with-a-number"},
    ),
    "nothing told": (
        {"privacy": [lk.KAnonymity(5), lk.TCloseness("1/1000")], "method": "mondrian"},
        {"tells-nothing"},
    ),
    "too many asked for": (
        {"privacy": lk.KAnonymity(200), "method": "mondrian"},
        {"tells-nothing"},
    ),
    "perturbed": (
        {"privacy": lk.BetaLikeness(0.5), "method": "perturbation", "seed": 3},
        {"sensitive-values-kept", "alone-exactly", "weakened-by-seed"},
    ),
}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("seed", range(3))
def test_the_same_is_found(tmp_path: Path, name: str, seed: int) -> None:
    table = table_of(seed)
    asked, expected = POLICIES[name]
    policy = lk.Policy(columns=COLUMNS, **asked)
    alone = lk.anonymize(table, policy)
    made = lk.publish(table, policy, tmp_path / "out", engine="memory")
    assert made.cells < table.height
    if name == "perturbed":
        # Values are drawn of counts in another order, so another number of them is kept.
        drawn = {"sensitive-values-kept"}
        assert [one for one in told(made.findings) if one[0] not in drawn] == [
            one for one in told(alone.findings) if one[0] not in drawn
        ]
        of_counts, of_records = (
            next(one.facts for one in found.findings if one.code in drawn) for found in (made, alone)
        )
        assert {**of_counts, "kept": 0} == {**of_records, "kept": 0}
        assert 0 < of_counts["kept"] < of_counts["records"] == table.height
    else:
        assert told(made.findings) == told(alone.findings)
    assert expected <= {one.code for one in made.findings}
    assert made.warnings == tuple(one for one in made.findings if one.warned)
    page = (made.folder / "private" / "report.html").read_text("utf-8")
    assert page.count("<strong>Warning:</strong>") == len(made.warnings)


def test_one_value_and_who_is_alone(tmp_path: Path) -> None:
    """A model of distributions alone lets classes of one record stand, which copies of a row are not."""
    table = pl.DataFrame({"age": [1, 1, 2, 3, 3, 4], "disease": ["flu"] * 6})
    columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    policy = lk.Policy(columns=columns, privacy=lk.TCloseness("1/5"), method="mondrian")
    made = lk.publish(table, policy, tmp_path / "out", engine="memory")
    assert told(made.findings) == told(lk.anonymize(table, policy).findings)
    facts = {one.code: one.facts for one in made.warnings}
    assert facts["one-value-for-everybody"]["records"] == 6
    assert facts["alone-in-a-class"]["alone"] == 2


def test_small_classes_are_warned_of_without_figures(tmp_path: Path) -> None:
    table = table_of(1)
    policy = lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(2), method="mondrian")
    made = lk.publish(table, policy, tmp_path / "out", engine="memory")
    found = {one.code: one for one in made.warnings}
    # All ages and towns stand there as they are: nothing is to be undone.
    assert made.loss["glm"] == 0
    assert "regions-can-be-undone" not in found
    wide = table.with_columns(age=pl.int_range(pl.len()))
    made = lk.publish(wide, policy, tmp_path / "wide", engine="memory")
    facts = {one.code: one for one in made.warnings}["regions-can-be-undone"]
    assert facts.facts["smallest"] == made.smallest_class < 5
    assert "recovered" not in facts.facts
    assert "may follow" in str(facts)


def test_a_dry_run_warns(tmp_path: Path) -> None:
    policy = lk.Policy(columns=COLUMNS, privacy=lk.KAnonymity(3), method="mondrian")
    table = table_of(2)
    found = lk.preview(table, policy, engine="memory")
    made = lk.publish(table, policy, tmp_path / "out", engine="memory")
    assert found.findings == made.findings
    assert found.to_json()["warnings"] == list(map(str, made.warnings)) != []


def test_the_command_warns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table_of(0).write_parquet(tmp_path / "table.parquet")
    policy = {
        "columns": {
            "age": {"role": "quasi"},
            "town": {"role": "quasi"},
            "disease": {"role": "sensitive"},
            "note": {"role": "other"},
            "salary": {"role": "other"},
        },
        "privacy": {"model": "k-anonymity", "k": 3},
    }
    (tmp_path / "policy.yaml").write_text(json.dumps(policy))
    given = [str(tmp_path / "table.parquet"), str(tmp_path / "policy.yaml"), "--engine", "streaming"]
    assert main(["anonymize", *given, "-o", str(tmp_path / "out"), "--format", "json"]) == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert [line for line in said.err.splitlines() if line.startswith("warning: ")] == [
        f"warning: {line}" for line in summary["warnings"]
    ]
    assert "begin as formulas do" in said.err
    assert main(["check", *given, "--format", "json"]) == 0
    assert summary["warnings"] == json.loads(capsys.readouterr().out)["warnings"]
    assert main(["check", *given]) == 0
    assert "\nwarnings\n  column 'salary'" in capsys.readouterr().out
