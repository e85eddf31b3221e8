"""Categorical similarity: classes or buckets whose sensitive values are all of one category."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.attacks._entries import EntriesAttack
from likeness.microdata.statistics import ClassStatistics
from likeness.models.base import SensitiveAttribute
from likeness.models.theta_sensitivity import ThetaSensitivity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.errors import Refusal
    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.models.base import BoundModel


_MOST_SELECTIONS = 10_000
"""Of values of a bucket that may be the invented ones."""


@dataclass(frozen=True)
class CategoricalSimilarityAttack(EntriesAttack):
    """Name the category of everybody in a class, or a bucket, whose values are all of one category.

    Parameters
    ----------
    sensitive
        The column; when left out every one with categories in turn, and the result is that of the largest gain.
    scope
        Whose success is reported: ``bucket`` (default), who knows the class or bucket of a person; or ``joined``, who knows the
        quasi-identifiers and sees all values of all buckets that people of the same region are in. In one table both are
        the same. Both stand in the details.
    k
        In two tables, the size of buckets that the adversary knows to have been filled up with invented records until their
        categories vary by θ (`ThetaStarUtility`, ``variant: paper``): what is beyond k is invented, and where that method can
        have invented one selection of the values only, the rest are people's. Nothing of that when left out.
    mu, order
        As those of `ThetaSensitivity`, for who knows k.

    Notes
    -----
    The last bucket has up to 2k - 1 people, and bucket numbers are random: for it the adversary who knows k errs.

    References
    ----------
    Fazal et al. 2023, definition 4 (csa); on their own Table 12, whose bucket Low, Low and Mild has one invented record, p6 and
    p8 are Low for who knows that k is 2.

    Examples
    --------
    >>> CategoricalSimilarityAttack(scope="joined")
    CategoricalSimilarityAttack(sensitive=None, scope='joined', k=None, mu=0.6, order='severity')
    """

    k: int | None = None
    mu: float | str | Fraction = 0.6
    order: str = "severity"

    name: ClassVar[str] = "categorical-similarity"
    what: ClassVar[str] = "is all of one category"
    explained: ClassVar[Mapping[str, str]] = {
        **EntriesAttack.explained,
        "invented": "records beyond k, which who knows k takes for invented",
        "filled": "buckets that have such records",
        "told": "those of them of which it can be told which are invented",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None:
            self._theta(self.k)

    def inapplicable(self, publication: Publication, original: Microdata) -> Refusal | None:
        """Find why the attack is not defined for a release; None when it is."""
        problem = super().inapplicable(publication, original)
        if problem is None and self.k is not None and not publication.links_buckets:
            return self._refused("k is the size of buckets, and one table has none", "leave it out")
        return problem

    def _theta(self, k: int) -> ThetaSensitivity:
        """What buckets were filled up to."""
        return ThetaSensitivity(k, self.mu, order=self.order)

    def seen(self, stats: ClassStatistics, domain: Domain) -> tuple[ClassStatistics, dict[str, float]]:
        """Leave out invented records that can be told."""
        if self.k is None:
            return stats, {}
        counts = np.zeros((stats.classes, stats.values), np.int64)
        counts[stats.class_of, stats.value] = stats.count
        filled = stats.sizes > self.k
        alike, of = np.unique(counts[filled], axis=0, return_inverse=True)
        bound = self._theta(self.k).bind_to(SensitiveAttribute(domain, stats.totals))
        noise = _Noise(bound, np.flatnonzero(stats.totals), self.k)
        invented = np.array([noise.of(tuple(own)) for own in alike.tolist()], np.int64).reshape(
            -1, stats.values
        )
        found = invented[of.reshape(-1)]
        details = {
            "invented": float((stats.sizes[filled] - self.k).sum()),
            "filled": float(np.count_nonzero(filled)),
            "told": float(np.count_nonzero(found.sum(axis=1))),
        }
        counts[filled] -= found
        class_of, value = np.nonzero(counts)
        people = ClassStatistics(counts.sum(axis=1), stats.values, class_of, value, counts[class_of, value])
        return people, details

    def flagged(self, stats: ClassStatistics, domain: Domain, counts: NDArray[np.int64]) -> NDArray[np.bool_]:  # noqa: ARG002
        """(E,) Whether there is one category only."""
        return np.asarray(stats.distinct == 1, np.bool_)


@dataclass(frozen=True, eq=False)
class _Noise:
    """What filling buckets of k up until they hold may have invented; ``present``: the categories that there are, ascending."""

    bound: BoundModel
    present: NDArray[np.int64]
    k: int
    held: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def of(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Tell what was invented in a bucket of these counts; zeros where there is not one possibility only."""
        beyond = sum(counts) - self.k
        ranges = [range(min(count, beyond) + 1) for count in counts]
        nothing = (0,) * len(counts)
        if prod(map(len, ranges)) > _MOST_SELECTIONS:
            return nothing
        possible = [own for own in product(*ranges) if sum(own) == beyond and self._may_be(counts, own)]
        return possible[0] if len(possible) == 1 else nothing

    def _may_be(self, counts: tuple[int, ...], invented: tuple[int, ...]) -> bool:
        """Whether some order of the others makes the method invent these."""
        others = tuple(count - own for count, own in zip(counts, invented, strict=True))
        return any(self._fill(others, last, counts) == counts for last, count in enumerate(others) if count)

    def _fill(self, counts: tuple[int, ...], last: int, most: tuple[int, ...]) -> tuple[int, ...]:
        """Add the rarest category, of equals the next after the last, until the bucket holds or has more than ``most``."""
        circle = self.present.tolist()
        at = circle.index(last)
        while not self._holds(counts):
            order = [circle[(at + step) % len(circle)] for step in range(1, len(circle) + 1)]
            chosen = min(order, key=lambda value: counts[value])
            counts = tuple(count + (value == chosen) for value, count in enumerate(counts))
            if counts[chosen] > most[chosen]:
                break
            at = circle.index(chosen)
        return counts

    def _holds(self, counts: tuple[int, ...]) -> bool:
        """Whether a bucket of these counts varies enough; each is looked at once."""
        if counts not in self.held:
            own = np.array(counts, np.int64)
            value = np.flatnonzero(own)
            stats = ClassStatistics(np.array([own.sum()]), own.size, np.zeros_like(value), value, own[value])
            self.held[counts] = bool(self.bound.holds(stats)[0])
        return self.held[counts]
