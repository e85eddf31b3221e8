"""Releases of one table, and averages over several."""

from __future__ import annotations

from math import isnan, nan

import pytest
from scipy.stats import t

from likeness.microdata import clustering
from likeness.microdata.clustering import clusters_of, dendrogram_of
from papers.background_knowledge.bench import Bench
from papers.background_knowledge.measuring import Estimate, Job, measure, publish, quantile
from papers.background_knowledge.subjects import BKSEQ, BkseqSource, Subject
from papers.background_knowledge.systems import BETA_GE, K_AGG, K_AGG_PAPER, Setting

SOURCES = (BkseqSource(1, 300, 0.9, 1), BkseqSource(2, 300, 0.9, 1))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 6, 9, 19, 100])
def test_quantiles_of_student(freedom):
    assert quantile(freedom) == pytest.approx(t.ppf(0.975, freedom), rel=2e-4)


def test_estimates_leave_out_what_could_not_be_measured():
    assert Estimate.of([1.0, nan, 3.0]) == Estimate.of([1.0, 3.0])
    assert isnan(Estimate.of([1.0]).half)
    assert isnan(Estimate.of([nan]).mean)


def test_what_is_measured_is_what_the_release_says():
    setting = Setting(j="0.2")
    (found,) = measure(Job(SOURCES[0], ((K_AGG_PAPER, setting),), 7))
    release, _ = publish(SOURCES[0], K_AGG_PAPER, setting, 7)
    counts = release.counts
    assert found.withheld == pytest.approx(1 - counts["published"] / 300)
    lost = release.loss("gcp", "rgcp", "record-linkage", "ncp", "average-class-size")
    assert found.gcp == pytest.approx(lost["gcp"] / 300)
    assert found.rgcp == pytest.approx(lost["rgcp"] / 300)
    assert found.linked == lost["record-linkage"]
    assert found.ncp == pytest.approx(found.gcp + found.withheld)
    assert found.mean == pytest.approx(counts["published"] / found.classes)
    assert 5 <= found.least <= found.mean


def test_nobody_can_be_published():
    (found,) = measure(Job(SOURCES[0], ((BETA_GE, Setting(k=301)),), 1))
    assert found.withheld == 1
    assert isnan(found.gcp)


def test_a_timed_release_clusters_what_is_known_anew(monkeypatch):
    asks = ((K_AGG, Setting(j="0.2")), (K_AGG, Setting(j="0.2", k=6)))
    warm, cold = [], []
    real = clustering.Dendrogram.of
    for made, anew in ((warm, False), (cold, True)):
        dendrogram_of.cache_clear()
        clusters_of.cache_clear()
        monkeypatch.setattr(clustering.Dendrogram, "of", lambda rows, made=made: made.append(1) or real(rows))
        measure(Job(SOURCES[0], asks, 1, anew))
    assert (len(warm), len(cold)) == (1, 2)
    bench = Bench(Subject(BKSEQ, "two", SOURCES))
    bench.curve(K_AGG, [Setting(k=3)], "mean")
    assert bench.timed().cold
    assert not bench.timed().found


def test_a_bench_makes_every_release_once(monkeypatch):
    bench = Bench(Subject(BKSEQ, "two", SOURCES))
    settings = [Setting(k=k) for k in (3, 8)]
    found = bench.curve(K_AGG, settings, "mean")
    each = [
        [measure(Job(source, ((K_AGG, one),), 1 + i))[0].mean for i, source in enumerate(SOURCES)]
        for one in settings
    ]
    assert found == [Estimate.of(values) for values in each]
    monkeypatch.setattr("papers.background_knowledge.bench.measure", None)
    assert bench.curve(K_AGG, settings[:1], "mean") == found[:1]
