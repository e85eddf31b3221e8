"""Utility (Sarrafi Aghdam & Sonehara 2016): what NCP-total leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import choice
from likeness.metrics.base import Metric, mean_loss, mean_losses
from likeness.microdata.regions import LOSSES

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Utility(Metric):
    """Share of what was known about the records that the release still tells: 1 - NCP-total.

    Records are counted, also where people have several.

    Parameters
    ----------
    loss
        Loss of a cell: ``ncp``, ``glm`` or ``iloss``.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, section 4, eq. 3.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Utility().measure(mini_table()), round(Utility().measure(mini_table(withheld=2)), 12)
    (0.5, 0.15)
    """

    loss: str = "ncp"

    name: ClassVar[str] = "utility"
    of_regions: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = "0 to 1: 0 tells nothing, 1 keeps every quasi-identifier value"
    withheld: ClassVar[str] = "Each keeps nothing; a release of nothing has utility 0."
    lower_is_better: ClassVar[bool] = False

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    def measure(self, evaluation: Evaluation) -> float:
        """Average over all quasi-identifiers."""
        return 1.0 - mean_loss(evaluation, self.loss, charge_withheld=True)

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Average of each quasi-identifier by itself."""
        lost = mean_losses(evaluation, self.loss, charge_withheld=True)
        return {attribute: 1.0 - value for attribute, value in lost.items()}
