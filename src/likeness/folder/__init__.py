"""Release folders: written, proven from their own bytes, put in place whole; verified again."""

from __future__ import annotations

from likeness.folder.verification import verify
from likeness.folder.writing import write_folder

__all__ = ["verify", "write_folder"]
