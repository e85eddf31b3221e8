"""Processes that make releases side by side, warm before anything is timed."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context

from papers.identity_reserved.bench import Bench
from papers.identity_reserved.subjects import generated
from papers.identity_reserved.systems import BY_LEVEL, BY_SHARES, Setting


def pool_of(processes: int) -> ProcessPoolExecutor | nullcontext[None]:
    """Start the processes; none where one release is made after the other.

    Parameters
    ----------
    processes
        How many.
    """
    if processes == 1:
        warm_up()
        return nullcontext()
    # A fork would copy the threads of polars in whatever state they are.
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=warm_up)


def warm_up() -> None:
    """Make a small release by each system: compiled kernels are loaded, or made, once a process."""
    small = generated(500, 0)
    Bench(small, small, runs=1, queries=10).fill((*BY_LEVEL, *BY_SHARES), [Setting(level=2)])
