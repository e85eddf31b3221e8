"""Census microdata to the published facts of Cao & Karras 2012.

Who lives in the generated census: shares of the quasi-identifiers, and what they add to a salary.

The shares are rounded from UCI Census-Income (people of 16 and over), per mille by age band: education by
age; marital status and work class by age and gender; given these, the attributes are independent. Not from
there, because its classes are fewer: ages above 90, the split of the lowest education in two, non-profit
employers (7 % of the private ones) and the armed forces (a few young adults). The ages follow a broken line
drawn by hand through its counts.

The effects on the salary are the coefficients, in hundredths, of a probit regression of its income class
(above $50,000) on the same five attributes with ages in five-year bands, joined by a line and set to 0 from
72 on; those of the two added work classes are assumed. How strong the dependence is was measured apart: see
:class:`~likeness.datasets.census.Census`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets.base import Dataset, Draws, Integers, broken_line, check_size
from likeness.errors import InvalidError

AGES = range(16, 95)
GENDERS = ("Female", "Male")
EDUCATION_LEVELS = 17
MARITAL_STATUSES = (
    "Married spouse present",
    "Married spouse absent",
    "Separated",
    "Divorced",
    "Widowed",
    "Never married",
)
WORK_CLASSES = (
    "Not employed",
    "Self-employed not incorporated",
    "Self-employed incorporated",
    "Private for profit",
    "Private non-profit",
    "Federal government",
    "State government",
    "Local government",
    "Armed forces",
    "Unpaid family work",
)

BANDS = (16, 18, 20, 25, 35, 50, 60, 65, 75)  # the first age of each

AGE_KNOTS = ((16, 190), (20, 160), (35, 230), (45, 190), (60, 105), (75, 70), (85, 27), (94, 7))
MEN = (503, 482, 479, 481, 481, 473, 470, 438, 377)
EDUCATION = (
    (1, 1, 1, 4, 53, 254, 398, 232, 40, 13, 3, 0, 0, 0, 0, 0, 0),
    (1, 1, 2, 7, 14, 28, 74, 235, 70, 282, 282, 3, 1, 0, 0, 0, 0),
    (2, 1, 4, 16, 16, 22, 28, 41, 18, 312, 371, 32, 28, 105, 4, 0, 0),
    (2, 1, 6, 17, 17, 20, 27, 33, 12, 341, 195, 47, 40, 188, 38, 11, 5),
    (2, 2, 9, 17, 19, 16, 22, 25, 8, 328, 189, 48, 40, 176, 68, 19, 12),
    (3, 3, 13, 20, 42, 26, 37, 30, 10, 366, 168, 33, 28, 124, 67, 15, 15),
    (5, 4, 25, 31, 75, 36, 51, 35, 13, 363, 142, 27, 20, 99, 45, 15, 14),
    (5, 5, 25, 36, 105, 38, 59, 40, 12, 370, 133, 22, 15, 83, 32, 11, 9),
    (8, 6, 34, 58, 185, 51, 59, 33, 14, 304, 112, 18, 9, 67, 25, 10, 7),
)
MARITAL = (  # women of each band, then men
    (11, 1, 2, 1, 1, 984),
    (74, 4, 7, 4, 1, 910),
    (283, 10, 22, 25, 2, 658),
    (599, 13, 38, 85, 5, 260),
    (688, 12, 40, 146, 19, 95),
    (680, 11, 32, 148, 78, 51),
    (634, 7, 24, 114, 179, 42),
    (524, 7, 12, 76, 337, 44),
    (258, 12, 7, 39, 632, 52),
    (2, 1, 2, 1, 0, 994),
    (21, 1, 2, 1, 0, 975),
    (176, 5, 8, 11, 1, 799),
    (554, 11, 20, 60, 1, 354),
    (732, 11, 24, 109, 4, 120),
    (794, 12, 17, 110, 14, 53),
    (804, 9, 17, 87, 40, 43),
    (780, 11, 13, 61, 90, 45),
    (688, 17, 6, 33, 212, 44),
)
WORK = (  # women of each band, then men
    (627, 13, 4, 312, 23, 2, 3, 15, 0, 1),
    (398, 10, 3, 506, 38, 6, 19, 18, 1, 1),
    (291, 12, 2, 578, 43, 9, 32, 30, 2, 1),
    (254, 39, 10, 541, 41, 22, 32, 58, 2, 1),
    (222, 59, 19, 492, 37, 26, 44, 98, 1, 2),
    (332, 66, 20, 397, 30, 26, 36, 91, 0, 2),
    (599, 48, 13, 242, 18, 13, 19, 46, 0, 2),
    (861, 21, 7, 81, 6, 3, 5, 15, 0, 1),
    (967, 9, 1, 17, 1, 1, 1, 3, 0, 0),
    (626, 18, 6, 310, 23, 1, 3, 10, 0, 3),
    (351, 16, 8, 542, 41, 7, 13, 14, 6, 2),
    (184, 23, 8, 670, 50, 9, 23, 23, 9, 1),
    (85, 63, 20, 674, 51, 18, 34, 48, 6, 1),
    (82, 100, 48, 586, 44, 37, 37, 62, 3, 1),
    (164, 115, 62, 486, 36, 37, 36, 63, 0, 1),
    (454, 104, 40, 294, 22, 20, 28, 37, 0, 1),
    (764, 64, 26, 113, 8, 5, 8, 12, 0, 0),
    (914, 33, 10, 34, 3, 1, 1, 4, 0, 0),
)

AGE_EFFECT_KNOTS = (
    (16, -125), (17, -118), (22, -95), (27, -63), (32, -26), (37, -4), (42, 0),
    (47, 14), (52, 22), (57, 19), (62, 8), (67, 5), (72, 0), (94, 0),
)  # fmt: skip
GENDER_EFFECT = (0, 74)
EDUCATION_EFFECT = (-122, -122, -67, -73, -46, -49, -43, -36, -21, 0, 31, 34, 46, 94, 125, 171, 168)
MARITAL_EFFECT = (0, -16, -16, -7, 19, -27)
WORK_EFFECT = (-79, -17, 44, 0, -20, 17, -37, -28, -20, -116)


def salary_points(codes: tuple[Integers, Integers, Integers, Integers, Integers]) -> Integers:
    """Add up the effects (n,) of the five attributes, given as codes from 0 in the order of the columns."""
    effects = (broken_line(AGE_EFFECT_KNOTS), GENDER_EFFECT, EDUCATION_EFFECT, MARITAL_EFFECT, WORK_EFFECT)
    total = np.zeros(len(codes[0]), dtype=np.int64)
    for code, effect in zip(codes, effects, strict=True):
        total += np.asarray(effect, dtype=np.int64)[code]
    return total


SALARY_CLASSES = 50
MODE = 12  # the most frequent salary class; the rarest is 49, the highest (Cao & Karras 2012, section 6)
POINTS_DEVIATION = 98.4  # of the salary points over a generated population
QUASI_IDENTIFIERS = ("age", "gender", "education", "marital_status", "work_class")


def salary_counts(rows: int) -> Integers:
    """Count the records of each salary class, 0 … 49, in a census of ``rows`` people: (50,), summing to ``rows``.

    The paper states only the extremes; the shares between them are a reconstruction, 0.002018 + 0.046384 ·
    (i/49)^1.595179 in ascending order: 0.2018 % for the rarest class, 49, and 4.8402 % for the most
    frequent, 12, the two that the paper names. The other classes fall away from 12 on both sides, as
    salaries do. Every count is the floor of its share of ``rows``; the records still missing go one each to
    the largest remainders.
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
class Census(Dataset):
    """A census of 500,000 people with 50 salary classes, made to the published facts of CENSUS (Cao & Karras 2012).

    The table of Cao & Karras 2012 (section 6, Table 3) cannot be had; this one has its columns and
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
        age = draws.pick(broken_line(AGE_KNOTS), rows)
        band = np.searchsorted(BANDS, age + AGES[0], side="right") - 1
        men = np.asarray(MEN)
        gender = draws.pick_given(np.column_stack([1000 - men, men]), band)
        education = draws.pick_given(EDUCATION, band)
        group = gender * len(BANDS) + band
        marital = draws.pick_given(MARITAL, group)
        work = draws.pick_given(WORK, group)
        points = salary_points((age, gender, education, marital, work))
        salary = self._salaries(points, draws)
        return pl.DataFrame(
            {
                "age": age + AGES[0],
                "gender": pl.Series(GENDERS).gather(gender),
                "education": education + 1,
                "marital_status": pl.Series(MARITAL_STATUSES).gather(marital),
                "work_class": pl.Series(WORK_CLASSES).gather(work),
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
            are dropped. The experiments of Cao & Karras 2012 use the first three unless they say otherwise.

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
            "age": {"role": "quasi", "kind": "integer", "domain": [AGES[0], AGES[-1]]},
            "gender": {"role": "quasi"},
            "education": {"role": "quasi", "kind": "integer", "domain": [1, EDUCATION_LEVELS]},
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
        work = WORK_CLASSES
        sector = (*work[:5], *["Government"] * 4, work[9])
        profit = (*work[:4], *["Public or not for profit"] * 6)
        return {
            "marital_status.csv": [
                [leaf, group, "*"] for leaf, group in zip(MARITAL_STATUSES, marital, strict=True)
            ],
            "work_class.csv": [
                list(row) for row in zip(work, sector, profit, ["*"] * len(work), strict=True)
            ],
        }
