"""k-anonymity (Samarati 2001, Sweeney 2002): no record is alone."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.models.base import (
    COUNT,
    LARGEST,
    BoundModel,
    Conditions,
    PrivacyModel,
    SensitiveAttribute,
    Strength,
)
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """Every equivalence class holds at least k records.

    Parameters
    ----------
    k
        Smallest allowed class, at least 1.

    References
    ----------
    Samarati 2001; Sweeney 2002; measured by the smallest class.

    Examples
    --------
    >>> KAnonymity(5)
    KAnonymity(k=5)
    """

    k: int

    name: ClassVar[str] = "k-anonymity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"k": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        if self.k == 1:
            return "It asks for nothing: a group may be one person alone."
        alike = count(self.k - 1, "other")
        return f"Every group has at least {count(self.k, 'person')}: each of them looks like {alike} or more."

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        return Conditions(size=self.k, complete=True)

    def bind(self, attribute: SensitiveAttribute | None) -> BoundModel:  # noqa: ARG002
        """Bind; the sensitive attribute does not matter."""
        return _Bound(self.k)


@dataclass(frozen=True)
class _Bound(BoundModel):
    k: int

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        return stats.sizes >= self.k

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return stats.sizes.astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.k

    def strongest(self, stats: ClassStatistics) -> Strength:
        return Strength(
            {"k": float(stats.sizes.min(initial=np.iinfo(np.int64).max)) if stats.classes else 0.0}
        )

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, size_at_least

        return ClassTest(size_at_least, [min(self.k, LARGEST)])
