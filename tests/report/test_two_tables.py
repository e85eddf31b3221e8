"""The report on two tables: what each guarantee is decided on, what the link tells, and one table beside it."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from tests.microdata.test_highest import COLUMNS, SEVERITY, TABLE, asked

import likeness as lk
from likeness.metrics.query_error import QueryError
from likeness.models.membership_safety import MembershipSafety
from likeness.models.theta_sensitivity import ThetaSensitivity
from likeness.report.two_tables import two_tables

MODELS = [
    lk.KAnonymity(2),
    MembershipSafety("2/3", sensitive="symptom"),
    ThetaSensitivity(2, "1/2", order="frequency", sensitive="symptom"),
]
HIGHEST = ["Mild", "Severe", "High", "Severe", "Low", "Low", "Asymptomatic", "Low"]


@pytest.fixture(scope="module")
def release():
    return lk.anonymize(TABLE, asked(privacy=MODELS, withhold={"at_most": 0}), seed=1)


def test_what_is_decided_on_what(release):
    counts = release.tables["sensitive"].with_columns(size=pl.col("count").sum().over("bucket"))
    largest = max(Fraction(row["count"], row["size"]) for row in counts.to_dicts())
    assert two_tables(release).decided == [
        ["k-anonymity (k = 2)", "the table quasi", "", ""],
        ["membership-safety (delta = 2/3) on 'symptom'", "every bucket", "holds too", str(largest)],
        [
            "theta-sensitivity (k = 2, mu = 1/2, order = frequency) on 'symptom'",
            "every bucket",
            "does not follow",
            str(largest),
        ],
    ]


def test_what_the_link_tells(release):
    quasi = release.tables["quasi"].with_columns(region=pl.struct("age", "zip", "sex").hash())
    sizes = quasi.group_by("bucket").len()["len"]
    regions = quasi.group_by("bucket").n_unique()["region"]
    buckets = quasi.group_by("region").n_unique()["bucket"]
    for row, found in zip(two_tables(release).linked, (sizes, regions, buckets), strict=True):
        assert row[1:] == [str(found.min()), f"{found.mean():.4g}", str(found.max())]


def test_categories_and_history(release):
    found = two_tables(release)
    assert found.categories == [
        ["Asymptomatic", "1", "1", "1"],
        ["Low", "7", "3", "3"],
        ["Mild", "3", "1", "1"],
        ["High", "3", "1", "1"],
        ["Severe", "2", "2", "2"],
    ]
    assert found.history == "8 records"
    assert "The other 8 records are history" in release.report()


def test_one_table_beside_it(release):
    people = TABLE.unique("id", keep="first", maintain_order=True).with_columns(symptom=pl.Series(HIGHEST))
    policy = lk.Policy(
        columns={**COLUMNS, "symptom": lk.sensitive(kind="ordered", domain=list(SEVERITY))},
        categories={"symptom": {label: [label] for label in SEVERITY}},
        privacy=MODELS,
        method="mondrian",
        withhold={"at_most": 0},
    )
    one = lk.anonymize(people, policy, seed=1)
    found = two_tables(release)
    assert found.method == "mondrian"
    rows = {row[0]: row[1:] for row in found.compared}
    loss = [f"{own.loss('ncp')['ncp']:.4g}" for own in (release, one)]
    assert rows["normalized certainty penalty, 1 for each withheld"] == loss
    assert rows["records withheld"] == ["0", "0"]
    for words, sensitive in (("with", True), ("without", False)):
        metric = QueryError(1_000, predicates=2, sensitive=sensitive)
        errors = [f"{metric.measure(own.evaluation):.4g}" for own in (release, one)]
        assert rows[f"error of queries {words} a sensitive condition"] == errors


def test_who_knows_some_of_it(release):
    found = two_tables(release)
    rows = {row[0]: row[1:] for row in found.attacks}
    assert set(rows) == {"membership", "non-membership", "categorical-similarity", "sensitive-variance"}
    for name in ("membership", "non-membership"):
        result = release.attack(name)
        told = (result.baseline, result.success, result.details["breached_in_class"])
        assert rows[name] == [result.meaning, *(f"{own:.4g}" for own in told)]
    claimed = [release.attack(name).claim for name in ("membership", "non-membership")]
    assert found.claims == [
        f"{name}: {claim}"
        for name, claim in zip(("membership", "non-membership"), claimed, strict=True)
        if claim
    ]
    assert found.claims
    assert "Who knows some of somebody&#39;s values" in release.report()


def test_records_that_nobody_is():
    # Fazal et al. 2023, table 12: at μ = .9 two are invented, at μ = .6 one.
    models = [lk.KAnonymity(2), ThetaSensitivity(2, "0.6", sensitive="symptom")]
    method = {"name": "theta-star-utility", "variant": "paper"}
    release = lk.anonymize(TABLE, asked(privacy=models, method=method, withhold={"at_most": 0}), seed=1)
    invented = release.counts["invented"]
    assert invented == 1
    assert two_tables(release).invented == [
        ["invented records", "1"],
        ["buckets with invented records", "1"],
        ["buckets of which who knows k = 2 and the method can tell", "1"],
    ]
    assert "Records that nobody is" in release.report()


def test_of_one_table_there_is_no_such_part():
    policy = lk.Policy(columns=COLUMNS, individual="id", privacy=lk.KAnonymity(2))
    release = lk.anonymize(TABLE, policy, seed=1)
    assert two_tables(release) is None
    assert "linked by buckets" not in release.report()
