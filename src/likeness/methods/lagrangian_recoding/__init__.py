"""Local recoding by Lagrangian relaxation: what every record is worth says which combinations of nodes to publish.

Prices (`likeness.relaxation`) leave few combinations in doubt: those that are open longest are opened for good, and prices are
found anew for the records that are left.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from os import cpu_count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, recode_parts_that_hold
from likeness.microdata.grouping import group_codes
from likeness.microdata.levels import most_levels
from likeness.microdata.regions import LOSSES
from likeness.relaxation import NodeCombinations, Relaxation, asked_of, combinations, levelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.models.requirements import Requirement

_REACHES = (3.0, 2.0, 1.75, 1.5, 1.25)
"""How far it is worth to come, where nobody says it, and less where that is too much."""
_VISITS = 500
"""Steps for each combination within reach of a cell."""
_OF_VALUES = 3.0
"""Times as many where values are asked for, and up to twice that where all of a class are to be different, which its dearest
seldom are: steps of the methods that are tried beside it are that much shorter then, as measured."""
_WITHOUT_NODES = 100_000_000
"""Work of a search that may wait for kernels to be compiled, though no column shows nodes."""
_MOST_DIFFERENT = 64
"""Different values of a class where nobody named the method, at most: each combination looks whether it has a value already."""
_FIRST, _AGAIN = 200, 30
"""Steps of the first prices, and of those after some combinations are open."""
_SURE, _DOUBTFUL, _SHARE, _FEWEST, _NEVER = 0.95, 0.02, 0.05, 3, 1e-3
"""Combinations so often open are opened for good, or else this share of those that are more often open than doubtful ones, this
many at least; those as good as never open are not."""
_WORTH = 0.95
"""Of what the records of a class lose, that they must be worth."""


@dataclass(frozen=True)
class LagrangianRecoding(Method):
    """Generalize records to the combinations of nodes that prices of the records, a dual of the problem, leave least doubt of.

    For guarantees of how many records a class has, and how many different values of one sensitive column (k-anonymity, distinct
    ℓ-diversity, p-sensitivity), of tables in which everybody has one record. On tables with hierarchies it comes nearer to the
    least loss than other methods here, in some times of what local recoding takes.

    Parameters
    ----------
    loss
        The information loss that is lowered: ``ncp``, ``glm`` or ``iloss``.
    reach
        A combination of nodes may lose up to so many times what one of its records loses in the cheapest with k records, or it
        is not looked at. More gives better classes of more combinations.
    most_vectors
        How many vectors of levels are combined, those of least mean loss.

    Notes
    -----
    Each cell c, of n_c records, gets a price u_c. The Lagrangian relaxation of who is published where is ``Σ n_c u_c`` less
    what the combinations gain: one of loss l gains ``Σ (u - l)`` over its records that are worth more than l, with the dearest of
    the others where these are fewer than k or lack values, and is open if that is more than 0. Prices follow the volume
    algorithm: a subgradient step by how many records are published less often than they are, on the average of what was open,
    from the best prices so far. That average, an approximate solution of the linear programme, says which combinations are opened
    for good, each for the k dearest records that are left and have the values asked for; the prices of the others start from what
    they were. In the end those who are left join the cheapest class that is open to them.

    Levels are those of `likeness.LocalRecoding`; regions are tight, so that a class may show less than its nodes. The private
    history has the number of combinations, and below what loss of a record no choice of these can fall where classes show their
    nodes.

    References
    ----------
    Barahona & Anbil 2000, "The volume algorithm" (prices). Svitkina 2010, "Lower-bounded facility location" (the problem).

    Examples
    --------
    >>> LagrangianRecoding(reach=1.5)
    LagrangianRecoding(loss='ncp', reach=1.5, most_vectors=20000)
    """

    loss: str = "ncp"
    reach: float = 2.0
    most_vectors: int = 20_000

    name: ClassVar[str] = "lagrangian-recoding"
    takes_parts: ClassVar[bool] = True
    candidate: ClassVar[bool] = True
    patient: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        number(self.name, "reach", self.reach, at_least=1)
        whole(self.name, "most_vectors", self.most_vectors, at_least=1)

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse guarantees that ask for more than records and different values of one column.

        Raises
        ------
        PolicyError
            Naming them.
        """
        more = [one.subject for one in requirements if not one.conditions.counts_alone]
        views = {one.view.looks_at: one.subject for one in requirements if one.view is not None}
        known = [one.view.known for one in requirements if one.view is not None and one.view.known]
        if more or known or len(views) > 1 or not requirements:
            what = (
                "takes guarantees of how many records a class has, and different values of one sensitive column, such as "
                f"k-anonymity and distinct-l-diversity, and this one is {' & '.join(more or views.values()) or 'empty'}"
            )
            raise PolicyError(
                Refusal(what, (self.name,), remedy="use another method, such as local-recoding")
            )

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Every vector of levels looks at all cells; then prices are found over and over of the combinations within reach."""
        asked, values = asked_of(requirements, data)
        attributes, cells = max(1, len(data.quasi)), data.tuples.count
        if values is not None:
            cells = group_codes([data.tuples.of, values], [cells, int(values.max(initial=0)) + 1]).count
        vectors = min(self.most_vectors, self._vectors(data))
        # As measured: so many combinations are within reach of a cell.
        near = asked.k * attributes**2 * (float(self.reach) - 1) ** 2
        steps = vectors * cells * (attributes + 4) + int(cells * min(2 * vectors, near) * _VISITS)
        return steps if values is None else int(steps * _OF_VALUES * (1 + (asked.different / asked.k) ** 4))

    def _vectors(self, data: Microdata) -> int:
        """How many vectors of levels there are, at most."""
        return prod(most_levels(domain) for domain in data.quasi)

    def within(
        self, work: int, data: Microdata, requirements: tuple[Requirement, ...]
    ) -> LagrangianRecoding | None:
        """Come as far as so much work allows; where no column shows nodes only in a long search, for a short one gains little.

        Nowhere where more different values are asked for than are soon looked through, or vectors would be left out: many cells
        are in none of the combinations then.
        """
        if self._vectors(data) > self.most_vectors:
            return None
        if work < _WITHOUT_NODES and all(domain.shape != "tree" for domain in data.quasi):
            return None
        if asked_of(requirements, data)[0].different > _MOST_DIFFERENT:
            return None
        near = (replace(self, reach=reach) for reach in _REACHES)
        return next((one for one in near if one.work(data, requirements) <= work), None)

    def run(self, problem: Problem) -> Plan:
        """Open combinations until everybody has a class; parts that cannot hold as a whole are withheld."""
        return recode_parts_that_hold(problem, partial(self._recode, problem))

    def _recode(
        self, problem: Problem, records: NDArray[np.int64], parts: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """Class of each of the records; and what to keep for the steward."""
        data = problem.data
        asked, values = asked_of(problem.requirements, data)
        table = levelled(data, records, parts, self.loss, None if values is None else values[records])
        with ThreadPoolExecutor(max(1, cpu_count() or 1)) as workers:
            reach = float(self.reach)
            found = combinations(table, asked, reach, self.most_vectors, workers, problem.progress)
            search = _Opening(table, asked, found, workers)
            history = {
                "combinations": int(found.loss.size),
                "relaxation": search.price(_FIRST) / records.size,
            }
            while search.open_some():
                problem.progress.step("open classes", records.size - int(search.left.sum()), records.size)
                if not search.keep_useful():
                    break
                search.price(_AGAIN)
        return search.classes_of(), history


@dataclass(eq=False)
class _Opening(Relaxation):
    """Combinations that are open for good.

    ``home``: (C,) the cheapest class open to each cell, -1 without one. ``members``: (classes, k) cells of their records.
    """

    classes: int = 0
    home: NDArray[np.int64] = field(init=False)
    members: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = self.table.sizes
        self.home = np.full(sizes.size, -1, np.int64)
        self.members = np.empty((int(sizes.sum()) // self.asked.k + 1, self.asked.k), np.int64)

    def open_some(self) -> bool:
        """Open the combinations that are most often open; whether any could be."""
        from likeness.methods.lagrangian_recoding.kernels import open_classes

        often = self.often
        order = np.argsort(-often, kind="stable")
        some = max(
            _FEWEST, int(_SHARE * np.count_nonzero(often > _DOUBTFUL)), np.count_nonzero(often >= _SURE)
        )
        order = order[:some]
        order = order[often[order] > _NEVER]
        before = self.classes
        self.classes = int(
            open_classes(
                *self.found, order, self.table.values, self.prices, *self.asked, _WORTH,
                self.left, self.ceiling, self.home, self.members, before,
            )
        )  # fmt: skip
        self.prices = np.minimum(self.prices, self.ceiling)
        return self.classes > before

    def keep_useful(self) -> bool:
        """Leave out combinations that cannot be opened any more, or not with profit; whether any are kept."""
        from likeness.methods.lagrangian_recoding.kernels import keep_useful

        cells, begin, loss = self.found
        kept = int(keep_useful(cells, begin, loss, self.often, self.left, self.ceiling, self.asked.k))
        self.found = NodeCombinations(cells[: begin[kept]], begin[: kept + 1], loss[:kept])
        self.often = self.often[:kept]
        return kept > 0

    def classes_of(self) -> NDArray[np.int64]:
        """(n,) Class of each record; who is left joins the cheapest that is open to him, else the one that it costs least."""
        from likeness.methods.lagrangian_recoding.kernels import join

        table, members = self.table, self.members[: self.classes]
        lonely = np.flatnonzero((self.left > 0) & (self.home < 0))
        join(
            table.groups, table.losses, table.begins, table.parts,
            members, self.classes, self.asked.k, lonely, self.left, self.home,
        )  # fmt: skip
        # Whose part has no class shares one with all of it.
        own = np.where(self.home < 0, self.classes + table.parts, self.home)
        cells = np.concatenate([members.ravel(), np.repeat(np.arange(self.left.size), self.left)])
        classes = np.concatenate(
            [np.repeat(np.arange(self.classes), self.asked.k), np.repeat(own, self.left)]
        )
        # The records of a cell are dealt in their order.
        found = np.empty(table.of.size, np.int64)
        found[np.argsort(table.of, kind="stable")] = classes[np.argsort(cells, kind="stable")]
        return found
