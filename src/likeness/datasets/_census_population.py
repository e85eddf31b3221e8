"""Who lives in the generated census: shares of the quasi-identifiers, and what they add to a salary.

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

import numpy as np

from likeness.datasets._draws import Integers, broken_line

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
