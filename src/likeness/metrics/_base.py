"""What every metric is: a number about a plan and the regions it publishes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likeness.forms._base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What metrics look at: the original records, what was decided about them, and the published regions.

    Parameters
    ----------
    data
        The original records, withheld ones included (records dropped by hygiene are not).
    plan
        The classes.
    recoding
        The region of every class.
    publication
        What was published, where it is at hand: for metrics of what an analyst computes.
    """

    data: Microdata
    plan: Plan
    recoding: Recoding
    publication: Publication | None = None


class Metric(ABC):
    """A measure of a release; a small frozen value."""

    name: ClassVar[str]
    range: ClassVar[str]
    """Possible values, such as ``0 to 1``, with what the ends mean.

    An end is a number, ``∞``, or a product or quotient of N (records), P (people: the same, unless some have
    several records), N², P², d (quasi-identifiers), H (sum of the hierarchies' heights), log₂N and the metric's own
    parameters, such as ``N·d`` or ``P/k``.
    """
    withheld: ClassVar[str]
    """How withheld records are treated, in one sentence."""
    lower_is_better: ClassVar[bool] = True
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Quantities with a name of their own that are this metric with these parameters."""

    @abstractmethod
    def measure(self, evaluation: Evaluation) -> float:
        """Measure a release."""

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:  # noqa: ARG002
        """Measure each quasi-identifier by itself; empty where the metric has no such parts."""
        return {}
