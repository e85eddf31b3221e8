"""A hospital's outpatient visits of five years, several records a patient (1:M)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets import _patients as _diagnoses
from likeness.datasets import _patients as _residents
from likeness.datasets.base import Dataset, Draws, Integers, Reals, check_size

FIRST_DAY, DAYS = date(2019, 1, 1), 1826  # five years
MOST_VISITS = 30
SAME_ILLNESS = 0.6  # chance that a visit of the chronically ill is about the first of their diseases
OTHER_ILLNESS = 0.2  # … about the second


@dataclass(frozen=True)
class HospitalVisits(Dataset):
    """Outpatient visits of five years, several a patient: who, where, when, diagnosis, cost; a 1:M table.

    Invented people, as in ``hospital``. A patient's number, name, ZIP code, birth date and sex are the same
    in all their records; the number of visits is long-tailed, 1 to 30, and larger for the old; chronic
    diseases come back, others are drawn anew by age and sex. Nobody visits twice on one day. Rows are in
    the order of the visits. No value is missing.

    Examples
    --------
    >>> table = HospitalVisits().generate(rows=100, seed=1)
    >>> table.columns
    ['patient_id', 'name', 'zip', 'birth_date', 'sex', 'visit_date', 'diagnosis', 'cost']
    """

    default_rows: ClassVar[int] = 20_000

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            The number of visits; 20,000 when left out.
        seed
            Same seed and rows, same table, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``patient_id``, ``name``, ``zip`` (five digits, text), ``birth_date``, ``sex``,
            ``visit_date`` (2019 to 2023), ``diagnosis``, ``cost`` (dollars, in cents).

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        rows = check_size(rows, self.default_rows, seed)
        draws = Draws(seed, "hospital-visits")
        age = _residents.draw_ages(draws, rows)  # at the first day; one patient a row is more than enough
        visits = _visits_each(draws, age)
        patients = int(np.searchsorted(np.cumsum(visits), rows)) + 1
        age, visits = age[:patients], visits[:patients]
        visits[-1] -= int(visits.sum()) - rows
        sex = _residents.draw_sexes(draws, age)
        who = pl.DataFrame(
            {
                "patient_id": _residents.draw_identifiers(draws, patients),
                "name": _residents.draw_names(draws, sex),
                "zip": _residents.draw_zips(draws, patients),
                "birth_date": _dates(-(age * 1461 // 4) - 1 - draws.below(365, patients)),
                "sex": pl.Series(_residents.SEXES).gather(sex),
            }
        )
        patient = np.repeat(np.arange(patients), visits)
        day = _visit_days(draws, visits)
        diagnosis = _visit_diagnoses(draws, age, sex, patient)
        order = np.lexsort((patient, day))
        return who[patient[order]].with_columns(
            visit_date=_dates(day[order]),
            diagnosis=pl.Series([disease.name for disease in _diagnoses.DISEASES]).gather(diagnosis[order]),
            cost=pl.Series(_costs(draws, diagnosis)[order]),
        )

    def policy(self) -> dict[str, Any]:
        """Give a ready policy: identity-reserved k-anonymity, k = 5, and enhanced l-diversity, l = 3.

        Returns
        -------
        dict
            The content of a policy file. Dates and costs of visits, which would single people out, are
            dropped.
        """
        return {
            "columns": {
                "patient_id": {"role": "identifier"},
                "name": {"role": "identifier"},
                "zip": {"role": "quasi", "hierarchy": {"prefix": 5}},
                "birth_date": {"role": "quasi", "kind": "date"},
                "sex": {"role": "quasi"},
                "visit_date": {"role": "drop"},
                "diagnosis": {"role": "sensitive", "hierarchy": "diagnosis.csv", "distance": "hierarchical"},
                "cost": {"role": "drop"},
            },
            "individual": "patient_id",
            "privacy": [
                {"model": "ir-k-anonymity", "k": 5},
                {"model": "eir-l-diversity", "l": 3, "sensitive": "diagnosis"},
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


def _visits_each(draws: Draws, age: Integers) -> Integers:
    """Draw the number of visits of each person, 1 … 30, falling as v^-2 (young), v^-1.5, v^-1.25 (old)."""
    v = np.arange(1, MOST_VISITS + 1).astype(np.float64)
    powers = (v * v, v * np.sqrt(v), v * np.sqrt(np.sqrt(v)))
    table = [np.floor(1_000_000 / power).astype(np.int64) for power in powers]
    return draws.pick_given(table, np.searchsorted([15, 65], age, side="right")) + 1


def _visit_days(draws: Draws, visits: Integers) -> Integers:
    """Spread each person's visits over the period: one in each of as many equal stretches."""
    ends = np.cumsum(visits)
    each = np.repeat(visits, visits)
    position = np.arange(ends[-1]) - np.repeat(ends - visits, visits)
    left, right = position * DAYS // each, (position + 1) * DAYS // each
    return left + draws.below(right - left, len(each))


def _visit_diagnoses(draws: Draws, age: Integers, sex: Integers, patient: Integers) -> Integers:
    """Draw each visit's diagnosis: one of the patient's two own diseases if chronic, or a new one."""
    diagnosis = _diagnoses.draw_diagnoses(draws, age[patient], sex[patient])
    first, second = (_diagnoses.draw_diagnoses(draws, age, sex) for _ in range(2))
    chronic = _diagnoses.field("chronic").astype(bool)
    chance = draws.uniform(len(patient))
    for own, low, high in ((first, 0.0, SAME_ILLNESS), (second, SAME_ILLNESS, SAME_ILLNESS + OTHER_ILLNESS)):
        mine = own[patient]
        diagnosis = np.where(chronic[mine] & (chance >= low) & (chance < high), mine, diagnosis)
    return diagnosis


def _costs(draws: Draws, diagnosis: Integers) -> Reals:
    """Dollars in whole cents around the disease's usual cost, with a long tail."""
    chance = draws.uniform(len(diagnosis))
    cents = np.floor(_diagnoses.field("cost")[diagnosis] * (20 + 80 * chance / (1.1 - chance)))
    return cents / 100


def _dates(offsets: Integers) -> pl.Series:
    """Dates so many days after the first."""
    start = FIRST_DAY.toordinal() - date(1970, 1, 1).toordinal()
    return pl.Series(offsets + start).cast(pl.Int32).cast(pl.Date)
