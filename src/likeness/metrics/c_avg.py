"""Normalised average equivalence class size (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from likeness.checks import whole
from likeness.metrics.base import Metric, everybody

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation
    from likeness.models.base import PrivacyModel


@dataclass(frozen=True)
class CAvg(Metric):
    """People per equivalence class, in units of the smallest class allowed: ``(P / classes) / k``.

    Parameters
    ----------
    k
        The k of the k-anonymity that was asked for (not the one that was reached).

    Notes
    -----
    1 is the best a k-anonymous release of everybody can reach. Every record is another person's, unless the policy
    names the column of individuals: k and P count these then, and not their records. When nothing is published the value
    is P / k, as if all people were one class.

    References
    ----------
    LeFevre et al. 2006, "Mondrian multidimensional k-anonymity".

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> CAvg(k=2).measure(mini_table())
    1.25
    """

    k: int

    name: ClassVar[str] = "c-avg"
    range: ClassVar[str] = (
        "0 to P/k: P/k when all people are one class; at least 1 if every class has k of them"
    )
    withheld: ClassVar[str] = "Counted among the P people; a release of nothing counts as one class."

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, at_least=1)

    @classmethod
    def asked(cls, models: tuple[PrivacyModel, ...]) -> dict[str, Any] | None:
        """Take the largest size that a model asks of every class."""
        sizes = [model.conditions.size for model in models]
        return max(({"k": k} for k in sizes if k is not None), key=itemgetter("k"), default=None)

    def measure(self, evaluation: Evaluation) -> float:
        """Divide the people by the classes and by k."""
        return everybody(evaluation) / max(1, evaluation.recoding.classes) / self.k
