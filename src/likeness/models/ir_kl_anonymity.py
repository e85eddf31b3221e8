"""Identity-reserved (k, l)-anonymity (Wang et al. 2019): k individuals with l sensitive values between them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.models._of_individuals import too_few_values
from likeness.models.base import (
    COUNT,
    LARGEST,
    BoundModel,
    Conditions,
    SensitiveAttribute,
    SensitiveModel,
    Strength,
)
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class IrKlAnonymity(SensitiveModel):
    """Every equivalence class holds at least k individuals, who have at least l different sensitive values between them.

    One value may still be certain for a person: see `EirLDiversity`.

    Parameters
    ----------
    k
        Fewest individuals of a class, at least 1.
    l
        Fewest sensitive values, at least 1.

    References
    ----------
    Wang, Du, Luo & Li 2019, definition 2.3 (2).

    Examples
    --------
    >>> IrKlAnonymity(k=3, l=3)
    IrKlAnonymity(k=3, l=3)
    """

    k: int
    l: int  # noqa: E741  # the paper's name

    name: ClassVar[str] = "ir-kl-anonymity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"k": COUNT, "l": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True
    about_individuals: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "k", self.k, at_least=1)
        whole(self.name, "l", self.l, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"Every group has at least {count(self.k, 'person')}, who have at least "
            f"{self.counted_as(self.l)}. How frequent "
            "each is, is not limited."
        )

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        return Conditions(size=self.k, values=Fraction(self.l), complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.k, self.l)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    k: int
    l: int  # noqa: E741

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        return np.asarray((stats.sizes >= self.k) & (stats.distinct >= self.l))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        # Too few values: no k is met, not even 1.
        return np.where(stats.distinct >= self.l, stats.sizes, 0).astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.k

    def strongest(self, stats: ClassStatistics) -> Strength:
        if stats.classes == 0:
            return Strength({"k": 0.0, "l": 0.0})
        return Strength({"k": float(stats.sizes.min()), "l": float(stats.distinct.min())})

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, individuals_and_values_at_least

        values = len(self.attribute.counts)
        integers = [min(self.k, LARGEST), min(self.l, values + 1)]
        return ClassTest(individuals_and_values_at_least, integers, values=values)

    def values_needed(self) -> int:
        return self.l

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.k)

    def out_of_reach(self) -> str:
        return too_few_values(self.attribute, self.l)
