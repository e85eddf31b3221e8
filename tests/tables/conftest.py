"""Frames of each library from the same columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

MakeFrame = Callable[[Mapping[str, Any]], Any]
MAKERS: dict[str, MakeFrame] = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=list(MAKERS))
def library(request: pytest.FixtureRequest) -> str:
    """The name of each frame library in turn."""
    return request.param


@pytest.fixture
def make(library: str) -> MakeFrame:
    """Makes a frame of that library from columns of Python values."""
    return MAKERS[library]


@pytest.fixture
def csv_file(tmp_path):
    """Writes bytes or text to a file and gives its path."""

    def write(content: bytes | str, name: str = "table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
