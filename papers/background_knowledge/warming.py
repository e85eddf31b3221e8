"""What a process does before its releases are timed."""

from __future__ import annotations

from papers.background_knowledge.guessing import guess
from papers.background_knowledge.subjects import BkseqSource
from papers.background_knowledge.systems import BUREL, LIBRARY, PAPER


def warm_up() -> None:
    """Make small releases by each system, and attack them: compiled kernels are loaded, or made, once a process."""
    guess((BkseqSource(0, 200, 0.9, 1), ("0.3",), (*LIBRARY, *PAPER, BUREL)))
