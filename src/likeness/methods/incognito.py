"""Full-domain generalization (LeFevre, DeWitt & Ramakrishnan 2005): one level per attribute, the same for all records.

Incognito goes through the lattice of all vectors of levels and finds every minimal one under which the table holds. Its
subset property - what fails with some attributes fully generalized fails with these less so - is used here to find the
vector of least information loss without visiting them all: attributes are fixed one after the other, and what is withheld and
lost already at a prefix bounds everything below it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods._lattice import (
    LevelledTable,
    coarsest,
    lowest,
    one_class,
    prepare,
    publish_at,
)
from likeness.methods.base import Method
from likeness.microdata.regions import LOSSES

if TYPE_CHECKING:
    from likeness.kernels.class_tests import LaidOutTests
    from likeness.methods._lattice.kernels import State
    from likeness.methods.base import Problem
    from likeness.microdata.plan import Plan

_VISITS_A_STEP = 2000


@dataclass(frozen=True)
class Incognito(Method):
    """Find the full-domain generalization of least information loss under which the table holds.

    Groups that do not hold are withheld, as many records as the policy allows (``withhold: at_most``). A withheld record
    counts with loss 1, a published one with the loss of its levels; of equal losses the vector that climbs fewer
    levels is taken, then the lexicographically smaller one; but where everything would be withheld, and one class of
    everything loses no more, that class is published.

    Parameters
    ----------
    loss
        The information loss: ``glm`` (default), ``ncp`` or ``iloss``.
    minimal
        Also list all minimal vectors, Incognito's own result, in the private history: those that hold within the limit on
        withheld records while none below them does. It visits far more of the lattice.
    most_visits
        Stop after so many prefixes of vectors, with the best vector found by then; by default the optimum is proven. The
        search does not stop before it has found a vector at all.

    Notes
    -----
    Levels are those of the hierarchies; of unequal depth they are levelled by padding (`likeness.Hierarchy`). A column
    of plain categories has two: itself and anything. Published regions are tight: a class may show less than its levels
    say, never more. The private history keeps the levels, their loss, and the lower bound proven for all vectors.

    The bound is exact for every model that is closed under adding, and for every model closed under union where
    nothing may be withheld; for other compositions only class sizes and losses bound the search, which visits more.

    References
    ----------
    LeFevre, DeWitt & Ramakrishnan 2005, "Incognito: efficient full-domain k-anonymity".

    Examples
    --------
    >>> Incognito(loss="ncp")
    Incognito(loss='ncp', minimal=False, most_visits=None)
    """

    loss: str = "glm"
    minimal: bool = False
    most_visits: int | None = None

    name: ClassVar[str] = "incognito"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True
    full_domain: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        if not isinstance(self.minimal, bool):
            raise PolicyError(Refusal(f"minimal must be true or false; got {self.minimal!r}", (self.name,)))
        if self.most_visits is not None:
            whole(self.name, "most_visits", self.most_visits, at_least=1)

    @property
    def ignores_order(self) -> bool:
        """Always: levels are chosen for all records at once."""
        return True

    @property
    def keeps_copies(self) -> bool:
        """Always: levels are chosen for all records at once."""
        return True

    def run(self, problem: Problem) -> Plan:
        """Publish at the best vector of levels; groups that do not hold there are withheld.

        Raises
        ------
        PolicyError
            When a quasi-identifier has no levels.
        """
        from likeness.methods._lattice.kernels import begin

        data = problem.data
        if not data.quasi or data.size == 0:
            return one_class(problem)
        table, laid, width = prepare(self.name, problem, self.loss)
        state = begin(table.lattice, width)
        proven = self._search(problem, table, laid, state)
        if not state.found:
            return coarsest(problem)
        plan = publish_at(data, table, laid, width, state.best)
        if not plan.published.any():
            # A withheld record loses as much as one that is anything at all: where both lose all, publish.
            top = np.diff(table.lattice.first) - 1
            anything = publish_at(data, table, laid, width, top)
            if anything.published.any():
                plan = anything
                state.best[:] = top
        history = _history(table, problem, state, proven)
        if self.minimal:
            history["minimal"] = self._minimal(problem, table, laid, width)
        return replace(plan, history=history)

    def _minimal(
        self, problem: Problem, table: LevelledTable, laid: LaidOutTests, width: int
    ) -> list[dict[str, int]]:
        """All minimal vectors, by the sum of their levels, then in the order of the table's attributes."""
        from likeness.methods._lattice.kernels import begin, holding_vectors

        problem.progress.step("listing minimal generalizations", 0, 0)
        found = holding_vectors(
            table.lattice,
            begin(table.lattice, width),
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            laid.smallest,
            max(0, problem.allowance),
            self._early(problem),
        )
        named = [table.named(problem.data, vector) for vector in lowest(found)]
        return sorted(named, key=lambda levels: (sum(levels.values()), tuple(levels.values())))

    def _early(self, problem: Problem) -> bool:
        """Whether a group that fails with some attributes fully generalized fails with these less so."""
        requirements = problem.requirements
        return all(one.closed_under_adding for one in requirements) or (
            problem.allowance <= 0 and all(one.model.closed_under_union for one in requirements)
        )

    def _search(self, problem: Problem, table: LevelledTable, laid: LaidOutTests, state: State) -> bool:
        """Search the lattice, step by step; whether the optimum is proven."""
        from likeness.methods._lattice.kernels import go_on

        allowance, early = max(0, problem.allowance), self._early(problem)
        while True:
            visited = state.visits
            left = _VISITS_A_STEP if self.most_visits is None else self.most_visits - visited
            if left <= 0 and state.found:
                problem.progress.note(
                    f"incognito stopped early: {_how_far(state, problem.data.count_records(), over=False)}"
                )
                return False
            over = go_on(
                table.lattice,
                state,
                laid.functions,
                laid.shape,
                laid.integers,
                laid.reals,
                laid.smallest,
                allowance,
                early,
                min(max(left, 1), _VISITS_A_STEP),
            )
            problem.progress.step(_how_far(state, problem.data.count_records(), over), state.visits, 0)
            if over:
                return True


def _how_far(state: State, records: int, over: bool) -> str:
    """Say what was found and what is proven so far."""
    if not state.found:
        return "searching the lattice"
    best, least = float(state.best_loss[0]) / records, _lower_bound(state, over) / records
    return f"searching the lattice: best loss {best:.4g}, none below {least:.4g}"


def _history(table: LevelledTable, problem: Problem, state: State, proven: bool) -> dict[str, Any]:
    """Keep the levels chosen, their loss per record, and how far the search is from a proof."""
    size = problem.data.count_records()
    return {
        "levels": table.named(problem.data, state.best),
        "loss": float(state.best_loss[0]) / size,
        "lower_bound": _lower_bound(state, proven) / size,
        "visited": state.visits,
    }


def _lower_bound(state: State, proven: bool) -> float:
    """What no vector can go below: the best bound that is still open."""
    bounds = [float(state.best_loss[0])]
    if not proven:
        depth, opened = state.depth, state.opened
        levels = [(at, int(state.at[at])) for at in range(depth + opened)]
        bounds += [float(state.bound[at, level]) for at, level in levels if level < state.open[at]]
        if not opened and depth > 0:
            bounds.append(float(state.bound[depth - 1, state.at[depth - 1] - 1]))
    return min(bounds)
