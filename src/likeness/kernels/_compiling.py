"""Whether numba is compiling: that is where the first run on a machine spends its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba.core.event import Listener, register

from likeness.progress import when_compiling

if TYPE_CHECKING:
    from numba.core.event import Event


class _Depth(Listener):
    """Counts compilations under way; one may begin others."""

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: Event) -> None:
        self.depth += 1
        while when_compiling:
            when_compiling.pop()()

    def on_end(self, event: Event) -> None:
        self.depth -= 1


_depth = _Depth()
register("numba:compile", _depth)


def compiling() -> bool:
    """Tell whether a kernel is being compiled; one that was compiled before is only loaded."""
    return _depth.depth > 0
