from __future__ import annotations

import math
from collections import Counter

import polars as pl
import pytest
from tests.pace import argsorts

import likeness as lk
from likeness.datasets import files
from likeness.datasets.symptoms import AGES, MEN, MORE, SEVERITY, SHARES, WOMEN, ZIPS, Symptoms

WELL = SEVERITY["Asymptomatic"][0]


@pytest.fixture(scope="module")
def table():
    return Symptoms().generate(rows=60_000, seed=3)


@pytest.fixture(scope="module")
def people(table):
    return table.group_by("patient_id", maintain_order=True).agg(
        pl.col("age", "zip", "sex").n_unique(), pl.col("symptom"), pl.len().alias("symptoms")
    )[:-1]


def test_columns_and_kinds(table):
    assert table.schema == {
        "patient_id": pl.String, "age": pl.Int64, "zip": pl.Int64, "sex": pl.String, "symptom": pl.String,
    }  # fmt: skip


def test_what_a_person_is_does_not_change_and_their_records_follow_each_other(table, people):
    assert people.select("age", "zip", "sex").max().row(0) == (1, 1, 1)
    assert table["patient_id"].rle().len() == table["patient_id"].n_unique()
    assert table["patient_id"].unique(maintain_order=True).to_list() == [
        f"p{i + 1}" for i in range(people.height + 1)
    ]


def test_nobody_has_a_symptom_twice_or_one_beside_none(people):
    for own in people["symptom"].to_list():
        assert len(set(own)) == len(own)
        assert WELL not in own or own == [WELL]


def test_one_symptom_and_poisson_many_more(people):
    """Of those who have any: 1 + Poisson(1), within five standard deviations."""
    ill = people.filter(~pl.col("symptom").list.contains(WELL))
    counts = Counter(ill["symptoms"].to_list())
    for more in range(5):
        share = math.exp(-1) / math.factorial(more)
        expected, spread = ill.height * share, 5 * math.sqrt(ill.height * share * (1 - share))
        assert abs(counts[more + 1] - expected) < spread
    assert max(counts) <= MORE + 1 == sum(map(len, SEVERITY.values())) - 1


def test_first_symptoms_have_the_shares_of_their_categories(people):
    of = {symptom: label for label, own in SEVERITY.items() for symptom in own}
    first = [own[0] for own in people["symptom"].to_list()]
    # Symptoms of a person stand in the order in which they were drawn.
    assert sum(SHARES.values()) == 100
    for label, count in Counter(of[one] for one in first).items():
        share = SHARES[label] / 100
        assert abs(count - share * len(first)) < 5 * math.sqrt(len(first) * share * (1 - share))
    for symptom, count in Counter(first).items():
        share = SHARES[of[symptom]] / 100 / len(SEVERITY[of[symptom]])
        assert abs(count - share * len(first)) < 5 * math.sqrt(len(first) * share * (1 - share))


def test_ages_sexes_and_codes(table):
    who = table.unique("patient_id")
    assert set(who["zip"]) == set(ZIPS)
    assert len(WOMEN) == len(MEN) == len(AGES)
    women = who["sex"].eq_missing("Female").mean()
    assert abs(women - sum(WOMEN) / (sum(WOMEN) + sum(MEN))) < 5 * 0.5 / math.sqrt(who.height)
    assert who["age"].is_between(AGES[0], AGES[-1]).all()
    mean = sum(age * (w + m) for age, w, m in zip(AGES, WOMEN, MEN, strict=True)) / (sum(WOMEN) + sum(MEN))
    assert abs(who["age"].mean() - mean) < 5 * who["age"].std() / math.sqrt(who.height)


def test_ages_and_sexes_are_those_of_adult(data_folder):
    adult = files.adult(data_folder, part="all", complete=False)
    for sex, counts in (("Female", WOMEN), ("Male", MEN)):
        ages = Counter(adult.filter(pl.col("sex") == sex)["age"].to_list())
        assert [ages[age] for age in AGES] == list(counts)


def test_the_policy_releases_it(tmp_path):
    from likeness.cli.generate import belongings, put

    path = tmp_path / "symptoms.csv"
    frame = Symptoms().generate(rows=600, seed=1)
    texts, policy = belongings(Symptoms(), path, 600, 1)
    put(frame, path, texts, overwrite=False)
    assert (tmp_path / "symptoms-categories.csv").read_text().splitlines()[1] == "Low;Flu;Headache;Tiredness"
    made = lk.anonymize(lk.read(path), lk.Policy.load(policy), seed=1)
    assert [proof.holds for proof in made.verdict.proofs] == [True, True]
    assert lk.verify(made.write(tmp_path / "out") / "public").status == "proven"


@pytest.mark.slow
def test_a_million_records_take_a_moment():
    assert argsorts(lambda: Symptoms().generate(rows=1_000_000), 1_000_000) < 60
