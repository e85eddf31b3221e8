"""GeneIR's climb: full-domain recoding of the individuals that are left, who leave once their group holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.methods._base import holding_classes
from likeness.methods._geneir_levels import starts
from likeness.microdata.grouping import group_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem
    from likeness.methods._geneir_levels import Levels


@dataclass(frozen=True, eq=False)
class Formed:
    """Equivalence classes in the order they were formed.

    Parameters
    ----------
    code : (E, d) int32
        A code that each class covers.
    level : (E, d) int64
        The level at which that code's region is the class's.
    records : (E,) int64
        Records of each class.
    """

    code: NDArray[np.int32]
    level: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Judged:
    """Groups of the individuals that are left, at one vector of levels.

    Parameters
    ----------
    level : (d,) int64
        The vector.
    rows : (m,) int64
        The individuals that are left.
    of : (m,) int64
        Group of each: the class whose region they show, or, from the number of classes on, a new one.
    count
        Number of classes and new groups.
    holds : (count,) bool
        Whether each new group holds, and each class with those that show its region; false for classes that nobody joins.
    first : (count,) int64
        Position in ``rows`` of a member of each new group (of classes: means nothing).
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

    Parameters
    ----------
    problem
        What is asked.
    levels
        The attributes' levels.
    start : (d, n) int64
        Lowest level of each individual in each attribute (`starts`).
    records : (n,) int64
        Records of each individual.
    classes : (n,) int64
        Class of each individual, -1 for those that are left.
    level : (d,) int64
        Where the table is.
    formed
        The classes of those who have left.
    path
        Name of the attribute of every step so far, and how many individuals left there.
    """

    problem: Problem
    levels: Levels
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


def begin(problem: Problem, levels: Levels, records: NDArray[np.int64]) -> Climb:
    """Set out with everybody at the lowest levels, nobody in a class yet.

    Parameters
    ----------
    problem
        What is asked.
    levels
        The attributes' levels.
    records : (n,) int64
        Records of each individual.
    """
    data = problem.data
    d = len(data.quasi)
    formed = Formed(np.zeros((0, d), np.int32), np.zeros((0, d), np.int64), np.zeros(0, np.int64))
    classes = np.full(data.size, -1, np.int64)
    return Climb(problem, levels, starts(data, levels), records, classes, np.zeros(d, np.int64), formed)
