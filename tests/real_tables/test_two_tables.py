"""ANGEL on Adult and Census Income: what two tables lose beside one table under the same guarantee."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

import likeness as lk
from likeness.metrics.query_error import QueryError
from papers.identity_reserved.real import informs_2005

ADULT = ["age", "sex", "education", "race", "marital-status", "native-country", "workclass", "salary-class"]
CENSUS = {
    0: "age",
    1: "class of worker",
    4: "education",
    7: "marital status",
    12: "sex",
    3: "occupation code",
}


@pytest.fixture(scope="module")
def adult(data_folder):
    """The first 30,162 complete records."""
    frame = pl.read_csv(data_folder / "adult/adult_raw_48842.csv", infer_schema=False)
    found = frame.filter(pl.all_horizontal(pl.all() != "?")).head(30_162)
    return found.select(pl.col("age").cast(pl.Int64), *ADULT[1:], "occupation")


@pytest.fixture(scope="module")
def census(data_folder):
    """The 98,839 people who have an occupation."""
    file = data_folder / "census_income/census_income_1994_1995_train.csv.gz"
    frame = pl.read_csv(gzip.decompress(file.read_bytes()), has_header=False, infer_schema=False)
    found = frame.select(pl.nth(number).str.strip_chars().alias(name) for number, name in CENSUS.items())
    found = found.filter(pl.col("occupation code") != "0").with_columns(pl.col("age").cast(pl.Int64))
    assert found.height == 98_839
    return found


def both(frame, beta):
    """Two tables, and one by the method that is made for the guarantee."""
    *quasi, sensitive = frame.columns
    columns = {name: lk.quasi() for name in quasi} | {sensitive: lk.sensitive(kind="categorical")}
    policy = lk.Policy(
        columns=columns, privacy=[lk.KAnonymity(5), lk.BetaLikeness(beta)], withhold={"at_most": 0}
    )
    return (lk.anonymize(frame, policy.replace(method=method), seed=1) for method in (lk.Angel(), lk.Burel()))


def error(release):
    """Median of 1,000 queries with two quasi-identifiers and the sensitive column."""
    return QueryError(predicates=2, queries=1000).measure(release.evaluation)


@pytest.mark.slow
@pytest.mark.parametrize(("beta", "one_table", "share"), [(1, 0.323, 0.35), (4, 0.084, 0.5)])
def test_adult(adult, beta, one_table, share):
    two, one = both(adult, beta)
    assert two.loss("ncp")["ncp"] == pytest.approx(0.0178, abs=5e-5)
    assert one.loss("ncp")["ncp"] == pytest.approx(one_table, abs=0.002)
    assert error(two) <= share * error(one)
    assert two.verify().ok
    # Finer regions are easier to find people in: what one table gives beyond its k.
    assert two.attack("linkage").success > 2 * one.attack("linkage").success


@pytest.fixture(scope="module")
def informs(data_folder):
    """98,703 diagnoses of 26,854 people."""
    found = informs_2005(data_folder)
    assert (found.height, found["patient_id"].n_unique()) == (98_703, 26_854)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("beta", "one_table"), [("0.4", 0.192), ("0.3", 0.248)])
def test_informs_with_every_value_of_every_person(informs, beta, one_table):
    numbers = {"month", "year", "educ_year"}
    columns = {
        name: lk.quasi(kind="integer" if name in numbers else "categorical") for name in informs.columns
    }
    columns |= {"patient_id": lk.identifier(), "diagnosis": lk.sensitive(kind="categorical")}
    policy = lk.Policy(
        columns=columns,
        privacy=[lk.KAnonymity(5), lk.EirAlphaBetaAnonymity(1, beta)],
        individual="patient_id",
        withhold={"at_most": 0},
        method=lk.Angel(),
    )
    two = lk.anonymize(informs, policy, seed=1)
    assert (two.certificate.records, two.certificate.individuals) == (98_703, 26_854)
    assert two.loss("ncp")["ncp"] == pytest.approx(0.063, abs=5e-4)
    # From the published tables alone: no diagnosis is more than so many people's of a bucket.
    assert [(proof.holds, proof.scope) for proof in two.verify().proofs] == [(True, "public")] * 2
    assert two.verdict.proofs[1].strength.values["beta"] <= float(beta)
    asked = [lk.KAnonymity(5), lk.EirAlphaBetaAnonymity("0.6", beta)]
    one = lk.anonymize(informs, policy.replace(privacy=asked, method=lk.Mondrian()), seed=1)
    assert one.loss("ncp")["ncp"] == pytest.approx(one_table, abs=5e-4)
    assert error(two) <= 0.65 * error(one)


@pytest.mark.slow
@pytest.mark.parametrize(("beta", "one_table", "share"), [(1, 0.508, 0.28), (4, 0.171, 0.25)])
def test_census_income(census, beta, one_table, share):
    two, one = both(census, beta)
    assert two.loss("ncp")["ncp"] <= 0.0049
    assert 20 * two.loss("ncp")["ncp"] < one.loss("ncp")["ncp"] < one_table
    assert error(two) <= share * error(one)
    assert two.verify().ok
