"""(p, α)-sensitivity (Sun, Sun & Wang 2011): several values in every class, and not only the most severe ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number, whole
from likeness.errors import PolicyError, Refusal
from likeness.exact import float_below, rational
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
from likeness.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True, repr=False)
class PAlphaSensitivity(SensitiveModel):
    """Every class holds at least p different sensitive values, whose weights add up to at least α.

    The weight of a value is that of its category (``categories:`` of the policy): of C categories the i-th, the least severe
    first, weighs ``(C - i) / (C - 1)``, so from 1 down to 0 for the most severe. A class of severe values alone has too little
    weight, however many they are. With ``by: categories`` categories are counted and weighed, each once. It looks at no shares:
    nine of ten records may have the most severe value.

    Parameters
    ----------
    p
        Number of values, at least 1.
    alpha
        Least sum of the weights of the different values, above 0. Texts such as ``"3/2"`` are exact.

    References
    ----------
    Sun, Sun & Wang 2011, "Extended k-anonymity models against sensitive attribute disclosure". The paper was not to be had: that
    weights are evenly spaced, 0 for the most severe category, and that each value counts once is our reading.

    Examples
    --------
    >>> PAlphaSensitivity(3, "3/2")
    PAlphaSensitivity(p=3, alpha='3/2')
    """

    p: int
    alpha: float | str | Fraction

    name: ClassVar[str] = "p-alpha-sensitivity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"p": COUNT, "alpha": ParameterRange(larger_is_stronger=True)}
    )
    # Neither a record more nor another class takes a value away, and no weight is negative.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "p", self.p, at_least=1)
        number(self.name, "alpha", self.alpha, above=0)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"Every group has at least {self.counted_as(self.p)}, and not only severe ones: each "
            "weighs from 0 (most severe) "
            f"to 1 (least severe), and together they weigh {decimal(rational(self.alpha))} or more. "
            "How frequent each is, is not limited."
        )

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it."""
        return Conditions(values=Fraction(self.p))

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute.

        Raises
        ------
        PolicyError
            When its values have no categories.
        """
        domain = attribute.domain
        if self.by == "categories":
            rank = np.arange(domain.codes)
            steps = domain.codes - 1
        elif domain.categories is not None:
            rank = np.array([domain.categories.rank[label] for label in domain.labels])
            steps = len(domain.categories.labels) - 1
        else:
            what = f"weighs the values of {domain.name!r} by their categories, and it has none"
            remedy = f"give them, as in categories: {{{domain.name}: severity.csv}}"
            raise PolicyError(Refusal(what, (self.name,), remedy=remedy))
        return _Bound(attribute, self.p, number(self.name, "alpha", self.alpha), steps - rank, max(1, steps))


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    """``weights`` (m,) int64, in units of 1 / ``unit``."""

    attribute: SensitiveAttribute
    p: int
    alpha: Fraction
    weights: NDArray[np.int64]
    unit: int

    @property
    def _least(self) -> int:
        """Smallest sum of weights that will do, in their unit."""
        return -int(-self.alpha * self.unit // 1)

    def _sums(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(E,) Sum of the weights of every class, each value once."""
        sums = np.zeros(stats.classes, np.int64)
        np.add.at(sums, stats.class_of, self.weights[stats.value])
        return sums

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        enough = self._sums(stats) >= min(self._least, LARGEST)
        return np.asarray(enough & (stats.distinct >= self.p))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        enough = self._sums(stats) >= min(self._least, LARGEST)
        return np.where(enough, stats.distinct, 0).astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.p

    def strongest(self, stats: ClassStatistics) -> Strength:
        if not stats.classes:
            return Strength({"p": 0.0, "alpha": 0.0})
        weight = Fraction(int(self._sums(stats).min()), self.unit)
        return Strength({"p": float(stats.distinct.min()), "alpha": float_below(weight)})

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, distinct_and_weighty

        values = len(self.attribute.counts)
        integers = [min(self.p, values + 1), min(self._least, LARGEST), *self.weights.tolist()]
        return ClassTest(distinct_and_weighty, integers, values=values)

    def values_needed(self) -> int:
        return self.p

    def smallest_classes(self) -> NDArray[np.int64]:
        # Where people have several records, one of them may have all values.
        return self.attribute.smallest_classes(self.p if self.attribute.individuals is None else 1)

    def out_of_reach(self) -> str:
        """Say where all values together weigh too little."""
        most = int(self.weights[self.attribute.counts > 0].sum())
        if most >= self._least:
            return ""
        return f". No release can hold it: all values together weigh {Fraction(most, self.unit)}"
