"""Put a folder in place whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.errors import OutputError
from likeness.folder.layout import CERTIFICATE, CERTIFICATE_PAGE, PRIVATE, PRIVATE_FILES, PUBLIC
from likeness.unfinished import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_target(folder: str | Path, *, overwrite: bool) -> Path:
    """Find where a release may be written.

    Parameters
    ----------
    folder
        Where it is to go.
    overwrite
        Whether an existing release may be replaced.

    Returns
    -------
    Path
        The absolute path, symbolic links followed.

    Raises
    ------
    OutputError
        When its parent is missing or cannot be written, or something stands there that must not be replaced.
    """
    target = Path(folder).resolve()
    if not target.parent.is_dir():
        what = "is a file" if target.parent.exists() else "does not exist"
        raise OutputError(f"{folder}: cannot be written: {target.parent} {what}; make that folder first")
    if target.exists():
        if not target.is_dir():
            raise OutputError(f"{folder}: is a file; give a folder that does not exist yet")
        if not overwrite:
            raise OutputError(
                f"{folder}: already exists; overwrite=True (--overwrite) replaces it, or give another folder"
            )
        _refuse_others(target, folder)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{folder}: cannot be written: no right to write in {target.parent}")
    return target


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Give a temporary folder beside the target, which is gone afterwards unless it was put in place.

    Parameters
    ----------
    target
        Where the folder is to go in the end.

    Raises
    ------
    OutputError
        When it cannot be made or written.
    """
    stage = target.parent / f".{target.name}.{secrets.token_hex(8)}.partial"
    with unfinished(partial(shutil.rmtree, stage, ignore_errors=True)):
        try:
            stage.mkdir(mode=0o700)
            yield stage
        except OSError as problem:
            raise OutputError(f"{target}: cannot be written ({problem.strerror or problem})") from None


def put_in_place(stage: Path, target: Path) -> None:
    """Rename a finished folder to its place; what stood there is moved aside, and restored if that fails.

    Parameters
    ----------
    stage
        The finished folder, beside the target.
    target
        Its place.

    Raises
    ------
    OutputError
        When the folder that was replaced cannot be deleted; the new one is in place then.
    """
    if not target.exists():
        stage.rename(target)
        return
    aside = stage.with_suffix(".replaced")
    with unfinished(partial(_settle, aside, target)):
        target.rename(aside)
        stage.rename(target)
    if aside.exists():
        raise OutputError(
            f"{aside}: the release that was replaced cannot be deleted wholly; delete it yourself"
        )


def _settle(aside: Path, target: Path) -> None:
    """Put back what was moved aside, unless the new folder has its place: then delete it."""
    if not aside.exists():
        return
    if target.exists():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        aside.rename(target)


def _refuse_others(target: Path, folder: str | Path) -> None:
    """Refuse to replace anything but a release folder."""
    here = Path.cwd().resolve()
    if target in {here, *here.parents} or target in {Path.home().resolve(), *Path.home().resolve().parents}:
        raise OutputError(f"{folder}: is, or holds, the current or home folder; it is never replaced")
    strangers = _strangers(target)
    if strangers is None:
        raise OutputError(
            f"{folder}: is not a release folder, and only those are replaced; give another folder"
        )
    if strangers:
        more = "" if len(strangers) == 1 else f" and {len(strangers) - 1} more"
        raise OutputError(
            f"{folder}: holds {strangers[0]!r}{more}, which is no part of a release and would be lost; "
            "move it first"
        )


def _strangers(target: Path) -> list[str] | None:
    """List entries of a release folder that a release does not have; None when it is no release folder."""
    try:
        certificate = json.loads((target / PUBLIC / CERTIFICATE).read_bytes())
        certified = set(certificate["files"])
        if not {"likeness", "guarantee"} <= set(certificate):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    expected = {
        PUBLIC: certified | {CERTIFICATE, CERTIFICATE_PAGE},
        PRIVATE: set(PRIVATE_FILES),
    }
    found = [path.name for path in target.iterdir() if path.name not in expected]
    for part, names in expected.items():
        if (target / part).is_dir():
            found += [f"{part}/{path.name}" for path in (target / part).iterdir() if path.name not in names]
    return sorted(found)
