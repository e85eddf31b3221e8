"""The class tests of `likeness.kernels.class_tests` on the values that are present, whatever the number of all values is.

A class is given by the places of the joint histogram at which it may have records, ascending, and its counts there
(0 where it has none); at every other place it has none. Each predicate decides what its dense namesake decides, with the
same parameters. Tests without one are evaluated on the histogram laid out in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types
from numba.extending import typeof_impl

from likeness.kernels import njit
from likeness.kernels.class_tests import (
    CLASS_SIZE,
    OWN_SUM,
    SLOTS,
    TESTS,
    PredicateTuple,
    beliefs_alike,
    beliefs_keep,
    beliefs_kept,
    beliefs_within,
    distinct_at_least,
    entropy_at_least,
    recursively_diverse,
    size_at_least,
    transport_at_most,
    windows_at_most,
    within_share_limits,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.kernels.class_tests import ClassTest, LaidOutTests

SIGNATURE = boolean(int64, int64, int64, int64[::1], int64[::1], int64[::1], float64[::1])
"""``(size, base, m, places, counts, integers, reals)``: value s of the m values of the attribute has the place ``base + s``."""
_FUNCTIONS = types.UniTuple(types.FunctionType(SIGNATURE), SLOTS)


class _PresentTuple(tuple["Callable[..., bool]", ...]):  # noqa: SLOT001  # stores nothing: numba asks for the class
    """See `class_tests.PredicateTuple`."""


@typeof_impl.register(_PresentTuple)
def _type_of(_tests, _context):
    """Tell numba the type."""
    return _FUNCTIONS


class PresentTests(NamedTuple):
    """Laid out tests of both kinds; ``known`` says of each whether there is one on present values."""

    functions: PredicateTuple
    present: _PresentTuple
    known: np.ndarray
    shape: np.ndarray
    integers: np.ndarray
    reals: np.ndarray


PRESENT_TESTS = types.NamedTuple(
    (TESTS, _FUNCTIONS, int64[::1], int64[:, ::1], int64[::1], float64[::1]), PresentTests
)
"""Numba type of `PresentTests`."""


@njit(int64(int64[::1], int64, int64, int64), cache=True)
def first_at_least(ascending, begin, end, key):
    """Position of the first of ``ascending[begin:end]`` that is at least ``key``; ``end`` without one."""
    while begin < end:
        middle = (begin + end) // 2
        if ascending[middle] < key:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(SIGNATURE, cache=True)
def _always(size, base, m, places, counts, integers, reals):
    """Fill a slot."""
    return True


@njit(SIGNATURE, cache=True)
def _size_at_least(size, base, m, places, counts, integers, reals):
    """See `class_tests.size_at_least`."""
    return size_at_least(size, counts, integers, reals)


@njit(SIGNATURE, cache=True)
def _distinct_at_least(size, base, m, places, counts, integers, reals):
    """See `class_tests.distinct_at_least`: which values they are does not matter to it, nor to the next two."""
    return distinct_at_least(size, counts, integers, reals)


@njit(SIGNATURE, cache=True)
def _entropy_at_least(size, base, m, places, counts, integers, reals):
    """See `class_tests.entropy_at_least`."""
    return entropy_at_least(size, counts, integers, reals)


@njit(SIGNATURE, cache=True)
def _recursively_diverse(size, base, m, places, counts, integers, reals):
    """See `class_tests.recursively_diverse`."""
    return recursively_diverse(size, counts, integers, reals)


@njit(SIGNATURE, cache=True)
def _within_upper_limits(size, base, m, places, counts, integers, reals):
    """See `class_tests.within_share_limits`, where no value has a lower limit."""
    tables = 2 * (m + 1)
    for i in range(places.shape[0]):
        count = counts[i]
        if count > 0:
            start, end = integers[places[i] - base], integers[places[i] - base + 1]
            if end > start and (start + count > end or size < integers[tables + start + count - 1]):
                return False
    return True


@njit(SIGNATURE, cache=True)
def _windows_at_most(size, base, m, places, counts, integers, reals):
    """See `class_tests.windows_at_most`."""
    running = np.empty(places.shape[0] + 1, np.int64)
    running[0] = 0
    for i in range(places.shape[0]):
        running[i + 1] = running[i] + counts[i]
    low = high = 0
    for i in range(places.shape[0]):
        value = places[i] - base
        # The ends of windows ascend with their values.
        while low < places.shape[0] and places[low] - base < integers[1 + value]:
            low += 1
        while high < places.shape[0] and places[high] - base <= integers[1 + m + value]:
            high += 1
        if counts[i] > 0 and (running[high] - running[low]) * integers[0] > size:
            return False
    return True


@njit(boolean(int64, int64, float64, boolean, int64[::1], float64[::1]), cache=True)
def _work_at_most(size, moved, work, exact, integers, reals):
    """Compare the work with the bound, as `class_tests.transport_at_most` does."""
    whole = size * integers[0] * integers[3] if exact else 0
    if not exact:
        return work <= reals[0] * size * integers[0] * integers[3]
    # floor(whole * a / b), in two parts so that the product cannot overflow.
    rest = whole % integers[2] * integers[1] // integers[2]
    return moved <= whole // integers[2] * integers[1] + rest


@njit(SIGNATURE, cache=True)
def _transport_at_most(size, base, m, places, counts, integers, reals):
    """See `class_tests.transport_at_most`; ``integers`` ends in what `models.earth_movers.Transport` tells of its intervals.

    ``[1, records of each, their running sums from 0]`` where all begin at the first value, ends ascend and edges are 1
    long, else ``[0, Σ records · weight, parent of each, records of each, smallest interval of each value]``.
    """
    if size == 0:
        return True
    total, intervals = integers[0], integers[4]
    edges = 5 + m
    more = edges + 3 * intervals
    exact = reals.shape[0] == 0
    running = np.empty(places.shape[0] + 1, np.int64)
    running[0] = 0
    for i in range(places.shape[0]):
        running[i + 1] = running[i] + counts[i]
    moved, work = 0, 0.0
    if integers[more] == 1:
        held = integers[more + 1 : more + 1 + intervals]
        sums = integers[more + 1 + intervals :]
        begin = 0
        # Between two of its values the class holds the same, and the reference ever more; first it holds nothing.
        for i in range(places.shape[0] + 1):
            end = intervals
            if i < places.shape[0]:
                # Ends of intervals: those below the next value.
                low, high = begin, intervals
                while low < high:
                    middle = (low + high) // 2
                    if integers[edges + 3 * middle + 1] < places[i] - base:
                        low = middle + 1
                    else:
                        high = middle
                end = low
            if end == begin:
                continue
            own = running[i] * total
            # Up to `turn` the class holds at least its share.
            turn = first_at_least(held, begin, end, own // size + 1)
            if exact:
                moved += (turn - begin) * own - size * (sums[turn] - sums[begin])
                moved += size * (sums[end] - sums[turn]) - (end - turn) * own
            else:
                share = float(running[i]) / size
                work += (turn - begin) * share - float(sums[turn] - sums[begin]) / total
                work += float(sums[end] - sums[turn]) / total - (end - turn) * share
            begin = end
    else:
        parent = integers[more + 2 : more + 2 + intervals]
        held = integers[more + 2 + intervals : more + 2 + 2 * intervals]
        lowest = integers[more + 2 + 2 * intervals :]
        if exact:
            moved = size * integers[more + 1]
        else:
            work = float(integers[more + 1]) / total
        before = -1
        for i in range(places.shape[0]):
            if counts[i] == 0:
                continue
            # From the value upwards, every interval at the first value that the class has there.
            value = places[i] - base
            edge = lowest[value]
            while edge >= 0 and integers[edges + 3 * edge] > before:
                last = integers[edges + 3 * edge + 1]
                end = i + 1
                if last > value:
                    end = first_at_least(places, i + 1, places.shape[0], base + last + 1)
                inside, weight = running[end] - running[i], integers[edges + 3 * edge + 2]
                if exact:
                    moved += weight * (abs(inside * total - held[edge] * size) - held[edge] * size)
                else:
                    share, expected = float(inside) / size, float(held[edge]) / total
                    work += weight * (abs(share - expected) - expected)
                edge = parent[edge]
            before = value
    return _work_at_most(size, moved, work * size * total, exact, integers, reals)


@njit(SIGNATURE, cache=True)
def _beliefs_within(size, base, m, places, counts, integers, reals):
    """See `class_tests.beliefs_within`."""
    values = integers[1]
    who, there = np.empty(places.shape[0], np.int64), np.zeros(values, np.bool_)
    count = 0
    for i in range(places.shape[0]):
        if counts[i] == 0:
            continue
        code = places[i] - base
        there[code % values] = True
        if count == 0 or who[count - 1] != code // values:
            who[count] = code // values
            count += 1
    return beliefs_alike(who[:count], there, integers, reals)


@njit(SIGNATURE, cache=True)
def _beliefs_kept(size, base, m, places, counts, integers, reals):
    """See `class_tests.beliefs_kept`."""
    there = np.flatnonzero(counts)
    return beliefs_keep(places[there] - base, counts[there], integers, reals)


_PRESENT: dict[Any, Callable[..., bool]] = {
    size_at_least: _size_at_least,
    distinct_at_least: _distinct_at_least,
    entropy_at_least: _entropy_at_least,
    recursively_diverse: _recursively_diverse,
    within_share_limits: _within_upper_limits,
    windows_at_most: _windows_at_most,
    transport_at_most: _transport_at_most,
    beliefs_within: _beliefs_within,
    beliefs_kept: _beliefs_kept,
}


def of_present(laid: LaidOutTests) -> PresentTests:
    """Put the tests on present values beside those on histograms."""
    found = [_of_test(test) for test in laid.tests]
    rest = [_always] * (SLOTS - len(found))
    return PresentTests(
        laid.functions,
        _PresentTuple([*(_always if one is None else one for one in found), *rest]),
        np.array([one is not None for one in found], np.int64),
        laid.shape,
        laid.integers,
        laid.reals,
    )


def _of_test(test: ClassTest) -> Callable[..., bool] | None:
    """Find the test on present values, if there is one."""
    if test.function is within_share_limits:
        m = test.values
        if test.integers[m + 1] < test.integers[2 * m + 1]:
            # Where absent values are limited too, every value is looked at.
            return None
    return _PRESENT.get(test.function)


@njit(
    boolean(TESTS, int64, int64, int64, int64, int64[::1], int64[::1], int64[::1], float64[::1]), cache=True
)
def _dense_holds(functions, t, size, base, values, places, counts, integers, reals):
    """Whether a test holds for the histogram laid out in full."""
    histogram = np.zeros(values, np.int64)
    for i in range(places.shape[0]):
        histogram[places[i] - base] = counts[i]
    function = functions[t]
    return function(size, histogram, integers, reals)


@njit(boolean(PRESENT_TESTS, int64, int64[::1], int64[::1]), cache=True)
def evaluate_present(tests, size, places, counts):
    """Whether every test holds for a class, as `class_tests.evaluate` decides it.

    ``places`` (p,), ascending, of the joint histogram, and the ``counts`` (p,) there; everywhere else stands 0.
    """
    shape, known, present, functions = tests.shape, tests.known, tests.present, tests.functions
    count = places.shape[0]
    for t in range(shape.shape[0]):
        integers = tests.integers[shape[t, 3] : shape[t, 4]]
        reals = tests.reals[shape[t, 5] : shape[t, 6]]
        start, values, slices, stride, size_at = (
            shape[t, 0],
            shape[t, 1],
            shape[t, 2],
            shape[t, 7],
            shape[t, 8],
        )
        function = present[t]
        # Slices are short or many: their ends are looked for among all places.
        begin = first_at_least(places, 0, count, start)
        alone = size_at == CLASS_SIZE
        behind = first_at_least(places, begin, count, start + (values if alone else slices * stride))
        while alone or begin < behind:
            base, after, end, held = start, behind, behind, size
            if not alone:
                base = start + (places[begin] - start) // stride * stride
                after = first_at_least(places, begin, behind, base + stride)
                end = first_at_least(places, begin, after, base + values)
                held = 0
                if size_at == OWN_SUM:
                    for i in range(begin, end):
                        held += counts[i]
                else:
                    at = first_at_least(places, begin, after, base + size_at)
                    if at < after and places[at] == base + size_at:
                        held = counts[at]
            if alone or held > 0:
                if known[t] == 0:
                    if not _dense_holds(
                        functions,
                        t,
                        held,
                        base,
                        values,
                        places[begin:end],
                        counts[begin:end],
                        integers,
                        reals,
                    ):
                        return False
                elif not function(held, base, values, places[begin:end], counts[begin:end], integers, reals):
                    return False
            begin = after
            if alone:
                break
    return True
