"""Numba kernels: loops over arrays and numbers, named for what they compute; no domain objects.

Nothing here is imported by ``import likeness``; a method imports the kernels it needs when it runs. Every
kernel has an explicit signature and is cached on disk, so only the first run on a machine compiles.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

from numba.core import config as numba_config
from numba.core.errors import NumbaExperimentalFeatureWarning

config: Any = numba_config


def _can_write(folder: Path) -> bool:
    """Whether a folder, or the nearest one above it that exists, can be written."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _find_cache() -> None:
    """Give compiled kernels a place where neither this package nor the home folder can be written (read-only images)."""
    here, home = Path(__file__).parent / "__pycache__", Path("~/.cache/numba").expanduser()
    if not config.CACHE_DIR and not _can_write(here) and not _can_write(home):
        # A folder of this process alone: a shared one could hold kernels that somebody else put there.
        config.CACHE_DIR = tempfile.mkdtemp(prefix="likeness-kernels-")


_find_cache()

# Searches take privacy models as first-class functions; a test watches that numba still compiles them.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)
