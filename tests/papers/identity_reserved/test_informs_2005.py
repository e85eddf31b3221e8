"""INFORMS 2005: what is joined, what is left out, what is missing, and what the hierarchies of the data lack."""

from __future__ import annotations

import polars as pl
import pytest

import likeness as lk
from likeness.datasets.informs import QUASI_IDENTIFIERS, Informs
from likeness.errors import HierarchyError, LikenessError, TableError
from papers.figures.data import data_file
from papers.identity_reserved.real import (
    CONDITIONS,
    DEMOGRAPHICS,
    HIERARCHIES,
    informs_2005,
    persons_2005,
    trees_2005,
)


@pytest.fixture(scope="module")
def table(data_folder):
    return informs_2005(data_folder)


def test_the_published_numbers_of_persons_and_distinct_conditions(table, data_folder):
    conditions = pl.read_csv(data_file(data_folder, CONDITIONS), infer_schema=False)
    assert conditions.height == 104_855
    assert (table.height, table["patient_id"].n_unique()) == (98_703, 26_854)
    assert conditions.height - table.height == 6_152
    assert persons_2005(data_folder).height - 26_854 == 7_107
    assert table.select("patient_id", "diagnosis").n_unique() == table.height
    assert table.columns == ["patient_id", *QUASI_IDENTIFIERS, "diagnosis"] == Informs().generate(5).columns


def test_a_person_has_one_row_of_quasi_identifiers(table):
    assert table.select("patient_id", *QUASI_IDENTIFIERS).n_unique() == 26_854


def test_missing_years_of_education_are_0_for_children_and_the_median_for_others(table, data_folder):
    raw = persons_2005(data_folder)
    assert table["educ_year"].min() == 0
    before = table.unique("patient_id").join(raw.select("patient_id", raw="educ_year"), on="patient_id")
    assert before.filter(pl.col("raw") == -1)["educ_year"].unique().to_list() == [0]
    unknown = before.filter(pl.col("raw") < -1)
    assert (unknown.height, unknown["educ_year"].unique().to_list()) == (172, [12])
    known = before.filter(pl.col("raw") >= 0)
    assert known["educ_year"].equals(known["raw"], check_names=False)
    assert known["raw"].median() == 12


def test_missing_codes_of_conditions_are_kept_as_values(table):
    assert {"-1", "-9"} <= set(table["diagnosis"].unique())
    alone = table.group_by("patient_id").agg(pl.col("diagnosis").str.starts_with("-").all().alias("only"))
    assert alone["only"].sum() == 119


def test_unknown_marital_status_is_only_of_persons_without_conditions(table, data_folder):
    everybody = set(persons_2005(data_folder)["marry"].unique())
    assert {-7, -8, -9} <= everybody
    assert set(table["marry"].unique()) == {1, 2, 3, 4, 5, 6}


def test_the_trees_of_the_figures_cover_every_value(table):
    trees = trees_2005(table, Informs().hierarchies())
    assert tuple(trees) == QUASI_IDENTIFIERS
    for name, rows in trees.items():
        leaves = {row[0] for row in rows}
        assert set(table[name].cast(pl.String).unique()) <= leaves
        assert len({len(row) for row in rows}) == 1
        assert all(row[-1] == "*" for row in rows)


def test_the_hierarchy_that_comes_with_the_data_lacks_the_unknown_marital_statuses(data_folder):
    people = persons_2005(data_folder).select("marry", "gender")
    file = data_file(data_folder, f"{HIERARCHIES}/informs_marry.txt")
    policy = lk.Policy(
        columns={"marry": lk.quasi(hierarchy=str(file)), "gender": lk.quasi()}, privacy=lk.KAnonymity(2)
    )
    with pytest.raises(LikenessError, match="marry") as caught:
        lk.anonymize(people, policy, seed=1)
    assert isinstance(caught.value, HierarchyError)
    told = " ".join(caught.value.problems)
    assert all(code in told for code in ("-9", "-8", "-7"))


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(TableError, match="no such folder of real tables; set LIKENESS_DATA"):
        informs_2005(tmp_path / "nowhere")
    with pytest.raises(TableError, match=f"lacks {DEMOGRAPHICS}"):
        informs_2005(tmp_path)
