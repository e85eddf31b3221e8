"""Search for a plan that holds: run the method, withhold what cannot hold, until nothing changes.

Records that cannot be published in any class, because the adversary knows other sensitive values of theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.errors import CannotBeMetError, MethodFailedError, PolicyError, Refusal
from likeness.methods.base import (
    KNOWN_PART_FAILS,
    PART_FAILS,
    TABLE_FAILS,
    Method,
    Problem,
    holding_classes,
    holding_records,
)
from likeness.methods.leftovers import join_rest
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, Reason, side_by_side, spread
from likeness.microdata.regions import LOSSES, Recoding, recode
from likeness.models.requirements import Requirement, refuse_nothing, require_of
from likeness.progress import Progress
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel

_VALUES_SHOWN = 3
_MERGED_FAIL = Reason(
    "merged-classes-fail",
    "classes with equal regions, taken as the one class they are, do not hold the guarantee",
)
_MECHANISM_FAILS = Reason(
    "mechanism-fails", "the mechanism that perturbs their values does not hold the guarantee"
)


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan for the whole table, with its regions and the requirements it was judged by."""

    plan: Plan
    recoding: Recoding
    requirements: tuple[Requirement, ...]


def solve(
    method: Method,
    data: Microdata,
    models: Iterable[PrivacyModel],
    rng: np.random.Generator,
    withhold_at_most: Fraction,
    progress: Progress,
) -> Solution:
    """Find a plan whose published records hold every model against their own distribution.

    The distribution that models compare with is that of the published records, so withholding changes it: the method runs
    again on what is left, and what was withheld stays withheld, so this ends. Where people have several records, classes
    are of individuals, each with all of its records, and ``withhold_at_most`` is a share of individuals.
    Raises `CannotBeMetError` when more would have to be withheld; says which model fails, for which value, what it needs.
    It is a `MethodFailedError` where the table taken as one class holds the guarantee: only this method finds no release.
    Raises `PolicyError` when the method cannot work with these models, or not with several records a person.
    """
    models = tuple(models)
    units = data.units
    check_fit(method, units, limited=level_parts(units) is not None)
    parts = parts_of(units, require_of(models, units, units))
    try:
        return _search(method, data, models, rng, withhold_at_most, parts, progress)
    except CannotBeMetError as problem:
        if isinstance(method, _OneClass):
            raise
        try:
            _search(_OneClass(), data, models, rng, withhold_at_most, parts, Progress())
        except CannotBeMetError:
            raise problem from None
        raise MethodFailedError(*problem.notes, reasons=problem.unmet, method=method.name) from None


def _search(
    method: Method,
    data: Microdata,
    models: tuple[PrivacyModel, ...],
    rng: np.random.Generator,
    withhold_at_most: Fraction,
    parts: NDArray[np.int64] | None,
    progress: Progress,
) -> Solution:
    """Run the method, withhold what cannot hold, until nothing changes."""
    units = data.units
    active = np.arange(units.size)
    because: dict[Reason, int] = {}
    reasons = np.full(units.size, -1, np.int32)
    first: tuple[Requirement, ...] | None = None
    while True:
        here = units if active.size == units.size else units.take(active)
        requirements = require_of(models, here, units)
        refuse_nothing(requirements)
        first = first or requirements
        method.check(tuple(one for one in requirements if not one.bound.parts_suffice))
        inside = None if parts is None else group_codes([parts[active]], [int(parts.max()) + 1]).of
        searched = tuple(one for one in requirements if not one.bound.parts_suffice)
        hopeless = _withhold_hopeless(here, requirements, because)
        if hopeless is None and inside is not None:
            hopeless = withhold_surplus(here, searched, inside, because)
        if hopeless is not None:
            _note_reasons(reasons, active, hopeless, because)
            active = active[hopeless.published]
            _refuse_excess(units, units.size - active.size, withhold_at_most, first, because, parts)
            continue
        problem = Problem(
            here,
            searched,
            LOSSES[method.loss],
            rng,
            inside,
            int(withhold_at_most * units.size) - (units.size - here.size),
            progress,
        )
        plan = _joined(method, problem, _run(method, problem))
        if len(searched) < len(requirements):
            plan = replace(plan, because=_of_known(plan.because))
        for reason, number in plan.because.items():
            because[reason] = because.get(reason, 0) + number
        plan, judged = _settle(here, plan, models, units, because, inside)
        _note_reasons(reasons, active, plan, because)
        _refuse_excess(units, units.size - int(plan.published.sum()), withhold_at_most, first, because, parts)
        if judged is not None:
            return _whole(data, active, replace(plan, reasons=reasons), judged, because)
        active = active[plan.published]


def _run(method: Method, problem: Problem) -> Plan:
    """Run a method, part by part where it does not know parts."""
    if problem.parts is None or method.takes_parts:
        return method.run(problem)
    order = np.argsort(problem.parts, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(problem.parts[order])) + 1)
    if len(parts) == 1:
        return method.run(replace(problem, parts=None))
    plans: list[Plan] = []
    left = problem.allowance
    for number, records in enumerate(parts):
        problem.progress.step("parts", number, len(parts))
        own = replace(
            problem, data=problem.data.take(records), parts=None, allowance=left, progress=Progress()
        )
        try:
            plan = method.run(own)
        except CannotBeMetError:
            plan = Plan(np.zeros(records.size, np.int64)).withhold(
                np.ones(records.size, np.bool_), PART_FAILS
            )
        left -= plan.withheld
        plans.append(plan)
    return side_by_side(plans, parts, {TABLE_FAILS.name: PART_FAILS})


def _of_known(because: dict[Reason, int]) -> dict[Reason, int]:
    """Say why parts fail that knowledge keeps apart, not level limits."""
    return {
        KNOWN_PART_FAILS if reason == PART_FAILS else reason: number for reason, number in because.items()
    }


def _joined(method: Method, problem: Problem, plan: Plan) -> Plan:
    """Join those that a method left over with its classes, where more would be withheld than may be."""
    of_classes = plan.mechanism is None and plan.buckets is None
    if method.joins_rest and of_classes and plan.withheld > max(0, problem.allowance):
        return join_rest(problem, plan)
    return plan


class _OneClass(Method):
    """Everybody in one class, or in one for each part of the table that the level limits keep apart: what any table could be."""

    name: ClassVar[str] = "one class"
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True

    def run(self, problem: Problem) -> Plan:
        """Publish the parts that hold."""
        parts = np.zeros(problem.data.size, np.int64) if problem.parts is None else problem.parts
        failing = ~problem.holding(parts, int(parts.max(initial=-1)) + 1)[parts]
        return Plan(parts).withhold(failing, PART_FAILS)


def _withhold_hopeless(
    here: Microdata, requirements: tuple[Requirement, ...], because: dict[Reason, int]
) -> Plan | None:
    """Withhold records that no class can hold with what is known of them; None when there are none."""
    for requirement in requirements:
        hopeless = hopeless_records(requirement, here)
        if hopeless.any() and requirement.view is not None:
            known = " and ".join(repr(here.sensitive[i].name) for i in requirement.view.known)
            words = "records that share what is known of them ({known}) do not hold {model}"
            reason = Reason("known-values-fail", words, known=known, model=requirement.subject)
            because[reason] = because.get(reason, 0) + int(hopeless.sum())
            return Plan(np.zeros(here.size, np.int64)).withhold(hopeless, reason)
    return None


def withhold_surplus(
    here: Microdata,
    requirements: tuple[Requirement, ...],
    parts: NDArray[np.int64],
    because: dict[Reason, int],
) -> Plan | None:
    """Withhold of each part that no classes can publish whole what it has too much of; None where there is nothing.

    Upper limits on the shares of values survive the union of classes, so the most records of a part that any classes can
    publish are the largest N with ``Σ_s min(n_s, most of s that a class of N may hold) >= N``. Of a value that is too frequent
    those leave whose quasi-identifiers lie farthest from the middle of the part. Parts that fail for other reasons are left to
    the method.
    """
    limited = [one for one in requirements if one.view is not None and not one.view.known]
    if not limited or here.members is not None:
        return None
    count = int(parts.max(initial=-1)) + 1
    failing = ~holding_classes(requirements, here, parts, count)
    away: NDArray[np.float64] | None = None
    out = np.zeros(here.size, np.bool_)
    surplus_of: list[str] = []
    for requirement in limited:
        view = requirement.view
        if view is None or requirement.bound.sizes_needed(np.zeros(view.values, np.int64)) is None:
            continue
        codes, total = view.codes(here.judged_codes), np.zeros(view.values, np.int64)
        for part in np.flatnonzero(failing).tolist():
            records = np.flatnonzero((parts == part) & ~out)
            surplus = _surplus(requirement, codes[records], view.values)
            if surplus is None or surplus.sum() == records.size:
                continue
            away = _eccentricity(here, parts, count) if away is None else away
            total += surplus
            for value in np.flatnonzero(surplus).tolist():
                own = records[codes[records] == value]
                out[own[np.argsort(-away[own], kind="stable")[: surplus[value]]]] = True
        most = np.argsort(-total, kind="stable")[: np.count_nonzero(total)]
        surplus_of += [view.domain.name_of(value) for value in most.tolist()]
    if not out.any():
        return None
    values = ", ".join(surplus_of[:_VALUES_SHOWN]) + (
        f" and {len(surplus_of) - _VALUES_SHOWN} more" if len(surplus_of) > _VALUES_SHOWN else ""
    )
    reason = Reason(
        "surplus", "too many with {values} among those who may share a class with them", values=values
    )
    because[reason] = because.get(reason, 0) + int(out.sum())
    return Plan(np.zeros(here.size, np.int64)).withhold(out, reason)


def least_withheld(units: Microdata, requirements: tuple[Requirement, ...], parts: NDArray[np.int64]) -> int:
    """Fewest records of parts that are kept apart which no classes can publish, as far as upper limits on shares tell.

    Of a part that fails for other reasons, nobody can be published as one class, and all are counted.
    """
    count = int(parts.max(initial=-1)) + 1
    sizes = np.bincount(parts, minlength=count)
    kept = sizes.copy()
    for requirement in requirements:
        view = requirement.view
        codes = (
            None
            if view is None or view.known or units.members is not None
            else view.codes(units.judged_codes)
        )
        for part in np.flatnonzero(~holding_classes((requirement,), units, parts, count)).tolist():
            surplus = (
                None
                if codes is None or view is None
                else _surplus(requirement, codes[parts == part], view.values)
            )
            kept[part] = 0 if surplus is None else min(kept[part], sizes[part] - surplus.sum())
    for requirement in requirements:
        if requirement.model.conditions.size is not None:
            kept[kept < requirement.model.conditions.size] = 0
    return int((sizes - kept).sum())


def _surplus(requirement: Requirement, codes: NDArray[np.int64], values: int) -> NDArray[np.int64] | None:
    """(m,) How many of each value a part must lose so that the rest can be one class; None where a model does not tell."""
    counts = np.bincount(codes, minlength=values)
    needed = requirement.bound.sizes_needed(counts)
    if needed is None:
        return None
    sizes = np.sort(np.concatenate(needed)) if counts.any() else np.zeros(0, np.int64)
    whole = np.arange(1, codes.size + 1)
    possible = np.flatnonzero(np.searchsorted(sizes, whole, "right") >= whole)
    most = int(whole[possible[-1]]) if possible.size else 0
    return np.array(
        [n - int(np.searchsorted(own, most, "right")) for n, own in zip(counts.tolist(), needed, strict=True)]
    )


def _eccentricity(here: Microdata, parts: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """(n,) How far each record lies from the middle of its part: sum over attributes, as shares of the range."""
    found = np.zeros(here.size)
    order = np.argsort(parts, kind="stable")
    start = np.searchsorted(parts[order], np.arange(count + 1))
    middle = (start[:-1] + start[1:]) // 2
    for domain, codes in zip(here.quasi, here.codes, strict=True):
        places = domain.places(0.5)[codes]
        if domain.shape == "set":
            # Of plain categories the middle is the most frequent one.
            cells = np.bincount(parts * domain.codes + codes, minlength=count * domain.codes).reshape(
                count, -1
            )
            found += codes != cells.argmax(axis=1)[parts]
            continue
        within = order[np.lexsort((places[order], parts[order]))]
        found += np.abs(places - places[within[middle]][parts])
    return found


def _settle(
    here: Microdata,
    plan: Plan,
    models: tuple[PrivacyModel, ...],
    units: Microdata,
    because: dict[Reason, int],
    parts: NDArray[np.int64] | None,
) -> tuple[Plan, tuple[Requirement, ...] | None]:
    """Judge the classes, merged where their regions are equal, against the distribution of what they publish.

    Returns the plan and, when everything holds, the requirements; else None, and the method must run again on what is left.
    """
    alone = plan.classes
    plan = _merge(here, plan)
    kept = plan.published
    if not kept.any():
        return plan, None
    requirements = require_of(models, here if kept.all() else here.take(np.flatnonzero(kept)), units)
    failing = kept & ~holding_records(requirements, here, plan)
    if not failing.any():
        return plan, requirements
    if kept.all():
        # Nothing was withheld, yet merged classes fail: only models that unions can break come here.
        if plan.mechanism is None and plan.buckets is None:
            failing &= ~_largest_of_merged(here, alone if parts is None else parts, plan, requirements)
        reason = _MERGED_FAIL if plan.mechanism is None else _MECHANISM_FAILS
        because[reason] = because.get(reason, 0) + int(failing.sum())
        return plan.withhold(failing, reason), None
    return plan, None


def _largest_of_merged(
    here: Microdata, groups: NDArray[np.int64], merged: Plan, requirements: tuple[Requirement, ...]
) -> NDArray[np.bool_]:
    """(n,) Of the groups of records that make one class together, the largest that holds by itself: it can do without the others.

    ``groups`` (n,) are the parts kept apart, or the classes as they were before those of equal regions were merged.
    """
    shown = merged.published
    own = np.full(here.size, -1, np.int64)
    found = group_codes(
        [merged.classes[shown], groups[shown]], [merged.count, int(groups.max(initial=0)) + 1]
    )
    own[shown] = found.of
    sizes = np.where(holding_classes(requirements, here, own, found.count), found.sizes, 0)
    home = merged.classes[shown][found.first]
    order = np.lexsort((np.arange(found.count), -sizes, home))
    first = np.ones(found.count, np.bool_)
    first[1:] = np.diff(home[order]) != 0
    best = np.zeros(found.count + 1, np.bool_)
    best[order[first & (sizes[order] > 0)]] = True
    return np.asarray(best[own])


def _merge(here: Microdata, plan: Plan) -> Plan:
    """Merge classes whose regions are equal: regions of all records, where rows are individuals."""
    if here.members is None:
        return recode(here, plan)[0]
    of = here.members.of
    merged, _ = recode(here.members.records, spread(plan, of))
    classes = np.full(here.size, -1, np.int64)
    classes[of] = merged.classes
    return replace(plan, classes=classes)


def _note_reasons(
    reasons: NDArray[np.int32], active: NDArray[np.int64], plan: Plan, because: dict[Reason, int]
) -> None:
    """Note why each record that this round withheld was withheld, by position in all reasons so far."""
    numbers = {reason: number for number, reason in enumerate(because)}
    own = np.array([numbers[reason] for reason in plan.because] or [-1], np.int32)
    out = ~plan.published
    reasons[active[out]] = own[plan.reason_of[out]]


def _whole(
    data: Microdata,
    active: NDArray[np.int64],
    plan: Plan,
    requirements: tuple[Requirement, ...],
    because: dict[Reason, int],
) -> Solution:
    """Spread a plan for the active records or individuals over all records."""
    units = data.units
    classes = np.full(units.size, -1, np.int64)
    classes[active] = plan.classes
    buckets = sensitive = None
    if plan.buckets is not None:
        buckets = np.full(units.size, -1, np.int64)
        buckets[active] = plan.buckets
    if plan.sensitive is not None:
        sensitive = units.sensitive_codes.copy()
        sensitive[:, active] = plan.sensitive
    bounds = None
    if plan.bounds is not None:
        bounds = np.stack([units.codes, units.codes])
        bounds[:, :, active] = plan.bounds
    whole = replace(
        plan, classes=classes, buckets=buckets, sensitive=sensitive, bounds=bounds, because=because
    )
    if units.members is not None:
        whole = spread(whole, units.members.of)
    whole, recoding = recode(data, whole)
    return Solution(whole, recoding, requirements)


def check_fit(method: Method, units: Microdata, *, limited: bool) -> None:
    """Refuse a table that a method cannot work with, whatever its values; ``units`` are records or individuals.

    Raises `PolicyError` where people have several records, or level limits keep parts apart (``limited``), and the method
    does not take that.
    """
    if units.members is not None and not method.takes_individuals:
        raise PolicyError(
            Refusal(
                "does not take tables in which people have several records; use danonyir or mondrian",
                (method.name,),
            )
        )
    if limited and not method.takes_parts:
        name = next(domain.name for domain in units.quasi if domain.max_level is not None)
        raise PolicyError(
            Refusal(
                f"cannot keep to max_level (column {name!r}); use mondrian, or leave the limit out",
                (method.name,),
            )
        )


def parts_of(units: Microdata, requirements: Iterable[Requirement]) -> NDArray[np.int64] | None:
    """(n,) Number the parts whose records may share a class, given level limits and the models; None where all may.

    Raises `PolicyError` as `level_parts` does.
    """
    found = [
        parts
        for parts in (level_parts(units), *(one.parts(units) for one in requirements))
        if parts is not None
    ]
    if len(found) < 2:
        return found[0] if found else None
    return group_codes(found, [int(parts.max(initial=0)) + 1 for parts in found]).of


def level_parts(units: Microdata) -> NDArray[np.int64] | None:
    """Number the parts whose records or individuals may share a class under the hierarchy level limits; None without limits.

    Raises `PolicyError` where a limit stands on a column without a hierarchy, or keeps one individual's records apart.
    """
    columns, radices = [], []
    data = units if units.members is None else units.members.records
    for domain, codes in zip(data.quasi, data.codes, strict=True):
        if domain.max_level is None:
            continue
        if domain.hierarchy is None:
            raise PolicyError(f"column {domain.name!r}: max_level needs a hierarchy")
        tree = domain.hierarchy
        leaves = np.array([tree.rank_of[label] for label in domain.labels], np.int64)
        # The missing value lies directly below the root.
        alone = 0 if domain.max_level >= tree.height else len(tree.labels)
        node = np.append(tree.ancestor_at(leaves, domain.max_level), alone)
        columns.append(node[codes])
        radices.append(len(domain.hierarchy.labels) + 1)
    if not columns:
        return None
    of_records = group_codes(columns, radices).of
    if units.members is None:
        return of_records
    parts = np.empty(units.size, np.int64)
    parts[units.members.of] = of_records
    if (parts[units.members.of] != of_records).any():
        raise PolicyError(
            "max_level: there are people whose records differ in a quasi-identifier by more than the limit allows; say "
            "hygiene: {inconsistent_quasi: first}, or leave the limit out"
        )
    # Numbered without gaps: parts that only other records have are gone.
    return np.unique(parts, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _refuse_excess(
    units: Microdata,
    withheld: int,
    at_most: Fraction,
    requirements: tuple[Requirement, ...],
    because: dict[Reason, int],
    parts: NDArray[np.int64] | None,
) -> None:
    """Refuse to withhold more than the policy allows."""
    if withheld <= at_most * units.size and withheld < units.size:
        return
    reasons, notes = explain(units, requirements, withheld, at_most, because, parts)
    raise CannotBeMetError(*notes, reasons=reasons)


def explain(
    units: Microdata,
    requirements: tuple[Requirement, ...],
    withheld: int,
    at_most: Fraction,
    because: Mapping[Reason, int],
    parts: NDArray[np.int64] | None = None,
) -> tuple[list[Refusal], list[Refusal]]:
    """Say why a table cannot meet its policy, and what would make it possible.

    Parameters
    ----------
    units
        All records, or all individuals.
    requirements
        What must hold, bound to them.
    withheld
        Records or individuals that would have to be withheld.
    at_most
        Share of them that may be.
    because
        Reasons so far, with the number each.
    parts
        Those that may share a class under level limits.

    Returns
    -------
    reasons
        One for each model, or one of all.
    notes
        Lines about those withheld.
    """
    whole = np.zeros(units.size, np.int64)
    data = units if units.members is None else units.members.records
    word = "record" if units.members is None else "individual"
    reasons: list[Refusal] = []
    notes: list[Refusal] = []
    for requirement in requirements:
        stats = requirement.of_rows(units, whole, 1)
        fails = not requirement.bound.holds(stats).all()
        # Where parts are kept apart, the whole table need not hold.
        if fails and requirement.bound.parts() is None:
            bound = requirement.bound
            why = f"{bound.strongest(stats)}{bound.because(stats)}{bound.out_of_reach()}"
            reasons.append(
                Refusal(
                    f"the table of {count(units.size, word)}, taken as one class, does not hold it; "
                    f"the strongest it could meet is {why}"
                    f"{_alone(requirement, data)}{_rare(requirement, units.size, word, data)}{_because_known(data, requirement)}",
                    (requirement.subject,),
                )
            )
    if not reasons:
        room = units.size if parts is None else int(np.bincount(parts).max())
        reasons.append(
            Refusal(
                f"{withheld:,} of {count(units.size, word)} would have to be withheld "
                f"({withheld / units.size:.2%}); the policy allows {float(at_most):.2%} (withhold: at_most). Allow more, weaken "
                "the guarantee, or lift level limits"
                + "".join(_rare(requirement, room, word, data) for requirement in requirements)
            )
        )
        notes += [Refusal(f"withheld {number}", why=str(reason)) for reason, number in because.items()]
        if parts is not None:
            notes += _failing_parts(units, requirements, parts, word)
            notes += _weaker_limits(units, requirements, at_most, word)
    return reasons, notes


def _failing_parts(
    data: Microdata, requirements: tuple[Requirement, ...], parts: NDArray[np.int64], word: str
) -> list[Refusal]:
    """Say which models fail in the largest classes that level limits and knowledge allow."""
    sizes = np.bincount(parts)
    lines = []
    for requirement in requirements:
        failing = sizes[~holding_classes((requirement,), data, parts, sizes.size)]
        if failing.size:
            lines.append(
                Refusal(
                    f"{word}s that fail {requirement.subject} even in the largest class that limits and knowledge allow them",
                    why=f"{failing.sum()}; the largest such class has {failing.max()}",
                )
            )
    return lines


def _weaker_limits(
    units: Microdata, requirements: tuple[Requirement, ...], at_most: Fraction, word: str
) -> list[Refusal]:
    """Name, for each model that keeps parts apart, its smallest parameter by which few enough would have to be withheld.

    Parts only ever join as the parameter grows, and what may be published of two may be published of their union, so fewer and
    fewer have to be withheld: halving finds it. Shares are compared with those of all records.
    """
    searched = tuple(one for one in requirements if one.bound.parts() is None)
    most = int(at_most * units.size)
    lines = []
    for requirement in requirements:
        limits = requirement.bound.part_limits()
        low, high, found = 0, limits.size, -1
        while low < high:
            middle = (low + high) // 2
            parts = requirement.parts(units, _rounded_up(limits[middle]))
            withheld = 0 if parts is None else least_withheld(units, searched, parts)
            if withheld <= most:
                high, found = middle, withheld
            else:
                low = middle + 1
        if found < 0:
            continue
        name = next(iter(requirement.model.ranges))
        what = f"the smallest {name} by which so few have to be withheld is {float(_rounded_up(limits[high])):.5g}"
        lines.append(Refusal(what, (requirement.subject,), why=f"{count(found, word)} then"))
    return lines


def _rounded_up(limit: float) -> Fraction:
    """Round to five decimals, upwards, so that what joins at a limit joins at what is said of it."""
    return Fraction(math.ceil(limit * 10**5), 10**5)


def _because_known(data: Microdata, requirement: Requirement) -> str:
    """Say that other sensitive columns count as known, where that makes parts of a class."""
    if requirement.view is None or not requirement.view.known:
        return ""
    names = " and ".join(repr(data.sensitive[i].name) for i in requirement.view.known)
    return (
        f". It must hold for every group of records that share {names}, because an adversary is taken to know other "
        "sensitive columns; where those are not known, give the model the parameter others: unknown"
    )


def _alone(requirement: Requirement, data: Microdata) -> str:
    """Name the only value of a sensitive column that has no other."""
    view = requirement.view
    present = np.zeros(0, np.int64) if view is None else np.unique(view.codes(data.judged_codes))
    if view is None or present.size != 1:
        return ""
    only = view.domain.label_of(int(present[0]))
    return f" ({view.domain.name!r} has one value only, {quoted(only)})"


def _rare(requirement: Requirement, room: int, word: str, data: Microdata) -> str:
    """Name the sensitive values that need the largest classes, and say when no class has so much room."""
    sizes = requirement.bound.smallest_classes()
    view = requirement.view
    if view is None or sizes.size == 0 or (sizes <= 1).all():
        return ""
    no_room = f"; no class can have more than {count(room, word)}" if sizes.max() > room else ""
    if np.unique(sizes[sizes > 1]).size == 1 and np.count_nonzero(sizes > 1) > _VALUES_SHOWN:
        mean, why = requirement.smallest_mean(data)
        told = f"; on average classes have {count(mean, word)} or more: {why}" if mean > sizes.max() else ""
        return f". Smallest class that may hold any value of {view.domain.name!r}: {count(int(sizes.max()), word)}{no_room}{told}"
    needs = ", ".join(f"{quoted(value)} {least}" for value, least in requirement.largest_needs(_VALUES_SHOWN))
    more = int((sizes > 1).sum()) - _VALUES_SHOWN
    return (
        f". Smallest class, in {word}s, that may hold a value of {view.domain.name!r}: {needs}"
        + (f" and {more} more" if more > 0 else "")
        + no_room
    )


def hopeless_records(requirement: Requirement, data: Microdata) -> NDArray[np.bool_]:
    """Find the records whose known sensitive values alone violate a requirement, even in a class of everybody: (n,) bool.

    Every part of a class whose records share what the adversary knows must hold. Where the part of the whole table does
    not, at least one smaller part of these records would not either, if the model is closed under union: some of them must
    be withheld, and withholding all of them always helps.
    True also for individuals one of whose records is such a record. All False where nothing is taken as known, or the model
    is not closed under union.
    """
    hopeless = np.zeros(data.size, np.bool_)
    view = requirement.view
    if view is None or not view.known or not requirement.model.closed_under_union:
        return hopeless
    records = data if data.members is None else data.members.records
    of = np.arange(data.size) if data.members is None else data.members.of
    stats = requirement.of_rows(data, hopeless.astype(np.int64), 1)
    known = view.known_codes(data.sensitive, records.sensitive_codes)
    _, part = np.unique(known, return_inverse=True)
    hopeless[of[~requirement.bound.holds(stats)[part]]] = True
    return hopeless
