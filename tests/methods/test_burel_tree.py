from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.burel_phases import as_counter, phases
from tests.oracles import burel as plain

from likeness.exact import Real
from likeness.methods.burel.buckets import Leaves, bi_split

EASY = settings(deadline=None, max_examples=60)
COUNTS = st.lists(st.integers(1, 30), min_size=1, max_size=9)
BETAS = st.sampled_from(["1/2", 1, 2, 4])


@EASY
@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=7),
    st.lists(st.fractions(Fraction(1, 9), 1, max_denominator=9), min_size=7, max_size=7),
    st.sampled_from([1, 3, 20]),
)
def test_levels_hold_the_leaves_of_the_recursion(root: list[int], bounds: list[Fraction], smallest: int):
    limits = [Real.of(limit) for limit in bounds[: len(root)]]
    leaves = bi_split(np.array(root), limits, smallest)
    assert as_counter(leaves) == Counter(plain.bi_split(tuple(root), limits, smallest))
    assert (leaves.vectors * leaves.times[:, None]).sum(axis=0).tolist() == root


@EASY
@given(COUNTS, BETAS)
def test_levels_hold_the_leaves_of_beta_likeness(counts: list[int], beta: object):
    buckets, leaves = phases(counts, beta)
    expected = plain.bi_split(tuple(buckets.sizes.tolist()), buckets.limits)
    assert as_counter(leaves) == Counter(expected)
    assert leaves.count == len(expected)


def test_few_distinct_vectors_on_every_level():
    # At most (buckets + 1); here every split is allowed, so all levels are seen.
    root = np.random.default_rng(4).integers(1, 10**6, 6)
    leaves = bi_split(root, [Real.of(Fraction(1))] * 6)
    assert len(leaves.vectors) <= 7 * 20
    assert (leaves.vectors * leaves.times[:, None]).sum(axis=0).tolist() == root.tolist()


def test_drafts_name_what_is_drawn():
    start, bucket, take = Leaves(np.array([[2, 0, 1], [0, 3, 0]]), np.array([1, 1])).drafts()
    assert (start.tolist(), bucket.tolist(), take.tolist()) == ([0, 2, 3], [0, 2, 1], [2, 1, 3])
