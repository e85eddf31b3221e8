"""`python -m papers.background_knowledge`: one command redoes the paper's figures."""

from __future__ import annotations

import csv

import pytest

from papers.background_knowledge.__main__ import main
from papers.background_knowledge.experiments import EXPERIMENTS, ON
from papers.background_knowledge.subjects import BKSEQ, AdultSource

SMALL = ("--rows", "150", "--samples", "2", "--seeds", "2", "--processes", "1", "--plots", "none")


@pytest.mark.slow
def test_line_9_on_small_tables(tmp_path, capsys):
    words = (*SMALL, "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out"))
    assert main((*words, "--only", "bkseq-0.6")) == 0
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'out' / 'report.md'}\n"
    folder = tmp_path / "out" / "bkseq"
    panels = {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.csv")}
    assert panels == {f"bkseq-0.6-{method}" for method in ("beta-likeness-primacy", "burel", "tables")}
    with (folder / "figure_bkseq-0.6-burel.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["J"]) for row in rows] == [1, 0.1, 0.2, 0.3, 0.5]
    assert all(
        float(row["by both"]) - float(row["by class"]) == pytest.approx(float(row["added"])) for row in rows
    )
    assert all(row["added ±"] for row in rows)
    with (folder / "claims.csv").open(encoding="utf-8") as file:
        claims = {row["claim"] for row in csv.DictReader(file)}
    text = "BUREL gains at most .02 without any J"
    assert claims == {text, f"{text}, in every table"}
    assert "±" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("--only", "99"), "there is no figure '99'"), (("--seeds", "0"), "must be at least 1")],
)
def test_refusals(words, complaint, capsys):
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.slow
def test_all_figures_of_generated_tables(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    words = (*SMALL[:-2], "--data", str(tmp_path / "nowhere"), "--out", str(out))
    assert main(words) == 0
    folder = out / "bkseq"
    panels = {panel for one in EXPERIMENTS if BKSEQ in ON[one] for panel in one.panels}
    assert {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.csv")} == panels
    assert (folder / "figure_4.png").stat().st_size > 1000
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "adult is left out" in report
    assert "figure_11.png" in report


@pytest.mark.slow
def test_one_sample_of_adult(tmp_path, data_folder, monkeypatch):
    """And of the whole of it the first records: all of them take half a minute and show nothing else."""
    drawn = AdultSource.table
    monkeypatch.setattr(AdultSource, "table", lambda self: drawn(self).head(600))
    words = (
        *SMALL,
        "--samples",
        "1",
        "--only",
        "table5,table7",
        "--data",
        str(data_folder),
        "--out",
        str(tmp_path),
    )
    assert main(words) == 0
    with (tmp_path / "adult" / "figure_table8.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 5
