"""The two tables of Wang et al. 2019, and the changes made to them to explain ratios."""

from __future__ import annotations

import polars as pl
import pytest

from likeness.datasets.informs import QUASI_IDENTIFIERS
from papers.identity_reserved.subjects import SENSITIVE, WHO, generated, subjects


@pytest.fixture(scope="module")
def table():
    return generated(3_000, 1)


def test_without_the_real_table_only_the_generated_one_is_there(tmp_path):
    tables, notes = subjects(1_000, 1, tmp_path / "nowhere")
    assert [one.name for one in tables] == ["generated"]
    assert len(notes) == 1
    assert notes[0].startswith("informs_2005 is left out")


def test_the_real_table_comes_first(data_folder):
    tables, notes = subjects(1_000, 1, data_folder)
    assert [(one.name, one.people) for one in tables] == [("informs_2005", 26_854), ("generated", 108)]
    assert notes == []


@pytest.mark.parametrize("quasi", [3, 6, 8])
@pytest.mark.parametrize("trees", [False, True])
def test_the_first_attributes_are_quasi_identifiers(table, quasi, trees):
    columns = table.columns(quasi, trees=trees)
    assert set(columns) == set(table.table.columns)
    shown = [name for name, told in columns.items() if told["role"] == "quasi"]
    assert shown == list(QUASI_IDENTIFIERS[:quasi])
    assert [name for name in shown if columns[name]["kind"] == "integer"] == [
        name for name in ("month", "year", "educ_year") if name in shown
    ]
    assert all(("hierarchy" in columns[name]) is trees for name in shown)


def test_a_sample_has_whole_people(table):
    part = table.sample(40, 3)
    assert part.people == 40
    rest = table.table.filter(pl.col(WHO).is_in(part.table[WHO].unique().implode()))
    assert part.table.equals(rest)
    assert table.sample(10**6, 3) is table
    assert not table.sample(40, 4).table.equals(part.table)


def test_the_first_diagnoses_of_each(table):
    part = table.at_most(2)
    assert part.people == table.people
    kept = part.table.group_by(WHO).len()["len"]
    assert kept.max() == 2
    first = table.table.group_by(WHO, maintain_order=True).head(2)
    assert part.table.sort(part.table.columns).equals(
        first.select(part.table.columns).sort(part.table.columns)
    )


def test_scattered_diagnoses_are_evenly_spread_and_distinct(table):
    assert table.scattered(0, 1).table.equals(table.table)
    even = table.scattered(1, 1)
    assert even.table.select(WHO, SENSITIVE).n_unique() == even.table.height
    assert 0.95 * table.table.height < even.table.height <= table.table.height
    most = [one.table[SENSITIVE].value_counts()["count"].max() for one in (table, even)]
    assert most[1] < most[0] / 4


@pytest.mark.parametrize("kind", ["trees", "flat", "binary"])
def test_hierarchies_are_trees_over_the_same_leaves(table, kind):
    trees = table.trees if kind == "trees" else getattr(table, kind)().trees
    for name, rows in trees.items():
        assert [row[0] for row in rows] == [row[0] for row in table.trees[name]]
        assert len({len(row) for row in rows}) == 1
        for level in range(len(rows[0]) - 1):
            parents = {row[level]: row[level + 1] for row in rows}
            assert all(parents[row[level]] == row[level + 1] for row in rows)
        assert {row[-1] for row in rows} == {"*"}
        if kind == "flat":
            assert len(rows[0]) == 2
        if kind == "binary":
            children: dict[str, set[str]] = {}
            for row in rows:
                children.setdefault(row[-1], set()).add(row[-2])
            assert len(children["*"]) == 2
