"""People with several symptoms each (1:M), in ordered categories of severity."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets.base import Dataset, Draws, Integers, check_size

SEVERITY: dict[str, tuple[str, ...]] = {
    "Asymptomatic": ("No Symptoms",),
    "Low": ("Flu", "Headache", "Tiredness"),
    "Mild": ("Loss of Appetite", "Cough", "Chills", "Fever"),
    "High": ("Stomach Pain", "Difficult Breathing", "Chest Pain"),
    "Severe": ("Lungs Infection", "Respiratory Problem"),
}
"""Fazal et al. 2023, table 3: categories and their symptoms, the least severe first."""
SHARES = {"Asymptomatic": 10, "Low": 40, "Mild": 25, "High": 15, "Severe": 10}
"""Percent of first symptoms that are of each category; those of one are equally likely."""
MORE = 11
"""Most symptoms beyond the first that somebody has, for there are twelve: their number is Poisson(1), cut there."""
AGES = range(17, 91)
# fmt: off
WOMEN = (
    295, 427, 514, 535, 502, 521, 547, 478, 466, 422, 429, 446, 420, 406, 426, 373, 379, 402, 366, 423, 352, 364, 362, 384, 361,
    320, 329, 285, 338, 330, 331, 259, 251, 227, 253, 214, 194, 160, 196, 168, 154, 157, 150, 128, 130, 124, 93, 109, 94, 75, 77,
    61, 48, 40, 40, 41, 44, 28, 29, 25, 17, 9, 7, 9, 14, 3, 3, 6, 2, 1, 1, 1, 0, 17,
)
MEN = (
    300, 435, 539, 578, 594, 657, 782, 728, 729, 731, 803, 834, 803, 872, 899, 880, 956, 901, 971, 925, 928, 900, 844, 803, 874,
    845, 775, 782, 758, 767, 750, 586, 596, 639, 624, 524, 517, 453, 425, 396, 397, 398, 373, 321, 320, 270, 242, 231, 190, 162,
    161, 117, 101, 93, 78, 79, 64, 49, 43, 44, 37, 25, 23, 29, 23, 12, 8, 7, 3, 0, 2, 5, 2, 38,
)
# fmt: on
"""People of each age in UCI Adult (48,842), by sex."""
ZIPS = tuple(range(2100, 2900, 20))
"""Forty codes of four digits, the range of the paper's example."""


@dataclass(frozen=True)
class Symptoms(Dataset):
    """Symptoms of people, several a person: age, ZIP code and sex, and 13 symptoms in five categories; a 1:M table.

    It stands in for the "modified Adult" of Fazal et al. 2023, which was never published: ages and sexes are distributed as in
    UCI Adult, everybody has one of forty ZIP codes, and 1 + Poisson(1) symptoms of the paper's 13, drawn without
    replacement. Who has no symptoms has nothing else. All are independent of each other. The records of a person follow each
    other; the last person's may be cut off by the number of rows. No value is missing.

    Examples
    --------
    >>> table = Symptoms().generate(rows=100, seed=1)
    >>> table.columns
    ['patient_id', 'age', 'zip', 'sex', 'symptom']
    """

    default_rows: ClassVar[int] = 12_000

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            The number of records, about 1.9 a person; 12,000 when left out.
        seed
            Same seed and rows, same table, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``patient_id`` (``p1``, ``p2``, … in the order of the rows), ``age``, ``zip`` (four digits, a number),
            ``sex``, ``symptom``.

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        rows = check_size(rows, self.default_rows, seed)
        draws = Draws(seed, "symptoms")
        patient, symptom = _symptoms(draws, rows)  # one person a row is more than enough
        patient, symptom = patient[:rows], symptom[:rows]
        people = int(patient[-1]) + 1
        age_and_sex = draws.pick([*WOMEN, *MEN], people)
        who = pl.DataFrame(
            {
                "patient_id": [f"p{number}" for number in range(1, people + 1)],
                "age": AGES[0] + age_and_sex % len(AGES),
                "zip": np.array(ZIPS)[draws.below(len(ZIPS), people)],
                "sex": pl.Series(["Female", "Male"]).gather(age_and_sex // len(AGES)),
            }
        )
        names = [name for own in SEVERITY.values() for name in own]
        return who[patient].with_columns(symptom=pl.Series(names).gather(symptom))

    def policy(self) -> dict[str, Any]:
        """Give a ready policy: 5 people alike, and 2 categories whichever symptom of each is meant.

        Returns
        -------
        dict
            The content of a policy file.
        """
        return {
            "columns": {
                "patient_id": {"role": "identifier"},
                "age": {"role": "quasi", "kind": "integer"},
                "zip": {"role": "quasi", "kind": "integer"},
                "sex": {"role": "quasi"},
                "symptom": {"role": "sensitive"},
            },
            "individual": "patient_id",
            "categories": {"symptom": "categories.csv"},
            "privacy": [
                {"model": "ir-k-anonymity", "k": 5},
                {"model": "eir-l-diversity", "l": 2, "sensitive": "symptom", "by": "categories"},
            ],
        }

    def categories(self) -> dict[str, list[list[str]]]:
        """Give the categories that the policy names, the least severe first.

        Returns
        -------
        dict
            Rows by file name, one row a category: its label, then its symptoms.
        """
        return {"categories.csv": [[label, *own] for label, own in SEVERITY.items()]}


def _symptoms(draws: Draws, people: int) -> tuple[Integers, Integers]:
    """Draw everybody's symptoms: (records,) number of the person, ascending, and of the symptom."""
    first = next(iter(SEVERITY))
    # Of every category as many parts of 12 as its symptoms share.
    weights = np.array(
        [SHARES[label] * 12 // len(own) for label, own in SEVERITY.items() for _ in own], np.int64
    )
    left = np.tile(weights, (people, 1))
    wanted = draws.pick([factorial(MORE) // factorial(more) for more in range(MORE + 1)], people) + 1
    found: list[tuple[Integers, Integers]] = []
    who = np.arange(people)
    for turn in range(MORE + 1):
        drawn = draws.pick_given(left, who)
        found.append((who, drawn))
        left[who, drawn] = 0
        # The first symptom is none, or none of the others is.
        well = drawn < len(SEVERITY[first])
        left[who, : len(SEVERITY[first])] = 0
        who = who[(wanted[who] > turn + 1) & ~well]
        if not who.size:
            break
    patient, symptom = (np.concatenate(own) for own in zip(*found, strict=True))
    order = np.argsort(patient, kind="stable")
    return patient[order], symptom[order]
