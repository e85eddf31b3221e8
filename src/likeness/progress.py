"""How far long work is: the library emits events and prints nothing itself."""

from __future__ import annotations


class Progress:
    """A listener for progress; this one is silent. The command line brings one that draws a bar.

    Examples
    --------
    >>> Progress().step("search", 3, 10)
    """

    def step(self, stage: str, done: int, total: int) -> None:
        """Hear that ``done`` of ``total`` units of a stage are done; 0 of 0 announces a stage of unknown length."""

    def note(self, message: str) -> None:
        """Hear something a steward should know (a renamed column, a warning)."""
