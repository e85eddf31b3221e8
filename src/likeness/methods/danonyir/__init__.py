"""DAnonyIR (Wang et al. 2019): classes of individuals with several records each, grown from random individuals.

A class takes in its nearest individual, or its nearest finished class when that is nearer, until it holds the guarantee. In large
tables it runs in neighbourhoods, each by itself: its time grows with the square of their people. What it does better than the
paper's: whom classes begin with, and moves between finished classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal
from likeness.methods.base import Method, Problem, table_fails
from likeness.methods.danonyir.run import Run, lay_out_limits
from likeness.methods.danonyir.space import lay_out_space, records_of
from likeness.methods.mondrian import Mondrian
from likeness.microdata.plan import Plan, Reason
from likeness.microdata.regions import LOSSES, attribute_weights
from likeness.models.k_anonymity import KAnonymity
from likeness.models.requirements import require_of
from likeness.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.methods.danonyir.run import Asked
    from likeness.methods.danonyir.space import HullSpace
    from likeness.microdata.data import Microdata
    from likeness.models.base import PrivacyModel
    from likeness.models.requirements import Requirement

_HEAVY = Reason(
    "too-many-records",
    "individuals with more records than any class of this table could hold under the limit on one individual's share",
)
_NEIGHBOURHOOD = 50_000
_NO_CLASS = Reason("no-class-holds", "individuals left over, and no class holds with them")
_TOO_DEAR = Reason(
    "too-dear", "individuals left over whose joining the nearest class costs more than withholding them"
)


@dataclass(frozen=True)
class Danonyir(Method):
    """Grow every class from a random individual by whoever is nearest, until it holds.

    The distance of two sides A and B (individuals or classes) is ``N_A Loss(A → hull) + N_B Loss(B → hull)`` (equations 16-18),
    with their numbers of records N, the hull of both, and the generalized loss of every attribute (equations 11-13) times its
    weight. A class takes in its nearest individual, or its nearest finished class where that is nearer, until it holds.
    Individuals left over join the nearest class that holds with them, unless that costs as much as withholding them and the
    policy allows to withhold as many. Where it does not, those with whom no class holds become one class with the classes
    nearest to them, as many as it takes to hold.

    Parameters
    ----------
    variant
        ``best`` (default): classes begin with the individuals who can lose most, and when all are made individuals move to
        classes where all lose less, and classes dissolve whose members lose less elsewhere, as long as every class holds.
        ``paper``: classes begin with random individuals, and stay as they are.
    start_order
        Individuals that begin classes, the first that is left each time, numbered from 1 in order of first appearance in the
        table; for replaying an example. All others begin in the order of the variant.
    neighbourhood
        Tables of more individuals than this are divided into neighbourhoods of at most as many, which are clustered one by one;
        whom no class of their own can take joins one of another. Left out: 50,000 for ``best``; ``paper`` clusters the
        whole table, whatever its size. A neighbourhood may be larger where smaller ones do not hold.

    Notes
    -----
    On INFORMS 2005 (26,854 people, 6 quasi-identifiers; NLoss; ``python -m papers.identity_reserved --only full``) ``best``
    loses .0324 where ``paper`` loses .0389 under IR (6,6)-anonymity, .0542 (.0732) under EIR 6-diversity, .0155 (.0173)
    under IR and .1230 (.1509) under EIR (.6,.4)-anonymity.

    Time grows with the square of the individuals of a neighbourhood, and in proportion to the number of neighbourhoods: under
    EIR 6-diversity 15 s of one processor for 50,000 people in one, 3 minutes for 500,000 in 16 (generated; 9 records each).
    Dividing costs little: the whole of INFORMS 2005 loses .0542, seven neighbourhoods lose .0547; 50,000 generated people
    .0616, in three neighbourhoods .0614. Under EIR (.6,.4)-anonymity it lost from 4 % less to 17 % more on INFORMS 2005.

    An individual whose records differ in their quasi-identifiers is their hull. Of equally near individuals the one of the
    smallest number is taken, of equally near classes the one made first, and an individual before a class. Distances are
    whole numbers (losses times their common denominator) and exact wherever 64 bits hold them, numbers standing for their
    decimal texts; else they are floating-point numbers summed in the order of the attributes.

    Where classes that hold stay so when anybody is added, everybody is withheld when the whole table as one class does not hold.
    For (α, β) the individuals that no class of the table could hold are withheld first, and the others clustered.

    EIR l-diversity is decided exactly while classes grow on one sensitive column seen as a whole; asked of more columns, or with
    others known to the adversary, of those by a test that may ask for larger classes than it needs.

    The paper does not say in which order leftover individuals are looked at: as they joined, each seeing classes with
    those before it.

    References
    ----------
    Wang, Du, Luo & Li 2019, section 4.3, algorithms 4, 6 and 7.

    Examples
    --------
    >>> Danonyir(variant="paper")
    Danonyir(variant='paper', start_order=None, neighbourhood=None)
    """

    variant: str = "best"
    start_order: tuple[int, ...] | None = None
    neighbourhood: int | None = None

    name: ClassVar[str] = "danonyir"
    form: ClassVar[str] = "identity-reserved"
    forms: ClassVar[tuple[str, ...]] = ("generalized",)
    takes_individuals: ClassVar[bool] = True
    candidate: ClassVar[bool] = True
    outdone_by_moves: ClassVar[bool] = True

    def __post_init__(self) -> None:
        choice(self.name, "variant", self.variant, ("best", "paper"))
        if self.neighbourhood is not None:
            whole(self.name, "neighbourhood", self.neighbourhood, at_least=1)
        if self.start_order is None:
            return
        if isinstance(self.start_order, str) or not hasattr(self.start_order, "__iter__"):
            raise PolicyError(
                Refusal(
                    f"start_order must list numbers of individuals; got {self.start_order!r}", (self.name,)
                )
            )
        order = tuple(whole(self.name, "start_order", one, at_least=1) for one in self.start_order)
        object.__setattr__(self, "start_order", order)

    @property
    def joins_rest(self) -> bool:
        """False for ``paper``, which withholds whom no class can take."""
        return self.variant != "paper"

    def made_for(self, models: tuple[PrivacyModel, ...]) -> bool:
        """Models about people with several records."""
        return any(model.about_individuals for model in models)

    def work(self, data: Microdata, requirements: tuple[Requirement, ...]) -> int:
        """Everybody is compared with everybody of a neighbourhood; models that adding can break are judged again and again.

        Of people with several records less often, as measured: few of them fit together at all.
        """
        near = min(data.size, self.neighbourhood or _NEIGHBOURHOOD)
        often = 10 if data.members is None else 3
        again = 1 if all(one.closed_under_adding for one in requirements) else often
        # Of few attributes the first tell that somebody is too far; the more there are, the less anybody is nearer than others.
        tenths = min(350, 7 + 25 * max(0, len(data.quasi) - 5))
        return again * tenths * data.size * near * max(1, len(data.quasi)) // 10 + 3000 * data.size

    def run(self, problem: Problem) -> Plan:
        """Cluster the individuals; those that no class can take are withheld."""
        data = problem.data
        if data.size == 0:
            return Plan(np.zeros(0, np.int64))
        if all(one.closed_under_adding for one in problem.requirements):
            failing = _failing(problem)
            if failing:
                reason = table_fails([failing])
                return Plan(np.full(data.size, -1, np.int64), because={reason: data.size})
        heavy = too_heavy(problem)
        if heavy.any():
            return self._without(problem, heavy)
        return self._cluster(problem)

    def _without(self, problem: Problem, heavy: NDArray[np.bool_]) -> Plan:
        """Withhold some individuals and cluster the others."""
        rest = np.flatnonzero(~heavy)
        classes = np.full(problem.data.size, -1, np.int64)
        reasons = np.zeros(problem.data.size, np.int32)
        because = {_HEAVY: int(heavy.sum())}
        history: dict[str, object] = {}
        if rest.size:
            allowance = problem.allowance - because[_HEAVY]
            plan = self._cluster(replace(problem, data=problem.data.take(rest), allowance=allowance))
            classes[rest] = plan.classes
            reasons[rest] = np.where(plan.reason_of >= 0, plan.reason_of + 1, -1)
            because |= plan.because
            history = plan.history
        return Plan(classes, because=because, reasons=reasons, history=history)

    def _cluster(self, problem: Problem) -> Plan:
        """Run the clustering."""
        most = self.neighbourhood or (_NEIGHBOURHOOD if self.variant == "best" else problem.data.size)
        if problem.data.size > most:
            parts = neighbourhoods(problem, most)
            if parts.any():
                return self._in_parts(problem, parts)
        classes, dear, alone, history = self._whole(problem)
        return _plan(classes, dear, alone, history)

    def _whole(self, problem: Problem) -> tuple[NDArray[np.int64], list[int], list[int], dict[str, Any]]:
        """Give everybody's class, those left over because all are too far and because none holds, and what happened."""
        space, limits = lay_out_space(problem.data), lay_out_limits(problem)
        run = Run(space, limits, self._order(problem, space.crowd.records))
        run.cluster(problem.progress)
        dear, alone = run.place_the_rest(problem)
        classes = run.labels()
        moves: dict[str, Any] = {}
        if self.variant == "best":
            classes, moves = move_between_classes(problem, space, limits, classes)
        return classes, dear, alone, run.history() | moves

    def _in_parts(self, problem: Problem, parts: NDArray[np.int64]) -> Plan:
        """Cluster neighbourhoods one by one; whom no class of their own can take looks at all others."""

        def cluster(own: Problem) -> tuple[NDArray[np.int64], dict[str, Any]]:
            # Nobody has to join what is too dear, or has no class, before all classes are there.
            classes, _, _, history = self._whole(replace(own, allowance=own.data.size))
            return classes, history

        run, history = cluster_parts(problem, parts, cluster)
        dear, alone = run.place_the_rest(problem)
        return _plan(run.labels(), dear, alone, history | {"of these joined to other classes": run.joined})

    def _order(self, problem: Problem, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Order in which individuals begin classes; the paper's is a uniform draw from those left, each time."""
        data = problem.data
        if self.variant == "best":
            drawn = dearest_first(data, records, problem.rng)
        else:
            drawn = problem.rng.permutation(data.size).astype(np.int64)
        if not self.start_order:
            return drawn
        place = {number: row for row, number in enumerate(_numbers(data).tolist())}
        asked = [place[number] for number in dict.fromkeys(self.start_order) if number in place]
        return np.concatenate([np.array(asked, np.int64), drawn[~np.isin(drawn, asked)]])


def _plan(classes: NDArray[np.int64], dear: list[int], alone: list[int], history: dict[str, Any]) -> Plan:
    """Say why those in no class are withheld."""
    reasons = np.full(classes.size, -1, np.int32)
    because: dict[Reason, int] = {}
    for people, reason in ((alone, _NO_CLASS), (dear, _TOO_DEAR)):
        if people:
            reasons[people] = len(because)
            because[reason] = len(people)
    return Plan(classes, because=because, reasons=reasons, history=history)


def _failing(problem: Problem) -> str:
    """Name the models that the whole table as one class does not hold."""
    together = np.zeros(problem.data.size, np.int64)
    return " and ".join(
        requirement.subject
        for requirement in problem.requirements
        if not requirement.bound.holds(requirement.of_rows(problem.data, together, 1)).all()
    )


def _numbers(data: Microdata) -> NDArray[np.int64]:
    """(n,) Number of each individual, from 1, in order of first appearance in the table."""
    if data.members is None or data.members.records.individuals is None:
        return data.rows + 1
    of = records_of(data)[1]
    numbers = np.zeros(data.size, np.int64)
    numbers[of] = data.members.records.individuals + 1
    return numbers


def too_heavy(problem: Problem) -> NDArray[np.bool_]:
    """(n,) Whether each individual has a larger share of all records than (α, β)-anonymity allows of a class.

    Without them the table is smaller, so that others may become too heavy: this is gone on with until nobody does.
    """
    data = problem.data
    asked = [one.conditions.of_records for one in problem.requirements]
    shares = [share for share in asked if share is not None]
    heavy = np.zeros(data.size, np.bool_)
    if not shares:
        return heavy
    alpha = min(shares)
    counts = np.bincount(records_of(data)[1], minlength=data.size).astype(np.int64)
    total = int(counts.sum())
    for person in np.argsort(-counts, kind="stable").tolist():
        if counts[person] * alpha.denominator <= alpha.numerator * total:
            break
        heavy[person] = True
        total -= int(counts[person])
    return heavy


_LARGEST_OF = ("rounds of moves",)
"""What is not added up over the neighbourhoods."""


class NeighbourhoodProgress(Progress):
    """Says which neighbourhood, ``number`` (from 0) of ``count``, a stage is of, and tells the listener ``whole``."""

    def __init__(self, whole: Progress, number: int, count: int) -> None:
        self.whole, self.name = whole, f"neighbourhood {number + 1} of {count}"

    def step(self, stage: str, done: int, total: int) -> None:
        """Tell it further."""
        self.whole.step(f"{self.name}: {stage}", done, total)

    def note(self, message: str) -> None:
        """Tell it further."""
        self.whole.note(message)


def neighbourhoods(problem: Problem, most: int) -> NDArray[np.int64]:
    """(n,) Divide individuals into neighbourhoods of at most ``most``, each of which holds everything that is asked.

    First by Mondrian's least-loss cuts that leave at least half as many on both sides, and that keep to those models that
    more individuals can break. Where it cannot cut any more, the rest is dealt in the order of its values. A neighbourhood
    that does not hold as one class is joined to its nearest (equations 16-18), whatever their size then.
    """
    problem.progress.step("divide", 0, 0)
    breakable = tuple(one for one in problem.requirements if not one.closed_under_adding)
    half = require_of([KAnonymity(max(1, -(-most // 2)))], problem.data)
    parts = Mondrian().run(replace(problem, requirements=(*half, *breakable))).classes
    if (parts < 0).any():
        parts = np.zeros(problem.data.size, np.int64)
    space = lay_out_space(problem.data)
    return _joined(problem, space, _dealt(parts, space.crowd.profile, most))


def _dealt(parts: NDArray[np.int64], profile: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Deal parts that are too large into equal ones, neighbours in the order of their profiles together."""
    sizes = np.bincount(parts)
    pieces = -(-sizes // most)
    order = np.lexsort((profile, parts))
    own = parts[order]
    place = np.arange(own.size) - np.searchsorted(own, own)
    dealt = np.zeros(parts.size, np.int64)
    dealt[order] = (np.cumsum(pieces) - pieces)[own] + place * pieces[own] // sizes[own]
    return dealt


def _joined(problem: Problem, space: HullSpace, parts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Join parts that do not hold as one class to their nearest, until all hold or there is one."""
    while True:
        count = int(parts.max(initial=0)) + 1
        failing = np.flatnonzero(~problem.holding(parts, count))
        if failing.size == 0 or count == 1:
            return parts
        run = Run(space, lay_out_limits(problem), np.arange(parts.size), classes=parts)
        away = run.distances_of_classes(int(failing[0]))
        joined = np.where(parts == failing[0], int(np.argmin(away)), parts)
        parts = np.unique(joined, return_inverse=True)[1].astype(np.int64)


def cluster_parts(
    problem: Problem,
    parts: NDArray[np.int64],
    cluster: Callable[[Problem], tuple[NDArray[np.int64], dict[str, Any]]],
) -> tuple[Run, dict[str, Any]]:
    """Cluster every neighbourhood by itself: the run of the whole table, all classes made, and what happened, added up.

    ``cluster`` gives the classes of one neighbourhood, -1 for those in none, and its history. Those stay left over.
    """
    count = int(parts.max()) + 1
    classes = np.full(problem.data.size, -1, np.int64)
    made = 0
    history: dict[str, Any] = {"neighbourhoods": count}
    order = np.argsort(parts, kind="stable")
    for number, rows in enumerate(np.split(order, np.cumsum(np.bincount(parts))[:-1])):
        listener = NeighbourhoodProgress(problem.progress, number, count)
        found, told = cluster(replace(problem, data=problem.data.take(rows), progress=listener))
        classes[rows] = np.where(found >= 0, found + made, -1)
        made += int(found.max(initial=-1)) + 1
        for what, much in told.items():
            known = history.get(what)
            if known is None or isinstance(much, str):
                history[what] = much
            else:
                history[what] = max(known, much) if what in _LARGEST_OF else known + much
    space = lay_out_space(problem.data)
    return Run(space, lay_out_limits(problem), np.arange(classes.size), classes=classes), history


_ROUNDS = 20
_LEAST_GAIN = 0.001
"""Share of everybody that must have moved in a round for another one."""
_LOOKS_A_STEP = 20_000_000


def dearest_first(data: Microdata, records: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Order individuals by what they can lose: their records times how unlike the others they are, the most first.

    Whoever is far from most others, and has many records to be generalized, is hardest to place once their few neighbours
    are gone. How unlike: the weighted mean over the quasi-identifiers of the distance from the mean position (intervals)
    or the share of all individuals with another value (hierarchies and sets). Equals come in random order.
    """
    weights = attribute_weights(data.quasi)
    unlike = np.zeros(data.size)
    for domain, weight, codes in zip(data.quasi, weights, data.codes, strict=True):
        if domain.shape == "interval":
            place = np.minimum(LOSSES["glm"].positions(domain), 1.0)[codes]
            unlike += weight * np.abs(place - place.mean())
        else:
            unlike += weight * (1 - np.bincount(codes, minlength=domain.codes)[codes] / data.size)
    return np.lexsort((rng.permutation(data.size), -np.round(records * unlike, 9))).astype(np.int64)


def move_between_classes(
    problem: Problem, space: HullSpace, asked: Asked, labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Move individuals to classes where all lose less, and dissolve classes that are dearer than their members elsewhere.

    Every class holds before and after every move; the total loss only falls. Rounds end when next to nobody moves.
    ``labels`` (n,) from 0 without gaps, -1 for those in none. Returns classes, numbered anew, and what happened.
    """
    from likeness.methods.danonyir.kernels.counts import REASONING, count_classes, tally
    from likeness.methods.danonyir.kernels.moves import (
        CHANGED,
        DISSOLVED,
        MOVED,
        ROUND,
        Moving,
        fill,
        move_on,
    )
    from likeness.methods.danonyir.kernels.search import hulls

    n, rows = labels.size, int(labels.max(initial=-1)) + 1
    if rows < 2:
        return labels, {}
    kind = space.profiles.parts.dtype.type
    d, words = space.profiles.low.shape[1], space.profiles.bits.shape[1]
    moving = Moving(
        labels.copy(),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.full(rows, -1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        hulls(rows + 2, d, words, kind),
        hulls(n, d, words, kind),
        np.zeros(n, np.int64),
        np.zeros(rows, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(rows, np.bool_),
        np.zeros(5, np.int64),
    )
    fill(space.geometry, space.profiles, space.crowd.profile, space.crowd.records, moving)
    room = tally(n, asked.values, asked.width, max(0, int(asked.limits[REASONING]) - 1))
    laid = asked.laid
    grows = all(requirement.closed_under_adding for requirement in problem.requirements)
    for number in range(_ROUNDS):
        counts = count_classes(asked.sets, space.crowd.records, moving.label, rows, asked.values)
        over = False
        while not over:
            over = move_on(
                space.geometry, space.profiles, space.crowd.profile, space.crowd.records, asked.sets, asked.limits,
                laid.functions, laid.shape, laid.integers, laid.reals, room, counts, moving, grows, _LOOKS_A_STEP,
            )  # fmt: skip
            problem.progress.step("move between classes", number, _ROUNDS)
        if moving.numbers[CHANGED] <= _LEAST_GAIN * n:
            break
    used = np.zeros(rows + 1, np.bool_)
    used[moving.label] = True
    numbers = np.append(np.cumsum(used[:-1]) - 1, -1)
    told = {"moved": MOVED, "classes dissolved": DISSOLVED, "rounds of moves": ROUND}
    return numbers[moving.label], {name: int(moving.numbers[at]) for name, at in told.items()}
