"""Loaders for the public benchmark files: UCI Adult and Census-Income.

The files are not part of the project. The folder that holds them, laid out as
``adult/adult_raw_48842.csv``, ``adult/adult_hierarchy_*.csv`` and
``census_income/census_income_1994_1995_train.csv.gz``, is given, or named by the environment variable
``LIKENESS_DATA``, or found at ``../shared/data``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import polars as pl

from likeness.errors import TableError

VARIABLE = "LIKENESS_DATA"
ADULT_TRAIN_ROWS = 32_561  # the file holds UCI's train part, then its test part

_CENSUS_INCOME_COLUMNS = """
age class_of_worker industry_code occupation_code education wage_per_hour enrolled_in_education
marital_status major_industry major_occupation race hispanic_origin sex union_member
reason_for_unemployment employment_status capital_gains capital_losses dividends tax_filer_status
region_of_previous_residence state_of_previous_residence household_and_family_status household_summary
instance_weight migration_code_msa migration_code_region migration_within_region
live_in_this_house_1_year_ago migration_from_sunbelt persons_worked_for_employer family_members_under_18
country_of_birth_father country_of_birth_mother country_of_birth_self citizenship
own_business_or_self_employed veteran_questionnaire veterans_benefits weeks_worked_in_year year
income_class
"""
CENSUS_INCOME_COLUMNS = tuple(_CENSUS_INCOME_COLUMNS.split())
_CENSUS_INCOME_INTEGERS = """
age industry_code occupation_code wage_per_hour capital_gains capital_losses dividends
persons_worked_for_employer own_business_or_self_employed veterans_benefits weeks_worked_in_year year
"""
CENSUS_INCOME_INTEGERS = tuple(_CENSUS_INCOME_INTEGERS.split())


def adult(
    folder: str | Path | None = None, *, part: Literal["train", "all"] = "train", complete: bool = True
) -> pl.DataFrame:
    """Load UCI Adult with its usual column names (``age`` … ``salary-class``): 15 columns.

    ``part``: ``train`` gives UCI's train part, the file that ARX ships when complete; ``all`` adds the test part.
    ``complete`` leaves out the records with a missing value (``?``): 30,162 of 32,561 rows remain, 45,222 of all 48,842.
    ``folder``: see the module. Raises `TableError` where the folder or the file is missing.
    """
    path = _find(folder, "adult/adult_raw_48842.csv")
    table = pl.read_csv(path, infer_schema_length=None)
    if part == "train":
        table = table.head(ADULT_TRAIN_ROWS)
    if complete:
        table = table.filter(~pl.any_horizontal(pl.col(pl.String) == "?"))
    return table


def adult_hierarchies(folder: str | Path | None = None) -> dict[str, Path]:
    """Find the generalization hierarchies that ARX ships for Adult: path by column name.

    ARX's format, ``;`` between labels. ``folder`` and `TableError` as for `adult`.
    """
    start = "adult_hierarchy_"
    example = _find(folder, f"adult/{start}age.csv")
    return {path.stem.removeprefix(start): path for path in sorted(example.parent.glob(f"{start}*.csv"))}


def census_income(folder: str | Path | None = None) -> pl.DataFrame:
    """Load UCI Census-Income (KDD), training part, with column names, which the file lacks: 199,523 rows, 42 columns.

    Whole numbers and the real ``instance_weight`` are numbers, the rest is text without the blanks around it:
    ``income_class`` is ``- 50000.`` or ``50000+.``. ``?``, missing, is left as it is; ``NA`` (hispanic origin) is a value.
    ``folder`` and `TableError` as for `adult`.
    """
    path = _find(folder, "census_income/census_income_1994_1995_train.csv.gz")
    table = pl.read_csv(path, has_header=False, new_columns=list(CENSUS_INCOME_COLUMNS), infer_schema=False)
    return table.with_columns(pl.all().str.strip_chars()).with_columns(
        pl.col(*CENSUS_INCOME_INTEGERS).cast(pl.Int64), pl.col("instance_weight").cast(pl.Float64)
    )


def _find(folder: str | Path | None, name: str) -> Path:
    """Path of one benchmark file, or a clear refusal."""
    fallback = Path("../shared/data")
    found = Path(folder or os.environ.get(VARIABLE) or fallback)
    if not found.is_dir():
        raise TableError(f"{found}: no such folder of benchmark files; set {VARIABLE} to where they are")
    path = found / name
    if not path.is_file():
        raise TableError(f"{found}: the folder of benchmark files lacks {name}; see {VARIABLE}")
    return path
