"""MDAV microaggregation (Domingo-Ferrer & Mateo-Sanz 2002): clusters of k records around the most outlying ones.

It needs no hierarchy and takes numbers and categories alike; here its clusters are published as generalized classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import whole
from likeness.methods.base import TABLE_FAILS, Method, Problem, sizes_asked
from likeness.methods.spaces import join_failing, points, record_space
from likeness.microdata.plan import Plan, renumber

if TYPE_CHECKING:
    from numpy.typing import NDArray


_DISTANCES_A_STEP = 20_000_000


@dataclass(frozen=True)
class Mdav(Method):
    """Cluster the k records nearest to the one farthest from the centre, then those nearest to the one farthest from it.

    Repeated while 2k records are left; the rest is the last cluster. Clusters that do not hold the guarantee are joined
    with neighbours on the Hilbert curve until they do.

    Parameters
    ----------
    k
        Records of a cluster; by default the k of the k-anonymity asked for, 2 without it.

    Notes
    -----
    Distances are those of Amiri et al. 2016, section 4: Euclidean over numbers placed in their domains, plus the height of the
    lowest common ancestor for categories; attribute weights count. The centre has the mean of the numbers and the most
    central category. Records of equal quasi-identifiers are taken together, in the order of the table; the time grows with the
    square of the distinct combinations, over k.

    References
    ----------
    Domingo-Ferrer & Mateo-Sanz 2002, "Practical data-oriented microaggregation"; Domingo-Ferrer & Torra 2005 for
    categories.

    Examples
    --------
    >>> Mdav(k=10)
    Mdav(k=10)
    """

    k: int | None = None

    name: ClassVar[str] = "mdav"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.k is not None:
            whole(self.name, "k", self.k, at_least=1)

    def run(self, problem: Problem) -> Plan:
        """Cluster the records; everything is withheld when the whole table as one class does not hold."""
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        classes = self._clusters(problem)
        count = int(classes.max()) + 1
        space = points(data)
        first = np.full(count, data.size, np.int64)
        np.minimum.at(first, classes, np.arange(data.size))
        joined = join_failing(problem, classes, space.keys[space.rank[first]])
        if joined is None:
            return Plan(np.full(data.size, -1, np.int64), because={TABLE_FAILS: data.size})
        return Plan(renumber(joined[0]))

    def _clusters(self, problem: Problem) -> NDArray[np.int64]:
        """Cluster of each record."""
        from likeness.methods.mdav.kernels import CLUSTERS, RECORDS, begin, go_on

        data, tuples = problem.data, problem.data.tuples
        asked = sizes_asked(problem.requirements)
        k = min(self.k or max([2, *asked]), data.size)
        space = record_space(data)
        state = begin(space, tuples.sizes, k)
        over = False
        while not over:
            over = go_on(space, state, k, _DISTANCES_A_STEP)
            problem.progress.step("cluster", data.size - int(state.numbers[RECORDS]), data.size)
        starts = state.starts[: int(state.numbers[CLUSTERS]) + 1]
        used = int(starts[-1])
        cluster = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        # Entries give records of their tuples in the order of the table.
        order = np.argsort(state.label[:used], kind="stable")
        classes = np.empty(data.size, np.int64)
        classes[np.argsort(tuples.of, kind="stable")] = np.repeat(cluster[order], state.taken[:used][order])
        return classes
