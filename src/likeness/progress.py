"""How far long work is: the library emits events and prints nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

when_compiling: list[Callable[[], None]] = []
"""Called, each once, when a kernel begins to be compiled: that is why the first run on a machine takes minutes."""


class Progress:
    """A listener for progress; this one is silent. The command line brings one that draws a bar."""

    def step(self, stage: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` units of a stage are done; 0 of 0 announces a stage of unknown length."""

    def note(self, message: str) -> None:
        """Hear something a steward should know (a renamed column, a warning)."""
