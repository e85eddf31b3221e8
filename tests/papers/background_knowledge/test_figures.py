"""Figures and tables on small generated tables: what stands in them is what the bench measured."""

from __future__ import annotations

from math import isnan

import pytest

from papers.background_knowledge.bench import Bench
from papers.background_knowledge.comparing import at_equal_risk, methods, queries, times_by_k
from papers.background_knowledge.distributions import ATTRIBUTES, SYSTEMS, Compared, compare
from papers.background_knowledge.experiments import EXPERIMENTS, ON
from papers.background_knowledge.maps import AXES, not_above, penalties, removed, risk_and_loss, sizes
from papers.background_knowledge.measuring import publish
from papers.background_knowledge.subjects import ADULT, BKSEQ, WHOLE, BkseqSource, Subject, known
from papers.background_knowledge.systems import (
    EVERY,
    EVERY_CLOSE,
    K_AGG,
    K_AGG_PAPER,
    LIBRARY,
    PAPER,
    Setting,
)

PANELS = {panel for one in EXPERIMENTS for panel in one.panels}


@pytest.fixture(scope="module")
def bench():
    return Bench(Subject(BKSEQ, "one", (BkseqSource(1, 150, 0.9, 1),)))


def test_every_figure_and_table_of_the_paper_is_there():
    printed = {"4", "5", "6", "7", "8", "9a", "9b", "10", "11", "12", "table5", "table6", "table7", "table8"}
    assert printed < PANELS
    on = {panel: ON[one] for one in EXPERIMENTS for panel in one.panels}
    assert on["4"] == on["5"] == on["6"] == {ADULT, WHOLE, BKSEQ}
    assert on["table5"] == on["table8"] == on["9a"] == {ADULT, WHOLE}
    assert on["7"] == on["8"] == on["11"] == on["12"] == {BKSEQ}


@pytest.mark.slow
def test_a_map_has_loss_and_risk_of_the_same_releases(bench):
    found = risk_and_loss(bench, "5", "J")
    (panel,) = found.panels
    settings, xs, _ = AXES["J"]
    assert tuple(panel.xs) == xs
    assert list(panel.series) == [system.name for system in (*PAPER, *LIBRARY)]
    label, risk = panel.along
    assert label == "RL"
    for system in (K_AGG, K_AGG_PAPER):
        assert panel.series[system.name] == [one.mean for one in bench.curve(system, settings, "gcp")]
        assert risk[system.name] == [one.mean for one in bench.curve(system, settings, "linked")]
    assert {claim.reading for claim in found.claims} == {"paper", "library"}
    assert not any("(paper)" in claim.text for claim in found.claims)
    wide = next(one for one in found.claims if one.reading == "library" and "wide" in one.text)
    by_k = [one.mean for one in bench.curve(LIBRARY[2], AXES["k"][0], "gcp")]
    here = panel.series[LIBRARY[2].name]
    assert wide.outcome.holds == (max(here) - min(here) > max(by_k) - min(by_k))


@pytest.mark.slow
def test_sizes_and_who_is_withheld(bench):
    table = sizes(bench, "5", "k")
    assert table.panels[0].beside["kAgg: least"] == [
        one.mean for one in bench.curve(K_AGG, AXES["k"][0], "least")
    ]
    assert "Mean and smallest size differ most in β_GE" in {claim.text for claim in table.claims}
    by_j = removed(bench, "9b", "J")
    share = by_j.panels[0].series["kAgg (paper)"]
    most = next(
        one for one in by_j.claims if one.text.startswith("kAgg withholds at most") and one.reading == "paper"
    )
    assert most.outcome.holds == (max(share) <= 11 / 4000)


def test_nothing_is_said_of_who_is_withheld_where_nobody_is():
    everybody = Bench(Subject(BKSEQ, "one", (BkseqSource(1, 200, 0.1, 1),)))
    found = removed(everybody, "9b", "J")
    own = [
        one
        for one in found.claims
        if one.text == "kAgg withholds more at small J" and one.reading == "library"
    ]
    assert not any(found.panels[0].series["kAgg"])
    assert [one.outcome.holds for one in own] == [None]
    gaps = penalties(everybody)
    assert {one.outcome.holds for one in gaps.claims if "kAgg" in one.text and one.reading == "library"} == {
        None
    }
    assert found.panels[0].spread == {}


@pytest.mark.slow
def test_all_methods_stand_in_the_order_of_rgcp():
    one, _, close = methods(Bench(Subject(BKSEQ, "one", (BkseqSource(1, 150, 0.9, 1),)))).panels
    found = [value for value in one.series["RGCP"] if not isnan(value)]
    assert found == sorted(found)
    assert len(one.xs) == len(EVERY)
    assert len(close.xs) == len(EVERY_CLOSE)
    assert all(f": {system.name}" in one.title for system in EVERY)


def test_hierarchies_do_not_change_what_is_known():
    source = BkseqSource(1, 200, 0.9, 1)
    plain, trees = known(source), known(source, trees=True)
    assert trees.data.knowledge is plain.data.knowledge
    assert all(domain.hierarchy is not None for domain in trees.data.quasi)
    assert [domain.name for domain in trees.data.quasi] == ["sex", "age", "weight"]
    assert {domain.name for domain in plain.data.quasi} == {"sex", "age", "weight"}


@pytest.mark.slow
def test_query_errors_and_times(bench):
    found = queries(bench)
    assert all(value >= 0 for curve in found.panels[0].series.values() for value in curve)
    assert len(found.claims) == 10
    assert all(value > 0 for curve in times_by_k(bench).panels[0].series.values() for value in curve)


def test_distributions_of_one_table():
    source = BkseqSource(1, 200, 0.9, 1)
    setting = Setting(k=5, j="0.3", beta=4.0)
    ((found,),) = compare(Compared(source, 3, (K_AGG,), (setting,)))
    release, _ = publish(source, K_AGG, setting, 3)
    assert found["mean"] == pytest.approx(release.loss("relative-difference")["relative-difference"])
    assert found["absolute"] == pytest.approx(
        release.loss("relative-difference-absolute")["relative-difference-absolute"]
    )
    assert {"sex", "age"} <= set(found)
    assert {"sex", "age"} <= set(ATTRIBUTES)
    assert set(SYSTEMS) == {*PAPER, *LIBRARY}


def test_rules():
    assert not_above({"a": [1, 3], "b": [1, 2]}, "a", "b").holds is False
    assert not_above({"a": [float("nan")], "b": [1]}, "a", "b").holds is None
    assert at_equal_risk(([1, 3], [1, 3]), ([5], [1])).holds is None
    assert at_equal_risk(([3, 1], [3, 1]), ([2, 3], [2.5, 2])).measured.startswith("less at 1 of 2")
