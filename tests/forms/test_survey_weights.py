"""Estimates count people of the population where survey weights are published."""

from __future__ import annotations

import polars as pl
import pytest

import likeness as lk
from likeness.opening import open_release

TABLE = pl.DataFrame(
    {
        "age": [30, 31, 60, 61],
        "disease": ["flu", "cold", "flu", "cold"],
        "weight": [1.5, 2.5, 10.0, 20.0],
    }
)


def release(role, **more):
    columns = {"age": lk.quasi(), "disease": lk.sensitive(), "weight": role}
    return lk.anonymize(
        TABLE, lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2), weights="weight", **more), seed=1
    )


@pytest.mark.parametrize("method", [lk.Mondrian(), lk.Anatomy(2)], ids=["generalized", "anatomized"])
def test_published_weights_count_people(method, tmp_path):
    made = release(lk.other(), method=method)
    assert made.estimate({}) == pytest.approx(34.0)
    if isinstance(method, lk.Mondrian):
        assert made.estimate({"age": (60, 61), "disease": {"flu"}}) == 10.0
    again = open_release(made.write(tmp_path / "out"))
    assert again.estimate({}) == pytest.approx(34.0)
    assert lk.verify(tmp_path / "out", TABLE).ok


def test_weights_that_are_not_published_count_nothing():
    assert release(lk.drop()).estimate({}) == 4.0


def test_a_negative_weight_is_refused():
    columns = {"age": lk.quasi(), "weight": lk.other()}
    table = TABLE.select("age", weight=pl.lit(-1.0))
    with pytest.raises(lk.PolicyError, match="holds a negative weight"):
        lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2), weights="weight"))


@pytest.mark.parametrize("role", [lk.drop(), lk.other()], ids=["not published", "published"])
def test_losses_count_people_whether_weights_are_published_or_not(role):
    # The classes are of 4 and of 30 people, and of two records each.
    table = TABLE.with_columns(age=pl.Series([30, 34, 60, 61]))
    columns = {"age": lk.quasi(), "disease": lk.sensitive(), "weight": role}
    asked = lk.Policy(columns=columns, privacy=lk.DistinctLDiversity(2), weights="weight")
    weighed = lk.anonymize(table, asked, seed=1).loss("ncp", "utility")
    ages = 31
    assert weighed["ncp"] == pytest.approx((4 * 4 / ages + 30 * 1 / ages) / 34)
    assert weighed["utility"] == pytest.approx(1 - weighed["ncp"])
    unweighed = lk.anonymize(table, asked.replace(weights=None), seed=1).loss("ncp")["ncp"]
    assert unweighed == pytest.approx((2 * 4 / ages + 2 * 1 / ages) / 4)
