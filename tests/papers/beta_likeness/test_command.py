"""`python -m papers.beta_likeness`: one command redoes every figure."""

from __future__ import annotations

import csv

import pytest

from papers.beta_likeness.__main__ import main
from papers.beta_likeness.experiments import EXPERIMENTS

TABLES = {"text", "t7", "t7-library"}
FIGURES = {
    f"{n}{part}"
    for n, parts in {4: "abc", 5: "ab", 6: "ab", 7: "ab", 8: "abcd", 9: "abcd"}.items()
    for part in parts
}
SMALL = ("--rows", "1500", "--queries", "40", "--repeat", "1", "--plots", "none")


def test_every_figure_of_the_paper_is_there():
    panels = [panel for one in EXPERIMENTS for panel in one.panels]
    assert len(panels) == len(set(panels))
    assert FIGURES | {"t7", "nb"} <= set(panels)


@pytest.mark.slow
def test_a_few_figures(tmp_path, capsys):
    words = (*SMALL, "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / "out"), "--only", "t7,9d")
    assert main(words) == 0
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'out' / 'report.md'}\n"
    assert "census_income is left out" in said.err
    written = {path.name for path in (tmp_path / "out" / "census").iterdir()}
    assert written == {"claims.csv", "figure_t7.csv", "figure_t7-library.csv", "figure_9d.csv"}
    assert "census_income is left out" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers(tmp_path):
    for name in ("one", "two"):
        main((*SMALL, "--data", str(tmp_path / "nowhere"), "--out", str(tmp_path / name), "--only", "t7"))
    one, two = ((tmp_path / name / "census" / "figure_t7.csv").read_text() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(("--only", "12"), "there is no figure '12'"), (("--rows", "0"), "must be at least 1")],
)
def test_refusals(words, complaint, capsys):
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert complaint in capsys.readouterr().err


def whole(folder, panels, plotted):
    """Every panel of a table is there, with numbers, claims and, where it is drawn, its plot."""
    assert {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.csv")} == panels
    assert {path.stem.removeprefix("figure_") for path in folder.glob("figure_*.png")} == plotted
    for path in folder.glob("figure_*.csv"):
        with path.open() as file:
            rows = list(csv.reader(file))
        assert len(rows) >= 6
        assert any(cell not in {"", "0"} for row in rows[1:] for cell in row[1:])
    with (folder / "claims.csv").open() as file:
        claims = list(csv.DictReader(file))
    assert {claim["figure"] for claim in claims} == panels
    assert {claim["verdict"] for claim in claims} <= {"holds", "does not hold", "not measured"}
    assert all(claim["why"] == "" for claim in claims if claim["verdict"] != "does not hold")


@pytest.mark.slow
def test_one_command_redoes_all_figures(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    words = ("--rows", "600", *SMALL[2:6], "--data", str(tmp_path / "nowhere"), "--out", str(out))
    assert main(words) == 0
    panels = {panel for one in EXPERIMENTS for panel in one.panels}
    whole(out / "census", panels, panels - TABLES)
    report = (out / "report.md").read_text()
    assert all(f"figure_{panel}.png" in report for panel in panels - TABLES)


@pytest.mark.slow
def test_figures_of_the_real_table(tmp_path, data_folder):
    """One of each kind that is no search for the strongest guarantee, which the generated table shows as well."""
    panels = {"4a", "5a", "5b", "6a", "6b", "7a", "7b", "8a", "9a", "t7"}
    words = (
        *SMALL,
        "--rows",
        "600",
        "--data",
        str(data_folder),
        "--out",
        str(tmp_path),
        "--only",
        ",".join(panels),
    )
    assert main(words) == 0
    for name in ("census", "census_income"):
        whole(tmp_path / name, panels | {"t7-library"}, set())
