"""Draws the patients of the generated INFORMS table and their diagnoses."""

from __future__ import annotations

from math import fsum

import numpy as np
import polars as pl

from likeness.datasets import _informs_diagnoses as diagnoses
from likeness.datasets import _informs_people as people
from likeness.datasets import _residents
from likeness.datasets._draws import Draws, Integers, broken_line

MOST = 100
"""Most diagnoses of one patient."""
STRETCH = 3.149
"""How many times more further diagnoses than in 2005: (456,767 / 49,384 - 1) / (3.6194 - 1)."""


def bands(age: Integers) -> Integers:
    """(n,) Age band of each patient."""
    return np.searchsorted(people.BANDS, age, side="right") - 1


def draw_people(draws: Draws, n: int) -> tuple[pl.DataFrame, Integers, Integers]:
    """Draw everything about n patients but their diagnoses; also their ages, and who is a woman."""
    age = draws.pick(np.append(broken_line(people.AGE_KNOTS), people.OLDEST), n)
    band = bands(age)
    woman = _coin(draws, people.WOMEN, band)
    race = draws.pick_given(people.RACE, band)
    not_hispanic = 1 - _coin(draws, people.HISPANIC_BY_RACE, race)
    poverty = draws.pick_given(people.POVERTY, not_hispanic * 3 + np.minimum(race, 2))
    education = draws.pick_given(people.EDUCATION, not_hispanic * len(people.BANDS) + band)
    marry = draws.pick_given(people.MARRY, woman * len(people.BANDS) + band)
    who = pl.DataFrame(
        {
            "patient_id": _residents.draw_identifiers(draws, n),
            "month": draws.below(12, n) + 1,
            "year": people.LAST_YEAR - age,
            "gender": pl.Series(people.GENDERS).gather(woman),
            "race": pl.Series(people.RACES).gather(race),
            "educ_year": np.asarray(people.EDUCATION_YEARS)[education],
            "marry": pl.Series(people.MARITAL_STATUSES).gather(marry),
            "poverty": pl.Series(people.POVERTY_LEVELS).gather(poverty),
            "hispanx": pl.Series(people.HISPANIC).gather(not_hispanic),
        }
    )
    return who, age, woman


def _coin(draws: Draws, per_mille: tuple[int, ...], given: Integers) -> Integers:
    """Draw 1 with a chance that depends on what is given, else 0."""
    chances = np.asarray(per_mille)
    return draws.pick_given(np.column_stack([1000 - chances, chances]), given)


def draw_counts(draws: Draws, group: Integers) -> Integers:
    """Draw every patient's number of diagnoses, 1 … MOST: 1 + a negative binomial by group."""
    table = np.zeros((len(people.MORE), MOST), np.int64)
    for row, (hundredths, tenths) in enumerate(people.MORE):
        mean, size = STRETCH * hundredths / 100, tenths / 10
        # each weight from the one before: multiplication and division are rounded alike everywhere
        weights = [1.0]
        for j in range(MOST - 1):
            weights.append(weights[-1] * (size + j) / (j + 1) * (mean / (mean + size)))
        table[row] = np.floor(np.asarray(weights) / fsum(weights) * 1e9)
    return draws.pick_given(table, group) + 1


def fit(draws: Draws, counts: Integers, rows: int) -> Integers:
    """Add single diagnoses to patients at random, or take them, until there are exactly so many."""
    counts = counts.copy()
    while missing := rows - int(counts.sum()):
        able = np.flatnonzero(counts < MOST if missing > 0 else counts > 1)
        chosen = able[draws.order(able.size)[: abs(missing)]]
        counts[chosen] += 1 if missing > 0 else -1
    return counts


def draw_diagnoses(draws: Draws, group: Integers, patient: Integers) -> Integers:
    """Draw a diagnosis for every record, and again for all that repeat one of the same patient."""
    starts = np.concatenate([[0], np.cumsum(diagnoses.sizes())])
    ranks = diagnoses.rank_weights()
    codes = np.empty(patient.size, np.int64)
    again = np.arange(patient.size)
    looked = again
    while again.size:
        chapter = draws.pick_given(diagnoses.CHAPTER_SHARES, group[patient[again]])
        codes[again] = starts[chapter] + draws.pick_given(ranks, chapter)
        looked = looked[np.isin(patient[looked], patient[again])]  # the others have enough by now
        keys = patient[looked] * starts[-1] + codes[looked]
        first = np.unique(keys, return_index=True)[1]
        again = np.delete(looked, first)
    return codes
