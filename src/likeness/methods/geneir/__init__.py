"""GeneIR (Tong et al. 2010): full-domain recoding step by step, groups of individuals leave once they hold.

The baseline of Wang et al. 2019 for identity-reserved models, where one person may have several records.

In the last step whoever is left joins the closest class, or is withheld where that loses no more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import choice, whole
from likeness.errors import PolicyError, Refusal, suggestion
from likeness.methods._lattice import check_levels, note_padding, one_class
from likeness.methods.base import Method, Problem, joint_views
from likeness.methods.geneir.climb import begin, lay_out_levels
from likeness.microdata.plan import Plan, Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.kernels.class_tests import LaidOutTests
    from likeness.methods.geneir.climb import Climb, Judged
    from likeness.methods.geneir.kernels import Classes
    from likeness.microdata.data import Microdata

_CHOICES = ("random", "least-loss")


@dataclass(frozen=True)
class Geneir(Method):
    """Climb one level in a random attribute; groups of equal regions that hold leave; whoever remains joins the closest class.

    All individuals that are left are recoded alike, so groups that leave late are published with higher levels, and classes may
    overlap in space. Once no attribute can climb, or those left could hold nothing together, each of them joins the class
    at the least distance (Wang et al. 2019, eq. 17, with lowest common ancestors and the generalized loss metric), where that
    loses less than withholding their records or the policy does not allow to withhold as many; under models that adding can
    break, only a class that holds with them.

    Parameters
    ----------
    attribute_order
        Columns to climb in, one level each time a column is named, before any are chosen; columns at their root are passed
        over. By default all are chosen.
    attribute_choice
        ``random`` (default, the papers): uniform among the attributes that are not at their root; ``least-loss``: the one
        after whose climb the records that leave and the records that are left lose least together.
    tries
        How many random orders to try; the release of the least loss is kept. The papers have one.

    Notes
    -----
    Every quasi-identifier needs a hierarchy; plain sets have two levels (exact, anything). A leaf that lies higher than others
    stands for itself on the levels it lacks. An individual whose records have different quasi-identifiers is recoded by its
    hull: on levels below their lowest common ancestor it is that ancestor. A group that shows the region of a class that has
    left is in that class for everybody to see, and is judged, and leaves, with it.

    The original paper is in Chinese and was not at hand: choice and guards of the last step, and the early stop for models
    that adding never breaks, are our readings of Wang et al. 2019, which leaves them open. The private history keeps the climb.

    References
    ----------
    Tong, Tao, Tang & Yang 2010, as Wang, Du, Luo & Li 2019 describe it in sections 5.1 and 6.1.3.

    Examples
    --------
    >>> Geneir(tries=3)
    Geneir(attribute_order=None, attribute_choice='random', tries=3)
    """

    attribute_order: tuple[str, ...] | list[str] | None = None
    attribute_choice: str = "random"
    tries: int = 1

    name: ClassVar[str] = "geneir"
    form: ClassVar[str] = "identity-reserved"
    forms: ClassVar[tuple[str, ...]] = ("generalized",)
    takes_individuals: ClassVar[bool] = True
    takes_parts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given = self.attribute_order
        if given is not None:
            if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
                raise PolicyError(
                    Refusal(f"attribute_order must list names of columns; got {given!r}", (self.name,))
                )
            object.__setattr__(self, "attribute_order", tuple(given))
        choice(self.name, "attribute_choice", self.attribute_choice, _CHOICES)
        whole(self.name, "tries", self.tries, at_least=1)
        if self.tries > 1 and self.attribute_choice != "random":
            raise PolicyError(
                Refusal(
                    f"tries: {self.tries} tries random orders, and attribute_choice is {self.attribute_choice!r}, which "
                    "finds the same each time; leave one of them out",
                    (self.name,),
                )
            )

    @property
    def bounds_regions(self) -> bool:
        """Always: what is published are nodes of hierarchies."""
        return True

    def run(self, problem: Problem) -> Plan:
        """Climb until everybody has left, then place the rest.

        Raises
        ------
        PolicyError
            When a quasi-identifier has no levels, or ``attribute_order`` names a column that is none.
        """
        data = problem.data
        order = self._order(data)
        if not data.quasi or data.size == 0:
            return one_class(problem)
        check_levels(self.name, data)
        note_padding(problem)
        records = np.ones(data.size, np.int64)
        if data.members is not None:
            records = np.bincount(data.members.of, minlength=data.size).astype(np.int64)
        levels = lay_out_levels(data, int(records.sum()))
        best: tuple[float, Climb, int] | None = None
        for number in range(self.tries):
            if self.tries > 1:
                problem.progress.step("try random orders", number, self.tries)
            climb = begin(problem, levels, records)
            self._climb(climb, order)
            left = join_residual(climb)
            lost = _loss(climb)
            if best is None or lost < best[0]:
                best = lost, climb, left
        assert best is not None  # noqa: S101  # there is at least one try
        return _plan(*best)

    def _order(self, data: Microdata) -> list[int]:
        """Positions of the columns named by ``attribute_order``."""
        names = [domain.name for domain in data.quasi]
        unknown = [name for name in self.attribute_order or () if name not in names]
        if unknown:
            hint = suggestion(unknown[0], names)
            raise PolicyError(
                Refusal(
                    f"attribute_order names {unknown[0]!r}, which is not a quasi-identifier{hint}",
                    (self.name,),
                )
            )
        return [names.index(name) for name in self.attribute_order or ()]

    def _climb(self, climb: Climb, order: list[int]) -> None:
        """Raise levels until everybody has left, no attribute can climb, or nobody else can leave."""
        problem, replay = climb.problem, iter(order)
        size = problem.data.size
        climb.take_out(climb.judge(climb.level))
        while climb.left.size and climb.open.size and not climb.hopeless():
            problem.progress.step("climb", size - climb.left.size, size)
            attribute, judged = self._raise(climb, replay)
            gone = climb.take_out(judged)
            climb.path.append((problem.data.quasi[attribute].name, gone))

    def _raise(self, climb: Climb, replay: Iterator[int]) -> tuple[int, Judged]:
        """Choose the attribute to climb in, and judge the groups there."""
        candidates = climb.open
        for attribute in replay:
            if attribute in candidates:
                return attribute, climb.judge(climb.raised(attribute))
        if self.attribute_choice == "random":
            attribute = int(climb.problem.rng.choice(candidates))
            return attribute, climb.judge(climb.raised(attribute))
        judged = [climb.judge(climb.raised(attribute)) for attribute in candidates.tolist()]
        lost = [_loss_there(climb, one) for one in judged]
        best = int(np.argmin(lost))
        return int(candidates[best]), judged[best]


def _loss_there(climb: Climb, judged: Judged) -> float:
    """Loss per attribute of the records that are left, were they published at a vector of levels, per record that leaves."""
    levels = climb.levels
    rows = judged.rows
    regions = levels.regions_at(judged.level, climb.start[:, rows], climb.problem.data.codes[:, rows])
    lost = sum(levels.loss[j][own] for j, own in enumerate(regions))
    weight = climb.records[rows]
    return float((lost * weight).sum()) / max(1, int(weight[judged.leaving].sum()))


def _loss(climb: Climb) -> float:
    """Loss of the release, in the unit of the levels; withheld records lose everything."""
    levels, formed = climb.levels, climb.formed
    lost = np.zeros(formed.records.size, levels.loss.dtype)
    for j in range(levels.height.size):
        lost += levels.loss[j, levels.region[j, formed.level[:, j], formed.code[:, j]]]
    withheld = int(climb.records[climb.classes < 0].sum())
    published: float = (lost * formed.records).sum().item()
    return published + withheld * levels.whole


def _plan(lost: float, climb: Climb, left: int) -> Plan:
    """Publish the classes with their regions, and keep how they came about."""
    data, levels, formed = climb.problem.data, climb.levels, climb.formed
    because: dict[Reason, int] = {}
    why = reasons(climb, because)
    bounds = np.stack([data.codes, data.codes])
    published = np.flatnonzero(climb.classes >= 0)
    own = climb.classes[published]
    for j in range(levels.height.size):
        region = levels.region[j, formed.level[:, j], formed.code[:, j]][own]
        bounds[0, j, published] = levels.low[j, region]
        bounds[1, j, published] = levels.high[j, region]
    return Plan(
        climb.classes,
        bounds=bounds,
        because=because,
        reasons=why,
        history=_history(lost, climb, left),
    )


def _history(lost: float, climb: Climb, left: int) -> dict[str, Any]:
    """Keep the climb: what was chosen, how many individuals left, how many were placed at the end, and the loss per record."""
    names = [domain.name for domain in climb.problem.data.quasi]
    total = int(climb.records.sum()) * climb.levels.whole
    return {
        "climbed": [name for name, _ in climb.path],
        "left": [gone for _, gone in climb.path],
        "levels": dict(zip(names, climb.level.tolist(), strict=True)),
        "residual": left,
        "loss": lost / total if total else 0.0,
    }


_CELLS = 1 << 26
"""Largest number of counts that are held at once (512 MB)."""
_WORK = 1 << 24
"""Distances from one report of progress to the next."""

NO_CLASS = Reason("no-group-holds", "no group of equal regions holds the guarantee, at none of the levels")
APART = Reason("records-apart", "their records differ by more than the level limits allow")
TOO_FAR = Reason(
    "no-class-near",
    "no class that would hold with them is near enough: joining it loses no less than withholding",
)


def join_residual(climb: Climb) -> int:
    """Let each individual that is left join the closest class it may, in the order of the table; how many were left.

    Classes are widened as they are joined. Under models that adding can break, only classes that hold with the individual
    count (HANDLE, Wang et al. 2019, section 4.3, with common ancestors for hulls); the others hold as they did. Where more
    would be withheld than the policy allows, the first of them join whatever it costs.
    """
    from likeness.kernels.class_tests import lay_out
    from likeness.methods.geneir.kernels import Residual, join_closest

    rows, formed, levels, problem = climb.left, climb.formed, climb.levels, climb.problem
    count = formed.records.size
    if rows.size == 0 or count == 0:
        return int(rows.size)
    breakable = tuple(one for one in problem.requirements if not one.closed_under_adding)
    views, tests, width = joint_views(replace(problem, requirements=breakable))
    places = np.ascontiguousarray(views.T)
    laid = lay_out(tests)
    classes = _classes(climb, places, width, laid)
    left = Residual(
        rows,
        np.ascontiguousarray(problem.data.codes[:, rows].T),
        np.ascontiguousarray(climb.start[:, rows].T),
        climb.records[rows],
    )
    joined = np.full(rows.size, -1, np.int64)

    def join(whole: float, begin: int, end: int) -> None:
        join_closest(
            levels.region,
            levels.loss,
            levels.height,
            whole,
            laid.functions,
            laid.shape,
            laid.integers,
            laid.reals,
            laid.smallest,
            places,
            left,
            classes,
            joined,
            begin,
            end,
        )

    step = max(1, _WORK // count)
    for start in range(0, rows.size, step):
        problem.progress.step("join the closest classes", start, rows.size)
        join(levels.whole, start, min(start + step, rows.size))
    whatever = (1 << 62) // int(left.records.max()) if levels.loss.dtype == np.int64 else 1e300
    excess = int(np.count_nonzero(joined < 0)) - max(0, problem.allowance)
    for person in np.flatnonzero(joined < 0).tolist():
        if excess <= 0:
            break
        join(whatever, person, person + 1)
        excess -= int(joined[person] >= 0)
    climb.classes[rows] = joined
    return int(rows.size)


def reasons(climb: Climb, names: dict[Reason, int]) -> NDArray[np.int32]:
    """(n,) Why each individual is withheld, by position in ``names``, which is filled with counts; -1 for published ones."""
    withheld = climb.classes < 0
    found = np.full(withheld.size, -1, np.int32)
    without = TOO_FAR if climb.formed.records.size else NO_CLASS
    for reason, who in ((without, withheld & climb.possible), (APART, withheld & ~climb.possible)):
        if who.any():
            found[who] = len(names)
            names[reason] = int(np.count_nonzero(who))
    return found


def _classes(climb: Climb, places: NDArray[np.int32], width: int, tests: LaidOutTests) -> Classes:
    """Lay out the classes for the kernel, which widens those of the climb."""
    from likeness.methods.geneir.kernels import Classes, count_members

    formed, of = climb.formed, climb.classes
    count = formed.records.size
    order = np.argsort(of, kind="stable")
    order = order[np.searchsorted(of[order], 0) :]
    before = np.full(of.size, -1, np.int64)
    same = of[order[1:]] == of[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    last = np.empty(count, np.int64)
    last[of[order]] = order
    size = np.bincount(of[order], minlength=count).astype(np.int64)
    fits = count == 1 or count * width <= _CELLS
    histograms = np.zeros((count if fits else 1, max(1, width)), np.int64)
    if fits and tests.shape.shape[0]:
        count_members(histograms, places, of)
    return Classes(formed.code, formed.level, formed.records, size, last, before, histograms)
