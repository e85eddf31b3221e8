"""References are left uncounted only where no array comes to be."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from likeness.kernels import _borrowing, njit


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


@njit
def middle(pair, begin, end):
    part = pair.left[begin:end]
    total = 0.0
    for x in part:
        total += math.sqrt(x) + max(x, 1)
    pair.right[:] = 0
    pair.right[begin] = part.shape[0]
    return total


@njit
def made(n):
    return np.arange(n)


@njit
def returned(pair):
    return pair.left


@njit
def given(n):
    total = 0
    for x in made(n):
        total += x
    return total


@njit
def added(pair):
    return (pair.left + pair.right)[0]


@njit
def picked(pair):
    return pair.left[pair.right][0]


@njit
def copied(pair):
    pair.left[:2] = pair.right[:2]
    return pair.left[0]


@njit
def summed(pair):
    return pair.left.sum()


@njit
def listed(pair):
    return len([pair.left])


@njit
def nested(pair):
    return middle(pair, 0, 2) + middle(Pair(pair.right, pair.left), 0, 1)


CALLEES = {
    "middle": (middle, "middle(pair, 0, 2)", True),
    "nested": (nested, "nested(pair)", True),
    "returned": (returned, "returned(pair)[0]", False),
    "given": (given, "given(pair.left.size)", False),
    "added": (added, "added(pair)", False),
    "picked": (picked, "picked(pair)", False),
    "copied": (copied, "copied(pair)", False),
    "summed": (summed, "summed(pair)", False),
    "listed": (listed, "listed(pair)", False),
}


@pytest.fixture
def counting():
    """Let numba count arrays made and freed."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("name", CALLEES)
def test_a_function_borrows_where_no_array_comes_to_be(name, monkeypatch, counting):
    kernel, call, borrows = CALLEES[name]
    seen, decide = {}, _borrowing._borrows

    def watch(state):
        found = seen[state.func_id.func_name] = decide(state)
        return found

    monkeypatch.setattr(_borrowing, "_borrows", watch)
    kernel._made = None  # compiled anew
    source = {name: kernel, "Pair": Pair}
    exec(f"def caller(pair):\n    return {call}", source)
    caller = njit(source["caller"])

    def pair():
        return Pair(np.arange(1, 5), np.array([3, 2, 1, 0]))

    expected = source["caller"](pair())
    assert caller(pair()) == expected
    assert seen[name] == borrows
    own = pair()
    before, references = rtsys.get_allocation_stats(), [sys.getrefcount(part) for part in own]
    for _ in range(5):
        assert caller(own) == source["caller"](pair())
        own = Pair(own.left, own.right)
        own.left[:], own.right[:] = pair()
    assert [sys.getrefcount(part) for part in own] == references
    after = rtsys.get_allocation_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free
