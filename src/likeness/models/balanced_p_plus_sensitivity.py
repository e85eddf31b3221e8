"""Balanced p⁺-sensitivity (Anjum et al. 2018): several categories in every class, all as frequent."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.models.base import COUNT, BoundModel, Conditions, SensitiveAttribute, SensitiveModel, Strength
from likeness.models.distinct import of_categories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class BalancedPPlusSensitivity(SensitiveModel):
    """Every class holds at least p categories, and none of those it holds has two records more than another.

    Neither closed under union, for (2, 1) twice is (4, 2), nor under adding: a table as a whole says nothing about its parts, and
    searches that cut classes in two see only some of the ways. Methods that make small classes meet it most easily.

    Parameters
    ----------
    p
        Number of categories, at least 1.

    References
    ----------
    Anjum et al. 2018, "An efficient privacy mechanism for electronic health records". The paper was not to be had; this
    is our reading of how Fazal et al. 2023 cite it.

    Examples
    --------
    >>> BalancedPPlusSensitivity(2)
    BalancedPPlusSensitivity(p=2)
    """

    p: int
    by: str = field(default="categories", kw_only=True)

    name: ClassVar[str] = "balanced-p-plus-sensitivity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"p": COUNT})
    closed_under_union: ClassVar[bool] = False
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "p", self.p, at_least=1)
        of_categories(self)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"Every group has at least {self.counted_as(self.p)}, and of those it has none is more "
            "frequent than another by two or "
            "more."
        )

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it while people join a class."""
        return Conditions(values=Fraction(self.p))

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.p)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    p: int

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        return np.asarray((stats.distinct >= self.p) & (self._differ(stats) <= 1))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return np.where(self._differ(stats) <= 1, stats.distinct, 0).astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.p

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Fewest categories of a class; 0 where one is not balanced."""
        return Strength({"p": float(self.measured(stats).min(initial=np.inf)) if stats.classes else 0.0})

    def because(self, stats: ClassStatistics) -> str:
        """Say how far the worst class is from balance."""
        differ = int(self._differ(stats).max(initial=0))
        return f" (one category has {differ:,} records more than another)" if differ > 1 else ""

    def out_of_reach(self) -> str:
        """Say that one class tells nothing of smaller ones."""
        return ". Smaller classes may hold it all the same: unions of classes that do need not"

    def _differ(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(E,) Records of the most frequent value of every class above those of the rarest that is there."""
        most = np.zeros(stats.classes, np.int64)
        least = np.full(stats.classes, np.iinfo(np.int64).max)
        np.maximum.at(most, stats.class_of, stats.count)
        np.minimum.at(least, stats.class_of, stats.count)
        return np.where(most > 0, most - np.minimum(least, most), 0)

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, evenly_distinct

        values = len(self.attribute.counts)
        return ClassTest(evenly_distinct, [min(self.p, values + 1)], values=values)

    def values_needed(self) -> int:
        return self.p

    def smallest_classes(self) -> NDArray[np.int64]:
        # Where people have several records, one of them may have all values.
        return self.attribute.smallest_classes(self.p if self.attribute.individuals is None else 1)
