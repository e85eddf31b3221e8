"""Search for a plan that holds: run the method, withhold what cannot hold, until nothing changes.

Records that cannot be published in any class, because the adversary knows other sensitive values of theirs.
"""

from __future__ import annotations

import math
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness import registry
from likeness.apart import (
    hopeless_records,
    least_withheld,
    leaving,
    level_parts,
    limits_shares,
    move_surplus,
    parts_of,
    surplus_of_known,
    withhold_surplus,
)
from likeness.errors import CannotBeMetError, MethodFailedError, PolicyError, Refusal
from likeness.methods.base import (
    KNOWN_PART_FAILS,
    PART_FAILS,
    Method,
    Plans,
    Problem,
    holding_classes,
    holding_records,
    run_in_parts,
)
from likeness.methods.growing import improve_growing
from likeness.methods.leftovers import join_telling, join_where_needed
from likeness.microdata.copies import drawn
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Decided, Plan, Reason, spread
from likeness.microdata.regions import Recoding, merge_equal, recode
from likeness.models.requirements import Requirement, refuse_nothing, require_of
from likeness.progress import Progress
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from likeness.blocks import BlockSearch
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
    """A plan for the whole table, with its regions and the requirements it was judged by.

    ``moved``: how many stand with people of another part, who would have been too many in their own (`move_surplus`).
    ``data``: the rows that the plan is of, where a search in blocks told records apart that one row stood for; else None.
    ``blocks``: how many blocks the table was searched in.
    """

    plan: Plan
    recoding: Recoding
    requirements: tuple[Requirement, ...]
    moved: int = 0
    data: Microdata | None = None
    blocks: int = 1


def solve(
    method: Method,
    data: Microdata,
    models: Iterable[PrivacyModel],
    rng: np.random.Generator,
    withhold_at_most: Fraction,
    progress: Progress,
    *,
    loss: Callable[[Solution], float] | None = None,
    plans: Plans | None = None,
    blocks: BlockSearch | None = None,
    without: Without | None = None,
) -> Solution:
    """Find a plan whose published records hold every model against their own distribution.

    The distribution that models compare with is that of the published records, so withholding changes it: the method runs
    again on what is left, and what was withheld stays withheld, so this ends. Where people have several records, classes
    are of individuals, each with all of its records, and ``withhold_at_most`` is a share of individuals.
    Those of whom a part has too many may join another (`move_surplus`), which is harder to generalize then. Of records that do
    not hold with what is known of them the fewest are withheld without whom the others do, and must then share classes. Given a
    ``loss``, the plan is made, too, that withholds those of a part, or all of whom the same is known, where it may, and the one
    that loses least is kept.
    ``plans``: what methods found before for the same table and guarantee; what this one finds first is kept there.
    ``blocks``: how a table of counts is searched that is too large to be searched at a time. ``without``: who is withheld before.
    Raises `CannotBeMetError` when more would have to be withheld; says which model fails, for which value, what it needs.
    It is a `MethodFailedError` where the table taken as one class holds the guarantee: only this method finds no release.
    Raises `PolicyError` when the method cannot work with these models, or not with several records a person.
    """
    models = tuple(models)
    units = data.units
    check_fit(method, units, limited=level_parts(units) is not None, blocks=blocks)
    parts = parts_of(units, require_of(models, units, units))
    again = deepcopy(rng)
    without = Without.nobody(units) if without is None else without
    search = _Solver(data, models, withhold_at_most, parts, plans, blocks, without)
    try:
        found = search.found(method, rng, progress)
    except (_ExcessError, CannotBeMetError) as failure:
        problem = search.refusal(failure) if isinstance(failure, _ExcessError) else failure
        try:
            search.run(_OneClass(), rng, Progress())
        except (_ExcessError, CannotBeMetError):
            raise problem from None
        raise MethodFailedError(*problem.notes, reasons=problem.unmet, method=method.name) from None
    if loss is None:
        return found
    others = [{"moving": False}] if found.moved else []
    others += [{"fewest": False}] if search.may_leave_all(method) else []
    best = loss(found) if others else 0.0
    for other in others:
        with suppress(_ExcessError, CannotBeMetError):
            tried = search.found(method, deepcopy(again), progress, **other)
            lost = loss(tried)
            if lost < best:
                found, best = tried, lost
    return found


@dataclass(frozen=True, eq=False)
class Without:
    """Some who are withheld before anything is searched.

    ``reasons``: (n,) why each is, by position in ``because``, -1 of the others. ``because``: with how many of them.
    ``others``: the table of these.
    """

    reasons: NDArray[np.int32]
    because: dict[Reason, int]
    others: Microdata

    @staticmethod
    def nobody(units: Microdata) -> Without:
        """Withhold nobody."""
        return Without(np.full(units.size, -1, np.int32), {}, units)

    def and_also(self, units: Microdata, records: NDArray[np.bool_], reason: Reason) -> Without:
        """Withhold some of the others, too; ``units``: the whole table."""
        reasons = self.reasons.copy()
        reasons[np.flatnonzero(reasons < 0)[records]] = len(self.because)
        because = self.because | {reason: int(np.count_nonzero(records))}
        return Without(reasons, because, units.take(np.flatnonzero(reasons < 0)))


class _ExcessError(Exception):
    """More would have to be withheld than may be: how many, why, and what was asked of whom."""

    def __init__(
        self,
        withheld: int,
        because: Mapping[Reason, int],
        requirements: tuple[Requirement, ...],
        parts: NDArray[np.int64] | None,
    ) -> None:
        super().__init__()
        self.withheld, self.because, self.requirements, self.parts = withheld, because, requirements, parts


@dataclass(eq=False)
class _RowsLeft:
    """The rows of a table while a search withholds some of them.

    ``units``: records or individuals. ``active``: (m,) those not withheld, by position. ``reasons``: (n,) why each
    other is withheld, by position in all reasons so far. ``moved``: (n,) who stands with people of another part. ``begun``: the
    table with which the search began.
    """

    units: Microdata
    active: NDArray[np.int64]
    reasons: NDArray[np.int32]
    moved: NDArray[np.bool_]
    begun: Microdata

    @classmethod
    def of(cls, units: Microdata, without: Without) -> _RowsLeft:
        """Begin with all of them who are not withheld before."""
        active = np.flatnonzero(without.reasons < 0)
        return cls(units, active, without.reasons.copy(), np.zeros(units.size, np.bool_), without.others)

    @property
    def here(self) -> Microdata:
        """The table of those that are not withheld; as long as these are all with whom it began, the same."""
        return self.begun if self.active.size == self.begun.size else self.units.take(self.active)

    def moving(
        self, parts: NDArray[np.int64], here: Microdata, requirements: tuple[Requirement, ...]
    ) -> NDArray[np.int64]:
        """(n,) Let those of whom a part has too many join another (`move_surplus`), and note who they are."""
        own, moved = parts[self.active], parts.copy()
        moved[self.active] = move_surplus(here, requirements, own)
        self.moved[self.active] |= moved[self.active] != own
        return moved

    def withhold(self, plan: Plan, because: dict[Reason, int]) -> None:
        """Note why a plan for those that are left withholds others, and go on without them."""
        numbers = {reason: number for number, reason in enumerate(because)}
        own = np.array([numbers[reason] for reason in plan.because] or [-1], np.int32)
        out = ~plan.published
        self.reasons[self.active[out]] = own[plan.reason_of[out]]
        self.active = self.active[plan.published]

    def told_apart(self, found: Decided) -> Microdata:
        """Give the records of one row that were told apart rows of their own; the table of those that are not withheld."""
        if found.copies is not None:
            left = np.ones(self.units.size, np.bool_)
            left[self.active] = False
            of = np.concatenate([np.flatnonzero(left), self.active[found.of]])
            units = self.units.take(of)
            assert units.copies is not None  # noqa: S101  # only counts are told apart
            self.active = np.arange(of.size - found.of.size, of.size)
            units.copies[self.active] = found.copies
            self.units, self.reasons, self.moved = units, self.reasons[of], self.moved[of]
            self.begun = units.take(self.active)
        return self.here


@dataclass(frozen=True, eq=False)
class _Solver:
    """What is searched for in which table; ``parts`` (n,) are those kept apart, None without."""

    data: Microdata
    models: tuple[PrivacyModel, ...]
    withhold_at_most: Fraction
    parts: NDArray[np.int64] | None
    plans: Plans | None
    blocks: BlockSearch | None
    without: Without

    def found(
        self,
        method: Method,
        rng: np.random.Generator,
        progress: Progress,
        *,
        moving: bool = True,
        fewest: bool = True,
    ) -> Solution:
        """What a method finds without those of whom the table has too many, or where it decides itself who these are.

        First as the method says (`Method.leaves_surplus`), and where it finds nothing so, the other way; of records that do not
        hold with what is known of them without the ``fewest``, then without all.
        Raises `_ExcessError` or `CannotBeMetError` where it finds nothing.
        """
        failures: list[_ExcessError | CannotBeMetError] = []
        for surplus, few in self._ways(method, fewest=fewest):
            try:
                own = deepcopy(rng)
                return self.run(method, own, progress, moving=moving, surplus=surplus, fewest=few)
            except (_ExcessError, CannotBeMetError) as problem:
                failures.append(problem)
        raise failures[0]

    def _ways(self, method: Method, *, fewest: bool) -> Iterator[tuple[bool, bool]]:
        """Say how to try in turn (``surplus`` and ``fewest`` of `run`); each is looked for only when the one before failed."""
        own = method.leaves_surplus
        yield own, fewest
        if fewest and self.may_leave_all(method):
            yield own, False
        if self.parts is None and not method.invents and self._has_surplus():
            yield not own, fewest

    def may_leave_all(self, method: Method) -> bool:
        """Whether all of whom the same is known may be withheld, and fewer must, where these do not hold together."""
        units = self.without.others
        if method.chooses_withheld or len(units.sensitive) < 2:
            return False
        allowance = int(self.withhold_at_most * self.data.units.count_records())
        for requirement in require_of(self.models, units, self.data.units):
            everyone = units.count_records(hopeless_records(requirement, units))
            if 0 < everyone <= allowance:
                return int(surplus_of_known(requirement, units).sum()) < everyone
        return False

    def _has_surplus(self) -> bool:
        """Whether the whole table has too many of some, by themselves or with what is known of them."""
        units = self.data.units
        requirements = require_of(self.models, units, units)
        everyone = np.zeros(units.size, np.int64)
        return withhold_surplus(units, requirements, everyone, {}) is not None or any(
            hopeless_records(one, units).any() for one in requirements
        )

    def run(
        self,
        method: Method,
        rng: np.random.Generator,
        progress: Progress,
        *,
        moving: bool = True,
        surplus: bool = True,
        fewest: bool = True,
    ) -> Solution:
        """Run a method, withhold what cannot hold, until nothing changes.

        ``surplus``: whether those of whom there are too many are withheld before it runs; of parts always. ``fewest``: whether,
        of whom the same is known and who do not hold together, as few as must.
        Raises `_ExcessError` when more would have to be withheld than may be.
        """
        rows, parts = _RowsLeft.of(self.data.units, self.without), self.parts
        because = dict(self.without.because)
        first: tuple[Requirement, ...] | None = None
        everybody, blocks = rows.units.count_records(), 1
        while True:
            here = rows.here
            requirements = require_of(self.models, here, rows.units)
            refuse_nothing(requirements)
            first = first or requirements
            searched = tuple(one for one in requirements if not one.bound.parts_suffice)
            method.check(searched)
            allowance = int(self.withhold_at_most * everybody) - (everybody - here.count_records())
            inside: NDArray[np.int64] | None = None
            if parts is not None:
                if here.copies is not None and limits_shares(requirements):
                    what = "max_level with a limit on shares moves and withholds single records, which counts of records are not"
                    raise PolicyError(Refusal(what, remedy="leave max_level out, or name the method"))
                if moving:
                    parts = rows.moving(parts, here, requirements)
                inside = group_codes([parts[rows.active]], [int(parts.max()) + 1]).of
            many = None
            if surplus or not method.chooses_withheld:
                many = _withhold_hopeless(here, requirements, allowance, because, fewest=fewest)
            if many is None and (surplus or inside is not None):
                everyone = np.zeros(here.size, np.int64) if inside is None else inside
                many = withhold_surplus(here, searched, everyone, because)
            if many is not None:
                rows.told_apart(many)
                rows.withhold(many.plan, because)
                self._refuse_excess(rows, because, first, parts)
                continue
            problem = Problem(here, searched, method.lowered, rng, inside, allowance, progress, self.plans)
            if inside is None and self.blocks is not None and self.blocks.suit(method, here):
                found, blocks = self.blocks.search(method, problem)
                plan, here = found.plan, rows.told_apart(found)
            else:
                plan = self._searched(method, problem, keep=moving)
            if plan.mechanism is not None and plan.sensitive is None:
                decided = Decided(*drawn(here, plan, rng))
                plan, here = decided.plan, rows.told_apart(decided)
            if len(searched) < len(requirements):
                plan = replace(plan, because=_of_known(plan.because))
            for reason, number in plan.because.items():
                because[reason] = because.get(reason, 0) + number
            plan, judged = _settle(here, plan, self.models, rows.units, because, inside)
            reached = rows.active
            rows.withhold(plan, because)
            self._refuse_excess(rows, because, first, parts)
            if judged is not None:
                apart = None if rows.units is self.data.units else rows.units
                plan = replace(plan, reasons=rows.reasons)
                data = self.data if apart is None else apart
                whole = _whole(data, reached, plan, judged, because)
                return replace(whole, moved=int(rows.moved[rows.active].sum()), data=apart, blocks=blocks)

    def _searched(self, method: Method, problem: Problem, *, keep: bool) -> Plan:
        """Run a method on the whole problem; what it finds by itself is for others to start from, where it is to be kept."""
        plan = run_in_parts(method, problem)
        if self.plans is not None and keep:
            self.plans.keep(method, problem, plan)
        plan = join_where_needed(method, problem, plan)
        if method.joins_rest:
            plan = improve_growing(problem, plan)
        return join_telling(problem, plan)

    def _refuse_excess(
        self,
        rows: _RowsLeft,
        because: dict[Reason, int],
        requirements: tuple[Requirement, ...],
        parts: NDArray[np.int64] | None,
    ) -> None:
        """Refuse to withhold more than the policy allows."""
        everybody = rows.units.count_records()
        withheld = everybody - rows.units.count_records(rows.active)
        if withheld > self.withhold_at_most * everybody or withheld >= everybody:
            raise _ExcessError(withheld, because, requirements, parts)

    def refusal(self, excess: _ExcessError) -> CannotBeMetError:
        """Say why."""
        reasons, notes = explain(
            self.data.units,
            excess.requirements,
            excess.withheld,
            self.withhold_at_most,
            excess.because,
            excess.parts,
        )
        return CannotBeMetError(*notes, reasons=reasons)


def _of_known(because: dict[Reason, int]) -> dict[Reason, int]:
    """Say why parts fail that knowledge keeps apart, not level limits."""
    return {
        KNOWN_PART_FAILS if reason == PART_FAILS else reason: number for reason, number in because.items()
    }


class _OneClass(Method):
    """Everybody in one class, or in one for each part of the table that the level limits keep apart: what any table could be."""

    name: ClassVar[str] = "one class"
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True
    full_domain: ClassVar[bool] = True

    def run(self, problem: Problem) -> Plan:
        """Publish the parts that hold."""
        parts = np.zeros(problem.data.size, np.int64) if problem.parts is None else problem.parts
        failing = ~problem.holding(parts, int(parts.max(initial=-1)) + 1)[parts]
        return Plan(parts).withhold(failing, PART_FAILS)


def _withhold_hopeless(
    here: Microdata,
    requirements: tuple[Requirement, ...],
    allowance: int,
    because: dict[Reason, int],
    *,
    fewest: bool,
) -> Decided | None:
    """Withhold records that no class can hold with what is known of them; None when there are none.

    The ``fewest`` without whom the others who share what is known can share a class; or all who do, where the ``allowance`` lets
    them, so that nobody is left who must share one.
    """
    for requirement in requirements:
        hopeless = hopeless_records(requirement, here)
        if not hopeless.any() or requirement.view is None:
            continue
        gone = np.where(hopeless, 1 if here.copies is None else here.copies, 0)
        if fewest or gone.sum() > allowance:
            gone = surplus_of_known(requirement, here)
        known = " and ".join(repr(here.sensitive[i].name) for i in requirement.view.known)
        words = "records that share what is known of them ({known}) do not hold {model}"
        reason = Reason("known-values-fail", words, known=known, model=requirement.subject)
        because[reason] = because.get(reason, 0) + int(gone.sum())
        return leaving(here, gone, reason)
    return None


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
    plan = merge_equal(here, plan)
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
        [merged.classes[shown], groups[shown]],
        [merged.count, int(groups.max(initial=0)) + 1],
        None if here.copies is None else here.copies[shown],
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
    added = None if plan.added is None else replace(plan.added, of=active[plan.added.of])
    whole = replace(
        plan,
        classes=classes,
        buckets=buckets,
        sensitive=sensitive,
        bounds=bounds,
        added=added,
        because=because,
    )
    if units.members is not None:
        whole = spread(whole, units.members.of)
    whole, recoding = recode(data, whole.counting(units.copies))
    return Solution(whole, recoding, requirements)


def check_fit(method: Method, units: Microdata, *, limited: bool, blocks: BlockSearch | None = None) -> None:
    """Refuse a table that a method cannot work with, whatever its values; ``units`` are records or individuals.

    ``blocks``: how it is searched, where it is too large to be searched at a time.

    Raises `PolicyError` where people have several records, level limits keep parts apart (``limited``), or regions grow by what
    few members have, and the method does not take that.
    """
    in_blocks = blocks is not None and blocks.suit(method, units)
    if units.copies is not None and not method.keeps_copies and not in_blocks:
        own = ((name, registry.load("methods", name)) for name in registry.names("methods"))
        able = [
            name
            for name, part in own
            if part.keeps_copies is not Method.keeps_copies and part.form == method.form
        ]
        what = "tells records apart that say the same, so it cannot work on counts of records"
        raise PolicyError(Refusal(what, (method.name,), remedy=f"use {' or '.join(able)}, or engine: memory"))
    if any(domain.attained is not None for domain in units.quasi) and (
        method.bounds_regions or method.invents
    ):
        what = "regions are wider than their classes" if method.bounds_regions else "it may invent records"
        raise PolicyError(
            Refusal(
                f"does not take attained, because {what}; leave attained or this variant out", (method.name,)
            )
        )
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
    everybody = units.count_records()
    data = units if units.members is None else units.members.records
    word = "record" if units.members is None else "individual"
    reasons: list[Refusal] = []
    notes: list[Refusal] = []
    for requirement in requirements:
        stats = requirement.of_rows(units, whole, 1)
        fails = not requirement.bound.holds(stats).all()
        fewest = least_withheld(units, (requirement,), whole)
        # Where parts are kept apart, or enough may be withheld, the whole table need not hold.
        impossible = fewest == everybody or fewest > at_most * everybody
        if fails and requirement.bound.parts() is None and impossible:
            bound = requirement.bound
            why = f"{bound.strongest(stats)}{bound.because(stats)}{bound.out_of_reach()}"
            reasons.append(
                Refusal(
                    f"the table of {count(everybody, word)}, taken as one class, does not hold it; "
                    f"the strongest it could meet is {why}"
                    f"{_at_least(fewest, everybody, at_most, word)}"
                    f"{_alone(requirement, data)}{_rare(requirement, everybody, word, data)}{_because_known(data, requirement)}",
                    (requirement.subject,),
                )
            )
    if not reasons:
        # Who may withhold everybody cannot be told to allow more: a release of nobody is none.
        exceeds = withheld > at_most * everybody
        allowed = (
            f"; the policy allows {float(at_most):.2%} (withhold: at_most)"
            if exceeds
            else ", and nothing be left"
        )
        room = everybody if parts is None else int(np.bincount(parts, units.copies).max())
        reasons.append(
            Refusal(
                f"{withheld:,} of {count(everybody, word)} would have to be withheld "
                f"({withheld / everybody:.2%}){allowed}"
                + "".join(_rare(requirement, room, word, data) for requirement in requirements),
                remedy=f"{'allow more, ' if exceeds else ''}weaken the guarantee, or lift level limits",
            )
        )
        notes += [Refusal(f"withheld {number}", why=str(reason)) for reason, number in because.items()]
        if parts is not None:
            notes += _failing_parts(units, requirements, parts, word)
            notes += _weaker_limits(units, requirements, at_most, word)
    return reasons, notes


def _at_least(fewest: int, everybody: int, at_most: Fraction, word: str) -> str:
    """Say how many would have to be withheld, where that is known; empty else."""
    if fewest == everybody:
        return ""
    return (
        f"; at least {count(fewest, word)} would have to be withheld ({fewest / everybody:.2%}), and the policy allows "
        f"{float(at_most):.2%} (withhold: at_most)"
    )


def _failing_parts(
    data: Microdata, requirements: tuple[Requirement, ...], parts: NDArray[np.int64], word: str
) -> list[Refusal]:
    """Say which models fail in the largest classes that level limits and knowledge allow."""
    sizes = np.bincount(parts, data.copies).astype(np.int64)
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
        what = (
            f"while nobody moves to another part, the smallest {name} by which so few have to be withheld is "
            f"{float(_rounded_up(limits[high])):.5g}"
        )
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
