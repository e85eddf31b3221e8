"""Numbers, claims and the report."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import inf, nan

import pytest

from papers.beta_likeness.subjects import generated
from papers.figures.plots import draw
from papers.figures.report import report, write_claims, write_csv
from papers.figures.results import Claim, Outcome, Panel, Results

PANEL = Panel(
    "5a",
    "Loss",
    "β",
    "AIL",
    (1, 2),
    {"BUREL": [0.5, nan], "LMondrian (paper)": [0.1, inf]},
    extra={"BUREL: classes": [3.0, nan]},
)
CLAIM = Claim(
    "5a", "section 6.2", "BUREL | is better", "paper", "below", Outcome(False, "0.5 → 0.6"), "it is not"
)


@pytest.fixture(scope="module")
def subject():
    return generated(200, 0)


def test_every_number_is_in_the_file(tmp_path):
    with write_csv(PANEL, tmp_path).open() as file:
        assert list(csv.reader(file)) == [
            ["β", "BUREL", "LMondrian (paper)", "BUREL: classes"],
            ["1", "0.5", "0.1", "3"],
            ["2", "", "inf", ""],
        ]


def test_maps_have_first_coordinates_and_means_their_intervals(tmp_path, subject):
    panel = replace(
        PANEL,
        extra={},
        beside={"people": [3, 4]},
        spread={"BUREL": [0.25, nan], "people": [1, 1]},
        along=("risk", {"BUREL": [9.0, 8.0], "LMondrian (paper)": [7.0, 6.0]}),
    )
    with write_csv(panel, tmp_path).open() as file:
        assert list(csv.reader(file)) == [
            [
                "β",
                "BUREL",
                "LMondrian (paper)",
                "BUREL: risk",
                "LMondrian (paper): risk",
                "people",
                "BUREL ±",
                "people ±",
            ],
            ["1", "0.5", "0.1", "9", "7", "3", "0.25", "1"],
            ["2", "", "inf", "8", "6", "4", "", "1"],
        ]
    text = report([(subject, Results([panel], []))], [], None, "A paper")
    assert "| β | BUREL | LMondrian (paper) | BUREL: risk | LMondrian (paper): risk | people |" in text
    assert "| 1 | 0.5 ± 0.25 | 0.1 | 9 | 7 | 3 ± 1 |" in text
    pytest.importorskip("matplotlib")
    draw(panel, tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 1000


def test_rows_may_have_names_and_words(tmp_path, subject):
    panel = replace(PANEL, labels=("one", "two"), words={"why": ["a | b", ""]})
    with write_csv(panel, tmp_path).open() as file:
        assert list(csv.reader(file)) == [
            ["β", "BUREL", "LMondrian (paper)", "BUREL: classes", "why"],
            ["one", "0.5", "0.1", "3", "a | b"],
            ["two", "", "inf", "", ""],
        ]
    text = report([(subject, Results([panel], []))], [], None, "A paper")
    assert "| β | BUREL | LMondrian (paper) | why |" in text
    assert "| one | 0.5 | 0.1 | a \\| b |" in text
    assert "| two | – | inf |  |" in text


def test_why_stands_only_beside_what_does_not_hold(tmp_path):
    held = replace(CLAIM, outcome=Outcome(True, "0.1"))
    unknown = replace(CLAIM, outcome=Outcome(None, "nothing"))
    write_claims([CLAIM, held, unknown], tmp_path / "claims.csv")
    with (tmp_path / "claims.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["verdict"], row["why"]) for row in rows] == [
        ("does not hold", "it is not"),
        ("holds", ""),
        ("not measured", ""),
    ]


def test_report(subject):
    library = replace(CLAIM, reading="library", outcome=Outcome(True, "0.1"))
    text = report([(subject, Results([PANEL], [CLAIM, library]))], ["3 seconds"], "png", "A paper")
    assert "| 5a | BUREL \\| is better | **no** | holds |" in text
    assert "![Loss](census/figure_5a.png)" in text
    assert "| 2 | – | inf |" in text
    assert "0.5 → 0.6. Why: it is not." in text
    assert "* methods as in the paper: of 1 claims 1 do not hold" in text
    assert report([], [], None, title="Another").startswith("# Another: the paper's claims")
    assert "png" not in report([(subject, Results([PANEL], []))], [], None, "A paper")


@pytest.mark.parametrize("ending", ["png", "svg"])
@pytest.mark.parametrize("logarithmic", [True, False])
def test_plots(tmp_path, ending, logarithmic):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"figure.{ending}"
    draw(replace(PANEL, logarithmic=logarithmic), path)
    assert path.read_bytes().startswith(b"\x89PNG" if ending == "png" else b"<?xml")


def test_a_plot_of_nothing(tmp_path):
    pytest.importorskip("matplotlib")
    draw(replace(PANEL, series={"BUREL": [nan, nan]}), tmp_path / "figure.png")
    assert (tmp_path / "figure.png").exists()


def test_a_reading_that_nothing_is_judged_in_is_not_mentioned(subject):
    text = report([(subject, Results([PANEL], [CLAIM]))], [], None, "A paper")
    assert "this library's defaults" not in text
    assert "judged twice" not in text
    both = report(
        [(subject, Results([PANEL], [CLAIM, replace(CLAIM, reading="library")]))], [], None, "A paper"
    )
    assert "A claim is judged twice" in both
