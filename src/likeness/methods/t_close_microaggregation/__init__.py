"""t-closeness through microaggregation (Soria-Comas et al. 2015): clusters of near records, made so that each is t-close."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.exact import rational
from likeness.methods._refining import LaidOutRecords
from likeness.methods.base import TABLE_FAILS, Method, Problem, sizes_asked
from likeness.microdata.plan import Plan, renumber
from likeness.microdata.regions import LOSSES
from likeness.models.t_closeness import TCloseness

if TYPE_CHECKING:
    from likeness.methods._refining import Clusters
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement, View

_VARIANTS = ("merge", "k-first", "t-first")


@dataclass(frozen=True)
class TCloseMicroaggregation(Method):
    """Cluster near records, and merge clusters that are not t-close with those nearest to them.

    Parameters
    ----------
    variant
        ``merge`` (Algorithm 1): clusters of MDAV, whatever their sensitive values. ``k-first`` (Algorithm 2, default): clusters
        of k records that exchange some with the records around them while that brings them nearer to the table's distribution.
        ``t-first`` (Algorithm 3): the records, sorted by their sensitive value, are cut into as many equal subsets as t asks
        for, and every cluster takes of each the record nearest to its seed. In all of them, what then does not hold is merged,
        the farthest off first, with the cluster whose centre is nearest.
    k
        Smallest cluster; by default the k of the k-anonymity asked for, 2 without it (1 for ``t-first``).

    Notes
    -----
    ``t-first`` has ``max(k, ⌈n / (2 (n - 1) t + 1)⌉)`` subsets (`subsets`), because clusters of one record of each of k subsets
    of equally many records are within ``(n - k) / (2 (n - 1) k)`` of the table; records that are over go to the subsets in the
    middle, which give some clusters two. That is so where the distance is the difference of ranks of n different values: it
    needs ``distance: ordered``, and the guarantee decides what holds. Records of equal values are sorted as they stand in the
    table. Distances and ties are those of `KAnonymityPrimacy`.

    References
    ----------
    Soria-Comas et al. 2015, Algorithms 1 to 3.

    Examples
    --------
    >>> TCloseMicroaggregation(variant="merge")
    TCloseMicroaggregation(variant='merge', k=None)
    """

    variant: str = "k-first"
    k: int | None = None

    name: ClassVar[str] = "t-close-microaggregation"

    def __post_init__(self) -> None:
        choice(self.name, "variant", self.variant, _VARIANTS)
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=1)

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees without t-closeness, for ``t-first`` with another distance than the ordered one.

        Raises
        ------
        PolicyError
            Saying what is missing.
        """
        _t_closeness(self.name, self.variant, requirements)

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:
        """t-closeness."""
        return any(isinstance(model, TCloseness) for model in models)

    def run(self, problem: Problem) -> Plan:
        """Cluster the records; everybody is withheld where even all of them as one class do not hold."""
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        model, view = _t_closeness(self.name, self.variant, problem.requirements)
        asked = sizes_asked(problem.requirements)
        records = LaidOutRecords.of(problem)
        if self.variant == "t-first":
            k = min(max([self.k or 1, *asked]), data.size)
            clusters = _shared_out(records, view, subsets(data.size, k, rational(model.t)))
        else:
            k = min(self.k or max([2, *asked]), data.size)
            clusters = records.generated(k, two=True, exchange=self.variant == "k-first")
        clusters = clusters.merged_nearest(LOSSES[self.loss])
        plan = Plan(renumber(clusters.by_record))
        failing = ~problem.holding(plan.classes, plan.count)
        return plan.withhold(failing[plan.classes], TABLE_FAILS)


def _t_closeness(name: str, variant: str, requirements: tuple[Requirement, ...]) -> tuple[TCloseness, View]:
    """Find the requirement that decides, the first t-closeness; `PolicyError` where there is none that the variant can take."""
    found = [one for one in requirements if isinstance(one.model, TCloseness)]
    if not found:
        asked = ", ".join(dict.fromkeys(one.model.name for one in requirements))
        raise PolicyError(
            Refusal(
                f"needs t-closeness, and the guarantee is {asked or 'empty'}; add it, or use another method, such as mdav",
                (name,),
            )
        )
    for one in found:
        model, view = cast("TCloseness", one.model), cast("View", one.view)
        if variant != "t-first" or (model.distance or view.domain.distance) == "ordered":
            return model, view
    raise PolicyError(
        Refusal(
            "variant t-first sorts by the sensitive value, so t-closeness needs distance: ordered; "
            "use the variant k-first or merge",
            (name,),
        )
    )


def subsets(n: int, k: int, t: Fraction) -> int:
    """Find how many subsets of n records clusters draw from, so that they have k records and are within t of the table.

    ``k* = max(k, ⌈n / (2 (n - 1) t + 1)⌉)``, and where more records are over than there are clusters, the number that leaves
    fewer.

    >>> [subsets(1080, 2, Fraction(t)) for t in ("0.05", "0.1", "0.25")]
    [10, 5, 2]
    """
    found = min(n, max(k, -int(-Fraction(n) // (2 * (n - 1) * t + 1))))
    return found + n % found // (n // found)


def _shared_out(records: LaidOutRecords, view: View, count: int) -> Clusters:
    """Make clusters of one record of each of ``count`` subsets of the records sorted by their sensitive values."""
    from likeness.methods._refining.kernels import RECORDS
    from likeness.methods.t_close_microaggregation.kernels import share_out

    problem = records.problem
    size = problem.data.size
    clusters = size // count
    sizes = np.full(count, clusters, np.int64)
    over = size - clusters * count
    # Of an even number of subsets two are in the middle.
    sizes[(count - 1) // 2] += over - over // 2 if count % 2 == 0 else over
    sizes[count // 2] += over // 2 if count % 2 == 0 else 0
    order = np.argsort(view.codes(problem.data.sensitive_codes), kind="stable")
    subset = np.empty(size, np.int64)
    subset[order] = np.repeat(np.arange(count), sizes)
    state = records.begin(np.full(size, -1, np.int64), clusters)
    by_place, finished = np.ascontiguousarray(subset[records.order]), False
    while not finished:
        finished = share_out(records.space, records.tests, state, by_place, sizes, clusters, 20_000_000)
        problem.progress.step("cluster", size - int(state.numbers[RECORDS]), size)
    return records.made(state)
