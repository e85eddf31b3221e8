"""The unit of time: one stable argsort of a seeded random permutation of as many int64 as there are rows."""

from __future__ import annotations

import gc
import resource
import time
import timeit
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def best_of(times: int, work: Callable[[], object]) -> float:
    """Wall seconds of the fastest of several runs."""
    fastest = float("inf")
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def unit(rows: int) -> float:
    """Seconds of one stable argsort of ``rows`` permuted int64."""
    numbers = np.random.default_rng(0).permutation(rows)
    return min(timeit.repeat(lambda: np.argsort(numbers, kind="stable"), number=1, repeat=7))


def peak_megabytes() -> float:
    """Largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
