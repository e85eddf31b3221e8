"""Average equivalence class size (LeFevre et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from likeness.metrics._base import Metric

if TYPE_CHECKING:
    from likeness.metrics._base import Evaluation


@dataclass(frozen=True)
class AverageClassSize(Metric):
    """Published records per equivalence class.

    Notes
    -----
    When nothing is published the value is its worst, N: as if all records were one class.

    References
    ----------
    Paper 000 (hierarchical anonymization), section 2.3, after LeFevre et al. 2006; spec section 5.2.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> AverageClassSize().measure(mini_table())
    2.5
    """

    name: ClassVar[str] = "average-class-size"
    range: ClassVar[str] = "1 to N: 1 when every record is a class of its own, N when all are one class"
    withheld: ClassVar[str] = "Left out; a release of nothing counts as one class of all records."

    def measure(self, evaluation: Evaluation) -> float:
        """Divide the published records by the classes."""
        classes, records = evaluation.recoding.classes, evaluation.data.size
        return (records - evaluation.plan.withheld) / classes if classes else float(records)
