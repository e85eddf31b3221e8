"""What is half-written at this moment, and how to leave nothing of it.

A process that must end, because somebody pressed Ctrl-C, cannot rely on an exception: raised wherever the signal
arrives, it is swallowed by libraries written in C, comes out of them as another error, or ends numba's compiler
with a segmentation fault. So whoever writes something names here how to undo it, before it begins, and the
command line undoes all of it and ends the process at once.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_UNDOING: list[Callable[[], object]] = []


def remember(undo: Callable[[], object]) -> None:
    """Undo something (see `unfinished`) when the process must end, for as long as it lives."""
    _UNDOING.append(undo)


@contextmanager
def unfinished(undo: Callable[[], object]) -> Iterator[None]:
    """Undo something when the block ends, however it ends, or when the process must end within it.

    ``undo`` leaves nothing half-written wherever the block was left; where the block finished its work, or was undone
    before, it changes nothing. An `OSError` of it is ignored.
    """
    remember(undo)
    try:
        yield
    finally:
        with suppress(OSError):
            undo()
        _UNDOING.remove(undo)


def undo_all() -> None:
    """Undo all that is unfinished, the last begun first; blocks that go on afterwards undo it again when they end."""
    for undo in reversed(_UNDOING):
        with suppress(OSError):
            undo()
