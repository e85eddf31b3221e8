"""What lies where in a release folder.

::

    out/
      public/    release.csv|parquet (or quasi.* sensitive.*)  certificate.json  certificate.html
                 distribution.csv (baseline, perturbed)  perturbation.csv (perturbed)
      private/   report.html  audit.json  classes.parquet
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from likeness.errors import InvalidError, VerificationError

PUBLIC, PRIVATE = "public", "private"
CERTIFICATE, CERTIFICATE_PAGE = "certificate.json", "certificate.html"
REPORT, AUDIT, CLASSES = "report.html", "audit.json", "classes.parquet"
PRIVATE_FILES = (REPORT, AUDIT, CLASSES)
FORMATS = ("csv", "parquet")
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

    def outsiders(self) -> list[str]:
        """Say which entries are no files of the release: links that lead out, pipes, folders, files larger than any.

        Nothing of a folder that has such an entry is read: a pipe would be waited for, and a link shows what somebody else
        has on this machine.
        """
        home = self.root.resolve()
        folders = [
            folder for folder in dict.fromkeys((self.root, self.public, self.private)) if folder is not None
        ]
        found = []
        for path in (path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir())):
            if path.is_symlink() and not _leads_into(path, home):
                found.append(
                    f"{self.label(path)}: is a link that leads out of the release; nothing of it is read"
                )
            elif path not in folders and not path.is_file() and path.parent != self.root:
                found.append(f"{self.label(path)}: is no file; nothing of the release is read")
            elif path.is_file() and path.stat().st_size > LARGEST_FILE:
                found.append(
                    f"{self.label(path)}: is of {path.stat().st_size:,} bytes; at most {LARGEST_FILE:,} are read, and nothing of "
                    "the release is"
                )
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


def find_layout(folder: str | Path) -> Layout:
    """Find the parts of a release folder, or of its ``public/`` alone.

    Raises `InvalidError` where there is no such folder, or nothing in it looks like a release.
    """
    root = Path(folder)
    if not root.exists():
        raise InvalidError(f"{root}: there is no such release folder")
    if not root.is_dir():
        raise InvalidError(f"{root}: is a file; give the folder of a release, or its {PUBLIC}/")
    public, private = root / PUBLIC, root / PRIVATE
    if public.is_dir() or (private / AUDIT).is_file():
        return Layout(root, public, private if private.is_dir() else None)
    tables = (path.stem for path in root.iterdir() if path.suffix.lstrip(".") in FORMATS)
    if (root / CERTIFICATE).exists() or {"release", "quasi"} & set(tables):
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
