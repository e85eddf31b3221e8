"""Census microdata to the published facts of paper 002."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets import _census_population as people
from likeness.datasets._draws import Draws, Integers, broken_line, check_size
from likeness.errors import InvalidError

SALARY_CLASSES = 50
MODE = 12  # the most frequent salary class; the rarest is 49, the highest (paper 002, section 6)
POINTS_DEVIATION = 98.4  # of the salary points over a generated population
QUASI_IDENTIFIERS = ("age", "gender", "education", "marital_status", "work_class")


def salary_counts(rows: int) -> Integers:
    """Count the records of each salary class, 0 … 49, in a census of ``rows`` people.

    The paper states only the extremes; the shares between them are a reconstruction, 0.002018 + 0.046384 ·
    (i/49)^1.595179 in ascending order: 0.2018 % for the rarest class, 49, and 4.8402 % for the most
    frequent, 12, the two that the paper names. The other classes fall away from 12 on both sides, as
    salaries do. Every count is the floor of its share of ``rows``; the records still missing go one each to
    the largest remainders.

    Parameters
    ----------
    rows
        The number of people.

    Returns
    -------
    numpy.ndarray
        Whole numbers (50,) that sum to ``rows``.

    Examples
    --------
    >>> counts = salary_counts(500_000)
    >>> int(counts[49]), int(counts[12]), int(counts.sum())
    (1009, 24201, 500000)
    """
    last = SALARY_CLASSES - 1
    exact = [
        rows * (Fraction("0.002018") + Fraction("0.046384") * Fraction((i / last) ** 1.595179))
        for i in range(SALARY_CLASSES)
    ]
    ascending = [int(count) for count in exact]
    by_remainder = sorted(range(SALARY_CLASSES), key=lambda i: (ascending[i] - exact[i], i))
    for i in by_remainder[: rows - sum(ascending)]:
        ascending[i] += 1
    counts = np.empty(SALARY_CLASSES, dtype=np.int64)
    counts[_classes_by_frequency()] = ascending[::-1]
    return counts


def _classes_by_frequency() -> list[int]:
    """Salary classes, most frequent first: outwards from the mode, below before above."""
    return sorted(range(SALARY_CLASSES), key=lambda salary: (abs(salary - MODE), salary))


@dataclass(frozen=True)
class Census:
    """A census of 500,000 people with 50 salary classes, made to the published facts of CENSUS (paper 002).

    The table of Cao & Karras 2012 (paper 002, section 6, Table 3) cannot be had; this one has its columns and
    cardinalities – age 79 values (16 to 94), gender 2, education 17 (ordered), marital status 6 (hierarchy of
    height 2), work class 10 (height 3) – and exactly its salary frequencies, not sampled: see
    :func:`salary_counts`. Shares of the quasi-identifiers follow UCI Census-Income.

    A latent salary, ``dependence`` · (what age, gender, education, marital status and work class add up to) +
    sqrt(1 - dependence²) · (noise), both of variance 1, ranks the people; the lowest get class 0 and so on.

    Parameters
    ----------
    dependence
        How strongly the salary depends on the quasi-identifiers, 0 (not at all) to 1 (it is a function of
        them): the correlation of the latent salary with the quasi-identifiers' sum. The default was set
        once, before any anonymized table was looked at, so that the generated table has the dependence
        measured in UCI Census-Income (people of 16 and over, 149,175 records): the share of the uncertainty
        about "income above $50,000" (8.3 % of them) which age in five-year bands, sex and education
        explain, I(S; Q) / H(S), less the same for shuffled incomes, is 0.284. In the generated table S is
        "among the highest salary classes", cut where the share is nearest to those 8.3 %, and the number of
        records is the same: 0.286 on average over six seeds. ``tests/datasets/test_census.py`` measures
        both again. (The probit regression behind the sum says 0.71.)

    Examples
    --------
    >>> table = Census().generate(rows=1000, seed=1)
    >>> table.columns
    ['age', 'gender', 'education', 'marital_status', 'work_class', 'salary_class']
    """

    dependence: float = 0.74
    default_rows: ClassVar[int] = 500_000

    def __post_init__(self) -> None:
        """Refuse a dependence that is not a correlation."""
        if not isinstance(self.dependence, int | float) or not 0 <= self.dependence <= 1:
            raise InvalidError(f"census: dependence must lie between 0 and 1; got {self.dependence!r}")

    def generate(self, rows: int | None = None, seed: int = 0) -> pl.DataFrame:
        """Generate the table.

        Parameters
        ----------
        rows
            The number of people; 500,000 when left out.
        seed
            Same seed, rows and dependence, same table, on any machine.

        Returns
        -------
        polars.DataFrame
            Columns ``age`` (16 to 94), ``gender``, ``education`` (1 to 17, in ascending order),
            ``marital_status``, ``work_class``, ``salary_class`` (0 to 49, in ascending order).

        Raises
        ------
        InvalidError
            When there is to be no row, or the seed is negative.
        """
        rows = check_size(rows, self.default_rows, seed)
        draws = Draws(seed, "census")
        age = draws.pick(broken_line(people.AGE_KNOTS), rows)
        band = np.searchsorted(people.BANDS, age + people.AGES[0], side="right") - 1
        men = np.asarray(people.MEN)
        gender = draws.pick_given(np.column_stack([1000 - men, men]), band)
        education = draws.pick_given(people.EDUCATION, band)
        group = gender * len(people.BANDS) + band
        marital = draws.pick_given(people.MARITAL, group)
        work = draws.pick_given(people.WORK, group)
        points = people.salary_points((age, gender, education, marital, work))
        salary = self._salaries(points, draws)
        return pl.DataFrame(
            {
                "age": age + people.AGES[0],
                "gender": pl.Series(people.GENDERS).gather(gender),
                "education": education + 1,
                "marital_status": pl.Series(people.MARITAL_STATUSES).gather(marital),
                "work_class": pl.Series(people.WORK_CLASSES).gather(work),
                "salary_class": salary,
            }
        )

    def _salaries(self, points: Integers, draws: Draws) -> Integers:
        """Deal the salary classes out by rank of the latent salary."""
        noise = draws.bell(len(points))
        latent = self.dependence * (points / POINTS_DEVIATION) + np.sqrt(1 - self.dependence**2) * noise
        salary = np.empty(len(points), dtype=np.int64)
        ladder = np.repeat(np.arange(SALARY_CLASSES), salary_counts(len(points)))
        # records are independent draws, so equal latent salaries may be ranked by position
        salary[np.argsort(latent, kind="stable")] = ladder
        return salary

    def policy(self, quasi: int = 5) -> dict[str, Any]:
        """Give a ready policy: enhanced β-likeness, β = 4, on the salary class.

        Parameters
        ----------
        quasi
            How many of the attributes, in the order of the columns, are quasi-identifiers, 1 to 5; the others
            are dropped. The experiments of paper 002 use the first three unless they say otherwise.

        Returns
        -------
        dict
            The content of a policy file.

        Raises
        ------
        InvalidError
            When ``quasi`` is not 1 to 5.
        """
        if quasi not in range(1, len(QUASI_IDENTIFIERS) + 1):
            raise InvalidError(
                f"census: quasi must lie between 1 and {len(QUASI_IDENTIFIERS)}; got {quasi!r}"
            )
        columns: dict[str, dict[str, Any]] = {
            "age": {"role": "quasi", "kind": "integer", "domain": [people.AGES[0], people.AGES[-1]]},
            "gender": {"role": "quasi"},
            "education": {"role": "quasi", "kind": "integer", "domain": [1, people.EDUCATION_LEVELS]},
            "marital_status": {"role": "quasi", "hierarchy": "marital_status.csv"},
            "work_class": {"role": "quasi", "hierarchy": "work_class.csv"},
        }
        columns |= {name: {"role": "drop"} for name in QUASI_IDENTIFIERS[quasi:]}
        columns["salary_class"] = {"role": "sensitive", "kind": "integer", "distance": "ordered"}
        return {
            "columns": columns,
            "privacy": [{"model": "beta-likeness", "beta": 4, "sensitive": "salary_class"}],
        }

    def hierarchies(self) -> dict[str, list[list[str]]]:
        """Give the hierarchies that the policy names.

        Returns
        -------
        dict
            Rows by file name, one row a leaf: the leaf first, its ancestors, the root last. Their shape is
            that of the CENSUS files in circulation: marital status {1–3}, {4–5}, {6}; work class {6–9},
            then {5–10}.
        """
        marital = ("Married", "Married", "Married", "Formerly married", "Formerly married", "Never married")
        work = people.WORK_CLASSES
        sector = (*work[:5], *["Government"] * 4, work[9])
        profit = (*work[:4], *["Public or not for profit"] * 6)
        return {
            "marital_status.csv": [
                [leaf, group, "*"] for leaf, group in zip(people.MARITAL_STATUSES, marital, strict=True)
            ],
            "work_class.csv": [
                list(row) for row in zip(work, sector, profit, ["*"] * len(work), strict=True)
            ],
        }
