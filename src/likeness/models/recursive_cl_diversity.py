"""Recursive (c, l)-diversity (Machanavajjhala et al. 2006): the most frequent value is not too frequent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number, whole
from likeness.exact import fraction_below, largest_ratio, rational, times
from likeness.models.base import (
    COUNT,
    GAIN,
    BoundModel,
    Conditions,
    SensitiveAttribute,
    SensitiveModel,
    Strength,
)
from likeness.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class RecursiveClDiversity(SensitiveModel):
    """In every class the most frequent value is rarer than c times the l-th, l+1-th … together.

    With the counts of a class in descending order, ``r_1 < c (r_l + r_{l+1} + … + r_u)``; a class of fewer
    than l values violates it.

    It is also what bounds belief against who rules values out (non-membership): with ``l = q + 2`` and ``c = δ / (1 - δ)`` nobody
    who knows of q values that a person does not have them believes in any other one by δ or more, however the q are chosen.

    Parameters
    ----------
    c
        Factor, above 0. Texts such as ``"1/3"`` are exact.
    l
        Rank from which values count, at least 2.

    Notes
    -----
    Of all values and all q others that are ruled out, belief is largest in the most frequent one without the next q:
    ``r_1 / (r_1 + r_{q+2} + … + r_u)``. That is below δ just where ``r_1`` is below ``δ / (1 - δ)`` times ``r_{q+2} + … + r_u``.

    References
    ----------
    Machanavajjhala et al. 2006, "ℓ-diversity", definition of recursive (c, ℓ)-diversity. The
    order is descending: pyCANON and anjana sort ascending and so verify tables that violate it.

    Examples
    --------
    >>> RecursiveClDiversity(2, 2)
    RecursiveClDiversity(c=2, l=2)
    """

    c: float | str | Fraction
    l: int  # noqa: E741  # the literature's name

    name: ClassVar[str] = "recursive-cl-diversity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"c": GAIN, "l": COUNT})
    # The l - 1 largest counts of a union are at most those of its parts together: r_1 is at most the sum, the
    # tail at least.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    counts_individuals: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "c", self.c, above=0)
        whole(self.name, "l", self.l, at_least=2)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        rest = "all others" if self.l == 2 else f"all others but the {self.l - 2} most frequent of them"
        return f"In every group the most frequent {self.counted} is rarer than {decimal(rational(self.c))} times {rest} together."

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it."""
        return Conditions(values=Fraction(self.l))

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, number(self.name, "c", self.c, above=0), self.l)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    c: Fraction
    l: int  # noqa: E741

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        largest, tail = self._counts(stats)
        # Fewer than l values leave no tail, and r_1 < 0 is false.
        return np.asarray(times(largest, self.c.denominator) < times(tail, self.c.numerator))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        largest, tail = self._counts(stats)
        return np.where(tail > 0, largest / np.maximum(tail, 1), np.inf)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.c) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Infimum of c: every larger one is met, for the given l."""
        largest, tail = self._counts(stats)
        c = float(largest_ratio(largest, tail)) if (tail > 0).all() else float("inf")
        return Strength({"c": c, "l": float(self.l)})

    def _counts(self, stats: ClassStatistics) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(E,) r_1 and ``r_l + … + r_u`` of every class."""
        order = np.lexsort((-stats.count, stats.class_of))
        count = stats.count[order]
        rank = np.arange(count.size) - stats.start[stats.class_of]
        largest = np.zeros(stats.classes, np.int64)
        largest[stats.class_of[rank == 0]] = count[rank == 0]
        tail = np.zeros(stats.classes, np.int64)
        np.add.at(tail, stats.class_of[rank >= self.l - 1], count[rank >= self.l - 1])
        return largest, tail

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, recursively_diverse

        # A smaller c whose products fit 64 bits: no class tells it from c but by a hair, and then is refused.
        most = max(1, self.attribute.total)
        c = min(self.c, Fraction(most + 1))
        c = fraction_below(c, max(1, (1 << 62) // (most * (int(c) + 1))))
        values = len(self.attribute.counts)
        integers = [c.numerator, c.denominator, min(self.l, values + 1)]
        return ClassTest(recursively_diverse, integers, values=values)

    def values_needed(self) -> int:
        return self.l

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.l)
