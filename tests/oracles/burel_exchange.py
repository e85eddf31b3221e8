"""Cuts that exchange records, by plain definition: every cut and every size tried, losses as fractions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.oracles.mondrian import Node, Table

    from likeness.exact import Real

    Items = list[Node]


@dataclass(frozen=True)
class Exchange:
    """What is cut, under which limits.

    ``limits`` are those of the shares of the ``values``, one per record; ``reserve`` is what parts leave free of them.
    """

    table: Table
    values: Sequence[int]
    limits: Sequence[Real]
    reserve: float
    smallest: int
    tries: int = 8

    def partition(self) -> list[Node]:
        """Classes, as lists of records: strict cuts while there are any, then exchanges."""
        todo = [list(range(len(self.values)))]
        done = []
        while todo:
            node = todo.pop()
            parts = self.table.least_loss(node) or self.cut(node)
            if parts is None:
                done.append(node)
            else:
                todo += [sorted(part) for part in parts]
        return done

    def cut(self, node: Node) -> list[Node] | None:
        """The best exchange of which both parts hold, of the best few."""
        ways = list(self.ways(node))
        above = Fraction(-1)
        for _ in range(self.tries):
            best, least = None, self.table.cost(node)
            for strict, loss, parts in ways:
                if strict < least and above < loss < least:
                    best, least = parts, loss
            if best is None or all(map(self.table.holds, best)):
                return best
            above = least
        return None

    def ways(self, node: Node) -> Iterator[tuple[Fraction, Fraction, list[Node]]]:
        """Every exchange: what the cut would lose with nobody changing sides, what it loses, its parts."""
        for j, domain in enumerate(self.table.domains):
            by_code = self.table.items(node, j)
            orders = [by_code]
            if domain.shape == "set":
                orders.append(sorted(by_code, key=lambda item: (-len(item[1]), item[0])))
            if len(by_code) < 2:
                continue
            for order in orders:
                items = [records for _, records in order]
                for cut in range(1, len(items)):
                    yield from self.both_ways(node, items[:cut], items[cut:])

    def both_ways(
        self, node: Node, low: Items, high: Items
    ) -> Iterator[tuple[Fraction, Fraction, list[Node]]]:
        """Keep either side; the other side's items stand away from the cut."""
        for kept, rest in ((low[::-1], high), (high, low[::-1])):
            inside, outside = joined(kept), joined(rest)
            own, other = self.loss(inside), self.loss(outside)
            strict = len(inside) * own + len(outside) * other
            found = self.largest_kept(node, inside)
            if found is None:
                continue
            size, most, least = found
            if size * own + (len(node) - size) * other >= self.table.cost(node):
                continue
            leaving = len(inside) - size
            far = next(d for d in range(len(kept) + 1) if self.enough(kept[:d], inside, most, least, leaving))
            loss = size * own + (len(node) - size) * self.loss(outside + joined(kept[:far]))
            stay = self.stay(inside, most, least, leaving)
            yield strict, loss, [stay, [record for record in node if record not in stay]]

    def loss(self, node: Node) -> Fraction:
        """Loss of a class."""
        return self.table.cost(node) / len(node)

    def count(self, node: Node) -> Counter[int]:
        """Records of each value."""
        return Counter(self.values[record] for record in node)

    def largest_kept(self, node: Node, inside: Node) -> tuple[int, Counter[int], Counter[int]] | None:
        """The largest size that may be kept, with the most and the least of each value."""
        whole, held, n = self.count(node), self.count(inside), len(node)

        def allowed(value: int, size: int) -> int:
            aim = max(float(self.limits[value]) * (1.0 - self.reserve), whole[value] / n)
            limit = max(
                c for c in range(size + 1) if c == 0 or self.limits[value].at_least(Fraction(c, size))
            )
            return min(limit, int(aim * size) + 1)

        for size in range(min(len(inside), n - self.smallest), self.smallest - 1, -1):
            most = Counter({v: min(held[v], allowed(v, size)) for v in whole})
            least = Counter({v: max(0, whole[v] - allowed(v, n - size)) for v in whole})
            if all(least[v] <= most[v] for v in whole) and least.total() <= size <= most.total():
                return size, most, least
        return None

    def enough(
        self, near: Items, inside: Node, most: Counter[int], least: Counter[int], leaving: int
    ) -> bool:
        """Whether those who leave can all come from the items near the cut."""
        held, found = self.count(inside), self.count(joined(near))
        may = sum(min(found[v], held[v] - least[v]) for v in held)
        return may >= leaving and all(found[v] >= held[v] - most[v] for v in held)

    def stay(self, inside: Node, most: Counter[int], least: Counter[int], leaving: int) -> Node:
        """Who stays: first those leave who must, then others, nearest the cut first."""
        held = self.count(inside)
        left = []
        for record in inside:
            if held[self.values[record]] > most[self.values[record]]:
                held[self.values[record]] -= 1
                left.append(record)
        for record in inside:
            value = self.values[record]
            if len(left) < leaving and record not in left and held[value] > least[value]:
                held[value] -= 1
                left.append(record)
        return [record for record in inside if record not in left]


def joined(items: Items) -> Node:
    """The records of several items."""
    return [record for item in items for record in item]
