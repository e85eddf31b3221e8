"""Files that commands write: whole or not at all, and never in place of another unasked."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.errors import OutputError
from likeness.placing import clear, write_files

if TYPE_CHECKING:
    from collections.abc import Callable


def check_file(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where a file cannot or must not be written, before any work is done.

    What a killed process had left of such a file is deleted.

    Parameters
    ----------
    path
        The file.
    overwrite
        Whether one that exists may be replaced.

    Raises
    ------
    OutputError
        Saying why.
    """
    parent = path.absolute().parent
    writable = parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)
    if writable:
        clear(path.resolve())
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; give a file")
    if path.exists() and not overwrite:
        raise OutputError(f"{path}: already exists; say --overwrite to replace it, or give another name")
    if not parent.is_dir():
        raise OutputError(f"{path}: cannot be written: the folder {parent} does not exist; make it first")
    if not writable:
        raise OutputError(f"{path}: cannot be written: no right to write in {parent}")


def write_text(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a text file; UTF-8."""
    write_files({path: as_text(text)}, overwrite=overwrite)


def as_text(text: str) -> Callable[[Path], object]:
    """Make the writer of a text file; UTF-8."""
    return partial(Path.write_text, data=text, encoding="utf-8", newline="\n")
