"""The diagnoses of the generated hospitals: some forty diseases, what makes them likely, their hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from likeness.datasets._draws import Draws, Integers

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
    """List the hierarchy of diagnoses, one row a disease: disease, block, chapter, root.

    Examples
    --------
    >>> diagnosis_rows()[0]
    ['Gastroenteritis', 'Bacterial and intestinal infections', 'Infectious diseases', '*']
    """
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
