"""What a process does before its releases are timed."""

from __future__ import annotations

from papers.two_tables.bench import Bench
from papers.two_tables.subjects import symptoms
from papers.two_tables.systems import EVERY


def warm_up() -> None:
    """Make a small release by each system, and attack it: compiled kernels are loaded, or made, once a process."""
    small = symptoms(60, 0)
    Bench(small, small, queries=10, repeat=1).fill(EVERY, [2], small.count)
