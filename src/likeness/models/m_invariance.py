"""m-invariance (Xiao & Tao 2007): every class holds m different sensitive values at least, and none of them twice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.models.base import (
    BoundModel,
    Conditions,
    ParameterRange,
    SensitiveAttribute,
    SensitiveModel,
    Strength,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True, repr=False)
class MInvariance(SensitiveModel):
    """Every class holds at least m records, all of different sensitive values: it is m-unique.

    Whoever knows somebody's class believes each of its values as strongly, in none more than 1/m. Releases of the same people
    over time keep that where everybody's class has the same values in all of them, their signature: then what all releases tell
    together is what one tells. Which values were possible of somebody before stands in a ledger (`likeness.anonymize`,
    ``ledger``), so the model, which looks at one release, is checked by everybody, and that signatures were kept by the steward.

    Parameters
    ----------
    m
        Number of values, at least 1.

    References
    ----------
    Xiao & Tao 2007, "m-invariance: towards privacy preserving re-publication of dynamic datasets", definitions 2 to 4.

    Examples
    --------
    >>> MInvariance(3)
    MInvariance(m=3)
    """

    m: int

    name: ClassVar[str] = "m-invariance"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"m": ParameterRange(larger_is_stronger=True)}
    )
    # Two classes may share a value, and so may a class and a record.
    closed_under_union: ClassVar[bool] = False
    closed_under_adding: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "m", self.m, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"Every group has at least {self.counted_as(self.m)}, and no two people of a group have the same."
        )

    @property
    def signature_size(self) -> int:
        """All of it: m."""
        return self.m

    @property
    def conditions(self) -> Conditions:
        """As many records and values; that no value is there twice is more than that."""
        return Conditions(size=self.m, values=Fraction(self.m))

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.m)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    """m, on a sensitive attribute."""

    attribute: SensitiveAttribute
    m: int

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class."""
        return np.asarray((stats.distinct >= self.m) & _unique(stats))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Values of every class; 0 where one is there twice."""
        return np.where(_unique(stats), stats.distinct, 0).astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """(E,) Values more than needed."""
        return measured - self.m

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Fewest values of a class; 0 where a class has one of them twice."""
        most = float(np.count_nonzero(self.attribute.counts)) if stats.classes else 0.0
        return Strength({"m": float(self.measured(stats).min(initial=most))})

    def class_test(self) -> ClassTest:
        """Look for a value that is there twice, and count the others."""
        from likeness.kernels.class_tests import ClassTest, each_value_once

        values = len(self.attribute.counts)
        return ClassTest(each_value_once, [min(self.m, values + 1)], values=values)

    def values_needed(self) -> int:
        """As many as are asked for."""
        return self.m

    def smallest_classes(self) -> NDArray[np.int64]:
        """(values,) As many records; where people have several records, one of them may have all values."""
        return self.attribute.smallest_classes(self.m if self.attribute.individuals is None else 1)


def _unique(stats: ClassStatistics) -> NDArray[np.bool_]:
    """(E,) Whether no value is in a class twice."""
    return np.asarray(np.bincount(stats.class_of[stats.count > 1], minlength=stats.classes) == 0)
