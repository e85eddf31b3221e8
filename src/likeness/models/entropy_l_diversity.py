"""Entropy l-diversity (Machanavajjhala et al. 2006): a class is as uncertain as l equally frequent values."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number
from likeness.exact import Real, ln_bounds, rational
from likeness.models.base import COUNT, BoundModel, Conditions, SensitiveAttribute, SensitiveModel, Strength
from likeness.models.distinct import levelled
from likeness.wording import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange

_LARGEST_POWER = 1 << 22
"""Bits of the largest integers compared; a tie that needs longer ones counts as violated."""


@dataclass(frozen=True, repr=False)
class EntropyLDiversity(SensitiveModel):
    """The entropy of the sensitive values of every class is at least ln l: ``exp(-Σ q_s ln q_s) >= l``.

    Parameters
    ----------
    l
        Effective number of values, at least 1, not necessarily whole. Texts such as ``"5/2"`` are exact.

    References
    ----------
    Machanavajjhala et al. 2006, "ℓ-diversity", definition of entropy ℓ-diversity.

    Examples
    --------
    >>> EntropyLDiversity(2.5)
    EntropyLDiversity(l=2.5)
    """

    l: float | str | Fraction  # noqa: E741  # the literature's name

    name: ClassVar[str] = "entropy-l-diversity"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"l": COUNT})
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    counts_individuals: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "l", self.l, at_least=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return f"The values of every group are as mixed as {decimal(rational(self.l))} equally frequent ones would be, or more."

    @property
    def conditions(self) -> Conditions:
        """What can be counted of it."""
        return Conditions(values=number(self.name, "l", self.l))

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, number(self.name, "l", self.l, at_least=1))


class _Bound(BoundModel):
    def __init__(self, attribute: SensitiveAttribute, l: Fraction) -> None:  # noqa: E741
        self.attribute = attribute
        self.l = l
        # One rounding per value and a few more, of numbers up to ln 2**40: twice what can happen.
        self.margin = (len(attribute.counts) + 8) * 2e-14

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide by floats, equal counts by their number, and what roundings leave open by integers."""
        excess = _entropies(stats) - _ln(self.l)
        good = np.asarray(excess > self.margin)
        largest = np.zeros(stats.classes, np.int64)
        np.maximum.at(largest, stats.class_of, stats.count)
        equal = stats.distinct * largest == stats.sizes
        good[equal] = stats.distinct[equal] >= math.ceil(self.l)
        decided: dict[tuple[int, ...], bool] = {}
        for number_ in np.flatnonzero((np.abs(excess) <= self.margin) & ~equal):
            counts = tuple(sorted(stats.count[stats.start[number_] : stats.start[number_ + 1]].tolist()))
            if counts not in decided:
                decided[counts] = as_diverse_as(counts, self.l)
            good[number_] = decided[counts]
        return good

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        return np.exp(_entropies(stats))

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        return measured - float(self.l)

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Largest l in 12 digits or, where that is too much, a float just below it."""
        if not stats.classes:
            return Strength({"l": 0.0})
        least = float(self.measured(stats).min())
        for candidate in (float(f"{least:.12g}"), least):
            if candidate >= 1 and _Bound(self.attribute, rational(candidate)).holds(stats).all():
                return Strength({"l": candidate})
        return Strength({"l": max(1.0, least * (1 - 4 * self.margin))})

    def class_test(self) -> ClassTest:
        from likeness.kernels.class_tests import ClassTest, entropy_at_least

        values = len(self.attribute.counts)
        return ClassTest(
            entropy_at_least,
            [min(math.ceil(self.l), values + 1)],
            [_ln(self.l) + self.margin],
            values=values,
        )

    def values_needed(self) -> int:
        return math.ceil(self.l)

    def surplus(self, counts: NDArray[np.int64]) -> NDArray[np.int64] | None:
        return levelled(self, counts) if self.attribute.protected is None else None

    def smallest_classes(self) -> NDArray[np.int64]:
        return self.attribute.smallest_classes(math.ceil(self.l))


def as_diverse_as(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Whether ``n**n >= l**n Π c**c`` for the counts c of n records; undecided is False.

    >>> as_diverse_as((1, 1, 1, 1, 4), Fraction(4)), as_diverse_as((1, 1, 1, 1, 5), Fraction(4))
    (True, False)
    """
    n = sum(counts)
    shared = math.gcd(*counts)
    powers = Counter({n: n // shared})
    for count in counts:
        powers[count] -= count // shared

    def enclose(digits: int) -> tuple[Fraction, Fraction]:
        logarithms = [(power, ln_bounds(Fraction(base), digits)) for base, power in powers.items()]
        logarithms.append((-(n // shared), ln_bounds(l, digits)))
        return (
            sum((power * ends[power < 0] for power, ends in logarithms), Fraction(0)),
            sum((power * ends[power > 0] for power, ends in logarithms), Fraction(0)),
        )

    low, high = enclose(60)
    if low > 0 or high < 0:
        return low > 0
    longest = n // shared * (n.bit_length() + l.numerator.bit_length() + l.denominator.bit_length())
    if longest > _LARGEST_POWER:
        return Real(enclose).at_least(Fraction(0))
    left, right = l.denominator ** (n // shared), l.numerator ** (n // shared)
    for base, power in powers.items():
        if power > 0:
            left *= base**power
        else:
            right *= base**-power
    return bool(left >= right)


def _entropies(stats: ClassStatistics) -> NDArray[np.float64]:
    """(E,) Shannon entropy of every class, in nats."""
    weighted = np.bincount(stats.class_of, stats.count * np.log(stats.count), stats.classes)
    sizes = np.maximum(stats.sizes, 1)
    return np.asarray(np.log(sizes) - weighted / sizes)


def _ln(value: Fraction) -> float:
    """Natural logarithm, rounded once."""
    return float(ln_bounds(value, 40)[1])
