"""The exact optimum of small tables, proven by a solver of integer programmes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import CannotBeMetError, PolicyError, Refusal
from likeness.methods.base import Method, Problem, charged_loss, method_for, table_fails
from likeness.methods.handful import as_plan, best_partitions, is_handful
from likeness.methods.optimal.solver import SolverLimits
from likeness.microdata.grouping import Groups, group_codes
from likeness.microdata.plan import Plan, Reason, renumber
from likeness.microdata.regions import LOSSES, merge_equal
from likeness.models.requirements import require_of
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.methods.optimal.assigning import Dealt, Quota
    from likeness.methods.optimal.regions import Regions
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

_MOST_REGIONS = 1 << 16
_MOST_WAYS = 64
_EXACT = 1e-9
WITHHELD = Reason(
    "withheld-by-the-optimum", "withholding them loses less than any class that they could be in"
)


@dataclass(frozen=True)
class Optimal(Method):
    """Find the release of least loss, and prove that none loses less.

    A withheld record loses 1; as many are withheld as the policy allows, where that is less. Who can be in no class, because of
    what else is known of them, is withheld before; so is, where nothing is found else, of whom there are too many. What is
    proven is so of the others: of so many ``records``, the private history says.

    Parameters
    ----------
    loss
        The information loss: ``glm`` (default), ``ncp`` or ``iloss``, as in the other methods.
    most_nodes
        Nodes of the branch and bound after which the search ends; it then says how far from the optimum its release can be.
    seconds
        Ends the solver after so much time, too. What is found then depends on the machine.
    most_assignments
        Largest programme that is tried: pairs of a cell (records alike in all that counts) and a region that covers it.
    most_classes
        Most classes that are listed where a model asks more than sizes, numbers of values and largest shares.

    Notes
    -----
    Classes whose regions are equal are one class, so a release is a choice of regions, and of how many records of each cell
    go to which. What models ask is linear where it is a size, a number of different values or a largest share (k-anonymity,
    ℓ-diversity, (α,k)-anonymity, ρ, β-likeness): a programme of these proves the optimum of thousands of records with
    hierarchies. Where a composition asks more, every class that the table can have is listed and judged, exactly, if there are
    at most ``most_classes`` of them; else the programme of what is linear gives a bound, and the optimum where its classes hold.
    Where that fails, or nodes run out, the release is the better one of what was found and of the method for the guarantee, and
    the distance to the bound is said (``lower_bound`` and ``proven`` in the private history).

    Of up to twelve records every partition is looked at instead, for each way to withhold some, under models that are closed
    under union. Else the optimum is the solver's: proven within its tolerances in floating point, some 10⁻⁶. That classes
    hold is decided exactly.
    Models that compare with the records that are published change with every record withheld (`SensitiveModel.compares`): then
    each way to withhold is solved by itself, if there are few. Else the bound is that of what they ask at least, whoever is
    withheld (`SensitiveModel.eased`), and the release, unless the optimum of that holds, one in which nobody is.
    Needs SciPy: ``likeness[optimal]``.

    References
    ----------
    The solver is HiGHS (Huangfu & Hall 2018).

    Examples
    --------
    >>> Optimal(most_nodes=20, most_assignments=600, most_classes=300)
    Optimal(loss='glm', most_nodes=20, most_assignments=600, most_classes=300, seconds=None)
    """

    loss: str = "glm"
    most_nodes: int = 20_000
    most_assignments: int = 120_000
    most_classes: int = 1 << 14
    seconds: Any = None

    name: ClassVar[str] = "optimal"

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOSSES))
        for parameter in ("most_nodes", "most_assignments", "most_classes"):
            whole(self.name, parameter, getattr(self, parameter), at_least=1)
        if self.seconds is not None:
            number(self.name, "seconds", self.seconds, above=0)

    @property
    def chooses_withheld(self) -> bool:
        """True: who is withheld is part of the optimum."""
        return True

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:  # noqa: ARG002  # who can tell
        """Take it to cost what it may: all nodes, of as large a programme as is tried."""
        return self.most_nodes * self.most_assignments

    def check(self, requirements: tuple[Requirement, ...]) -> None:  # noqa: ARG002  # any will do
        """Refuse to run without SciPy.

        Raises
        ------
        PolicyError
            Where it is not installed.
        """
        if find_spec("scipy") is None:
            raise PolicyError(
                Refusal(
                    "needs SciPy, which is not installed", (self.name,), remedy="install likeness[optimal]"
                )
            )

    def run(self, problem: Problem) -> Plan:
        """Deal the records to regions.

        Raises
        ------
        PolicyError
            When the table is too large.
        """
        data = problem.data
        if not data.quasi or data.size == 0:
            return _one_class(problem)
        if is_handful(problem) and all(one.model.closed_under_union for one in problem.requirements):
            return _of_all_partitions(problem)
        cells = _cells_of(problem)
        regions = self._regions(problem, cells)
        problem.progress.step("looking for the optimum", 0, 0)
        seconds = None if self.seconds is None else float(number(self.name, "seconds", self.seconds, above=0))
        found = self._found(problem, cells, regions, SolverLimits.of(self.most_nodes, seconds))
        plan = None if found.cells is None else _plan_of(problem, cells, found)
        loses = np.inf if plan is None else charged_loss(problem, plan)
        proven = (
            found.proven and plan is not None and loses <= found.bound * (1 + _EXACT) + _EXACT * data.size
        )
        if found.proven and found.cells is None and found.bound == np.inf:
            return _one_class(problem)
        if not proven:
            other = _otherwise(problem)
            if other is not None and (plan is None or charged_loss(problem, other) < loses):
                plan, loses = other, charged_loss(problem, other)
            proven = found.proven and loses <= found.bound * (1 + _EXACT) + _EXACT * data.size
        if plan is None:
            return _one_class(problem)
        bound = min(loses, found.bound)
        if not proven:
            gap = (loses - bound) / loses
            problem.progress.note(
                f"optimal is not proven: the release loses {loses / data.size:.4g} a record, none loses less than "
                f"{bound / data.size:.4g} (gap {gap:.1%}, {count(found.nodes, 'node')})"
            )
        history: dict[str, Any] = {
            "records": data.size,
            "loss": loses / data.size,
            "lower_bound": bound / data.size,
            "proven": bool(proven),
            "nodes": found.nodes,
            "regions": int(regions.loss.size),
        }
        return replace(plan, history=history)

    def _regions(self, problem: Problem, cells: Groups) -> Regions:
        """All regions that classes can have; refuses tables that have too many."""
        from likeness.methods.optimal.assigning import asked_of
        from likeness.methods.optimal.regions import regions_of

        data = problem.data
        asked = asked_of(_at_least(problem), data.judged_codes[:, cells.first], cells.sizes)
        codes = np.unique(data.codes[:, cells.first], axis=1)
        most = min(_MOST_REGIONS, 4 * self.most_assignments)
        found = regions_of(data.quasi, codes, problem.loss, most)
        if found is not None:
            place = {tuple(own): i for i, own in enumerate(codes.T.tolist())}
            of = np.array([place[tuple(own)] for own in data.codes[:, cells.first].T.tolist()])
            found = replace(found, covers=np.ascontiguousarray(found.covers[:, of]))
            enough = found.covers @ cells.sizes >= asked.size
            found = found.take(np.asarray(enough, np.bool_))
            pairs = int(found.covers.sum())
            if pairs <= self.most_assignments:
                return found
        what = (
            f"is for small tables: the {count(cells.count, 'cell')} of this one have more than {self.most_assignments:,} pairs "
            "of a cell and a region that covers it (most_assignments)"
        )
        raise PolicyError(
            Refusal(
                what,
                (self.name,),
                remedy="give columns hierarchies, take fewer records, or take mondrian or local-recoding, or leave method out",
            )
        )

    def _found(self, problem: Problem, cells: Groups, regions: Regions, limits: SolverLimits) -> Dealt:
        """Solve the programme that fits the guarantee."""
        from likeness.methods.optimal.assigning import NOTHING, asked_of, deal
        from likeness.methods.optimal.partitioning import classes_of

        if regions.loss.size == 0:
            return NOTHING
        judged = problem.data.judged_codes[:, cells.first]
        asked = asked_of(problem.requirements, judged, cells.sizes)
        allowance = _most_withheld(problem)
        changing = allowance > 0 and any(one.compares for one in problem.requirements)
        ways = _ways(judged, cells.sizes, allowance if changing else 0)
        if ways is not None and not asked.whole:
            classes = classes_of(cells.sizes, self.most_classes)
            if classes is not None:
                return self._partitioned(problem, cells, regions, classes, ways, limits)
        if not changing:
            return deal(regions, cells.sizes, asked, limits, allowance=allowance)
        if ways is not None and asked.whole:
            return self._dealt(problem, cells, regions, ways, limits)
        least = asked_of(_at_least(problem), judged, cells.sizes)
        relaxed = deal(regions, cells.sizes, least, limits, allowance=allowance)
        if relaxed.cells is not None and _plan_of(problem, cells, relaxed) is not None:
            return relaxed
        nobody = deal(regions, cells.sizes, asked, limits)
        return nobody._replace(
            bound=relaxed.bound,
            proven=relaxed.proven and nobody.cells is not None,
            nodes=relaxed.nodes + nobody.nodes,
        )

    def _dealt(
        self, problem: Problem, cells: Groups, regions: Regions, ways: _Ways, limits: SolverLimits
    ) -> Dealt:
        """Deal the records to regions, for each way to withhold records."""
        from likeness.methods.optimal.assigning import asked_of, deal

        judged = problem.data.judged_codes[:, cells.first]

        def of(requirements: tuple[Requirement, ...], quota: Quota, limits: SolverLimits) -> Dealt:
            asked = asked_of(requirements, judged, cells.sizes)
            return deal(regions, cells.sizes, asked, limits, quota=quota if quota[1].any() else None)

        return self._best(problem, cells, regions, ways, limits, of)

    def _partitioned(
        self,
        problem: Problem,
        cells: Groups,
        regions: Regions,
        classes: NDArray[np.int64],
        ways: _Ways,
        limits: SolverLimits,
    ) -> Dealt:
        """List all classes, and find the best of the partitions into those that hold, for each way to withhold records."""
        from likeness.methods.optimal.partitioning import holding, hulls_of, partition

        hulls = hulls_of(classes, regions)
        # A class whose region was left out is too small to hold.
        inside = (regions.covers[hulls] | (classes == 0)).all(axis=1)
        classes, hulls = classes[inside], hulls[inside]
        changing = any(one.compares for one in problem.requirements)

        def of(requirements: tuple[Requirement, ...], quota: Quota, limits: SolverLimits) -> Dealt:
            good = holding(classes, cells.first, problem.data, requirements)
            return partition(
                classes[good],
                hulls[good],
                regions,
                cells.sizes,
                limits,
                allowance=0 if changing else _most_withheld(problem),
                quota=quota if quota[1].any() else None,
            )

        return self._best(problem, cells, regions, ways, limits, of)

    def _best(
        self,
        problem: Problem,
        cells: Groups,
        regions: Regions,
        ways: _Ways,
        limits: SolverLimits,
        solved: Callable[[tuple[Requirement, ...], Quota, SolverLimits], Dealt],
    ) -> Dealt:
        """Find the best of all ways to withhold records; each loses 1 for each of them, so some need no look."""
        from likeness.methods.optimal.assigning import NOTHING

        best, bound, proven, nodes = NOTHING, np.inf, True, 0
        for often in ways.numbers:
            if often.any() and often.sum() >= _lost(best, regions):
                continue
            bound_to = _bound_without(problem, cells, ways.groups, often)
            found = solved(bound_to, (ways.groups, often), limits.without(nodes))
            bound, nodes = min(bound, found.bound), nodes + found.nodes
            proven &= found.proven
            if best.cells is None or _lost(found, regions) < _lost(best, regions):
                best = found
        return best._replace(bound=bound, proven=proven, nodes=nodes)


def _of_all_partitions(problem: Problem) -> Plan:
    """Find the best of all partitions of a handful of records, for each way to withhold some of them where that counts."""
    most = _most_withheld(problem)
    if not any(one.compares for one in problem.requirements):
        found = _best_of_all(replace(problem, allowance=most))
        return _one_class(problem) if found is None else _told(problem, found)
    best, loses = None, np.inf
    cell = _cells_of(problem).of
    for withheld in range(most + 1):
        if withheld * problem.loss.withheld(cell.size) >= loses:
            break
        alike = {tuple(sorted(cell[list(out)])): out for out in combinations(range(cell.size), withheld)}
        for out in alike.values():
            kept = np.ones(cell.size, np.bool_)
            kept[list(out)] = False
            rows = np.flatnonzero(kept)
            left = replace(
                problem, data=problem.data.take(rows), requirements=_bound_to(problem, kept), allowance=0
            )
            found = _best_of_all(left)
            if found is None:
                continue
            classes = np.full(cell.size, found.count, np.int64)
            classes[rows] = found.classes
            plan = Plan(classes).withhold(~kept, WITHHELD)
            if charged_loss(problem, plan) < loses - _EXACT:
                best, loses = plan, charged_loss(problem, plan)
    return _one_class(problem) if best is None else _told(problem, best)


def _best_of_all(problem: Problem) -> Plan | None:
    """Find the best of all partitions of what models are bound to; None where none holds."""
    classes = next(best_partitions(problem), None)
    return None if classes is None else merge_equal(problem.data, as_plan(classes, WITHHELD))


def _told(problem: Problem, plan: Plan) -> Plan:
    """Say of a plan that it is the optimum."""
    loss = charged_loss(problem, plan) / problem.data.size
    return replace(
        plan,
        history={
            "records": problem.data.size,
            "loss": loss,
            "lower_bound": loss,
            "proven": True,
            "partitions": "all",
        },
    )


def _lost(dealt: Dealt, regions: Regions) -> float:
    """What records dealt so lose; infinite where none are."""
    if dealt.cells is None:
        return np.inf
    return float((dealt.records * np.append(regions.loss, 1.0)[dealt.regions]).sum())


def _cells_of(problem: Problem) -> Groups:
    """Group records that are alike in their quasi-identifiers and in all that a model looks at."""
    data = problem.data
    columns, radices = list(data.codes), [domain.codes for domain in data.quasi]
    judged = sorted(
        {
            row
            for one in problem.requirements
            if one.view is not None
            for row in (
                one.view.column,
                *one.view.known,
                *([] if one.view.knowledge is None else [one.view.knowledge]),
            )
        }
    )
    for row in judged:
        columns.append(data.judged_codes[row])
        radices.append(int(data.judged_codes[row].max(initial=0)) + 1)
    return group_codes(columns, radices)


def _most_withheld(problem: Problem) -> int:
    """How many may be withheld, but not everybody."""
    return max(0, min(problem.allowance, problem.data.size - 1))


def _at_least(problem: Problem) -> tuple[Requirement, ...]:
    """What is asked of classes whoever is withheld."""
    own = (one.at_least(problem.data, problem.allowance) for one in problem.requirements)
    return tuple(one for one in own if one is not None)


class _Ways(NamedTuple):
    """Ways to withhold records: ``groups`` (C,) of cells of equal judged codes, and how many of each, the fewest first."""

    groups: NDArray[np.int64]
    numbers: list[NDArray[np.int64]]


def _ways(judged: NDArray[np.int32], sizes: NDArray[np.int64], allowance: int) -> _Ways | None:
    """List the ways to withhold up to ``allowance`` records; None where there are too many."""
    groups = np.unique(judged, axis=1, return_inverse=True)[1].reshape(-1)
    most = np.minimum(np.bincount(groups, sizes).astype(np.int64), allowance)
    if prod((most + 1).tolist()) > _MOST_WAYS**2:
        return None
    found = [
        np.array(way, np.int64)
        for way in product(*(range(int(own) + 1) for own in most))
        if sum(way) <= allowance
    ]
    return _Ways(groups, sorted(found, key=np.sum)) if len(found) <= _MOST_WAYS else None


def _bound_without(
    problem: Problem, cells: Groups, groups: NDArray[np.int64], number: NDArray[np.int64]
) -> tuple[Requirement, ...]:
    """Bind the models to the distribution of the records that are left, so many fewer of each group."""
    of = groups[cells.of]
    kept = np.ones(of.size, np.bool_)
    for group in np.flatnonzero(number):
        kept[np.flatnonzero(of == group)[: number[group]]] = False
    return _bound_to(problem, kept)


def _bound_to(problem: Problem, kept: NDArray[np.bool_]) -> tuple[Requirement, ...]:
    """Bind the models to the distribution of the records that are kept; those that compare with no other stay as they are."""
    if kept.all():
        return problem.requirements
    left = problem.data.take(np.flatnonzero(kept))
    return tuple(require_of((one.model,), left)[0] if one.compares else one for one in problem.requirements)


def _holds_by_itself(problem: Problem, plan: Plan) -> bool:
    """Whether it publishes somebody, withholds no more than may be, and holds beside what it publishes itself."""
    if plan.withheld > problem.allowance or not plan.published.any():
        return False
    itself = replace(problem, requirements=_bound_to(problem, plan.published))
    return bool(itself.holding(plan.classes, plan.count).all())


def _plan_of(problem: Problem, cells: Groups, found: Dealt) -> Plan | None:
    """Give the records of each cell, in their order, to its regions; None where a class does not hold then."""
    assert found.cells is not None  # noqa: S101  # asked only where something was found
    order = np.lexsort((found.regions, found.cells))
    dealt = np.repeat(found.regions[order], found.records[order])
    classes = np.empty(problem.data.size, np.int64)
    classes[np.argsort(cells.of, kind="stable")] = dealt
    out = classes < 0
    plan = Plan(renumber(np.where(out, 0, classes)))
    if out.any():
        plan = plan.withhold(out, WITHHELD)
    plan = merge_equal(problem.data, plan)
    return plan if _holds_by_itself(problem, plan) else None


def _otherwise(problem: Problem) -> Plan | None:
    """What the method for the guarantee finds, where that holds and withholds no more than may be."""
    try:
        plan = method_for(tuple(one.model for one in problem.requirements)).run(problem)
    except CannotBeMetError:
        return None
    merged = merge_equal(problem.data, plan)
    return merged if _holds_by_itself(problem, merged) else None


def _one_class(problem: Problem) -> Plan:
    """Publish everybody as one class, or, where that does not hold, nobody."""
    everybody = np.zeros(problem.data.size, np.int64)
    failing = [one.subject for one in problem.requirements if not _holds(one, problem, everybody)]
    out = np.full(problem.data.size, bool(failing))
    return Plan(everybody).withhold(out, table_fails(failing))


def _holds(requirement: Requirement, problem: Problem, classes: NDArray[np.int64]) -> bool:
    """Whether one class of everybody holds a requirement."""
    stats = requirement.of_rows(problem.data, classes, 1)
    return bool(requirement.bound.holds(stats).all())
