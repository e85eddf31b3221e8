"""Mondrian by plain definition: lists of records, exact fractions, every cut tried by itself.

Losses are fractions, so ties are ties. A test that compares with the compiled search uses columns whose losses
are sums of powers of two, which floating point adds without rounding.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likeness.microdata.domain import Domain

    Record = tuple[int, ...]
    Node = list[int]
    Cut = list[Node]


@dataclass(frozen=True)
class Table:
    """Records as codes, what they may be cut by and what cutting saves.

    ``holds`` decides whether a set of records may be a class.
    """

    domains: Sequence[Domain]
    records: Sequence[Record]
    holds: Callable[[Node], bool]
    loss: str = "glm"
    counted: dict[int, Counter[int]] = field(default_factory=dict)

    def partition(self, cut: str, *, strict: bool = True, parts: Sequence[Node] | None = None) -> list[Node]:
        """Classes, as lists of records."""
        todo = [list(range(len(self.records)))] if parts is None else [list(part) for part in parts]
        done = []
        while todo:
            node = todo.pop()
            found = self.choose(node, cut, strict=strict)
            if found is None:
                done.append(node)
            else:
                todo += found
        return done

    def choose(self, node: Node, cut: str, *, strict: bool = True) -> Cut | None:
        """The cut of one node, or None when there is none."""
        if cut == "least-loss":
            return self.least_loss(node)
        tried: set[int] = set()
        while len(tried) < len(self.domains):
            widths = {j: self.width(node, j) for j in range(len(self.domains)) if j not in tried}
            j = max(widths, key=lambda j: (widths[j], -j))
            if widths[j] == 0:
                return None
            tried.add(j)
            sides = self.median(node, j, strict=strict)
            if sides is not None and all(map(self.holds, sides)):
                return sides
            if cut == "widest":
                return None
        return None

    def least_loss(self, node: Node) -> Cut | None:
        """The allowed cut that lowers the size-weighted loss most; the first of equals."""
        best, least = None, self.cost(node)
        for sides in self.all_cuts(node):
            cost = sum(map(self.cost, sides))
            if cost < least and all(map(self.holds, sides)):
                best, least = sides, cost
        return best

    def all_cuts(self, node: Node) -> Iterator[Cut]:
        """Every cut of a node: thresholds, children, one value or child against the rest; by dimension."""
        for j, domain in enumerate(self.domains):
            items = self.items(node, j)
            if domain.shape == "set":
                # Most frequent first.
                items.sort(key=lambda item: (-len(item[1]), item[0]))
            held = [records for _, records in items]
            for i in range(1, len(held)):
                yield [_joined(held[:i]), _joined(held[i:])]
            if domain.shape == "interval" or len(items) < 3:
                continue
            against_rest = [held]
            if domain.shape == "tree":
                groups = self.children(node, j)
                yield groups
                against_rest.append(groups)
            for groups in against_rest:
                for i in range(1, len(groups) - 1):
                    yield [groups[i], _joined(groups[:i] + groups[i + 1 :])]

    def median(self, node: Node, j: int, *, strict: bool) -> Cut | None:
        """The cut of the paper: at the median, or into the children of a hierarchy node."""
        if self.domains[j].shape == "tree":
            return self.children(node, j)
        items = self.items(node, j)
        if not strict:
            # Records of the median value are dealt, in their order, until the halves are equal.
            dealt = [record for _, records in items for record in records]
            return [sorted(dealt[: len(node) // 2]), sorted(dealt[len(node) // 2 :])]
        left: Node = []
        for _, records in items:
            left = left + records
            if 2 * len(left) >= len(node):
                break
        right = [record for record in node if record not in left]
        return [left, right] if right else None

    def items(self, node: Node, j: int) -> list[tuple[int, Node]]:
        """The records of each value, values in ascending order of codes."""
        codes = sorted({self.records[record][j] for record in node})
        return [(code, [record for record in node if self.records[record][j] == code]) for code in codes]

    def children(self, node: Node, j: int) -> Cut:
        """The records below each child of the lowest hierarchy node above all of them."""
        top = self.ancestors(j, [self.records[record][j] for record in node])[0]
        below: dict[int, Node] = {}
        for record in sorted(node, key=lambda record: self.records[record][j]):
            path = self.path(j, self.records[record][j])
            below.setdefault(path[path.index(top) - 1], []).append(record)
        return [sorted(records) for records in below.values()]

    def path(self, j: int, code: int) -> list[int]:
        """Nodes from a leaf to the root; the missing value hangs below the root as node -1."""
        domain = self.domains[j]
        if code == domain.missing_code:
            return [-1, 0]
        path = [int(domain.hierarchy.leaf_node[code])]
        while path[-1] != 0:
            path.append(int(domain.hierarchy.parent[path[-1]]))
        return path

    def leaves(self, j: int) -> Counter[int]:
        """Number of leaves below every node, counted once."""
        if j not in self.counted:
            every = range(self.domains[j].codes)
            self.counted[j] = Counter(node for leaf in every for node in self.path(j, leaf))
        return self.counted[j]

    def ancestors(self, j: int, codes: Sequence[int]) -> list[int]:
        """Nodes above all the codes, lowest first."""
        paths = [self.path(j, code) for code in set(codes)]
        return [step for step in paths[0] if all(step in path for path in paths)]

    def width(self, node: Node, j: int) -> Fraction:
        """Weighted loss of one column."""
        domain = self.domains[j]
        codes = {self.records[record][j] for record in node}
        weight = Fraction(domain.weight) / sum(Fraction(own.weight) for own in self.domains)
        if domain.shape == "interval":
            return weight * self.interval(domain, codes)
        count = len(codes)
        if domain.shape == "tree":
            count = self.leaves(j)[self.ancestors(j, list(codes))[0]]
        return weight * self.by_count(count, domain.codes)

    def interval(self, domain: Domain, codes: set[int]) -> Fraction:
        """Unweighted loss of an interval."""
        if len(codes) == 1:
            return Fraction(0)
        if domain.missing_code in codes:
            return Fraction(1)
        between = Fraction(float(domain.numbers[max(codes)])) - Fraction(float(domain.numbers[min(codes)]))
        if self.loss == "iloss":
            return between / (Fraction(domain.width) + 1)
        return between / Fraction(domain.width)

    def by_count(self, count: int, size: int) -> Fraction:
        """Unweighted loss of ``count`` values out of ``size``."""
        if count == 1:
            return Fraction(0)
        if self.loss == "ncp":
            return Fraction(count, size)
        return Fraction(count - 1, size if self.loss == "iloss" else size - 1)

    def cost(self, node: Node) -> Fraction:
        """Loss of a class times its size."""
        return len(node) * sum(self.width(node, j) for j in range(len(self.domains)))


def _joined(nodes: Sequence[Node]) -> Node:
    """The records of several nodes."""
    return [record for node in nodes for record in node]
