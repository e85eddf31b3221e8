"""What lies where in a release folder, and how it is put in place whole or not at all.

::

    out/
      public/    release.* (or quasi.* sensitive.*; FORMATS)  certificate.json  certificate.html
                 distribution.csv (baseline, perturbed)  perturbation.csv (perturbed)
      private/   report.html  audit.json  classes.parquet  knowledge.parquet (where a model needs it)

Where an engine counted the records, the table is a folder of many files, and a file of counts stands for the class map::

    out/
      public/    release/part-00000.* …  certificate.json  certificate.html
                 distribution.csv  perturbation.csv (perturbed)
      private/   report.html  audit.json  cells.parquet
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.errors import InvalidError, OutputError, Refusal, VerificationError
from likeness.placing import REPLACED, beside, clear, clear_locked, locked, unfinished
from likeness.tables import format_of, would_read
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

PUBLIC, PRIVATE = "public", "private"
CERTIFICATE, CERTIFICATE_PAGE = "certificate.json", "certificate.html"
REPORT, AUDIT, CLASSES = "report.html", "audit.json", "classes.parquet"
KNOWLEDGE = "knowledge.parquet"
CELLS = "cells.parquet"
PARTS = "release"
"""The folder of the files of a table that is written in parts."""
PRIVATE_FILES = (REPORT, AUDIT, CLASSES)
"""Those of every release; `KNOWLEDGE` stands beside them where a model needs it."""
PRIVATE_FILES_OF_PARTS = (REPORT, AUDIT, CELLS)
"""Those of a release in parts."""
LARGEST_JSON = 1 << 27
"""Bytes of a certificate or audit: room for hierarchies of two million leaves, which are most of it."""
LARGEST_FILE = 1 << 33
"""Bytes of any other file: reading a table takes several times its size. A hole of zeros takes no room on a disk."""


@dataclass(frozen=True)
class Layout:
    """A release folder, or the public part of one.

    ``root`` is the folder that was given; ``private`` is None where the steward's files are not there.
    """

    root: Path
    public: Path
    private: Path | None

    def label(self, path: Path) -> str:
        """Name a file as messages do: ``public/release.csv``, or ``release.csv`` in ``public/`` alone."""
        return path.relative_to(self.root).as_posix()

    def outsiders(self) -> list[Refusal]:
        """Say which entries are no files of the release: links that lead out, pipes, folders, files larger than any.

        Nothing of a folder that has such an entry is read: a pipe would be waited for, and a link shows what somebody else
        has on this machine.
        """
        home = self.root.resolve()
        folders = [
            folder
            for folder in dict.fromkeys((self.root, self.public, self.private, self.public / PARTS))
            if folder is not None and (folder != self.public / PARTS or not folder.is_symlink())
        ]
        found = []
        for path in (path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())):
            if path.is_symlink() and not _leads_into(path, home):
                what = "is a link that leads out of the release; nothing of it is read"
                found.append(Refusal(what, (self.label(path),)))
            elif path not in folders and not path.is_file() and path.parent != self.root:
                found.append(Refusal("is no file; nothing of the release is read", (self.label(path),)))
            elif path.is_file() and path.stat().st_size > LARGEST_FILE:
                what = f"is of {path.stat().st_size:,} bytes; at most {LARGEST_FILE:,} are read, and nothing of the release is"
                found.append(Refusal(what, (self.label(path),)))
        return found

    def strangers(self) -> list[str]:
        """Entries beside ``public/`` and ``private/``."""
        if self.public == self.root:
            return []
        return sorted(path.name for path in self.root.iterdir() if path.name not in {PUBLIC, PRIVATE})


def _leads_into(link: Path, home: Path) -> bool:
    """Whether a link leads to something in a folder; one that leads to itself leads nowhere."""
    try:
        return link.resolve().is_relative_to(home)
    except (OSError, RuntimeError):
        return False


def folder_path(folder: str | Path) -> Path:
    """Take a folder as a path; `InvalidError` where it is none."""
    if not isinstance(folder, str | os.PathLike):
        raise InvalidError(f"folder: must be the path of a folder; got {quoted(folder)}")
    return Path(folder)


def find_layout(folder: str | Path) -> Layout:
    """Find the parts of a release folder, or of its ``public/`` alone.

    Raises `InvalidError` where there is no such folder, or nothing in it looks like a release.
    """
    root = folder_path(folder)
    if not root.exists():
        raise InvalidError(f"{root}: there is no such release folder")
    if not root.is_dir():
        raise InvalidError(f"{root}: is a file; give the folder of a release, or its {PUBLIC}/")
    public, private = root / PUBLIC, root / PRIVATE
    if public.is_dir() or (private / AUDIT).is_file():
        return Layout(root, public, private if private.is_dir() else None)
    tables = {path.name.split(".", 1)[0] for path in root.iterdir() if format_of(path) is not None}
    if (root / CERTIFICATE).exists() or {"release", "quasi"} & tables:
        return Layout(root, root, None)
    raise InvalidError(f"{root}: is not a release folder; it holds neither {PUBLIC}/ nor {CERTIFICATE}")


def digest(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_bounded(path: Path) -> bytes:
    """Read a file of JSON; `VerificationError` where it is larger than any that a release has."""
    size = path.stat().st_size
    if size > LARGEST_JSON:
        raise VerificationError(f"{path.name}: is of {size:,} bytes; at most {LARGEST_JSON:,} are read")
    return path.read_bytes()


def check_target(folder: str | Path, *, overwrite: bool, source: Any = None) -> Path:
    """Find where a release may be written (absolute, links followed); put in order what killed processes have left there.

    ``source``: where the table is. Raises `OutputError` where the parent is missing or cannot be written, another process
    writes there, the place lies in another release or in a folder of the table's files, or something stands there that must
    not be replaced: all but a release, with ``overwrite``.
    """
    target = folder_path(folder).resolve()
    refuse_in_public(folder, "a release has files of the steward's")
    for parent in target.parents:
        if _certificate_in(parent / PUBLIC) is not None:
            raise OutputError(f"{folder}: lies in {parent}, which is another release; write it elsewhere")
    refuse_among_files(folder, source)
    if not target.parent.is_dir():
        what = "is a file" if target.parent.exists() else "does not exist"
        raise OutputError(f"{folder}: cannot be written: {target.parent} {what}; make that folder first")
    writable = os.access(target.parent, os.W_OK | os.X_OK)
    if writable and target.name:
        clear(target)
    _refuse_existing(target, folder, overwrite=overwrite)
    if not writable:
        raise OutputError(f"{folder}: cannot be written: no right to write in {target.parent}")
    return target


def refuse_in_public(path: str | Path, why: str) -> None:
    """Refuse to write what is private where it would be handed out: into the public part of a release.

    ``why``: what is to be written, and that it is private. Raises `OutputError`.
    """
    for parent in Path(path).resolve().parents:
        if _certificate_in(parent) is not None:
            raise OutputError(
                f"{path}: lies in {parent}, the public part of a release, and {why}; write it elsewhere"
            )


def refuse_in_release(path: str | Path, why: str) -> None:
    """Refuse to write into a release, where it would be handed out or be a file that nobody released; as `refuse_in_public`."""
    refuse_in_public(path, why)
    for parent in Path(path).resolve().parents:
        if parent.name == PRIVATE and _certificate_in(parent.parent / PUBLIC) is not None:
            raise OutputError(
                f"{path}: lies in {parent}, whose files verify knows one by one; write it beside the release"
            )


def refuse_among_files(folder: str | Path, source: Any) -> None:
    """Refuse to write where what is written would be read as some of the table; ``source``: where that is.

    Raises `OutputError`.
    """
    if isinstance(source, str | os.PathLike) and would_read(source, Path(folder).resolve()):
        raise OutputError(
            f"{folder}: lies in {source}, whose files are the table, and would be read as some of it; give another folder"
        )


@contextmanager
def staging(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside the target, which is gone afterwards unless it was put in place.

    Nobody else writes to the target meanwhile; what a killed process had left of it is put in order first. Raises
    `OutputError` where it cannot be made or written, another process writes to the target, or something stands there that
    must not be replaced.
    """
    with locked(target):
        clear_locked(target)
        _refuse_existing(target, target, overwrite=overwrite)
        stage = beside(target)
        with unfinished(partial(shutil.rmtree, stage, ignore_errors=True)):
            try:
                stage.mkdir(mode=0o700)
                yield stage
            except OSError as problem:
                raise OutputError(f"{target}: cannot be written ({problem.strerror or problem})") from None


def put_in_place(stage: Path, target: Path, *, overwrite: bool = False) -> None:
    """Rename a finished folder to its place; what stood there is moved aside, and restored if that fails.

    ``stage`` lies beside the target, whose lock is held. Nothing is replaced that appeared there since `check_target`, but
    a release where ``overwrite`` allows it. Raises `OutputError` where something stands there that must not be replaced; or
    where the folder that was replaced cannot be deleted: the new one is in place then.
    """
    _refuse_existing(target, target, overwrite=overwrite)
    if not overwrite or not os.path.lexists(target):
        _rename(stage, target)
        return
    aside = stage.with_suffix(REPLACED)
    with unfinished(partial(_settle, aside, stage, target)):
        target.rename(aside)
        # Nobody can put anything into it by its name any more.
        strangers = _strangers(aside)
        if strangers != []:
            raise _lost(target, strangers)
        try:
            _rename(stage, target)
        except OutputError as problem:
            raise OutputError(f"{problem}; the release that stood there is now {_kept(aside)}") from None
    if aside.exists():
        raise OutputError(
            f"{aside}: the release that was replaced cannot be deleted wholly; delete it yourself"
        )


def _rename(stage: Path, target: Path) -> None:
    """Rename a finished folder to a place where there is nothing.

    A folder may be renamed to an empty one, which is then gone: so the place is taken first.
    """
    taken: list[Path] = []
    with unfinished(partial(_free, taken, stage)):
        try:
            target.mkdir()
            taken.append(target)
            stage.rename(target)
        except OSError as problem:
            if problem.errno in {errno.EEXIST, errno.ENOTEMPTY}:
                raise OutputError(
                    f"{target}: something appeared there while the release was being made; it was left as it is"
                ) from None
            raise


def _free(taken: list[Path], stage: Path) -> None:
    """Give up a place that was taken, unless the finished folder got there, or somebody put something into it."""
    if stage.exists():
        for target in taken:
            target.rmdir()


def _settle(aside: Path, stage: Path, target: Path) -> None:
    """Put back what was moved aside, unless the new folder has its place: then delete it."""
    if not aside.exists():
        return
    if not stage.exists():
        shutil.rmtree(aside, ignore_errors=True)
    elif not os.path.lexists(target):
        aside.rename(target)
    else:
        aside.rename(_kept(aside))


def _kept(aside: Path) -> Path:
    """Name a release that cannot go back to its place so that everybody sees it, and nobody deletes it."""
    return aside.with_name(aside.name.removeprefix("."))


def _refuse_existing(target: Path, folder: str | Path, *, overwrite: bool) -> None:
    """Refuse what stands at the target, unless it may be replaced."""
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise OutputError(f"{folder}: is a file; give a folder that does not exist yet")
    if not overwrite:
        raise OutputError(
            f"{folder}: already exists; overwrite=True (--overwrite) replaces it, or give another folder"
        )
    _refuse_others(target, folder)


def _refuse_others(target: Path, folder: str | Path) -> None:
    """Refuse to replace anything but a release folder."""
    here = Path.cwd().resolve()
    if target in {here, *here.parents} or target in {Path.home().resolve(), *Path.home().resolve().parents}:
        raise OutputError(f"{folder}: is, or holds, the current or home folder; it is never replaced")
    strangers = _strangers(target)
    if strangers != []:
        raise _lost(folder, strangers)


def _lost(folder: str | Path, strangers: list[str] | None) -> OutputError:
    """Say what would be lost if a folder were replaced."""
    if strangers is None:
        return OutputError(
            f"{folder}: is not a release folder, and only those are replaced; give another folder"
        )
    more = "" if len(strangers) == 1 else f" and {len(strangers) - 1} more"
    return OutputError(
        f"{folder}: holds {strangers[0]!r}{more}, which is no part of a release and would be lost; move it first"
    )


def _strangers(target: Path) -> list[str] | None:
    """List entries of a release folder that a release does not have; None when it is no release folder."""
    certified = _certificate_in(target / PUBLIC)
    if certified is None:
        return None
    expected = {
        PUBLIC: {name.split("/", 1)[0] for name in certified} | {CERTIFICATE, CERTIFICATE_PAGE},
        f"{PUBLIC}/{PARTS}": {name.partition("/")[2] for name in certified},
        PRIVATE: {*PRIVATE_FILES, *PRIVATE_FILES_OF_PARTS, KNOWLEDGE},
    }
    found = [path.name for path in target.iterdir() if path.name not in {PUBLIC, PRIVATE}]
    for part, names in expected.items():
        if (target / part).is_dir():
            found += [f"{part}/{path.name}" for path in (target / part).iterdir() if path.name not in names]
    return sorted(found)


def _certificate_in(public: Path) -> set[str] | None:
    """Name the files that the certificate in a folder is of; None where there is none."""
    try:
        if not (public / CERTIFICATE).is_file():
            return None
        certificate = json.loads(read_bounded(public / CERTIFICATE))
        certified = set(certificate["files"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError, VerificationError):
        return None
    return certified if {"likeness", "guarantee"} <= set(certificate) else None


def files_in(folder: Path) -> list[Path]:
    """List the files of a part of a release, those of a table in parts too; no link is followed into another folder."""
    found = []
    for path in sorted(folder.iterdir()):
        inside = path.name == PARTS and path.is_dir() and not path.is_symlink()
        found += sorted(path.iterdir()) if inside else [path]
    return found
