"""Information loss of identity-reserved anonymity (Wang et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, attribute_losses, withheld_weight

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Nloss(Metric):
    """Share of what was known about the quasi-identifiers of all records that the release no longer tells.

    ``NLoss = Loss(D, D*) / (|D| · |QI|)``, where Loss(D, D*) adds up, over all records and quasi-identifiers, the way from the
    record's own value to the published one: ``(max - min) / (Max - Min)`` for an interval, ``(u - 1) / (|X| - 1)`` for a node or
    set of u values, 1 for every value of a withheld record.

    Parameters
    ----------
    normalised
        False: Loss(D, D*) itself.

    Notes
    -----
    The paper adds up attributes without weights. Weights of a policy are scaled to have the mean 1, so that equal ones
    change nothing; the value is that of ``ncp`` with ``loss: glm`` and ``charge_withheld``. Records are counted, not people: one
    with many records weighs as many times. Where the records of a person differ in their quasi-identifiers, each goes its
    own way to the published region, so what it takes to make them alike is charged too. An empty table loses nothing.

    References
    ----------
    Wang et al. 2019, section 4.1, eq. 11-15, after Iyengar 2002.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Nloss().measure(mini_table()), Nloss(normalised=False).measure(mini_table())
    (0.5, 5.0)
    >>> round(Nloss().measure(mini_table(withheld=2)), 12)
    0.85
    """

    normalised: bool = True

    name: ClassVar[str] = "nloss"
    of_regions: ClassVar[bool] = True
    range: ClassVar[str] = (
        "0 to 1: 0 keeps every quasi-identifier value, 1 tells nothing; not normalised, 0 to records times quasi-identifiers"
    )
    withheld: ClassVar[str] = "Each costs 1 per quasi-identifier."

    def measure(self, evaluation: Evaluation) -> float:
        """Average, or sum, over all records and quasi-identifiers."""
        quasi, records = evaluation.data.quasi, evaluation.data.size
        whole = sum(domain.weight for domain in quasi)
        total = sum(
            loss * domain.weight * len(quasi) / whole
            for loss, domain in zip(_losses(evaluation), quasi, strict=True)
            if domain.weight
        )
        # Scaled weights may sum to one bit above their number.
        most = records * len(quasi)
        total = min(total, float(most))
        return total / max(1, most) if self.normalised else total

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Average, or sum, over all records, of each quasi-identifier by itself and unweighted."""
        records = max(1, evaluation.data.size) if self.normalised else 1
        return {
            domain.name: loss / records
            for domain, loss in zip(evaluation.data.quasi, _losses(evaluation), strict=True)
        }


def _losses(evaluation: Evaluation) -> list[float]:
    """(d,) Loss of each attribute, unweighted, summed over all records: 1 for each that is withheld."""
    published = attribute_losses(evaluation, "glm").tolist()
    return [loss + withheld_weight(evaluation) for loss in published]
