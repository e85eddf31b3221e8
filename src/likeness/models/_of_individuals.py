"""Limits on the share of one individual in a class, and of one sensitive value: the (α, β) models of Wang et al. 2019.

What a table's sensitive values cannot supply, whatever the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number
from likeness.exact import float_above, fraction_below, largest_ratio, times
from likeness.models.base import LARGEST, SHARE, BoundModel, SensitiveAttribute, SensitiveModel, Strength
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange

_MOST = (1 << 31) - 1
"""More records than any table has; the product of two such numbers fits 64 bits."""
_VALUES_SHOWN = 3


@dataclass(frozen=True, repr=False)
class IndividualShares(SensitiveModel):
    """At most a share α of a class's records is one individual's, at most a share β is one value's.

    Parameters
    ----------
    alpha, beta
        Largest shares, above 0 and at most 1 (no limit; the paper's are below). Texts such as ``"1/3"`` are exact.
    """

    alpha: float | str | Fraction
    beta: float | str | Fraction
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"alpha": SHARE, "beta": SHARE})

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "alpha", self.alpha, above=0, at_most=1)
        number(self.name, "beta", self.beta, above=0, at_most=1)

    def shares(self) -> tuple[Fraction, Fraction]:
        """α and β."""
        return number(self.name, "alpha", self.alpha, above=0), number(self.name, "beta", self.beta, above=0)


@dataclass(frozen=True, eq=False)
class BoundShares(BoundModel):
    """α and β, bound to a sensitive attribute.

    ``of_people``: β is a share of individuals (EIR); else of pairs of an individual and a value of theirs (IR).
    """

    attribute: SensitiveAttribute
    alpha: Fraction
    beta: Fraction
    of_people: bool

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class, by whole numbers."""
        records, most = stats.individuals.records, stats.individuals.most
        alone = times(most, self.alpha.denominator) <= times(records, self.alpha.numerator)
        return np.asarray(alone & self._values_hold(stats), np.bool_)

    def _values_hold(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """(E,) Whether no value has more than β."""
        good = np.ones(stats.classes, np.bool_)
        wholes = self._wholes(stats)[stats.class_of]
        above = times(stats.count, self.beta.denominator) > times(wholes, self.beta.numerator)
        good[stats.class_of[np.asarray(above, np.bool_)]] = False
        return good

    def _wholes(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(E,) What values have a share of: individuals, or pairs."""
        return stats.sizes if self.of_people else stats.of_values().sizes

    def too_frequent(self, counts: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Values that more than β of the individuals have; None where β is a share of pairs, whose number this does not tell."""
        if not self.of_people:
            return None
        return np.asarray(times(counts, self.beta.denominator) > times(size, self.beta.numerator), np.bool_)

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """Largest share of an individual; infinite where a value has more than β."""
        of = stats.individuals
        return np.where(self._values_hold(stats), of.most / np.maximum(of.records, 1), np.inf)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distance to α."""
        return float(self.alpha) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Smallest α and β."""
        of, there = stats.individuals, stats.sizes > 0
        alpha = largest_ratio(of.most[there], of.records[there])
        beta = largest_ratio(stats.count, self._wholes(stats)[stats.class_of])
        return Strength({"alpha": float_above(alpha), "beta": float_above(beta)})

    def class_test(self) -> ClassTest:
        """Offer the same decision, from the numbers of individuals with each value and with each number of records."""
        from likeness.kernels.class_tests import ClassTest, individuals_within_shares, pairs_within_shares

        # Shares of classes of up to _MOST records are within these limits exactly when they are within α and β.
        alpha, beta = fraction_below(self.alpha, _MOST), fraction_below(self.beta, _MOST)
        values = len(self.attribute.counts)
        integers = [values, alpha.numerator, alpha.denominator, beta.numerator, beta.denominator]
        function = individuals_within_shares if self.of_people else pairs_within_shares
        return ClassTest(function, integers, values=values, record_counts=True)

    def smallest_classes(self) -> NDArray[np.int64]:
        """(m,) ``⌈1 / α⌉`` individuals, and ``⌈1 / β⌉`` where β is a share of individuals."""
        least = min(self.alpha, self.beta) if self.of_people else self.alpha
        return self.attribute.smallest_classes(min(-int(-1 // least), LARGEST))

    def out_of_reach(self) -> str:
        """Name values whose share of the whole table is above β: some class has at least that share."""
        counts = self.attribute.counts
        total = max(1, self.attribute.total if self.of_people else int(counts.sum()))
        shares = [Fraction(int(count), total) for count in counts]
        above = [
            f"{quoted(self.attribute.label(code))} has a share of {float(share):.6g}, above beta"
            for code, share in enumerate(shares)
            if share > self.beta
        ]
        return f". No release of all of them can hold it: {', '.join(above[:_VALUES_SHOWN])}" if above else ""


def too_few_values(attribute: SensitiveAttribute, least: int) -> str:
    """Say that the records have fewer sensitive values than every class needs, as the end of a message; empty when not."""
    present = int((attribute.counts > 0).sum())
    if present >= least:
        return ""
    return f". No release can hold it: {attribute.domain.name!r} has {count(present, 'value')}"
