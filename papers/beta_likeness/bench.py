"""Makes the releases of one table, and measures them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import likeness as lk
from benchmarks.clock import unit
from likeness.errors import CannotBeMetError
from likeness.models.requirements import require
from likeness.proving.proof import prove
from papers.figures.timing import SearchClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from papers.beta_likeness.subjects import Subject
    from papers.beta_likeness.systems import System

NAN = float("nan")
SIZES, BETAS, DIMENSIONS = (1, 2, 3, 4, 5), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5)
DEFAULT_BETA, DEFAULT_QUASI = 4, 3


@dataclass(frozen=True, eq=False)
class Timed:
    """A release and how long it took.

    Parameters
    ----------
    release
        None where the table cannot meet the guarantee.
    search, total
        Seconds of the search alone, and from the table to the proven release; of the fastest run.
    """

    release: lk.Release | None
    search: float = NAN
    total: float = NAN

    def loss(self) -> float:
        """Average information loss, equation 5."""
        return NAN if self.release is None else self.release.loss("ail")["ail"]


@dataclass(eq=False)
class Bench:
    """One table and how it is measured.

    Parameters
    ----------
    subject
        The table.
    queries
        Queries of a workload.
    seed
        Of every release and workload.
    repeat
        Runs of which the fastest counts.
    tick
        Called with a line before each piece of work.
    """

    subject: Subject
    queries: int = 10_000
    seed: int = 1
    repeat: int = 3
    tick: Callable[[str], object] = str

    @cached_property
    def sizes(self) -> list[Subject]:
        """A fifth of the table, two fifths … all of it: figure 7."""
        rows = self.subject.table.height
        return [self.subject.sample(rows * part // 5, seed=part) for part in SIZES]

    @cached_property
    def most_frequent(self) -> float:
        """Share of the most frequent sensitive value."""
        return self.subject.shares[0]

    def policy(self, system: System, value: float, quasi: int = DEFAULT_QUASI) -> lk.Policy:
        """Ask for a guarantee; nobody may be withheld."""
        return lk.Policy(
            columns=self.subject.columns(quasi),
            privacy=system.guarantee(value),
            method=system.method,
            form=system.form,
            withhold={"at_most": 0},
        )

    def make(
        self,
        system: System,
        value: float,
        quasi: int = DEFAULT_QUASI,
        *,
        subject: Subject | None = None,
        repeat: int = 1,
    ) -> Timed:
        """Make a release, or say that there is none."""
        self.tick(f"{system.name}, {value:g}, {quasi} quasi-identifiers")
        table = (subject or self.subject).source
        policy = self.policy(system, value, quasi)
        found = Timed(None)
        for _ in range(repeat):
            clock = SearchClock()
            start = time.perf_counter()
            try:
                release = lk.anonymize(table, policy, seed=self.seed, progress=clock)
            except CannotBeMetError:
                return Timed(None)
            total = time.perf_counter() - start
            found = Timed(release, min_of(found.search, clock.seconds), min_of(found.total, total))
        return found

    def argsort(self, rows: int | None = None) -> float:
        """Seconds of one stable argsort of as many int64: the unit of time."""
        return unit(rows or self.subject.table.height)


def min_of(one: float, other: float) -> float:
    """Take the smaller; a missing one does not count."""
    return other if one != one else min(one, other)  # noqa: PLR0124  # NaN


def strength(release: lk.Release | None, model: Any, parameter: str) -> float:
    """Measure the strongest parameter that a release has."""
    if release is None:
        return NAN
    (proof,) = prove(release.publication, [model]).proofs
    return NAN if proof.strength is None else proof.strength.values[parameter]


def real_beta(release: lk.Release | None) -> float:
    """Measure the largest relative gain in any class (Definition 2)."""
    return strength(release, lk.BasicBetaLikeness(1), "beta")


def real_t(release: lk.Release | None) -> float:
    """Measure the largest earth mover's distance of any class."""
    return strength(release, lk.TCloseness(1), "t")


def by_class(release: lk.Release, model: Any) -> NDArray[np.float64]:
    """Measure every class on the scale of a model."""
    publication = release.publication
    (one,) = require([model], publication.sensitive, publication.sensitive_codes, complete=False)
    count = int(publication.classes.max()) + 1
    stats = one.statistics(publication.classes, count, publication.sensitive, publication.sensitive_codes)
    return np.asarray(one.bound.measured(stats))


def shares_by_class(release: lk.Release) -> NDArray[np.float64]:
    """(classes, m) Share of every sensitive value in every class."""
    publication = release.publication
    m = publication.sensitive[0].codes
    keys = publication.classes * m + publication.sensitive_codes[0]
    table = np.bincount(keys, minlength=(int(publication.classes.max()) + 1) * m).reshape(-1, m)
    return np.asarray(table / table.sum(axis=1, keepdims=True))
