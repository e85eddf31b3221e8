"""Attacks on people with several records by plain definition: every person who may be the target, in fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tests.oracles.metrics import region

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan

Person = frozenset[int]


class PlainPeople:
    """People, their values, and whose published regions hold whom."""

    def __init__(self, data: Microdata, plan: Plan, column: int = 0) -> None:
        individuals = data.individuals.tolist()
        values = data.sensitive_codes[column].tolist()
        codes = [tuple(record) for record in data.codes.T.tolist()]
        self.everybody = sorted(set(individuals))
        records = {p: [i for i, own in enumerate(individuals) if own == p] for p in self.everybody}
        self.sets = {p: frozenset(values[i] for i in records[p]) for p in self.everybody}
        self.looks = {p: codes[records[p][0]] for p in self.everybody}
        self.records = records
        self.class_of = {p: int(plan.classes[records[p][0]]) for p in self.everybody}
        self.published = [p for p in self.everybody if self.class_of[p] >= 0]
        self.cells = {}
        for number in sorted(set(self.class_of.values()) - {-1}):
            held = [codes[i] for i in range(len(codes)) if int(plan.classes[i]) == number]
            self.cells[number] = [
                region(domain, {record[j] for record in held}) for j, domain in enumerate(data.quasi)
            ]
        self.all_codes = codes

    def fits(self, look: tuple[int, ...], number: int) -> bool:
        return all(code in cell for code, cell in zip(look, self.cells[number], strict=True))

    def release(self, target: int) -> list[int]:
        """Published people whose class's region holds the target's quasi-identifiers."""
        return [p for p in self.published if self.fits(self.looks[target], self.class_of[p])]

    def rows(self, target: int) -> list[int]:
        """Published records whose region holds the target's quasi-identifiers."""
        return [i for p in self.release(target) for i in self.records[p]]

    def original(self, target: int) -> list[int]:
        """People who look like the target."""
        return [p for p in self.everybody if self.looks[p] == self.looks[target]]

    def knowing(self, people: list[int], known: Person) -> list[int]:
        return [p for p in people if known <= self.sets[p]]

    def belief(self, people: list[int], value: int) -> Fraction:
        """Share of people that have a value."""
        return Fraction(sum(value in self.sets[p] for p in people), max(1, len(people)))

    def credit(self, people: list[int], known: Person, truth: Person) -> Fraction:
        """Chance of naming a true value by naming one of those that most people have, of those not known."""
        counts = {v: sum(v in self.sets[p] for p in people) for p in people for v in self.sets[p] - known}
        tied = [v for v, n in counts.items() if n == max(counts.values())]
        return Fraction(sum(v in truth for v in tied), max(1, len(tied)))


def chance(own: int, candidates: int) -> Fraction:
    return Fraction(min(own, candidates), candidates) if candidates else Fraction(0)


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / max(1, len(values))
