"""Files that commands write: whole or not at all, and never in place of another unasked."""

from __future__ import annotations

import os
import secrets
from functools import partial
from typing import TYPE_CHECKING

from likeness.errors import OutputError
from likeness.unfinished import unfinished

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def check_file(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where a file cannot or must not be written, before any work is done.

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
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; give a file")
    if path.exists() and not overwrite:
        raise OutputError(f"{path}: already exists; say --overwrite to replace it, or give another name")
    if not parent.is_dir():
        raise OutputError(f"{path}: cannot be written: the folder {parent} does not exist; make it first")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: cannot be written: no right to write in {parent}")


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place, then put it there.

    Parameters
    ----------
    path
        Where it goes.
    write
        Writes it to the path it is given.

    Raises
    ------
    OutputError
        When it cannot be written; nothing is left then.
    """
    target = path.resolve()
    stage = target.with_name(f".{target.stem}.{secrets.token_hex(8)}{target.suffix}")
    with unfinished(partial(stage.unlink, missing_ok=True)):
        try:
            stage.touch(exist_ok=False)
            write(stage)
            stage.replace(target)
        except OSError as problem:
            raise OutputError(f"{path}: cannot be written ({problem.strerror or problem})") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file; UTF-8."""
    write_file(path, lambda stage: stage.write_text(text, encoding="utf-8", newline="\n"))
