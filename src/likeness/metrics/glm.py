"""Generalized loss metric (Iyengar 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, mean_loss, mean_losses

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Glm(Metric):
    """Share of the other values of its domain that a published cell could as well stand for, on average.

    An interval loses ``(max - min) / (Max - Min)``, a node or set of u values ``(u - 1) / (|D| - 1)``;
    attribute weights are scaled to sum to 1.

    Notes
    -----
    A constant attribute loses nothing; the missing value is one more category, and a numeric cell that mixes
    it with numbers costs 1. When nothing is published the value is 1.

    References
    ----------
    Iyengar 2002, "Transforming data to satisfy privacy constraints".

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Glm().measure(mini_table())
    0.5
    """

    name: ClassVar[str] = "glm"
    of_regions: ClassVar[bool] = True
    of_copies: ClassVar[bool] = True
    minimized: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = "0 to 1: 0 keeps every quasi-identifier value, 1 tells nothing"
    withheld: ClassVar[str] = "Left out of the mean."

    @property
    def bounded(self) -> str | None:
        """Its cell loss."""
        return self.name

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
