"""The folder of a comparison: finished runs are kept one file each, so that a command that was interrupted goes on.

::

    comparison/
      policy.yaml      the policy that is recommended
      private/         comparison.html  comparison.json  comparison.csv
                       asked.json  runs/*.json
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from likeness._version import __version__
from likeness.comparing.run import ComparedRun
from likeness.errors import OutputError
from likeness.folder.layout import folder_path, refuse_among_files, refuse_in_release
from likeness.placing import (
    REPLACED,
    as_text,
    beside,
    clear_locked,
    locked,
    unfinished,
    write_files,
    write_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FORMAT = 1
PRIVATE, RUNS, ASKED = "private", "runs", "asked.json"
POLICY, PAGE, RESULT, FRAME = "policy.yaml", "comparison.html", "comparison.json", "comparison.csv"
_ROOT = {PRIVATE, POLICY}
_DIFFERENCES = {
    "likeness": "made by another version of likeness",
    "table": "of another table",
    "seed": "with another seed",
    "policy": "under another policy",
}
"""What a comparison may differ in, the first thing to be said first."""
_PRIVATE = {RUNS, ASKED, PAGE, RESULT, FRAME}


@dataclass(frozen=True)
class Identity:
    """What a comparison is of: digests of the table and the policy, and the seed of all runs."""

    table: str
    policy: str
    seed: int

    def key(self, entropy: int) -> str:
        """Name one run: by what decides about its release, and the version that makes it."""
        return sha256(f"{__version__} {self.table} {self.seed} {entropy}".encode()).hexdigest()[:32]


class Kept:
    """Finished runs, in a folder or, without one, nowhere."""

    def __init__(self, root: Path | None) -> None:
        self.root = root

    def find(self, key: str) -> ComparedRun | None:
        """Take a run that was finished before."""
        if self.root is None or not (path := self._path(key)).is_file():
            return None
        try:
            return ComparedRun.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise OutputError(f"{path}: is no finished run of a comparison; delete it") from None

    def keep(self, key: str, run: ComparedRun) -> None:
        """Keep a run that is finished."""
        if self.root is not None:
            write_text(self._path(key), json.dumps(run.to_json(), ensure_ascii=False), overwrite=True)

    def _path(self, key: str) -> Path:
        assert self.root is not None  # noqa: S101  # asked of a folder alone
        return self.root / PRIVATE / RUNS / f"{key}.json"

    def finish(self, files: Mapping[str, str]) -> None:
        """Write what follows from all runs: name to text, all files or none."""
        if self.root is not None:
            homes = {name: self.root if name == POLICY else self.root / PRIVATE for name in files}
            write_files({homes[name] / name: as_text(text) for name, text in files.items()}, overwrite=True)
            if POLICY not in files:
                # What was recommended of other runs is not of these.
                (self.root / POLICY).unlink(missing_ok=True)


def seed_kept(folder: str | Path) -> int | None:
    """Read the seed of a comparison that was begun; None where there is none."""
    found = _read(folder_path(folder).resolve())
    return None if found is None else found.get("seed")


@contextmanager
def keeping(
    folder: str | Path | None, identity: Identity, *, overwrite: bool, source: str | None = None
) -> Iterator[Kept]:
    """Be the only one who works in a folder: a new one, or that of the same comparison, which goes on.

    ``source``: where the table is. Raises `OutputError` where it cannot be written, would lie among the table's files, another
    process works there, or it holds something else: without ``overwrite`` a comparison of another table or policy, by another
    version, or with another seed.
    """
    if folder is None:
        yield Kept(None)
        return
    target = folder_path(folder).resolve()
    refuse_in_release(folder, "a comparison tells of the original")
    refuse_among_files(folder, source)
    if not target.parent.is_dir():
        raise OutputError(f"{folder}: cannot be written: there is no folder {target.parent}; make it first")
    with locked(target):
        clear_locked(target)
        if not target.exists():
            _begin(target, identity)
        else:
            difference = _difference(folder, target, identity)
            if overwrite:
                _begin(target, identity)
            elif difference:
                raise OutputError(
                    f"{folder}: holds a comparison {difference}; say --overwrite to begin afresh, or give another name"
                )
        yield Kept(target)


def _read(target: Path) -> dict[str, Any] | None:
    """Read what a folder's comparison was asked."""
    try:
        found = json.loads((target / PRIVATE / ASKED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


def _difference(folder: str | Path, target: Path, identity: Identity) -> str:
    """Say in what a comparison that was begun differs from this one; empty where it is the same."""
    begun = _read(target)
    if begun is None:
        raise OutputError(f"{folder}: already exists and is no comparison; give another name")
    strangers = {path.name for path in target.iterdir()} - _ROOT
    strangers |= {
        path.name for path in (target / PRIVATE).iterdir() if not path.name.startswith(".")
    } - _PRIVATE
    if strangers:
        raise OutputError(
            f"{folder}: holds {min(strangers)!r}, which is no part of a comparison; give another name"
        )
    now = {"likeness": __version__, **asdict(identity)}
    return next((words for key, words in _DIFFERENCES.items() if begun.get(key) != now[key]), "")


def _begin(target: Path, identity: Identity) -> None:
    """Put a folder without runs in place, instead of what is there."""
    stage = beside(target)
    aside = stage.with_suffix(REPLACED)
    with unfinished(partial(shutil.rmtree, stage, ignore_errors=True)):
        try:
            (stage / PRIVATE).mkdir(parents=True)
            # Figures about the original: nobody else may look into it.
            (stage / PRIVATE).chmod(0o700)
            (stage / PRIVATE / RUNS).mkdir()
            told = {"format": FORMAT, "likeness": __version__, **asdict(identity)}
            (stage / PRIVATE / ASKED).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
            with unfinished(partial(_settle, aside, target)):
                if target.exists():
                    target.rename(aside)
                stage.rename(target)
        except OSError as problem:
            raise OutputError(f"{target}: cannot be written ({problem.strerror or problem})") from None


def _settle(aside: Path, target: Path) -> None:
    """Put what was moved aside back, unless something stands in its place; then delete it."""
    if aside.exists() and not target.exists():
        aside.rename(target)
    shutil.rmtree(aside, ignore_errors=True)
