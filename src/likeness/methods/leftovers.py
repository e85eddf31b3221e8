"""What becomes of records that no class holds: those a clustering leaves over, those whose exact identity is too rare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.base import holding_classes, joint_views
from likeness.methods.spaces import axis
from likeness.microdata.data import Members
from likeness.microdata.plan import Plan, Reason, renumber
from likeness.microdata.regions import attribute_weights, losses_together, recode, region_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.methods.base import Method, Problem
    from likeness.microdata.regions import Recoding

_TRIED = 10
"""Classes that are tried for one record, nearest first."""
_STEP = 1000
REGIONS_TELL = Reason(
    "regions-tell",
    "any region of their class would tell what few of its members have, and there is no other to join",
)
"""Why somebody is withheld of whom a region would tell against what was asked (`attained`)."""


def nearest_first(apart: NDArray[np.float64]) -> NDArray[np.int64]:
    """Find the ten nearest classes, the nearest first, of equally near ones the one that was made first."""
    near = np.arange(apart.size)
    if apart.size > _TRIED:
        near = np.flatnonzero(apart <= np.partition(apart, _TRIED - 1)[_TRIED - 1])
    return near[np.argsort(apart[near], kind="stable")][:_TRIED]


def join_leftovers(
    problem: Problem,
    classes: NDArray[np.int64],
    left: NDArray[np.int64],
    ranked: Callable[[int], NDArray[np.int64]],
    mode: str,
) -> Plan:
    """Join leftover records with classes that still hold with them; withhold the others.

    ``classes`` (n,) are numbered in the order they were made, -1 for the leftover records ``left``, taken in their order.
    ``ranked`` gives a record's nearest classes (`nearest_first`); no others are tried. ``mode``: ``last``: all with the
    class that was made last, if it still holds with them, else as ``nearest``: each with the nearest class that still
    holds with it; ``withhold``: with none.
    """
    count = int(classes.max(initial=-1)) + 1
    if left.size == 0:
        return Plan(classes)
    found = classes.copy()
    if count > 0 and mode == "last":
        members = np.append(np.flatnonzero(classes == count - 1), left)
        if judge_of(problem)(members):
            found[left] = count - 1
            return Plan(found)
    if count > 0 and mode != "withhold":
        _join_one_by_one(problem, found, left, ranked)
    withheld = int(np.count_nonzero(found < 0))
    words = "too few {word} like them were left to make a class, and no class near them would hold with them"
    reason = Reason("too-few-alike", words, word=problem.word)
    if mode == "withhold":
        reason = Reason("too-few-left", "too few {word} were left to make a class", word=problem.word)
    return Plan(found, because={reason: withheld} if withheld else {})


def _join_one_by_one(
    problem: Problem,
    found: NDArray[np.int64],
    left: NDArray[np.int64],
    ranked: Callable[[int], NDArray[np.int64]],
) -> None:
    """Join each record with the nearest class that holds with it, by the tests of the models; ``found`` is changed."""
    from likeness.kernels.class_tests import Joining, join_nearest, lay_out

    grows = all(requirement.closed_under_adding for requirement in problem.requirements)
    views, tests, width = joint_views(problem)
    laid = lay_out(tests)
    count = int(found.max()) + 1
    order = np.argsort(found, kind="stable").astype(np.int64)
    starts = np.searchsorted(found[order], np.arange(count + 1)).astype(np.int64)
    latest, before = np.full(count, -1, np.int64), np.full(found.size, -1, np.int64)
    joining = Joining(views, order, starts, latest, before, np.zeros(width, np.int64))
    for begin in range(0, left.size, _STEP):
        problem.progress.step("join leftovers", begin, left.size)
        rows = left[begin : begin + _STEP].astype(np.int64)
        near = np.full((rows.size, _TRIED), -1, np.int64)
        for place, row in zip(near, rows.tolist(), strict=True):
            tried = ranked(row)
            place[: tried.size] = tried
        if grows:
            found[rows] = near[:, 0]
        else:
            join_nearest(laid.functions, laid.shape, laid.integers, laid.reals, joining, rows, near, found)


def join_where_needed(method: Method, problem: Problem, plan: Plan) -> Plan:
    """Join those that a method left over with its classes, where more would be withheld than may be."""
    of_classes = plan.mechanism is None and plan.buckets is None
    withheld = problem.data.count_records(~plan.published)
    if method.joins_rest and of_classes and withheld > max(0, problem.allowance):
        return join_rest(problem, plan)
    return plan


def join_rest(problem: Problem, plan: Plan) -> Plan:
    """Publish those whom a method withheld: together with the classes nearest to them, as many as it takes to hold.

    None is taken first, then one, two, four and so on, at last all of the table or, under level limits, of the part of it
    that may share a class. Where not even these hold, those of the part stay withheld.
    """
    data = problem.data
    if plan.withheld == 0 or not data.quasi:
        return plan
    parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
    coordinates = np.array(
        [axis(domain)[codes] for domain, codes in zip(data.quasi, data.codes, strict=True)]
    )
    coordinates *= np.sqrt(attribute_weights(data.quasi))[:, None]
    classes = plan.classes.copy()
    made = plan.count
    for part in np.unique(parts[plan.classes < 0]).tolist():
        inside = parts == part
        rest = inside & (plan.classes < 0)
        order = _by_distance(coordinates, plan.classes, rest, inside & ~rest)
        taken = 0
        while True:
            together = rest.copy()
            together[inside] |= np.isin(plan.classes[inside], order[:taken])
            if problem.holding(np.where(together, 0, -1), 1)[0]:
                classes[together] = made
                made += 1
                break
            if taken == order.size:
                break
            taken = min(max(1, 2 * taken), order.size)
    reasons = np.where(classes < 0, plan.reason_of, -1).astype(np.int32)
    numbers = np.bincount(reasons[reasons >= 0], minlength=len(plan.because))
    kept = np.flatnonzero(numbers)
    place = np.full(numbers.size + 1, -1, np.int32)
    place[kept] = np.arange(kept.size)
    names = list(plan.because)
    because = {names[number]: int(numbers[number]) for number in kept.tolist()}
    history = plan.history | {"rest joined with the nearest classes": plan.withheld - int(numbers.sum())}
    return replace(plan, classes=renumber(classes), because=because, reasons=place[reasons], history=history)


def join_telling(problem: Problem, plan: Plan) -> Plan:
    """Join classes whose regions would tell what few members have, whatever they were (`Attained`), each with another class.

    With the one that it loses least with, their regions taken as they are. Where there is none that it may join, it is withheld.
    Nothing is done for plans of buckets and mechanisms.
    """
    data = problem.data
    asked = any(domain.attained is not None for domain in data.quasi)
    if not asked or plan.buckets is not None or plan.mechanism is not None:
        return plan
    joined = 0
    while True:
        plan, recoding = recode(data, plan)
        telling = np.flatnonzero(recoding.tells)
        if not telling.size:
            history = {"classes joined because their regions would tell what few have": joined}
            return replace(plan, history=plan.history | history) if joined else plan
        home, alone = _homes(problem, plan, recoding, telling)
        joined += telling.size - alone.size
        left = np.isin(plan.classes, alone)
        plan = replace(plan, classes=renumber(np.where(plan.published, home[plan.classes], -1)))
        plan = plan.withhold(left, REGIONS_TELL)


def _homes(
    problem: Problem, plan: Plan, recoding: Recoding, telling: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(E,) Class that each class joins, its own where it stays; those of ``telling`` that have none to join.

    No class joins, or is joined by, more than one.
    """
    sizes = np.bincount(plan.classes[plan.published], minlength=recoding.classes)
    part = np.zeros(recoding.classes, np.int64)
    if problem.parts is not None:
        part[plan.classes[plan.published]] = problem.parts[plan.published]
    weights = attribute_weights(problem.data.quasi).tolist()
    attributes = list(zip(recoding.attributes, weights, strict=True))
    own = np.zeros(recoding.classes)
    for regions, weight in attributes:
        own += weight * region_losses(regions, problem.loss)[regions.of]
    home, free = np.arange(recoding.classes), np.ones(recoding.classes, np.bool_)
    alone = []
    for one in telling.tolist():
        if not free[one]:
            continue
        free[one] = False
        with_it = sum(weight * losses_together(regions, one, problem.loss) for regions, weight in attributes)
        more = (sizes + sizes[one]) * with_it - sizes * own
        # Rounded, so that what loses as much does so on every machine.
        more = np.where(free & (part == part[one]), np.round(more, 9), np.inf)
        other = int(np.argmin(more))
        if np.isfinite(more[other]):
            home[one], free[other] = other, False
        elif not (part[np.arange(part.size) != one] == part[one]).any():
            alone.append(one)
    return home, np.array(alone, np.int64)


def _by_distance(
    coordinates: NDArray[np.float64],
    classes: NDArray[np.int64],
    rest: NDArray[np.bool_],
    published: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Classes of the published rows by how far their centres are from that of the rest; of equally far ones the first made."""
    own = classes[published]
    there, of = np.unique(own, return_inverse=True)
    sizes = np.bincount(of)
    apart = np.zeros(there.size)
    for places in coordinates:
        apart += (np.bincount(of, places[published]) / sizes - places[rest].mean()) ** 2
    # Rounded, so that what is equally far stays so on every machine.
    return there[np.argsort(np.round(apart, 9), kind="stable")]


def judge_of(problem: Problem) -> Callable[[NDArray[np.int64]], bool]:
    """Give a function that says whether some rows are a class that holds."""
    data = problem.data
    members = data.members

    def holds(rows: NDArray[np.int64]) -> bool:
        own = data.take(rows) if members is None else replace(data, members=None).take(rows)
        if members is not None:
            sizes = starts[rows + 1] - starts[rows]
            begins = np.repeat(starts[rows] - (np.cumsum(sizes) - sizes), sizes)
            inside = order[begins + np.arange(begins.size)]
            of = np.repeat(np.arange(rows.size), sizes)
            own = replace(own, members=Members(of, members.records.take(inside)))
        return bool(holding_classes(problem.requirements, own, np.zeros(rows.size, np.int64), 1)[0])

    if members is not None:
        # Found once: `Microdata.take` looks at every record.
        order = np.argsort(members.of, kind="stable")
        starts = np.searchsorted(members.of[order], np.arange(data.size + 1))
    return holds


def withhold_identities(problem: Problem, plan: Plan) -> Plan:
    """Withhold records whose exact quasi-identifiers do not hold a model about these alone (k-anonymity).

    The plan's classes must be the records of equal quasi-identifiers.
    """
    words = "quasi-identifiers, published exactly, do not hold {model}"
    return _withhold_failing(problem, plan, "exact-values-fail", words, values=False)


def withhold_classes(problem: Problem, plan: Plan, what: str = "class") -> Plan:
    """Withhold classes that do not hold a model about how many are alike; reasons say ``what`` a class is to the method."""
    return _withhold_failing(
        problem, plan, f"{what}-fails", f"their {what} does not hold {{model}}", values=False
    )


def withhold_buckets(problem: Problem, plan: Plan) -> Plan:
    """Withhold buckets, classes where a plan has none, that do not hold a model about sensitive values."""
    return _withhold_failing(problem, plan, "bucket-fails", "their bucket does not hold {model}", values=True)


def _withhold_failing(problem: Problem, plan: Plan, name: str, words: str, *, values: bool) -> Plan:
    """Withhold what does not hold: buckets the models about sensitive ``values``, or classes the others.

    ``name`` and ``words`` are those of the reason; the words may name the ``{model}``.
    """
    for requirement in problem.requirements:
        if (requirement.view is not None) is values:
            groups = plan.buckets if values and plan.buckets is not None else plan.classes
            count = int(groups.max(initial=-1)) + 1
            good = holding_classes((requirement,), problem.data, groups, count)
            failing = ~np.append(good, True)[groups]
            plan = plan.withhold(failing, Reason(name, words, model=requirement.subject))
    return plan
