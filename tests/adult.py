"""The Adult table in the folder of real tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

THREE = ("age", "sex", "education")
SIX = (*THREE, "race", "marital-status", "native-country")
EIGHT = (*SIX, "workclass", "salary-class")
"""All columns of the ARX file other than occupation."""


def complete(folder: Path, rows: int = 30_162) -> pl.DataFrame:
    """The first complete records; the first 30,162 are those of the ARX file."""
    frame = pl.read_csv(folder / "adult" / "adult_raw_48842.csv", infer_schema_length=None)
    return frame.filter(~pl.any_horizontal(pl.col(pl.String) == "?")).head(rows)
