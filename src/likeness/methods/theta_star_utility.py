"""(θ*,k)-utility (Fazal et al. 2023): quasi-identifiers grouped for k, categories in buckets that vary enough."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice
from likeness.methods._theta import dealt_buckets, paper_buckets, the_model, too_few
from likeness.methods.base import Method, Problem, sizes_asked
from likeness.methods.mondrian import Mondrian
from likeness.microdata.highest import HISTORY, highest
from likeness.microdata.plan import Plan
from likeness.microdata.regions import geometry
from likeness.models.k_anonymity import KAnonymity
from likeness.models.requirements import require_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Reason
    from likeness.microdata.regions import CellLoss
    from likeness.models.requirements import Requirement


@dataclass(frozen=True)
class ThetaStarUtility(Method):
    """Two partitions: groups of k, whose quasi-identifiers are generalized, and buckets that hold θ-sensitivity.

    Of everybody the highest category is published, and nothing else: all other records are history, dropped and counted in
    ``private/`` only. So the one sensitive column needs ``categories``. The size of buckets is the k of `ThetaSensitivity`, that
    of groups the k of k-anonymity, or else the same.

    Parameters
    ----------
    variant
        ``dealt`` (default): buckets each get their share of every category from the people in the order of their groups, and
        those that fail are joined with their neighbours; nobody is invented, and what the whole table as one bucket does not
        hold is refused. ``paper``: consecutive buckets of k in the order of the table, tuples exchanged with the first later
        one that helps, and where none does records are invented, which copy the quasi-identifiers of their bucket's last
        person. Such a release is larger than its table, says so in its certificate, and nobody can check it without
        ``private/``.
    grouping
        ``mondrian``: cuts of least loss; ``greedy``: the paper's groups, each of the first person left in the table and the
        k - 1 who widen its region at least loss, in a time that grows with the square of the number of people. By default
        the variant's own.
    link
        ``loose`` (default), as published: groups and buckets are made apart, so that a bucket leads to several regions.
        ``tight``: the people of a bucket are a group, to show what the link itself does; buckets are then as large as groups.

    Notes
    -----
    Invented records can be told: all buckets of the paper's variant but the last have k people, so what is beyond is invented.
    σ² bounds the largest share of a bucket weakly (see `ThetaSensitivity`).

    Algorithm 1 stops grouping at 2k people or fewer, and its table 12 at fewer than 2k, which is what is done here.

    References
    ----------
    Fazal et al. 2023, "Improved angelization technique against background knowledge attack for 1:M microdata", algorithm 1.

    Examples
    --------
    >>> ThetaStarUtility()
    ThetaStarUtility(variant='dealt', grouping='mondrian', link='loose')
    >>> ThetaStarUtility("paper")
    ThetaStarUtility(variant='paper', grouping='greedy', link='loose')
    """

    variant: str = "dealt"
    grouping: str | None = None
    link: str = "loose"

    name: ClassVar[str] = "theta-star-utility"
    form: ClassVar[str] = "angelized"

    def __post_init__(self) -> None:
        choice(self.name, "variant", self.variant, ("dealt", "paper"))
        if self.grouping is None:
            object.__setattr__(self, "grouping", "mondrian" if self.variant == "dealt" else "greedy")
        choice(self.name, "grouping", self.grouping, ("mondrian", "greedy"))
        choice(self.name, "link", self.link, ("loose", "tight"))

    @property
    def invents(self) -> bool:
        """True of the paper's variant."""
        return self.variant == "paper"

    @property
    def joins_rest(self) -> bool:
        """Nobody is left over, or everybody."""
        return False

    @property
    def leaves_one_record(self) -> bool:
        """True: the highest category of everybody."""
        return True

    def prepared(self, data: Microdata) -> tuple[Microdata, Reason | None]:
        """Keep of everybody the highest category."""
        return highest(data), HISTORY

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse what has no θ-sensitivity, and in the paper's variant more than that and sizes."""
        the_model(self.name, requirements, alone=self.invents)

    def run(self, problem: Problem) -> Plan:
        """Make groups and buckets; everybody is withheld where there are none that hold."""
        model, requirement, view = the_model(self.name, problem.requirements, alone=self.invents)
        data, n = problem.data, problem.data.size
        k = max(sizes_asked(problem.requirements), default=model.k)
        if n < max(k, model.k):
            return too_few(problem, max(k, model.k))
        tight = self.link == "tight"
        size = max(k, model.k) if tight else model.k
        if self.invents:
            found = paper_buckets(data, requirement, view, size, np.arange(n))
            groups = found.buckets if tight else self._grouped(problem, k)
            return Plan(groups, found.buckets, added=found.added, history=found.history)
        of_values = tuple(one for one in problem.requirements if one.view is not None)
        # Neighbours are dealt side by side, whatever the link.
        groups = self._grouped(problem, k)
        dealt = dealt_buckets(problem, of_values, view, size, np.argsort(groups, kind="stable"))
        classes = dealt.classes if tight else np.where(dealt.published, groups, -1)
        return replace(dealt, classes=classes, buckets=dealt.classes)

    def _grouped(self, problem: Problem, k: int) -> NDArray[np.int64]:
        """(n,) Group of each person."""
        data = problem.data
        if self.grouping == "greedy":
            return greedy_groups(data, k, problem.loss)
        asked = tuple(one for one in problem.requirements if one.view is None)
        own = replace(problem, requirements=asked or require_of([KAnonymity(k)], data))
        return Mondrian().run(own).classes


def greedy_groups(data: Microdata, k: int, loss: CellLoss) -> NDArray[np.int64]:
    """Group records as algorithm 1 of Fazal et al. 2023 does (GEN), in the order of the table.

    Parameters
    ----------
    data
        The records.
    k
        Size of all groups but the last, which has up to 2k - 1.
    loss
        What grows least.

    Returns
    -------
    (n,) int64
    """
    from likeness.methods._theta.kernels import group
    from likeness.methods.k_member.kernels import ClassHulls

    shape = geometry(data.quasi, loss)
    d = len(data.quasi)
    room = ClassHulls(
        np.zeros((1, d), np.int32),
        np.zeros((1, d), np.int32),
        np.zeros((1, int(shape.word[-1])), np.uint64),
        np.zeros((1, d), np.int64),
        np.zeros(1, np.int64),
    )
    found: NDArray[np.int64] = group(shape, room, np.ascontiguousarray(data.codes.T), k)
    return found
