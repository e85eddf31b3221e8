"""Lower what small classes lose whose regions grow by what few members have: by moves between them and those near them.

Searches minimise the narrowest regions. Of small classes more is published (`likeness.microdata.attained`), so afterwards every
class of at most twice as many members as must have an end is looked at once more, under the loss of what is published of it: it
takes a member of a class near it, changes places with one, is joined with another class, or is dissolved into several. Where no
move gains, it and others near it are made anew, the best of all partitions of their records. A move is made where both lose
less and all classes that it touches hold the guarantee. Those that moves touched are looked at again, until a round lowers the
loss by less than half a hundredth.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods.leftovers import judge_of
from likeness.microdata.attained import quadruples, several_children
from likeness.microdata.plan import renumber
from likeness.microdata.regions import attribute_weights, geometry, losses_together, recode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.methods.base import Problem
    from likeness.methods.growing.kernels import GrowthRules
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.regions import Recoding

_MOST = 32
"""Members of the classes that take part in moves."""
_NEAR = 96
"""Classes that are tried for each, those that would lose least with it."""
_LOOKED_AT = 8_192
"""Classes among which these are looked for: the next ones in the order of their regions."""
_TOGETHER = 8
"""Records that are made into classes anew, at most: of more there are too many partitions."""
_OTHERS = ((0, 1), (1, 2), (2, 3), (3, 4), (1, 1), (2, 1), (4, 1), (8, 1))
"""Which others are made anew with a class, until that gains something: as many as have room, from one of the nearest on all, or
every second, third or fourth."""
_SPARE = 2
"""For every so many classes a round may make one more."""
_ROUNDS = 8
_LEAST_SHARE = 5e-3


def improve_growing(problem: Problem, plan: Plan) -> Plan:
    """Lower the loss of small classes, as they are published, where regions grow; other plans stay as they are.

    Parameters
    ----------
    problem
        The records, and what every class must hold.
    plan
        Classes of records.

    Returns
    -------
    Plan
        The same records, in classes that lose no more.
    """
    data = problem.data
    attained = {domain.attained.least for domain in data.quasi if domain.attained is not None}
    of_classes = plan.buckets is None and plan.mechanism is None and data.members is None
    if not attained or not of_classes or not plan.published.any():
        return plan
    moves = 0
    moved = plan.published
    for _ in range(_ROUNDS):
        plan, recoding = recode(data, plan)
        classes = _SmallClasses.of(problem, plan, recoding, max(attained))
        before = float(classes.loss.sum())
        gain = classes.improve(np.unique(plan.classes[moved]))
        moves += len(classes.changed)
        labels = classes.labels(plan)
        moved = plan.published & np.isin(labels, classes.changed)
        plan = replace(plan, classes=renumber(labels))
        if gain <= _LEAST_SHARE * before:
            break
    if not moves:
        return plan
    return replace(plan, history=plan.history | {"moves of small classes whose regions grow": moves})


@dataclass(eq=False)
class _SmallClasses:
    """Classes while they change; ``pool`` (E, `_MOST`) their members, ``size`` 0 of those that take no part or are not there yet.

    ``recoding``: their regions before anything was changed.
    """

    problem: Problem
    recoding: Recoding
    rule: GrowthRules
    geometry: Geometry
    codes: NDArray[np.int64]
    pool: NDArray[np.int64]
    size: NDArray[np.int64]
    loss: NDArray[np.float64]
    part: NDArray[np.int64]
    smallest: int
    changed: list[int] = field(default_factory=list)

    @staticmethod
    def of(problem: Problem, plan: Plan, recoding: Recoding, least: int) -> _SmallClasses:
        """Lay out the classes of a plan."""
        from likeness.methods.growing.kernels import class_loss

        data = problem.data
        kept = np.flatnonzero(plan.published)
        order = kept[np.argsort(plan.classes[kept], kind="stable")]
        sizes = np.bincount(plan.classes[kept], minlength=plan.count)
        inside = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        taken = sizes[plan.classes[order]] <= _MOST - 2
        most = plan.count + plan.count // _SPARE
        pool = np.zeros((most, _MOST), np.int64)
        pool[plan.classes[order][taken], inside[taken]] = order[taken]
        size = np.zeros(most, np.int64)
        size[: plan.count] = np.where(sizes <= _MOST - 2, sizes, 0)
        codes = np.ascontiguousarray(data.codes, dtype=np.int64)
        rule = _rule(data, kept, least)
        laid = geometry(data.quasi, problem.loss)
        loss = np.array(
            [
                class_loss(rule, laid, codes, own, m) if m else 0.0
                for own, m in zip(pool, size.tolist(), strict=True)
            ]
        )
        part = np.zeros(most, np.int64)
        if problem.parts is not None:
            part[plan.classes[kept]] = problem.parts[kept]
        return _SmallClasses(problem, recoding, rule, laid, codes, pool, size, loss, part, int(sizes.min()))

    def labels(self, plan: Plan) -> NDArray[np.int64]:
        """(n,) Class of each record."""
        found = plan.classes.copy()
        there = np.arange(_MOST) < self.size[:, None]
        found[self.pool[there]] = np.nonzero(there)[0]
        return found

    def improve(self, asked: NDArray[np.int64]) -> float:
        """Make the best move of each of some classes, those that are small; what all gained."""
        from likeness.methods.growing.kernels import NOTHING, best_move

        holds = judge_of(self.problem)
        gained = 0.0
        for g in asked.tolist():
            if not 0 < self.size[g] <= 2 * self.rule.least or self.loss[g] <= 0:
                continue
            self.problem.progress.step("classes whose regions grow", g, self.size.size)
            near = self._near(g)
            gain, move, h, i, r, homes = best_move(
                self.rule, self.geometry, self.codes, self.pool, self.size, self.loss, g, near, self.smallest
            )
            if move != NOTHING and self._make(g, move, (h, i, r, homes), holds):
                gained += float(gain)
            else:
                anew = (self._make_anew(group, holds) for group in self._groups(g, near))
                gained += next(filter(None, anew), 0.0)
        return gained

    def _near(self, g: int) -> NDArray[np.int64]:
        """Classes of the same part that would lose least with a class, the nearest first, as they were before any change."""
        end = min(self.recoding.classes, max(0, g - _LOOKED_AT // 2) + _LOOKED_AT)
        begin = max(0, end - _LOOKED_AT)
        among = slice(begin, end)
        weights = attribute_weights(self.problem.data.quasi).tolist()
        together = np.zeros(self.size[among].size)
        for regions, weight in zip(self.recoding.attributes, weights, strict=True):
            together += weight * losses_together(regions, g, self.problem.loss, among)
        sizes = self.size[among]
        more = (sizes + self.size[g]) * together - self.loss[among]
        # Rounded, so that what loses as much does so on every machine.
        more = np.where((sizes > 0) & (self.part[among] == self.part[g]), np.round(more, 9), np.inf)
        near = np.arange(more.size)
        if more.size > _NEAR:
            # All that lose less than the last of them, and of those that lose as much the first.
            last = np.partition(more, _NEAR - 1)[_NEAR - 1]
            near = np.flatnonzero(more < last)
            near = np.concatenate([near, np.flatnonzero(more == last)[: _NEAR - near.size]])
        near = near[np.argsort(more[near], kind="stable")]
        return near[np.isfinite(more[near])] + begin

    def _groups(self, g: int, near: NDArray[np.int64]) -> Iterator[list[int]]:
        """Yield a class with others of those near it, the sets that `_OTHERS` says."""
        sizes = self.size[near]
        room = _TOGETHER - int(self.size[g])
        others = list(zip(near[sizes <= room].tolist(), sizes[sizes <= room].tolist(), strict=True))
        found = set()
        for first, step in _OTHERS:
            group, left = [g], room
            for h, size in others[first::step]:
                if left < self.smallest:
                    break
                if h != g and 0 < size <= left:
                    group.append(h)
                    left -= size
            if len(group) > 1 and tuple(group) not in found:
                found.add(tuple(group))
                yield group

    def _make_anew(self, group: list[int], holds: Callable[..., bool]) -> float:
        """Make some classes anew if they lose less then and hold; what that gains."""
        from likeness.methods.growing.kernels import LEAST_GAIN, best_partition

        g = group[0]
        own = np.array([record for number in group for record in self._members(number)], np.int64)
        lost, labels = best_partition(self.rule, self.geometry, self.codes, own, self.smallest)
        gain = float(self.loss[group].sum() - lost)
        if gain <= LEAST_GAIN:
            return 0.0
        classes = [own[labels == number] for number in range(int(labels.max()) + 1)]
        spare = np.flatnonzero(self.size[self.recoding.classes :] == 0) + self.recoding.classes
        places = [*group, *spare[: max(0, len(classes) - len(group))].tolist()]
        if len(places) < len(classes) or not all(holds(one) for one in classes):
            return 0.0
        for i, number in enumerate(places):
            self.part[number] = self.part[g]
            self._put(number, classes[i].tolist() if i < len(classes) else [])
        self.changed += places
        return gain

    def _members(self, number: int) -> list[int]:
        """Records of one class."""
        own: list[int] = self.pool[number, : self.size[number]].tolist()
        return own

    def _make(
        self, g: int, move: int, how: tuple[int, int, int, NDArray[np.int64]], holds: Callable[..., bool]
    ) -> bool:
        """Make a move if all classes that it touches then hold."""
        from likeness.methods.growing.kernels import DISSOLVE, MERGE, TAKE

        h, i, r, homes = how
        mine, others = self._members(g), self._members(h) if h >= 0 else []
        if move == DISSOLVE:
            after = {
                int(home): [*self._members(int(home)), record]
                for home, record in zip(homes, mine, strict=True)
            }
            after[g] = []
        elif move == MERGE:
            after = {h: others + mine, g: []}
        elif move == TAKE:
            after = {g: [*mine, others[r]], h: others[:r] + others[r + 1 :]}
        else:
            mine[i], others[r] = others[r], mine[i]
            after = {g: mine, h: others}
        if any(own and (len(own) > _MOST or not holds(np.array(own, np.int64))) for own in after.values()):
            return False
        for number, own in after.items():
            self._put(number, own)
        self.changed += after
        return True

    def _put(self, number: int, members: list[int]) -> None:
        """Give a class other members."""
        from likeness.methods.growing.kernels import class_loss

        m = len(members)
        self.pool[number, :m], self.size[number] = members, m
        self.loss[number] = (
            class_loss(self.rule, self.geometry, self.codes, self.pool[number], m) if m else 0.0
        )


def _rule(data: Microdata, kept: NDArray[np.int64], least: int) -> GrowthRules:
    """Lay out the rule of every attribute; ``kept`` are the published records."""
    from likeness.methods.growing.kernels import GrowthRules

    d = len(data.quasi)
    codes = max(domain.codes for domain in data.quasi)
    trees = [
        domain.hierarchy for domain in data.quasi if domain.shape == "tree" and domain.hierarchy is not None
    ]
    nodes = max((len(tree.labels) + 1 for tree in trees), default=1)
    place, last = np.zeros((d, codes), np.int64), np.full(d, -1, np.int64)
    first, paired = np.zeros(d, np.bool_), np.zeros((d, codes), np.bool_)
    climb, missing = np.full((d, nodes), -1, np.int32), np.full(d, -1, np.int64)
    for j, domain in enumerate(data.quasi):
        missing[j] = domain.missing_code
        attained = domain.attained
        if domain.shape == "set":
            present = np.unique(data.codes[j][kept])
            place[j, present] = np.arange(present.size)
            last[j] = present.size
            for x, y in quadruples(present.size):
                paired[j, [rank for rank in (x, y) if -2 * rank % present.size in (x, y)]] = True
        elif domain.shape == "tree" and domain.hierarchy is not None:
            tree = domain.hierarchy
            climb[j, : len(tree.labels)] = several_children(tree, domain.max_level)
        elif attained is not None and attained.places is not None:
            place[j, : domain.size] = attained.places
            first[j] = attained.first is not None
            last[j] = -1 if attained.last is None else attained.last
    return GrowthRules(least, place, first, last, paired, climb, missing)
