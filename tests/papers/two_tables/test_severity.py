from __future__ import annotations

import polars as pl
import pytest

import likeness as lk
from likeness.hierarchies import Categories, categories_from_mapping
from papers.identity_reserved.real import informs_2005
from papers.two_tables.severity import LABELS, severity


@pytest.fixture(scope="module")
def records(data_folder):
    return informs_2005(data_folder).select("patient_id", pl.col("diagnosis").cast(pl.String))


@pytest.fixture(scope="module")
def categories(records) -> Categories:
    return categories_from_mapping(severity(records["diagnosis"]), "severity")


def counts(numbers):
    return numbers.value_counts().sort(numbers.name)["count"].to_list()


def test_informs_by_category(records, categories):
    assert categories.labels == LABELS
    assert [len(own) for own in categories.values] == [59, 95, 346, 58, 43]
    ranked = records.with_columns(rank=pl.col("diagnosis").replace_strict(categories.rank))
    assert counts(ranked["rank"]) == [8_227, 28_055, 45_745, 14_691, 1_985]
    people = ranked.group_by("patient_id").agg(
        highest=pl.col("rank").max(), several=pl.col("rank").n_unique() > 1
    )
    assert counts(people["highest"]) == [667, 4_133, 11_782, 8_625, 1_647]
    assert people.height == 26_854
    assert people["several"].sum() == 16_641
    assert records.height - people.height == 71_849


def test_a_delta_below_what_the_table_has(data_folder, records, categories):
    worst = (
        records.group_by("patient_id", maintain_order=True)
        .agg(pl.col("diagnosis").replace_strict(categories.rank).max())
        .select("patient_id", worst=pl.col("diagnosis").replace_strict(dict(enumerate(LABELS))))
    )
    table = worst.join(
        informs_2005(data_folder).unique("patient_id").select("patient_id", "year", "gender"), on="patient_id"
    )
    policy = lk.Policy(
        columns={
            "patient_id": lk.identifier(),
            "year": lk.quasi(),
            "gender": lk.quasi(),
            "worst": lk.sensitive(kind="ordered", domain=list(LABELS)),
        },
        privacy=lk.KAnonymity(5) & lk.MembershipSafety("0.44", by="values"),
        method="mondrian",
    )
    with pytest.raises(
        lk.CannotBeMetError,
        match=r"delta = 0.449918 \(274/609: 11,782 are 'mild', of 26,187 that are at least 'low'\)",
    ):
        lk.anonymize(table, policy, seed=1)
    half = lk.anonymize(
        table, policy.replace(privacy=lk.KAnonymity(5) & lk.MembershipSafety("1/2", by="values")), seed=1
    )
    assert half.verdict.ok
