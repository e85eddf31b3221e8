from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels.layouts import Layout, drawn
from tests.oracles import burel as plain

from likeness.kernels.retrieval import retrieve_on_curve, sort_by_small_keys

EASY = settings(deadline=None, max_examples=150)


@EASY
@given(st.integers(0, 2**32), st.sampled_from([2, 6, 25]), st.sampled_from([1, 3, 20]))
def test_curve_draws_what_the_plain_loop_draws(seed: int, most: int, points: int):
    layout = Layout(np.random.default_rng(seed), most, points, 1)
    classes = np.full(layout.size, -1, np.int64)
    start, bucket, take, draft_of, uniform = layout.arguments()
    seeds = retrieve_on_curve(
        layout.order,
        layout.rank,
        layout.starts,
        layout.keys,
        start,
        bucket,
        take,
        draft_of,
        uniform,
        classes,
    )
    expected = plain.retrieve(layout.buckets, layout.drafts, layout.uniform, layout.by_key)
    assert drawn(layout, classes) == [sorted(positions) for positions in expected]
    # A class has the point of its seed, or another one of the same key.
    keys = [layout.keys[layout.rank[positions]] for positions in expected]
    assert all(layout.keys[at] in own for at, own in zip(seeds, keys, strict=True))


def test_opposite_ends_of_the_curve():
    # Keys of 63 bits: the difference is the largest number there is, and still a neighbour.
    order = np.arange(2, dtype=np.int32)
    keys = np.array([0, (1 << 63) - 1])
    classes = np.full(2, -1, np.int64)
    draft = np.array([0, 1]), np.array([0]), np.array([2]), np.zeros(1, np.int64)
    retrieve_on_curve(order, order, np.array([0, 2]), keys, *draft, np.zeros(1), classes)
    assert classes.tolist() == [0, 0]


@pytest.mark.parametrize("size", [0, 1, 500])
def test_counting_sort_is_stable(size: int):
    rng = np.random.default_rng(size)
    keys = rng.integers(0, 7, size)
    order = rng.permutation(size).astype(np.int32)
    assert sort_by_small_keys(keys, 7, order).tolist() == sorted(order.tolist(), key=lambda r: keys[r])
