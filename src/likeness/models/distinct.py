"""How many different values a class has: one definition for the models that ask nothing else."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.microdata.statistics import count_classes
from likeness.models.base import BoundModel, SensitiveAttribute, Strength

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import SensitiveModel


def with_protected(stats: ClassStatistics, protected: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """(E,) Whether a class has a value that needs protection; ``protected`` (m,) is None where all do."""
    if protected is None:
        return np.ones(stats.classes, np.bool_)
    return np.bincount(stats.class_of[protected[stats.value]], minlength=stats.classes) > 0


def levelled(bound: BoundModel, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(m,) How many of each value so many records must lose at least, so that the rest is as mixed as a model asks.

    Of models that look at how often values occur, whichever they are, and that are the stricter the more frequent the most
    frequent are: these are cut to one level, the highest that holds, and some of them may stay one above it. ``counts`` (m,):
    records of each value. All of them, where no level holds.
    """

    def holds(level: int, above: int) -> bool:
        """Whether the rest does, where of those that are more frequent so many stay one above the level."""
        kept = np.minimum(counts, level)
        kept[larger[:above]] += kept[larger[:above]] < counts[larger[:above]]
        there = np.flatnonzero(kept)
        stats = count_classes(np.zeros(there.size, np.int64), 1, there, counts.size, copies=kept[there])
        return bool(bound.holds(stats)[0])

    larger = np.argsort(-counts, kind="stable")
    level = bisect_left(range(1, int(counts.max(initial=0)) + 1), True, key=lambda level: not holds(level, 0))
    if level == 0:
        return counts.copy()
    several = range(1, int(np.count_nonzero(counts > level)) + 1)
    above = bisect_left(several, True, key=lambda above: not holds(level, above))
    kept = np.minimum(counts, level)
    kept[larger[:above]] = np.minimum(counts[larger[:above]], level + 1)
    return counts - kept


def of_categories(model: SensitiveModel) -> None:
    """Refuse a model of categories by values: `PolicyError` in one line."""
    if model.by != "categories":
        what = "is about categories; leave by out, or take p-sensitivity, which counts values"
        raise PolicyError(Refusal(what, (model.name,)))


@dataclass(frozen=True, eq=False)
class DistinctValues(BoundModel):
    """At least ``least`` values in every class; ``parameter`` is what the model calls that number.

    Where only some values need protection, in every class that has one of these.
    """

    attribute: SensitiveAttribute
    parameter: str
    least: int

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class."""
        return np.asarray((stats.distinct >= self.least) | ~self._concerned(stats))

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Values of every class; infinite where none of them needs protection."""
        return np.where(self._concerned(stats), stats.distinct, np.inf)

    def _concerned(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """(E,) Whether anybody of a class has a value that needs protection."""
        return with_protected(stats, self.attribute.protected)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """(E,) Values more than needed."""
        return measured - self.least

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Fewest values of a class."""
        own = stats.distinct[self._concerned(stats)]
        # As many as there are at all, where no class has a value that needs protection.
        most = float(np.count_nonzero(self.attribute.counts)) if stats.classes else 0.0
        return Strength({self.parameter: float(own.min(initial=most))})

    def class_test(self) -> ClassTest:
        """Count values until there are enough."""
        from likeness.kernels.class_tests import ClassTest, distinct_at_least, distinct_where_protected

        # No class has more values than there are: a larger number need not fit 64 bits.
        values = len(self.attribute.counts)
        least = min(self.least, values + 1)
        if self.attribute.protected is None:
            return ClassTest(distinct_at_least, [least], values=values)
        return ClassTest(distinct_where_protected, [least, *self.attribute.protected], values=values)

    def values_needed(self) -> int:
        """As many as are asked for; where only some values need protection, a class may do without."""
        return self.least if self.attribute.protected is None else 1

    def smallest_classes(self) -> NDArray[np.int64]:
        """(m,) As many records; where people have several records, one of them may have all values."""
        return self.attribute.smallest_classes(self.least if self.attribute.individuals is None else 1)
