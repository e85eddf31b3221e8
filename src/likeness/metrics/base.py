"""What every metric is: a number about a plan and the regions it publishes; the sums of cell losses that many of them are.

Records are counted per distinct region and summed without rounding, so neither the order of the records nor the numbers of the
classes change a sum. Where there are survey weights, every record counts in proportion to its own, whether they are published or
not, and all of them together as many as there are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from likeness.checks import number
from likeness.errors import InvalidError, PolicyError, Refusal
from likeness.microdata.domain import SUITABLE
from likeness.microdata.grouping import count_copies, distinct
from likeness.microdata.regions import LOSSES, attribute_weights, region_losses
from likeness.microdata.statistics import count_classes
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.hierarchies import Hierarchy
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import AttributeRegions, Recoding
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
        """Work something out the first time it is asked for, or find out that it cannot be.

        Parameters
        ----------
        key
            What it is.
        make
            Works it out.

        Raises
        ------
        InvalidError
            What ``make`` raised, every time.
        """
        if key not in self._known:
            try:
                self._known[key] = make()
            except InvalidError as problem:
                self._known[key] = _Refused(type(problem), problem.refusals)
                raise
        found = self._known[key]
        if isinstance(found, _Refused):
            raise found.kind(*found.refusals)
        done: T = found
        return done


class _Refused(NamedTuple):
    """What was raised instead of a result."""

    kind: type[InvalidError]
    refusals: tuple[Refusal, ...]


class Metric(ABC):
    """A measure of a release; a small frozen value."""

    name: ClassVar[str]
    range: ClassVar[str]
    """Possible values, such as ``0 to 1``, with what the ends mean.

    An end is a number, ``∞``, or a product or quotient of N (records), P (people: the same, unless some have
    several records), N², P², d (quasi-identifiers), H (sum of the hierarchies' heights), log₂N and the metric's own
    parameters, such as ``N·d`` or ``P/k``.
    """
    is_share: ClassVar[bool] = False
    """Whether it is from 0 to 1, of any table and with any parameters."""
    withheld: ClassVar[str]
    """How withheld records are treated, in one sentence."""
    lower_is_better: ClassVar[bool] = True
    of_regions: ClassVar[bool] = False
    """Whether it measures published regions, and says nothing where means or modes are published instead."""
    unasked: ClassVar[bool] = True
    """Whether it is measured where no metric is named; not where it takes records times classes."""
    of_copies: ClassVar[bool] = False
    """Whether it can be measured where rows stand for several records (`Microdata.copies`)."""
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Quantities with a name of their own that are this metric with these parameters."""

    @property
    def bounded(self) -> str | None:
        """The cell loss whose mean over all records, 1 for each withheld, it is where none is; None where it is no such mean."""
        return None

    minimized: ClassVar[bool] = False
    """Whether policies may ask for the release that has least of it (``minimize``); it then says what searches lower."""
    of_publication: ClassVar[bool] = False
    """Whether it measures what analysts compute, and needs the published tables; said of those that policies minimize."""

    @property
    def searched(self) -> str:
        """The loss that searches lower, where policies minimize it, as `LOWERED` names it."""
        return "ncp"

    @property
    def charges_withheld(self) -> bool:
        """Whether it counts against a release what it withholds.

        Where it does not, releases are compared by the mean of the loss that is `searched`, 1 for each withheld record, because
        withholding would be the cheapest way to less of it.
        """
        return False

    @classmethod
    def asked(cls, models: tuple[PrivacyModel, ...]) -> dict[str, Any] | None:  # noqa: ARG003
        """Take its parameters from a guarantee, where it is measured against one; None where it is not."""
        return None

    def check_limit(self, where: str, limit: Any) -> Fraction:
        """Read how much of it is allowed.

        Parameters
        ----------
        where
            What messages call the place where it stands.
        limit
            A number, as text or not.

        Raises
        ------
        PolicyError
            Where it is none, or none that the metric can have: 15 % of what is from 0 to 1 is 0.15.
        """
        if isinstance(limit, str) and limit.rstrip().endswith("%"):
            what = f"the limit must be a number; got {quoted(limit)}"
            raise PolicyError(Refusal(what, (where,), remedy="a share is written from 0 to 1: 30 % is 0.3"))
        found = number(where, "the limit", limit)
        if self.is_share and not 0 <= found <= 1:
            meant = f"; {float(found):g} % is {float(found) / 100:g}" if 1 < found <= 100 else ""
            raise PolicyError(f"{where}: {self.name} is a number from 0 to 1; got {float(found):g}{meant}")
        return found

    def inapplicable(self, evaluation: Evaluation) -> Refusal | None:
        """Find why a release cannot be measured, whatever is in it; None where it can."""
        instead = [own.domain.name for own in evaluation.recoding.instead if own is not None]
        if not self.of_regions or not instead:
            return None
        return Refusal(
            f"measures regions, and means or modes are published instead ({', '.join(map(repr, instead))})",
            (self.name,),
            remedy="measure sse or query-error",
        )

    @abstractmethod
    def measure(self, evaluation: Evaluation) -> float:
        """Measure a release."""

    def details(self, evaluation: Evaluation) -> Mapping[str, float]:  # noqa: ARG002
        """Say how it was measured, in numbers; empty where nothing is to be said."""
        return {}

    def note(self, details: Mapping[str, float]) -> str:  # noqa: ARG002
        """Say in words what of its details changes how the value is to be read; empty where nothing does."""
        return ""

    def by_attribute(self, evaluation: Evaluation) -> dict[str, float]:  # noqa: ARG002
        """Measure each quasi-identifier by itself; empty where the metric has no such parts."""
        return {}


def publication_of(metric: str, evaluation: Evaluation) -> Publication:
    """Give what was published; `PolicyError` where only classes are at hand."""
    if evaluation.publication is None:
        raise PolicyError(Refusal("needs the published tables, and only classes are at hand", (metric,)))
    return evaluation.publication


def class_sizes(evaluation: Evaluation) -> NDArray[np.int64]:
    """(E,) Records of each class."""

    def counted() -> NDArray[np.int64]:
        classes = evaluation.plan.classes
        kept, copies = classes >= 0, evaluation.data.copies
        copies = None if copies is None else copies[kept]
        return count_copies(classes[kept], copies, evaluation.recoding.classes)

    return evaluation.once("class sizes", counted)


def class_individuals(evaluation: Evaluation) -> NDArray[np.int64]:
    """(E,) People of each class: its records, unless people have several; then its individuals."""
    data, plan = evaluation.data, evaluation.plan
    return count_classes(
        plan.classes, evaluation.recoding.classes, individuals=data.individuals, copies=data.copies
    ).sizes


def everybody(evaluation: Evaluation) -> int:
    """Count the people of the original table."""
    individuals = evaluation.data.individuals
    return evaluation.data.count_records() if individuals is None else distinct(individuals).size


def region_sizes(regions: AttributeRegions, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """(R,) Records of each region of one attribute, from those of each class."""
    return np.bincount(regions.of, sizes, regions.count).astype(np.int64)


def record_weights(evaluation: Evaluation) -> NDArray[np.float64] | None:
    """(n,) What each record counts for, N in all; None where each counts for one."""
    weights = evaluation.data.survey_weights
    if weights is None or not weights.any():
        return None
    return np.asarray(weights * (weights.size / fsum(weights.tolist())))


def published_weight(evaluation: Evaluation) -> float:
    """What the published records count for together: their number, unless there are survey weights."""
    weights, plan = record_weights(evaluation), evaluation.plan
    if weights is None or not plan.withheld:
        return float(evaluation.data.count_records(plan.published))
    return fsum(weights[plan.published].tolist())


def withheld_weight(evaluation: Evaluation) -> float:
    """What the withheld records count for together."""
    return evaluation.data.count_records() - published_weight(evaluation)


def attribute_losses(evaluation: Evaluation, loss: str) -> NDArray[np.float64]:
    """(d,) Loss of each attribute, unweighted, summed over the published records."""
    return evaluation.once(("attribute losses", loss), lambda: _attribute_losses(evaluation, loss))


def _attribute_losses(evaluation: Evaluation, loss: str) -> NDArray[np.float64]:
    weights, classes = record_weights(evaluation), evaluation.plan.classes
    sizes: NDArray[np.integer | np.floating] = class_sizes(evaluation)
    if weights is not None:
        kept = classes >= 0
        sizes = np.bincount(classes[kept], weights[kept], evaluation.recoding.classes)
    return np.array(
        [
            fsum(
                (
                    np.bincount(regions.of, sizes, regions.count) * region_losses(regions, LOSSES[loss])
                ).tolist()
            )
            for regions in evaluation.recoding.attributes
        ],
        np.float64,
    )


def published_loss(evaluation: Evaluation, loss: str) -> float:
    """Sum of |G| · loss(G) over the classes, with attribute weights that sum to 1."""
    total = float((attribute_weights(evaluation.data.quasi) * attribute_losses(evaluation, loss)).sum())
    # Weights such as 1/3 may sum to one bit above 1.
    return min(total, published_weight(evaluation))


def mean_loss(evaluation: Evaluation, loss: str, *, charge_withheld: bool = False) -> float:
    """Loss per published record, or per record with 1 for each withheld one."""
    return _per_record(evaluation, published_loss(evaluation, loss), charge_withheld=charge_withheld)


def mean_losses(evaluation: Evaluation, loss: str, *, charge_withheld: bool = False) -> dict[str, float]:
    """Take the same mean of each attribute by itself, unweighted."""
    totals = attribute_losses(evaluation, loss).tolist()
    return {
        domain.name: _per_record(evaluation, total, charge_withheld=charge_withheld)
        for domain, total in zip(evaluation.data.quasi, totals, strict=True)
    }


def _per_record(evaluation: Evaluation, total: float, *, charge_withheld: bool) -> float:
    """Divide a sum over published records as its metric does; 1 when nothing is published."""
    records, published = evaluation.data.count_records(), published_weight(evaluation)
    if published <= 0:
        return 1.0
    if charge_withheld:
        return (total + withheld_weight(evaluation)) / records
    return min(1.0, total / published)


_CELLS = 1 << 22


def generalized(regions: AttributeRegions) -> NDArray[np.bool_]:
    """(R,) Whether each region is more than one exact value.

    A hierarchy node above a single leaf is no exact value, though it covers no other.
    """
    if regions.node is not None and regions.domain.hierarchy is not None:
        inner = ~regions.domain.hierarchy.is_leaf(np.maximum(regions.node, 0))
        return np.asarray(((regions.node >= 0) & inner) | regions.everything, np.bool_)
    return np.asarray(regions.sizes > 1, np.bool_)


def table_counts(regions: AttributeRegions, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(R,) Records of the table whose value each region covers, from the records of each code."""
    if regions.members is None:
        below = np.append(0, np.cumsum(counts))
        covered = below[regions.high.astype(np.int64) + 1] - below[regions.low]
        return np.asarray(np.where(regions.everything, below[-1], covered), np.int64)
    covered = np.zeros(regions.count, np.int64)
    step = max(1, _CELLS // max(1, regions.domain.codes))
    for begin in range(0, regions.count, step):
        some = np.ascontiguousarray(regions.members[begin : begin + step])
        bits = np.unpackbits(some.view(np.uint8), axis=1, count=counts.shape[0], bitorder="little")
        # Counts of records are exact as floats, and floats are multiplied fast.
        covered[begin : begin + step] = (bits.astype(np.float64) @ counts.astype(np.float64)).astype(np.int64)
    return covered


class Levels(NamedTuple):
    """Generalization level of each of R regions of one attribute, and of the root."""

    of: NDArray[np.int64]
    height: int


def levels(metric: str, attributes: Sequence[AttributeRegions]) -> list[Levels]:
    """Find the generalization level of every region.

    A region published as a hierarchy node has the node's level. An interval or a set of an attribute that has
    a hierarchy has the level of the lowest common ancestor of its values. A set without hierarchy is of level
    1 of 1 as soon as it holds two values. The missing value is one more leaf directly under the root.
    Raises `PolicyError`, one line per attribute, for intervals without a hierarchy: they have no levels.
    """
    problems = [problem for regions in attributes if (problem := _without_levels(metric, regions))]
    if problems:
        raise PolicyError(*problems)
    return [_attribute_levels(regions) for regions in attributes]


def _without_levels(metric: str, regions: AttributeRegions) -> Refusal | None:
    """Say why an attribute's regions have no levels; None if they have."""
    domain = regions.domain
    if domain.hierarchy is None and regions.members is None:
        return Refusal(
            "has no hierarchy, and so no levels",
            (metric,),
            column=domain.name,
            remedy=f"give the column a hierarchy (such as hierarchy: {SUITABLE[domain.kind]}) or leave this metric out",
        )
    if domain.hierarchy is not None and domain.shape != "tree":
        known = domain.hierarchy.rank_of
        lacking = sum(label not in known for label in domain.labels)
        if lacking:
            leaves = "is not a leaf" if lacking == 1 else "are not leaves"
            return Refusal(
                f"{count(lacking, 'value')} of {domain.name!r} {leaves} of its hierarchy",
                (metric,),
                remedy="add a line for each or leave this metric out",
            )
    return None


def _attribute_levels(regions: AttributeRegions) -> Levels:
    """Levels of the regions of one attribute that has them."""
    domain = regions.domain
    hierarchy = domain.hierarchy
    if hierarchy is None:
        return Levels((regions.sizes > 1).astype(np.int64), int(domain.codes > 1))
    height = max(hierarchy.height, int(domain.missing))
    node = regions.node if regions.node is not None else _ancestors(regions, hierarchy)
    level = np.where(node >= 0, hierarchy.level[np.maximum(node, 0)], 0)
    if domain.missing:
        mixed = (regions.high == domain.missing_code) & generalized(regions)
        level = np.where(mixed, height, level)
    return Levels(level.astype(np.int64), height)


def _ancestors(regions: AttributeRegions, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """(R,) Lowest common ancestor of each region's values, the missing one not counted; -1 for none."""
    domain = regions.domain
    ranks = np.array([hierarchy.rank_of[label] for label in domain.labels], np.int64)
    only_missing = regions.low == domain.missing_code
    if domain.size == 0:
        return np.full(regions.count, -1, np.int64)
    if (np.diff(ranks) > 0).all():
        last = domain.size - 1
        low, high = ranks[np.minimum(regions.low, last)], ranks[np.minimum(regions.high, last)]
    else:
        # Values in another order than the leaves: one pass over the regions per distinct value.
        low, high = np.full(regions.count, hierarchy.size), np.full(regions.count, -1)
        for code, rank in enumerate(ranks.tolist()):
            inside = regions.contains(np.array([code]))[:, 0]
            low = np.where(inside, np.minimum(low, rank), low)
            high = np.where(inside, np.maximum(high, rank), high)
        low, high = np.where(only_missing, 0, low), np.where(only_missing, 0, high)
    return np.where(only_missing, -1, hierarchy.common_ancestor(low, high))
