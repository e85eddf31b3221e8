"""t-closeness (Li, Li & Venkatasubramanian 2007): every class is distributed nearly as the table is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from likeness.checks import choice, number
from likeness.exact import float_above, fraction_below, largest_ratio, rational, times
from likeness.models.base import (
    SHARE,
    BoundModel,
    DistributionModel,
    SensitiveAttribute,
    SomeValues,
    Strength,
)
from likeness.models.earth_movers import DISTANCES, Transport, transport
from likeness.wording import percentage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.domain import Domain
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange

_MOST_SIZE, _MOST_LOOKS, _A_NODE = 1_000, 500_000, 25
"""Records of the largest class that is looked at for the smallest that can hold, values of all of them, and how many values take
the time of a node of a tree."""


@dataclass(frozen=True, repr=False)
class TCloseness(DistributionModel):
    """The earth mover's distance between the sensitive values of every class and of the table is at most t.

    It asks for no number of records in a class: without k-anonymity beside it, somebody may be alone in one.

    Parameters
    ----------
    t
        Largest distance, from 0 to 1. Texts such as ``"1/3"`` are exact.
    distance
        Ground distance between values: ``equal`` (any two are 1 apart), ``ordered`` (ranks apart, over the
        largest) or ``hierarchical`` (height of the lowest common ancestor, over the root's; the height of a node
        is the number of edges of the longest way down to a leaf); by default the one the column declares, for
        its categories too: they are in the order in which the policy gives them, and ``ordered`` if it is said.

    References
    ----------
    Li, Li & Venkatasubramanian 2007, "t-closeness".

    Examples
    --------
    >>> TCloseness(0.2, distance="ordered")
    TCloseness(t=0.2, distance='ordered')
    """

    t: float | str | Fraction
    distance: str | None = None

    name: ClassVar[str] = "t-closeness"
    some_values: ClassVar[SomeValues | None] = "merged"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"t": SHARE})
    # The distance is convex in the class's distribution.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    counts_individuals: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "t", self.t, at_least=0, at_most=1)
        if self.distance is not None:
            choice(self.name, "distance", self.distance, DISTANCES)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        if self.distance == "equal":
            near = ""
        elif self.distance is None:
            near = ", where a change to a value that is near may count for less than one"
        else:
            near = ", where a change counts for less than one the nearer the value is"
        return (
            f"The values of every group are mixed nearly as those of {self.compared_with}: changing "
            f"{percentage(rational(self.t))} of "
            f"them, or fewer, would make them equal{near}."
        )

    def eased(self, share: Fraction) -> Self:
        """Let t be larger by the share: who is left out moves no more of the others, and none further than 1."""
        return replace(self, t=min(Fraction(1), rational(self.t) + share))

    def distance_in(self, domain: Domain) -> str:
        """Its own ground distance, or the one that the column declares."""
        return self.distance or domain.distance

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute.

        Raises
        ------
        PolicyError
            When its column does not have the ground distance.
        """
        limit = number(self.name, "t", self.t, at_least=0, at_most=1)
        return _Bound(limit, transport(self.name, attribute, self.distance))


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    t: Fraction
    transport: Transport

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        allowed = times(self._whole(stats), self.t.numerator)
        return np.asarray(times(self.transport.work(stats), self.t.denominator) <= allowed)

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        whole = np.maximum(self._whole(stats).astype(np.float64), 1.0)
        return np.asarray(self.transport.work(stats).astype(np.float64) / whole)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.t) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        held = stats.sizes > 0
        largest = largest_ratio(self.transport.work(stats)[held], self._whole(stats)[held])
        return Strength({"t": float_above(largest)})

    def _whole(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(E,) What the transport's work is a share of."""
        return times(stats.sizes, self.transport.scale * self.transport.total)

    @cached_property
    def smallest_class(self) -> int:
        """So many records as the nearest class to the whole has where that is near enough."""
        laid = self.transport
        if not laid.fits:
            return 1
        looks = max(1, laid.first.size) * (_A_NODE if laid.nested else 1)
        most = min(_MOST_SIZE, laid.total, _MOST_LOOKS // looks)
        for size in range(1, most + 1):
            allowed = size * laid.scale * laid.total * self.t.numerator
            if laid.least_work(size) * self.t.denominator <= allowed:
                return size
        return most + 1

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, transport_at_most

        laid = self.transport
        edges = np.stack([laid.first, laid.last, laid.weight], axis=1).ravel()
        t = fraction_below(self.t, (1 << 31) - 1)
        head = [laid.total, t.numerator, t.denominator, laid.scale, laid.weight.size]
        integers = np.concatenate([head, laid.counts, edges, laid.for_present()])
        # Every edge costs a few roundings of at most the whole work.
        margin = (laid.weight.size + 8) * 1e-15
        reals = () if laid.fits else (float(self.t) - margin,)
        return ClassTest(transport_at_most, integers, reals, values=len(laid.counts))
