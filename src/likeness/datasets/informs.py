"""Patients with several diagnoses to the published facts of INFORMS 2008; a 1:M table.

The shares are per mille, measured on the 26,735 persons with a diagnosis in the 2005 part of the INFORMS 2008
data (MEPS 2005), by age band where they depend on age: sex and race by age; Hispanic by race; poverty by
Hispanic and race; years of education by Hispanic and age; marital status by sex and age. Given these the
attributes are independent. Months of birth are equally frequent; the ages follow a broken line drawn by hand
through their counts.

``MORE`` describes the number of diagnoses beyond the first as negative binomial, fitted by moments to 2005 by sex and age: its
mean in hundredths and its size in tenths.

The 619 diagnoses are ICD-9 categories by chapter. ``CHAPTERS`` gives each chapter's name, how frequencies fall with the rank
within it, and its codes, the most frequent first. The frequency of rank r = 1, 2, ... is proportional to
(r + offset)^-(quarters / 4), the Zipf-Mandelbrot law, fitted by likelihood to the 599 codes of the 2005 part of the INFORMS 2008
data; 20 categories that do not occur there stand at the ends, to make the published 619. ``CHAPTER_SHARES`` are the shares of the
chapters by sex and age, per mille of the diagnoses, from the same data, but for a man's pregnancy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar

import numpy as np
import polars as pl

from likeness.datasets import _patients as _residents
from likeness.datasets.base import Dataset, Draws, Integers, broken_line, check_size
from likeness.errors import InvalidError

RECORDS, PATIENTS = 456_767, 49_384
QUASI_IDENTIFIERS = ("month", "year", "gender", "race", "educ_year", "marry", "poverty", "hispanx")


def patients_of(rows: int) -> int:
    """Say how many patients a table of so many records has: in proportion to the full size, rounded, at least one."""
    return max(1, (rows * PATIENTS + RECORDS // 2) // RECORDS)


@dataclass(frozen=True)
class Informs(Dataset):
    """Patients with several diagnoses, made to the published facts of INFORMS 2008; a 1:M table.

    The table of Wang et al. 2019 (section 5, table 5) cannot be had; this one has its size, 49,384
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
        group = woman * len(BANDS) + bands(age)
        counts = fit(draws, draw_counts(draws, group), rows)
        patient = np.repeat(np.arange(patients), counts)
        drawn = draw_diagnoses(draws, group, patient)
        return who[patient].with_columns(diagnosis=pl.Series(codes()).gather(drawn))

    def policy(self, quasi: int = 8, *, trees: bool = False) -> dict[str, Any]:
        """Give a ready policy: enhanced identity-reserved l-diversity, l = 6.

        Parameters
        ----------
        quasi
            How many of the attributes, in the order of the columns, are quasi-identifiers, 1 to 8; the others
            are dropped. The experiments of Wang et al. 2019 use the first 3 to 8, and 6 unless they say otherwise.
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
            "year": {"kind": "integer", "domain": [FIRST_YEAR, LAST_YEAR]},
            "educ_year": {"kind": "integer", "domain": [0, EDUCATION_YEARS[-1]]},
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
                [str(y), *(_run(y, 1920, width, LAST_YEAR) for width in (5, 10, 20, 40)), "*"]
                for y in range(FIRST_YEAR, LAST_YEAR + 1)
            ],
            "gender.csv": [[name, "*"] for name in GENDERS],
            "race.csv": [[name, "*"] for name in RACES],
            "educ_year.csv": [
                [str(years), ("none", "1-8", "9-12", "13-17")[(years > 0) + (years > 8) + (years > 12)], "*"]
                for years in EDUCATION_YEARS
            ],
            "marry.csv": [
                [name, group, "*"]
                for name, group in zip(
                    MARITAL_STATUSES,
                    ("Has a spouse", "Had a spouse", "Had a spouse", "Had a spouse", "Never", "Never"),
                    strict=True,
                )
            ],
            "poverty.csv": [
                [name, "Below the middle" if i < 3 else "Middle and above", "*"]
                for i, name in enumerate(POVERTY_LEVELS)
            ],
            "hispanx.csv": [[name, "*"] for name in HISPANIC],
            "diagnosis.csv": rows(),
        }


def _run(value: int, first: int, width: int, last: int = 10**9) -> str:
    """Name the run of whole numbers that a value lies in, counted from the first."""
    low = value - (value - first) % width
    return f"{low}-{min(low + width - 1, last)}"


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


MOST = 100
"""Most diagnoses of one patient."""
STRETCH = 3.149
"""How many times more further diagnoses than in 2005: (456,767 / 49,384 - 1) / (3.6194 - 1)."""


def bands(age: Integers) -> Integers:
    """(n,) Age band of each patient."""
    return np.searchsorted(BANDS, age, side="right") - 1


def draw_people(draws: Draws, n: int) -> tuple[pl.DataFrame, Integers, Integers]:
    """Draw everything about n patients but their diagnoses; also their ages, and who is a woman."""
    age = draws.pick(np.append(broken_line(AGE_KNOTS), OLDEST), n)
    band = bands(age)
    woman = _coin(draws, WOMEN, band)
    race = draws.pick_given(RACE, band)
    not_hispanic = 1 - _coin(draws, HISPANIC_BY_RACE, race)
    poverty = draws.pick_given(POVERTY, not_hispanic * 3 + np.minimum(race, 2))
    education = draws.pick_given(EDUCATION, not_hispanic * len(BANDS) + band)
    marry = draws.pick_given(MARRY, woman * len(BANDS) + band)
    who = pl.DataFrame(
        {
            "patient_id": _residents.draw_identifiers(draws, n),
            "month": draws.below(12, n) + 1,
            "year": LAST_YEAR - age,
            "gender": pl.Series(GENDERS).gather(woman),
            "race": pl.Series(RACES).gather(race),
            "educ_year": np.asarray(EDUCATION_YEARS)[education],
            "marry": pl.Series(MARITAL_STATUSES).gather(marry),
            "poverty": pl.Series(POVERTY_LEVELS).gather(poverty),
            "hispanx": pl.Series(HISPANIC).gather(not_hispanic),
        }
    )
    return who, age, woman


def _coin(draws: Draws, per_mille: tuple[int, ...], given: Integers) -> Integers:
    """Draw 1 with a chance that depends on what is given, else 0."""
    chances = np.asarray(per_mille)
    return draws.pick_given(np.column_stack([1000 - chances, chances]), given)


def draw_counts(draws: Draws, group: Integers) -> Integers:
    """Draw every patient's number of diagnoses, 1 … MOST: 1 + a negative binomial by group."""
    table = np.zeros((len(MORE), MOST), np.int64)
    for row, (hundredths, tenths) in enumerate(MORE):
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
    starts = np.concatenate([[0], np.cumsum(sizes())])
    ranks = rank_weights()
    codes = np.empty(patient.size, np.int64)
    again = np.arange(patient.size)
    looked = again
    while again.size:
        chapter = draws.pick_given(CHAPTER_SHARES, group[patient[again]])
        codes[again] = starts[chapter] + draws.pick_given(ranks, chapter)
        looked = looked[np.isin(patient[looked], patient[again])]  # the others have enough by now
        keys = patient[looked] * starts[-1] + codes[looked]
        first = np.unique(keys, return_index=True)[1]
        again = np.delete(looked, first)
    return codes


CHAPTERS = (
    (
        "Infectious and parasitic diseases",
        6,
        0,
        (
            "008 034 079 110 112 078 054 041 005 136 053 070 009 075 042 052 111 117 088 038 057 132 "
            "133 135 011 040 099 139 074 097 002 036 045 055 072 084 098"
        ),
    ),
    (
        "Neoplasms",
        8,
        5,
        (
            "173 239 216 174 185 199 232 211 153 215 218 162 172 208 238 179 202 214 188 217 170 195 "
            "193 149 180 229 155 154 171 189 224 157 187 191 198 203 207 201 220 225 227 228 237 141 "
            "150 151 156 204 205 219"
        ),
    ),
    (
        "Endocrine and metabolic diseases",
        12,
        3,
        (
            "272 250 246 244 276 274 259 242 278 251 256 275 269 277 240 279 257 266 241 258 271 255 "
            "268 245 252 253"
        ),
    ),
    (
        "Diseases of the blood",
        7,
        0,
        ("285 280 289 282 287 286 288 281 283 284"),
    ),
    (
        "Mental disorders",
        12,
        3,
        (
            "311 300 308 314 296 309 295 294 312 307 302 299 305 315 304 306 303 319 313 298 301 297 "
            "317 318 290"
        ),
    ),
    (
        "Diseases of the nervous system",
        10,
        8,
        (
            "382 346 367 366 365 389 372 354 355 360 379 388 362 369 368 380 375 333 345 331 332 340 "
            "373 386 349 381 348 374 361 378 384 336 351 322 344 356 343 371 353 342 377 347 358 359 "
            "350 364 385 370 323 337 352 363 357"
        ),
    ),
    (
        "Diseases of the circulatory system",
        7,
        0,
        (
            "401 429 427 428 459 410 436 444 424 455 414 413 454 458 435 447 453 412 433 434 440 443 "
            "438 442 441 415 425 426 451 411 437 446 431 448 456 457 403 416 423 397 421"
        ),
    ),
    (
        "Diseases of the respiratory system",
        12,
        5,
        (
            "460 477 487 493 473 490 478 462 486 465 519 492 518 514 496 463 464 491 474 511 466 470 "
            "471 515 461 505 472 480 485 482 508"
        ),
    ),
    (
        "Diseases of the digestive system",
        8,
        3,
        (
            "530 536 525 564 522 553 537 535 575 531 523 528 569 562 521 574 573 558 571 520 578 524 "
            "577 555 560 541 550 526 556 529 533 565 579 527 557 568 532 540 566 576 567"
        ),
    ),
    (
        "Diseases of the genitourinary system",
        9,
        8,
        (
            "599 595 627 625 611 626 593 592 590 596 602 600 620 616 586 623 610 601 617 607 622 608 "
            "621 629 628 618 614 598 585 604 583 615 580"
        ),
    ),
    (
        "Pregnancy and childbirth",
        11,
        5,
        ("650 648 634 669 674 644 643 642 646 633 641 637"),
    ),
    (
        "Diseases of the skin",
        12,
        8,
        (
            "692 706 709 686 703 707 696 701 700 708 680 695 682 698 693 704 691 681 684 705 702 690 "
            "683 685 697"
        ),
    ),
    (
        "Diseases of the musculoskeletal system",
        11,
        5,
        (
            "724 716 719 729 733 722 726 723 728 727 715 721 714 737 710 717 738 734 718 735 720 736 "
            "730 711 732 725"
        ),
    ),
    (
        "Congenital anomalies",
        4,
        2,
        ("756 753 758 746 755 759 741 749 754 747 752 743 742 745 757 744 748 751"),
    ),
    (
        "Perinatal conditions",
        8,
        1,
        ("765 779"),
    ),
    (
        "Symptoms and signs",
        12,
        5,
        ("780 786 782 784 787 785 788 790 789 799 783 797 781 795 793 791 794 796 792"),
    ),
    (
        "Injury and poisoning",
        5,
        2,
        (
            "959 847 845 873 840 995 924 844 989 883 842 848 825 816 836 882 923 824 891 826 814 818 "
            "850 807 922 805 839 920 921 998 846 892 831 802 812 820 918 879 919 815 996 827 916 854 "
            "843 930 944 871 881 910 810 884 943 822 823 977 813 994 945 835 917 952 992 808 999 869 "
            "893 911 913 915 872 940 933 941 949 886 931 832 841 890 914 997 829 821 834 863 870 932 "
            "938 987 904 908 927 803 838 946 957 811 880 905 928 980 984 837 874 876 942 955 956 877 "
            "990 947 958"
        ),
    ),
    (
        "Other contacts with health services",
        11,
        8,
        (
            "V68 V22 V77 V25 V72 V81 V70 V07 V65 V71 V58 V67 V45 V41 V30 V40 V76 V12 V10 V53 V47 V52 "
            "V15 V49 V82 V43 V20 V62 V61 V13 V54 V24 V57 V69 V80 V04 V08 V48 V26 V44 V50 V74 V42 V05 "
            "V01 V56 V73 V03 V09 V66 V79 V06 V18 V55 V75 V14 V60"
        ),
    ),
)

CHAPTER_SHARES = (  # men by band, then women
    (126, 2, 6, 6, 6, 144, 3, 373, 39, 6, 0, 37, 5, 10, 7, 133, 58, 38),
    (131, 2, 8, 2, 85, 79, 4, 360, 43, 7, 0, 33, 19, 3, 0, 100, 97, 24),
    (91, 3, 11, 2, 99, 50, 11, 294, 57, 10, 0, 52, 61, 3, 0, 68, 164, 22),
    (81, 10, 28, 3, 82, 44, 30, 261, 65, 18, 0, 38, 97, 1, 0, 75, 140, 25),
    (56, 12, 74, 1, 71, 52, 76, 198, 74, 15, 0, 30, 128, 1, 0, 76, 103, 34),
    (44, 17, 105, 2, 66, 55, 114, 146, 70, 18, 0, 25, 128, 2, 0, 82, 77, 48),
    (31, 26, 142, 2, 53, 48, 160, 105, 64, 30, 0, 24, 118, 2, 0, 77, 53, 65),
    (19, 37, 146, 4, 28, 69, 177, 93, 59, 40, 0, 24, 110, 1, 0, 81, 34, 79),
    (16, 49, 116, 7, 25, 88, 181, 75, 56, 46, 0, 27, 93, 1, 0, 95, 39, 87),
    (128, 0, 4, 7, 5, 153, 2, 356, 37, 20, 0, 37, 6, 8, 3, 140, 53, 41),
    (148, 4, 8, 2, 49, 90, 4, 345, 50, 30, 0, 40, 23, 4, 0, 101, 78, 23),
    (90, 6, 18, 8, 75, 50, 8, 224, 49, 72, 15, 42, 57, 1, 0, 78, 75, 131),
    (64, 11, 40, 7, 88, 55, 25, 182, 54, 59, 20, 27, 72, 1, 0, 86, 59, 149),
    (61, 17, 60, 5, 96, 60, 52, 174, 65, 62, 7, 28, 100, 2, 0, 83, 60, 69),
    (45, 15, 91, 6, 85, 60, 82, 141, 67, 51, 0, 26, 131, 1, 0, 92, 55, 54),
    (31, 22, 127, 5, 62, 54, 112, 120, 65, 42, 0, 23, 147, 1, 0, 77, 46, 67),
    (22, 23, 134, 5, 40, 67, 143, 94, 60, 32, 0, 23, 153, 1, 0, 82, 45, 75),
    (18, 24, 127, 9, 37, 80, 171, 69, 50, 27, 0, 23, 140, 2, 0, 103, 46, 74),
)


def codes() -> list[str]:
    """List all codes, chapter by chapter."""
    return [code for *_, own in CHAPTERS for code in own.split()]


def rows() -> list[list[str]]:
    """Give the hierarchy of diagnoses: the code, its chapter, the root."""
    return [[code, name, "*"] for name, *_, own in CHAPTERS for code in own.split()]


def sizes() -> Integers:
    """(chapters,) Number of codes of each chapter."""
    return np.array([len(own.split()) for *_, own in CHAPTERS], np.int64)


def rank_weights() -> Integers:
    """(chapters, longest) Whole-number weight of every rank within a chapter, 0 beyond its end.

    Quarter powers are square roots of square roots, which every machine rounds alike.
    """
    longest = int(sizes().max())
    table = np.zeros((len(CHAPTERS), longest), np.int64)
    for chapter, (_, quarters, offset, own) in enumerate(CHAPTERS):
        base = (1.0 + offset) / (np.arange(1, len(own.split()) + 1) + offset)
        root = np.sqrt(np.sqrt(base))
        power = np.ones(base.size)
        for _ in range(quarters):
            power = power * root
        table[chapter, : base.size] = np.floor(power * 1e7)
    return table
