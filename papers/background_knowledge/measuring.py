"""Makes releases of one table and measures them; a job that another process can do."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from likeness.anonymization import anonymize_encoded
from likeness.errors import CannotBeMetError
from likeness.microdata.clustering import clusters_of, dendrogram_of
from papers.background_knowledge.subjects import known, unknown
from papers.figures.timing import SearchClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    import likeness as lk
    from papers.background_knowledge.subjects import Source
    from papers.background_knowledge.systems import Setting, System

NAN = float("nan")
_FEW = (12.7062, 4.3027, 3.1824, 2.7764)
"""97.5 % quantiles of Student's t with 1 to 4 degrees of freedom."""
_SERIES = (1.959964, 2.372271, 2.822499, 2.555852, 1.589534)
"""The same with ν: a series in 1/ν (Fisher & Cornish), right to three digits from 5 on."""
METRICS = ("gcp", "gcp-normalised", "rgcp-normalised", "record-linkage")


def publish(source: Source, system: System, setting: Setting, seed: int) -> tuple[lk.Release, float]:
    """Make one release, and say how many seconds of processor time its search took.

    Raises
    ------
    CannotBeMetError
        Where nobody could be published.
    """
    encoded, clock = known(source, trees=system.trees), SearchClock()
    release = anonymize_encoded(
        encoded if setting.j else unknown(encoded), system.policy(source, setting).replace(seed=seed), clock
    )
    return release, clock.processor


def quantile(freedom: int) -> float:
    """97.5 % quantile of Student's t with so many degrees of freedom.

    Examples
    --------
    >>> quantile(4), round(quantile(9), 3)
    (2.7764, 2.262)
    """
    if freedom <= len(_FEW):
        return _FEW[freedom - 1]
    return float(sum(term / freedom**i for i, term in enumerate(_SERIES)))


@dataclass(frozen=True)
class Estimate:
    """A mean, and half the width of its 95 % interval (Student); NaN where there are too few.

    Parameters
    ----------
    mean
        Over tables.
    half
        Half the width.

    Examples
    --------
    >>> Estimate.of([1.0, 3.0]).mean, round(Estimate.of([1.0, 3.0]).half, 3)
    (2.0, 12.706)
    """

    mean: float
    half: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Average what was measured on several tables, without those where there was nothing to measure."""
        values = [value for value in values if not isnan(value)]
        n = len(values)
        half = quantile(n - 1) * float(np.std(values, ddof=1)) / sqrt(n) if n > 1 else NAN
        return cls(float(np.mean(values)) if n else NAN, half)


@dataclass(frozen=True)
class Measured:
    """What one release is like.

    Parameters
    ----------
    gcp
        GCP over all records of the table: withheld ones cost nothing, as in the paper.
    published
        GCP over the published records.
    rgcp
        RGCP over all records.
    ncp
        Mean NCP of all records, 1 for withheld ones.
    linked
        Expected number of records that are linked, RL.
    withheld
        Share of the records that are withheld.
    least, mean
        Size of the smallest class, and mean size.
    largest
        Share of the published records that are in the largest class.
    classes
        How many there are.
    seconds
        Processor time of the search, clustering by what is known included where it was not done for a release before.
    """

    gcp: float = NAN
    published: float = NAN
    rgcp: float = NAN
    ncp: float = NAN
    linked: float = NAN
    withheld: float = NAN
    least: float = NAN
    mean: float = NAN
    largest: float = NAN
    classes: float = NAN
    seconds: float = NAN


NOBODY = Measured(withheld=1.0)


@dataclass(frozen=True)
class Job:
    """Releases to make of one table.

    Parameters
    ----------
    source
        The table.
    asks
        System and setting of each.
    seed
        Of the releases.
    cold
        Whether each clusters what is known anew, as a single release does; else that is done once for all of a table.
    """

    source: Source
    asks: tuple[tuple[System, Setting], ...]
    seed: int
    cold: bool = False


def measure(job: Job) -> list[Measured]:
    """Make releases and measure them, in the order asked."""
    found = []
    for system, setting in job.asks:
        if job.cold:
            dendrogram_of.cache_clear()
            clusters_of.cache_clear()
        found.append(_measured(job.source, system, setting, job.seed))
    return found


def _measured(source: Source, system: System, setting: Setting, seed: int) -> Measured:
    """Make one release and measure it."""
    try:
        release, seconds = publish(source, system, setting, seed)
    except CannotBeMetError:
        return NOBODY
    size = known(source).data.size
    plan = release.private.solution.plan
    sizes = np.bincount(plan.classes[plan.published])
    sizes = sizes[sizes > 0]
    lost = release.loss(*METRICS)
    return Measured(
        gcp=lost["gcp"] / size,
        published=lost["gcp-normalised"],
        rgcp=lost["rgcp-normalised"],
        ncp=lost["gcp"] / size + 1 - int(sizes.sum()) / size,
        linked=lost["record-linkage"],
        withheld=1 - int(sizes.sum()) / size,
        least=float(sizes.min()),
        mean=float(sizes.mean()),
        largest=float(sizes.max() / sizes.sum()),
        classes=float(sizes.size),
        seconds=seconds,
    )
