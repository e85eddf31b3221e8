"""Average equivalence class size (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics.base import Metric, class_individuals, everybody

if TYPE_CHECKING:
    from likeness.metrics.base import Evaluation


@dataclass(frozen=True)
class AverageClassSize(Metric):
    """Published people per equivalence class.

    Notes
    -----
    Every record is another person's, unless the policy names the column of individuals: these are counted then, as
    k-anonymity does, and not their records. When nothing is published the value is its worst, P: as if all people were
    one class.

    References
    ----------
    Amiri et al. 2016 (hierarchical anonymization), section 2.3, after LeFevre et al. 2006.

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
    >>> AverageClassSize().measure(mini_table())
    2.5
    """

    name: ClassVar[str] = "average-class-size"
    of_copies: ClassVar[bool] = True
    range: ClassVar[str] = (
        "1 to P: 1 when everybody is a class of their own, P (all people) when all are one class"
    )
    withheld: ClassVar[str] = "Left out; a release of nothing counts as one class of everybody."

    def measure(self, evaluation: Evaluation) -> float:
        """Divide the published people by the classes."""
        sizes = class_individuals(evaluation)
        return int(sizes.sum()) / sizes.size if sizes.size else float(everybody(evaluation))
