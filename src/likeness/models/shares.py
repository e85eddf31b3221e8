"""Models that limit the share of each sensitive value in a class: one definition for all of them."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.exact import Real, largest_sizes, shares_at_least, shares_at_most, smallest_sizes
from likeness.models.base import LARGEST, BoundModel, SensitiveAttribute
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics


_VALUES_SHOWN = 3


class ShareLimits(BoundModel):
    """Share limits per value: ``lower_s <= q_s <= upper_s`` for every value of the reference distribution.

    ``smallest`` is the smallest class allowed, whatever its values.
    """

    def __init__(self, attribute: SensitiveAttribute, smallest: int = 1) -> None:
        self.attribute = attribute
        self.smallest = min(smallest, LARGEST)
        self._found: dict[Real, NDArray[np.int64]] = {}

    @abstractmethod
    def limits(self) -> tuple[Sequence[Real], Sequence[Real] | None]:
        """Upper limits, and lower limits where the model has them, one per value."""

    @property
    def upper_limits(self) -> Sequence[Real]:
        """Upper limit of each value, computed once."""
        return self._limits[0]

    @cached_property
    def _limits(self) -> tuple[Sequence[Real], Sequence[Real] | None]:
        return self.on_protected(*self.limits())

    def on_protected(
        self, upper: Sequence[Real], lower: Sequence[Real] | None
    ) -> tuple[Sequence[Real], Sequence[Real] | None]:
        """Let limits bind the values that need protection alone, where not all do."""
        protected = self.attribute.protected
        if protected is None:
            return upper, lower
        one, nothing = Real.of(Fraction(1)), Real.of(Fraction(0))
        return _where(protected, upper, one), None if lower is None else _where(protected, lower, nothing)

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class exactly, value by value."""
        return within(stats, *self._limits) & (stats.sizes >= self.smallest)

    def class_test(self) -> ClassTest:
        """Look-up tables: the smallest (largest) class that may hold c records of each value."""
        from likeness.kernels.class_tests import ClassTest, within_share_limits

        upper, lower = self._limits
        counts = self.attribute.counts
        # A value foreign to the reference still gets one entry, so that its limit holds for it too.
        above = self._at_least(upper, np.maximum(counts, 1))
        below = (
            [np.zeros(0, np.int64) for _ in counts]
            if lower is None
            else _tables(largest_sizes, lower, counts)
        )
        starts_above = np.concatenate([[0], np.cumsum([len(table) for table in above])])
        starts_below = np.concatenate([[0], np.cumsum([len(table) for table in below])]) + starts_above[-1]
        integers = np.concatenate([starts_above, starts_below, *above, *below]).astype(np.int64)
        yardsticks = self.yardsticks()
        if self.attribute.protected is not None:
            yardsticks[1:][~self.attribute.protected] = np.inf
        return ClassTest(within_share_limits, integers, yardsticks, values=len(counts))

    def yardsticks(self) -> NDArray[np.float64]:
        """(1 + m,) What searches measure shares by: a share times the first, over that of its value, is how far it is off."""
        known: dict[int, float] = {}
        limits = [known.setdefault(id(limit), float(limit)) for limit in self.upper_limits]
        return np.array([1.0, *limits])

    def smallest_classes(self) -> NDArray[np.int64]:
        """(m,) ``ceil(1 / upper_s)`` for each value that occurs; values that no class may lack bind all."""
        upper, lower = self._limits
        counts = self.attribute.counts
        own = [int(smallest_sizes(limit, 1)[0]) if n else 1 for limit, n in zip(upper, counts, strict=True)]
        sizes = np.maximum(np.array(own, np.int64), self.smallest)
        if lower is None:
            return sizes
        needed = _positive(lower)
        # Records have one value each; one person may have all values.
        together = int(needed.sum()) if self.attribute.individuals is None else 1
        return np.maximum(sizes, max(int(sizes[needed].max(initial=1)), together))

    def sizes_needed(self, counts: NDArray[np.int64]) -> list[NDArray[np.int64]] | None:
        """Look the upper limits up, unless shares are limited from below too."""
        upper, lower = self._limits
        if lower is not None and _positive(lower).any():
            return None
        return self._at_least(upper, counts)

    def _at_least(self, upper: Sequence[Real], counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Of each value, the smallest class that may hold 1, 2, … of its records; what was found is kept for the next part."""

        def sizes_of(limit: Real, n: int) -> NDArray[np.int64]:
            if limit not in self._found or self._found[limit].size < n:
                self._found[limit] = np.maximum(smallest_sizes(limit, n), self.smallest)
            return self._found[limit][:n]

        return _tables(sizes_of, upper, counts)

    def posterior_limits(self) -> Sequence[Real] | None:
        """Upper limits, unless shares or classes are limited from below too."""
        upper, lower = self._limits
        if self.smallest > 1 or (lower is not None and _positive(lower).any()):
            return None
        return upper

    def out_of_reach(self) -> str:
        """Name values whose share of all records is above their limit: some class has at least that share."""
        above = [
            f"{quoted(self.attribute.label(code))} has a share of {float(share):.6g}, above its limit of {float(limit):.6g}"
            for code, (share, limit) in enumerate(zip(self.attribute.shares, self.upper_limits, strict=True))
            if not limit.at_least(share)
        ]
        return f". No release of all of them can hold it: {', '.join(above[:_VALUES_SHOWN])}" if above else ""


def _where(protected: NDArray[np.bool_], limits: Sequence[Real], free: Real) -> list[Real]:
    """Limits of the values that need protection; of others the one that limits nothing."""
    return [limit if own else free for limit, own in zip(limits, protected.tolist(), strict=True)]


def _tables(
    sizes_of: Callable[[Real, int], NDArray[np.int64]], limits: Sequence[Real], counts: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Sizes for 1, 2, … of the records of each value; values of equal limits share one table, as most of 50,000 do."""
    most: dict[Real, int] = {}
    for limit, n in zip(limits, counts.tolist(), strict=True):
        most[limit] = max(n, most.get(limit, 0))
    tables = {limit: sizes_of(limit, n) for limit, n in most.items()}
    return [
        tables[limit][: tables[limit].size - (most[limit] - n)]
        for limit, n in zip(limits, counts.tolist(), strict=True)
    ]


def within(
    stats: ClassStatistics, upper: Sequence[Real], lower: Sequence[Real] | None = None
) -> NDArray[np.bool_]:
    """(E,) Whether every share of a class is provably within its limits."""
    good = np.ones(stats.classes, np.bool_)
    sizes = stats.sizes[stats.class_of]
    good[stats.class_of[~shares_at_most(stats.count, sizes, stats.value, upper)]] = False
    if lower is None:
        return good
    good[stats.class_of[~shares_at_least(stats.count, sizes, stats.value, lower)]] = False
    # A value that is absent has share 0, which no positive lower limit allows.
    needed = _positive(lower)
    present = np.bincount(stats.class_of[needed[stats.value]], minlength=stats.classes)
    return np.asarray(good & (present == int(needed.sum())))


def _positive(limits: Sequence[Real]) -> NDArray[np.bool_]:
    """Which limits may be above 0."""
    return np.array([limit.enclose(30)[1] > 0 for limit in limits], np.bool_)
