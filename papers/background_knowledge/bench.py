"""Makes the releases of some tables, each once, and averages what they are like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from papers.background_knowledge.measuring import Estimate, Job, Measured, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from papers.background_knowledge.subjects import Subject
    from papers.background_knowledge.systems import Setting, System

_ASKS_A_JOB = 20


@dataclass(eq=False)
class Bench:
    """Tables, and how they are measured.

    Parameters
    ----------
    subject
        The tables.
    rows
        Of generated tables that are made beside them.
    seeds
        How many of these.
    seed
        Of the first, and of releases.
    pool
        Where jobs are done side by side; None to do one after the other.
    tick
        Called with a line as work goes on.
    cold
        Whether every release clusters what is known anew.
    """

    subject: Subject
    rows: int = 4_000
    seeds: int = 10
    seed: int = 1
    pool: Executor | None = None
    tick: Callable[[str], object] = str
    cold: bool = False
    found: dict[tuple[System, Setting], list[Measured]] = field(default_factory=dict)

    def timed(self) -> Bench:
        """Measure the same tables with nothing kept from release to release."""
        return replace(self, cold=True, found={})

    def curve(self, system: System, settings: Sequence[Setting], what: str) -> list[Estimate]:
        """Measure one thing at several settings, averaged over the tables."""
        self.fill([system], settings)
        return [
            Estimate.of([getattr(one, what) for one in self.found[system, setting]]) for setting in settings
        ]

    def fill(self, systems: Sequence[System], settings: Sequence[Setting]) -> None:
        """Make all releases that were not made yet, each of every table."""
        new = [(system, setting) for setting in settings for system in systems]
        new = list(dict.fromkeys(ask for ask in new if ask not in self.found))
        runs = [tuple(new[i : i + _ASKS_A_JOB]) for i in range(0, len(new), _ASKS_A_JOB)]
        jobs = [
            Job(source, asks, self.seed + i, self.cold)
            for i, source in enumerate(self.subject.sources)
            for asks in runs
        ]
        results = self.each(measure, jobs, "releases")
        for job, made in zip(jobs, results, strict=True):
            for ask, one in zip(job.asks, made, strict=True):
                self.found.setdefault(ask, []).append(one)

    def each(self, work: Callable[[Any], Any], jobs: Sequence[Any], told: str) -> list[Any]:
        """Do jobs, side by side where there is a pool; results in the order of the jobs."""
        found = []
        for i, one in enumerate(map(work, jobs) if self.pool is None else self.pool.map(work, jobs), 1):
            self.tick(f"{told}, {i} of {len(jobs)}")
            found.append(one)
        return found
