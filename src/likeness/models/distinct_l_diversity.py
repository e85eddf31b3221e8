"""Distinct l-diversity (Machanavajjhala et al. 2006): several different values in every class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.models.base import COUNT, BoundModel, Conditions, SensitiveAttribute, SensitiveModel, Strength

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class DistinctLDiversity(SensitiveModel):
    """Every equivalence class holds at least l different sensitive values.

    Parameters
    ----------
    l
        Number of values, at least 1. A missing value kept as a category counts as one.

    References
    ----------
    Machanavajjhala et al. 2006, "ℓ-diversity".

    Examples
    --------
    >>> DistinctLDiversity(3)
    DistinctLDiversity(l=3)
    """

    l: int  # noqa: E741  # the literature's name

    name: ClassVar[str] = "distinct-l-diversity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"l": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "l", self.l, at_least=1)

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        return Conditions(values=Fraction(self.l), complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.l)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    l: int  # noqa: E741

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        return np.asarray(stats.distinct >= self.l)

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return stats.distinct.astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.l

    def strongest(self, stats: ClassStatistics) -> Strength:
        return Strength({"l": float(stats.distinct.min()) if stats.classes else 0.0})

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, distinct_at_least

        # No class has more values than there are: a larger l need not fit 64 bits.
        values = len(self.attribute.counts)
        return ClassTest(distinct_at_least, [min(self.l, values + 1)], values=values)

    def values_needed(self) -> int:
        return self.l

    def smallest_classes(self) -> NDArray[np.int64]:
        # Where people have several records, one of them may have all values.
        return self.attribute.smallest_classes(self.l if self.attribute.individuals is None else 1)
