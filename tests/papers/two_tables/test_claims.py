"""Rules judge numbers, whatever was hoped for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from papers.figures.results import Panel
from papers.two_tables.claims import claims_at_one_k, claims_of_figures
from papers.two_tables.figures import FIGURES, KS, PARTS
from papers.two_tables.measuring import SELECTIVITIES
from papers.two_tables.systems import READINGS

POINTS = {"k": KS, "people": tuple(range(1, PARTS + 1)), "selectivity": SELECTIVITIES}
RANKS = {"6": "star kl pl theta", "7": "star theta pl kl", "8": "star theta pl kl", "9": "kl theta star pl"}
WAYS = {"6a": 1, "7a": 1, "6b": -1, "7b": -1, "8b": -1, "8a": 0, "9a": 0, "9b": 0}


def panels_of(shape):
    found = {}
    for name, figure in FIGURES.items():
        xs = POINTS[figure.axis]
        series, extra = {}, {}
        for who in READINGS.values():
            for role in ("kl", "pl", "theta", "star"):
                series[getattr(who, role)] = [shape(name, role, i) for i in range(len(xs))]
                extra[f"{getattr(who, role)}: vulnerable, bucket known"] = [0.0] * len(xs)
        found[name] = Panel(name, "", figure.axis, "", xs, series, extra=extra)
    return found


def as_printed(name, role, i):
    """Curves that are what the paper says."""
    if name not in WAYS:
        return 0.0
    rank = RANKS[name[0]].split().index(role)
    if name[0] == "8" and rank == 0:
        return 0.01 - 0.001 * i if name == "8b" else 0.0
    step = 0.1 if role != "star" else 0.01
    return 2.0 + rank + WAYS[name] * step * i


def test_all_claims_hold_for_curves_as_printed():
    claims = claims_of_figures(panels_of(as_printed))
    assert {claim.panel for claim in claims} == set(WAYS)
    assert {claim.reading for claim in claims} == set(READINGS)
    assert [(one.panel, one.text, one.outcome.measured) for one in claims if not one.outcome.holds] == []


def test_no_claim_holds_for_curves_turned_round():
    panels = panels_of(lambda name, role, i: 10.0 - as_printed(name, role, i))
    panels["8a"] = replace(panels["8a"], extra={name: [1.0] for name in panels["8a"].extra})
    claims = claims_of_figures(panels)
    assert [one.text for one in claims if one.outcome.holds and "almost constant" not in one.text] == []
    assert all(one.why for one in claims)


def test_nothing_is_judged_where_nothing_was_measured():
    claims = claims_of_figures(panels_of(lambda *_: float("nan")))
    judged = [one.text for one in claims if one.outcome.holds is not None]
    assert [text for text in judged if "who knows the bucket" not in text] == []


def test_one_who_is_not_lowest_everywhere_is_told():
    panels = panels_of(as_printed)
    who = READINGS["paper"]
    series = panels["6a"].series
    worse = [*series[who.star][:-1], 99.0]
    panels["6a"] = replace(panels["6a"], series=series | {who.star: worse})
    bad = [one for one in claims_of_figures(panels) if one.outcome.holds is False]
    assert {one.panel for one in bad} == {"6a"}
    assert {one.text for one in bad} == {
        f"NCP: {who.star} below {other}" for other in (who.kl, who.pl, who.theta)
    }
    assert "at 4 of 5 points" in bad[0].outcome.measured


@pytest.mark.parametrize(("column", "what"), [("NCP", "NCP"), ("RL / n", "RL"), ("argsorts", "time")])
def test_orders_at_one_k(column, what):
    names = tuple(dict.fromkeys(name for who in READINGS.values() for name in who.everybody))
    ranks = {name: float(i) for i, name in enumerate(names)}
    columns = ("NCP", "query error, figure 7", "vulnerable", "RL / n", "argsorts")
    series = {name: [1.0] * len(names) for name in columns}
    series[column] = [ranks[name] for name in names]
    panel = Panel("systems-5", "", "system", "", range(1, len(names) + 1), series, labels=names)
    for claim in claims_at_one_k(panel):
        who = READINGS[claim.reading]
        lower, upper = next(
            (one, two)
            for one in who.everybody
            for two in who.everybody
            if claim.text.endswith(f": {one} below {two}")
        )
        wanted = claim.text.startswith(f"{what}:") and ranks[lower] < ranks[upper]
        assert claim.outcome.holds is wanted
