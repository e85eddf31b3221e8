"""Time as a ratio within one run: machines differ and are busy with other things, so no test asserts seconds."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def argsorts(work: Callable[[], object], rows: int, *, times: int = 2) -> float:
    """How many stable argsorts of ``rows`` int64 some work takes, in processor time: the least of several runs."""
    numbers = np.random.default_rng(0).permutation(rows)
    unit = min(_seconds(lambda: np.argsort(numbers, kind="stable")) for _ in range(5))
    return min(_seconds(work) for _ in range(times)) / unit


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun
