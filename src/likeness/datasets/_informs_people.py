"""Who the patients of the generated INFORMS table are, and how many diagnoses they have.

The shares are per mille, measured on the 26,735 persons with a diagnosis in the 2005 part of the INFORMS 2008
data (MEPS 2005), by age band where they depend on age: sex and race by age; Hispanic by race; poverty by
Hispanic and race; years of education by Hispanic and age; marital status by sex and age. Given these the
attributes are independent. Months of birth are equally frequent; the ages follow a broken line drawn by hand
through their counts.

``MORE`` describes the number of diagnoses beyond the first as negative binomial, fitted by moments to 2005 by
sex and age: its mean in hundredths and its size in tenths.
"""

from __future__ import annotations

BANDS = (0, 5, 16, 25, 35, 45, 55, 65, 75)
"""The first age of each band; ages are those at the end of ``LAST_YEAR``."""
FIRST_YEAR, LAST_YEAR = 1920, 2001
AGE_KNOTS = ((0, 380), (4, 420), (15, 410), (24, 320), (30, 305), (45, 385), (52, 370), (65, 210), (80, 130))
OLDEST = 856
"""Weight of everybody born in the first year or before, on the scale of the knots."""

GENDERS = ("Male", "Female")
RACES = ("White", "Black", "American Indian", "Asian", "Pacific Islander", "Multiple")
EDUCATION_YEARS = (0, 3, 6, 8, 10, 12, 14, 16, 17)
"""Nine values for none, 1-4, 5-7, 8-9, 10-11, 12, 13-15, 16 and more years: their middles."""
MARITAL_STATUSES = ("Married", "Widowed", "Divorced", "Separated", "Never married", "Under 16")
POVERTY_LEVELS = ("Poor", "Near poor", "Low income", "Middle income", "High income")
HISPANIC = ("Yes", "No")

WOMEN = (503, 492, 550, 596, 542, 570, 551, 548, 645)
HISPANIC_BY_RACE = (299, 29, 328, 14, 87, 150)
RACE = (  # by band
    (740, 163, 10, 37, 3, 47),
    (750, 173, 11, 27, 4, 36),
    (753, 178, 11, 26, 3, 29),
    (774, 152, 11, 42, 4, 17),
    (767, 163, 9, 41, 5, 16),
    (778, 159, 9, 33, 5, 17),
    (796, 141, 8, 39, 2, 13),
    (799, 148, 5, 32, 6, 11),
    (821, 133, 6, 26, 3, 10),
)

POVERTY = (  # Hispanic (White, Black, other), then not Hispanic
    (309, 116, 241, 228, 106),
    (315, 145, 202, 194, 145),
    (325, 119, 144, 268, 144),
    (120, 45, 133, 303, 399),
    (300, 79, 184, 263, 174),
    (167, 57, 160, 264, 351),
)

EDUCATION = (  # Hispanic by band, then not Hispanic
    (1000, 0, 0, 0, 0, 0, 0, 0, 0),
    (347, 382, 233, 37, 0, 0, 0, 0, 0),
    (2, 6, 53, 285, 310, 208, 118, 15, 2),
    (3, 43, 138, 160, 124, 289, 147, 74, 21),
    (13, 68, 147, 139, 129, 250, 158, 58, 39),
    (24, 100, 196, 134, 108, 204, 137, 61, 36),
    (50, 159, 175, 107, 71, 261, 107, 47, 24),
    (109, 222, 206, 105, 77, 169, 65, 36, 12),
    (134, 280, 204, 124, 70, 113, 43, 22, 11),
    (1000, 0, 0, 0, 0, 0, 0, 0, 0),
    (328, 374, 249, 46, 2, 0, 0, 0, 0),
    (2, 2, 25, 220, 270, 230, 206, 38, 8),
    (3, 5, 3, 28, 97, 291, 259, 211, 104),
    (1, 5, 7, 30, 82, 340, 240, 183, 111),
    (2, 7, 12, 34, 79, 350, 246, 159, 111),
    (3, 9, 15, 52, 87, 330, 228, 148, 128),
    (6, 15, 33, 78, 104, 358, 189, 117, 101),
    (6, 27, 65, 127, 130, 345, 148, 85, 67),
)

MARRY = (  # men by band, then women
    (0, 0, 0, 0, 0, 1000),
    (0, 0, 0, 0, 11, 989),
    (80, 1, 2, 3, 915, 0),
    (536, 0, 56, 25, 383, 0),
    (692, 2, 107, 21, 177, 0),
    (697, 14, 148, 22, 119, 0),
    (732, 32, 159, 18, 59, 0),
    (740, 79, 124, 20, 37, 0),
    (637, 257, 63, 6, 37, 0),
    (0, 0, 0, 0, 0, 1000),
    (0, 0, 0, 0, 9, 991),
    (153, 0, 10, 9, 828, 0),
    (575, 4, 73, 41, 307, 0),
    (641, 9, 149, 42, 158, 0),
    (590, 51, 219, 42, 98, 0),
    (577, 114, 209, 27, 74, 0),
    (490, 287, 161, 22, 39, 0),
    (235, 651, 59, 7, 48, 0),
)

MORE = (  # men by band, then women: hundredths, tenths
    (157, 14),
    (127, 14),
    (116, 14),
    (118, 10),
    (168, 10),
    (246, 12),
    (342, 17),
    (444, 22),
    (536, 34),
    (128, 17),
    (125, 13),
    (177, 12),
    (214, 14),
    (266, 11),
    (380, 14),
    (469, 19),
    (553, 28),
    (593, 38),
)
