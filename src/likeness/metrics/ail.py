"""Average information loss (Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import choice
from likeness.metrics.base import Metric, published_loss
from likeness.microdata.regions import LOSSES

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Ail(Metric):
    """Loss per record of the table: each equivalence class G adds its size times IL(G), divided by N.

    Parameters
    ----------
    loss
        Loss of a cell: ``ncp`` (the paper's IL), ``glm`` or ``iloss``.

    Notes
    -----
    The paper's systems withhold nothing. Where records are withheld they stand in the divisor only, and the
    value falls with each of them: compare such releases by ``ncp-total``, which charges 1 for each.

    References
    ----------
    Cao & Karras 2012, section 4.1, eq. 5.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Ail().measure(mini_table())
    0.5
    """

    loss: str = "ncp"

    name: ClassVar[str] = "ail"
    of_regions: ClassVar[bool] = True
    minimized: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = "0 to 1: 0 keeps every quasi-identifier value, 1 tells nothing"
    withheld: ClassVar[str] = "Counted as records without loss, as eq. 5 does; a release of nothing has 0."

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    @property
    def searched(self) -> str:
        """Its cell loss: the sum over published records is the same, and N does not depend on the release.

        With 1 for each withheld record, as releases are compared, it is ``ncp-total``.
        """
        return self.loss

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over the published records, divided by all."""
        return published_loss(evaluation, self.loss) / max(1, evaluation.data.size)
