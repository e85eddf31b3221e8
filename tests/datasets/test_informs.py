"""The generated INFORMS table against the published facts of Wang et al. 2019, and what was measured on 2005."""

import polars as pl
import pytest
from tests.pace import argsorts

import likeness as lk
from likeness.datasets.informs import MOST, PATIENTS, QUASI_IDENTIFIERS, RECORDS, Informs, patients_of
from likeness.errors import InvalidError

PUBLISHED = {
    "month": 12, "year": 82, "gender": 2, "race": 6, "educ_year": 9, "marry": 6, "poverty": 5, "hispanx": 2,
    "diagnosis": 619,
}  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return Informs().generate(seed=11)


@pytest.fixture(scope="module")
def patients(table):
    return table.group_by("patient_id", maintain_order=True).agg(
        pl.len().alias("records"),
        pl.col("diagnosis").n_unique().alias("diagnoses"),
        *[pl.col(name).n_unique().alias(f"{name}s") for name in QUASI_IDENTIFIERS],
        *[pl.col(name).first() for name in QUASI_IDENTIFIERS],
    )


def test_size_and_cardinalities_are_those_published(table, patients):
    assert (table.height, patients.height) == (456_767, 49_384) == (RECORDS, PATIENTS)
    assert {name: table[name].n_unique() for name in PUBLISHED} == PUBLISHED
    assert tuple(table.columns[1:-1]) == QUASI_IDENTIFIERS


def test_records_are_distinct_pairs_of_patient_and_diagnosis(patients):
    assert patients["diagnoses"].equals(patients["records"], check_names=False)


def test_a_patient_is_the_same_in_all_records(patients):
    assert patients.select([f"{name}s" for name in QUASI_IDENTIFIERS]).max().row(0) == (1,) * 8


def test_records_of_a_patient_stand_together(table, patients):
    assert table["patient_id"].rle().len() == patients.height


def test_the_number_of_diagnoses_has_a_heavy_tail(patients):
    records = patients["records"]
    assert records.mean() == pytest.approx(9.25, abs=0.01)
    assert records.median() <= 7
    assert records.quantile(0.99) > 35
    assert 60 < records.max() <= MOST
    assert records.min() == 1


def test_diagnoses_are_long_tailed(table):
    counts = table["diagnosis"].value_counts(sort=True)["count"]
    assert 0.03 < counts[0] / table.height < 0.06
    assert counts[-1] < table.height / 10_000


def test_diagnoses_depend_on_sex_and_age(table):
    births = table.filter(pl.col("diagnosis") == "650")
    assert births["gender"].unique().to_list() == ["Female"]
    assert births["year"].is_between(1957, 1985).all()
    old = table.filter(pl.col("year") <= 1936)["diagnosis"].eq("401").mean()
    assert old > 10 * table.filter(pl.col("year") > 1985)["diagnosis"].eq("401").mean()


def test_the_old_have_more(patients):
    old = patients.filter(pl.col("year") <= 1936)["records"].mean()
    assert old > 2 * patients.filter(pl.col("year") > 1976)["records"].mean()


def test_quasi_identifiers_depend_on_each_other(patients):
    young = patients.filter(pl.col("year") > 1996)
    assert young["marry"].unique().to_list() == ["Under 16"]
    assert young["educ_year"].unique().to_list() == [0]
    poor = patients.group_by("hispanx").agg(pl.col("poverty").eq("Poor").mean())
    poor = dict(poor.iter_rows())
    assert poor["Yes"] > 1.5 * poor["No"]


@pytest.mark.parametrize(("rows", "patients"), [(1, 1), (9, 1), (10, 1), (92, 10), (RECORDS, PATIENTS)])
def test_fewer_rows_have_fewer_patients(rows, patients):
    assert patients_of(rows) == patients
    if rows < RECORDS:
        table = Informs().generate(rows, seed=4)
        assert (table.height, table["patient_id"].n_unique()) == (rows, patients)
        assert table.select("patient_id", "diagnosis").n_unique() == rows


@pytest.mark.parametrize("quasi", range(1, 9))
def test_the_first_attributes_are_quasi_identifiers(quasi):
    columns = Informs().policy(quasi)["columns"]
    assert [name for name, told in columns.items() if told["role"] == "quasi"] == list(
        QUASI_IDENTIFIERS[:quasi]
    )
    assert Informs().policy(quasi)["individual"] == "patient_id"


def test_kinds_without_trees_and_hierarchies_with_them():
    plain, trees = Informs().policy()["columns"], Informs().policy(trees=True)["columns"]
    numbers = {name for name, told in plain.items() if told.get("kind") == "integer"}
    assert numbers == {"month", "year", "educ_year"}
    assert all(trees[name]["hierarchy"] == f"{name}.csv" for name in QUASI_IDENTIFIERS)


@pytest.mark.parametrize("quasi", [0, 9])
def test_no_such_number_of_quasi_identifiers(quasi):
    with pytest.raises(InvalidError, match="between 1 and 8"):
        Informs().policy(quasi)


def test_the_full_size_takes_a_moment():
    assert argsorts(lambda: Informs().generate(seed=5), 456_767) < 50


@pytest.mark.parametrize(("trees", "method"), [(False, "danonyir"), (True, "geneir")])
def test_its_own_policies_publish_it(trees, method, tmp_path):
    dataset = Informs()
    for file, rows in dataset.hierarchies().items():
        (tmp_path / file).write_text("".join(";".join(row) + "\n" for row in rows))
    given = dataset.policy(4, trees=trees) | {"method": {"name": method}, "withhold": {"at_most": 0.1}}
    table = dataset.generate(1_500, seed=3)
    release = lk.anonymize(table, lk.Policy.from_mapping(given, folder=tmp_path), seed=1)
    assert release.verdict.ok
    assert release.certificate.form["name"] == "identity-reserved"
    published = release.table
    assert published["person"].n_unique() >= 0.9 * table["patient_id"].n_unique()
    counts = published.group_by("diagnosis").len().join(table.group_by("diagnosis").len(), on="diagnosis")
    assert counts["len"].sum() == published.height
    assert (counts["len"] <= counts["len_right"]).all()
