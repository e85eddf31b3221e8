"""Classification metric (Iyengar 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.metrics.base import Metric
from likeness.microdata.statistics import count_classes

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Classification(Metric):
    """Share of records whose sensitive value is not their class's most frequent one, or that are withheld.

    Parameters
    ----------
    sensitive
        The sensitive attribute; the first one when left out.

    Notes
    -----
    Of tied values one is the majority. The sensitive values are the original ones; a missing one is a value
    like any other. Records are counted, also where people have several: a vote predicts the value of a record.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, section 4, after Iyengar 2002.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Classification().measure(mini_table())
    0.2
    """

    sensitive: str | None = None

    name: ClassVar[str] = "classification"
    is_share: ClassVar[bool] = True
    range: ClassVar[str] = "0 to 1: 0 when all records of a class agree, 1 when nothing is published"
    withheld: ClassVar[str] = "Each counts as misclassified."

    def measure(self, evaluation: Evaluation) -> float:
        """Count the records that a majority vote in their class gets wrong.

        Raises
        ------
        PolicyError
            When there is no sensitive attribute, or none of that name.
        """
        data, classes = evaluation.data, evaluation.recoding.classes
        if not data.sensitive:
            raise PolicyError(Refusal("needs a sensitive column; the policy declares none", (self.name,)))
        which = 0 if self.sensitive is None else data.sensitive_index(self.sensitive)
        values = data.sensitive[which].codes
        stats = count_classes(evaluation.plan.classes, classes, data.sensitive_codes[which], values)
        majority = np.zeros(classes, np.int64)
        np.maximum.at(majority, stats.class_of, stats.count)
        return float(data.size - majority.sum()) / max(1, data.size)
