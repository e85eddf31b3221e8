"""GeneIR's climb: full-domain recoding of the individuals that are left, who leave once their group holds.

The levels of every attribute are laid out first: the region of a value at a level, and what the region loses, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from likeness.exact import rational
from likeness.methods.base import holding_classes
from likeness.microdata.grouping import group_codes
from likeness.microdata.regions import LOSSES

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.methods.base import Problem
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

if TYPE_CHECKING:
    Ranges = list[tuple[NDArray[np.int32], NDArray[np.int32]]]

_LARGEST = 1 << 62
_EXACT = 1 << 53
"""Whole numbers below are exact as floats."""


@dataclass(frozen=True, eq=False)
class RegionsByLevel:
    """Regions of d attributes at up to L levels, and their losses.

    ``region``: (d, L, codes) number of each code's region; the top level is repeated where an attribute has fewer.
    ``count``: (d,) distinct regions. ``low``, ``high``: (d, regions) smallest and largest code of each.
    ``loss``: (d, regions) weighted generalized loss metric: whole numbers on a common denominator where all attributes
    allow it, so that equal distances are equal; else floats.
    ``height``: (d,) top level of each attribute. ``whole``: loss of a withheld record, in the same unit.
    """

    region: NDArray[np.int32]
    count: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    loss: NDArray[np.int64] | NDArray[np.float64]
    height: NDArray[np.int64]
    whole: int | float

    def regions_at(
        self, level: NDArray[np.int64], start: NDArray[np.int64], codes: NDArray[np.int32]
    ) -> list[NDArray[np.int32]]:
        """Region of each individual in each attribute at a vector of levels (d,).

        ``start`` (d, n): level below which an individual is not split (`starts`); ``codes`` (d, n): a code of each.
        """
        return [
            self.region[j, level[j]][codes[j]]
            if not start[j].any()
            else self.region[j, np.maximum(level[j], start[j]), codes[j]]
            for j in range(self.height.size)
        ]


def lay_out_levels(data: Microdata, records: int) -> RegionsByLevel:
    """Lay out the levels of a table's attributes; each must have some (`check_levels`).

    A leaf that lies higher than others stands for itself on the levels it lacks. Numbers have the intervals of their
    nodes' values, plain sets two levels, and a missing value is by itself below the root.
    ``records``: number of records whose losses may be added up.
    """
    quasi = data.quasi
    ranges = [_ranges(domain) for domain in quasi]
    deepest = max(len(own) for own in ranges)
    codes = max(domain.codes for domain in quasi)
    region = np.zeros((len(quasi), deepest, codes), np.int32)
    ends: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for j, (domain, own) in enumerate(zip(quasi, ranges, strict=True)):
        keys = np.stack([low.astype(np.int64) * domain.codes + high for low, high in own])
        # Numbered as they appear, so that single values come first.
        distinct, first, number = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        region[j, : len(own), : domain.codes] = place[number].reshape(keys.shape)
        region[j, len(own) :] = region[j, len(own) - 1]
        ends.append((distinct[order] // domain.codes, distinct[order] % domain.codes))
    count = np.array([low.size for low, _ in ends], np.int64)
    low, high = (np.zeros((len(quasi), int(count.max())), np.int32) for _ in range(2))
    for j, own_ends in enumerate(ends):
        low[j, : count[j]], high[j, : count[j]] = own_ends
    loss, whole = _losses(quasi, ends, int(count.max()), records)
    height = np.array([len(own) - 1 for own in ranges], np.int64)
    return RegionsByLevel(region, count, low, high, loss, height, whole)


def starts(data: Microdata, levels: RegionsByLevel) -> NDArray[np.int64]:
    """(d, n) Lowest level at which all records of an individual share a region; the number of levels where none is.

    An individual whose records say different things is recoded from there on: below, it is its lowest common ancestor.
    """
    found = np.zeros(data.codes.shape, np.int64)
    if data.members is None:
        return found
    from likeness.kernels.hulls import class_ranges

    of, codes = data.members.of, data.members.records.codes
    for j in range(len(data.quasi)):
        own = np.ascontiguousarray(codes[j])
        low, high = class_ranges(own, of, data.size)
        differ = np.flatnonzero(low != high)
        if differ.size == 0:
            continue
        place = np.full(data.size, -1, np.int64)
        place[differ] = np.arange(differ.size)
        place = place[of]
        records = np.flatnonzero(place >= 0)
        place, own = place[records], own[records]
        found[j, differ] = levels.region.shape[1]
        for level in range(int(levels.height[j]), 0, -1):
            # Regions are nested, so those that agree at a level agree above.
            low, high = class_ranges(np.ascontiguousarray(levels.region[j, level][own]), place, differ.size)
            found[j, differ[low == high]] = level
    return found


def _ranges(domain: Domain) -> Ranges:
    """Smallest and largest code that every code is generalized to, per level from the values themselves."""
    everybody = np.arange(domain.codes, dtype=np.int32)
    levels: Ranges = [(everybody, everybody)]
    tree = domain.hierarchy
    if tree is None:
        if domain.codes > 1:
            levels.append((np.zeros_like(everybody), np.full_like(everybody, domain.codes - 1)))
        return levels
    top = tree.height if domain.max_level is None else min(domain.max_level, tree.height)
    leaves = np.arange(domain.size)
    if domain.shape != "tree":
        leaves = np.array([tree.rank_of[label] for label in domain.labels], np.int64)
    for level in range(1, top + 1):
        if domain.missing and level == tree.height:
            levels.append((np.zeros_like(everybody), np.full_like(everybody, domain.codes - 1)))
            continue
        low, high = everybody.copy(), everybody.copy()
        low[: domain.size], high[: domain.size] = _node_ranges(tree.ancestor_at(leaves, level))
        levels.append((low, high))
    return levels


def _node_ranges(node: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Smallest and largest code that shares each code's node."""
    from likeness.kernels.hulls import class_ranges

    distinct, number = np.unique(node, return_inverse=True)
    number = number.reshape(-1).astype(np.int64)
    low, high = class_ranges(np.arange(node.size, dtype=np.int32), number, distinct.size)
    return low[number], high[number]


def _losses(
    quasi: tuple[Domain, ...],
    ends: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
    most: int,
    records: int,
) -> tuple[NDArray[np.int64] | NDArray[np.float64], int | float]:
    """Weighted loss of every region and of a withheld record: whole numbers if sums over the records fit, else floats."""
    exact = [_whole_numbers(domain, low, high) for domain, (low, high) in zip(quasi, ends, strict=True)]
    if all(one is not None for one in exact):
        own = [one for one in exact if one is not None]
        shares: list[Fraction] = [
            rational(domain.weight) / width for domain, (_, width) in zip(quasi, own, strict=True)
        ]
        scale = lcm(*(share.denominator for share in shares))
        steps = [int(share * scale) for share in shares]
        whole = sum(step * width for step, (_, width) in zip(steps, own, strict=True))
        if whole * max(1, records) < _LARGEST:
            loss = np.zeros((len(quasi), most), np.int64)
            for j, (step, (lost, _)) in enumerate(zip(steps, own, strict=True)):
                loss[j, : lost.size] = step * lost
            return loss, whole
    real = np.zeros((len(quasi), most))
    for j, (domain, (low, high)) in enumerate(zip(quasi, ends, strict=True)):
        if domain.shape == "interval":
            positions = LOSSES["glm"].positions(domain)
            real[j, : low.size] = domain.weight * np.minimum(1.0, positions[high] - positions[low])
        else:
            real[j, : low.size] = domain.weight * LOSSES["glm"].by_count(domain.codes)[high - low + 1]
    return real, float(sum(domain.weight for domain in quasi))


def _whole_numbers(
    domain: Domain, low: NDArray[np.int64], high: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int] | None:
    """Loss of every region as a whole number of parts of its largest, and that number; None where there is none."""
    if domain.shape != "interval":
        return high - low, max(1, domain.codes - 1)
    numbers = domain.numbers
    ends = np.array([*numbers[:1], *numbers[-1:], domain.low, domain.high])
    if (
        (np.abs(ends) >= _EXACT).any()
        or (ends != np.floor(ends)).any()
        or (numbers != np.floor(numbers)).any()
    ):
        return None
    width = int(domain.width)
    if width <= 0:
        return np.zeros(low.size, np.int64), 1
    mixed = (high == domain.missing_code) & (low != high)
    numbers = np.append(numbers, 0).astype(np.int64)
    lost = np.where(mixed, width, numbers[high] - numbers[low])
    return np.where(low == high, 0, np.minimum(lost, width)).astype(np.int64), width


@dataclass(frozen=True, eq=False)
class Formed:
    """E equivalence classes in the order they were formed.

    ``code``: (E, d) a code that each covers. ``level``: (E, d) the level at which that code's region is the class's.
    ``records``: (E,) of each class.
    """

    code: NDArray[np.int32]
    level: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Judged:
    """Groups of the individuals that are left, at one vector of levels (d,).

    ``rows``: (m,) the individuals that are left.
    ``of``: (m,) group of each: the class whose region they show, or, from the number of classes on, a new one.
    ``holds``: (count,) whether each new group holds, and each class with those that show its region; false for classes
    that nobody joins.
    ``first``: (count,) position in ``rows`` of a member of each new group; of classes it means nothing.
    """

    level: NDArray[np.int64]
    rows: NDArray[np.int64]
    of: NDArray[np.int64]
    count: int
    holds: NDArray[np.bool_]
    first: NDArray[np.int64]

    @cached_property
    def leaving(self) -> NDArray[np.bool_]:
        """(m,) Whether each individual leaves."""
        return np.asarray(self.holds[self.of], np.bool_)


@dataclass(eq=False)
class Climb:
    """The individuals of a problem on their way up.

    ``start``: (d, n) lowest level of each individual in each attribute (`starts`). ``records``: (n,) of each.
    ``classes``: (n,) class of each, -1 for those that are left. ``level``: (d,) where the table is.
    ``formed``: the classes of those who have left.
    ``path``: name of the attribute of every step so far, and how many individuals left there.
    """

    problem: Problem
    levels: RegionsByLevel
    start: NDArray[np.int64]
    records: NDArray[np.int64]
    classes: NDArray[np.int64]
    level: NDArray[np.int64]
    formed: Formed
    path: list[tuple[str, int]] = field(default_factory=list)

    @property
    def open(self) -> NDArray[np.int64]:
        """Attributes that are not at their root."""
        return np.flatnonzero(self.level < self.levels.height)

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """(n,) Whether an individual's records share a region at some level in every attribute."""
        return np.asarray((self.start <= self.levels.height[:, None]).all(axis=0), np.bool_)

    @property
    def left(self) -> NDArray[np.int64]:
        """The individuals that are left and can be published at all."""
        return np.flatnonzero((self.classes < 0) & self.possible)

    def judge(self, level: NDArray[np.int64]) -> Judged:
        """Group those that are left at a vector of levels, and decide which groups hold."""
        data, formed, levels = self.problem.data, self.formed, self.levels
        rows = self.left
        there = formed.code.shape[0]
        regions = levels.regions_at(level, self.start[:, rows], data.codes[:, rows])
        taken = [levels.region[j, formed.level[:, j], formed.code[:, j]] for j in range(level.size)]
        # Classes differ in their regions, so they are groups 0 … E - 1.
        both = [np.concatenate(pair) for pair in zip(taken, regions, strict=True)]
        groups = group_codes(both, levels.count.tolist())
        of = groups.of[there:]
        joined = np.unique(of[of < there])
        judged, labels = rows, of - there + joined.size
        if joined.size:
            # Whoever shows the region of a class is in that class for everybody to see.
            number = np.full(groups.count, -1, np.int64)
            number[joined] = np.arange(joined.size)
            number[there:] = np.arange(groups.count - there) + joined.size
            members = np.flatnonzero((self.classes >= 0) & (np.append(number[:there], -1)[self.classes] >= 0))
            judged = np.concatenate([rows, members])
            labels = number[np.concatenate([of, self.classes[members]])]
        here = data if judged.size == data.size and joined.size == 0 else data.take(judged)
        held = holding_classes(self.problem.requirements, here, labels, groups.count - there + joined.size)
        holds = np.zeros(groups.count, np.bool_)
        holds[joined], holds[there:] = held[: joined.size], held[joined.size :]
        first = np.maximum(groups.first - there, 0)
        return Judged(level, rows, of, groups.count, holds, first)

    def take_out(self, judged: Judged) -> int:
        """Let groups that hold leave as classes; how many individuals left."""
        there = self.formed.code.shape[0]
        leaving = judged.leaving
        new = judged.holds.copy()
        new[:there] = False
        number = np.arange(judged.count)
        number[new] = there + np.arange(int(new.sum()))
        rows = judged.rows[leaving]
        self.classes[rows] = number[judged.of[leaving]]
        first = judged.rows[judged.first[new]]
        code = self.problem.data.codes[:, first].T
        level = np.maximum(judged.level[:, None], self.start[:, first]).T
        count = there + first.size
        grown = np.bincount(self.classes[rows], self.records[rows], count).astype(np.int64)
        grown[:there] += self.formed.records
        self.formed = Formed(
            np.ascontiguousarray(np.concatenate([self.formed.code, code])),
            np.ascontiguousarray(np.concatenate([self.formed.level, level])),
            grown,
        )
        self.level = judged.level
        return int(leaving.sum())

    def hopeless(self) -> bool:
        """Whether no group of those that are left can hold: all of them together do not, and adding never harms."""
        if not all(one.closed_under_adding for one in self.problem.requirements):
            return False
        data, left, parts = self.problem.data, self.left, self.problem.parts
        labels = np.zeros(left.size, np.int64) if parts is None else parts[left]
        together = holding_classes(
            self.problem.requirements, data.take(left), labels, int(labels.max(initial=-1)) + 1
        )
        return not together.any()

    def raised(self, attribute: int) -> NDArray[np.int64]:
        """Give the vector of levels with one attribute a level higher."""
        level = self.level.copy()
        level[attribute] += 1
        return level


def begin(problem: Problem, levels: RegionsByLevel, records: NDArray[np.int64]) -> Climb:
    """Set out with everybody at the lowest levels, nobody in a class yet; ``records`` (n,) of each individual."""
    data = problem.data
    d = len(data.quasi)
    formed = Formed(np.zeros((0, d), np.int32), np.zeros((0, d), np.int64), np.zeros(0, np.int64))
    classes = np.full(data.size, -1, np.int64)
    return Climb(problem, levels, starts(data, levels), records, classes, np.zeros(d, np.int64), formed)
