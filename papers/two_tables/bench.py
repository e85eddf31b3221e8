"""Makes the releases of one table, each once, and keeps what they are like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from papers.two_tables.measuring import Job, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from papers.two_tables.measuring import Measured
    from papers.two_tables.subjects import Subject
    from papers.two_tables.systems import System


@dataclass(eq=False)
class Bench:
    """One table, and how its releases are measured.

    Parameters
    ----------
    subject
        The people of the figures.
    whole
        All there are, for the table of all systems.
    queries
        Of each workload.
    seed
        Of releases, workloads, and of who is drawn.
    repeat
        Releases that are timed.
    pool
        Where releases are made side by side; None to make one after the other.
    tick
        Called with a line as work goes on.
    """

    subject: Subject
    whole: Subject
    queries: int = 1_000
    seed: int = 1
    repeat: int = 3
    pool: Executor | None = None
    tick: Callable[[str], object] = str
    known: dict[tuple[str, int, int], Measured] = field(default_factory=dict)
    drawn: dict[int, Subject] = field(default_factory=dict)

    def of_everybody(self) -> Bench:
        """Measure the whole table."""
        return replace(self, subject=self.whole, known={}, drawn={})

    def part(self, people: int) -> Subject:
        """Draw so many people, the same ones for all systems."""
        return self.drawn.setdefault(people, self.subject.sample(people, self.seed))

    def fill(self, systems: Sequence[System], ks: Iterable[int], people: int) -> None:
        """Make all releases that were not made yet."""
        new = [(k, system) for k in ks for system in systems if (system.name, k, people) not in self.known]
        part = self.part(people)
        jobs = [
            Job(part.sources[one.of], one.policy(part, k), k, self.queries, self.seed, self.repeat)
            for k, one in new
        ]
        found = map(measure, jobs) if self.pool is None else self.pool.map(measure, jobs)
        for (k, system), made in zip(new, found, strict=True):
            self.tick(f"{people:,} people, k = {k}: {system.name}")
            self.known[system.name, k, people] = made

    def one(self, system: System, k: int, people: int) -> Measured:
        """Measure one release."""
        self.fill([system], [k], people)
        return self.known[system.name, k, people]
