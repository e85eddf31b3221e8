"""Buckets along a curve and what to draw from them, for the tests of retrieval."""

from __future__ import annotations

import numpy as np


class Layout:
    """Buckets with points, and drafts that draw them all."""

    def __init__(self, rng: np.random.Generator, most: int, points: int, dimensions: int) -> None:
        buckets = int(rng.integers(1, 5))
        sizes = rng.integers(1, most, buckets)
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.size = int(self.starts[-1])
        ranks = [np.sort(rng.integers(0, points, size)) for size in sizes]
        self.rank = np.concatenate(ranks).astype(np.int32)
        # Equal keys happen: several points in one cell of the grid.
        self.keys = np.sort(rng.integers(0, 2 * points, points)).astype(np.int64)
        self.points = rng.integers(0, 4, (points, dimensions)).astype(np.float64)
        self.order = rng.permutation(self.size).astype(np.int32)
        self.drafts = []
        left = sizes.copy()
        while left.sum():
            draft = rng.integers(0, left + 1)
            if draft.sum():
                self.drafts.append(tuple(draft.tolist()))
                left -= draft
        self.uniform = rng.random(len(self.drafts))
        self.buckets = [range(a, b) for a, b in zip(self.starts, self.starts[1:], strict=False)]

    def arguments(self) -> tuple[np.ndarray, ...]:
        distinct = sorted(set(self.drafts))
        vectors = np.array(distinct)
        of, bucket = np.nonzero(vectors)
        start = np.searchsorted(of, np.arange(len(distinct) + 1))
        draft_of = np.array([distinct.index(draft) for draft in self.drafts], np.int64)
        return start, bucket.copy(), vectors[of, bucket], draft_of, self.uniform

    def by_key(self, seed: int, j: int) -> list[int]:
        """Nearest by key; at equal distance what lies before the seed first; then the nearest position."""
        key = self.keys[self.rank[seed]]

        def place(p: int) -> tuple[int, bool, int]:
            own = self.keys[self.rank[p]]
            return abs(int(own - key)), own >= key, p if own >= key else -p

        return sorted(self.buckets[j], key=place)

    def by_distance(self, seed: int, j: int) -> list[int]:
        """Nearest by Euclidean distance, then rank, then position."""

        def place(p: int) -> tuple[float, int, int]:
            apart = self.points[self.rank[p]] - self.points[self.rank[seed]]
            return float((apart**2).sum()), int(self.rank[p]), p

        return sorted(self.buckets[j], key=place)


def drawn(layout: Layout, classes: np.ndarray) -> list[list[int]]:
    """Positions of every class, sorted."""
    of_position = classes[layout.order]
    return [np.flatnonzero(of_position == c).tolist() for c in range(len(layout.drafts))]
