"""What a process does before its releases are timed."""

from __future__ import annotations

from papers.identity_reserved.bench import Bench
from papers.identity_reserved.subjects import generated
from papers.identity_reserved.systems import BY_LEVEL, BY_SHARES, Setting


def warm_up() -> None:
    """Make a small release by each system: compiled kernels are loaded, or made, once a process."""
    small = generated(500, 0)
    Bench(small, small, runs=1, queries=10).fill((*BY_LEVEL, *BY_SHARES), [Setting(level=2)])
