"""Times the search of a release apart from encoding, publishing and proving."""

from __future__ import annotations

import time

from likeness.progress import Progress


class SearchClock(Progress):
    """Takes the time between the start of the search and that of publishing."""

    def __init__(self) -> None:
        self.begin = self.end = (float("nan"), float("nan"))

    def step(self, stage: str, done: int, total: int) -> None:  # noqa: ARG002
        """Hear of a stage."""
        if stage == "search" and self.begin[0] != self.begin[0]:  # NaN
            self.begin = time.perf_counter(), time.process_time()
        elif stage == "publish":
            self.end = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        """Of the search."""
        return self.end[0] - self.begin[0]

    @property
    def processor(self) -> float:
        """Seconds of this process's processor time in the search."""
        return self.end[1] - self.begin[1]
