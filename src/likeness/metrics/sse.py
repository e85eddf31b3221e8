"""Sum of squared errors (Domingo-Ferrer & Mateo-Sanz 2002): how far records lie from what stands for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.metrics.base import Metric, record_weights
from likeness.microdata.regions import attribute_weights
from likeness.microdata.representatives import own_distances

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Sse(Metric):
    """Squared distance of every published record from the representative of its class, summed over its attributes.

    Parameters
    ----------
    normalised
        Divide by the number of published records.

    Notes
    -----
    Numbers are apart by the difference of their places in their domain from the published mean, or the middle of the published
    interval; categories as `likeness.microdata.representatives` says. Attribute weights count, so that they are 1 on average.

    References
    ----------
    Domingo-Ferrer & Mateo-Sanz 2002; Amiri et al. 2016, section 5.3, for categories.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Sse().measure(mini_table()), Sse(normalised=True).measure(mini_table())
    (0.90625, 0.18125)
    """

    normalised: bool = False

    name: ClassVar[str] = "sse"
    range: ClassVar[str] = (
        "0 to N·d: 0 where every record is shown as it is; d is the number of quasi-identifiers"
    )
    withheld: ClassVar[str] = "Left out: they add nothing to the sum."
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {"sse-normalised": {"normalised": True}}

    def measure(self, evaluation: Evaluation) -> float:
        """Sum, or average, over the published records."""
        data, kept = evaluation.data, np.flatnonzero(evaluation.plan.published)
        weights = record_weights(evaluation)
        each = np.ones(kept.size) if weights is None else weights[kept]
        squares = np.zeros(kept.size)
        classes = evaluation.plan.classes[kept]
        scale = attribute_weights(data.quasi) * len(data.quasi)
        for j, regions in enumerate(evaluation.recoding.shown):
            squares += scale[j] * own_distances(regions, data.codes[j, kept], regions.of[classes]) ** 2
        total = fsum((each * squares).tolist())
        if not self.normalised:
            return total
        return total / fsum(each.tolist()) if kept.size else 0.0
