"""Where the real tables are."""

from __future__ import annotations

import os
from pathlib import Path

from likeness.datasets.files import VARIABLE
from likeness.errors import TableError


def data_folder(given: Path | None) -> Path | None:
    """Choose the folder of real tables: the one given, else the one beside the checkout; None to look at LIKENESS_DATA."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    if given is not None or VARIABLE in os.environ or not beside.is_dir():
        return given
    return beside


def data_file(folder: Path | None, name: str) -> Path:
    """Find one of the real tables' files.

    Parameters
    ----------
    folder
        What `data_folder` gave.
    name
        Path within the folder.

    Raises
    ------
    TableError
        When the folder or the file is missing.
    """
    known = folder if folder is not None else os.environ.get(VARIABLE)
    if known is None or not Path(known).is_dir():
        raise TableError(f"{known}: no such folder of real tables; set {VARIABLE} to where they are")
    path = Path(known) / name
    if not path.is_file():
        raise TableError(f"{known}: the folder of real tables lacks {name}")
    return path
