"""Makes one release, measures and attacks it; a job that another process can do."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING

import likeness as lk
from benchmarks.clock import unit
from likeness.errors import CannotBeMetError, PolicyError
from likeness.metrics.ncp import Ncp
from likeness.metrics.query_error import QueryError
from likeness.metrics.record_linkage import RecordLinkage
from likeness.metrics.vulnerable_classes import VulnerableClasses
from papers.figures.timing import SearchClock
from papers.two_tables.systems import L

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.attacks.base import Attack
    from likeness.metrics.base import Metric
    from likeness.tables import Table

PREDICATES, SELECTIVITY = 2, 0.1
SELECTIVITIES = (0.01, 0.02, 0.04, 0.06, 0.08, 0.1)
"""Of figure 7B, from 1 % to 10 %; the paper's axis has no numbers in its text."""


@dataclass(frozen=True)
class Measured:
    """What one release is like.

    Parameters
    ----------
    values
        What was measured, by name.
    why
        Why something could not be measured, by its name; the release itself goes by the empty name.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    why: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        """Give one number; NaN where there is none."""
        return self.values.get(name, nan)

    @property
    def refused(self) -> str:
        """Why there is no release; empty where there is one."""
        return self.why.get("", "")


@dataclass(frozen=True, eq=False)
class Job:
    """How to make and measure one release.

    Parameters
    ----------
    table
        What is published.
    policy
        How.
    k
        Smallest class, for attacks that count by it.
    queries
        Queries of each workload.
    seed
        Of release and workloads.
    repeat
        Releases that are timed; the fastest counts.
    """

    table: Table
    policy: lk.Policy
    k: int
    queries: int = 1_000
    seed: int = 1
    repeat: int = 3


def metrics(queries: int, seed: int, quasi: int) -> dict[str, Metric]:
    """Name what is measured.

    Parameters
    ----------
    queries, seed
        Of every workload.
    quasi
        How many quasi-identifiers there are.
    """

    def error(share: float, *, sensitive: bool) -> QueryError:
        return QueryError(queries, min(PREDICATES, quasi), share, seed=seed, sensitive=sensitive)

    def papers(share: float, counting: str) -> QueryError:
        return QueryError(
            queries, quasi, share, seed=seed, statistic="mean", sensitive=False, counting=counting
        )

    found: dict[str, Metric] = {
        "NCP": Ncp(),
        "NCP, invented counted": Ncp(include_noise=True),
        "query error, sensitive condition": error(SELECTIVITY, sensitive=True),
        "query error, none": error(SELECTIVITY, sensitive=False),
        "query error, figure 7": papers(SELECTIVITY, "overlap"),
        "record-linkage": RecordLinkage(),
        "RL / n": RecordLinkage(normalised=True),
        "vulnerable-classes": VulnerableClasses(l=L),
    }
    for share in SELECTIVITIES:
        found[f"all, {share:g}"] = papers(share, "overlap")
        found[f"all, {share:g}, uniform"] = papers(share, "uniform")
        found[f"asked, {share:g}"] = error(share, sensitive=True)
    return found


def attacks(k: int) -> dict[str, Attack]:
    """Name the attacks, with the sizes of classes that the release was asked for."""
    return {
        "homogeneity": lk.HomogeneityAttack(),
        "membership": lk.MembershipAttack(),
        "non-membership": lk.NonMembershipAttack(),
        "categorical-similarity": lk.CategoricalSimilarityAttack(),
        "sensitive-variance": lk.SensitiveVarianceAttack(k=k, order="frequency"),
        "sensitive-vertical": lk.SensitiveVerticalAttack(),
        "fingerprint": lk.FingerprintAttack(),
        "linkage": lk.LinkageAttack(),
    }


BELIEVING = ("membership", "non-membership", "sensitive-vertical")
"""Attacks whose details say of what share of their targets something is certain, and with the bucket known."""


def measure(job: Job) -> Measured:
    """Make one release, measure it and attack it; says what it refuses, and why."""
    seconds = nan
    try:
        for _ in range(job.repeat):
            release, took = _timed(job)
            seconds = took if seconds != seconds else min(seconds, took)  # noqa: PLR0124  # NaN
    except (CannotBeMetError, PolicyError) as problem:
        return Measured(why={"": str(problem.refusals[0])})
    data = release.private.encoded.data
    values = {
        "argsorts": seconds / unit(job.table.height),
        "withheld": release.private.solution.plan.withheld / data.size,
        "invented": release.counts.get("invented", 0) / max(1, release.publication.size),
    }
    why: dict[str, str] = {}
    for name, metric in metrics(job.queries, job.seed, len(data.quasi)).items():
        if isinstance(metric, VulnerableClasses) and data.individuals is None:
            why[name] = "one record a person is published, and no class is vulnerable then"
            continue
        try:
            values[name] = metric.measure(release.evaluation)
        except PolicyError as problem:
            why[name] = str(problem.refusals[0])
    return Measured(values | _attacked(release, job.k, why), why)


def _timed(job: Job) -> tuple[lk.Release, float]:
    """Make the release, and say how long its search took: seconds of processor time, what comes before it included."""
    clock = SearchClock()
    release = lk.anonymize(job.table, job.policy, seed=job.seed, progress=clock)
    source = release.private.encoded.data.source
    start = time.process_time()
    if source is not None:
        release.private.method.prepared(source.records)
    return release, clock.processor + time.process_time() - start


def _attacked(release: lk.Release, k: int, why: dict[str, str]) -> dict[str, float]:
    """Attack a release; what is not defined for it stands in ``why``."""
    found: dict[str, float] = {}
    people = release.private.encoded.data.units.size
    certain, in_bucket = [], []
    for name, attack in attacks(k).items():
        try:
            made = release.attack(attack)
        except PolicyError as problem:
            why[name] = str(problem.refusals[0])
            continue
        found[name], found[f"{name}, without the release"] = made.success, made.baseline
        if name in BELIEVING:
            part = made.details["targets"] / people
            certain.append(made.details["certain"] * part)
            in_bucket.append(made.details.get("certain_in_class", made.details["certain"]) * part)
        elif name in {"fingerprint", "categorical-similarity"}:
            # One candidate, or one category in the class.
            own = made.success if name == "fingerprint" else made.details["joined"]
            certain.append(own)
            in_bucket.append(made.success)
        if "breached_in_class" in made.details:
            found[f"{name}, bucket known"] = made.details["breached_in_class"]
    found["vulnerable"] = max(certain, default=nan)
    found["vulnerable, bucket known"] = max(in_bucket, default=nan)
    return found
