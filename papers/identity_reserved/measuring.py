"""Makes one release, and measures it; a job that another process can do."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

import likeness as lk
from likeness.errors import CannotBeMetError, PolicyError
from likeness.queries.drawing import relative_errors
from papers.figures.timing import SearchClock

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.metrics.vulnerable_classes import VulnerableClasses
    from likeness.queries.query import Workload
    from likeness.tables import Table


@dataclass(frozen=True)
class Measured:
    """What one release is like, or the mean of several.

    Parameters
    ----------
    loss
        NLoss, equation 15; a withheld record costs all of its values.
    vulnerable
        Share of the classes that hold the identity-reserved model and not the enhanced one, v.
    error_1, error_d
        Mean relative error of queries with a condition on one quasi-identifier, and on all (equation 19).
    seconds
        Processor time of the search, which other work on the machine lengthens little.
    people
        Individuals per class.
    small
        Share of the classes that have two individuals.
    withheld
        Share of the individuals that are withheld.
    """

    loss: float
    vulnerable: float
    error_1: float
    error_d: float
    seconds: float
    people: float
    small: float
    withheld: float


NOTHING = Measured(*[float("nan")] * len(fields(Measured)))


@dataclass(frozen=True, eq=False)
class Job:
    """How to make and measure one release.

    Parameters
    ----------
    table
        The records.
    people
        How many individuals they are of.
    policy, seed
        How they are published.
    vulnerable
        Measures the share of vulnerable classes.
    one, all
        Queries with a condition on one quasi-identifier, and on all.
    """

    table: Table
    people: int
    policy: lk.Policy
    seed: int
    vulnerable: VulnerableClasses
    one: Workload
    all: Workload


def measure(job: Job) -> Measured:
    """Make one release and measure it; NaN where nobody could be published."""
    clock = SearchClock()
    try:
        release = lk.anonymize(job.table, job.policy, seed=job.seed, progress=clock)
    except CannotBeMetError:
        return NOTHING
    sizes = class_sizes(release)
    return Measured(
        loss=release.loss("nloss")["nloss"],
        vulnerable=next(iter(release.loss(job.vulnerable).values())),
        error_1=float(relative_errors(release.publication, job.one).mean()),
        error_d=float(relative_errors(release.publication, job.all).mean()),
        seconds=clock.processor,
        people=float(sizes.mean()),
        small=float((sizes == 2).mean()),
        withheld=1 - int(sizes.sum()) / job.people,
    )


def class_sizes(release: lk.Release) -> NDArray[np.int64]:
    """(classes,) Number of individuals of every published class."""
    publication = release.publication
    persons = publication.persons
    if persons is None:
        raise PolicyError("individuals can be counted only where they are published")
    members = np.unique(np.stack([publication.classes, persons]), axis=1)
    return np.bincount(members[0])
