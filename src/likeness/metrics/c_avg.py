"""Normalised average equivalence class size (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.checks import whole
from likeness.metrics._base import Metric

if TYPE_CHECKING:
    from likeness.metrics._base import Evaluation


@dataclass(frozen=True)
class CAvg(Metric):
    """Records per equivalence class, in units of the smallest class allowed: ``(N / classes) / k``.

    Parameters
    ----------
    k
        The k of the k-anonymity that was asked for (not the one that was reached).

    Notes
    -----
    1 is the best a k-anonymous release of all records can reach. When nothing is published the value is N /
    k, as if all records were one class.

    References
    ----------
    LeFevre et al. 2006, "Mondrian multidimensional k-anonymity"; spec section 5.2.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> CAvg(k=2).measure(mini_table())
    1.25
    """

    k: int

    name: ClassVar[str] = "c-avg"
    range: ClassVar[str] = (
        "0 to N/k: N/k when all records are one class; at least 1 if every class has k records"
    )
    withheld: ClassVar[str] = "Counted among the N records; a release of nothing counts as one class."

    def __post_init__(self) -> None:
        whole(self.name, "k", self.k, at_least=1)

    def measure(self, evaluation: Evaluation) -> float:
        """Divide the records by the classes and by k."""
        return evaluation.data.size / max(1, evaluation.recoding.classes) / self.k
