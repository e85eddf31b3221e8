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
    SomeValues,
    Strength,
)
from likeness.models.distinct import levelled, with_protected
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

    Where only some values need protection, r_1 is that of the most frequent of them, and the l - 2 most frequent of all other
    values do not count in the tail (positive-disclosure recursive diversity: the others are don't-care values); a class without
    any of them holds.

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
    Machanavajjhala et al. 2006, "ℓ-diversity", definition of recursive (c, ℓ)-diversity, and of positive-disclosure recursive
    (c, ℓ)-diversity. The
    order is descending: pyCANON and anjana sort ascending and so verify tables that violate it.

    Examples
    --------
    >>> RecursiveClDiversity(2, 2)
    RecursiveClDiversity(c=2, l=2)
    """

    c: float | str | Fraction
    l: int  # noqa: E741  # the literature's name

    name: ClassVar[str] = "recursive-cl-diversity"
    some_values: ClassVar[SomeValues | None] = "present"
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
        rarer = times(largest, self.c.denominator) < times(tail, self.c.numerator)
        return np.asarray(rarer | ~with_protected(stats, self.attribute.protected))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        largest, tail = self._counts(stats)
        ratio = np.where(tail > 0, largest / np.maximum(tail, 1), np.inf)
        return np.where(with_protected(stats, self.attribute.protected), ratio, 0.0)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return float(self.c) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Infimum of c: every larger one is met, for the given l."""
        concerned = with_protected(stats, self.attribute.protected)
        largest, tail = (counts[concerned] for counts in self._counts(stats))
        c = float(largest_ratio(largest, tail)) if (tail > 0).all() else float("inf")
        return Strength({"c": c, "l": float(self.l)})

    def _counts(self, stats: ClassStatistics) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(E,) Count of the most frequent value that needs protection, and all but it and the l - 2 most frequent others.

        Where all need protection they are r_1 and ``r_l + … + r_u``; 0 and a tail that means nothing in classes without any.
        """
        order = np.lexsort((-stats.count, stats.class_of))
        count, class_of = stats.count[order], stats.class_of[order]
        rank = np.arange(count.size) - stats.start[class_of]
        protected = self.attribute.protected
        own = np.flatnonzero(protected[stats.value[order]] if protected is not None else rank == 0)
        concerned, first = np.unique(class_of[own], return_index=True)
        largest, place = np.zeros(stats.classes, np.int64), np.zeros(stats.classes, np.int64)
        largest[concerned], place[concerned] = count[own[first]], rank[own[first]]
        # No class has more values than there are: a larger number need not fit 64 bits.
        skipped = min(self.l, stats.values + 2) - 1
        among = place < skipped
        tail = np.zeros(stats.classes, np.int64)
        left = rank >= np.where(among, skipped, skipped - 1)[class_of]
        np.add.at(tail, class_of[left], count[left])
        return largest, np.where(among, tail, tail - largest)

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, recursive_where_protected, recursively_diverse

        # A smaller c whose products fit 64 bits: no class tells it from c but by a hair, and then is refused.
        most = max(1, self.attribute.total)
        c = min(self.c, Fraction(most + 1))
        c = fraction_below(c, max(1, (1 << 62) // (most * (int(c) + 1))))
        values = len(self.attribute.counts)
        integers = [c.numerator, c.denominator, min(self.l, values + 1)]
        if self.attribute.protected is None:
            return ClassTest(recursively_diverse, integers, values=values)
        return ClassTest(recursive_where_protected, [*integers, *self.attribute.protected], values=values)

    def values_needed(self) -> int:
        return self.l if self.attribute.protected is None else 1

    def surplus(self, counts: NDArray[np.int64]) -> NDArray[np.int64] | None:
        return levelled(self, counts) if self.attribute.protected is None else None

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.l)
