"""Removed global certainty penalty (Amiri et al. 2016): what withheld records cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction  # noqa: TC003  # the schema of policies reads annotations
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.checks import choice, number
from likeness.errors import PolicyError
from likeness.metrics.base import Metric, published_loss, record_weights
from likeness.microdata.regions import LOSSES
from likeness.microdata.representatives import removed_loss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Rgcp(Metric):
    """Loss of all records, as if every withheld one were published in the class nearest to it, at a higher price.

    Classes that no withheld record is nearest to cost ``|E| · NCP(E)``, as in GCP. A class that some are nearest to is joined
    with them, and costs ``k_r · |g| · NCP(g)``. Where nothing is published, all records cost ``n_r`` times what they lose as one
    class.

    Parameters
    ----------
    reading
        ``class`` (default), Definition 2: all records of a joined class pay for it. ``withheld``, what the introduction says:
        those published lose what they lose, only the withheld pay ``k_r · NCP(g)`` each.
    k_r
        Price of a joined class, above 1.
    n_r
        Price of publishing nothing, above ``k_r``. The paper gives no values for either.
    loss
        Loss of a cell: ``ncp``, ``glm`` or ``iloss``.
    normalised
        Divide by the number of records.

    Notes
    -----
    Which class is nearest: `likeness.microdata.representatives`; of equally near ones that whose NCP grows least, then that whose
    region begins first. GCP is below it exactly when somebody is withheld and a joined class is no point. Where regions are wider
    than their classes, a joined class loses at least what the class loses.

    The second case of Definition 2 is printed with a sum over the withheld records of a term that has their number already; with
    Example 3, it is counted once.

    References
    ----------
    Amiri et al. 2016, section 4, Definition 2.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Rgcp().measure(mini_table()), round(Rgcp().measure(mini_table(withheld=1)), 6)
    (2.5, 2.525)
    """

    reading: str = "class"
    k_r: float | str | Fraction = 1.1
    n_r: float | str | Fraction = 1.2
    loss: str = "ncp"
    normalised: bool = False

    name: ClassVar[str] = "rgcp"
    of_regions: ClassVar[bool] = True
    unasked: ClassVar[bool] = False
    range: ClassVar[str] = (
        "0 to n_r·N: 0 keeps every quasi-identifier value of every record, n_r·N publishes nobody; normalised, 0 to n_r"
    )
    withheld: ClassVar[str] = "Each counts as a record of the class nearest to it, at k_r times the loss."
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"rgcp-normalised": {"normalised": True}}

    def __post_init__(self) -> None:
        choice(self.name, "reading", self.reading, ("class", "withheld"))
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        if number(self.name, "k_r", self.k_r, above=1) >= number(self.name, "n_r", self.n_r, above=1):
            raise PolicyError(
                f"{self.name}: n_r must be above k_r; got k_r = {self.k_r} and n_r = {self.n_r}"
            )

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all records; per record where it is ``normalised``."""
        records = evaluation.data.size
        total = self._total(evaluation)
        return total / records if self.normalised and records else total

    def note(self, details: Mapping[str, float]) -> str:  # noqa: ARG002
        """State the prices, of which the paper gives none, and the reading."""
        return f"reading {self.reading}, k_r = {self.k_r}, n_r = {self.n_r}"

    def _total(self, evaluation: Evaluation) -> float:
        lost = published_loss(evaluation, self.loss)
        if evaluation.plan.withheld == 0:
            return lost
        # What is published is summed as `gcp` sums it, so that both are equal where nothing is paid beyond.
        _, beyond = removed_loss(
            evaluation.data,
            evaluation.plan,
            evaluation.recoding,
            LOSSES[self.loss],
            (float(number(self.name, "k_r", self.k_r)), float(number(self.name, "n_r", self.n_r))),
            classes_pay=self.reading == "class",
            weights=record_weights(evaluation),
        )
        return lost + beyond
