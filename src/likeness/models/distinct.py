"""How many different values a class has: one definition for the models that ask nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.models.base import BoundModel, SensitiveAttribute, Strength

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.base import SensitiveModel


def of_categories(model: SensitiveModel) -> None:
    """Refuse a model of categories by values: `PolicyError` in one line."""
    if model.by != "categories":
        what = "is about categories; leave by out, or take p-sensitivity, which counts values"
        raise PolicyError(Refusal(what, (model.name,)))


@dataclass(frozen=True, eq=False)
class DistinctValues(BoundModel):
    """At least ``least`` values in every class; ``parameter`` is what the model calls that number."""

    attribute: SensitiveAttribute
    parameter: str
    least: int

    def holds(self, stats: ClassStatistics) -> NDArray[np.bool_]:
        """Decide every class."""
        return np.asarray(stats.distinct >= self.least)

    def measured(self, stats: ClassStatistics) -> NDArray[np.float64]:
        """(E,) Values of every class."""
        return stats.distinct.astype(np.float64)

    def slack(self, measured: NDArray[np.float64]) -> NDArray[np.float64]:
        """(E,) Values more than needed."""
        return measured - self.least

    def strongest(self, stats: ClassStatistics) -> Strength:
        """Fewest values of a class."""
        return Strength({self.parameter: float(stats.distinct.min()) if stats.classes else 0.0})

    def class_test(self) -> ClassTest:
        """Count values until there are enough."""
        from likeness.kernels.class_tests import ClassTest, distinct_at_least

        # No class has more values than there are: a larger number need not fit 64 bits.
        values = len(self.attribute.counts)
        return ClassTest(distinct_at_least, [min(self.least, values + 1)], values=values)

    def values_needed(self) -> int:
        """As many as are asked for."""
        return self.least

    def smallest_classes(self) -> NDArray[np.int64]:
        """(m,) As many records; where people have several records, one of them may have all values."""
        return self.attribute.smallest_classes(self.least if self.attribute.individuals is None else 1)
