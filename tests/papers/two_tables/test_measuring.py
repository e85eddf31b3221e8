"""Releases by every system, and what is measured of them."""

from __future__ import annotations

from math import isnan

import pytest

import likeness as lk
from papers.two_tables import measuring
from papers.two_tables.bench import Bench
from papers.two_tables.measuring import Job, Measured, attacks, measure
from papers.two_tables.side_by_side import reasons, side_by_side
from papers.two_tables.subjects import informs, symptoms
from papers.two_tables.systems import (
    ANGEL,
    ANGEL_VALUES,
    EVERY,
    KL,
    ONE_TABLE,
    PL,
    PL_LOOSE,
    STAR,
    STAR_PAPER,
    STAR_WEAK,
    THETA,
    THETA_PAPER,
)

PEOPLE, K = 150, 4


@pytest.fixture(scope="module")
def bench():
    small = symptoms(PEOPLE, 1)
    return Bench(small, small, queries=50, repeat=1)


@pytest.mark.slow
def test_every_system_makes_a_release_that_is_proven(bench):
    for system in EVERY:
        found = bench.one(system, K, PEOPLE)
        assert found.refused == ""
        assert found["argsorts"] > 0
        assert 0 <= found["NCP"] <= 1
        # What was not measured says why.
        own = {*attacks(K), "vulnerable-classes", "NCP", "query error, none"}
        assert {name for name in own if isnan(found[name])} == set(found.why) & own


@pytest.mark.slow
def test_what_is_measured_is_what_the_release_says(bench):
    subject = bench.subject
    release = lk.anonymize(subject.table, STAR_PAPER.policy(subject, K), seed=1)
    found = bench.one(STAR_PAPER, K, PEOPLE)
    invented = release.counts["invented"]
    assert invented > 0
    assert found["invented"] == invented / (PEOPLE + invented)
    assert found["NCP"] == release.loss("ncp")["ncp"]
    assert found["record-linkage"] == release.loss("record-linkage")["record-linkage"]
    made = release.attack("membership")
    assert found["membership"] == made.success
    assert found["membership, without the release"] == made.baseline
    assert found["membership, bucket known"] == made.details["breached_in_class"]
    part = made.details["targets"] / PEOPLE
    assert found["vulnerable, bucket known"] >= made.details["certain_in_class"] * part


def test_the_loose_link_loses_what_k_anonymity_loses(bench):
    loose = bench.one(PL_LOOSE, K, PEOPLE)["NCP"]
    assert loose == bench.one(STAR, K, PEOPLE)["NCP"] == bench.one(ANGEL, K, PEOPLE)["NCP"]
    assert loose < bench.one(PL, K, PEOPLE)["NCP"]
    assert loose <= bench.one(ONE_TABLE, K, PEOPLE)["NCP"]


@pytest.mark.slow
def test_who_is_asked_for_vulnerable_classes(bench):
    assert "vulnerable-classes" in bench.one(KL, K, PEOPLE).why
    assert bench.one(ANGEL_VALUES, K, PEOPLE)["vulnerable-classes"] >= 0


def test_a_refusal_is_told(bench):
    found = bench.one(STAR, PEOPLE + 1, PEOPLE)
    assert found.refused
    assert isnan(found["NCP"])
    assert reasons(found) == f"refused: {found.refused}"


def test_a_bench_makes_every_release_once(bench, monkeypatch):
    bench.one(THETA_PAPER, K, PEOPLE)
    monkeypatch.setattr("papers.two_tables.bench.measure", None)
    assert bench.one(THETA_PAPER, K, PEOPLE)["NCP"] > 0
    assert bench.of_everybody().known == {}


def test_the_fastest_release_counts(bench, monkeypatch):
    times = iter([3.0, 1.0, 2.0])
    real = measuring._timed
    monkeypatch.setattr(measuring, "_timed", lambda job: (real(job)[0], next(times)))
    monkeypatch.setattr(measuring, "unit", lambda _: 0.5)
    subject = bench.subject
    job = Job(subject.sources["records"], PL.policy(subject, K), K, queries=20, repeat=3)
    assert measure(job)["argsorts"] == 2.0


def test_nothing_measured_is_not_a_number():
    assert isnan(Measured()["NCP"])


@pytest.mark.slow
def test_what_informs_refuses_is_told_in_its_row(data_folder):
    part = informs(data_folder).sample(1_000, 1)
    results = side_by_side(Bench(part, part, queries=100, repeat=1), 5)
    panel = results.panels[0]
    told = dict(zip(panel.labels, panel.words["not measured, and why"], strict=True))
    assert {name for name, words in told.items() if words.startswith("refused: ")} == {THETA.name, STAR.name}
    assert all("the strongest it could meet is mu = 0.3992" in told[name] for name in (THETA.name, STAR.name))
    # Nothing is judged by what is not there.
    about = {claim.outcome.holds for claim in results.claims if f": {STAR.name} below" in claim.text}
    assert about == {None}
    ncp = dict(zip(panel.labels, panel.series["NCP"], strict=True))
    assert ncp[ANGEL.name] == ncp[PL_LOOSE.name] == ncp[STAR_WEAK.name] < ncp[ONE_TABLE.name] < ncp[PL.name]
    invented = dict(zip(panel.labels, panel.series["invented"], strict=True))
    assert {name for name, share in invented.items() if share > 0} == {THETA_PAPER.name, STAR_PAPER.name}
