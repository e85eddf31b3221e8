"""Patients with several diagnoses to the published facts of INFORMS 2008 (paper 004); a 1:M table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets import _informs_diagnoses as diagnoses
from likeness.datasets import _informs_people as people
from likeness.datasets._draws import Draws, check_size
from likeness.datasets._informs_draws import bands, draw_counts, draw_diagnoses, draw_people, fit
from likeness.errors import InvalidError

RECORDS, PATIENTS = 456_767, 49_384
QUASI_IDENTIFIERS = ("month", "year", "gender", "race", "educ_year", "marry", "poverty", "hispanx")


def patients_of(rows: int) -> int:
    """Say how many patients a table of so many records has: in proportion to the full size, at least one.

    Parameters
    ----------
    rows
        Number of records.

    Examples
    --------
    >>> patients_of(456_767), patients_of(10_000), patients_of(1)
    (49384, 1081, 1)
    """
    return max(1, (rows * PATIENTS + RECORDS // 2) // RECORDS)


@dataclass(frozen=True)
class Informs:
    """Patients with several diagnoses, made to the published facts of INFORMS 2008 (paper 004); a 1:M table.

    The table of Wang et al. 2019 (paper 004, section 5, table 5) cannot be had; this one has its size, 49,384
    patients with 456,767 records, its attributes in the paper's order and their cardinalities: month of birth
    12, year of birth 82 (1920, which stands for earlier years too, to 2001), gender 2, race 6, years of
    education 9, marital status 6, poverty 5, Hispanic 2, diagnosis 619. Records are distinct pairs of patient
    and diagnosis; all attributes but the diagnosis are the same in all records of a patient.

    What the paper does not say was measured, before any result was looked at, on the part of the INFORMS data
    that can be had, the year 2005 (26,735 persons with 3.62 distinct diagnoses each): how the attributes
    depend on each other; how the chapters of ICD-9 depend on age and sex, and how frequencies fall with the rank within each;
    how the number of diagnoses spreads by age and sex. That number is 1 + a negative binomial whose size is that of
    2005 and whose mean is 3.149 times that of 2005, which gives the published 9.25 on average; the tail ends at 100.
    Given age and sex a patient's diagnoses are drawn independently, until there are enough different ones:
    illnesses that tend to come together are not modelled.

    Rows are records. Fewer rows have fewer patients in proportion, see `patients_of`; single diagnoses are then
    added to or taken from patients at random until the number of rows is exact.

    Examples
    --------
    >>> table = Informs().generate(rows=100, seed=1)
    >>> table.columns[:5], table["patient_id"].n_unique()
    (['patient_id', 'month', 'year', 'gender', 'race'], 11)
    """

    default_rows: ClassVar[int] = RECORDS

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            The number of records; 456,767 when left out.
        seed
            Same seed and rows, same table, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``patient_id``, ``month`` (1 to 12), ``year`` (1920 to 2001), ``gender``, ``race``,
            ``educ_year`` (years), ``marry``, ``poverty``, ``hispanx``, ``diagnosis`` (ICD-9 category, text). A
            patient's records stand together.

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        rows = check_size(rows, self.default_rows, seed)
        draws = Draws(seed, "informs")
        patients = patients_of(rows)
        who, age, woman = draw_people(draws, patients)
        group = woman * len(people.BANDS) + bands(age)
        counts = fit(draws, draw_counts(draws, group), rows)
        patient = np.repeat(np.arange(patients), counts)
        codes = draw_diagnoses(draws, group, patient)
        return who[patient].with_columns(diagnosis=pl.Series(diagnoses.codes()).gather(codes))

    def policy(self, quasi: int = 8, *, trees: bool = False) -> dict[str, Any]:
        """Give a ready policy: enhanced identity-reserved l-diversity, l = 6.

        Parameters
        ----------
        quasi
            How many of the attributes, in the order of the columns, are quasi-identifiers, 1 to 8; the others
            are dropped. The experiments of paper 004 use the first 3 to 8, and 6 unless they say otherwise.
        trees
            Whether quasi-identifiers have hierarchies, as GeneIR needs. Month, year and years of education are
            numbers in any case; without hierarchies the others are sets of categories, as for DAnonyIR.

        Returns
        -------
        dict
            The content of a policy file.

        Raises
        ------
        InvalidError
            When ``quasi`` is not 1 to 8.
        """
        if quasi not in range(1, len(QUASI_IDENTIFIERS) + 1):
            raise InvalidError(
                f"informs: quasi must lie between 1 and {len(QUASI_IDENTIFIERS)}; got {quasi!r}"
            )
        numbers: dict[str, dict[str, Any]] = {
            "month": {"kind": "integer", "domain": [1, 12]},
            "year": {"kind": "integer", "domain": [people.FIRST_YEAR, people.LAST_YEAR]},
            "educ_year": {"kind": "integer", "domain": [0, people.EDUCATION_YEARS[-1]]},
        }
        columns: dict[str, dict[str, Any]] = {"patient_id": {"role": "identifier"}}
        for i, name in enumerate(QUASI_IDENTIFIERS):
            told = numbers.get(name, {}) | ({"hierarchy": f"{name}.csv"} if trees else {})
            columns[name] = {"role": "quasi", **told} if i < quasi else {"role": "drop"}
        columns["diagnosis"] = {"role": "sensitive", "hierarchy": "diagnosis.csv"}
        return {
            "columns": columns,
            "individual": "patient_id",
            "privacy": [{"model": "eir-l-diversity", "l": 6, "sensitive": "diagnosis"}],
        }

    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Give a hierarchy of every attribute; a policy names those of the quasi-identifiers when it has ``trees``.

        Returns
        -------
        dict
            Rows by file name, one row a leaf: the leaf first, its ancestors, the root last. The paper does not give
            its trees. Here: months in threes and sixes; years in fives, tens, twenties and forties; education
            none, 1-8, 9-12, more; marital status by whether there is, was or never was a spouse; poverty below
            the middle or not; the rest in one step.
        """
        return {
            "month.csv": [[str(m), _run(m, 1, 3), _run(m, 1, 6), "*"] for m in range(1, 13)],
            "year.csv": [
                [str(y), *(_run(y, 1920, width, people.LAST_YEAR) for width in (5, 10, 20, 40)), "*"]
                for y in range(people.FIRST_YEAR, people.LAST_YEAR + 1)
            ],
            "gender.csv": [[name, "*"] for name in people.GENDERS],
            "race.csv": [[name, "*"] for name in people.RACES],
            "educ_year.csv": [
                [str(years), ("none", "1-8", "9-12", "13-17")[(years > 0) + (years > 8) + (years > 12)], "*"]
                for years in people.EDUCATION_YEARS
            ],
            "marry.csv": [
                [name, group, "*"]
                for name, group in zip(
                    people.MARITAL_STATUSES,
                    ("Has a spouse", "Had a spouse", "Had a spouse", "Had a spouse", "Never", "Never"),
                    strict=True,
                )
            ],
            "poverty.csv": [
                [name, "Below the middle" if i < 3 else "Middle and above", "*"]
                for i, name in enumerate(people.POVERTY_LEVELS)
            ],
            "hispanx.csv": [[name, "*"] for name in people.HISPANIC],
            "diagnosis.csv": diagnoses.rows(),
        }


def _run(value: int, first: int, width: int, last: int = 10**9) -> str:
    """Name the run of whole numbers that a value lies in, counted from the first."""
    low = value - (value - first) % width
    return f"{low}-{min(low + width - 1, last)}"
