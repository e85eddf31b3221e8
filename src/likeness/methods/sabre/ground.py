"""How far a class can be from the table when only its buckets are known (SABRE).

A class draws so many records from every bucket of sensitive values, whichever values they have. The earth
mover's distance is convex, so the farthest class has each bucket's records all at one value, and for the
three ground distances the farthest choice is found bucket by bucket. Everything is a whole number in the
unit ``1 / (scale · n · N)``: n records in the class, N in the table, scale as in `likeness.models.earth_movers`.

SABRE's buckets of ordered values: intervals of ranks.

SABRE's buckets of hierarchical values: nodes of the hierarchy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.models.earth_movers import Transport

Span = tuple[int, int]
"""First and last rank of a bucket's values among the values that occur, both inclusive."""

BOUNDS = ("exact", "tight", "plain")
_FITS = 1 << 62


@dataclass(frozen=True, eq=False)
class Ground(ABC):
    """A ground distance over the values that occur, by rank.

    ``counts``: (m,) records of each in the reference distribution, all positive.
    ``scale``: what makes the largest ground distance 1.
    ``bound``: ``exact``: the farthest class itself. ``tight``: as if records first moved between buckets, and then,
    in the worst case, from one value to the others of each bucket. ``plain``: every move within a bucket
    taken to be as long as the bucket is wide.
    """

    counts: NDArray[np.int64]
    scale: int
    bound: str

    @property
    def total(self) -> int:
        """Number of records of the reference distribution."""
        return int(self.counts.sum())

    def wide(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give whole numbers the type in which sums for classes no larger than the table are exact."""
        fits = 4 * (len(self.counts) + self.scale) * self.total**2 < _FITS
        return values.astype(np.int64 if fits else object)

    @abstractmethod
    def cost(self, span: Span) -> int:
        """Bound what moves within a bucket cost in a class of the table's bucket shares, times scale · N."""

    @abstractmethod
    def split(self, span: Span) -> list[Span]:
        """Split a bucket; one of a single value cannot be."""

    @abstractmethod
    def farthest(self, spans: list[Span]) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
        """Make the function that bounds the distance of classes, given their draws from these buckets.

        The function takes (V, buckets) draws, none all 0, and returns (V,) distances times scale · n · N.
        """


def ground_of(transport: Transport, bound: str, *, ordered: bool) -> Ground:
    """Lay out a ground distance for SABRE."""
    present = np.flatnonzero(transport.counts)
    if ordered:
        return Line(transport.counts[present], transport.scale, bound)
    return make_tree(transport, present, bound)


class Line(Ground):
    """Values in a row, neighbours ``1 / (m - 1)`` apart.

    >>> line = Line(np.array([1, 1, 1, 1]), 3, "exact")
    >>> line.cost((0, 3)), line.split((0, 3)), line.cost((0, 1))
    (6, [(0, 1), (2, 3)], 1)
    >>> line.farthest([(0, 1), (2, 3)])(np.array([[1, 1], [2, 0]]))
    array([ 4, 12])
    """

    @cached_property
    def below(self) -> NDArray[np.int64]:
        """(m + 1,) Records of all values below each rank."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def moments(self) -> NDArray[np.int64]:
        """(m + 1,) Sum of rank times records of all values below each rank."""
        return np.concatenate([[0], np.cumsum(self.counts * np.arange(len(self.counts)))])

    def cost(self, span: Span) -> int:
        """See `Ground.cost`."""
        first, last = span
        return int(self._costs(np.array([first]), np.array([last]), self.counts[first : last + 1].min())[0])

    def _costs(
        self, first: NDArray[np.int64], last: NDArray[np.int64], least: NDArray[np.int64] | np.int64
    ) -> NDArray[np.int64]:
        """Cost of several intervals, given the records of the rarest value in each."""
        records = self.below[last + 1] - self.below[first]
        if self.bound == "plain":
            return np.asarray((last - first) * (records - least))
        moment = self.moments[last + 1] - self.moments[first]
        return np.asarray(np.maximum(moment - first * records, last * records - moment))

    def split(self, span: Span) -> list[Span]:
        """Split where the two halves cost least together; of equals, leftmost."""
        first, last = span
        if first == last:
            return []
        at = np.arange(first, last)
        inside = self.counts[first : last + 1]
        left = self._costs(np.full_like(at, first), at, np.minimum.accumulate(inside)[:-1])
        right = self._costs(at + 1, np.full_like(at, last), np.minimum.accumulate(inside[::-1])[::-1][1:])
        best = first + int(np.argmin(left + right))
        return [(first, best), (best + 1, last)]

    def farthest(self, spans: list[Span]) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
        """See `Ground.farthest`.

        Between ranks k and k + 1 flows what the class and the table hold up to k, less one another. With all of a bucket's
        records at its first value the class holds at every rank of the bucket what it holds at the last; with all at the last,
        what it held before. One of the two is farthest: from value to value the distance changes by ``|a - P_k| - |b - P_k|``
        with a <= b, which grows with k, so it is convex.
        """
        total = self.total
        first = np.array([span[0] for span in spans])
        last = np.array([span[1] for span in spans])
        held = self.wide(self.below[1:])
        sums = self.wide(np.concatenate([[0], np.cumsum(held)]))
        reach = self.wide(np.append(last[1:], last[-1]) - first)
        cost = sum(self.cost(span) for span in spans)

        def inside(flow: NDArray[Any], size: NDArray[Any]) -> NDArray[Any]:
            """``Σ |flow - n P_k|`` over all ranks of each bucket but the last."""
            at = np.clip(np.searchsorted(held, flow // size, side="right"), first, last)
            lower = (at - first) * flow - size * (sums[at] - sums[first])
            return np.asarray(lower + size * (sums[last] - sums[at]) - (last - at) * flow)

        def exact(draws: NDArray[np.int64]) -> NDArray[Any]:
            drawn = self.wide(draws) * total
            size = self.wide(draws).sum(axis=1, keepdims=True)
            until = np.cumsum(drawn, axis=1)
            between = np.abs(until - size * held[last])
            within = np.maximum(inside(until - drawn, size), inside(until, size))
            return np.asarray((between + within).sum(axis=1))

        def apart(draws: NDArray[np.int64]) -> NDArray[Any]:
            size = self.wide(draws).sum(axis=1, keepdims=True)
            until = np.cumsum(self.wide(draws) * total, axis=1)
            between = (np.abs(until - size * held[last]) * reach).sum(axis=1)
            return np.asarray(between + cost * size[:, 0])

        return exact if self.bound == "exact" else apart


_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class Tree(Ground):
    """Values under a hierarchy, as far apart as their lowest common ancestor is high.

    Only nodes that hold different sets of the values that occur are kept, in pre-order; the root is the lowest
    that holds all. Where every two values are equally far apart they hang below one root.
    ``first``, ``last``: (nodes,) ranks below each. ``parent``: (nodes,) -1 for the root.
    ``weight``: (nodes,) length of the edge to the parent; 0 for the root.
    ``height``: of the root, in the unit of the weights; the leaves have height 0.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    parent: NDArray[np.int64]
    weight: NDArray[np.int64]
    height: int

    @cached_property
    def children(self) -> list[list[int]]:
        """Children of each node, left to right."""
        found: list[list[int]] = [[] for _ in self.first]
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                found[parent].append(node)
        return found

    @cached_property
    def node_of(self) -> dict[Span, int]:
        """Node that holds an interval of ranks."""
        return {
            span: node for node, span in enumerate(zip(self.first.tolist(), self.last.tolist(), strict=True))
        }

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """(nodes,) Records of the reference distribution below each node."""
        below = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(below[self.last + 1] - below[self.first])

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """(nodes,) Height of each node."""
        found = np.full(len(self.first), self.height, np.int64)
        for node in range(1, len(found)):
            found[node] = found[self.parent[node]] - self.weight[node]
        return found

    @cached_property
    def costs(self) -> list[int]:
        """Cost of every node as a bucket.

        All records at leaf i move ``Σ_j p_j d_ij``: along every edge below the bucket what is not already beyond it, which is
        least costly where most is.
        """
        records, weight = self.records.tolist(), self.weight.tolist()
        edges, least, rarest = [0] * len(records), [0] * len(records), records.copy()
        for node in range(len(records) - 1, -1, -1):
            below = self.children[node]
            if below:
                edges[node] = sum(weight[c] * records[c] + edges[c] for c in below)
                least[node] = min(weight[c] * records[c] + least[c] for c in below)
                rarest[node] = min(rarest[c] for c in below)
        if self.bound == "plain":
            return [
                2 * height * (held - rare)
                for height, held, rare in zip(self.heights.tolist(), records, rarest, strict=True)
            ]
        return [
            edge + height * held - 2 * low
            for edge, height, held, low in zip(edges, self.heights.tolist(), records, least, strict=True)
        ]

    def cost(self, span: Span) -> int:
        """See `Ground.cost`."""
        return self.costs[self.node_of[span]]

    def split(self, span: Span) -> list[Span]:
        """Split a node into its children."""
        return [(int(self.first[c]), int(self.last[c])) for c in self.children[self.node_of[span]]]

    def farthest(self, spans: list[Span]) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
        """See `Ground.farthest`.

        Across the edge above a node flows what the class and the table hold below it, less one another: for nodes that are
        buckets or hold several that is known, and within a bucket it depends on the value at which its records are.
        """
        total = self.total
        buckets = np.array([self.node_of[span] for span in spans])
        outer, weight = self._above(buckets)
        begin = np.searchsorted(self.first[buckets], self.first[outer])
        end = np.searchsorted(self.last[buckets], self.last[outer], side="right")
        records = self.wide(self.records[outer])
        cost = 0 if self.bound == "exact" else sum(self.cost(span) for span in spans)
        within = _Within(self, buckets) if self.bound == "exact" else None

        def distance(draws: NDArray[np.int64]) -> NDArray[Any]:
            drawn = self.wide(draws) * total
            size = self.wide(draws).sum(axis=1, keepdims=True)
            until = np.zeros((len(draws), len(spans) + 1), drawn.dtype)
            np.cumsum(drawn, axis=1, out=until[:, 1:])
            between = (np.abs(until[:, end] - until[:, begin] - size * records) * weight).sum(axis=1)
            if within is None:
                return np.asarray(between + cost * size[:, 0])
            return np.asarray(between + within(drawn, size))

        def by_runs(draws: NDArray[np.int64]) -> NDArray[Any]:
            step = max(1, _CELLS // len(self.first))
            runs = [distance(draws[at : at + step]) for at in range(0, len(draws), step)]
            return np.concatenate(runs) if runs else np.zeros(0, np.int64)

        return by_runs

    def _above(self, buckets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Nodes that are buckets or above one, without the root, and the weights of their edges."""
        kept = np.zeros(len(self.first), np.bool_)
        kept[buckets] = True
        for node in buckets.tolist():
            at = int(self.parent[node])
            while at > 0 and not kept[at]:
                kept[at] = True
                at = int(self.parent[at])
        kept[0] = False
        outer = np.flatnonzero(kept)
        weight = self.weight[outer].copy()
        if self.bound != "exact":
            # Whatever leaves a bucket is taken to come from a leaf, and to go to one.
            whole = np.isin(outer, buckets)
            weight[whole] = self.heights[self.parent[outer[whole]]]
        return outer, weight


class _Within:
    """The farthest that records at one value of each bucket can be from the bucket's own distribution."""

    def __init__(self, tree: Tree, buckets: NDArray[np.int64]) -> None:
        of = np.full(len(tree.first), -1, np.int64)
        of[buckets] = np.arange(buckets.size)
        depth = np.zeros(len(tree.first), np.int64)
        for node in range(1, len(of)):
            parent = tree.parent[node]
            depth[node] = depth[parent] + 1
            if of[node] < 0:
                of[node] = of[parent]
        is_bucket = np.zeros(len(of), np.bool_)
        is_bucket[buckets] = True
        inner = (of >= 0) & ~is_bucket
        # What the edges within all buckets cost when no record of a class is below them.
        self.edges = int((tree.weight * tree.records)[inner].sum())
        # From the deepest nodes upwards: what they are, and which of them are children of which node.
        self.layers = []
        for level in range(int(depth[inner].max(initial=0)), 0, -1):
            nodes = np.flatnonzero(inner & (depth == level))
            starts = np.flatnonzero(np.diff(tree.parent[nodes], prepend=-2))
            parents = tree.parent[nodes[starts]]
            self.layers.append((nodes, of[nodes], starts, parents))
        self.weight = tree.weight
        self.records = tree.wide(tree.records)
        self.buckets = buckets

    def __call__(self, drawn: NDArray[Any], size: NDArray[Any]) -> NDArray[Any]:
        """(V,) Sum over the buckets, given the records drawn from each (times N) and the sizes (V, 1)."""
        best = np.zeros((len(drawn), len(self.weight)), drawn.dtype)
        for nodes, bucket, starts, parents in self.layers:
            here = drawn[:, bucket]
            beyond = np.maximum(here - 2 * size * self.records[nodes], -here)
            own = self.weight[nodes] * beyond + best[:, nodes]
            best[:, parents] = np.maximum.reduceat(own, starts, axis=1)
        return np.asarray(best[:, self.buckets].sum(axis=1) + size[:, 0] * self.edges)


def make_tree(transport: Transport, present: NDArray[np.int64], bound: str) -> Tree:
    """Make the tree of the values that occur from the edges of a ground distance."""
    begin = np.searchsorted(present, transport.first)
    end = np.searchsorted(present, transport.last, side="right") - 1
    weights: dict[Span, int] = {}
    height = transport.scale // 2
    whole = (0, present.size - 1)
    for span, weight in zip(
        zip(begin.tolist(), end.tolist(), strict=True), transport.weight.tolist(), strict=True
    ):
        if span == whole:
            height -= weight
        elif span[0] <= span[1]:
            weights[span] = weights.get(span, 0) + weight
    spans = [whole, *sorted(weights, key=lambda span: (span[0], -span[1]))]
    parent = [-1]
    path = [0]
    for node in range(1, len(spans)):
        while spans[path[-1]][1] < spans[node][1]:
            path.pop()
        parent.append(path[-1])
        path.append(node)
    ends = np.array(spans, np.int64)
    return Tree(
        transport.counts[present],
        transport.scale,
        bound,
        ends[:, 0],
        ends[:, 1],
        np.array(parent, np.int64),
        np.array([0, *(weights[span] for span in spans[1:])], np.int64),
        height,
    )
