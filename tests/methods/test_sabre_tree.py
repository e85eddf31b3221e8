from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.sabre_cases import ground, grounds, spans_of
from tests.models.tables import DISEASE_COUNTS, diseases, numbers

from likeness.methods.burel.buckets import Leaves
from likeness.methods.sabre import halve, partitions


def as_counter(drafts: Leaves) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    for vector, times in zip(drafts.vectors.tolist(), drafts.times.tolist(), strict=True):
        found[tuple(vector)] += times
    return found


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_the_leaves_are_the_plain_ones(data):
    fast, plain = data.draw(grounds(most=5, largest=12))
    t = data.draw(st.fractions(0, 1, max_denominator=20))
    smallest = data.draw(st.integers(1, 6))
    buckets = plain.buckets(t)
    sizes = [sum(plain.reference[code] for code in bucket) for bucket in buckets]
    drafts = halve(np.array(sizes), fast, spans_of(plain, buckets), t, smallest)
    assert as_counter(drafts) == Counter(plain.leaves(buckets, sizes, t, smallest))


def test_the_papers_diseases():
    # 8 nervous, 11 circulatory. At 7/19 nothing but the table's own shares is allowed; of the halves [4, 5] is
    # up to 65/171 away and [4, 6] up to 36/95, as are both of its halves; those of [4, 5], [2, 2] and [2, 3], are
    # up to 31/76 away.
    fast = ground(DISEASE_COUNTS, diseases(), "hierarchical")
    spans = next(partitions(fast, Fraction(7, 19)))
    for t, leaves in [
        ("7/19", {(8, 11): 1}),
        ("65/171", {(4, 5): 1, (2, 3): 2}),
        ("38/100", {(8, 11): 1}),
        ("1/2", {(1, 1): 5, (1, 2): 3}),
    ]:
        assert as_counter(halve(np.array([8, 11]), fast, spans, Fraction(t))) == leaves


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_draws_add_up_and_stay_near(data):
    fast, _ = data.draw(grounds(largest=40))
    t = data.draw(st.fractions(0, 1, max_denominator=20))
    spans = next(partitions(fast, t))
    sizes = np.array([fast.counts[a : b + 1].sum() for a, b in spans])
    drafts = halve(sizes, fast, spans, t)
    assert (drafts.vectors * drafts.times[:, None]).sum(axis=0).tolist() == sizes.tolist()
    allowed = t * fast.scale * fast.total
    far = fast.farthest(spans)(drafts.vectors).tolist()
    assert all(
        work <= allowed * size for work, size in zip(far, drafts.vectors.sum(axis=1).tolist(), strict=True)
    )
    # No level holds more than one vector per bucket and one.
    assert len(drafts.vectors) <= (len(spans) + 1) * (int(sizes.sum()).bit_length() + 1)


@pytest.mark.parametrize("t", ["1/10", "0.3333333333333333333333333"])
def test_long_thresholds_are_exact(t):
    fast = ground([3, 4, 5, 6], numbers([1, 2, 3, 4]), "ordered")
    spans = next(partitions(fast, Fraction(t)))
    sizes = np.array([fast.counts[a : b + 1].sum() for a, b in spans])
    assert halve(sizes, fast, spans, Fraction(t)).count >= 1


def test_entries():
    drafts = Leaves(np.array([[2, 0, 1], [0, 3, 0]]), np.array([1, 4]))
    start, bucket, take = drafts.drafts()
    assert (start.tolist(), bucket.tolist(), take.tolist()) == ([0, 2, 3], [0, 2, 1], [2, 1, 3])
    assert drafts.count == 5
