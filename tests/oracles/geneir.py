"""GeneIR by the book (Wang et al. 2019, sections 5.1 and 6.1.3): one individual after the other, nodes as sets of codes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

Node = frozenset[int]
Region = tuple[Node, ...]


def node(domain: Domain, code: int, level: int) -> Node:
    """Codes of the highest ancestor of at most a level; of numbers, those between the smallest and the largest."""
    everything = frozenset(range(domain.codes))
    tree = domain.hierarchy
    if level == 0:
        return frozenset({code})
    if tree is None:
        return everything
    if domain.missing and level >= tree.height:
        return everything
    if code == domain.missing_code:
        return frozenset({code})
    rank = list(tree.leaves).index(domain.labels[code])
    at = int(tree.leaf_node[rank])
    while at != 0 and int(tree.level[int(tree.parent[at])]) <= level:
        at = int(tree.parent[at])
    leaves = set(tree.leaves[int(tree.left[at]) : int(tree.right[at]) + 1])
    inside = [i for i, label in enumerate(domain.labels) if label in leaves]
    return frozenset(range(min(inside), max(inside) + 1))


def height(domain: Domain) -> int:
    if domain.hierarchy is None:
        return int(domain.codes > 1)
    return min(domain.hierarchy.height, domain.max_level or domain.hierarchy.height)


def loss(domain: Domain, region: Node) -> Fraction:
    """Generalized loss metric of one cell."""
    if len(region) == 1:
        return Fraction(0)
    if domain.shape != "interval":
        return Fraction(len(region) - 1, domain.codes - 1)
    if domain.missing_code in region:
        return Fraction(1)
    numbers = [Fraction(float(x)) for x in domain.numbers]
    return (numbers[max(region)] - numbers[min(region)]) / (Fraction(domain.high) - Fraction(domain.low))


def hull(domain: Domain, codes: Node) -> Node | None:
    """Lowest node that covers some codes; None where no level has one."""
    for level in range(height(domain) + 1):
        found = node(domain, min(codes), level)
        if codes <= found:
            return found
    return None


class Geneir:
    """One run: ``classes`` lists people and region of each class, ``withheld`` who is in none."""

    def __init__(
        self,
        data: Microdata,
        picks: Sequence[int] | None,
        holds: Callable[[list[int]], bool],
        monotone: bool,
    ) -> None:
        self.quasi, self.holds = data.quasi, holds
        own = range(data.size) if data.individuals is None else data.individuals.tolist()
        self.records: dict[int, list[tuple[int, ...]]] = {}
        for person, row in zip(own, data.codes.T.tolist(), strict=True):
            self.records.setdefault(person, []).append(tuple(row))
        self.classes: list[tuple[list[int], Region]] = []
        self.level = [0] * len(self.quasi)
        self.hulls = {p: self._hull(p) for p in sorted(self.records)}
        self.left = [p for p, region in self.hulls.items() if None not in region]
        self.picks: list[int] = []
        self._climb(iter(picks) if picks is not None else None, monotone)
        self.residual = list(self.left)
        for person in self.residual:
            self._handle(person, monotone)
        published = {p for people, _ in self.classes for p in people}
        self.withheld = sorted(set(self.records) - published)

    def _hull(self, person: int) -> tuple[Node | None, ...]:
        columns = zip(*self.records[person], strict=True)
        return tuple(hull(d, frozenset(codes)) for d, codes in zip(self.quasi, columns, strict=True))

    def _shown(self, person: int, level: Sequence[int]) -> Region:
        shown = []
        for j, own in enumerate(self.hulls[person]):
            there = node(self.quasi[j], min(own), level[j])
            shown.append(there if there.issuperset(own) else own)
        return tuple(shown)

    def _groups(self, level: Sequence[int]) -> dict[Region, list[int]]:
        """Groups of those that are left and hold, with the class that shows the same."""
        groups: dict[Region, list[int]] = {}
        for person in self.left:
            groups.setdefault(self._shown(person, level), []).append(person)
        there = {region: people for people, region in self.classes}
        return {
            region: people for region, people in groups.items() if self.holds(there.get(region, []) + people)
        }

    def _take_out(self) -> None:
        there = {region: people for people, region in self.classes}
        for region, people in self._groups(self.level).items():
            if region in there:
                there[region].extend(people)
            else:
                self.classes.append((people, region))
            self.left = [p for p in self.left if p not in people]

    def _climb(self, picks, monotone: bool) -> None:
        self._take_out()
        while self.left:
            open_ = [j for j, d in enumerate(self.quasi) if self.level[j] < height(d)]
            if not open_ or (monotone and not self.holds(self.left)):
                break
            pick = next(picks) if picks is not None else min(open_, key=lambda j: (self._cost(j), j))
            assert pick in open_
            self.picks.append(pick)
            self.level[pick] += 1
            self._take_out()

    def _cost(self, attribute: int) -> Fraction:
        """Loss of the records that are left a level higher, per record that leaves."""
        level = [at + (j == attribute) for j, at in enumerate(self.level)]
        gone = {p for people in self._groups(level).values() for p in people}
        total = sum(len(self.records[p]) * self.loss(self._shown(p, level)) for p in self.left)
        leaving = sum(len(self.records[p]) for p in gone & set(self.left))
        return Fraction(total) / max(1, leaving)

    def loss(self, region: Region) -> Fraction:
        weights = [Fraction(str(d.weight)) for d in self.quasi]
        return sum(
            (w * loss(d, own) for w, d, own in zip(weights, self.quasi, region, strict=True)), Fraction(0)
        )

    def _handle(self, person: int, monotone: bool) -> None:
        own = self.hulls[person]
        records = len(self.records[person])
        best = None
        for number, (people, region) in enumerate(self.classes):
            joined = tuple(hull(d, a | b) for d, a, b in zip(self.quasi, own, region, strict=True))
            if None in joined or not (monotone or self.holds([*people, person])):
                continue
            many = sum(len(self.records[p]) for p in people)
            apart = records * (self.loss(joined) - self.loss(own))
            apart += many * (self.loss(joined) - self.loss(region))
            if best is None or apart < best[0]:
                best = apart, number, joined
        everything = records * sum(Fraction(str(d.weight)) for d in self.quasi)
        if best is not None and best[0] < everything:
            self.classes[best[1]] = ([*self.classes[best[1]][0], person], best[2])

    @property
    def lost(self) -> Fraction:
        """Loss of all records, withheld ones in full."""
        shown = sum(
            len(self.records[p]) * self.loss(region) for people, region in self.classes for p in people
        )
        whole = sum(Fraction(str(d.weight)) for d in self.quasi)
        return shown + whole * sum(len(self.records[p]) for p in self.withheld)
