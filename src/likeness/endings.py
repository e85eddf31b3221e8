"""The endings of the files that tables are published in, as a policy names them."""

from __future__ import annotations

from typing import Literal, get_args

Ending = Literal[
    "csv", "csv.gz", "csv.bz2", "csv.xz", "csv.zst",
    "tsv", "tsv.gz", "tsv.bz2", "tsv.xz", "tsv.zst",
    "jsonl", "jsonl.gz", "jsonl.bz2", "jsonl.xz", "jsonl.zst",
    "xlsx", "parquet", "arrow",
    "sav", "zsav", "dta", "xpt",
]  # fmt: skip
FORMATS: tuple[Ending, ...] = get_args(Ending)
