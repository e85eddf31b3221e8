from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels.layouts import Layout, drawn

from likeness.kernels.retrieval import retrieve_nearest

EASY = settings(deadline=None, max_examples=150)


@EASY
@given(st.integers(0, 2**32), st.sampled_from([2, 6, 60]), st.sampled_from([1, 3, 50]), st.integers(1, 3))
def test_draws_what_the_plain_loop_draws(seed: int, most: int, points: int, dimensions: int):
    layout = Layout(np.random.default_rng(seed), most, points, dimensions)
    classes = np.full(layout.size, -1, np.int64)
    start, bucket, take, draft_of, uniform = layout.arguments()
    seeds = retrieve_nearest(
        layout.order,
        layout.rank,
        layout.starts,
        layout.points,
        start,
        bucket,
        take,
        draft_of,
        uniform,
        classes,
    )
    expected = replayed(layout, seeds)
    assert drawn(layout, classes) == [sorted(positions) for positions in expected]


def replayed(layout: Layout, seeds: np.ndarray) -> list[list[int]]:
    """The plain loop with the kernel's seeds."""
    alive = set(range(layout.size))
    classes = []
    for draft, seed in zip(layout.drafts, seeds, strict=True):
        first = next(j for j, x in enumerate(draft) if x)
        own = [p for p in layout.buckets[first] if p in alive and layout.rank[p] == seed]
        assert own, "a seed is one of the records left"
        positions = []
        for j, take in enumerate(draft):
            order = [p for p in layout.by_distance(own[0], j) if p in alive]
            positions += order[:take]
        alive -= set(positions)
        classes.append(positions)
    return classes


def test_many_blocks_are_searched_exactly():
    rng = np.random.default_rng(3)
    size = 3000
    points = rng.random((size, 2))
    order = np.arange(size, dtype=np.int32)
    classes = np.full(size, -1, np.int64)
    draft = np.array([0, 1]), np.array([0]), np.array([30])
    seeds = retrieve_nearest(
        order,
        order,
        np.array([0, size]),
        points,
        *draft,
        np.zeros(100, np.int64),
        rng.random(100),
        classes,
    )
    assert np.bincount(classes).tolist() == [30] * 100
    for c in (0, 50, 99):
        distance = ((points - points[seeds[c]]) ** 2).sum(axis=1)
        later = classes >= c
        assert distance[classes == c].max() <= distance[later & (classes > c)].min(initial=np.inf)
