"""Minimum frequency: the threshold rule of official statistics, for the sensitive values of every class."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.models.base import COUNT, LARGEST, BoundModel, SensitiveAttribute, SensitiveModel, Strength

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class MinimumFrequency(SensitiveModel):
    """Every sensitive value that an equivalence class has, at least m of its records have.

    Parameters
    ----------
    m
        Smallest allowed number of records of one value in a class, at least 1.

    References
    ----------
    Hundepool et al. 2012, "Statistical Disclosure Control", section 4.2 (minimum frequency rule).

    Examples
    --------
    >>> MinimumFrequency(2)
    MinimumFrequency(m=2)
    """

    m: int

    name: ClassVar[str] = "minimum-frequency"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"m": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "m", self.m, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return f"Every {self.counted} that a group has is that of at least {self.m:,} of its records."

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.m)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    m: int

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        return self.measured(stats) >= self.m

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        least = np.full(stats.classes, np.inf)
        np.minimum.at(least, stats.class_of, stats.count)
        return least

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.m

    def strongest(self, stats: ClassStatistics) -> Strength:
        return Strength({"m": float(self.measured(stats).min(initial=np.inf))})

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest
        from likeness_example.kernels import every_count_at_least

        return ClassTest(every_count_at_least, [min(self.m, LARGEST)], values=len(self.attribute.counts))

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.m)
