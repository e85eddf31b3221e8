"""A hospital's admissions of one year, one record a patient."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets import _patients as _diagnoses
from likeness.datasets import _patients as _residents
from likeness.datasets.base import Dataset, Draws, Integers, check_size

FIRST_DAY, DAYS = date(2023, 1, 1), 365
LONGEST_STAY = 120
INSURANCES = ("Private", "Medicare", "Medicaid", "Veterans", "Uninsured")
INSURANCE_BY_STAGE = (  # percent under 18, under 65, older
    (52, 0, 43, 0, 5),
    (66, 5, 16, 3, 10),
    (7, 86, 3, 3, 1),
)


@dataclass(frozen=True)
class Hospital(Dataset):
    """Hospital admissions of one year: names, ZIP codes, ages, diagnoses; one record a patient.

    Invented people. What a steward meets is there: identifiers, ZIP codes with leading zeros and a
    long-tailed number of patients, diagnoses that depend on age and sex (nobody under 15 has dementia, no
    man gives birth), first names that depend on sex, an insurance that depends on age, stays that depend on
    diagnosis and age. No value is missing.

    Examples
    --------
    >>> table = Hospital().generate(rows=3, seed=1)
    >>> table.columns
    ['name', 'patient_id', 'zip', 'age', 'sex', 'insurance', 'admitted', 'length_of_stay', 'diagnosis']
    """

    default_rows: ClassVar[int] = 10_000

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            The number of patients; 10,000 when left out.
        seed
            Same seed and rows, same table, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``name``, ``patient_id``, ``zip`` (five digits, text), ``age`` (years, 0 to 102), ``sex``,
            ``insurance``, ``admitted`` (date, 2023), ``length_of_stay`` (days, 1 to 120), ``diagnosis``.

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        rows = check_size(rows, self.default_rows, seed)
        draws = Draws(seed, "hospital")
        age = _residents.draw_ages(draws, rows)
        sex = _residents.draw_sexes(draws, age)
        diagnosis = _diagnoses.draw_diagnoses(draws, age, sex)
        insurance = draws.pick_given(INSURANCE_BY_STAGE, np.searchsorted([18, 65], age, side="right"))
        return pl.DataFrame(
            {
                "name": _residents.draw_names(draws, sex),
                "patient_id": _residents.draw_identifiers(draws, rows),
                "zip": _residents.draw_zips(draws, rows),
                "age": age,
                "sex": pl.Series(_residents.SEXES).gather(sex),
                "insurance": pl.Series(INSURANCES).gather(insurance),
                "admitted": _admissions(draws, rows),
                "length_of_stay": _stays(draws, age, diagnosis),
                "diagnosis": pl.Series([disease.name for disease in _diagnoses.DISEASES]).gather(diagnosis),
            }
        )

    def policy(self) -> dict[str, Any]:
        """Give a ready policy: k-anonymity, k = 5, and enhanced β-likeness, β = 4, on the diagnosis.

        Returns
        -------
        dict
            The content of a policy file. The length of stay, which tells of the diagnosis, is dropped.
        """
        return {
            "columns": {
                "name": {"role": "identifier"},
                "patient_id": {"role": "identifier"},
                "zip": {"role": "quasi", "hierarchy": {"prefix": 5}},
                "age": {"role": "quasi", "kind": "integer", "domain": [0, _residents.OLDEST]},
                "sex": {"role": "quasi"},
                "insurance": {"role": "quasi"},
                "admitted": {"role": "quasi", "kind": "date"},
                "length_of_stay": {"role": "drop"},
                "diagnosis": {"role": "sensitive", "hierarchy": "diagnosis.csv", "distance": "hierarchical"},
            },
            "privacy": [
                {"model": "k-anonymity", "k": 5},
                {"model": "beta-likeness", "beta": 4, "sensitive": "diagnosis"},
            ],
        }

    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Give the hierarchy of diagnoses that the policy names.

        Returns
        -------
        dict
            Rows by file name, one row a disease: the disease, its block, its chapter, the root.
        """
        return {"diagnosis.csv": _diagnoses.diagnosis_rows()}


def _admissions(draws: Draws, n: int) -> pl.Series:
    """Days of the year, fewer at weekends."""
    weekend = (np.arange(DAYS) + FIRST_DAY.weekday()) % 7 >= 5
    offsets = draws.pick(np.where(weekend, 6, 10), n)
    start = FIRST_DAY.toordinal() - date(1970, 1, 1).toordinal()
    return pl.Series(offsets + start).cast(pl.Int32).cast(pl.Date)


def _stays(draws: Draws, age: Integers, diagnosis: Integers) -> Integers:
    """Whole days, around the disease's usual stay, longer for the old, with a long tail."""
    usual = _diagnoses.field("days")[diagnosis] * (60 + age) / 180
    chance = draws.uniform(len(age))
    tail = chance / (1.08 - chance)
    return np.clip(np.floor(1 + usual * tail).astype(np.int64), 1, LONGEST_STAY)
