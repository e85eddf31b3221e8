"""What every metric is: a number about a plan and the regions it publishes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding
    from likeness.models.base import PrivacyModel


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What metrics look at: the original records, what was decided about them, and the published regions.

    It remembers what was measured: whoever asks again, such as a report after the console, is told the same.

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
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Work something out the first time it is asked for.

        Parameters
        ----------
        key
            What it is.
        make
            Works it out.
        """
        if key not in self._known:
            self._known[key] = make()
        found: T = self._known[key]
        return found


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

    @classmethod
    def asked(cls, models: tuple[PrivacyModel, ...]) -> dict[str, Any] | None:  # noqa: ARG003
        """Take its parameters from a guarantee, where it is measured against one; None where it is not."""
        return None

    @abstractmethod
    def measure(self, evaluation: Evaluation) -> float:
        """Measure a release."""

    def details(self, evaluation: Evaluation) -> dict[str, int]:  # noqa: ARG002
        """Say how it was measured, in numbers; empty where nothing is to be said."""
        return {}

    def note(self, details: Mapping[str, int]) -> str:  # noqa: ARG002
        """Say in words what of its details changes how the value is to be read; empty where nothing does."""
        return ""

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:  # noqa: ARG002
        """Measure each quasi-identifier by itself; empty where the metric has no such parts."""
        return {}
