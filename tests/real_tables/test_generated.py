"""The generated tables: hospital, hospital visits taken one by one, census with 500,000 records."""

from __future__ import annotations

import polars as pl
import pytest
from tests.real_tables import checking

import likeness as lk
from likeness import registry


def dataset(name: str, rows: int | None = None) -> tuple[pl.DataFrame, dict]:
    """A table and its ready policy."""
    made = registry.load("datasets", name)()
    return made.generate(rows, seed=5), made


@pytest.mark.parametrize("rows", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hospital_by_its_own_policy(rows, tmp_path):
    table, made = dataset("hospital", rows)
    for file, lines in made.hierarchies().items():
        (tmp_path / file).write_text("".join(";".join(row) + "\n" for row in lines))
    policy = lk.Policy.from_mapping(made.policy() | {"withhold": {"at_most": 0}}, folder=tmp_path)
    release = lk.anonymize(table, policy, seed=1)
    quasi = ["zip", "age", "sex", "insurance", "admitted"]
    assert release.table.columns == [*quasi, "diagnosis"]
    assert release.table.height == rows
    assert checking.smallest_class(release.table, quasi) >= 5
    checking.check_beta(checking.counts(release.table, quasi, "diagnosis"), 4)
    fields = checking.columns_of(table, ["age", "sex", "insurance", "admitted"], "tight", {})
    checking.check_rows(release, table, fields, ["diagnosis"], "tight")
    assert 0 < release.loss("glm")["glm"] < 0.6


@pytest.mark.slow
def test_hospital_visits_taken_one_by_one():
    table, made = dataset("hospital-visits", 8_000)
    roles = {name: column["role"] for name, column in made.policy()["columns"].items()}
    person = made.policy()["individual"]
    columns = {name: {"role": "quasi" if role == "quasi" else "drop"} for name, role in roles.items()}
    (sensitive,) = [name for name, role in roles.items() if role == "sensitive"]
    columns |= {sensitive: {"role": "sensitive"}, person: {"role": "drop"}}
    policy = lk.Policy(columns=columns, privacy=lk.KAnonymity(6) & lk.TCloseness("1/2", distance="equal"))
    release = lk.anonymize(table, policy, seed=1)
    quasi = [name for name, column in columns.items() if column["role"] == "quasi"]
    assert release.table.columns == [name for name in table.columns if name in {*quasi, sensitive}]
    assert checking.smallest_class(release.table, quasi) >= 6
    checking.check_t(checking.counts(release.table, quasi, sensitive), quasi, 0.5)
    checking.check_rows(release, table, {}, [sensitive], "tight")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["burel", "mondrian"])
def test_census_of_half_a_million(method):
    table, _ = dataset("census", 500_000)
    quasi = ["age", "gender", "education", "marital_status", "work_class"]
    policy = lk.Policy(
        columns={name: lk.quasi() for name in quasi} | {"salary_class": lk.sensitive()},
        privacy=lk.BetaLikeness(4) & lk.KAnonymity(5),
        method={"name": method},
        withhold={"at_most": 0},
    )
    release = lk.anonymize(table, policy, seed=1)
    assert release.table.height == 500_000
    assert checking.smallest_class(release.table, quasi) >= 5
    checking.check_beta(checking.counts(release.table, quasi, "salary_class"), 4)
    fields = checking.columns_of(table, ["age"], "tight", {})
    checking.check_rows(release, table, fields, ["salary_class"], "tight")
    assert 0 < release.loss("ail")["ail"] < 0.6
