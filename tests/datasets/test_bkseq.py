"""Patients whose exam depends on what they are and had: ω and T are what the tables were drawn from."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.knowledge.tables import learnt

import likeness as lk
from likeness.datasets.bkseq import Bkseq, _added, _bits, _shares, _widest
from likeness.errors import InvalidError
from likeness.kernels.beliefs import divergences, entropies
from likeness.microdata.clustering import dendrogram_of
from likeness.policy import Policy

ROWS = 400


def test_the_parts_are_those_of_the_facts():
    tables = Bkseq().sequence(seed=7)
    assert [table.height for table in tables] == [4_000] * 23
    assert all(table["patient_id"].n_unique() == 4_000 for table in tables)
    one, other = tables[:2]
    assert len(set(one["patient_id"]) & set(other["patient_id"])) == 3_600
    assert one["age"].min() >= 20 and one["age"].max() <= 80  # noqa: PT018
    assert one["weight"].min() >= 45 and one["weight"].max() <= 110  # noqa: PT018
    means = dict(one.group_by("sex").agg(pl.col("weight").mean()).iter_rows())
    assert means["Female"] == pytest.approx(66, abs=1)
    assert means["Male"] == pytest.approx(78, abs=1)
    people = pl.concat(tables).select("patient_id", "sex", "age", "weight").unique()
    assert people["patient_id"].n_unique() == people.height
    assert tables[-1].equals(Bkseq().generate(seed=7))


@pytest.mark.parametrize("max_jsd", [0, 0.28, 0.6, 0.9])
def test_nobody_differs_by_more_than_is_said(max_jsd):
    dataset = Bkseq(max_jsd=max_jsd, releases=1)
    for seed in range(3):
        known = dataset.beside(ROWS, seed)["knowledge"]
        shares = known["share"].cast(pl.Float64).to_numpy().reshape(-1, 10)
        apart = divergences(shares, entropies(shares)).max()
        # The grid of which it is the largest has more extreme patients than most tables.
        assert 0.6 * max_jsd - 1e-6 <= apart <= max_jsd + 1e-6


def test_at_28_hundredths_there_is_one_cluster_from_30_on(tmp_path):
    dataset = Bkseq(releases=3)
    tables = dataset.sequence(ROWS, 2)
    for i, table in enumerate(tables):
        world = Bkseq(releases=i + 1)
        world.beside(ROWS, 2)["knowledge"].write_csv(tmp_path / "knowledge.csv")
        assert world.generate(ROWS, 2).equals(table)
        known, _ = learnt(table, Policy.from_mapping(dataset.policy(), folder=tmp_path))
        tree = dendrogram_of(known.distributions)
        counts = [
            np.unique(tree.cut(lk.exact.rational(j), lk.exact.rational(2))).size
            for j in ("0.05", "0.3", "0.8")
        ]
        assert counts[0] > counts[1] == counts[2] == 1


def test_what_was_drawn_has_the_shares_that_are_told():
    dataset = Bkseq(releases=1, max_jsd=0.9)
    table, known = dataset.generate(20_000, 3), dataset.beside(20_000, 3)["knowledge"]
    wanted = (
        table.select("sex", "age", "weight")
        .join(known.with_columns(pl.col("share").cast(pl.Float64)), on=["sex", "age", "weight"])
        .group_by("value")
        .agg(pl.col("share").sum() / 20_000)
    )
    found = table.group_by(value="result").len().with_columns(pl.col("len") / 20_000)
    both = wanted.join(found, on="value")
    np.testing.assert_allclose(both["len"], both["share"], atol=4 * np.sqrt(0.25 / 20_000))


def test_results_follow_as_transitions_tell():
    dataset = Bkseq(releases=2, memory=1, churn=0, stickiness=0.6, results=4)
    one, other = dataset.sequence(20_000, 5)
    told = dataset.beside(20_000, 5)["transitions"].with_columns(pl.col("share").cast(pl.Float64))
    assert told.filter(pl.col("before") == pl.col("value"))["share"].to_list() == pytest.approx(
        [0.6] * 4, abs=1e-8
    )
    pairs = one.join(other, on="patient_id").group_by(before="result", value="result_right").len()
    begins = pairs.group_by("before").agg(total=pl.col("len").sum())
    found = pairs.join(begins, on="before").join(told, on=["before", "value"])
    assert found.height == 16
    off = (found["len"] / found["total"] - found["share"]).abs() * found["total"].sqrt()
    assert off.max() < 2.5


def test_shares_are_written_exactly():
    beside = Bkseq(releases=3).beside(ROWS, 1)
    assert list(beside) == ["knowledge", "transitions", "01", "02"]
    for name, of in (("knowledge", ["sex", "age", "weight"]), ("transitions", ["before"])):
        whole = beside[name].with_columns(pl.col("share").str.replace(".", "", literal=True).cast(pl.Int64))
        assert (whole["share"] >= 0).all()
        assert set(whole.group_by(of).agg(pl.col("share").sum())["share"]) == {10**9}
    assert beside["01"].columns == beside["02"].columns == Bkseq().generate(1).columns


def test_the_functions_of_exactly_rounded_operations_are_right():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(6), 40)
    shares[0] = [1, 0, 0, 0, 0, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = np.where(shares > 0, shares * np.log2(shares), 0)
    np.testing.assert_allclose(_bits(shares), wanted, atol=1e-15)
    assert _widest(shares) == pytest.approx(divergences(shares, entropies(shares)).max(), abs=1e-12)
    exponents = rng.normal(0, 3, (40, 6))
    softmax = np.exp(exponents) * np.arange(1, 7)
    softmax /= softmax.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(_shares(np.arange(1.0, 7.0), exponents), softmax, atol=1e-4)
    assert _added(np.ones((2, 3))).tolist() == [3, 3]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"releases": 0}, "bkseq: releases must be a whole number from 1 to 1000; got 0"),
        ({"releases": True}, "bkseq: releases must be a whole number from 1 to 1000; got True"),
        ({"results": 27}, "bkseq: results must be a whole number from 2 to 26; got 27"),
        ({"churn": 1.5}, "bkseq: churn must be a number from 0 to 1; got 1.5"),
        ({"max_jsd": 1}, "bkseq: max_jsd must be a number from 0 to 0.99; got 1"),
        ({"stickiness": float("nan")}, "bkseq: stickiness must be a number from 0 to 1; got nan"),
    ],
)
def test_parameters_that_are_none(given, words):
    with pytest.raises(InvalidError) as refused:
        Bkseq(**given)
    assert refused.value.problems == (words,)


def test_a_sequence_says_more_than_its_cells(tmp_path):
    dataset = Bkseq(releases=4, memory=1, churn=0, stickiness=1, results=3)
    for name, frame in dataset.beside(ROWS, 4).items():
        frame.write_csv(tmp_path / f"{name}.csv")
    given = dataset.policy() | {
        "knowledge": {
            "sequence": {
                "earlier": ["01.csv", "02.csv", "03.csv"],
                "on": "patient_id",
                "prior": {"table": "knowledge.csv"},
                "smoothing": 0,
            }
        }
    }
    table = dataset.generate(ROWS, 4)
    known, encoded = learnt(table, Policy.from_mapping(given, folder=tmp_path))
    # Everybody has what they always had.
    assert (known.distributions.shares[known.of, encoded.data.sensitive_codes[0]] == 1).all()
