"""Discernibility metric (Bayardo & Agrawal 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.metrics.base import Metric, class_individuals, everybody

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class Discernibility(Metric):
    """Number of people that each one cannot be told from, summed.

    ``Σ |G|² + F · P`` over the equivalence classes G, with F people withheld of P.

    Parameters
    ----------
    k
        Classes of fewer than k people count as withheld, as in Sarrafi Aghdam & Sonehara 2016.

    Notes
    -----
    Every record is another person's, as in the paper, unless the policy names the column of individuals: these are
    counted then, and not their records.

    References
    ----------
    Sarrafi Aghdam & Sonehara 2016, section 4, eq. 5, after Bayardo & Agrawal 2005.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> Discernibility().measure(mini_table()), Discernibility(k=3).measure(mini_table())
    (13.0, 19.0)
    """

    k: int = 1

    name: ClassVar[str] = "discernibility"
    of_copies: ClassVar[bool] = True
    minimized: ClassVar[bool] = True
    range: ClassVar[str] = (
        "P to P²: P (all people) when everybody is a class of their own, P² when all are one class or withheld"
    )
    withheld: ClassVar[str] = "Each person costs P, the number of all people."

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, at_least=1)

    @property
    def searched(self) -> str:
        """Itself: every record loses as much as there are in its class."""
        return self.name

    @property
    def charges_withheld(self) -> bool:
        """As everybody."""
        return True

    def measure(self, evaluation: Evaluation) -> float:
        """Sum over all people."""
        sizes = class_individuals(evaluation)
        kept = sizes[sizes >= self.k]
        people = everybody(evaluation)
        return float(np.square(kept).sum() + max(0, people - int(kept.sum())) * people)
