"""Time as a ratio within one run: machines differ and are busy with other things, so no test asserts seconds."""

from __future__ import annotations

import subprocess
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def argsorts(work: Callable[[], object], rows: int, *, times: int = 2) -> float:
    """How many stable argsorts of ``rows`` int64 some work takes, in processor time: the least of several runs."""
    numbers = np.random.default_rng(0).permutation(rows)
    unit = min(_seconds(lambda: np.argsort(numbers, kind="stable")) for _ in range(5))
    return min(_seconds(work) for _ in range(times)) / unit


def of_commands(runs: int, *commands: Sequence[str], **options: Any) -> list[float]:
    """Least processor time of each of several commands, run in turns so that a busy moment meets all of them."""
    best = [float("inf")] * len(commands)
    for _ in range(runs):
        for i, command in enumerate(commands):
            begun = _of_children()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **options)
            best[i] = min(best[i], _of_children() - begun)
    return best


def _of_children() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun
