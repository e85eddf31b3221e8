"""Discernibility metric (Bayardo & Agrawal 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.metrics._base import Metric
from likeness.metrics._losses import class_sizes

if TYPE_CHECKING:
    from likeness.metrics._base import Evaluation


@dataclass(frozen=True)
class Discernibility(Metric):
    """Number of records that each record cannot be told from, summed.

    ``Σ |G|² + F · N`` over the equivalence classes G, with F records withheld of N.

    Parameters
    ----------
    k
        Classes of fewer than k records count as withheld, as in paper 001.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016 (paper 001), section 4, eq. 5, after Bayardo & Agrawal 2005.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> Discernibility().measure(mini_table()), Discernibility(k=3).measure(mini_table())
    (13.0, 19.0)
    """

    k: int = 1

    name: ClassVar[str] = "discernibility"
    range: ClassVar[str] = (
        "N to N²: N when every record is a class of its own, N² when all are one class or withheld"
    )
    withheld: ClassVar[str] = "Each costs N, the number of all records."

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, at_least=1)

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all records."""
        sizes = class_sizes(evaluation)
        kept = sizes[sizes >= self.k]
        records = evaluation.data.size
        return float(np.square(kept).sum() + (records - kept.sum()) * records)
