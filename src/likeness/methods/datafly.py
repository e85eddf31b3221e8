"""Datafly (Sweeney 2002): generalize the column with most different values by one level, until few enough records fail."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.methods._lattice import coarsest, one_class, prepare, publish_at
from likeness.methods.base import Method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._lattice import LevelledTable
    from likeness.methods.base import Problem
    from likeness.microdata.plan import Plan


@dataclass(frozen=True)
class Datafly(Method):
    """Climb one level in the column that has most different values, until what fails may be withheld.

    A greedy full-domain generalization: all records at one level per attribute. What fails is withheld once it is no more
    than the policy allows (``withhold: at_most``; the original and the UTD toolbox allow k records). Of columns with equally
    many values the first is climbed; levels that join nothing are passed over.

    Notes
    -----
    It is the classical baseline: fast, and often far from the optimum that `likeness.Incognito` proves. Hierarchies of
    unequal depth are levelled by padding. The private history keeps the levels and the path.

    References
    ----------
    Sweeney 2002, "Achieving k-anonymity privacy protection using generalization and suppression".

    Examples
    --------
    >>> Datafly()
    Datafly()
    """

    name: ClassVar[str] = "datafly"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True
    full_domain: ClassVar[bool] = True

    @property
    def ignores_order(self) -> bool:
        """Always: levels are chosen for all records at once."""
        return True

    @property
    def keeps_copies(self) -> bool:
        """Always: levels are chosen for all records at once."""
        return True

    def run(self, problem: Problem) -> Plan:
        """Publish at the first vector of levels under which few enough records fail.

        Raises
        ------
        PolicyError
            When a quasi-identifier has no levels.
        """
        data = problem.data
        if not data.quasi or data.size == 0:
            return one_class(problem)
        table, laid, width = prepare(self.name, problem, "glm")
        vector = np.zeros(len(data.quasi), np.int64)
        path: list[str] = []
        while True:
            plan = publish_at(data, table, laid, width, vector)
            if data.count_records(~plan.published) <= max(0, problem.allowance) and plan.published.any():
                return replace(plan, history={"levels": table.named(data, vector), "climbed": path})
            climbed = _most_values(table, vector)
            if climbed is None:
                return coarsest(problem)
            vector[climbed] += 1
            path.append(data.quasi[table.order[climbed]].name)


def _most_values(table: LevelledTable, vector: NDArray[np.int64]) -> int | None:
    """Find the attribute with most different values that can still climb; the first of the table among equals."""
    lattice = table.lattice
    candidates = [
        (-int(lattice.groups[lattice.first[j] + vector[j]]), table.order[j], j)
        for j in range(vector.size)
        if lattice.first[j] + vector[j] + 1 < lattice.first[j + 1]
    ]
    return min(candidates)[2] if candidates else None
