"""Sorts inside kernels are numpy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from likeness.kernels.ordering import ascending_order, sort_ascending

KEYS = st.lists(st.integers(-5, 5) | st.integers(-(2**63), 2**63 - 1), max_size=60)


@given(KEYS, st.integers(0, 60))
def test_the_first_keys_are_sorted(keys, count):
    count = min(count, len(keys))
    found = np.array(keys, np.int64)
    sort_ascending(found, count)
    assert found.tolist() == sorted(keys[:count]) + keys[count:]


@given(KEYS)
def test_an_order_is_stable(keys):
    keys = np.array(keys, np.int64)
    assert ascending_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


def test_many_keys():
    keys = np.random.default_rng(1).integers(0, 3000, 20_000)
    assert np.array_equal(ascending_order(keys), np.argsort(keys, kind="stable"))
    found = keys.copy()
    sort_ascending(found, found.size)
    assert np.array_equal(found, np.sort(keys))
