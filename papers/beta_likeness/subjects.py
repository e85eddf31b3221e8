"""The two tables: a census made to the paper's published facts, and UCI Census-Income."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.datasets.census import Census
from likeness.datasets.files import census_income
from likeness.errors import TableError
from likeness.tables import read
from papers.figures.data import data_folder

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.tables import Table

_SCHOOLING = (
    "Less than 1st grade",
    "1st 2nd 3rd or 4th grade",
    "5th or 6th grade",
    "7th and 8th grade",
    "9th grade",
    "10th grade",
    "11th grade",
    "12th grade no diploma",
    "High school graduate",
    "Some college but no degree",
    "Associates degree-occup /vocational",
    "Associates degree-academic program",
    "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)",
    "Prof school degree (MD DDS DVM LLB JD)",
    "Doctorate degree(PhD EdD)",
)
_MARITAL = (
    ("Married-civilian spouse present", "Married", "*"),
    ("Married-A F spouse present", "Married", "*"),
    ("Married-spouse absent", "Married", "*"),
    ("Separated", "Formerly married", "*"),
    ("Divorced", "Formerly married", "*"),
    ("Widowed", "Formerly married", "*"),
    ("Never married", "Never married", "*"),
)
_WORK = (
    ("Private", "Private", "For profit", "*"),
    ("Self-employed-incorporated", "Self-employed", "For profit", "*"),
    ("Self-employed-not incorporated", "Self-employed", "For profit", "*"),
    ("Without pay", "Without pay", "Public or unpaid", "*"),
    ("Federal government", "Government", "Public or unpaid", "*"),
    ("State government", "Government", "Public or unpaid", "*"),
    ("Local government", "Government", "Public or unpaid", "*"),
)


@dataclass(frozen=True, eq=False)
class Subject:
    """A table to publish: up to five quasi-identifiers, in the paper's order, and one sensitive column.

    Parameters
    ----------
    name
        Short, for folders.
    title
        What it is, for the report.
    table
        The records.
    quasi
        Each quasi-identifier with what a policy says of it.
    sensitive
        The sensitive column; the ground distance between its values is that of their order, as in the paper.
    """

    name: str
    title: str
    table: pl.DataFrame
    quasi: dict[str, dict[str, Any]]
    sensitive: str

    def columns(self, quasi: int) -> dict[str, dict[str, Any]]:
        """Say what the columns are when only the first few are quasi-identifiers."""
        found: dict[str, dict[str, Any]] = {
            name: {"role": "quasi", **told} if i < quasi else {"role": "drop"}
            for i, (name, told) in enumerate(self.quasi.items())
        }
        return found | {self.sensitive: {"role": "sensitive", "kind": "integer", "distance": "ordered"}}

    def sample(self, rows: int, seed: int = 0) -> Subject:
        """Pick records at random, without replacement; all of them when there are no more."""
        if rows >= self.table.height:
            return self
        picked = np.sort(np.random.default_rng(seed).permutation(self.table.height)[:rows])
        return replace(self, table=self.table[picked])

    @cached_property
    def source(self) -> Table:
        """The table as `likeness` reads it, once for all releases."""
        return read(self.table)

    @cached_property
    def shares(self) -> list[float]:
        """Shares of the sensitive values, largest first."""
        counts = self.table[self.sensitive].value_counts()["count"].sort(descending=True)
        return [count / self.table.height for count in counts.to_list()]


def generated(rows: int, seed: int) -> Subject:
    """Generate the census with the paper's columns, cardinalities and salary frequencies."""
    census = Census()
    trees = census.hierarchies()
    quasi = {}
    for name, told in census.policy()["columns"].items():
        if told["role"] == "quasi":
            quasi[name] = {key: value for key, value in told.items() if key != "role"}
            if "hierarchy" in told:
                quasi[name]["hierarchy"] = trees[told["hierarchy"]]
    title = "Generated census: the paper's columns, cardinalities and salary frequencies; dependence as in Census-Income"
    return Subject("census", title, census.generate(rows, seed=seed), quasi, "salary_class")


def real(rows: int, seed: int, folder: Path | None) -> Subject:
    """Take the people with an occupation from UCI Census-Income; their occupation code is sensitive.

    Raises
    ------
    likeness.errors.TableError
        When the table is not there.
    """
    table = census_income(data_folder(folder)).filter(pl.col("occupation_code") != 0)
    years = pl.col("education").replace_strict(list(_SCHOOLING), list(range(1, 17)), return_dtype=pl.Int64)
    quasi: dict[str, dict[str, Any]] = {
        "age": {"kind": "integer"},
        "sex": {},
        "education": {"kind": "integer"},
        "marital_status": {"hierarchy": [list(row) for row in _MARITAL]},
        "class_of_worker": {"hierarchy": [list(row) for row in _WORK]},
    }
    table = table.with_columns(years).select(*quasi, "occupation_code")
    title = (
        "UCI Census-Income 1994-1995 (train), people with an occupation; sensitive: detailed occupation code"
    )
    return Subject("census_income", title, table, quasi, "occupation_code").sample(rows, seed)


def subjects(rows: int, seed: int, folder: Path | None) -> tuple[list[Subject], list[str]]:
    """Give the tables that can be had, and say which cannot.

    Returns
    -------
    tuple
        The tables, and one line for each that is missing.
    """
    found, missing = [generated(rows, seed)], []
    try:
        found.append(real(rows, seed, folder))
    except TableError as problem:
        missing.append(f"census_income is left out: {problem}")
    return found, missing
