"""Precision (Sweeney 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, class_sizes, levels, region_sizes

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Precision(Metric):
    """Share of the hierarchies' height that cells keep.

    ``1 - Σ (level / H) / (N · d)`` over all cells, H being the height of the attribute's hierarchy.

    Notes
    -----
    Levels are those of ``generalization-height``: an interval or set of an attribute with a hierarchy has the
    level of the lowest common ancestor of its values, a set without hierarchy the level 1 of 1, and intervals
    without a hierarchy have none. A constant attribute keeps everything. Attribute weights play no part.

    References
    ----------
    Sweeney 2002, "Achieving k-anonymity privacy protection using generalization and suppression".

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Precision().by_attribute(mini_table(hierarchies=True))
    {'age': 0.5, 'sex': 0.4}
    >>> Precision().measure(mini_table())
    Traceback (most recent call last):
    likeness.errors.PolicyError: precision: 'age' has no hierarchy, ...
    """

    name: ClassVar[str] = "precision"
    of_regions: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to 1: 0 when every cell is the root or withheld, 1 keeps every quasi-identifier value"
    )
    withheld: ClassVar[str] = (
        "Every cell of theirs counts as the root, so a release of nothing has precision 0."
    )
    lower_is_better: ClassVar[bool] = False

    def measure(self, evaluation: Evaluation) -> float:
        """Average over all quasi-identifiers.

        Raises
        ------
        PolicyError
            When a quasi-identifier is published as intervals and has no hierarchy.
        """
        parts = self.by_attribute(evaluation)
        return sum(parts.values()) / len(parts) if parts else 1.0

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Precision of each quasi-identifier; raises as `measure` does."""
        sizes, attributes = class_sizes(evaluation), evaluation.recoding.attributes
        records, withheld = evaluation.data.size, evaluation.plan.withheld
        found = {}
        for regions, level in zip(attributes, levels(self.name, attributes), strict=True):
            climbed = int((region_sizes(regions, sizes) * level.of).sum())
            share = climbed / max(1, level.height) + withheld
            found[regions.domain.name] = 1.0 - share / max(1, records)
        return found
