"""`python -m papers.identity_reserved`: one command redoes figures 2 to 9."""

from __future__ import annotations

import csv

import pytest

from papers.identity_reserved.__main__ import main
from papers.identity_reserved.experiments import EXPERIMENTS

SMALL = (
    "--people",
    "60",
    "--runs",
    "1",
    "--records",
    "700",
    "--queries",
    "30",
    "--processes",
    "1",
    "--plots",
    "none",
)
PANELS = {panel for one in EXPERIMENTS for panel in one.panels}
NOT_DRAWN = {"full", "hierarchies"}


def test_every_figure_of_the_paper_is_there():
    figures = {f"{n}{letter}" for n in range(2, 10) for letter in ("abc" if n % 2 else "ab")}
    assert figures | {"distinct", "size", "hierarchies", "conditions", "full"} == PANELS


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers(tmp_path):
    for name in ("one", "two"):
        words = (
            *SMALL,
            "--data",
            str(tmp_path / "nowhere"),
            "--out",
            str(tmp_path / name),
            "--only",
            "hierarchies",
        )
        assert main(words) == 0
    one, two = (
        (tmp_path / name / "generated" / "figure_hierarchies.csv").read_text() for name in ("one", "two")
    )
    assert one == two
    assert "informs_2005 is left out" in (tmp_path / "one" / "report.md").read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("--only", "12"), "there is no figure '12'"), (("--people", "0"), "must be at least 1")],
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
    words = (*SMALL[:-2], "--data", str(tmp_path / "nowhere"), "--out", str(out))
    assert main(words) == 0
    folder = out / "generated"
    assert {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.csv")} == PANELS
    assert {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.png")} == PANELS - NOT_DRAWN
    with (folder / "claims.csv").open(encoding="utf-8") as file:
        claims = list(csv.DictReader(file))
    assert {claim["figure"][0] for claim in claims} == set("23456789f")
    assert {claim["compared"] for claim in claims} == {"methods as in the paper"}
    report = (out / "report.md").read_text()
    assert "this library's defaults" not in report
    assert all(f"figure_{panel}.png" in report for panel in PANELS - NOT_DRAWN)


@pytest.mark.slow
def test_processes_change_nothing_but_times(tmp_path):
    for processes in ("1", "2"):
        words = [
            *SMALL,
            "--data",
            str(tmp_path / "nowhere"),
            "--out",
            str(tmp_path / processes),
            "--only",
            "4a",
        ]
        words[words.index("--processes") + 1] = processes
        assert main(words) == 0
    one, two = ((tmp_path / name / "generated" / "figure_4a.csv").read_text() for name in ("1", "2"))
    assert one == two
