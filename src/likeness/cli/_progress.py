"""Progress on a terminal: one line on stderr that names the stage, gone when the work is done."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console as Terminal
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from likeness.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likeness.cli._console import Console

STAGES = {
    "look through": "looking through the files",
    "count": "counting the records",
    "encode": "encoding the table",
    "search": "searching for the release",
    "publish": "publishing",
    "prove": "proving",
    "try": "trying values",
    "compare": "comparing",
    "write": "writing, and proving from the bytes",
}


class Drawing(Progress):
    """Draws the current stage.

    Parameters
    ----------
    bar
        What draws.
    console
        Where notes go when the work is done.
    """

    def __init__(self, bar: Bar, console: Console) -> None:
        self.bar = bar
        self.console = console
        self.stage = ""
        self.task = TaskID(0)

    def step(self, stage: str, done: int, total: int) -> None:
        """Draw a stage; of unknown length unless there is more than one unit."""
        known = total if total > 1 else None
        if stage == self.stage:
            self.bar.update(self.task, completed=done, total=known)
            return
        if self.stage:
            self.bar.remove_task(self.task)
        self.stage = stage
        self.task = self.bar.add_task(STAGES.get(stage, stage), total=known, completed=done)

    def note(self, message: str) -> None:
        """Keep it until the work is done: it would tear the line apart."""
        self.console.note(f"note: {message}")


class Compiling(ProgressColumn):
    """Says why the first run on a machine takes longer."""

    def render(self, task: Task) -> Text:  # noqa: ARG002  # as rich calls it
        """Look whether the kernels, if there are any yet, are being compiled."""
        compiling = getattr(sys.modules.get("likeness.kernels"), "compiling", None)
        busy = compiling is not None and compiling()
        return Text("compiling, once on this machine" if busy else "")


@contextmanager
def drawing(console: Console) -> Iterator[Drawing]:
    """Draw on stderr while the work goes on, and wipe it away after."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        Compiling(),
    )
    with Bar(*columns, console=Terminal(stderr=True), transient=True, refresh_per_second=4) as bar:
        yield Drawing(bar, console)
