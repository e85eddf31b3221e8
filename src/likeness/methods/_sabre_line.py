"""SABRE's buckets of ordered values: intervals of ranks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.methods._sabre_ground import Ground, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Line(Ground):
    """Values in a row, neighbours ``1 / (m - 1)`` apart.

    Examples
    --------
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

        Between ranks k and k + 1 flows what the class and the table hold up to k, less one another. With all
        of a bucket's records at its first value the class holds at every rank of the bucket what it holds at
        the last; with all at the last, what it held before. One of the two is farthest: from value to value the
        distance changes by ``|a - P_k| - |b - P_k|`` with a <= b, which grows with k, so it is convex.
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
