"""Numba kernels that several subjects share: loops over arrays and numbers, named for what they compute; no domain objects.

Kernels of one subject stand beside it, in a module or folder that is called ``kernels`` too, and take `njit` from here. None
is imported by ``import likeness``; a method imports the kernels it needs when it runs. Kernels are cached on disk, so only the
first run on a machine compiles.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType

from numba.core import config
from numba.core.errors import NumbaExperimentalFeatureWarning

from likeness.kernels._borrowing import borrowed
from likeness.kernels._compiling import compiling, drop_stale
from likeness.kernels._on_demand import compile_called, njit
from likeness.placing import remember

__all__ = ["borrowed", "compile_called", "compiling", "njit"]

# Searches take privacy models as first-class functions; a test watches that numba still compiles them.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def _probe() -> None:
    """Stand for any kernel."""


def _cache_of(file: Path) -> Path | None:
    """Ask numba where it keeps what it compiles of a file; None where it is told a place of its own."""
    named = FunctionType(_probe.__code__.replace(co_filename=str(file)), globals(), "_probe")
    place = njit(cache=True)(named).stats.cache_path  # looks for a place, compiles nothing
    return None if place is None else Path(place)


def _find_cache() -> TemporaryDirectory[str] | None:
    """Give compiled kernels a place for as long as the process runs, where none that lasts can be written."""
    try:
        drop_stale(Path(__file__).parents[1], _cache_of)
    except RuntimeError:  # read-only installation, no home: no place at all
        folder = TemporaryDirectory(prefix="likeness-kernels-", ignore_cleanup_errors=True)
        remember(folder.cleanup)
        config.CACHE_DIR = folder.name  # type: ignore[attr-defined]  # numba sets them dynamically
        return folder
    return None


_cache = _find_cache()
