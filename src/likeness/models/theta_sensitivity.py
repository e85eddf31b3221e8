"""θ-sensitivity (Khan et al. 2020): the variance of the sensitive categories of a class is large enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, Refusal
from likeness.exact import float_below, fraction_below, largest_ratio, rational, times
from likeness.models.base import (
    COUNT,
    LARGEST,
    BoundModel,
    Conditions,
    ParameterRange,
    SensitiveAttribute,
    SensitiveModel,
    Strength,
)
from likeness.wording import count, percentage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True, repr=False)
class ThetaSensitivity(SensitiveModel):
    """Every class has k records at least, and its categories a variance σ² of at least θ: μ times that of k different ones.

    σ² is that of numbers X which the categories of a class have: with ``index: distinct`` 1, 2, … as they occur in it, in the
    order of severity or of descending frequency, with ``index: category-id`` their place among all categories. Of C categories
    ``θ = μ (min(k, C)² - 1) / 12``, which is μ times the variance of min(k, C) categories as frequent as each other; k is the one
    asked for, not the size of the class.

    A large variance bounds the largest share weakly, and the worse the larger k: (6, 1, 1, 1, 1) has the variance of
    (2, 2, 2, 2, 2). With five categories and μ = 0.6 a class of k to 2k - 1 records may hold up to 2/3, 3/5, 4/7, 4/7, 7/11,
    9/13, 11/15, 13/17, 15/19 of one category (k = 2 … 10), with ``index: category-id`` up to 2/3, 4/5, 6/7, 8/9, 10/11 and then
    11/12. Where belief is to be bounded, ask for that: ``alpha-k-anonymity``, ``membership-safety``.

    Parameters
    ----------
    k
        Smallest allowed class, at least 2.
    mu
        Share μ of that variance, above 0 and at most 1; from 0.5 to 0.9 in the paper.
    index
        ``distinct`` or ``category-id``.
    order
        Order of the categories of a class, where their number is their place among those that occur: ``severity``, or the paper's
        ``frequency``, the most frequent first, by which it is not closed under union.

    Notes
    -----
    By severity or category number it is closed under union. Numbers of a union are as far apart as before, or farther, so that
    the mean square of differences within either part does not fall; and the variance of a mixture is at least the mean of
    its parts'. By frequency it is not: (3, 1, 1) and (1, 3, 1) have 16/25, together 14/25. A record more may break it in every
    reading: (1, 1), then (9, 1).

    Fazal et al. 2023, equation 1, lost its minus sign. The numbers X are pinned by the variances that Khan et al. 2020, section
    5.1, give for fully diverse classes of 2, 3, 4 and 5: 1/4, 2/3, 5/4 and 2. That θ stops growing at k = C is ours: else no
    class could reach it for a large k.

    References
    ----------
    Khan et al. 2020, "θ-sensitive k-anonymity: an anonymization model for IoT based electronic health records". Fazal et
    al. 2023, equations 1 and 2.

    Examples
    --------
    >>> ThetaSensitivity(5, "1/2")
    ThetaSensitivity(k=5, mu='1/2')
    """

    k: int
    mu: float | str | Fraction = 0.6
    index: str = "distinct"
    order: str = "severity"
    by: str = field(default="categories", kw_only=True)

    name: ClassVar[str] = "theta-sensitivity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"mu": ParameterRange(larger_is_stronger=True, ends=(0.01, 1)), "k": COUNT}
    )
    # For the default; `__post_init__` says it of the others.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    needs_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "k", self.k, at_least=2)
        number(self.name, "mu", self.mu, above=0, at_most=1)
        choice(self.name, "index", self.index, ("distinct", "category-id"))
        choice(self.name, "order", self.order, ("severity", "frequency"))
        if (self.index, self.order) == ("category-id", "frequency"):
            what = "order: frequency numbers the categories of a class, and index: category-id has numbers; leave one out"
            raise PolicyError(Refusal(what, (self.name,)))
        object.__setattr__(self, "closed_under_union", self.order != "frequency")

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"Every group has at least {count(self.k, 'person')}, whose categories are spread by severity: "
            "their variance is at least "
            f"{percentage(rational(self.mu))} of what {self.k:,} different ones would have. How many "
            "share one is not limited by "
            "itself."
        )

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it: a variance takes two categories."""
        return Conditions(size=self.k, values=Fraction(2))

    @property
    def compares(self) -> bool:
        """True: no class is asked for more categories than all records have."""
        return True

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        mu = number(self.name, "mu", self.mu, above=0)
        return _Bound(
            attribute, self.k, mu, _NUMBERINGS[self.index if self.index != "distinct" else self.order]
        )


_NUMBERINGS = {"severity": 0, "frequency": 1, "category-id": 2}
"""How the categories of a class are numbered, for `kernels.class_tests.varied`."""


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    k: int
    mu: Fraction
    numbering: int

    def _full(self, k: int) -> Fraction:
        """Variance of k categories as frequent as each other, or of all there are; 0 where there is only one."""
        categories = int(np.count_nonzero(self.attribute.counts))
        return Fraction(min(k, categories) ** 2 - 1, 12) if categories else Fraction(0)

    def _variances(self, stats: ClassStatistics) -> tuple[NDArray[Any], NDArray[Any]]:
        """(E,) Numerator and denominator of σ² of every class: ``N Σ F X² - (Σ F X)²`` and ``N²``."""
        count, value = stats.count, stats.value
        if self.numbering == _NUMBERINGS["frequency"]:
            count = count[np.lexsort((-count, stats.class_of))]
        x = value
        if self.numbering != _NUMBERINGS["category-id"]:
            x = np.arange(count.size) - stats.start[stats.class_of]
        sums = np.zeros((3, stats.classes), np.int64)
        for power, own in enumerate(sums):
            np.add.at(own, stats.class_of, count * x**power)
        n, first, second = sums
        return times(n, second) - times(first, first), times(n, n)

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class; one category is no diversity, whatever μ."""
        theta = self.mu * self._full(self.k)
        variance, square = self._variances(stats)
        varied = times(variance, theta.denominator) >= times(square, theta.numerator)
        return np.asarray(varied.astype(np.bool_) & (theta > 0) & (stats.sizes >= self.k))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) σ² of every class over that of k different categories, 0 of classes that are too small."""
        full = float(self._full(self.k))
        if full == 0:
            return np.zeros(stats.classes)
        variance, square = self._variances(stats)
        ratio = variance.astype(np.float64) / np.maximum(square.astype(np.float64), 1) / full
        return np.where(stats.sizes >= self.k, ratio, 0.0)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """(E,) How far above μ it is."""
        return measured - float(self.mu)

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Find the largest μ, 1 at most, for the given k; for the smallest class's size where that is less."""
        k = min(self.k, int(stats.sizes.min())) if stats.classes else 0
        full = self._full(k)
        variance, square = self._variances(stats)
        if full <= 0 or not variance.all():
            return Strength({"mu": 0.0, "k": float(k)})
        least = 1 / largest_ratio(square, variance)
        return Strength({"mu": float_below(min(least / full, Fraction(1))), "k": float(k)})

    def because(self, stats: ClassStatistics) -> str:
        """Say the largest share of one category."""
        return f" ({self.left_open(stats)})"

    def left_open(self, stats: ClassStatistics) -> str:
        """Say the largest share of one category in a class, which σ² bounds weakly."""
        share = largest_ratio(stats.count, np.maximum(stats.sizes, 1)[stats.class_of])
        return f"largest share of one category in a class: {float(share):.6g}"

    def class_test(self) -> ClassTest:
        """Compare integers where they fit; else floats with a θ that is raised as far as roundings go."""
        from likeness.kernels.class_tests import ClassTest, varied

        theta = self.mu * self._full(self.k)
        values = len(self.attribute.counts)
        most, widest = max(1, int(self.attribute.counts.sum())), max(1, values - 1)
        room = (1 << 62) // (most * most * widest * widest)
        k = min(self.k, LARGEST)
        if theta == 0 or room == 0:
            raised = float(theta) * (1 + 1e-9) if theta else np.inf
            return ClassTest(varied, [k, self.numbering, 0, 1], [raised], values=values)
        # The nearest fraction above, as that of what is missing to a whole number is the nearest below.
        above = -int(-theta // 1)
        theta = above - fraction_below(above - theta, room)
        return ClassTest(varied, [k, self.numbering, theta.numerator, theta.denominator], values=values)

    def values_needed(self) -> int:
        return 2

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.k)

    def out_of_reach(self) -> str:
        """Say that a single category is no diversity."""
        few = int(np.count_nonzero(self.attribute.counts)) < 2
        return ". No release can hold it: there is one category only" if few else ""
