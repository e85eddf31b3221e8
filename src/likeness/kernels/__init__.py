"""Numba kernels: loops over arrays and numbers, named for what they compute; no domain objects.

Nothing here is imported by ``import likeness``; a method imports the kernels it needs when it runs. Every
kernel has an explicit signature and is cached on disk, so only the first run on a machine compiles.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from numba import njit
from numba.core import config
from numba.core.errors import NumbaExperimentalFeatureWarning

from likeness.kernels._compiling import compiling
from likeness.kernels._stale import drop_stale
from likeness.unfinished import remember

__all__ = ["compiling"]

# Searches take privacy models as first-class functions; a test watches that numba still compiles them.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def _probe() -> None:
    """Stand for any kernel."""


def _find_cache() -> TemporaryDirectory[str] | None:
    """Give compiled kernels a place for as long as the process runs, where none that lasts can be written."""
    try:
        probe = njit(cache=True)(_probe)  # looks for a place, compiles nothing
    except RuntimeError:  # read-only installation, no home: no place at all
        folder = TemporaryDirectory(prefix="likeness-kernels-", ignore_cleanup_errors=True)
        remember(folder.cleanup)
        config.CACHE_DIR = folder.name  # type: ignore[attr-defined]  # numba sets them dynamically
        return folder
    if probe.stats.cache_path is not None:
        drop_stale(Path(__file__).parent, Path(probe.stats.cache_path))
    return None


_cache = _find_cache()
