"""Moves between finished classes of DAnonyIR, in plain Python: every hull found and every class judged anew each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracles.danonyir import Exact, Side, individuals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likeness.microdata.data import Microdata


class Moves:
    """Classes, and everybody's moves between them.

    Parameters
    ----------
    data
        The individuals.
    labels
        Class of each, -1 for those in none.
    holds
        Whether a class of these individuals holds.
    grows
        Whether classes that hold stay so when anybody is added.
    """

    def __init__(
        self, data: Microdata, labels: Sequence[int], holds: Callable[[list[int]], bool], *, grows: bool
    ) -> None:
        self.losses, self.sides = Exact(data), individuals(data)
        self.holds, self.grows = holds, grows
        self.label = list(labels)
        self.classes: list[list[int]] = [[] for _ in range(max(labels) + 1)]
        for person, row in enumerate(labels):
            if row >= 0:
                self.classes[row].insert(0, person)
        self.changes = [0] * len(self.classes)
        self.looked: dict[int, int] = {}
        self.guess: dict[int, int] = {}

    def lost(self, people: list[int]) -> int:
        """Loss of a class: that of its hull, for every record."""
        side = Side([], 0, tuple(frozenset() for _ in self.losses.domains))
        for person in people:
            side = side.with_(self.sides[person])
        return side.records * sum(self.losses.of(side.hull))

    def cheapest(self, person: int, limit: int, classes: list[list[int]]) -> int | None:
        """Find the class where joining costs least, the one found last time before others."""
        known = self.guess.get(person)
        rows = [] if known is None else [known]
        best = None
        for row in [*rows, *range(len(classes))]:
            if row == self.label[person] or not classes[row]:
                continue
            cost = self.lost([*classes[row], person]) - self.lost(classes[row])
            if cost < limit:
                best, limit = row, cost
        if best is None:
            self.guess.pop(person, None)
        else:
            self.guess[person] = best
        self.cost = limit
        return best

    def move(self, person: int, target: int) -> None:
        """Let an individual change classes."""
        own = self.label[person]
        self.classes[own].remove(person)
        self.classes[target].insert(0, person)
        self.label[person] = target
        self.changes[own] += 1
        self.changes[target] += 1
        self.looked.pop(person, None)

    def round(self) -> int:
        """Let everybody move, then classes dissolve; how much changed."""
        changed = 0
        for person, own in enumerate(self.label):
            if own < 0 or len(self.classes[own]) < 2 or self.looked.get(person) == self.changes[own]:
                continue
            rest = [other for other in self.classes[own] if other != person]
            target = self.cheapest(person, self.lost(self.classes[own]) - self.lost(rest), self.classes)
            if target is None or not self.holds(rest):
                self.looked[person] = self.changes[own]
            elif self.grows or self.holds([*self.classes[target], person]):
                self.move(person, target)
                changed += 1
        for row in range(len(self.classes) if self.grows else 0):
            changed += self.dissolve(row)
        return changed

    def dissolve(self, row: int) -> bool:
        """Let everybody in a class join others, if that costs less than the class loses."""
        if not self.classes[row]:
            return False
        budget = self.lost(self.classes[row])
        after, where = [list(one) for one in self.classes], []
        for person in self.classes[row]:
            target = self.cheapest(person, budget, after)
            if target is None:
                return False
            budget -= self.cost
            after[target].append(person)
            where.append((person, target))
        for person, target in where:
            self.move(person, target)
        return bool(where)


def move_between(
    data: Microdata, labels: Sequence[int], holds: Callable[[list[int]], bool], *, grows: bool, rounds: int
) -> list[int]:
    """Class of everybody after all rounds, numbered anew."""
    moves = Moves(data, labels, holds, grows=grows)
    for _ in range(rounds):
        if moves.round() <= 0.001 * data.size:
            break
    used = {row: number for number, row in enumerate(sorted(set(moves.label) - {-1}))} | {-1: -1}
    return [used[row] for row in moves.label]
