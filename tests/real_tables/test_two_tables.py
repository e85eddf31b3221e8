"""ANGEL on Adult and Census Income: what two tables lose beside one table under the same guarantee.

(θ*,k)-utility on INFORMS 2005: what the papers' buckets invent.
"""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest

import likeness as lk
from likeness.encode import encode
from likeness.errors import CannotBeMetError
from likeness.methods.base import Problem
from likeness.metrics.query_error import QueryError
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require_of
from papers.identity_reserved.real import informs_2005
from papers.two_tables.severity import severity

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


QUASI = ["month", "year", "gender", "race", "educ_year", "marry", "poverty", "hispanx"]
NUMBERS = {"month", "year", "educ_year"}


def by_category(frame, *privacy, method, k=5):
    columns = {name: lk.quasi(kind="integer" if name in NUMBERS else "categorical") for name in QUASI}
    columns |= {"patient_id": lk.identifier(), "diagnosis": lk.sensitive(kind="categorical")}
    return lk.Policy(
        columns=columns,
        individual="patient_id",
        categories={"diagnosis": severity(frame["diagnosis"])},
        privacy=[lk.KAnonymity(k), *privacy],
        method=method,
    )


HALF = lk.AlphaKAnonymity(alpha="1/2", k=5, sensitive="diagnosis")
SAFE = lk.MembershipSafety("1/2", sensitive="diagnosis")
RULED_OUT = lk.RecursiveClDiversity(2, 3, sensitive="diagnosis")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("models", "one_table", "share"),
    [([HALF], 0.183, 0.65), ([HALF, SAFE], 0.203, 0.65), ([HALF, SAFE, RULED_OUT], 0.467, 0.5)],
    ids=["shares", "membership", "one category ruled out"],
)
def test_the_highest_category_of_everybody(informs, models, one_table, share):
    policy = by_category(informs, *models, method=lk.Angel(publish="highest"))
    two = lk.anonymize(informs, policy.replace(withhold={"at_most": 0}), seed=1)
    assert two.counts["published"] + sum(two.counts["dropped"].values()) == 98_703
    assert two.counts["published"] == 26_854
    encoded = two.private.encoded
    ranks = encoded.data.source.records.sensitive[0].category_of
    diagnoses = encoded.data.source.records.sensitive_codes[0]
    assert np.bincount(ranks).tolist() == [59, 95, 346, 58, 43]
    assert np.bincount(ranks[diagnoses]).tolist() == [8_227, 28_055, 45_745, 14_691, 1_985]
    pairs = np.unique(np.stack([encoded.data.source.of, ranks[diagnoses]]), axis=1)
    assert np.count_nonzero(np.bincount(pairs[0]) > 1) == 16_641
    # The same table of one record a person, in one table.
    labels = encoded.data.sensitive[0].labels
    highest = pl.Series([labels[code] for code in encoded.data.sensitive_codes[0]])
    people = informs[encoded.data.rows].with_columns(diagnosis=highest)
    alone = by_category(informs, *models, method="mondrian").replace(
        individual=None,
        categories={"diagnosis": {label: [label] for label in labels}},
        withhold={"at_most": 0},
    )
    sizes = alone.replace(privacy=lk.KAnonymity(5))
    assert two.loss("ncp") == lk.anonymize(people, sizes, seed=1).loss("ncp")
    assert two.loss("ncp")["ncp"] <= 0.0570
    one = lk.anonymize(people, alone, seed=1)
    assert one.loss("ncp")["ncp"] == pytest.approx(one_table, abs=5e-4)
    assert error(two) <= share * error(one)
    assert all(proof.holds and proof.scope == "public" for proof in two.verify().proofs)
    assert [proof.joined for proof in two.verdict.proofs] == [None] + [True] * len(models)


FOUND = {  # k: exchanges, invented, buckets with invented records, buckets
    2: (9_310, 0, 0, 13_427),
    3: (15_050, 2_830, 2_514, 8_951),
    4: (8_749, 6_980, 4_401, 6_713),
    5: (7_233, 5_903, 3_058, 5_370),
    10: (3_419, 3_057, 2_019, 2_685),
}


@pytest.mark.slow
def test_the_papers_buckets_of_informs(informs):
    policy = by_category(
        informs, lk.ThetaSensitivity(5, "0.6", order="frequency"), method="theta-star-utility"
    )
    data = encode(lk.read(informs), policy).data
    assert np.bincount(data.sensitive_codes[0]).tolist() == [667, 4_133, 11_782, 8_625, 1_647]
    method = lk.ThetaStarUtility("paper", grouping="mondrian")
    for k, (exchanges, invented, filled, buckets) in FOUND.items():
        own = require_of([lk.ThetaSensitivity(k, "0.6", order="frequency")], data)
        found = method.run(Problem(data, own, LOSSES["glm"], np.random.default_rng(0)))
        told = {"exchanges": exchanges, "invented": invented, "buckets_with_invented": filled}
        assert found.history == told
        assert int(found.buckets.max()) + 1 == buckets
    # 22 % of what would be published at k = 5 are records that nobody is.
    assert 5_903 / data.size == pytest.approx(0.22, abs=0.002)


@pytest.mark.slow
def test_the_papers_release_of_informs_accounts_for_everybody(informs, tmp_path):
    model = lk.ThetaSensitivity(5, "0.6", order="frequency")
    method = {"name": "theta-star-utility", "variant": "paper"}
    release = lk.anonymize(informs, by_category(informs, model, method=method), seed=1)
    counts = release.counts
    assert counts["input"] == 98_703
    assert (counts["published"], counts["invented"]) == (26_854 + 5_903, 5_903)
    assert list(counts["dropped"].values()) == [71_849]
    assert release.loss("glm")["glm"] == pytest.approx(0.0444, abs=5e-5)
    mondrian = by_category(informs, model, method=method | {"grouping": "mondrian"})
    assert lk.anonymize(informs, mondrian, seed=1).loss("glm")["glm"] == pytest.approx(0.0513, abs=5e-5)
    folder = release.write(tmp_path / "out")
    assert lk.verify(folder, informs).status == "proven"
    assert lk.verify(folder / "public").status == "nothing checkable"


@pytest.mark.slow
@pytest.mark.parametrize(("order", "strongest"), [("severity", "0.381"), ("frequency", "0.5269")])
def test_without_invented_records_informs_is_refused_with_the_strongest(informs, order, strongest):
    method = "theta-star-utility"
    asked = by_category(informs, lk.ThetaSensitivity(5, "0.6", order=order), method=method)
    with pytest.raises(CannotBeMetError, match=f"the strongest it could meet is mu = {strongest}"):
        lk.anonymize(informs, asked, seed=1)
    weaker = by_category(informs, lk.ThetaSensitivity(5, strongest, order=order), method=method)
    assert lk.anonymize(informs, weaker, seed=1).certificate.records == 26_854
