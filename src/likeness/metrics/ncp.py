"""Normalized certainty penalty (Xu et al. 2006), in its set, hierarchy and GLM forms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import choice
from likeness.metrics.base import Evaluation, Metric, mean_loss, mean_losses
from likeness.microdata.regions import LOSSES

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Ncp(Metric):
    """Share of what was known about a record that its generalized cells no longer tell, on average.

    A cell of a class G loses, by the shape of its attribute,

    * interval: ``(max - min) / (Max - Min)``;
    * hierarchy node a: 0 if a is a leaf, else ``leaves(a) / leaves(root)``;
    * set of u values: 0 if u = 1, else ``u / |D|``.

    A mixed class of an attribute with two values thus costs 1; ``loss="glm"`` makes both categorical forms
    ``(u - 1) / (|D| - 1)``. Attribute weights are scaled to sum to 1.

    Parameters
    ----------
    loss
        Loss of a cell: ``ncp``, ``glm`` or ``iloss``.
    charge_withheld
        False: mean over the published records, the normalised GCP of Amiri et al. 2016. True: NCP-total of Sarrafi Aghdam &
        Sonehara 2016, in which every withheld record costs 1 and the mean is over all records.
    include_noise
        Whether published records that nobody is count like the others (Fazal et al. 2023, eq. 21 as it is written). Their loss
        says nothing of anybody, so by default they do not.

    Notes
    -----
    A constant attribute loses nothing. The missing value is one more category, directly under the root; a
    numeric cell that mixes it with numbers costs 1. When nothing is published the value is 1.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, section 4, eq. 1-3; Cao & Karras 2012,
    section 4.1, eq. 2-4; the GLM form is Iyengar 2002. Fazal et al. 2023, eq. 20-21.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Ncp().measure(mini_table()), Ncp().by_attribute(mini_table())
    (0.5, {'age': 0.4, 'sex': 0.6})
    >>> Ncp(charge_withheld=True).measure(mini_table(withheld=2))
    0.85
    """

    loss: str = "ncp"
    charge_withheld: bool = False
    include_noise: bool = False

    name: ClassVar[str] = "ncp"
    of_regions: ClassVar[bool] = True
    of_copies: ClassVar[bool] = True
    minimized: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = "0 to 1: 0 keeps every quasi-identifier value, 1 tells nothing"
    withheld: ClassVar[str] = "Left out of the mean; with charge_withheld each costs 1."
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"ncp-total": {"charge_withheld": True}}

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    @property
    def bounded(self) -> str | None:
        """Its cell loss, unless records that nobody is count."""
        return None if self.include_noise else self.loss

    @property
    def searched(self) -> str:
        """Its cell loss."""
        return self.loss

    @property
    def charges_withheld(self) -> bool:
        """Where it is asked to."""
        return self.charge_withheld

    def measure(self, evaluation: Evaluation) -> float:
        """Average over all quasi-identifiers."""
        return mean_loss(self._counted(evaluation), self.loss, charge_withheld=self.charge_withheld)

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:
        """Average of each quasi-identifier by itself."""
        return mean_losses(self._counted(evaluation), self.loss, charge_withheld=self.charge_withheld)

    def _counted(self, evaluation: Evaluation) -> Evaluation:
        """Take the records that count: with those that nobody is as many records more, where they are asked for."""
        added = evaluation.plan.added
        if added is None or not self.include_noise:
            return evaluation

        def with_noise() -> Evaluation:
            rows = np.append(np.arange(evaluation.data.size), added.of)
            plan = replace(evaluation.plan, classes=evaluation.plan.classes[rows], added=None)
            return Evaluation(evaluation.data.take(rows), plan, evaluation.recoding)

        return evaluation.once("with noise", with_noise)
