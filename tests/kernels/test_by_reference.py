"""Named tuples are handed from kernel to kernel by reference, and read as they are in Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from likeness.kernels import borrowed, njit
from likeness.kernels._by_reference import ByReference


class Inner(NamedTuple):
    counts: np.ndarray
    reals: np.ndarray
    few: tuple


class Held(NamedTuple):
    inner: Inner
    number: int
    flag: bool


class Ends(NamedTuple):
    """All of one type: an array of LLVM's, where others are structures."""

    first: np.ndarray
    last: np.ndarray


@njit
def read(held, ends, i):
    few = held.inner.few
    once = few[0] if held.flag else few[1]
    return held.inner.counts[i] + held.inner.reals[i] * held.number + once + ends.last[i]


@njit
def write(inner, value):
    inner.counts[0] = value
    return made(inner, value).first[0]


@njit
def made(inner, value):
    """Give a tuple of its own, made of what it was handed."""
    return Ends(inner.counts, np.full(1, value))


@njit
def drive(held, ends):
    held = borrowed(held)
    total = 0.0
    for i in range(held.inner.counts.size):
        total += read(held, ends, i)
    own = Held(Inner(held.inner.counts.copy(), held.inner.reals, (1, 2)), 3, False)
    return total, read(own, ends, 0), write(own.inner, 7), own.inner.counts[0], held.inner.counts[0]


@njit
def same(held):
    return held


@njit
def gives_back(held):
    return same(held).number


def handed(kernel):
    return [tuple(map(type, args)) for args in kernel._callee.overloads]


@pytest.mark.parametrize("flag", [True, False])
def test_fields_are_those_of_the_tuple(flag):
    held = Held(Inner(np.arange(4), np.linspace(0, 1, 4), (10, 20)), 5, flag)
    ends = Ends(np.zeros(4, np.int64), np.full(4, 100))
    counts = held.inner.counts.copy()
    found = drive(held, ends)
    expected = [read.py_func(held, ends, i) for i in range(4)]
    own = Held(Inner(counts, held.inner.reals, (1, 2)), 3, False)
    assert found == (sum(expected), read.py_func(own, ends, 0), 7, 7, 0)
    assert all(ByReference in args for args in handed(read))
    assert held.inner.counts.tolist() == counts.tolist()


def test_a_number_that_is_known_is_handed_over_as_any():
    @njit
    def plus(x, y):
        return x + y

    @njit
    def sums(x):
        return plus(x, 1) + plus(1, x) + plus(2, 3)

    assert sums(4) == 15
    assert len(plus._callee.overloads) == 1


def test_no_kernel_gives_back_what_it_was_handed():
    with pytest.raises((TypeError, TypingError), match="it may be gone by then"):
        gives_back(Held(Inner(np.arange(2), np.zeros(2), (1, 2)), 5, True))
