"""`python -m papers.background_knowledge`: one command redoes the paper's figures."""

from __future__ import annotations

import csv

import pytest

from papers.background_knowledge.__main__ import main

SMALL = ("--rows", "250", "--samples", "2", "--seeds", "2", "--processes", "1", "--plots", "none")


def test_line_9_on_small_tables(tmp_path, capsys):
    words = (*SMALL, "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out"))
    assert main((*words, "--only", "bkseq-0.6,bkseq-0.28")) == 0
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'out' / 'report.md'}\n"
    folder = tmp_path / "out" / "bkseq"
    panels = {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.csv")}
    assert panels == {
        f"bkseq-{jsd}-{method}"
        for jsd in ("0.6", "0.28")
        for method in ("beta-likeness-primacy", "burel", "tables")
    }
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
