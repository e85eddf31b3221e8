"""k-anonymity-primacy (Amiri et al. 2016, section 3.4): clusters of k near records that exchange some until they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods._refining import LaidOutRecords
from likeness.methods.base import TABLE_FAILS, Method, Problem, sizes_asked
from likeness.microdata.plan import Plan, Reason, renumber
from likeness.microdata.regions import LOSSES, recode
from likeness.microdata.representatives import removed_loss
from likeness.models.base import DistributionModel

if TYPE_CHECKING:
    from likeness.methods._refining import Clusters
    from likeness.models.requirements import Requirement

_LEFT_OVER = Reason(
    "clusters-fail", "clusters of the nearest like them, even taken together, do not hold the guarantee"
)
_CHEAPER = Reason(
    "cheaper-withheld", "the classes that could hold them would cost more than withholding them"
)


@dataclass(frozen=True)
class KAnonymityPrimacy(Method):
    """Cluster the k records nearest to the most outlying one, and exchange some of them until the cluster holds.

    While a cluster does not hold, the records beyond it are looked at once each, nearest first: one comes in for the record
    whose leaving brings the cluster nearest to holding, if that is nearer than it was. Clusters that still do not hold are
    merged.

    Parameters
    ----------
    k
        Records of a cluster; by default the k of the k-anonymity asked for, 2 without it.
    rest
        What becomes of clusters that do not hold. ``agglomerative`` (kAgg): the one that is farthest off is merged with the
        one that makes it lose least, and again. ``incremental`` (kInc): it takes the nearest records of the others, one by one,
        until it holds; the next begins with the record farthest from it.
    leftover
        Who is merged with whom. ``absorb`` (default): clusters that do not hold also with those that do, so that everybody is
        published wherever one class of all would be; rare values make giant classes. ``suppress``, the letter of the paper:
        only among themselves, and what does not hold in the end is withheld. ``cheapest``: as ``absorb``, but withholding the
        1, 2, 4 … clusters that are farthest off, as far as the policy allows, is tried too, and the plan of the least RGCP is
        kept (k_R 1.1, n_R 1.2: the metric ``rgcp``).
    seeds
        ``two``: the cluster of the record farthest from the centre is followed by that of the record farthest from it, as in
        Soria-Comas et al. 2015, Algorithm 2, which the paper builds on; ``one``: every cluster begins with the record farthest
        from the centre of those left, which is all that the paper speaks of.
    loss
        What merging keeps low, times records: ``ncp`` (default, the paper's), ``glm`` or ``iloss``.

    Notes
    -----
    How far a class is off: under β-likeness its largest relative gain (RD), under other limits on shares the largest share over
    its limit, under t-closeness the distance over t, under diversities what is asked for over what is there, under several the
    largest; nothing where a model does not say it (its clusters are only merged). That a class holds is decided by the models
    alone. Limits on shares have a rule: an exchange brings a class nearer exactly when one value alone has the largest share
    over its reference, somebody of that value leaves (of several who came last) and the newcomer's value stays below it.

    Distances are those of section 4 of the paper, as in `Mdav`. Of equally near records those of the tuple that appeared first
    come first, then those that stand first in the table.

    ``suppress`` needs ``reference: original``, because against the distribution of what is published it never ends well: the
    rare values that are left over are withheld, so that the others are even more than they may be. Of 45,222 adults (k=5,
    β=3) 32 % are withheld in the first round, 44 % after twelve.

    References
    ----------
    Amiri et al. 2016, section 3.4, Algorithms 2 to 4; Soria-Comas et al. 2015, Algorithm 2.

    Examples
    --------
    >>> KAnonymityPrimacy(rest="incremental")
    KAnonymityPrimacy(k=None, rest='incremental', leftover='absorb', seeds='two', loss='ncp')
    """

    k: int | None = None
    rest: str = "agglomerative"
    leftover: str = "absorb"
    seeds: str = "two"
    loss: str = "ncp"

    name: ClassVar[str] = "k-anonymity-primacy"

    def __post_init__(self) -> None:
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=1)
        choice(self.name, "rest", self.rest, ("agglomerative", "incremental"))
        choice(self.name, "leftover", self.leftover, ("absorb", "suppress", "cheapest"))
        choice(self.name, "seeds", self.seeds, ("two", "one"))
        choice(self.name, "loss", self.loss, tuple(LOSSES))

    @property
    def joins_rest(self) -> bool:
        """Not what the paper's letter withholds."""
        return self.leftover != "suppress"

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse to withhold what is left over where that changes what classes are compared with.

        Raises
        ------
        PolicyError
            For ``leftover: suppress`` beside a model that compares with the published distribution.
        """
        if self.leftover != "suppress":
            return
        for one in requirements:
            if isinstance(one.model, DistributionModel) and not one.model.against_original:
                raise PolicyError(
                    Refusal(
                        "leftover: suppress withholds rare values, which changes the published distribution that "
                        f"{one.model.name} compares with; give the model reference: original, or leave leftover out",
                        (self.name,),
                    )
                )

    def run(self, problem: Problem) -> Plan:
        """Cluster the records; those of clusters that do not hold in the end are withheld."""
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        self.check(problem.requirements)
        k = min(self.k or max([2, *sizes_asked(problem.requirements)]), data.size)
        clusters = LaidOutRecords.of(problem).generated(k, two=self.seeds == "two")
        if self.rest == "incremental":
            clusters = clusters.grown(k)
        if self.leftover == "cheapest":
            return self._cheapest(problem, clusters)
        if self.leftover == "absorb":
            clusters = clusters.merged(LOSSES[self.loss], published=True)
        elif self.rest == "agglomerative":
            clusters = clusters.merged(LOSSES[self.loss], published=False)
        return _published(problem, clusters, _LEFT_OVER if self.leftover == "suppress" else TABLE_FAILS)

    def _cheapest(self, problem: Problem, clusters: Clusters) -> Plan:
        """Try to withhold the clusters that are farthest off, and keep the plan of the least RGCP."""
        data, loss = problem.data, LOSSES[self.loss]
        failing = np.flatnonzero(~clusters.holds)
        failing = failing[np.argsort(-clusters.excess[failing], kind="stable")]
        sizes = np.cumsum(np.bincount(clusters.label, minlength=clusters.holds.size)[failing])
        plans: list[Plan] = []
        costs: list[float] = []
        tried = 0
        while tried == 0 or (tried <= failing.size and sizes[tried - 1] <= problem.allowance):
            problem.progress.step("weigh withholding", tried, failing.size)
            merged = clusters.without(failing[:tried]).merged(loss, published=True)
            plans.append(_published(problem, merged, TABLE_FAILS))
            costs.append(sum(removed_loss(data, *recode(data, plans[-1]), loss)))
            tried = max(1, 2 * tried)
        # Of equal ones the first, which withholds fewest.
        return plans[int(np.argmin(costs))]


def _published(problem: Problem, clusters: Clusters, reason: Reason) -> Plan:
    """Publish the clusters that hold; who is in none was left out because that costs less."""
    classes = renumber(clusters.by_record)
    out = int(np.count_nonzero(classes < 0))
    plan = Plan(classes, because={_CHEAPER: out} if out else {})
    failing = ~problem.holding(plan.classes, plan.count)
    return plan.withhold(np.append(failing, False)[plan.classes], reason)
