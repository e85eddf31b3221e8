"""Rules judge numbers, whatever was hoped for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from papers.figures.results import Panel
from papers.identity_reserved.claims import (
    TRIPLES,
    claims_at_full_size,
    claims_by_level,
    claims_by_shares,
)
from papers.identity_reserved.panels import AXES, FIGURES
from papers.identity_reserved.systems import BY_LEVEL, BY_SHARES

NAMES = (*TRIPLES["kl"], *TRIPLES["ab"])


def panels_of(systems, shape):
    found = {}
    for name, figure in FIGURES.items():
        if figure.systems is systems:
            xs = AXES[figure.axis][0]
            found[name] = Panel(name, "", figure.axis, "", xs, shape(figure, len(xs)))
    return found


def as_printed(figure, points):
    """Curves that are what the paper says."""
    geneir, plain, enhanced = (system.name for system in figure.systems)
    shares = figure.systems is BY_SHARES
    if figure.what == "vulnerable":
        step = {"k = l": 0.05, "α": 0.05, "β": -0.05, "d": 0.0}[figure.axis]
        rest = [0.5 + step * i for i in range(points)]
        return {geneir: [v - 0.2 for v in rest], plain: rest, enhanced: [0.0] * points}
    step = -0.02 if figure.what == "error_d" or figure.axis in {"α", "β"} else 0.02
    step *= 2 if figure.axis == "d" else 1
    base = [0.4 + step * i for i in range(points)]
    if figure.what == "seconds":
        return {geneir: [v / 10 for v in base], plain: base, enhanced: [v * 1.01 for v in base]}
    more = 1.03
    return {
        geneir: [v * (2.5 if shares else 2.2) for v in base],
        plain: base,
        enhanced: [v * more for v in base],
    }


def test_all_claims_hold_for_curves_as_printed():
    for systems, judge in ((BY_LEVEL, claims_by_level), (BY_SHARES, claims_by_shares)):
        claims = judge(panels_of(systems, as_printed))
        assert {claim.panel for claim in claims} >= {f"{n}a" for n in ("24" if systems is BY_LEVEL else "35")}
        assert [
            (claim.panel, claim.text, claim.outcome.measured) for claim in claims if not claim.outcome.holds
        ] == []


def test_nothing_is_judged_where_nothing_was_measured():
    nothing = panels_of(
        BY_LEVEL,
        lambda figure, points: dict.fromkeys(
            (system.name for system in figure.systems), [float("nan")] * points
        ),
    )
    assert {claim.outcome.holds for claim in claims_by_level(nothing) if "sharply" not in claim.text} == {
        None
    }


def test_ratios_outside_the_printed_range_do_not_hold():
    panels = panels_of(BY_LEVEL, as_printed)
    loss = {name: list(values) for name, values in panels["4a"].series.items()}
    loss["DAnonyIR_El"][0] *= 1.2
    panels["4a"] = replace(panels["4a"], series=loss)
    bad = [claim for claim in claims_by_level(panels) if claim.outcome.holds is False]
    assert any("1.0148 to 1.0347" in claim.text for claim in bad)
    assert any("within at 10 of 11 points" in claim.outcome.measured for claim in bad)


def full(loss, seconds):
    return Panel("full", "", "system", "", range(1, 7), {"NLoss": loss, "processor seconds": seconds})


def test_the_whole_table_is_judged_by_ratios_and_differences():
    panel = full([0.22, 0.1, 0.103, 0.25, 0.1, 0.104], [1.0, 50.0, 60.0, 1.0, 80.0, 120.0])
    claims = claims_at_full_size(panel, NAMES)
    verdicts = {claim.text: claim.outcome.holds for claim in claims}
    assert len(claims) == 8
    assert verdicts.pop("DAnonyIR_Eαβ takes at most 25.9 s longer than DAnonyIR_αβ") is False
    assert all(verdicts.values())


@pytest.mark.parametrize("position", range(6))
def test_a_missing_loss_decides_nothing(position):
    loss = [0.22, 0.1, 0.103, 0.25, 0.1, 0.104]
    loss[position] = float("nan")
    claims = claims_at_full_size(full(loss, [1.0] * 6), NAMES)
    about = [
        claim
        for claim in claims
        if "loses" in claim.text and NAMES[position] in claim.text.replace(" (", " ").split()
    ]
    assert about
    assert {claim.outcome.holds for claim in about} == {None}
