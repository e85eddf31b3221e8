"""The two tables: INFORMS 2005, and a generated table of the paper's size and cardinalities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.datasets.informs import QUASI_IDENTIFIERS, Informs
from likeness.errors import TableError
from likeness.tables import read
from papers.figures.data import data_folder
from papers.identity_reserved.real import informs_2005, trees_2005

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.tables import Table

WHO, SENSITIVE = "patient_id", "diagnosis"


@dataclass(frozen=True, eq=False)
class Subject:
    """A table to publish: eight quasi-identifiers in the paper's order, several diagnoses a person.

    Parameters
    ----------
    name
        Short, for folders.
    title
        What it is, for the report.
    table
        The records, distinct pairs of person and diagnosis.
    numbers
        What a policy says of the quasi-identifiers that are numbers; the others are categories.
    trees
        Rows of a hierarchy of each quasi-identifier, for GeneIR.
    """

    name: str
    title: str
    table: pl.DataFrame
    numbers: dict[str, dict[str, Any]]
    trees: dict[str, list[list[str]]]

    def columns(self, quasi: int, *, trees: bool) -> dict[str, dict[str, Any]]:
        """Say what the columns are when only the first few are quasi-identifiers.

        Parameters
        ----------
        quasi
            How many are.
        trees
            Whether they have hierarchies; else categories are plain sets.
        """
        found: dict[str, dict[str, Any]] = {WHO: {"role": "identifier"}}
        for i, name in enumerate(QUASI_IDENTIFIERS):
            told = self.numbers.get(name) or {"kind": "hierarchical" if trees else "categorical"}
            if trees:
                told = told | {"hierarchy": self.trees[name]}
            found[name] = {"role": "quasi", **told} if i < quasi else {"role": "drop"}
        return found | {SENSITIVE: {"role": "sensitive", "kind": "categorical"}}

    @cached_property
    def source(self) -> Table:
        """The table as `likeness` reads it, once for all releases."""
        return read(self.table)

    @cached_property
    def people(self) -> int:
        """Number of persons."""
        return self.table[WHO].n_unique()

    @property
    def each(self) -> float:
        """Diagnoses per person."""
        return self.table.height / self.people

    def sample(self, people: int, seed: int) -> Subject:
        """Pick persons at random with all of their records; all of them when there are no more."""
        if people >= self.people:
            return self
        who = self.table[WHO].unique(maintain_order=True)
        picked = who[np.sort(np.random.default_rng(seed).permutation(who.len())[:people])]
        return replace(self, table=self.table.filter(pl.col(WHO).is_in(picked.implode())))

    def at_most(self, diagnoses: int) -> Subject:
        """Keep the first so many diagnoses of each person."""
        return replace(self, table=self.table.filter(pl.int_range(pl.len()).over(WHO) < diagnoses))

    def scattered(self, share: float, seed: int) -> Subject:
        """Replace a share of the diagnoses by any of the codes, all equally likely; each person keeps distinct ones."""
        rng = np.random.default_rng(seed)
        codes = self.table[SENSITIVE].unique().sort()
        other = codes[rng.integers(0, codes.len(), self.table.height)]
        swapped = pl.Series(rng.random(self.table.height) < share)
        diagnosis = self.table.select(pl.when(swapped).then(other).otherwise(SENSITIVE).alias(SENSITIVE))
        table = self.table.with_columns(diagnosis).unique([WHO, SENSITIVE], maintain_order=True)
        return replace(self, table=table)

    def flat(self) -> Subject:
        """Give every attribute a hierarchy of one step: itself, or anything."""
        return replace(
            self, trees={name: [[row[0], "*"] for row in rows] for name, rows in self.trees.items()}
        )

    def binary(self) -> Subject:
        """Give every attribute a binary hierarchy: neighbours in pairs, pairs in pairs, and so on to the root."""
        return replace(
            self, trees={name: _binary([row[0] for row in rows]) for name, rows in self.trees.items()}
        )


def generated(records: int | None, seed: int) -> Subject:
    """Generate the table with the paper's size and cardinalities."""
    informs = Informs()
    rows = informs.hierarchies()
    columns = informs.policy()["columns"]
    numbers = {name: _without_role(columns[name]) for name in QUASI_IDENTIFIERS if "kind" in columns[name]}
    table = informs.generate(records, seed=seed)
    title = (
        "Generated INFORMS: the paper's size, cardinalities and diagnoses per person; dependence as in 2005"
    )
    return Subject(
        "generated", title, table, numbers, {name: rows[f"{name}.csv"] for name in QUASI_IDENTIFIERS}
    )


def real(folder: Path | None) -> Subject:
    """Take the persons with conditions of INFORMS 2005.

    Raises
    ------
    likeness.errors.TableError
        When the files are not there.
    """
    table = informs_2005(data_folder(folder))
    trees = trees_2005(table, Informs().hierarchies())
    numbers: dict[str, dict[str, Any]] = {
        "month": {"kind": "integer", "domain": [1, 12]},
        "year": {"kind": "integer", "domain": [int(trees["year"][0][0]), int(trees["year"][-1][0])]},
        "educ_year": {"kind": "integer", "domain": [0, 17]},
    }
    return Subject("informs_2005", "INFORMS 2005 (MEPS 2005), persons with conditions", table, numbers, trees)


def subjects(records: int | None, seed: int, folder: Path | None) -> tuple[list[Subject], list[str]]:
    """Give the tables that can be had, and say which cannot.

    Returns
    -------
    tuple
        The tables, and one line for each that is missing.
    """
    found: list[Subject] = []
    missing: list[str] = []
    try:
        found.append(real(folder))
    except TableError as problem:
        missing.append(f"informs_2005 is left out: {problem}")
    return [*found, generated(records, seed)], missing


def _binary(leaves: list[str]) -> list[list[str]]:
    """Rows of a binary hierarchy of leaves in their order.

    Examples
    --------
    >>> _binary(["a", "b", "c"])
    [['a', 'a to b', '*'], ['b', 'a to b', '*'], ['c', 'c to c', '*']]
    """
    steps = range(1, (len(leaves) - 1).bit_length())
    rows = []
    for i, leaf in enumerate(leaves):
        row = [leaf]
        for step in steps:
            first = i >> step << step
            row.append(f"{leaves[first]} to {leaves[min(first + (1 << step), len(leaves)) - 1]}")
        rows.append([*row, "*"])
    return rows


def _without_role(told: dict[str, Any]) -> dict[str, Any]:
    """Say of a column only what it is like."""
    return {key: value for key, value in told.items() if key != "role"}
