"""What kernels borrow is what they were given, and nobody counts who holds it."""

from __future__ import annotations

import gc
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import NumbaError
from numba.core.runtime import _nrt_python, rtsys

from likeness.kernels import borrowed, njit


class Pair(NamedTuple):
    numbers: np.ndarray
    more: tuple


@njit(allocates=False)
def added(pair):
    total = pair.more[1]
    for row in pair.more[0]:
        for number in row:
            total += number
    for i in range(pair.numbers.shape[0]):
        pair.numbers[i] *= 2
        total += pair.numbers[i]
    return total


@njit
def twice(pair):
    pair = borrowed(pair)
    return added(pair) + added(pair)


@njit(allocates=False)
def squares(size):
    return np.zeros(size, np.int64)


@njit
def doubled(numbers):
    numbers = borrowed(numbers)
    return numbers[1:] + numbers[:-1]


@pytest.mark.slow
def test_what_is_borrowed_is_what_was_given_and_is_changed_in_place():
    numbers, table = np.arange(4), np.arange(6.0).reshape(2, 3)
    held = sys.getrefcount(numbers), sys.getrefcount(table)
    twice(Pair(np.arange(2), (table, 10)))
    gc.collect()
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    # 0 + 2 + 4 + 6 and 15 + 10 at first, 0 + 4 + 8 + 12 and as much then.
    assert twice(Pair(numbers, (table, 10))) == 12 + 25 + 24 + 25
    assert numbers.tolist() == [0, 4, 8, 12]
    assert (sys.getrefcount(numbers), sys.getrefcount(table)) == held
    after = rtsys.get_allocation_stats()
    assert (after.alloc - before.alloc, after.mi_alloc - before.mi_alloc) == (
        after.free - before.free,
        after.mi_free - before.mi_free,
    )


@pytest.mark.slow
def test_what_is_made_of_borrowed_arrays_is_held():
    made = doubled(np.arange(1000))
    assert np.array_equal(made, np.arange(1, 1999, 2))
    assert made.base is None or sys.getrefcount(made.base) > 1


@pytest.mark.slow
def test_a_kernel_that_makes_no_array_is_not_compiled_where_it_makes_one():
    with pytest.raises(NumbaError, match="Only accept returning of array"):
        squares(3)
