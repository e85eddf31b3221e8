"""Generalization height (Samarati 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, class_sizes, levels, region_sizes

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class GeneralizationHeight(Metric):
    """Number of hierarchy levels that cells were raised, over all records and quasi-identifiers.

    Notes
    -----
    An interval or set of an attribute with a hierarchy has the level of the lowest common ancestor of its
    values; a set without hierarchy the level 1 of 1. Intervals without a hierarchy have no levels. The
    missing value is one more leaf directly under the root. A constant attribute is never raised. Attribute
    weights play no part.

    References
    ----------
    Amiri et al. 2016 (hierarchical anonymization), section 2.3, after Samarati 2001.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> GeneralizationHeight().by_attribute(mini_table(hierarchies=True))
    {'age': 5.0, 'sex': 3.0}
    >>> GeneralizationHeight().measure(mini_table())
    Traceback (most recent call last):
    likeness.errors.PolicyError: generalization-height: 'age' has no hierarchy, ...
    """

    name: ClassVar[str] = "generalization-height"
    of_regions: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to N·H: 0 keeps every quasi-identifier value, N·H (records times the hierarchies' heights) keeps none"
    )
    withheld: ClassVar[str] = "Every cell of theirs counts as raised to the root."

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all quasi-identifiers.

        Raises
        ------
        PolicyError
            When a quasi-identifier is published as intervals and has no hierarchy.
        """
        return float(sum(self.by_attribute(evaluation).values()))

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Levels of each quasi-identifier; raises as `measure` does."""
        sizes, attributes = class_sizes(evaluation), evaluation.recoding.attributes
        return {
            regions.domain.name: float(
                (region_sizes(regions, sizes) * level.of).sum() + evaluation.plan.withheld * level.height
            )
            for regions, level in zip(attributes, levels(self.name, attributes), strict=True)
        }
