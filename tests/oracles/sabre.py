"""SABRE step by step: plain loops over values, fractions, and every choice of values where the farthest is asked for."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from tests.oracles.models import earth_movers_distance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.domain import Domain

Bucket = tuple[int, ...]
"""Codes of values that occur, ascending."""


class Plain:
    """SABRE over one sensitive column.

    Parameters
    ----------
    reference
        Records of each code in the table.
    domain
        The column.
    distance
        ``equal``, ``ordered`` or ``hierarchical``.
    bound
        ``exact``, ``tight`` or ``plain``.
    """

    def __init__(self, reference: Sequence[int], domain: Domain, distance: str, bound: str) -> None:
        self.reference, self.domain, self.distance, self.bound = list(reference), domain, distance, bound
        self.present = [code for code, n in enumerate(reference) if n]
        self.p = [Fraction(n, sum(reference)) for n in reference]

    def apart(self, i: int, j: int) -> Fraction:
        """Ground distance of two values: that of two tables, each with one of them only."""
        if i == j:
            return Fraction(0)
        if self.distance == "equal":
            return Fraction(1)
        if self.distance == "ordered":
            steps = abs(self.present.index(i) - self.present.index(j))
            return Fraction(steps, max(1, len(self.present) - 1))
        tree = self.tree
        if max(i, j) >= tree.size:
            return Fraction(1)  # the missing value, directly under the root
        return Fraction(int(tree.level[int(tree.common_ancestor(i, j))]), tree.height)

    @property
    def tree(self) -> Hierarchy:
        assert self.domain.hierarchy is not None
        return self.domain.hierarchy

    def cost(self, bucket: Bucket) -> Fraction:
        """U of a bucket."""
        if self.bound == "plain":
            wide = max(self.apart(i, j) for i in bucket for j in bucket)
            return wide * (sum(self.p[j] for j in bucket) - min(self.p[j] for j in bucket))
        return max(sum((self.p[j] * self.apart(i, j) for j in bucket), Fraction(0)) for i in bucket)

    def split(self, bucket: Bucket) -> list[Bucket]:
        """The parts of a bucket, none if it is a single value."""
        if len(bucket) == 1:
            return []
        if self.distance == "ordered":
            halves = [(bucket[:at], bucket[at:]) for at in range(1, len(bucket))]
            return list(min(halves, key=lambda pair: self.cost(pair[0]) + self.cost(pair[1])))
        # Children of the lowest common ancestor: values that are nearer to one another than the bucket is wide.
        wide = max(self.apart(i, j) for i in bucket for j in bucket)
        parts: list[list[int]] = []
        for value in bucket:
            home = next((part for part in parts if self.apart(part[0], value) < wide), None)
            if home is None:
                parts.append([value])
            else:
                home.append(value)
        return [tuple(part) for part in parts]

    def buckets(self, t: Fraction) -> list[Bucket]:
        """Split the bucket that lowers the sum of all costs most, until it is at most t."""
        found: list[Bucket] = [tuple(self.present)]
        while sum(map(self.cost, found)) > t:
            falls = []
            for bucket in found:
                parts = self.split(bucket)
                falls.append(self.cost(bucket) - sum(map(self.cost, parts)) if parts else Fraction(-1))
            at = falls.index(max(falls))
            found[at : at + 1] = self.split(found[at])
        return found

    def farthest(self, buckets: Sequence[Bucket], draws: Sequence[int]) -> Fraction:
        """What bounds the distance of a class that draws so."""
        if self.bound != "exact":
            return sum(map(self.cost, buckets), self.between(buckets, draws))
        worst = Fraction(0)
        for values in product(*buckets):
            counts = [0] * len(self.reference)
            for value, n in zip(values, draws, strict=True):
                counts[value] += n
            worst = max(worst, earth_movers_distance(counts, self.reference, self.domain, self.distance))
        return worst

    def between(self, buckets: Sequence[Bucket], draws: Sequence[int]) -> Fraction:
        """D: what it costs to give every bucket its share, wherever in the bucket that is."""
        extra = [
            Fraction(x, sum(draws)) - sum(self.p[j] for j in bucket)
            for bucket, x in zip(buckets, draws, strict=True)
        ]
        cost, flow = Fraction(0), Fraction(0)
        if self.distance == "ordered":
            for j in range(len(buckets) - 1):
                flow += extra[j]
                cost += abs(flow) * self.apart(buckets[j][0], buckets[j + 1][-1])
            return cost
        # Nearest buckets first: in a tree that is cheapest.
        levels = sorted({self.apart(a[0], b[0]) for a in buckets for b in buckets if a != b})
        groups = [([bucket], part) for bucket, part in zip(buckets, extra, strict=True)]
        for level in levels:
            joined: list[tuple[list[Bucket], list[Fraction]]] = []
            for members, part in groups:
                home = next((one for one in joined if self.apart(one[0][0][0], members[0][0]) <= level), None)
                if home is None:
                    joined.append((list(members), [part]))
                else:
                    home[0].extend(members)
                    home[1].append(part)
            for _, parts in joined:
                rich = sum((part for part in parts if part > 0), Fraction(0))
                poor = -sum((part for part in parts if part < 0), Fraction(0))
                cost += level * min(rich, poor)
            groups = [(members, sum(parts, Fraction(0))) for members, parts in joined]
        return cost

    def leaves(
        self, buckets: Sequence[Bucket], node: Sequence[int], t: Fraction, smallest: int = 1
    ) -> list[tuple[int, ...]]:
        """The ECTree's leaves, by recursion."""
        left = [x // 2 for x in node]
        right = [x - y for x, y in zip(node, left, strict=True)]
        if all(sum(half) >= max(1, smallest) and self.farthest(buckets, half) <= t for half in (left, right)):
            return self.leaves(buckets, left, t, smallest) + self.leaves(buckets, right, t, smallest)
        return [tuple(node)]
