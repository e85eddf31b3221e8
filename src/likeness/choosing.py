"""The best known method: where a policy names none, those that fit are tried, and the classes of the best are improved.

Which methods are tried is decided by what they cost on a table of this size (`Method.work`), and how long their classes are
improved by what that took, never by a clock, unless the policy asks for seconds: the same table, policy and seed give the same
release on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from os import cpu_count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness import registry
from likeness.apart import level_parts, rare_values
from likeness.encode import refuse_telling
from likeness.errors import CannotBeMetError, PolicyError, Refusal
from likeness.methods.base import Plans
from likeness.methods.local_search import (
    STEPS_A_RECORD,
    STEPS_A_SECOND,
    WORK_A_STEP,
    LocalSearch,
    Search,
    can_be_improved,
)
from likeness.metrics.base import Evaluation
from likeness.metrics.ncp import Ncp
from likeness.microdata.grouping import count_copies
from likeness.microdata.plan import Reason
from likeness.microdata.regions import LOSSES
from likeness.models.requirements import require_of
from likeness.progress import Progress
from likeness.solve import Solution, Without, check_fit, solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.blocks import BlockSearch
    from likeness.forms.base import Form, Publication
    from likeness.methods.base import Method
    from likeness.metrics.base import Metric
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.policy import Policy

MOST_WORK = 2_500_000_000
"""Steps that the methods tried may take together, some 5 s of one processor, and times what the effort allows; those made for
the guarantee are not counted."""
WORK_A_SECOND = MOST_WORK // 5
"""Steps of a second of one processor, about."""
FEW = 1_000
"""Records of a table that moves search so long that some starts do not matter (`Method.outdone_by_moves`)."""
VERY_FEW = 200
"""Records of a table of which one start is enough: of 400 moves sometimes end 10 % higher without the others."""
LOSS = Ncp(charge_withheld=True)
"""What decides by default: the normalized certainty penalty per record, 1 for each that is withheld."""


class Effort(NamedTuple):
    """How long to go on lowering the loss.

    ``starts``: how many are improved. ``times``: for how many times the work of finding them. ``steps``: but for no fewer than
    that (`WORK_A_STEP`). ``tries``: how many times `MOST_WORK` the methods that are tried may take. ``one_does``: whether one
    start that suffices (`Method.suffices`) is enough in a table of `VERY_FEW`.
    """

    starts: int
    times: int
    steps: int
    tries: int
    one_does: bool


EFFORTS = {
    "quick": Effort(0, 0, 0, 1, one_does=False),
    "normal": Effort(3, 3, 40_000_000, 1, one_does=True),
    "thorough": Effort(6, 40, 200_000_000, 20, one_does=False),
}
_MOST_ROUNDS = 3
"""Times that values are looked for which are so rare that it is better to withhold them."""
_LOWER = 0.95
"""What a method must lose without them, of what it loses with them: less may be chance."""
_FAR_LOWER = 0.75
"""What the first method loses without them, of what it loses with them, where no other one loses more so: as measured, the
best gains more by it than the cheapest."""
_OFTEN_OVER = 20
"""Part of the least steps of an effort after which moves have often ended: no more are replaced."""
_NEARLY_BEST = 1.1
"""How many times the least loss a start may lose: moves bring some farther than others, but not any distance."""

_MOST_PARTS = 8
"""Parts that are tried by themselves, where no release of all is found."""
_APART = Reason(
    "part-apart",
    "level limits keep them apart from those who are published, and no release was found that holds with both",
)

KEPT = "kept"
LOSES_MORE = "loses more"
CANNOT = "finds no release"
UNFIT = "does not fit"
UNMEASURED = "loss cannot be measured"
TOO_MUCH = "too much work"
NOT_NEEDED = "not needed"


@dataclass(frozen=True)
class Candidate:
    """What became of one method that could have made a release.

    ``method``: with its default parameters, but for the loss that is asked for.
    ``outcome``: ``kept``; ``loses more``; ``loss cannot be measured``, as what it publishes does not tell; ``finds no release``;
    ``does not fit`` the guarantee or the table; ``too much work``, or ``not needed`` beside one that loses nothing, or where
    local moves bring others as far: not tried.
    ``work``: steps that a run was estimated to take, each some nanoseconds.
    ``loss``: what its release has of the policy's ``minimize``, by default the normalized certainty penalty, withheld records
    counted as 1; None without a release, and ``why`` says why it has none.
    ``search``: how far the classes were improved, where they were.
    """

    method: Method
    outcome: str
    work: int
    loss: float | None = None
    why: Refusal | None = None
    search: Search | None = None

    def to_json(self) -> dict[str, Any]:
        """Write it as JSON can hold it."""
        return {
            "method": self.method.name,
            **({"parameters": given} if (given := registry.parameters(self.method)) else {}),
            "outcome": self.outcome,
            "work": self.work,
            "loss": self.loss,
            "why": None if self.why is None else str(self.why),
            **({} if self.search is None else {"search": asdict(self.search)}),
        }


@dataclass(frozen=True, eq=False)
class Choice:
    """A solution, and how its method was chosen.

    ``candidates``: all that could have made it, in the order they were looked at; empty where the policy names the method.
    """

    method: Method
    solution: Solution
    candidates: tuple[Candidate, ...] = ()


def methods_to_try(policy: Policy) -> tuple[Method, ...]:
    """The policy's method; where it names none, all that publish in its form, lowering the loss it asks for.

    Raises `PolicyError` when no method is tried unasked for that form; says which could be asked.
    """
    if policy.method is not None:
        return (policy.method,)
    form = _default_form(policy) if policy.form is None else policy.form.name
    found = tuple(method for method in _candidates(policy) if form in _forms_of(method))
    if not found and _keeps_signatures(policy):
        own = _default_form(policy)
        raise PolicyError(
            f"form: {form!r} is none that methods which are made for this guarantee publish in; leave it out: it is {own!r} then"
        )
    if not found:
        makers = [
            name for name in registry.names("methods") if form in _forms_of(registry.load("methods", name))
        ]
        raise PolicyError(
            f"form: {form!r} needs a method that publishes in it; say method: {{name: {' or '.join(makers)}, …}}"
        )
    return found


def choose_form(policy: Policy, method: Method | None = None) -> Form:
    """The policy's form, or the one its method publishes in.

    ``method``: what makes the release, the policy's when left out; it is not looked at where the policy names none.
    Raises `PolicyError` when the method's plans cannot be published in that form, or it needs ``individual`` to be named.
    """
    if policy.individual is None and policy.form is not None and policy.form.needs_individuals:
        raise PolicyError(
            f"form: {policy.form.name!r} says whose records are whose; name the column that tells people apart, as in "
            "individual: patient_id"
        )
    named = None if policy.method is None else method or policy.method
    one_each = policy.individual is None or (named is not None and named.leaves_one_record)
    if not one_each and policy.form is not None and not policy.form.takes_individuals:
        raise PolicyError(
            f"form: {policy.form.name!r} takes every record for another person's, and individual: says that people have several; "
            "leave the form out"
        )
    if named is None:
        methods_to_try(policy)
        name = _default_form(policy)
    else:
        possible = _forms_of(named)
        if policy.individual is None:
            possible = [name for name in possible if not registry.load("forms", name).needs_individuals]
        name = possible[0]
        if policy.form is not None and policy.form.name not in possible:
            raise PolicyError(
                Refusal(
                    f"publishes in the form {' or '.join(map(repr, possible))}, not {policy.form.name!r}",
                    (named.name,),
                )
            )
    form: Form = policy.form if policy.form is not None else registry.create("forms", name, {})
    form = form.of_individuals(not one_each)
    return form.with_numeric_pairs() if policy.output.numeric_pairs else form


def choose(
    policy: Policy,
    data: Microdata,
    models: Iterable[PrivacyModel],
    rng: Callable[[Method], np.random.Generator],
    publish: Callable[[Method, Solution], Publication],
    withhold_at_most: Fraction,
    progress: Progress,
    blocks: BlockSearch | None = None,
) -> Choice:
    """Solve by the policy's method, or by the one that loses least of those that fit.

    Methods are looked at by cost, the cheapest first, then by name. Those made for one of the models are always tried, so are
    those that say so (`Method.always_tried`), and so is the cheapest of the others; the rest as long as all together take no
    more than `MOST_WORK` steps, or at a higher ``effort`` a multiple of it. None is tried beside one that loses nothing, nor,
    where classes are improved, one that moves outdo (`Method.outdone_by_moves`), or beside a start that suffices
    (`Method.suffices`); there those that are patient (`Method.patient`) are tried in place of some moves. Before, at an effort
    that improves classes, whoever has a value of few is withheld, if the policy allows it and the first method loses less so
    (`rare_values`); where the best of all methods loses more so, nobody is, which is not looked at where the first loses a
    quarter less. Then the classes of those that lose least are
    improved (`LocalSearch`), as ``effort`` says.
    The loss (`LOSS`, or the metric that the policy's ``minimize`` names) is measured on the published regions, or tables; of
    equal losses the first is kept, and only the best solution is held.
    ``rng``: the randomness of each method's search, as if it was named. ``publish``: makes what a method's solution is published
    as. ``withhold_at_most``, ``blocks``: as for `solve`.
    Raises `CannotBeMetError` when no method finds a release, with why and which were tried; `PolicyError` when the method
    named does not fit, or none does.
    """
    models = tuple(models)
    methods = methods_to_try(policy)
    aim = _aim(policy)
    loss = _Judge(aim if aim.charges_withheld else replace(LOSS, loss=aim.searched), data, publish)
    seconds = policy.effort["seconds"] if isinstance(policy.effort, Mapping) else None
    effort = EFFORTS["thorough" if isinstance(policy.effort, Mapping) else policy.effort]
    begin = partial(_Trials, data, models, withhold_at_most, _Listener(progress), loss, effort, rng, blocks)
    if policy.method is not None:
        return Choice(methods[0], begin().solve(methods[0], progress))
    trials = begin()
    trials.look_at_all(methods, seconds, progress, rare_values=policy.withhold.rare_values)
    if trials.leaves_out and (trials.best is None or trials.loses_without > _FAR_LOWER):
        # What one method gained by it another may lose.
        with_all = begin()
        with_all.look_at_all(methods, seconds, progress, rare_values=False)
        trials = trials.or_else(with_all)
    if trials.best is None and trials.limited:
        trials = trials.of_a_part(begin, methods, seconds, progress) or trials
    trials.improve(seconds)
    return trials.choice()


@dataclass(frozen=True)
class _Judge:
    """What decides between solutions: a metric, of the published tables where it is of these."""

    metric: Metric
    data: Microdata
    publish: Callable[[Method, Solution], Publication]

    def measure(self, method: Method, solution: Solution) -> float:
        """How much of the metric a method's solution has."""
        shown = self.publish(method, solution) if self.metric.of_publication else None
        data = self.data if solution.data is None else solution.data
        return self.metric.measure(Evaluation(data, solution.plan, solution.recoding, shown))


class _Trials:
    """Looks at one method after the other and holds the best solution so far."""

    def __init__(
        self,
        data: Microdata,
        models: tuple[PrivacyModel, ...],
        withhold_at_most: Fraction,
        listener: _Listener,
        judge: _Judge,
        effort: Effort,
        rng: Callable[[Method], np.random.Generator],
        blocks: BlockSearch | None,
    ) -> None:
        self.blocks = blocks
        self.judge, self.effort, self.rng = judge, effort, rng
        self.data, self.units = data, data.units
        self.plans = Plans(self.units, rng)
        self.models, self.withhold_at_most, self.listener = models, withhold_at_most, listener
        self.limited = level_parts(self.units) is not None
        self.moves = effort.starts > 0 and self.units.copies is None
        # Moves do not lower what is measured of published tables, nor of regions that grow; in larger tables they end before
        # starts stop mattering.
        few = self.units.size <= FEW and self.units.members is None
        grows = any(domain.attained is not None for domain in self.units.quasi)
        self.outdoing = self.moves and few and not grows and not judge.metric.of_publication
        very_few = self.units.size <= VERY_FEW and judge.metric.searched in LOSSES
        self.one_does = self.outdoing and very_few and effort.one_does
        self.requirements = require_of(models, self.units, self.units)
        self.work: dict[Method, int] = {}
        self.affordable: set[Method] = set()
        self.left = self.most = MOST_WORK * effort.tries
        self.candidates: list[Candidate] = []
        self.refused: list[CannotBeMetError | PolicyError] = []
        self.best: tuple[float, Method, Solution] | None = None
        self.without = Without.nobody(self.units)
        self.loses_without = 1.0
        self.looked = 0
        self.telling: CannotBeMetError | None = None
        self.unmeasured: list[PolicyError] = []

    @property
    def leaves_out(self) -> bool:
        """Whether somebody is withheld before any method is tried."""
        return bool((self.without.reasons >= 0).any())

    def or_else(self, others: _Trials) -> _Trials:
        """Take those whose best solution loses less; what the others took is charged, too."""
        better, worse = (others, self) if others.least < self.least else (self, others)
        better.looked += worse.looked + worse.spent
        return better

    def of_a_part(
        self,
        begin: Callable[[], _Trials],
        methods: Sequence[Method],
        seconds: float | None,
        progress: Progress,
    ) -> _Trials | None:
        """Try the parts that level limits keep apart, the largest first, until one holds by itself; None where none does.

        All others are withheld then, where they may be. What holds of one part need not hold of it beside others: models compare
        with all that is published.
        """
        parts = level_parts(self.units)
        assert parts is not None  # noqa: S101  # there are limits
        sizes = count_copies(parts, self.units.copies, int(parts.max(initial=-1)) + 1)
        allowance = int(self.withhold_at_most * self.units.count_records())
        for part in np.argsort(-sizes, kind="stable")[:_MOST_PARTS].tolist():
            others = parts != part
            if not 0 < self.units.count_records(others) <= allowance:
                continue
            found = begin()
            found.leave_out(others, _APART)
            found.look_at_all(methods, seconds, progress, rare_values=False)
            if found.best is not None:
                return found
        return None

    def leave_out(self, who: NDArray[np.bool_], reason: Reason) -> None:
        """Withhold some (n,) before any method is tried."""
        self.without = self.without.and_also(self.units, who, reason)
        self.plans = Plans(self.without.others, self.rng)

    @property
    def least(self) -> float:
        """What the best solution loses; infinite where there is none."""
        return float("inf") if self.best is None else self.best[0]

    def look_at_all(
        self, methods: Sequence[Method], seconds: float | None, progress: Progress, *, rare_values: bool
    ) -> None:
        """Try methods, the cheapest first; with ``rare_values`` without whoever has a value of few, where that loses less."""
        order = self.cheapest_first(methods)
        if rare_values:
            self.leave_out_rare_values(order)
        for number, method in enumerate(order):
            progress.step("try methods", number, len(order))
            self.look_at(self.afforded(method, seconds))

    def leave_out_rare_values(self, order: list[Method]) -> None:
        """Withhold whoever has a value so rare that all others lose more by them, as the first method that fits tells.

        Every such choice that is the best is the beginning of others, until none lowers the loss by a twentieth.
        ``loses_without``: what it loses in the end, of what it loses with everybody.
        """
        everybody = self.units.count_records()
        allowance = int(self.withhold_at_most * everybody)
        if not self.effort.starts or not allowance:
            return
        best = with_all = None
        for _ in range(_MOST_ROUNDS):
            left = allowance - everybody + self.without.others.count_records()
            choices = rare_values(self.without.others, self.requirements, left)
            if not choices:
                break
            if best is None or with_all is None:
                best = with_all = self._loss_without(order, self.without)
            tried = [self.without.and_also(self.units, *choice) for choice in choices]
            losses = [self._loss_without(order, one) for one in tried]
            if min(losses) >= best * _LOWER:
                break
            best = min(losses)
            self.without = tried[losses.index(best)]
            self.loses_without = 1.0 if with_all == float("inf") else best / with_all
        self.plans = Plans(self.without.others, self.rng)

    def _loss_without(self, order: list[Method], without: Without) -> float:
        """What the first method that finds a release without some loses; infinite where none does, or may."""
        try:
            kept = without.reasons < 0
            people = self.units.members
            refuse_telling(self.data, kept if people is None else kept[people.of], self.models)
        except CannotBeMetError:
            return float("inf")
        for method in order:
            try:
                check_fit(method, self.units, limited=self.limited)
                method.check(self.requirements)
                self.looked += self.work[method]
                found = self.solve(method, Progress(), without)
            except (CannotBeMetError, PolicyError):
                continue
            return self._lost(method, found)
        return float("inf")

    def _lost(self, method: Method, solution: Solution) -> float:
        """What a solution loses; infinite where what is published does not tell."""
        try:
            return self.judge.measure(method, solution)
        except PolicyError:
            return float("inf")

    def solve(self, method: Method, progress: Progress, without: Without | None = None) -> Solution:
        """Solve by one method, without those who are withheld before."""
        loss, at_most, rng = partial(self._lost, method), self.withhold_at_most, self.rng(method)
        found = solve(
            method, self.data, self.models, rng, at_most, progress,
            loss=loss, plans=self.plans if without is None else None, blocks=self.blocks,
            without=self.without if without is None else without,
        )  # fmt: skip
        data = self.data if found.data is None else found.data
        try:
            refuse_telling(data, found.plan.published, self.models)
        except CannotBeMetError as problem:
            self.telling = problem
            raise
        return found

    def cheapest_first(self, methods: Iterable[Method]) -> list[Method]:
        """Sort methods by what they cost, those of equal cost by name; those that may not be needed come last."""
        self.work = {method: method.work(self.units, self.requirements) for method in methods}
        return sorted(self.work, key=lambda method: (*self._is_last(method), self.work[method], method.name))

    def _is_last(self, method: Method) -> tuple[bool, ...]:
        """Whether it is tried after others: in place of moves, or where moves, what is made for the models or a start may do."""
        always = partial(method.always_tried, self.models, self.units.size)
        waits = always(served=False) and not always(served=True)
        return method.patient, self._is_outdone(method), waits, not self._suffices(method)

    def _suffices(self, method: Method) -> bool:
        """Whether moves that follow need no other start."""
        return self.one_does and method.suffices(self.models)

    def _is_outdone(self, method: Method) -> bool:
        """Whether moves that follow come as far from other methods."""
        return self.outdoing and method.outdone_by_moves and not method.made_for(self.models)

    @property
    def spent(self) -> int:
        """Work of what was tried; what moves outdo would have been without them."""
        told = (one for one in self.candidates if not one.method.patient)
        return sum(one.work for one in told if one.outcome in {LOSES_MORE, NOT_NEEDED})

    def afforded(self, method: Method, seconds: float | None) -> Method:
        """A method as it is tried: one that is patient with parameters that the effort allows, where there are some."""
        if not method.patient or not self.moves:
            return method
        found = self._within(method, self.effort, seconds)
        if found is None:
            return method
        self.work[found] = found.work(self.units, self.requirements)
        self.affordable.add(found)
        return found

    def _within(self, method: Method, effort: Effort, seconds: float | None) -> Method | None:
        """A patient method with parameters that an effort allows."""
        moves = max(effort.times * self.spent, effort.steps * WORK_A_STEP // _OFTEN_OVER)
        # A third is left to moves.
        most = moves * 2 // 3
        if seconds is not None:
            most = min(most, int(seconds * WORK_A_SECOND) * (cpu_count() or 1))
        return method.within(most, self.units, self.requirements)

    def _as_normal(self, begun: list[Method]) -> list[Method]:
        """Patient methods as `normal` has them, where that is not how they were tried.

        Of few records moves end elsewhere from them, and not rarely lower; of many it takes too much to begin twice.
        """
        if self.units.size > FEW:
            return []
        found = (self._within(one, EFFORTS["normal"], None) for one in begun if one.patient)
        return [one for one in found if one is not None and one not in begun]

    def look_at(self, method: Method, *, asked: bool = False) -> None:
        """Try a method, unless it does not fit or, where it was not ``asked`` for, costs too much; note what became of it."""
        try:
            check_fit(method, self.units, limited=self.limited)
            method.check(self.requirements)
            if not asked and (why := self._spared(method)):
                self.candidates.append(Candidate(method, why, self.work[method]))
                return
            solution = self.solve(method, self.listener.of(method))
        except (CannotBeMetError, PolicyError) as problem:
            outcome = CANNOT if isinstance(problem, CannotBeMetError) else UNFIT
            self.candidates.append(Candidate(method, outcome, self.work[method], why=problem.refusals[0]))
            self.refused.append(problem)
        else:
            self._compare(method, solution)

    def _spared(self, method: Method) -> str:
        """Why a method that fits is not tried, if it is not; what it costs is taken from what is left."""
        if self.best is not None and self.best[0] == 0:
            return NOT_NEEDED
        served = any(one.loss is not None and one.method.made_for(self.models) for one in self.candidates)
        if method.patient:
            return "" if method in self.affordable else TOO_MUCH
        if any(one.loss is not None and self._suffices(one.method) for one in self.candidates):
            return NOT_NEEDED
        always = method.always_tried(self.models, self.units.size, served=served)
        if always or method.made_for(self.models):
            return ""
        # The first is tried on any table: there is to be a release.
        if self.work[method] > self.left and self.left < self.most:
            return TOO_MUCH
        self.left -= self.work[method]
        return NOT_NEEDED if self._is_outdone(method) and self.best is not None else ""

    def _compare(self, method: Method, solution: Solution) -> None:
        """Keep a solution that loses less than all before it; one whose loss cannot be measured is none."""
        try:
            loss = self.judge.measure(method, solution)
        except PolicyError as problem:
            why = problem.refusals[0]
            self.candidates.append(Candidate(method, UNMEASURED, self.work[method], why=why))
            self.unmeasured.append(problem)
            return
        search = solution.plan.history.get(method.name)
        told = search if isinstance(search, Search) else None
        self.candidates.append(Candidate(method, LOSES_MORE, self.work[method], loss, search=told))
        if self.best is None or loss < self.best[0]:
            self.best = loss, method, solution

    def _in_place_of_moves(self, best: float) -> int:
        """Work of patient methods that moves do without: all where it has the best start, else what is more than others took."""
        took = [one for one in self.candidates if one.method.patient and one.loss is not None]
        return sum(one.work if one.loss == best else max(0, one.work - self.spent) for one in took)

    def improve(self, seconds: float | None) -> None:
        """Improve the classes of the methods that lose least, as long as the effort allows; the best is kept."""
        own = self.effort
        tried = [one for one in self.candidates if one.loss is not None]
        tried = [one for one in tried if one.loss and can_be_improved(one.method)]
        best = min((one.loss for one in self.candidates if one.loss is not None), default=0.0)
        patient = self._in_place_of_moves(best)
        near = [one for one in tried if one.loss is not None and one.loss <= best * _NEARLY_BEST]
        begun = sorted(near, key=lambda one: (one.loss, one.work, one.method.name))[: own.starts]
        if begun and self.moves:
            laying_out = STEPS_A_RECORD * WORK_A_STEP * self.units.size
            left = own.times * self.spent - laying_out - patient - self.looked
            # Where laying out alone takes as long as half of that, more than it lowers the loss by tenths of a percent.
            half = own.steps // 2
            steps = half if laying_out > half * WORK_A_STEP else max(own.steps, left // WORK_A_STEP)
            if seconds is not None:
                # Time is to end it.
                steps = max(steps, int(seconds * STEPS_A_SECOND) * (cpu_count() or 1))
            starts = [one.method for one in begun]
            starts += self._as_normal(starts)
            method = LocalSearch(
                starts[0] if len(starts) == 1 else tuple(starts), self.judge.metric.searched, steps, seconds
            )
            self.work[method] = method.work(self.units, self.requirements)
            self.look_at(method, asked=True)

    def choice(self) -> Choice:
        """The best solution, or the refusal where there is none."""
        if self.best is None:
            raise self._refusal()
        _, kept, solution = self.best
        self.listener.tell(kept)
        candidates = tuple(
            replace(one, outcome=KEPT) if one.method is kept else one for one in self.candidates
        )
        return Choice(kept, solution, candidates)

    def _refusal(self) -> CannotBeMetError | PolicyError:
        """Say why no method has a release: as one says it whose release would tell of somebody, else the cheapest."""
        if self.unmeasured:
            return self.unmeasured[0]
        cannot = [problem for problem in self.refused if isinstance(problem, CannotBeMetError)]
        if not cannot:
            return self.refused[0]
        tried = [one.method.name for one in self.candidates if one.outcome == CANNOT]
        said = cannot[0] if self.telling is None else self.telling
        return CannotBeMetError(*said.notes, reasons=said.reasons, tried=tried)


class _Listener:
    """Passes on what methods do, and what the one that is kept noted."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.notes: dict[str, list[str]] = {}

    def of(self, method: Method) -> Progress:
        """Listen to one method."""
        notes = self.notes.setdefault(method.label, [])
        return _NamedStages(self.progress, method.label, notes)

    def tell(self, method: Method) -> None:
        """Pass on what a method noted."""
        for note in dict.fromkeys(self.notes[method.label]):
            self.progress.note(note)


class _NamedStages(Progress):
    """Passes on stages with the method's name, and keeps notes."""

    def __init__(self, progress: Progress, name: str, notes: list[str]) -> None:
        self.progress, self.name, self.notes = progress, name, notes

    def step(self, stage: str, done: int, total: int) -> None:
        """Pass it on."""
        self.progress.step(f"{self.name}: {stage}", done, total)

    def note(self, message: str) -> None:
        """Keep it."""
        self.notes.append(message)


def _candidates(policy: Policy) -> list[Method]:
    """All methods that are tried unasked, of those that take several records a person where people have.

    Those that can lower several losses lower the one that decides between them, where it is a loss of cells.
    """
    parts = [registry.load("methods", name) for name in registry.names("methods")]
    lowered = _aim(policy).searched
    own = {"loss": lowered} if lowered in LOSSES else {}
    keeping = _keeps_signatures(policy)
    return [
        registry.create(
            "methods", part.name, own if own.keys() <= {field.name for field in fields(part)} else {}
        )
        for part in parts
        if (part.keeps_signatures if keeping else part.candidate)
        and (policy.individual is None or part.takes_individuals)
    ]


def _keeps_signatures(policy: Policy) -> bool:
    """Whether classes are asked for that only methods made for it find, as no class of others holds it."""
    return policy.individual is None and any(model.signature_size is not None for model in policy.privacy)


def _aim(policy: Policy) -> Metric:
    """What decides between solutions."""
    return LOSS if policy.minimize is None else policy.minimize


def _default_form(policy: Policy) -> str:
    """The form of a method made for the guarantee, of people with several records or signatures; else the one of most."""
    if policy.individual is not None or _keeps_signatures(policy):
        for method in _candidates(policy):
            if method.made_for(tuple(policy.privacy)):
                return method.form
    return "generalized"


def _forms_of(method: Method | type[Method]) -> list[str]:
    """The forms a method's plans can be published in, its own first."""
    found = [method.form, *method.forms]
    of_classes = [name for name in registry.names("forms") if registry.load("forms", name).of_classes]
    # Classes are classes, whatever is shown of them.
    return list(dict.fromkeys([*found, *(of_classes if set(found) & set(of_classes) else ())]))
