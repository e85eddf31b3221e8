"""Where the real tables are."""

from __future__ import annotations

import os
from pathlib import Path

from likeness.datasets.files import VARIABLE


def data_folder(given: Path | None) -> Path | None:
    """Choose the folder of real tables: the one given, else the one beside the checkout; None to look at LIKENESS_DATA."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    if given is not None or VARIABLE in os.environ or not beside.is_dir():
        return given
    return beside
