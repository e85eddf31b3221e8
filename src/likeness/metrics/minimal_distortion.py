"""Minimal distortion (Sweeney 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, class_sizes, generalized, region_sizes

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class MinimalDistortion(Metric):
    """Number of cells whose value was generalized or withheld, over all quasi-identifiers.

    Notes
    -----
    A constant attribute is never generalized, except by a hierarchy whose inner node is published. The
    missing value by itself is published as it is. Attribute weights play no part.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, section 4, after Sweeney 2002.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> MinimalDistortion().by_attribute(mini_table())
    {'age': 5.0, 'sex': 3.0}
    """

    name: ClassVar[str] = "minimal-distortion"
    of_regions: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to N·d: 0 keeps every quasi-identifier value, N·d (records times quasi-identifiers) keeps none"
    )
    withheld: ClassVar[str] = "Every cell of theirs counts as generalized."

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all quasi-identifiers."""
        return float(sum(self.by_attribute(evaluation).values()))

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Generalized cells of each quasi-identifier."""
        sizes = class_sizes(evaluation)
        return {
            regions.domain.name: float(
                region_sizes(regions, sizes)[generalized(regions)].sum() + evaluation.plan.withheld
            )
            for regions in evaluation.recoding.attributes
        }
