"""The tables of the benchmark: generated census, and Adult where the real tables are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

import likeness as lk
from likeness.datasets.census import Census
from likeness.datasets.files import adult

QUASI_3 = ("age", "sex", "education")
QUASI_6 = (*QUASI_3, "race", "marital-status", "native-country")
QUASI_8 = (*QUASI_6, "workclass", "salary-class")


def data_folder() -> Path | None:
    """Folder of the real tables, or None."""
    named = os.environ.get("LIKENESS_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def adult_rows(folder: Path) -> pl.DataFrame:
    """The 30,162 complete rows of Adult's train part."""
    return adult(folder)


def resampled(table: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Rows drawn with replacement, seeded."""
    return table[np.random.default_rng(1).integers(0, table.height, rows)]


def census(rows: int) -> tuple[pl.DataFrame, dict[str, object]]:
    """The generated census with the paper's three quasi-identifiers."""
    table = Census().generate(rows, seed=0)
    quasi = {"age", "gender", "education"}
    columns = {
        name: lk.quasi() if name in quasi else lk.sensitive() if name == "salary_class" else lk.drop()
        for name in table.columns
    }
    return table, columns


def adult_columns(
    table: pl.DataFrame, quasi: tuple[str, ...], hierarchies: Path | None = None
) -> dict[str, object]:
    """Roles: occupation is sensitive, everything not asked for is dropped."""
    columns: dict[str, object] = {}
    for name in table.columns:
        if name in quasi:
            file = None if hierarchies is None else hierarchies / "adult" / f"adult_hierarchy_{name}.csv"
            columns[name] = lk.quasi(hierarchy=str(file)) if file is not None else lk.quasi()
        else:
            columns[name] = lk.sensitive() if name == "occupation" else lk.drop()
    return columns
