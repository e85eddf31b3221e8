"""One run of DAnonyIR: the kernels called in steps that can be watched and interrupted.

What is counted while a class grows, and what is left to the models' own tests, is laid out here.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.methods.base import joint_views
from likeness.methods.danonyir.space import records_of

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests
    from likeness.methods.base import Problem
    from likeness.methods.danonyir.kernels.counts import IndividualValues
    from likeness.methods.danonyir.kernels.search import State
    from likeness.methods.danonyir.space import HullSpace
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement, View
    from likeness.progress import Progress

_LOOKS_A_STEP = 20_000_000
_STEP = 100


class Run:
    """A clustering under way.

    ``order``: (n,) all individuals, in the order in which those that are left begin classes.
    ``decided``: decisions of an earlier run from the same order, taken again without deciding (to time what that costs).
    ``classes``: (n,) made already, numbered from 0 without gaps; everybody else (-1) is left over.
    """

    def __init__(
        self,
        space: HullSpace,
        asked: Asked,
        order: NDArray[np.int64],
        decided: NDArray[np.int8] | None = None,
        classes: NDArray[np.int64] | None = None,
    ) -> None:
        from likeness.methods.danonyir.kernels.counts import REASONING, tally
        from likeness.methods.danonyir.kernels.search import begin, restore

        self.space, self.asked, self.order = space, asked, order
        witness = max(0, int(asked.limits[REASONING]) - 1)
        room = tally(order.size, asked.values, asked.width, witness)
        smallest = asked.smallest
        if classes is not None:
            smallest = max(1, order.size // (int(classes.max(initial=0)) + 1))
        self.state: State = begin(space.profiles, space.crowd, room, smallest)
        if classes is not None:
            restore(space.geometry, space.profiles, asked.sets, self.state, classes)
        self.replay = decided is not None
        if decided is not None:
            self.state.decided[: decided.size] = decided
        self.left_over = 0
        self.joined = 0
        self.kept: NDArray[np.int64] | None = None

    @property
    def most(self) -> np.int64 | np.float64:
        """More than any distance, of the losses' type."""
        return np.int64(1 << 62) if self.space.exact else np.float64(np.inf)

    def cluster(self, progress: Progress) -> None:
        """Make classes until nobody is left who could begin one."""
        from likeness.methods.danonyir.kernels.search import LEFT, go_on

        space, asked, total, over = self.space, self.asked, self.order.size, False
        while not over:
            over = go_on(
                space.geometry,
                space.profiles,
                asked.sets,
                self.order,
                asked.limits,
                asked.laid.functions,
                asked.laid.shape,
                asked.laid.integers,
                asked.laid.reals,
                self.state,
                self.most,
                space.exact,
                self.replay,
                _LOOKS_A_STEP,
            )
            progress.step("cluster", total - int(self.state.numbers[LEFT]), total)

    @property
    def rest(self) -> NDArray[np.int64]:
        """The individuals of the last class, if it does not hold, in the order they joined it."""
        from likeness.methods.danonyir.kernels.counts import COUNT
        from likeness.methods.danonyir.kernels.search import PHASE, STUCK

        if self.state.numbers[PHASE] != STUCK:
            return np.zeros(0, np.int64)
        tally = self.state.tally
        return tally.people[: int(tally.numbers[COUNT])].copy()

    def place_the_rest(self, problem: Problem) -> tuple[list[int], list[int]]:
        """Let everybody left over join the nearest class that holds with them, unless it costs as much as withholding them.

        Where more would be withheld than the policy allows, those join after all who cost the least beyond that, and those
        with whom no class holds become one with the classes nearest to them, as many as it takes.
        Returns those whom every class that holds with them costs too much, and those with whom no class holds.
        """
        space, records = self.space, self.space.crowd.records
        everything = space.geometry.most.sum() if space.exact else sum(space.geometry.most.tolist())
        rest = self.rest
        self.left_over = rest.size
        self._count()
        grows = all(one.closed_under_adding for one in problem.requirements)
        dear: list[int] = []
        alone: list[int] = []
        beyond: list[float] = []
        for number, person in enumerate(rest.tolist()):
            if number % _STEP == 0:
                problem.progress.step("join leftovers", number, rest.size)
            row, apart = self._nearest(person, grows=grows)
            limit = records[person] * everything
            if row < 0:
                alone.append(person)
            elif apart < limit or apart == 0:
                self._join(row, person)
            else:
                dear.append(person)
                beyond.append(float(apart - limit))
        excess = len(dear) + len(alone) - max(0, problem.allowance)
        for at in np.argsort(beyond, kind="stable")[: max(0, excess)].tolist():
            row, _ = self._nearest(dear[at], grows=grows)
            if row >= 0:
                self._join(row, dear[at])
                dear[at] = -1
        dear = [person for person in dear if person >= 0]
        if alone and len(dear) + len(alone) > max(0, problem.allowance) and self._take_classes(alone):
            alone = []
        return dear, alone

    def _take_classes(self, people: list[int]) -> bool:
        """Make a class of individuals and the classes nearest to them; whether that holds, else nothing changes."""
        from likeness.methods.danonyir.kernels.search import take_classes

        space, asked, laid, before = self.space, self.asked, self.asked.laid, self.labels()
        if take_classes(
            space.geometry,
            space.profiles,
            asked.sets,
            asked.limits,
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            self.state,
            np.array(people, np.int64),
            self.most,
        ):
            self.joined += len(people)
            return True
        self.kept = before
        return False

    def _count(self) -> None:
        """Count the classes as they are now, one behind the other."""
        from likeness.methods.danonyir.kernels.counts import count_classes
        from likeness.methods.danonyir.kernels.search import pack

        pack(self.state)
        label, records = self.labels(), self.space.crowd.records
        self.filled = np.bincount(label + 1)[1:].astype(np.int64)
        self.counts = count_classes(self.asked.sets, records, label, self.filled.size, self.asked.values)

    def _nearest(self, person: int, *, grows: bool) -> tuple[int, Any]:
        """Row of the nearest class that holds with an individual, -1 when there is none; and how far it is."""
        from likeness.methods.danonyir.kernels.search import nearest_with

        space, asked, laid = self.space, self.asked, self.asked.laid
        row, apart = nearest_with(
            space.geometry, space.profiles, asked.sets, asked.limits, laid.functions, laid.shape, laid.integers,
            laid.reals, self.state, self.counts, self.filled, person, grows, self.most,
        )  # fmt: skip
        return int(row), apart

    def _join(self, row: int, person: int) -> None:
        """Let an individual join a class."""
        from likeness.methods.danonyir.kernels.counts import enter
        from likeness.methods.danonyir.kernels.search import join

        join(self.space.geometry, self.space.profiles, self.state, row, person)
        enter(self.asked.sets, self.space.crowd.records, self.counts, row, person)
        self.filled[row] += 1
        self.joined += 1

    def distances_of_classes(self, row: int) -> NDArray[Any]:
        """Find how far a class is from each; from itself, farther than from any."""
        from likeness.methods.danonyir.kernels.hulls import apart
        from likeness.methods.danonyir.kernels.search import ROWS

        state, sizes, geometry = self.state, self.state.sizes, self.space.geometry
        away: NDArray[Any] = np.full(int(state.numbers[ROWS]), self.most, self.space.profiles.parts.dtype)
        for other in range(away.size):
            if other != row:
                away[other] = apart(
                    geometry,
                    state.crowd.attributes,
                    state.classes,
                    row,
                    sizes[row],
                    state.classes,
                    other,
                    sizes[other],
                )
        return away

    def labels(self) -> NDArray[np.int64]:
        """(n,) Class of each individual, -1 for those in none."""
        from likeness.methods.danonyir.kernels.search import labels

        if self.kept is not None:
            return self.kept
        return np.asarray(labels(self.state), np.int64)

    def history(self) -> dict[str, Any]:
        """Say what happened."""
        from likeness.methods.danonyir.kernels.counts import SEARCHES
        from likeness.methods.danonyir.kernels.search import MERGED

        return {
            "losses": "whole numbers" if self.space.exact else "floating point",
            "classes taken into others": int(self.state.numbers[MERGED]),
            "individuals left over": self.left_over,
            "of these joined to classes": self.joined,
            "hitting sets searched": int(self.state.tally.numbers[SEARCHES]),
        }


_MOST_PRODUCT = 1 << 62


class Asked(NamedTuple):
    """What every class must hold.

    ``limits``: (9,) what is counted (`danonyir.kernels.counts`), of ``values`` sensitive values.
    ``laid``, ``width``: the other models' tests, and the length of their histogram.
    ``smallest``: no class has fewer individuals.
    """

    limits: NDArray[np.int64]
    sets: IndividualValues
    values: int
    laid: LaidOutTests
    width: int
    smallest: int


def lay_out_limits(problem: Problem) -> Asked:
    """Lay out what every class must hold.

    The size and diversity models, those about individuals and records of Wang et al. 2019 and EIR l-diversity are counted
    as individuals join, of one sensitive attribute, seen as a whole. All other models bring their compiled test.
    """
    from likeness.kernels.class_tests import lay_out
    from likeness.methods.danonyir.kernels.counts import LIMITS, OF_RECORDS, PEOPLE, IndividualValues

    data = problem.data
    limits = np.zeros(LIMITS, np.int64)
    view: View | None = None
    others: list[Requirement] = []
    # Only counting decides hidden values (EIR l-diversity) exactly: a compiled test sees counts, not whose values they are.
    for requirement in sorted(problem.requirements, key=lambda one: one.conditions.hidden_values is None):
        own = requirement.view
        same = own is None or view is None or own.looks_at == view.looks_at
        if (own is not None and (own.known or not same)) or not _count(requirement, limits, data):
            others.append(requirement)
        else:
            view = own or view
    views, tests, width = joint_views(replace(problem, requirements=tuple(others)))
    laid = lay_out(tests)
    limits[PEOPLE] = max(limits[PEOPLE], laid.smallest)
    first, value, values = _sets(data, view)
    if data.size == 0:
        limits[OF_RECORDS:] = 0
    return Asked(limits, IndividualValues(first, value, views), values, laid, width, smallest_class(limits))


def smallest_class(limits: NDArray[np.int64]) -> int:
    """Count the individuals that every class must have at least."""
    from likeness.methods.danonyir.kernels.counts import OF_RECORDS, PEOPLE, REASONING, VALUE_OF_PEOPLE

    least = max(1, int(limits[PEOPLE]), int(limits[REASONING]))
    for at in (OF_RECORDS, VALUE_OF_PEOPLE):
        if limits[at + 1] > 0:
            # Somebody has at least the average share, some value at least one individual.
            least = max(least, -(-int(limits[at + 1]) // max(1, int(limits[at]))))
    return least


def _count(requirement: Requirement, limits: NDArray[np.int64], data: Microdata) -> bool:
    """Whether a model's condition can be counted; then it is put into the limits."""
    from likeness.methods.danonyir.kernels import counts as at

    asked, people = requirement.conditions, data.size + 1
    if not asked.complete:
        return False
    limited = (
        (at.OF_RECORDS, asked.of_records),
        (at.VALUE_OF_PAIRS, asked.of_pairs),
        (at.VALUE_OF_PEOPLE, asked.of_individuals),
    )
    shares = [(where, share) for where, share in limited if share is not None]
    records = max(1, records_of(data)[0].size)
    if any(max(share.numerator, share.denominator) * records > _MOST_PRODUCT for _, share in shares):
        return False
    if asked.size is not None:
        limits[at.PEOPLE] = max(limits[at.PEOPLE], min(asked.size, people))
    if asked.values is not None:
        limits[at.VALUES] = max(limits[at.VALUES], min(ceil(asked.values), _distinct(requirement) + 1))
    if asked.hidden_values is not None:
        limits[at.REASONING] = max(limits[at.REASONING], min(asked.hidden_values, people))
    for where, share in shares:
        _lower(limits, where, share)
    return True


def _distinct(requirement: Requirement) -> int:
    """Number of values there are."""
    return 0 if requirement.view is None else requirement.view.domain.codes


def _lower(limits: NDArray[np.int64], at: int, share: Fraction) -> None:
    """Lower a limit on a share."""
    known = int(limits[at + 1])
    if known == 0 or share.numerator * known < int(limits[at]) * share.denominator:
        limits[at], limits[at + 1] = share.numerator, share.denominator


def _sets(data: Microdata, view: View | None) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Find where the distinct values of each individual begin, the values, and how many there can be."""
    if view is None:
        return np.zeros(data.size + 1, np.int64), np.zeros(0, np.int64), 0
    records, of = records_of(data)
    values = view.domain.codes
    pairs = np.unique(of * values + view.codes(records.sensitive_codes))
    first = np.searchsorted(pairs, np.arange(data.size + 1) * values).astype(np.int64)
    return first, pairs % values, values
