"""Membership safety: who knows one category of a person believes in no higher one beyond δ."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import number
from likeness.exact import float_above, fraction_below, largest_ratio, rational, times
from likeness.models.base import SHARE, BoundModel, SensitiveAttribute, SensitiveModel, Strength
from likeness.wording import percentage, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import ParameterRange


@dataclass(frozen=True, repr=False)
class MembershipSafety(SensitiveModel):
    """In every class a category has at most a share δ of the records that are of it, of higher ones, or of the one below it.

    For every category s above the lowest ``n(s) <= δ (n(s - 1) + n(s) + n(s + 1) + …)``, and ``n(lowest) <= δ n``. It is made for
    releases that show of everybody the highest category: who knows a value of a person then rules out all categories below
    that value's, and no more. Those above the known one have, among what remains, shares of at most δ: the highest share a
    category s can get is where the one just below it is known. Somebody without knowledge believes in nothing beyond δ either.

    The conditions are linear in the counts: what holds for two classes holds for both together, and for every weighted mean of
    them, so also for who joins two loosely linked tables and knows the regions of several buckets. A record more may break it.

    It says nothing about who knows of categories that they are not a person's (non-membership): against q of them ruled out
    ``recursive-cl-diversity`` with ``l = q + 2`` and ``c = δ / (1 - δ)`` bounds belief by δ.

    Parameters
    ----------
    delta
        Largest belief, above 0 and at most 1. Texts such as ``"1/3"`` are exact.

    Notes
    -----
    Ours, after the membership attack that Fazal et al. 2023, definition 1, describe and their method does not withstand.

    Examples
    --------
    >>> MembershipSafety("1/2")
    MembershipSafety(delta='1/2')
    """

    delta: float | str | Fraction
    by: str = field(default="categories", kw_only=True)

    name: ClassVar[str] = "membership-safety"
    ranges: ClassVar[Mapping[str, ParameterRange]] = MappingProxyType({"delta": SHARE})
    needs_order: ClassVar[bool] = True
    # Sums of inequalities that hold, hold; one record more adds 1 on the left and δ on the right.
    closed_under_union: ClassVar[bool] = True
    closed_under_adding: ClassVar[bool] = False
    counts_individuals: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.name, "delta", self.delta, above=0, at_most=1)

    @property
    def in_plain_words(self) -> str:
        """What it promises, in words of everyday."""
        return (
            "Whoever knows one value of a person, and their group, can believe in any more severe "
            f"{self.counted} of theirs by at most "
            f"{percentage(rational(self.delta))}."
        )

    def bind_to(self, attribute: SensitiveAttribute) -> BoundModel:
        """Bind to a sensitive attribute."""
        return _Bound(attribute, number(self.name, "delta", self.delta, above=0))


@dataclass(frozen=True, eq=False)
class _Bound(BoundModel):
    attribute: SensitiveAttribute
    delta: Fraction

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class, category by category."""
        above = self._above(stats)
        within = times(stats.count, self.delta.denominator) <= times(above, self.delta.numerator)
        good = np.ones(stats.classes, np.bool_)
        good[stats.class_of[~within.astype(np.bool_)]] = False
        return good

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Largest share of every class."""
        found = np.zeros(stats.classes)
        np.maximum.at(found, stats.class_of, stats.count / self._above(stats))
        return found

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """(E,) How far below δ it is."""
        return float(self.delta) - measured

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Smallest δ."""
        return Strength({"delta": float_above(largest_ratio(stats.count, self._above(stats)))})

    def because(self, stats: ClassStatistics) -> str:
        """Name the category whose share is largest, with that share as a fraction."""
        above = self._above(stats)
        share = largest_ratio(stats.count, above)
        if not share:
            return ""
        at = next(
            i
            for i, (count, sum_) in enumerate(zip(stats.count.tolist(), above.tolist(), strict=True))
            if Fraction(count, sum_) == share
        )
        value = int(stats.value[at])
        label = self.attribute.label
        of = f"are at least {quoted(label(value - 1))}" if value else "there are"
        return f" ({share}: {int(stats.count[at]):,} are {quoted(label(value))}, of {int(above[at]):,} that {of})"

    def _above(self, stats: ClassStatistics) -> NDArray[np.int64]:
        """(entries,) Records of the class that are of the category just below that of each entry, or higher."""
        if not stats.count.size:
            return np.zeros(0, np.int64)
        # Entries stand by class, then category: records from an entry to the end of its class.
        running = np.cumsum(stats.count)
        end = running[stats.start[stats.class_of + 1] - 1]
        rest = end - running + stats.count
        before = np.zeros(stats.count.size, np.int64)
        follows = (np.diff(stats.class_of) == 0) & (np.diff(stats.value) == 1)
        before[1:][follows] = stats.count[:-1][follows]
        return np.asarray(rest + before, np.int64)

    def class_test(self) -> ClassTest:
        """Compare integers: a smaller δ whose products fit 64 bits, which no class tells from δ."""
        from likeness.kernels.class_tests import ClassTest, safe_from_membership

        delta = fraction_below(self.delta, max(1, (1 << 62) // max(1, int(self.attribute.counts.sum()))))
        return ClassTest(
            safe_from_membership, [delta.numerator, delta.denominator], values=len(self.attribute.counts)
        )

    def smallest_classes(self) -> NDArray[np.int64]:
        """(m,) One record may be a share δ of no fewer than 1 / δ."""
        return self.attribute.smallest_classes(-int(-1 // self.delta))

    def out_of_reach(self) -> str:
        """Say that nothing that holds everybody can do better than the table as one class."""
        return ". As unions of classes that hold also hold, no release of all these records can meet a smaller one"
