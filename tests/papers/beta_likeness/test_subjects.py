"""The tables that are published."""

from __future__ import annotations

import numpy as np
import pytest

import likeness as lk
from papers.beta_likeness.bench import Bench, by_class, real_beta, real_t, shares_by_class
from papers.beta_likeness.subjects import generated, real, subjects
from papers.beta_likeness.systems import BUREL, GENERALIZING, LIBRARY, PAPER, RANDOMIZING, T_MONDRIAN, chosen
from papers.figures.data import data_folder


def test_the_generated_census_has_the_paper_s_shape():
    census = generated(5_000, 1)
    assert list(census.quasi) == ["age", "gender", "education", "marital_status", "work_class"]
    assert len(census.shares) == 50
    assert census.shares[0] == 0.0484
    assert [told["role"] for told in census.columns(2).values()] == ["quasi"] * 2 + ["drop"] * 3 + [
        "sensitive"
    ]


@pytest.mark.slow
def test_people_with_an_occupation(data_folder):
    people = real(200_000, 1, data_folder)
    assert people.table.height == 98_839
    assert len(people.shares) == 46
    assert people.table["education"].unique().sort().to_list() == list(range(1, 17))
    release = lk.anonymize(
        people.sample(2_000).table,
        lk.Policy(columns=people.columns(5), privacy=lk.KAnonymity(5)),
        seed=1,
    )
    assert release.verdict.ok


def test_samples_are_drawn_without_replacement():
    census = generated(1_000, 1)
    part = census.sample(300, seed=2)
    assert part.table.height == 300
    assert part.table.equals(census.sample(300, seed=2).table)
    assert not part.table.equals(census.sample(300, seed=3).table)
    assert census.sample(1_000) is census


def test_a_missing_folder_is_said(tmp_path):
    found, missing = subjects(500, 1, tmp_path / "nowhere")
    assert [subject.name for subject in found] == ["census"]
    assert missing[0].startswith("census_income is left out: ")
    assert "no such folder" in missing[0]


def test_a_given_folder_comes_first(tmp_path, monkeypatch):
    assert data_folder(tmp_path) == tmp_path
    monkeypatch.setenv("LIKENESS_DATA", "elsewhere")
    assert data_folder(None) is None


def test_releases_are_measured_as_they_were_made():
    bench = Bench(generated(3_000, 1), queries=10, repeat=1)
    made = bench.make(BUREL, 3, 2, repeat=2)
    assert 0 < made.search < made.total
    assert made.loss() == made.release.loss("ail")["ail"]
    assert real_beta(made.release) <= 3
    t = by_class(made.release, lk.TCloseness(1))
    assert t.max() <= real_t(made.release)
    shares = shares_by_class(made.release)
    assert shares.shape == (made.release.certificate.classes, 50)
    assert np.allclose(shares.sum(axis=1), 1)
    assert real_t(bench.make(T_MONDRIAN, real_t(made.release), 2).release) <= real_t(made.release)


def test_sizes_are_fifths():
    assert [one.table.height for one in Bench(generated(1_000, 1)).sizes] == [200, 400, 600, 800, 1000]


def test_every_reading_has_one_system_of_each_family():
    for reading in (PAPER, LIBRARY):
        assert set(chosen(reading, *GENERALIZING)) == {"BUREL", "LMondrian", "DMondrian"}
        assert set(chosen(reading, *RANDOMIZING)) == {"perturbation", "Baseline"}
    assert chosen(PAPER, *GENERALIZING)["LMondrian"] == "LMondrian (paper)"
    assert chosen(LIBRARY, *GENERALIZING)["LMondrian"] == "LMondrian"
