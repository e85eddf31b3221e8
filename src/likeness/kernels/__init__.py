"""Numba kernels: loops over arrays and numbers, named for what they compute; no domain objects.

Nothing here is imported by ``import likeness``; a method imports the kernels it needs when it runs. Every
kernel has an explicit signature and is cached on disk, so only the first run on a machine compiles.
"""

from __future__ import annotations

import warnings

from numba.core.errors import NumbaExperimentalFeatureWarning

# Searches take privacy models as first-class functions; a test watches that numba still compiles them.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)
