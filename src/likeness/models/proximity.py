"""(ε, m)-proximity (Li, Tao & Xiao 2008, (ε, m)-anonymity): near values of a number do not crowd a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number, whole
from likeness.errors import PolicyError
from likeness.exact import rational, times
from likeness.microdata.domain import IN_ORDER
from likeness.models.base import (
    LARGEST,
    BoundModel,
    ParameterRange,
    SensitiveAttribute,
    SensitiveModel,
    Strength,
)
from likeness.wording import decimal, percentage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.domain import Domain
    from likeness.microdata.statistics import ClassStatistics


@dataclass(frozen=True, repr=False)
class Proximity(SensitiveModel):
    """Around no record of a class lies more than 1/m of the class's sensitive values within ε.

    For every record x of a class G, ``#{y in G: |y - x| <= ε} / |G| <= 1/m``, x itself included.

    Parameters
    ----------
    epsilon
        How near values are alike, at least 0, in the column's own unit: days for dates, ranks where the
        policy declares an order. Texts such as ``"1/3"`` are exact.
    m
        A whole number of at least 1.

    References
    ----------
    Li, Tao & Xiao 2008, "Preservation of proximity privacy in publishing numerical sensitive data", absolute
    (ε, m)-anonymity; the extension to numerical attributes that Cao & Karras 2012 leave to future
    work.

    Examples
    --------
    >>> Proximity(1000, 4)
    Proximity(epsilon=1000, m=4)
    """

    epsilon: float | str | Fraction
    m: int

    name: ClassVar[str] = "proximity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType(
        {"epsilon": ParameterRange(larger_is_stronger=True), "m": ParameterRange(larger_is_stronger=True)}
    )
    # A record of one class may lie between two crowds of the other, near both, as none of the other's does.
    closed_under_union: ClassVar[bool] = False
    closed_under_adding: ClassVar[bool] = False
    counts_individuals: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "epsilon", self.epsilon, at_least=0)
        whole(self.name, "m", self.m, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            f"In every group at most {percentage(Fraction(1, self.m))} of the values are within "
            f"{decimal(rational(self.epsilon))} of any "
            "one of them."
        )

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute.

        Raises
        ------
        PolicyError
            When its values have no distance.
        """
        domain = attribute.domain
        if domain.kind not in IN_ORDER:
            raise PolicyError(
                f"{self.name}: needs numbers, dates or a declared order, "
                f"and the sensitive column {domain.name!r} is {domain.kind}"
            )
        if domain.missing:
            raise PolicyError(
                f"{self.name}: the missing values of the sensitive column {domain.name!r} are near nothing; "
                "drop those records (missing: drop)"
            )
        first, last = _windows(_exact_numbers(domain), number(self.name, "epsilon", self.epsilon, at_least=0))
        return _Bound(attribute, self.m, first, last, float(rational(self.epsilon)))


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    m: int
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    epsilon: float

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        return np.asarray(times(self._crowds(stats), min(self.m, LARGEST)) <= stats.sizes)

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return np.asarray(stats.sizes / np.maximum(self._crowds(stats), 1))

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - float(self.m)

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Largest whole m, for the given ε."""
        crowds = np.maximum(self._crowds(stats), 1)
        m = float((stats.sizes // crowds).min()) if stats.classes else 0.0
        return Strength({"epsilon": self.epsilon, "m": m})

    def _crowds(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(E,) Most records of a class within ε of one of them."""
        # Entries are sorted by class, then value: a window of values is a run of entries.
        base = stats.class_of * stats.values
        keys = base + stats.value
        running = np.concatenate([[0], np.cumsum(stats.count)])
        begin = np.searchsorted(keys, base + self.first[stats.value])
        end = np.searchsorted(keys, base + self.last[stats.value], side="right")
        most = np.zeros(stats.classes, np.int64)
        np.maximum.at(most, stats.class_of, running[end] - running[begin])
        return most

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, windows_at_most

        # No class of this table holds for more than its size: a larger m need not fit 64 bits.
        m = min(self.m, self.attribute.total + 1)
        return ClassTest(windows_at_most, [m, *self.first, *self.last], values=len(self.attribute.counts))

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(self.m)


def _exact_numbers(domain: Domain) -> list[Fraction]:
    """Values as the numbers their texts are: ranks where only an order is declared."""
    if domain.kind == "ordered":
        return [Fraction(rank) for rank in range(domain.size)]
    if domain.kind == "date":
        return [Fraction(day) for day in domain.values.astype("datetime64[D]").astype(np.int64).tolist()]
    return [rational(value) for value in domain.values.tolist()]


def _windows(values: list[Fraction], epsilon: Fraction) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last of the ascending values within ε of each."""
    first = np.zeros(len(values), np.int64)
    last = np.zeros(len(values), np.int64)
    low = high = 0
    for code, value in enumerate(values):
        while value - values[low] > epsilon:
            low += 1
        while high + 1 < len(values) and values[high + 1] - value <= epsilon:
            high += 1
        first[code], last[code] = low, high
    return first, last
