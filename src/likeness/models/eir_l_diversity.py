"""Enhanced identity-reserved l-diversity (Wang et al. 2019): l values whichever record is anybody's."""

from __future__ import annotations

from dataclasses import dataclass
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
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange

BUDGET = 50_000
"""Masks to look at for each number of values above l, when a class is measured: some hundredths of a second."""
_NAMED = 5


@dataclass(frozen=True, repr=False)
class EirLDiversity(SensitiveModel):
    """Every reasoning set of a class, one record for each individual, holds at least l different sensitive values.

    That is so exactly when fewer than l values never hit everybody's values: when the minimum hitting set of the individuals'
    value sets, τ, has at least l values (theorem 3.1 shows one direction; for the other, choose for everybody a value
    that hits). Decided exactly by `likeness.kernels.hitting_set`. What is measured is τ; where it is far above l and takes
    too long to find, a number that it is certainly not below.

    Parameters
    ----------
    l
        Fewest values, at least 1. Implies l individuals and l values.

    References
    ----------
    Wang, Du, Luo & Li 2019, definition 3.3, theorem 3.1.

    Examples
    --------
    >>> EirLDiversity(3)
    EirLDiversity(l=3)
    """

    l: int  # noqa: E741  # the paper's name

    name: ClassVar[str] = "eir-l-diversity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"l": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = True
    about_individuals: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "l", self.l, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            "Whichever one of their values is taken of each person of a group, there are always at "
            f"least {self.counted_as(self.l)}. "
            "How frequent each is, is not limited."
        )

    @property
    def conditions(self) -> Conditions:
        """All of it."""
        return Conditions(hidden_values=self.l, complete=True)

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, self.l)


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    leaves_somebody: ClassVar[bool] = True
    attribute: SensitiveAttribute
    l: int  # noqa: E741

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        from likeness.kernels.hitting_set import classes_diverse

        if stats.of is None:
            # Everybody has one value: each value present is needed.
            return np.asarray(stats.distinct >= self.l)
        of = stats.of
        return np.asarray(classes_diverse(of.start, of.first, of.value, stats.values, min(self.l, LARGEST)))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return self._least(stats).astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - self.l

    def strongest(self, stats: ClassStatistics) -> Strength:
        return Strength({"l": float(self._least(stats).min()) if stats.classes else 0.0})

    def _least(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(E,) τ of each class, or a lower bound of at least l."""
        from likeness.kernels.hitting_set import class_minima

        if stats.of is None:
            return stats.distinct
        of = stats.of
        certain = min(self.l, LARGEST)
        return np.asarray(class_minima(of.start, of.first, of.value, stats.values, certain, BUDGET)[:, 0])

    def because(self, stats: ClassStatistics) -> str:
        from likeness.kernels.hitting_set import minimum_hitting_set

        of = stats.individuals.take(np.flatnonzero(~self.holds(stats))[:1])
        people = np.arange(of.number.size)
        witness = np.full(people.size, -1, np.int64)
        place = np.full(stats.values, -1, np.int64)
        minimum_hitting_set(
            of.first, of.value, people, people.size, place, witness, min(self.l, LARGEST), BUDGET
        )
        names = [quoted(self.attribute.label(code)) for code in witness[witness >= 0].tolist()]
        if not names:
            return ""
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f", because everybody has one of {', '.join(names[:_NAMED])}{more}"

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, few_values_miss_somebody

        # No class has more values than there are: a larger l need not fit 64 bits.
        values = len(self.attribute.counts)
        return ClassTest(few_values_miss_somebody, [min(self.l, values + 1)], values=values)

    def values_needed(self) -> int:
        return self.l

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.l)

    def out_of_reach(self) -> str:
        return too_few_values(self.attribute, self.l)
