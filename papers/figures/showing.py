"""Shows how far the experiments are: a bar on a terminal, a line for each elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


class Showing:
    """Shows progress on stderr.

    Parameters
    ----------
    total
        Number of experiments.
    """

    def __init__(self, total: int) -> None:
        self.console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bar = Progress(
            *columns, console=self.console, transient=True, disable=not self.console.is_terminal
        )
        self.task = self.bar.add_task("", total=total)
        self.name = ""

    def __enter__(self) -> Self:
        """Begin to draw."""
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        """Wipe the bar away."""
        self.bar.stop()

    def say(self, line: str) -> None:
        """Print a line."""
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def tick(self, line: str) -> None:
        """Show what is being done."""
        self.bar.update(self.task, description=f"{self.name}: {line}")

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Time one experiment, and say how long it took."""
        self.name = name
        self.tick("")
        start = time.perf_counter()
        yield
        self.bar.advance(self.task)
        self.say(f"{name}: {time.perf_counter() - start:.1f} s")
