"""The two tables: generated symptoms of people, and INFORMS 2005 by an ordering of its diagnoses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from likeness.datasets.symptoms import SEVERITY, Symptoms
from likeness.errors import TableError
from likeness.tables import read
from papers.figures.data import data_folder
from papers.identity_reserved.real import informs_2005
from papers.two_tables.severity import severity

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.tables import Table

WHO = "patient_id"
RECORDS, PEOPLE = "records", "people"
"""A table of all records, or of one row a person with the highest category of theirs."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A table to publish, in which people have several sensitive values, and these have ordered categories.

    Parameters
    ----------
    name
        Short, for folders.
    title
        What it is, for the report.
    table
        The records; those of a person have the same quasi-identifiers.
    numbers
        Quasi-identifiers that are whole numbers; the others are categories.
    sensitive
        The sensitive column.
    categories
        Label to its values, the least severe first.
    """

    name: str
    title: str
    table: pl.DataFrame
    numbers: frozenset[str]
    sensitive: str
    categories: dict[str, list[str]]

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers."""
        return [name for name in self.table.columns if name not in {WHO, self.sensitive}]

    def columns(self, **sensitive: Any) -> dict[str, dict[str, Any]]:
        """Say what the columns are; ``sensitive``: more about the sensitive one."""
        found: dict[str, dict[str, Any]] = {WHO: {"role": "identifier"}}
        for name in self.quasi:
            found[name] = {"role": "quasi", "kind": "integer" if name in self.numbers else "categorical"}
        return found | {self.sensitive: {"role": "sensitive", **sensitive}}

    @property
    def tree(self) -> list[list[str]]:
        """The category table as a hierarchy: value, category, anything."""
        return [[value, label, "*"] for label, own in self.categories.items() for value in own]

    @property
    def labels(self) -> dict[str, list[str]]:
        """Categories of the table of `people`, whose values they are themselves."""
        return {label: [label] for label in self.categories}

    @cached_property
    def count(self) -> int:
        """Number of persons."""
        return self.table[WHO].n_unique()

    @cached_property
    def people(self) -> pl.DataFrame:
        """One row a person, with the highest category of theirs."""
        rank = {value: i for i, own in enumerate(self.categories.values()) for value in own}
        ranked = self.table.with_columns(pl.col(self.sensitive).replace_strict(rank))
        found = ranked.group_by(WHO, maintain_order=True).agg(
            *(pl.col(name).first() for name in self.quasi), pl.col(self.sensitive).max()
        )
        return found.with_columns(pl.col(self.sensitive).replace_strict(dict(enumerate(self.categories))))

    @cached_property
    def sources(self) -> dict[str, Table]:
        """The table as `likeness` reads it, once for all releases, with all records and with one a person."""
        return {RECORDS: read(self.table), PEOPLE: read(self.people)}

    def sample(self, people: int, seed: int) -> Subject:
        """Pick persons at random with all of their records; all of them when there are no more."""
        if people >= self.count:
            return self
        who = self.table[WHO].unique(maintain_order=True)
        picked = who[np.sort(np.random.default_rng(seed).permutation(who.len())[:people])]
        return replace(self, table=self.table.filter(pl.col(WHO).is_in(picked.implode())))


def symptoms(people: int, seed: int) -> Subject:
    """Generate the symptoms of so many people, in the place of the paper's "modified Adult", which was never published."""
    rows = 3 * people + 100
    table = Symptoms().generate(rows, seed=seed)
    # The last person's records may be cut off.
    kept = table[WHO].unique(maintain_order=True)[:-1].head(people)
    return Subject(
        "symptoms",
        "Generated symptoms: ages and sexes of Adult, ZIP codes, 13 symptoms in the paper's five categories",
        table.filter(pl.col(WHO).is_in(kept.implode())),
        frozenset({"age", "zip"}),
        "symptom",
        {label: list(own) for label, own in SEVERITY.items()},
    )


def informs(folder: Path | None) -> Subject:
    """Take the persons with conditions of INFORMS 2005, whose diagnoses are put into categories that are no clinical ones.

    Raises
    ------
    likeness.errors.TableError
        When the files are not there.
    """
    table = informs_2005(data_folder(folder))
    return Subject(
        "informs_2005",
        "INFORMS 2005 (MEPS 2005), diagnoses in an ordering to demonstrate with, of no clinical standing",
        table,
        frozenset({"month", "year", "educ_year"}),
        "diagnosis",
        severity(table["diagnosis"]),
    )


def subjects(people: int, seed: int, folder: Path | None) -> tuple[list[Subject], list[str]]:
    """Give the tables that can be had, and say which cannot.

    Returns
    -------
    tuple
        The tables, and one line for each that is missing.
    """
    found = [symptoms(people, seed)]
    try:
        found.append(informs(folder))
    except TableError as problem:
        return found, [f"informs_2005 is left out: {problem}"]
    return found, []
