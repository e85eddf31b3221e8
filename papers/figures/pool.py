"""Processes that make releases side by side, warm before anything is timed."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def pool_of(processes: int, warm_up: Callable[[], object]) -> ProcessPoolExecutor | nullcontext[None]:
    """Start the processes; none where one release is made after the other.

    Parameters
    ----------
    processes
        How many.
    warm_up
        What each does first; a function of a module.
    """
    if processes == 1:
        warm_up()
        return nullcontext()
    # A fork would copy the threads of polars in whatever state they are.
    return ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=warm_up)
