"""Search for a plan that holds: run the method, withhold what cannot hold, until nothing changes.

Records that cannot be published in any class, because the adversary knows other sensitive values of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.errors import CannotBeMetError, MethodFailedError, PolicyError, Refusal
from likeness.methods.base import PART_FAILS, Method, Problem, holding_classes, holding_records
from likeness.methods.leftovers import join_rest
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, Reason, spread
from likeness.microdata.regions import LOSSES, Recoding, recode
from likeness.models.requirements import Requirement, refuse_nothing, require_of
from likeness.progress import Progress
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

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
    parts = level_parts(units)
    check_fit(method, units, limited=parts is not None)
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
        method.check(requirements)
        hopeless = _withhold_hopeless(here, requirements, because)
        if hopeless is not None:
            _note_reasons(reasons, active, hopeless, because)
            active = active[hopeless.published]
            _refuse_excess(units, units.size - active.size, withhold_at_most, first, because, parts)
            continue
        problem = Problem(
            here,
            requirements,
            LOSSES[method.loss],
            rng,
            None if parts is None else group_codes([parts[active]], [int(parts.max()) + 1]).of,
            int(withhold_at_most * units.size) - (units.size - here.size),
            progress,
        )
        plan = _joined(method, problem, method.run(problem))
        for reason, number in plan.because.items():
            because[reason] = because.get(reason, 0) + number
        plan, judged = _settle(here, plan, models, units, because)
        _note_reasons(reasons, active, plan, because)
        _refuse_excess(units, units.size - int(plan.published.sum()), withhold_at_most, first, because, parts)
        if judged is not None:
            return _whole(data, active, replace(plan, reasons=reasons), judged, because)
        active = active[plan.published]


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


def _settle(
    here: Microdata,
    plan: Plan,
    models: tuple[PrivacyModel, ...],
    units: Microdata,
    because: dict[Reason, int],
) -> tuple[Plan, tuple[Requirement, ...] | None]:
    """Judge the classes, merged where their regions are equal, against the distribution of what they publish.

    Returns the plan and, when everything holds, the requirements; else None, and the method must run again on what is left.
    """
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
        reason = _MERGED_FAIL if plan.mechanism is None else _MECHANISM_FAILS
        because[reason] = because.get(reason, 0) + int(failing.sum())
        return plan.withhold(failing, reason), None
    return plan, None


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
        if fails:
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
    return reasons, notes


def _failing_parts(
    data: Microdata, requirements: tuple[Requirement, ...], parts: NDArray[np.int64], word: str
) -> list[Refusal]:
    """Say which models fail in the largest classes that the level limits allow."""
    sizes = np.bincount(parts)
    lines = []
    for requirement in requirements:
        failing = sizes[~holding_classes((requirement,), data, parts, sizes.size)]
        if failing.size:
            lines.append(
                Refusal(
                    f"{word}s that fail {requirement.subject} even in the largest class that the level limits allow them",
                    why=f"{failing.sum()}; the largest such class has {failing.max()}",
                )
            )
    return lines


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
    present = np.zeros(0, np.int64) if view is None else np.unique(view.codes(data.sensitive_codes))
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
