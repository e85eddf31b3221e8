from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.methods.spaces import join_neighbours

EASY = settings(deadline=None, max_examples=60)


@EASY
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(1, 4)), min_size=2, max_size=20))
def test_groups_stay_in_order_and_failing_ones_grow(groups: list[tuple[bool, int, int]]):
    good = np.array([g for g, _, _ in groups])
    places = np.cumsum([gap for _, gap, _ in groups])
    weight = np.array([w for _, _, w in groups])
    joined = join_neighbours(good, places, places, weight)
    assert joined[0] == 0
    assert set(np.diff(joined).tolist()) <= {0, 1}
    members = Counter(joined.tolist())
    # Alone stay only groups that hold, and failing ones whose neighbours were taken.
    for at in np.flatnonzero(~good):
        if members[joined[at]] == 1:
            beside = [i for i in (at - 1, at + 1) if 0 <= i < len(groups)]
            assert all(members[joined[i]] > 1 for i in beside)
    if not good.all():
        assert joined[-1] < len(groups) - 1


def test_the_nearer_side_first():
    places = np.array([0, 10, 13, 20, 24])
    one = np.ones(5, np.int64)
    good = np.array([True, True, False, True, True])
    assert join_neighbours(good, places, places, one).tolist() == [0, 1, 1, 2, 3]
    three = np.array([1, 1, 3, 1, 1])
    assert join_neighbours(good, places, places, three).tolist() == [0, 1, 1, 1, 1]
