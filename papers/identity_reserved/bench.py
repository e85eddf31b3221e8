"""Makes the releases of one table several times, and averages what they are like."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np

import likeness as lk
from likeness.encode import encode
from likeness.queries.drawing import draw_workload
from papers.identity_reserved.measuring import Job, Measured, measure
from papers.identity_reserved.subjects import WHO
from papers.identity_reserved.systems import DANONYIR_KL, Setting, System, guarantee, vulnerable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from likeness.queries.query import Workload
    from papers.identity_reserved.subjects import Subject

SELECTIVITY = 0.05


@dataclass(eq=False)
class Bench:
    """One table and how it is measured.

    Parameters
    ----------
    subject
        The table, or some of its people.
    whole
        The whole table.
    runs
        Releases that are averaged; the r-th has the seed ``seed + r``.
    queries
        Queries of a workload.
    seed
        Of releases and workloads.
    pool
        Where releases are made side by side; None to make one after the other.
    tick
        Called with a line as work goes on.
    """

    subject: Subject
    whole: Subject
    runs: int = 3
    queries: int = 1_000
    seed: int = 1
    pool: Executor | None = None
    tick: Callable[[str], object] = str
    known: dict[tuple[System, Setting], Measured] = field(default_factory=dict)
    workloads: dict[tuple[int, int, float], Workload] = field(default_factory=dict)

    def on(self, subject: Subject, runs: int | None = None) -> Bench:
        """Measure another table, or another part of it, in the same way."""
        return replace(self, subject=subject, runs=runs or self.runs, known={}, workloads={})

    def curve(self, system: System, settings: Sequence[Setting], what: str) -> list[float]:
        """Measure one thing at several settings."""
        return [float(getattr(self.mean(system, setting), what)) for setting in settings]

    def mean(self, system: System, setting: Setting) -> Measured:
        """Average over the runs; NaN where the table cannot meet the guarantee."""
        self.fill([system], [setting])
        return self.known[system, system.relevant(setting)]

    def fill(self, systems: Sequence[System], settings: Sequence[Setting]) -> None:
        """Make all releases that are not known yet, side by side where there is a pool."""
        asked = {(system, system.relevant(setting)) for setting in settings for system in systems}
        new = sorted(asked - set(self.known), key=lambda one: (one[1], one[0].name))
        asks = [(system, setting, run) for system, setting in new for run in range(self.runs)]
        jobs = [self.job(*one) for one in asks]
        made = []
        found = map(measure, jobs) if self.pool is None else self.pool.map(measure, jobs)
        for (system, setting, run), one in zip(asks, found, strict=True):
            self.tick(f"{self.subject.people:,} people, {system.name}, {setting}, run {run + 1}")
            made.append(one)
        for i, key in enumerate(new):
            self.known[key] = mean_of(made[i * self.runs : (i + 1) * self.runs])

    def job(self, system: System, setting: Setting, run: int) -> Job:
        """Say how to make and measure one release."""
        return Job(
            self.subject.source,
            self.subject.people,
            self.policy(system, setting),
            self.seed + run,
            vulnerable(system.model, setting),
            self.workload(setting.quasi, 1),
            self.workload(setting.quasi, setting.quasi),
        )

    def policy(self, system: System, setting: Setting) -> lk.Policy:
        """Ask for a guarantee; anybody may be withheld, at the price of all of their values."""
        return lk.Policy(
            columns=self.subject.columns(setting.quasi, trees=system.trees),
            privacy=guarantee(system.model, setting),
            method={"name": system.method, **dict(system.options)},
            form={"name": "identity-reserved"},
            individual=WHO,
            withhold={"at_most": 1},
        )

    def workload(self, quasi: int, predicates: int, selectivity: float = SELECTIVITY) -> Workload:
        """Draw queries from the table as DAnonyIR sees it; the same for all systems."""
        key = quasi, predicates, selectivity
        if key not in self.workloads:
            policy = self.policy(DANONYIR_KL, Setting(quasi=quasi))
            self.workloads[key] = draw_workload(
                encode(self.subject.source, policy).data,
                queries=self.queries,
                predicates=predicates,
                selectivity=selectivity,
                seed=self.seed,
                conditions="values",
            )
        return self.workloads[key]

    def measure(self, jobs: Sequence[Job]) -> list[Measured]:
        """Make releases and measure them, side by side where there is a pool."""
        return list(map(measure, jobs) if self.pool is None else self.pool.map(measure, jobs))


def mean_of(found: Sequence[Measured]) -> Measured:
    """Average several releases.

    Examples
    --------
    >>> mean_of([Measured(*[1.0] * 8), Measured(*[2.0] * 8)]).loss
    1.5
    """
    return Measured(*(float(np.mean([getattr(one, own.name) for one in found])) for own in fields(Measured)))
