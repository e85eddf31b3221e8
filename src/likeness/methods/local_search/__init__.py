"""Local search: start from the classes of another method, and lower their loss by moves that keep every guarantee."""

from __future__ import annotations

import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import cpu_count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness import registry
from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, charged_loss, holding_classes, method_for
from likeness.methods.handful import as_plan, best_partitions, holds_published, is_handful
from likeness.methods.local_search.pools import Items, Pools
from likeness.microdata.grouping import group_codes
from likeness.microdata.plan import Plan, Reason, renumber
from likeness.microdata.regions import LOWERED, merge_equal
from likeness.models.requirements import require_of
from likeness.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

WORK_A_STEP = 30
"""Steps that `Method.work` counts in one of a local search."""
STEPS_A_SECOND = 50_000_000
"""As many are taken in a second by one processor, at most."""
STEPS_A_RECORD = 100
"""As many steps could be taken while a record is laid out."""
_LEAST_SHARE = 1e-3
"""What a round must lower the loss by, as a share of it, for another like it to be made."""
_LEAST_SHARE_SHAKEN = 1e-4
"""The same of a round in which pools are shaken."""
_ROUNDS = 6
"""Rounds in which pools are shaken, for equal parts of the steps that are left."""
_STEPS_A_CELL = 100_000
"""Steps of such a round, for each cell of the table, after which another one is made only if the loss fell."""
_IN_VAIN = 3
"""Times that a small table's search begins anew, and ends without a lower loss, before it ends for good."""
CONVERGED = "no move was worth it any more"
USED_UP = "its steps were used up"
TIME_UP = "its time was up"
EXHAUSTED = "every partition had been looked at"
INTERRUPTED = "it was interrupted"
FAILING = "it saw that the classes it starts from do not hold"
"""Why a search ended."""
OUTLIER = Reason("outlier", "their class loses more by them than they are worth")
"""Why somebody is withheld whom a class could hold."""


@dataclass(frozen=True)
class Search:
    """What became of a local search: a private fact, kept in `Plan.history` under its name.

    ``loss``: what was lowered. ``before``, ``after``: what a record lost of it on the average, 1 for each withheld (of
    discernibility, the size of its class; that of everybody for who is withheld), in the best start and in the end.
    ``steps``, ``most``: how many were taken, and about how many might have been. ``ended``: why it ended, in words.
    """

    loss: str
    before: float
    after: float
    steps: int
    most: int
    ended: str

    def __str__(self) -> str:
        """Say it."""
        return (
            f"{self.loss} of a record {self.before:.6g} → {self.after:.6g} in {self.steps:,} steps, of about {self.most:,}; "
            f"ended when {self.ended}"
        )


class _Stop(threading.Event):
    """Ends a search, and says why."""

    why: str = ""

    def because(self, why: str) -> None:
        """Set it; the first reason counts."""
        self.why = self.why or why
        self.set()


@dataclass(frozen=True)
class LocalSearch(Method):
    """Lower the loss of another method's classes by exact local moves, under any composition of models.

    Classes that are neighbours make a pool, other ones every round. Within a pool a record moves to another class, two change
    places, the records that keep a class wide on one side of an attribute go where they cost least, a class is dissolved, those
    who lie in a part of its region are split off, as far as those who stay hold without them, or it is made anew together with
    its nearest; whatever is done, all classes hold, and the loss is lower. When no move is worth it any more, classes are made
    anew from records that are drawn, or one is made around a record, of those whom other classes can spare; what came of it is
    kept where the loss is lower, or, ever less, a little higher; the best is kept, until the steps are used up. Then those are
    withheld, as many as may be, whose class loses more by them than the 1 that a withheld record is charged.

    Parameters
    ----------
    start
        The method whose classes are improved: its name, or a mapping of ``name`` and parameters; by default the one that was
        made for the guarantee, else ``mondrian``. It must make classes of records. Of several, in a list, each is improved for
        an equal part of a third of the steps, and the one that loses least then for the others; if it ends before, so is
        the next.
    loss
        The information loss that is lowered: ``ncp`` (default), ``glm`` or ``iloss``; or ``discernibility``, the number of those
        who share a class with each (or could be a withheld one), where NCP decides between moves that lower it as much.
    steps
        About how many steps are taken at most, in all, each some 25 nanoseconds. Where many steps lower the loss of a small table
        by less than a ten thousandth, the search begins anew, with other draws, and keeps the best; three times in vain, and it
        ends.
    seconds
        Ends the search after so much time, too. What is found then depends on the machine.

    Notes
    -----
    A move is accepted where every class it touches holds by the class tests of the models, which are exact, and the sum of
    records times loss is lower by more than rounding. Under ``discernibility`` no move makes two classes of a pool show the same,
    for they would be one; what classes of different pools do is found out after every round, and where it was all in vain, the
    classes stay as they were. Of up to twelve records every set is judged as a class, and the best partition into these is taken.
    Pools do not depend on each other, so that any number of processors find
    the same. The first Ctrl-C ends the search and keeps what it has found; the second ends the command.

    References
    ----------
    Bayardo & Agrawal 2005 (``discernibility``). Schrimpf, Schneider, Stamm-Wilbrandt & Dueck 2000 (classes are made anew together
    with their neighbours: "ruin and recreate").

    Examples
    --------
    >>> LocalSearch(start="k-member", steps=10_000_000)
    LocalSearch(start='k-member', loss='ncp', steps=10000000, seconds=None)
    """

    start: Any = None
    loss: str = "ncp"
    steps: int = 600_000_000
    seconds: Any = None

    name: ClassVar[str] = "local-search"
    forms: ClassVar[tuple[str, ...]] = ("identity-reserved",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "loss", self.loss, tuple(LOWERED))
        whole(self.name, "steps", self.steps, at_least=1)
        if self.seconds is not None:
            number(self.name, "seconds", self.seconds, above=0)
        if isinstance(self.start, list | tuple):
            if not self.start:
                raise PolicyError(Refusal("start must name a method; the list is empty", (self.name,)))
            object.__setattr__(self, "start", tuple(self._plain(one) for one in self.start))
        elif self.start is not None:
            object.__setattr__(self, "start", self._plain(self.start))

    def _plain(self, given: Any) -> Method | str:
        """Give a method by its name where it is as it is by default, so that equal ones are equal however they were given."""
        method = self._made(given)
        return method if registry.parameters(method) else method.name

    def _made(self, given: Any) -> Method:
        """Make the method that is named."""
        rest: Mapping[str, Any] = {}
        if isinstance(given, Mapping):
            rest, given = {key: value for key, value in given.items() if key != "name"}, given.get("name")
        if isinstance(given, str):
            try:
                given = registry.create("methods", given, dict(rest))
            except PolicyError as problem:
                raise PolicyError(*problem.within(f"{self.name}: start")) from None
        if not isinstance(given, Method):
            what = f"start must be the name of a method, or a mapping such as {{name: mondrian}}; got {quoted(given)}"
            raise PolicyError(Refusal(what, (self.name,)))
        if not can_be_improved(given):
            raise PolicyError(
                Refusal(f"start: {given.name} makes no classes that could be improved", (self.name,))
            )
        return given

    @property
    def starts(self) -> tuple[Method, ...]:
        """The methods that are started from, where they are named."""
        if self.start is None:
            return ()
        return tuple(
            self._made(one) for one in (self.start if isinstance(self.start, tuple) else (self.start,))
        )

    @property
    def label(self) -> str:
        """Its name, and those of the methods that are started from."""
        names = dict.fromkeys(one.name for one in self.starts)
        return f"{self.name} from {', '.join(names)}" if names else self.name

    def check(self, requirements: tuple[Requirement, ...]) -> None:
        """Refuse what a method that is started from refuses."""
        for one in self.starts:
            one.check(requirements)

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Count what the methods that are started from cost, and all steps."""
        return sum(one.work(data, requirements) for one in self.starts) + self.steps * WORK_A_STEP

    def run(self, problem: Problem) -> Plan:
        """Make the first classes, and improve them."""
        individuals = problem.data.members is not None
        models = tuple(one.model for one in problem.requirements)
        starts = self.starts or (method_for(models, individuals=individuals),)
        for one in starts:
            if individuals and not one.takes_individuals:
                what = f"start: {one.name} does not take tables in which people have several records; use danonyir or mondrian"
                raise PolicyError(Refusal(what, (self.name,)))
        asked = replace(problem, loss=self.lowered)
        plans = [problem.plan_of(one) for one in starts]
        seconds = None if self.seconds is None else float(number(self.name, "seconds", self.seconds, above=0))
        before = min(_mean_loss(asked, plan) for plan in plans)
        if is_handful(asked):
            least = _best_of_all(asked, plans)
            if least is not None:
                told = Search(self.loss, before, _mean_loss(asked, least), 0, self.steps, EXHAUSTED)
                return replace(least, history=least.history | {self.name: told})
        taken, share, ended = 0, 3 * len(plans), ""
        left, rest = self.steps, seconds
        if seconds is None and self.steps < share * STEPS_A_RECORD * problem.data.size:
            # Laying out all of them would take longer than what each is then improved for.
            plans = [min(plans, key=lambda plan: charged_loss(asked, plan))]
        if len(plans) > 1:
            some = None if seconds is None else seconds / share
            for i, plan in enumerate(plans):
                if ended != INTERRUPTED:
                    plans[i], steps, ended = self._improved(asked, plan, max(1, self.steps // share), some)
                    taken += steps
            plans.sort(key=lambda plan: charged_loss(asked, plan))
            left, rest = max(1, self.steps * 2 // 3), None if seconds is None else seconds * 2 / 3
        found = plans[0]
        for plan in plans:
            if ended == INTERRUPTED or left <= 0:
                break
            own, steps, ended = self._improved(asked, plan, left, rest)
            found = min(found, own, key=lambda one: charged_loss(asked, one))
            taken, left = taken + steps, left - steps
            # Where no move is worth it any more, others may come farther.
            if ended != CONVERGED or seconds is not None or charged_loss(asked, found) <= 0:
                break
        told = Search(self.loss, before, _mean_loss(asked, found), taken, self.steps, ended)
        return replace(found, history=found.history | {self.name: told})

    def improve(self, problem: Problem, plan: Plan, steps: int, seconds: float | None = None) -> Plan:
        """Improve the classes of a plan, all of which hold.

        Parameters
        ----------
        problem
            What they must hold, and the loss that is lowered.
        plan
            The classes; those withheld stay so.
        steps, seconds
            As the parameters of the method.
        """
        return self._improved(problem, plan, steps, seconds)[0]

    def _improved(
        self, problem: Problem, plan: Plan, steps: int, seconds: float | None
    ) -> tuple[Plan, int, str]:
        """Improve the classes of a plan; the steps it took, and why it ended."""
        kept = np.flatnonzero(plan.published)
        classes = plan.classes[kept]
        if (
            not kept.size
            or not problem.data.quasi
            or not holding_classes(problem.requirements, problem.data, plan.classes, plan.count).all()
        ):
            return plan, 0, FAILING
        table = Items.of(problem, kept)
        with _stoppable(problem, seconds) as stopped, ThreadPoolExecutor(max(1, cpu_count() or 1)) as workers:
            pools, taken, ended = self._rounds(problem, table, classes, steps, workers, stopped)
            classes = _without_outliers(problem, pools, workers, problem.allowance - plan.withheld)
        found = np.full(problem.data.size, -1, np.int64)
        found[kept] = classes
        out = plan.published & (found < 0)
        found = np.where(plan.published, found, plan.classes)
        improved = replace(
            plan, classes=renumber(np.where(out, plan.count + found.max(initial=0) + 1, found))
        )
        improved = improved.withhold(out, OUTLIER)
        if problem.loss.crowd and charged_loss(problem, improved) > charged_loss(problem, plan):
            # Classes of different pools may show the same, and are one class then.
            improved = plan
        return improved, taken, ended

    def _rounds(
        self,
        problem: Problem,
        table: Items,
        classes: NDArray[np.int64],
        steps: int,
        workers: Executor,
        stopped: _Stop,
    ) -> tuple[Pools, int, str]:
        """Improve pools, other ones every round: first until no move is worth it, then shaken, until the steps are used up.

        Gives the last pools, the steps taken, and why it ended.
        """
        left, shaken, rounds, ended = steps, False, _ROUNDS, USED_UP
        many = _STEPS_A_CELL * table.part.size
        begun, best, lowest = classes, None, np.inf
        least, in_vain = np.inf, 0
        while True:
            share = min(left // rounds, many) if shaken else left
            pools = Pools.of(table, _shown_once(problem, table, classes), problem.rng, share, shaken=shaken)
            before, after, work = pools.improve(workers, stopped)
            left -= max(work, 1)
            problem.progress.step("lower the loss", steps - max(0, left), steps)
            converged = before - after <= (_LEAST_SHARE_SHAKEN if shaken else _LEAST_SHARE) * before
            settled = shaken and converged and share == many
            if after < lowest:
                best, lowest = pools, after
            if settled:
                in_vain = 0 if lowest < least * (1 - _LEAST_SHARE_SHAKEN) else in_vain + 1
                least = lowest
            if after <= 0 or in_vain == _IN_VAIN:
                ended = CONVERGED
                break
            if left <= 0 or stopped.is_set():
                break
            if settled:
                # Drawn otherwise, it comes elsewhere.
                classes, shaken, rounds = begun, False, _ROUNDS
                continue
            classes = pools.classes()
            if shaken:
                rounds = max(1, rounds - 1)
            shaken = shaken or converged
        return best or pools, steps - left, stopped.why or ended


def _mean_loss(problem: Problem, plan: Plan) -> float:
    """What a record loses on the average."""
    size = problem.data.size
    return charged_loss(problem, plan) / size / problem.loss.withheld(1) if size else 0.0


def _best_of_all(problem: Problem, plans: list[Plan]) -> Plan | None:
    """The plan of least loss that a handful of records have; None where no other partition holds."""
    for classes in best_partitions(problem):
        plan = as_plan(classes, OUTLIER)
        if holds_published(problem, plan):
            best = min(plans, key=lambda one: charged_loss(problem, one))
            better = best.withheld > problem.allowance or charged_loss(problem, plan) < charged_loss(
                problem, best
            )
            return plan if better else best
    return None


def _shown_once(problem: Problem, table: Items, classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join classes of a part that show the same, where it counts how many share a class, and all hold then."""
    if not problem.loss.crowd:
        return classes
    whole = np.full(problem.data.size, -1, np.int64)
    whole[table.rows] = classes
    merged = merge_equal(problem.data, Plan(whole)).classes[table.rows]
    part = table.part[table.cell]
    joined = group_codes([merged, part], [int(size.max(initial=0)) + 1 for size in (merged, part)])
    whole[table.rows] = joined.of
    return joined.of if problem.holding(whole, joined.count).all() else classes


def _without_outliers(problem: Problem, pools: Pools, workers: Executor, allowance: int) -> NDArray[np.int64]:
    """Withhold those by whom a class loses more than they are charged; nobody where the others would then no longer hold.

    Models that compare with the distribution of what is published compare with another one then.
    """
    classes = pools.classes()
    if allowance <= 0 or not pools.withhold(workers, allowance):
        return classes
    fewer = pools.classes()
    left = np.flatnonzero(fewer >= 0)
    data = problem.data.take(pools.table.rows[left])
    models = tuple(one.model for one in problem.requirements)
    count = int(fewer.max(initial=-1)) + 1
    holding = holding_classes(require_of(models, data, problem.data), data, fewer[left], count)
    return fewer if holding.all() else classes


def can_be_improved(method: Method) -> bool:
    """Whether a method makes classes of records that local moves could improve."""
    return Method.form in {method.form, *method.forms} and not (
        method.invents or method.bounds_regions or isinstance(method, LocalSearch)
    )


@contextmanager
def _stoppable(problem: Problem, seconds: float | None) -> Iterator[_Stop]:
    """Let the end of the time, or the first Ctrl-C, end the search, and no more; only the main thread hears the latter."""
    stopped = _Stop()
    if seconds is not None:
        timer = threading.Timer(seconds, stopped.because, (TIME_UP,))
        timer.daemon = True
        timer.start()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    ordinary = signal.getsignal(signal.SIGINT)

    def stop(_number: int, _frame: object) -> None:
        stopped.because(INTERRUPTED)
        signal.signal(signal.SIGINT, ordinary)
        problem.progress.note(
            "interrupted: the best found so far is taken; Ctrl-C once more ends the command"
        )

    if not callable(ordinary):
        yield stopped
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, ordinary)
