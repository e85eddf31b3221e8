"""The patients of the generated hospitals: invented names, ZIP codes and ages; some forty diseases with their hierarchy.

Each disease says what makes it likely.
"""

from __future__ import annotations

from string import ascii_uppercase
from typing import NamedTuple

import numpy as np
import polars as pl

from likeness.datasets.base import Draws, Integers, broken_line

SEXES = ("Female", "Male")
OLDEST = 102

AGE_KNOTS = (
    (0, 16000),
    (1, 6000),
    (5, 4000),
    (15, 5000),
    (25, 8500),
    (40, 8000),
    (60, 13000),
    (75, 16000),
    (88, 8000),
    (102, 200),
)

_WOMEN = """
Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret
Ashley Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia
Dorothy Amy Kathleen Angela Shirley Emma Brenda Pamela Nicole Anna Samantha Katherine Christine Helen
Debra Rachel Carolyn Janet Maria Olivia Heather Diane Julie Joyce Victoria Ruth Virginia Lauren Kelly
Christina Joan Evelyn Judith Andrea Hannah Megan Cheryl Jacqueline Martha Teresa Gloria Sara Janice Ann
Abigail Julia Grace Sophia Frances Isabella
"""
WOMEN = tuple(_WOMEN.split())

_MEN = """
James Robert John Michael David William Richard Joseph Thomas Christopher Charles Daniel Matthew Anthony
Mark Donald Steven Andrew Paul Joshua Kenneth Kevin Brian Timothy Ronald George Jason Edward Jeffrey Ryan
Jacob Nicholas Gary Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Alexander
Patrick Frank Raymond Jack Dennis Jerry Tyler Aaron Jose Adam Nathan Henry Zachary Douglas Peter Kyle
Noah Ethan Jeremy Christian Walter Keith Austin Roger Terry Sean Gerald Carl Dylan Harold Jordan Jesse
Bryan Lawrence Arthur Gabriel
"""
MEN = tuple(_MEN.split())

_SURNAMES = """
Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson
Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis
Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall
Rivera Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins
Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly
Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes
Price Alvarez Castillo Sanders Patel Myers Long Ross Foster Jimenez Powell Jenkins Perry Russell Sullivan
Bell Coleman Butler Henderson Barnes Fisher Vasquez Simmons O'Brien Murray Ford Castro Marshall Owens
Harrison Fernandez McDonald Woods Washington Kennedy Wells Vargas Chen Freeman Webb Tucker Guzman Burns
Crawford Olson Simpson Porter Hunter Gordon Mendez Silva Shaw Snyder Mason Dixon Munoz Hunt Hicks Holmes
Palmer Wagner Black Robertson Boyd Rose Stone Salazar Fox Warren Mills Meyer
"""
SURNAMES = tuple(_SURNAMES.split())

# ZIP codes by their first three digits: the hospital's own region first, patients from afar last
ZIP_AREAS = (
    ("021", 24), ("024", 12), ("018", 14), ("019", 12), ("017", 10), ("023", 10), ("027", 10), ("028", 8),
    ("030", 8), ("010", 6), ("061", 6), ("068", 4), ("100", 8), ("112", 6), ("120", 4), ("331", 4),
    ("606", 3), ("941", 3),
)  # fmt: skip


def zip_codes() -> list[str]:
    """List the ZIP codes that patients come from, those of the largest areas first."""
    return [f"{area}{(8 + 7 * i) % 100:02d}" for area, size in ZIP_AREAS for i in range(size)]


def _falling(n: int, *, flat: int = 0) -> Integers:
    """Weights in proportion to 1 / (rank + flat): a long tail."""
    return 1_000_000 // (np.arange(1, n + 1) + flat)


def draw_ages(draws: Draws, n: int) -> Integers:
    """Draw the ages (n,) of patients, 0 to 102, in whole years."""
    return draws.pick(broken_line(AGE_KNOTS), n)


def draw_sexes(draws: Draws, ages: Integers) -> Integers:
    """Draw sexes (n,), 0 female, 1 male: more women at the age of childbirth, and among the oldest."""
    stage = np.searchsorted([15, 45, 75], ages, side="right")
    return draws.pick_given(((480, 520), (620, 380), (480, 520), (580, 420)), stage)


def draw_zips(draws: Draws, n: int) -> pl.Series:
    """Draw ZIP codes (n,) with a long-tailed number of patients each."""
    codes = zip_codes()
    return pl.Series(codes).gather(draws.pick(_falling(len(codes), flat=4), n))


def draw_names(draws: Draws, sexes: Integers) -> pl.Series:
    """Draw full names (n,) such as ``Mary Q. Smith``, first names by sex; some people share one."""
    first = pl.Series([*WOMEN, *MEN])
    counts = _falling(len(WOMEN), flat=20), _falling(len(MEN), flat=20)
    table = np.zeros((2, len(first)), dtype=np.int64)
    table[0, : len(WOMEN)], table[1, len(WOMEN) :] = counts
    given = first.gather(draws.pick_given(table, sexes))
    family = pl.Series(SURNAMES).gather(draws.pick(_falling(len(SURNAMES), flat=20), len(sexes)))
    initial = pl.Series([*ascii_uppercase]).gather(draws.below(26, len(sexes)))
    return given + " " + initial + ". " + family


def draw_identifiers(draws: Draws, n: int) -> pl.Series:
    """Give n people distinct numbers such as ``P0004711``, in random order."""
    digits = max(7, len(str(n)))
    numbers = pl.Series(draws.order(n) + 1).cast(pl.String).str.zfill(digits)
    return "P" + numbers


AGE_BANDS = (0, 15, 45, 65, 80)  # the first age of each


class Disease(NamedTuple):
    """One diagnosis: how likely it is at an age and sex, and what it takes to treat."""

    name: str
    ages: tuple[int, int, int, int, int]  # weight in each of AGE_BANDS
    women: int = 100  # percent of that weight
    men: int = 100
    days: int = 3  # typical length of stay
    cost: int = 1200  # typical cost of a visit, dollars
    chronic: bool = False


CATALOGUE: dict[str, dict[str, tuple[Disease, ...]]] = {  # by chapter and block
    "Infectious diseases": {
        "Bacterial and intestinal infections": (
            Disease("Gastroenteritis", (120, 30, 25, 30, 45), days=3),
            Disease("Sepsis", (20, 12, 35, 65, 100), days=9, cost=6200),
        ),
        "Viral infections": (
            Disease("HIV disease", (1, 22, 18, 4, 1), 60, 140, 6, 2400, chronic=True),
            Disease("Viral hepatitis", (3, 16, 24, 10, 4), 80, 120, 5, 1900, chronic=True),
        ),
    },
    "Neoplasms": {
        "Cancers of digestive organs": (
            Disease("Colorectal cancer", (1, 5, 38, 52, 40), 85, 115, 9, 7800, chronic=True),
            Disease("Pancreatic cancer", (1, 1, 15, 22, 16), 95, 105, 10, 8100, chronic=True),
        ),
        "Cancers of breast and genital organs": (
            Disease("Breast cancer", (0, 18, 60, 45, 30), 200, 2, 4, 6900, chronic=True),
            Disease("Prostate cancer", (0, 1, 30, 65, 40), 0, 200, 5, 6400, chronic=True),
        ),
        "Cancers of lung and blood": (
            Disease("Lung cancer", (1, 3, 42, 55, 24), 80, 120, 8, 8600, chronic=True),
            Disease("Leukaemia", (14, 8, 14, 22, 18), 90, 110, 14, 12500, chronic=True),
        ),
    },
    "Endocrine and metabolic diseases": {
        "Diabetes mellitus": (
            Disease("Diabetes type 1", (26, 18, 9, 5, 2), 95, 105, 5, 1500, chronic=True),
            Disease("Diabetes type 2", (1, 14, 60, 70, 55), 95, 105, 6, 1400, chronic=True),
        ),
        "Obesity and other metabolic disorders": (
            Disease("Obesity", (6, 26, 24, 6, 1), 130, 70, 4, 3600, chronic=True),
        ),
    },
    "Mental disorders": {
        "Mood and anxiety disorders": (
            Disease("Depressive episode", (6, 46, 42, 20, 14), 130, 70, 18, 900, chronic=True),
            Disease("Anxiety disorder", (12, 34, 20, 8, 5), 135, 65, 9, 700, chronic=True),
        ),
        "Substance use and psychotic disorders": (
            Disease("Alcohol dependence", (1, 52, 62, 14, 2), 50, 150, 8, 1100, chronic=True),
            Disease("Schizophrenia", (1, 32, 20, 6, 2), 85, 115, 21, 1300, chronic=True),
        ),
    },
    "Diseases of the nervous system": {
        "Episodic disorders": (
            Disease("Epilepsy", (45, 22, 20, 22, 20), 90, 110, 4, 1600, chronic=True),
            Disease("Migraine", (14, 28, 16, 4, 1), 145, 55, 2, 600, chronic=True),
        ),
        "Degenerative disorders": (
            Disease("Parkinson disease", (0, 1, 10, 34, 36), 85, 115, 9, 1800, chronic=True),
            Disease("Alzheimer disease", (0, 0, 3, 24, 62), 110, 90, 12, 1500, chronic=True),
        ),
    },
    "Diseases of the circulatory system": {
        "Ischaemic heart diseases": (
            Disease("Angina pectoris", (0, 6, 58, 78, 48), 75, 125, 3, 2600, chronic=True),
            Disease("Myocardial infarction", (0, 7, 66, 82, 74), 65, 135, 6, 9400),
        ),
        "Other heart diseases": (
            Disease("Atrial fibrillation", (1, 8, 52, 92, 86), 90, 110, 3, 2900, chronic=True),
            Disease("Heart failure", (2, 5, 40, 105, 190), days=9, cost=4300, chronic=True),
        ),
        "Cerebrovascular diseases": (Disease("Stroke", (2, 8, 46, 88, 112), days=10, cost=6800),),
    },
    "Diseases of the respiratory system": {
        "Acute respiratory infections": (Disease("Pneumonia", (95, 18, 34, 72, 130), 90, 110, 7, 3100),),
        "Chronic respiratory diseases": (
            Disease("Asthma", (70, 16, 14, 10, 6), days=4, cost=1100, chronic=True),
            Disease(
                "Chronic obstructive pulmonary disease", (0, 4, 58, 92, 54), 90, 110, 8, 3300, chronic=True
            ),
        ),
    },
    "Diseases of the digestive system": {
        "Diseases of gallbladder and liver": (
            Disease("Gallstones", (2, 52, 64, 50, 30), 130, 70, 4, 4100),
            Disease("Liver cirrhosis", (1, 9, 34, 18, 5), 60, 140, 9, 4700, chronic=True),
        ),
        "Diseases of appendix and intestines": (
            Disease("Appendicitis", (72, 42, 14, 6, 3), 90, 110, 4, 5200),
            Disease("Crohn disease", (10, 24, 12, 7, 3), 105, 95, 6, 2700, chronic=True),
        ),
    },
    "Diseases of the musculoskeletal system": {
        "Joint and spine disorders": (
            Disease("Knee arthrosis", (0, 5, 72, 98, 38), 115, 85, 7, 7100, chronic=True),
            Disease("Disc disorder", (2, 46, 58, 32, 14), days=5, cost=2800, chronic=True),
        ),
    },
    "Diseases of the genitourinary system": {
        "Urinary diseases": (
            Disease("Kidney stones", (4, 44, 52, 24, 10), 65, 135, 3, 2500),
            Disease("Kidney failure", (4, 8, 28, 52, 60), 85, 115, 9, 5600, chronic=True),
        ),
        "Male genital diseases": (
            Disease("Prostatic hyperplasia", (0, 1, 30, 66, 42), 0, 200, 4, 3200, chronic=True),
        ),
    },
    "Pregnancy and childbirth": {
        "Pregnancy and childbirth": (Disease("Childbirth", (0, 260, 1, 0, 0), 200, 0, 3, 4500),),
    },
    "Injuries": {
        "Fractures": (
            Disease("Hip fracture", (4, 6, 20, 62, 170), 125, 75, 12, 8900),
            Disease("Forearm fracture", (85, 28, 34, 34, 30), 105, 95, 3, 2200),
        ),
        "Head injuries": (Disease("Concussion", (110, 40, 18, 20, 40), 85, 115, 2, 900),),
    },
}

DISEASES = tuple(
    disease for blocks in CATALOGUE.values() for diseases in blocks.values() for disease in diseases
)


def diagnosis_rows() -> list[list[str]]:
    """List the hierarchy of diagnoses, one row a disease: disease, block, chapter, root."""
    return [
        [disease.name, block, chapter, "*"]
        for chapter, blocks in CATALOGUE.items()
        for block, diseases in blocks.items()
        for disease in diseases
    ]


def draw_diagnoses(draws: Draws, ages: Integers, sexes: Integers) -> Integers:
    """Draw diagnoses (n,), positions in :data:`DISEASES`, by age in years and sex (0 female, 1 male)."""
    by_age = np.array([disease.ages for disease in DISEASES]).T
    by_sex = np.array([(disease.women, disease.men) for disease in DISEASES]).T
    table = (by_sex[:, None, :] * by_age[None, :, :]).reshape(-1, len(DISEASES))
    band = np.searchsorted(AGE_BANDS, ages, side="right") - 1
    return draws.pick_given(table, sexes * len(AGE_BANDS) + band)


def field(name: str) -> Integers:
    """Read one whole-number field of every disease, in the order of :data:`DISEASES`."""
    return np.array([getattr(disease, name) for disease in DISEASES], dtype=np.int64)
