"""Global certainty penalty (Ghinita et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.checks import choice
from likeness.metrics.base import Metric, mean_loss, published_loss
from likeness.microdata.regions import LOSSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Gcp(Metric):
    """Loss of every published record, summed: each equivalence class G adds its size times NCP(G).

    Parameters
    ----------
    loss
        Loss of a cell: ``ncp``, ``glm`` or ``iloss``.
    normalised
        Divide by the number of published records; then it is the metric ``ncp``, and 1 when nothing is
        published.

    Notes
    -----
    The paper writes an unnormalised weighted sum of attributes; here the weights are scaled to sum to 1.

    References
    ----------
    Amiri et al. 2016 (hierarchical anonymization), section 2.3.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Gcp().measure(mini_table()), Gcp(normalised=True).measure(mini_table())
    (2.5, 0.5)
    """

    loss: str = "ncp"
    normalised: bool = False

    name: ClassVar[str] = "gcp"
    of_regions: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to N: 0 keeps every quasi-identifier value, N (the number of records) tells nothing; normalised, 0 to 1"
    )
    withheld: ClassVar[str] = (
        "Left out: they add nothing to the sum, so a release of nothing has 0 unless normalised."
    )
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"gcp-normalised": {"normalised": True}}

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    def measure(self, evaluation: Evaluation) -> float:
        """Sum, or average, over the published records."""
        if self.normalised:
            return mean_loss(evaluation, self.loss)
        return published_loss(evaluation, self.loss)
