import polars as pl
import pytest
from tests.pace import argsorts

from likeness.datasets import _patients as _residents
from likeness.datasets.hospital import Hospital


@pytest.fixture(scope="module")
def table():
    return Hospital().generate(rows=50_000, seed=11)


def share(table, diagnosis, condition):
    return table.filter(condition)["diagnosis"].eq(diagnosis).mean()


def test_columns_and_kinds(table):
    assert table.schema == {
        "name": pl.String, "patient_id": pl.String, "zip": pl.String, "age": pl.Int64, "sex": pl.String,
        "insurance": pl.String, "admitted": pl.Date, "length_of_stay": pl.Int64, "diagnosis": pl.String,
    }  # fmt: skip


def test_values_are_within_their_bounds(table):
    assert table["age"].is_between(0, 102).all()
    assert table["length_of_stay"].is_between(1, 120).all()
    assert table["admitted"].dt.year().unique().to_list() == [2023]
    assert sorted(table["sex"].unique()) == ["Female", "Male"]
    assert table["patient_id"].is_unique().all()
    assert table["name"].str.contains(r"^\S+ [A-Z]\. \S+$").all()


def test_zip_codes_are_text_of_five_digits_some_with_a_leading_zero(table):
    assert table["zip"].str.contains(r"^\d{5}$").all()
    leading = table["zip"].str.starts_with("0")
    assert leading.any()
    assert not leading.all()
    assert len(set(_residents.zip_codes())) == len(_residents.zip_codes())


def test_zip_codes_have_a_long_tail(table):
    sizes = table["zip"].value_counts()["count"].sort(descending=True)
    assert sizes[0] > 10 * sizes.median()
    assert sizes.tail(len(sizes) // 2).sum() < 0.25 * table.height


def test_diagnoses_depend_on_age_and_sex(table):
    women, men = pl.col("sex") == "Female", pl.col("sex") == "Male"
    assert share(table, "Childbirth", men) == 0
    assert share(table, "Prostate cancer", women) == 0
    assert share(table, "Alzheimer disease", pl.col("age") < 45) == 0
    assert share(table, "Alzheimer disease", pl.col("age") >= 80) > 0.03
    assert share(table, "Asthma", pl.col("age") < 15) > 3 * share(table, "Asthma", pl.col("age") >= 65)


def test_no_diagnosis_is_too_rare_to_protect(table):
    counts = table["diagnosis"].value_counts()["count"]
    assert 38 <= len(counts) <= 45
    assert counts.min() > 0.005 * table.height
    assert counts.max() < 0.1 * table.height


def test_the_hierarchy_has_three_levels_below_the_root():
    rows = Hospital().hierarchies()["diagnosis.csv"]
    assert {len(row) for row in rows} == {4}
    assert [len({row[level] for row in rows}) for level in range(4)] == [42, 24, 12, 1]


def test_first_names_depend_on_sex(table):
    first = table["name"].str.split(" ").list.first()
    assert set(first.filter(table["sex"] == "Female")) <= set(_residents.WOMEN)
    assert set(first.filter(table["sex"] == "Male")) <= set(_residents.MEN)


def test_insurance_depends_on_age(table):
    assert table.filter(pl.col("age") < 18)["insurance"].eq("Medicare").sum() == 0
    assert table.filter(pl.col("age") >= 65)["insurance"].eq("Medicare").mean() > 0.8


def test_stays_depend_on_the_diagnosis(table):
    mean = dict(table.group_by("diagnosis").agg(pl.col("length_of_stay").mean()).iter_rows())
    assert mean["Schizophrenia"] > 3 * mean["Concussion"]


@pytest.mark.slow
def test_a_million_patients_take_a_moment():
    assert argsorts(lambda: Hospital().generate(rows=1_000_000), 1_000_000) < 100
