"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# CI judges a change, so it tries the same examples every time; everybody else keeps looking for new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

REPOSITORY = Path(__file__).resolve().parents[1]


def find_data_folder() -> Path | None:
    """The folder of real tables, or None: $LIKENESS_DATA, else ../shared/data beside the checkout."""
    named = os.environ.get("LIKENESS_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real tables; skips, saying why, where there is none."""
    folder = find_data_folder()
    if folder is None:
        if os.environ.get("LIKENESS_DATA_REQUIRED"):
            pytest.fail("LIKENESS_DATA_REQUIRED is set, but the folder of real tables is not here")
        pytest.skip("LIKENESS_DATA: the folder of real tables is not here")
    return folder
