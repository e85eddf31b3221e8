"""Release folders: written, proven from their own bytes, put in place whole; verified and opened again."""

from __future__ import annotations

from likeness.folder.opening import open_release
from likeness.folder.verification import verify
from likeness.folder.writing import write_folder

__all__ = ["open_release", "verify", "write_folder"]
