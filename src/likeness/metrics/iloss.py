"""ILoss (Xiao & Tao 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, mean_loss, mean_losses

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Iloss(Metric):
    """Share of its domain's values that a published cell stands for besides the true one, on average.

    A cell that stands for u values of its domain D loses ``(u - 1) / |D|``; attribute weights are scaled to
    sum to 1.

    Notes
    -----
    Numbers need a discrete domain: integers and days count every whole number between the ends of the domain,
    reals the distinct values of the table. A constant attribute loses nothing; the missing value is one more
    category, and a numeric cell that mixes it with numbers costs 1. When nothing is published the value is 1.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, section 4, eq. 4, after Xiao & Tao 2006.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Iloss().by_attribute(mini_table())["sex"]
    0.3
    """

    name: ClassVar[str] = "iloss"
    of_regions: ClassVar[bool] = True
    minimized: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to 1: 0 keeps every quasi-identifier value; one published cell loses at most 1 - 1/|D|"
    )
    withheld: ClassVar[str] = "Left out of the mean."

    @property
    def searched(self) -> str:
        """Its cell loss."""
        return self.name

    def measure(self, evaluation: Evaluation) -> float:
        """Average over all quasi-identifiers."""
        return mean_loss(evaluation, self.name)

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Average of each quasi-identifier by itself."""
        return mean_losses(evaluation, self.name)
