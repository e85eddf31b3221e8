from datetime import date

import polars as pl
import pytest
from tests.pace import argsorts

from likeness.datasets._patients import DISEASES
from likeness.datasets.hospital_visits import HospitalVisits

PERSONAL = ["name", "zip", "birth_date", "sex"]
FIRST, LAST = date(2019, 1, 1), date(2023, 12, 31)


@pytest.fixture(scope="module")
def table():
    return HospitalVisits().generate(rows=50_000, seed=11)


@pytest.fixture(scope="module")
def patients(table):
    return table.group_by("patient_id").agg(
        pl.len().alias("visits"),
        pl.col("visit_date").n_unique().alias("days"),
        pl.col("diagnosis").n_unique().alias("diagnoses"),
        *[pl.col(name).n_unique() for name in PERSONAL],
        age=((pl.lit(FIRST) - pl.col("birth_date").first()).dt.total_days() / 365.25),
    )


def test_columns_and_kinds(table):
    assert table.schema == {
        "patient_id": pl.String, "name": pl.String, "zip": pl.String, "birth_date": pl.Date, "sex": pl.String,
        "visit_date": pl.Date, "diagnosis": pl.String, "cost": pl.Float64,
    }  # fmt: skip


def test_what_a_person_is_does_not_change(patients):
    assert patients.select(PERSONAL).max().row(0) == (1, 1, 1, 1)


def test_visits_are_long_tailed_from_1_to_30(patients):
    visits = patients["visits"]
    assert (visits.min(), visits.max()) == (1, 30)
    assert visits.median() <= 3
    assert 3 < visits.mean() < 7


def test_the_old_come_more_often(patients):
    old = patients.filter(pl.col("age") >= 66)["visits"].mean()
    assert old > 1.3 * patients.filter(pl.col("age") < 64)["visits"].mean()


def test_nobody_comes_twice_on_one_day(patients):
    assert patients["days"].equals(patients["visits"], check_names=False)


def test_dates_follow_each_other(table):
    assert (table["birth_date"] < FIRST).all()
    assert table["visit_date"].is_between(FIRST, LAST).all()
    assert table["visit_date"].is_sorted()


def test_chronic_diseases_come_back(table):
    chronic = {disease.name for disease in DISEASES if disease.chronic}
    often = table.group_by("patient_id").len().filter(pl.col("len") >= 5).select("patient_id")
    pairs = table.join(often, on="patient_id").group_by("patient_id", "diagnosis").len()
    is_chronic = pairs["diagnosis"].is_in(chronic)
    assert pairs["len"].filter(is_chronic).mean() > 1.5 * pairs["len"].filter(~is_chronic).mean()


def test_diagnoses_depend_on_sex(table):
    births = table.filter(pl.col("diagnosis") == "Childbirth")
    assert births.height > 0
    assert births["sex"].unique().to_list() == ["Female"]


def test_costs_are_whole_cents(table):
    cents = table["cost"] * 100
    assert (cents - cents.round()).abs().max() < 1e-6
    assert table["cost"].min() > 0


@pytest.mark.slow
def test_a_million_visits_take_a_moment():
    assert argsorts(lambda: HospitalVisits().generate(rows=1_000_000), 1_000_000) < 60
