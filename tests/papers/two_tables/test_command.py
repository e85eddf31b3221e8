"""`python -m papers.two_tables`: one command redoes the paper's figures."""

from __future__ import annotations

import csv

import pytest

from papers.two_tables.__main__ import main
from papers.two_tables.experiments import EXPERIMENTS
from papers.two_tables.figures import FIGURES
from papers.two_tables.systems import EVERY

SMALL = ("--people", "120", "--queries", "40", "--repeat", "1", "--plots", "none")


@pytest.mark.slow
def test_all_systems_at_one_k(tmp_path, capsys):
    words = (*SMALL, "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out"))
    assert main((*words, "--only", "systems-5")) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out' / 'report.md'}\n"
    folder = tmp_path / "out" / "symptoms"
    assert {path.name for path in folder.glob("figure_*.csv")} == {
        "figure_systems-5.csv",
        "figure_systems-5-plot.csv",
    }
    with (folder / "figure_systems-5.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["system"] for row in rows] == [one.name for one in EVERY]
    assert "membership" in rows[0]["not measured, and why"]
    with (folder / "claims.csv").open(encoding="utf-8") as file:
        verdicts = {row["verdict"] for row in csv.DictReader(file)}
    assert verdicts <= {"holds", "does not hold", "not measured"}
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "informs_2005 is left out" in text
    assert "| ANGEL | " in text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("--only", "99"), "there is no figure '99'"), (("--people", "0"), "must be at least 1")],
)
def test_refusals(words, complaint, capsys):
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.slow
def test_one_command_redoes_all_figures(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    assert main((*SMALL[:-2], "--data", str(tmp_path / "nowhere"), "--out", str(out))) == 0
    folder = out / "symptoms"
    panels = {panel for one in EXPERIMENTS for panel in one.panels}
    assert {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.csv")} == panels
    drawn = {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.png")}
    assert drawn == panels - {"systems-5", "systems-4"}
    with (folder / "figure_6b.csv").open(encoding="utf-8") as file:
        assert [int(row["people"]) for row in csv.DictReader(file)] == [20, 40, 60, 80, 100, 120]
    with (folder / "claims.csv").open(encoding="utf-8") as file:
        claims = list(csv.DictReader(file))
    assert {row["figure"] for row in claims} == {"systems-5", "systems-4"} | {
        name for name in FIGURES if not name.startswith("queries")
    }
    assert {row["compared"] for row in claims} == {"methods as in the paper", "this library's defaults"}
