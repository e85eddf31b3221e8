"""INFORMS 2005, the part of the paper's data that can be had: two files of MEPS 2005, joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from papers.figures.data import data_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FOLDER = "informs2008"
DEMOGRAPHICS, CONDITIONS = f"{FOLDER}/demographics05test.csv", f"{FOLDER}/conditions05.csv"
HIERARCHIES = f"{FOLDER}/hierarchies"
NAMES = {
    "DUPERSID": "patient_id",
    "DOBMM": "month",
    "DOBYY": "year",
    "SEX": "gender",
    "RACEX": "race",
    "EDUCYEAR": "educ_year",
    "marry": "marry",
    "poverty": "poverty",
    "HISPANX": "hispanx",
}
"""Column of the file to the paper's attribute, in the paper's order."""
NOT_APPLICABLE, UNKNOWN = -1, (-7, -8, -9)
"""Codes of MEPS for answers there are not: not asked of this person; refused, not known, not ascertained."""


def informs_2005(folder: Path | None) -> pl.DataFrame:
    """Join the persons of INFORMS 2005 with their conditions, one record a distinct pair of person and code.

    Persons without conditions are left out, repeated conditions of a person too. What is missing:

    * years of education -1, not asked of children under six (and 20 others): 0 years, as nearly all of them have;
    * years of education -7, -8, -9 (172 persons): the median of those known, 12 (`impute_median`);
    * marital status -7, -8, -9 occurs only with persons without conditions;
    * condition codes -1 and -9 are kept as two values like any other, for 119 persons have nothing else and the
      published number of persons, 26,854, counts them.

    Parameters
    ----------
    folder
        The folder of real tables.

    Returns
    -------
    polars.DataFrame
        98,703 rows of 26,854 persons; the columns of the generated table (``likeness generate informs``).

    Raises
    ------
    TableError
        When the folder or a file is missing.
    """
    people = persons_2005(folder)
    codes = pl.read_csv(data_file(folder, CONDITIONS), infer_schema=False).select(
        patient_id="DUPERSID", diagnosis="ICD9CODX"
    )
    known = pl.col("educ_year").filter(pl.col("educ_year") >= 0)
    records = codes.unique(maintain_order=True).join(
        people, on="patient_id", how="inner", maintain_order="left"
    )
    with_records = people.filter(pl.col("patient_id").is_in(records["patient_id"].unique().implode()))
    middle = int(with_records.select(known.median()).item())
    years = (
        pl.when(pl.col("educ_year") == NOT_APPLICABLE)
        .then(0)
        .when(pl.col("educ_year").is_in(UNKNOWN))
        .then(middle)
        .otherwise(pl.col("educ_year"))
    )
    return records.with_columns(educ_year=years.cast(pl.Int64)).select(*NAMES.values(), "diagnosis")


def persons_2005(folder: Path | None) -> pl.DataFrame:
    """Read the persons as the file has them, 33,961 rows, under the paper's names.

    Parameters
    ----------
    folder
        The folder of real tables.
    """
    texts = {"DUPERSID": pl.String}
    table = pl.read_csv(data_file(folder, DEMOGRAPHICS), schema_overrides=texts)
    return table.select(pl.col(name).alias(own) for name, own in NAMES.items())


def trees_2005(table: pl.DataFrame, like: Mapping[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    """Make a hierarchy of every quasi-identifier of INFORMS 2005, in the manner of those of the generated table.

    The hierarchies that come with the data lack values (marital status -7, -8, -9), and do not give the heights that the
    paper used either.

    Parameters
    ----------
    table
        What `informs_2005` gives.
    like
        The hierarchies of the generated table: those of months are taken as they are.
    """
    first, last = int(table["year"].min()), int(table["year"].max())  # type: ignore[arg-type]
    marry = {
        1: "Has a spouse",
        2: "Had a spouse",
        3: "Had a spouse",
        4: "Had a spouse",
        5: "Never",
        6: "Never",
    }
    schooling = ((0, "none"), (8, "1-8"), (12, "9-12"), (17, "13-17"))
    return {
        "month": like["month.csv"],
        "year": [
            [
                str(year),
                *(
                    f"{year // width * width}-{year // width * width + width - 1}"
                    for width in (5, 10, 20, 40)
                ),
                "*",
            ]
            for year in range(first, last + 1)
        ],
        "gender": [["1", "*"], ["2", "*"]],
        "race": [[str(code), "*"] for code in range(1, 7)],
        "educ_year": [
            [str(years), next(name for most, name in schooling if years <= most), "*"] for years in range(18)
        ],
        "marry": [[str(code), group, "*"] for code, group in marry.items()],
        "poverty": [[str(code), "1-3" if code <= 3 else "4-5", "*"] for code in range(1, 6)],
        "hispanx": [["1", "*"], ["2", "*"]],
    }
