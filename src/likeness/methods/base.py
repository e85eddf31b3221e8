"""What every method is: it looks at a problem and decides a plan.

What individuals with several records count in is one place of a histogram per distinct value of theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from likeness import registry
from likeness.errors import CannotBeMetError
from likeness.microdata.grouping import count_copies
from likeness.microdata.plan import Plan, Reason, renumber, side_by_side, spread
from likeness.microdata.regions import LOWERED, attribute_weights, recode, region_losses
from likeness.microdata.statistics import count_classes
from likeness.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import ClassTest
    from likeness.microdata.data import Members, Microdata
    from likeness.microdata.mechanism import Mechanism
    from likeness.microdata.regions import CellLoss
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement, View


TABLE_FAILS = Reason("table-fails", "the whole table as one class does not hold the guarantee")
PART_FAILS = Reason("part-fails", "the smallest part allowed by the level limits does not hold the guarantee")
KNOWN_PART_FAILS = Reason(
    PART_FAILS.name,
    "those who may share a class, given what is known of them, do not hold the guarantee together",
)
"""Reasons why records are withheld."""


def table_fails(models: Iterable[str]) -> Reason:
    """Make the reason why all records are withheld, where it is known which models the whole table does not hold."""
    return Reason(
        "table-fails", "the whole table as one class does not hold {models}", models=", ".join(models)
    )


@dataclass(frozen=True, eq=False)
class Problem:
    """What a method is asked to solve.

    Parameters
    ----------
    data
        The records to publish (those withheld in an earlier round are not there). Where people may have several records, its
        rows are the individuals, and ``data.members`` holds the records of each.
    requirements
        The privacy models, bound; all must hold for every class.
    loss
        What generalizing a cell costs, under the recoding that will be published.
    rng
        Source of randomness.
    parts : (n,) int64, optional
        Records of different parts must not share a class (hierarchy level limits); parts are numbered from 0.
    allowance
        Most records that may be withheld.
    progress
        Where to say how far the work is.
    plans
        What other methods found, for those that start from it.
    """

    data: Microdata
    requirements: tuple[Requirement, ...]
    loss: CellLoss
    rng: np.random.Generator
    parts: NDArray[np.int64] | None = None
    allowance: int = 0
    progress: Progress = Progress()  # noqa: RUF009  # a silent, stateless listener
    plans: Plans | None = None

    def plan_of(self, method: Method) -> Plan:
        """The plan of another method, by its own random numbers where `plans` has them; not made again where it was made."""
        own = replace(self, loss=method.lowered)
        return run_in_parts(method, own) if self.plans is None else self.plans.of(method, own)

    @property
    def word(self) -> str:
        """What the rows of its table are, in messages."""
        return "records" if self.data.members is None else "individuals"

    def holding(self, classes: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
        """(count,) Whether each class holds every requirement, exactly (see `holding_classes`)."""
        return holding_classes(self.requirements, self.data, classes, count)


def holding_classes(
    requirements: tuple[Requirement, ...], data: Microdata, classes: NDArray[np.int64], count: int
) -> NDArray[np.bool_]:
    """Decide exactly which classes hold every requirement.

    Parameters
    ----------
    requirements
        Bound models.
    data
        The records.
    classes : (n,) int64
        Class of each record, -1 for withheld ones.
    count
        Number of classes.

    Returns
    -------
    (count,) bool
    """
    good = np.ones(count, np.bool_)
    for requirement in requirements:
        stats = requirement.of_rows(data, classes, count)
        holds = requirement.bound.holds(stats)
        if stats.parent is None:
            good &= holds
        else:
            good[stats.parent[~holds]] = False
    return good & (count_classes(classes, count).sizes > 0)


def holding_records(requirements: tuple[Requirement, ...], data: Microdata, plan: Plan) -> NDArray[np.bool_]:
    """Decide exactly which records of a plan are published where every requirement holds.

    Models about sensitive values are judged on the mechanism or the buckets, where a plan has them, with what was added; all
    others on the classes, without it.

    Parameters
    ----------
    requirements
        Bound models.
    data
        The records.
    plan
        Their classes and buckets.

    Returns
    -------
    (n,) bool
        False for withheld records.
    """
    if plan.mechanism is not None:
        of_classes = tuple(r for r in requirements if r.view is None)
        good = holding_classes(of_classes, data, plan.classes, plan.count)
        good &= _mechanism_holds(requirements, data, plan, plan.mechanism)
        return np.asarray(np.append(good, False)[plan.classes], np.bool_)
    if plan.buckets is None and plan.added is None:
        good = holding_classes(requirements, data, plan.classes, plan.count)
        return np.asarray(np.append(good, False)[plan.classes], np.bool_)
    of_classes = tuple(r for r in requirements if r.view is None)
    of_buckets = tuple(r for r in requirements if r.view is not None)
    buckets = plan.classes if plan.buckets is None else plan.buckets
    in_class = holding_classes(of_classes, data, plan.classes, plan.count)
    shown, own = data, buckets
    if plan.added is not None:
        # Sizes are of people; of values whoever sees the release takes those added for somebody's.
        shown = data.take(np.append(np.arange(data.size), plan.added.of))
        codes = np.concatenate([data.sensitive_codes, plan.added.sensitive], axis=1)
        shown, own = replace(shown, sensitive_codes=codes), np.append(own, own[plan.added.of])
    in_bucket = holding_classes(of_buckets, shown, own, int(own.max(initial=-1)) + 1)
    both = np.append(in_class, False)[plan.classes] & np.append(in_bucket, False)[buckets]
    return np.asarray(both, np.bool_)


def _mechanism_holds(
    requirements: tuple[Requirement, ...], data: Microdata, plan: Plan, mechanism: Mechanism
) -> bool:
    """Decide exactly whether a mechanism is one for the published records, and holds every limit on confidence."""
    kept, copies = plan.published, data.copies
    own = None if copies is None else copies[kept]
    counts = count_copies(data.sensitive_codes[0][kept], own, mechanism.values)
    if not np.array_equal(mechanism.counts, counts):
        return False
    for requirement in requirements:
        if requirement.view is None:
            continue
        limits = requirement.bound.posterior_limits()
        if limits is None or not mechanism.posterior_holds(limits, requirement.view.group).all():
            return False
    return True


class Method(ABC):
    """An anonymization method with its parameters; a small frozen value."""

    name: ClassVar[str]
    form: ClassVar[str] = "generalized"
    """The form its plans are published in, unless the policy says otherwise."""
    forms: ClassVar[tuple[str, ...]] = ()
    """Other forms its plans can be published in."""
    loss: str = "glm"
    """What it minimizes, as `LOWERED` names it: a parameter of methods that can minimize several."""
    takes_individuals: ClassVar[bool] = False
    """Whether it can work on individuals with several records each (1:M tables)."""
    takes_parts: ClassVar[bool] = False
    """Whether it can keep parts of the table apart (hierarchy level limits)."""
    full_domain: ClassVar[bool] = False
    """Whether it decides one thing for all records, so that a table is not searched block by block."""
    keeps_signatures: ClassVar[bool] = False
    """Whether it keeps the values that earlier releases left possible of people (`Microdata.signatures`)."""
    candidate: ClassVar[bool] = False
    """Whether it is tried where a policy names no method, with default parameters but for the loss; says what it costs."""
    of_a_release: ClassVar[bool] = False
    """Whether it is of an earlier release: it says nothing of a table by itself, and is not compared with others unasked."""
    outdone_by_moves: ClassVar[bool] = False
    """Whether local moves come as far from other candidates, in small tables of people with one record: there it is none."""

    patient: ClassVar[bool] = False
    """Whether it is tried only where classes are improved, in place of some moves, and no longer than these (`within`)."""

    @property
    def label(self) -> str:
        """What it is called beside others: its name, with what it starts from where several of the name are tried."""
        return self.name

    @property
    def lowered(self) -> CellLoss:
        """The loss that it minimizes."""
        return LOWERED[self.loss]

    @property
    def joins_rest(self) -> bool:
        """Whether those it leaves over may be joined with its classes, where else more were withheld than the policy allows.

        False where other forms publish no classes, and where what a method withholds is what it was asked for, as
        in variants that follow a paper's letter.
        """
        publishes_exactly: bool = registry.load("forms", self.form).publishes_exactly
        return not publishes_exactly

    @property
    def bounds_regions(self) -> bool:
        """Whether regions may be wider than the members of their classes (`Plan.bounds`)."""
        return False

    @property
    def repeats_regions(self) -> bool:
        """Whether its regions are those of an earlier release, in which the same people may be."""
        return False

    @property
    def ignores_order(self) -> bool:
        """Whether the same records in another order get the same classes."""
        return False

    def always_tried(self, models: tuple[PrivacyModel, ...], records: int, *, served: bool) -> bool:  # noqa: ARG002
        """Whether a candidate is worth a try for a guarantee and so many records, whatever it costs.

        ``served``: whether a method that was made for the guarantee has a release.
        """
        return False

    def suffices(self, models: tuple[PrivacyModel, ...]) -> bool:  # noqa: ARG002
        """Whether local moves come as far from its release as from all candidates', in small tables of people with one record."""
        return False

    @property
    def keeps_copies(self) -> bool:
        """Whether records that say the same are always in one class, so that it works on counts of them (`Microdata.copies`)."""
        return False

    @property
    def invents(self) -> bool:
        """Whether it may add records that nobody is (`Plan.added`)."""
        return False

    @property
    def leaves_surplus(self) -> bool:
        """Whether it can do nothing for those of whom the table has too many, so that they are withheld before it runs.

        False where it adds others to them, where it decides itself who is withheld, or where it changes values.
        """
        return not (self.invents or self.chooses_withheld)

    @property
    def chooses_withheld(self) -> bool:
        """Whether it decides who is withheld, so that nobody is before it runs, whatever is known of them."""
        return False

    @property
    def cuts_from_above(self) -> bool:
        """Whether it cuts classes from above, by rules that look at a class's own records alone.

        Given the records of one published class alone, it then leaves them whole exactly when it had no reason to
        cut them further: what an adversary who knows the method can try again (`MinimalityAttack`).
        """
        return False

    @property
    def leaves_one_record(self) -> bool:
        """Whether `prepared` leaves one record a person, so that forms which take each for another person's will do."""
        return False

    def prepared(self, data: Microdata) -> tuple[Microdata, Reason | None]:
        """Make the table that is published from the encoded one, before anything looks at it, and say why records are left out.

        Asked once, by `encode`, where a policy names the method: what searches, proofs, attacks and metrics see is what it
        gives back. By default the table as it is.

        Parameters
        ----------
        data
            The encoded table, after the rules of hygiene.

        Returns
        -------
        data
            The table that goes on; its ``rows`` are some of the others.
        reason
            Why the other records are dropped; None where none is.

        Raises
        ------
        PolicyError
            When the table is none that the method can make one of.
        """
        return data, None

    @abstractmethod
    def run(self, problem: Problem) -> Plan:
        """Decide every record's class; classes that cannot hold the requirements are withheld, with the reason."""

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:  # noqa: ARG002  # most are for any
        """Whether it was devised for one of these models, so that it is worth a try however large the table is.

        Parameters
        ----------
        models
            What must hold.
        """
        return False

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:  # noqa: ARG002  # most need not say
        """Estimate what a run costs, from the size of the table and the guarantee alone; candidates must.

        Parameters
        ----------
        data
            The records, or individuals, to publish.
        requirements
            What must hold, bound to them.

        Returns
        -------
        int
            Elementary steps, of which one processor takes some hundred millions a second; 0 where it is not estimated. Equal on
            every machine, so that which methods are tried depends on nothing but the table and the policy.
        """
        return 0

    def within(self, work: int, data: Microdata, requirements: tuple[Requirement, ...]) -> Method | None:
        """Give it parameters by which it does no more than so much work; None where there are none.

        Parameters
        ----------
        work
            The most, in what `work` counts.
        data, requirements
            As for `work`.
        """
        return self if self.work(data, requirements) <= work else None

    def check(self, requirements: tuple[Requirement, ...]) -> None:  # noqa: B027  # most methods take any
        """Refuse requirements the method cannot work with, before anything is computed.

        Raises
        ------
        PolicyError
            Saying which model the method lacks or cannot take.
        """


def method_for(models: tuple[PrivacyModel, ...], *, individuals: bool = False) -> Method:
    """Take the method that was devised for a guarantee, of those that are tried unasked and make classes; else Mondrian.

    Parameters
    ----------
    models
        What must hold.
    individuals
        Whether people may have several records, so that the method must take them.
    """
    for name in registry.names("methods"):
        part = registry.load("methods", name)
        if part.candidate and part.form == Method.form and (part.takes_individuals or not individuals):
            found: Method = registry.create("methods", name, {})
            if found.made_for(models):
                return found
    default: Method = registry.create("methods", "mondrian", {})
    return default


def cells_at_most(data: Microdata, requirements: tuple[Requirement, ...]) -> int:
    """Bound the distinct combinations of quasi-identifiers and of the sensitive values that requirements look at.

    Parameters
    ----------
    data
        The records or individuals.
    requirements
        What must hold.
    """
    found = data.tuples.count
    for view in {one.view.looks_at: one.view for one in requirements if one.view is not None}.values():
        found *= max(1, view.values)
    return min(found, data.size)


def clusters_at_most(data: Microdata, requirements: tuple[Requirement, ...]) -> int:
    """Bound the classes of a clustering: of k records each (two without k-anonymity), and no more than there are tuples."""
    k = max([2, *sizes_asked(requirements)])
    return min(data.tuples.count, data.size // k + 1)


def recode_parts_that_hold(
    problem: Problem,
    recoded: Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.int64], dict[str, Any]]],
) -> Plan:
    """Make classes of the records whose part of the table holds as one class; withhold the others.

    Parameters
    ----------
    problem
        What must hold, and the parts; all records are one where it has none.
    recoded
        Given the records (m,) and their parts (m,), finds the class of each and what to keep for the steward.
    """
    data = problem.data
    parts = np.zeros(data.size, np.int64) if problem.parts is None else problem.parts
    good = problem.holding(parts, int(parts.max(initial=-1)) + 1)
    kept = np.flatnonzero(good[parts])
    because = {}
    if kept.size < data.size:
        part = "the part of the table allowed by the level limits, as one class, does not hold the guarantee"
        reason = TABLE_FAILS if problem.parts is None else Reason(PART_FAILS.name, part)
        because[reason] = data.size - kept.size
    classes = np.full(data.size, -1, np.int64)
    history: dict[str, Any] = {}
    if kept.size:
        classes[kept], history = recoded(kept, parts[kept])
    return Plan(renumber(classes), because=because, history=history)


def sizes_asked(requirements: tuple[Requirement, ...]) -> list[int]:
    """List the k of the models that ask for nothing but classes of k records or individuals (k-anonymity)."""
    asked = [one.conditions for one in requirements]
    return [one.size for one in asked if one.size_alone and one.size is not None]


def joint_views(problem: Problem) -> tuple[NDArray[np.int32], list[ClassTest], int]:
    """Lay the sensitive values all requirements look at side by side in one histogram.

    Where rows are individuals, each counts once for every distinct value of theirs; rows with fewer values than others
    count for the rest in the last place of the histogram, which no test reads.

    Returns
    -------
    views : (v, n) int32
        Positions in the joint histogram that each row counts in.
    tests
        The requirements' tests, placed.
    width
        Length of the joint histogram.
    """
    data = problem.data
    if data.members is not None:
        return views_of_individuals(data.members, problem.requirements, data.size)
    views: list[NDArray[np.int64]] = []
    tests: list[ClassTest] = []
    placed: dict[tuple[object, ...], tuple[int, int]] = {}
    width = 0
    for requirement in problem.requirements:
        test = requirement.bound.class_test()
        view = requirement.view
        if view is None:
            tests.append(test)
            continue
        if view.looks_at not in placed:
            codes, slices = view.codes(data.judged_codes), 1
            if view.known:
                known = view.known_codes(data.sensitive, data.sensitive_codes)
                slices = int(known.max(initial=0)) + 1
                codes = known * view.values + codes
            placed[view.looks_at] = (width, slices)
            views.append(codes + width)
            width += view.values * slices
        offset, slices = placed[view.looks_at]
        tests.append(test._replace(offset=offset, values=view.values, slices=slices))
    stacked = np.array(views, np.int32) if views else np.zeros((0, data.size), np.int32)
    return stacked, tests, width


class _Block(NamedTuple):
    """The part of the joint histogram that the tests of one view read: slices of equal length.

    Parameters
    ----------
    offset
        Where it begins.
    slices, stride
        Number of slices, and places of each: the values first.
    records
        Where in a slice the numbers of individuals with 1, 2, … records begin, 0 where no test reads them.
    size_at
        Where in a slice its number of individuals stands, 0 where the class is the only slice.
    """

    offset: int
    slices: int
    stride: int
    records: int
    size_at: int


def views_of_individuals(
    members: Members, requirements: Sequence[Requirement], individuals: int
) -> tuple[NDArray[np.int32], list[ClassTest], int]:
    """Lay the sensitive values that all requirements look at side by side in one histogram of individuals.

    Parameters
    ----------
    members
        The records of the individuals.
    requirements
        Bound models.
    individuals
        Number of individuals.

    Returns
    -------
    views : (v, individuals) int32
        Places in the joint histogram that each individual counts in; those with fewer than v are filled up with the last
        place of all, which no test reads.
    tests
        The requirements' tests, placed.
    width
        Length of the joint histogram.
    """
    looked_at = [(requirement, requirement.bound.class_test()) for requirement in requirements]
    with_records = {
        requirement.view.looks_at
        for requirement, test in looked_at
        if requirement.view is not None and test.record_counts
    }
    blocks: dict[tuple[object, ...], _Block] = {}
    rows, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    tests = []
    width = 0
    for requirement, test in looked_at:
        view = requirement.view
        if view is None:
            tests.append(test)
            continue
        if view.looks_at not in blocks:
            block = _add(view, members, width, view.looks_at in with_records, rows, places)
            blocks[view.looks_at] = block
            width += block.slices * block.stride
        tests.append(_placed(requirement, view, test, blocks[view.looks_at]))
    if width == 0:
        return np.zeros((0, individuals), np.int32), tests, 0
    return _side_by_side(np.concatenate(rows), np.concatenate(places), individuals, width), tests, width + 1


def _add(
    view: View,
    members: Members,
    offset: int,
    with_records: bool,
    rows: list[NDArray[np.int64]],
    places: list[NDArray[np.int64]],
) -> _Block:
    """Lay out a view's block; append who counts where to ``rows`` and ``places``."""
    data, of, values = members.records, members.of, view.domain.codes
    known = np.zeros(of.size, np.int64)
    if view.known:
        known = view.known_codes(data.sensitive, data.sensitive_codes)
    slices = int(known.max(initial=0)) + 1
    # In each slice an individual is there once, with so many records.
    inside, number = np.unique(of * slices + known, return_counts=True)
    most = int(number.max(initial=1)) if with_records else 0
    size_at = values + most if view.known else 0
    block = _Block(offset, slices, values + most + bool(view.known), values if with_records else 0, size_at)
    rows.append(of)
    places.append(offset + known * block.stride + view.codes(data.sensitive_codes))
    begins = offset + inside % slices * block.stride
    if with_records:
        rows.append(inside // slices)
        places.append(begins + values + number - 1)
    if view.known:
        rows.append(inside // slices)
        places.append(begins + size_at)
    return block


def _placed(requirement: Requirement, view: View, test: ClassTest, block: _Block) -> ClassTest:
    """Place one test on its block."""
    from likeness.kernels.class_tests import CLASS_SIZE, OWN_SUM

    size_at = block.size_at or CLASS_SIZE
    if not requirement.model.counts_individuals:
        size_at = OWN_SUM
    # What comes behind the values is the size where the class is not the only slice, or the next slice.
    with_counts = block.size_at or block.stride
    return test._replace(
        offset=block.offset,
        values=with_counts if test.record_counts else view.domain.codes,
        slices=block.slices,
        stride=block.stride,
        size_at=size_at,
    )


def _side_by_side(
    rows: NDArray[np.int64], places: NDArray[np.int64], individuals: int, width: int
) -> NDArray[np.int32]:
    """(v, individuals) The distinct places of each row, ascending, filled up with ``width``."""
    # Sorting is several times as fast here as `np.unique`, which hashes.
    keys = np.sort(rows * width + places)
    distinct = keys[np.diff(keys, prepend=-1) > 0]
    row = distinct // width
    start = np.searchsorted(row, np.arange(individuals + 1))
    views = np.full((int(np.diff(start).max(initial=0)), individuals), width, np.int32)
    views[np.arange(row.size) - start[row], row] = distinct % width
    return views


def loss_weights(data: Microdata) -> NDArray[np.float64] | None:
    """(n,) What each row counts for in a loss, n in all: an individual all its records; None where each counts for one.

    Metrics are means over records, weighted where they have survey weights.
    """
    weights = (data if data.members is None else data.members.records).survey_weights
    if weights is not None and not weights.any():
        weights = None
    if data.members is not None:
        weights = np.bincount(data.members.of, weights, data.size).astype(np.float64)
    return None if weights is None else weights * (data.size / weights.sum())


def charged_loss(problem: Problem, plan: Plan) -> float:
    """Sum what the records of a plan lose, and what each is charged that is withheld: 1, unless the loss says otherwise.

    Parameters
    ----------
    problem
        The records, and the loss.
    plan
        Their classes. Each record counts for what it does in metrics (`loss_weights`), unless who shares a class is counted.
    """
    data = problem.data
    counted = None if problem.loss.crowd else loss_weights(data)
    withheld = float(plan.withheld if counted is None else counted[~plan.published].sum())
    if data.members is None:
        plan, recoding = recode(data, plan)
        classes = plan.classes
    else:
        # Regions are of all records of everybody.
        whole, recoding = recode(data.members.records, spread(plan, data.members.of))
        classes = plan.classes.copy()
        classes[data.members.of] = whole.classes
    there = classes >= 0
    sizes = np.bincount(classes[there], None if counted is None else counted[there], recoding.classes)
    total = withheld * problem.loss.withheld(data.size)
    total += problem.loss.crowd * float(np.square(sizes).sum())
    weights = attribute_weights(problem.data.quasi)
    for regions, weight in zip(recoding.attributes, weights.tolist(), strict=True):
        total += weight * float((sizes * region_losses(regions, problem.loss)[regions.of]).sum())
    return total


def run_in_parts(method: Method, problem: Problem) -> Plan:
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


class Plans:
    """What methods found for one table and guarantee, so that those that start from others' plans need not make them anew.

    ``data``: the whole table; what a method finds for a part of it is not kept. ``rng``: the randomness of each method.
    """

    def __init__(self, data: Microdata, rng: Callable[[Method], np.random.Generator]) -> None:
        self._data, self._rng = data, rng
        self._made: dict[Method, tuple[Problem, Plan]] = {}

    def keep(self, method: Method, problem: Problem, plan: Plan) -> None:
        """Keep what a method found by its own random numbers."""
        if problem.data is self._data:
            self._made[method] = problem, plan

    def of(self, method: Method, problem: Problem) -> Plan:
        """Give what a method found for the same problem, or let it find it by its own random numbers."""
        before, plan = self._made.get(method, (None, None))
        if before is not None and plan is not None and _same(before, problem):
            return plan
        return run_in_parts(method, replace(problem, rng=self._rng(method)))


def _same(one: Problem, other: Problem) -> bool:
    """Whether two problems of one guarantee ask for the same."""
    if one.data is not other.data or one.allowance != other.allowance or one.loss is not other.loss:
        return False
    if one.parts is None or other.parts is None:
        return one.parts is other.parts
    return np.array_equal(one.parts, other.parts)
