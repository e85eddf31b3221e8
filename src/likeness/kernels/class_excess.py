"""How far a class is from holding the tests of `likeness.kernels.class_tests`: what a search lowers by exchanging records.

Each measure reads the parameters of its namesake there. It is larger the farther the class is off, and above 1 where the test
does not hold, up to rounding; only for limits on gain it is the share over the reference's, which is the relative gain plus 1
(Amiri et al. 2016, section 3.4). Tests without a measure count as 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import float64, int64, types
from numba.extending import typeof_impl

from likeness.kernels import njit
from likeness.kernels.class_tests import (
    CLASS_SIZE,
    OWN_SUM,
    SLOTS,
    distinct_at_least,
    distinct_where_protected,
    entropy_at_least,
    protected_and_tail,
    recursive_where_protected,
    recursively_diverse,
    safe_from_membership,
    transport_at_most,
    variance,
    varied,
    windows_at_most,
    within_share_limits,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.kernels.class_tests import ClassTest, LaidOutTests

SIGNATURE = float64(int64, int64[::1], int64[::1], float64[::1])
MEASURES = types.UniTuple(types.FunctionType(SIGNATURE), SLOTS)


class MeasureTuple(tuple["Callable[..., float]", ...]):  # noqa: SLOT001  # stores nothing: numba asks for the class
    """See `class_tests.PredicateTuple`."""


@typeof_impl.register(MeasureTuple)
def _type_of(_measures, _context):
    """Tell numba the type."""
    return MEASURES


@njit(SIGNATURE, cache=True)
def nothing(size, histogram, integers, reals):
    """Stand where a test has no measure."""
    return 0.0


@njit(SIGNATURE, cache=True)
def share_excess(size, histogram, integers, reals):
    """Largest ``c_s reals[0] / (reals[1 + s] size)``; infinite where a value with a limit of 0 is present."""
    most = 0.0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            limit = reals[1 + value] * size
            most = max(most, histogram[value] * reals[0] / limit if limit > 0 else math.inf)
    return most


@njit(SIGNATURE, cache=True)
def transport_excess(size, histogram, integers, reals):
    """Earth mover's distance over its limit (over the smallest there can be, where the limit is 0)."""
    m = histogram.shape[0]
    total = integers[0]
    running = np.empty(m + 1)
    running[0] = 0
    for value in range(m):
        running[value + 1] = running[value] + (
            float(histogram[value]) * total - float(integers[5 + value]) * size
        )
    at = 5 + m
    moved = 0.0
    for _ in range(integers[4]):
        moved += abs(running[integers[at + 1] + 1] - running[integers[at]]) * integers[at + 2]
        at += 3
    return moved / (float(size) * total * integers[3]) * integers[2] / max(1, integers[1])


@njit(SIGNATURE, cache=True)
def distinct_excess(size, histogram, integers, reals):
    """The number of values asked for, over those present."""
    present = 0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            present += 1
    return integers[0] / present


@njit(SIGNATURE, cache=True)
def entropy_excess(size, histogram, integers, reals):
    """By what the number of equally frequent values of the same entropy would have to be multiplied."""
    total = 0.0
    for value in range(histogram.shape[0]):
        if histogram[value] > 0:
            total += histogram[value] * math.log(histogram[value])
    return math.exp(reals[0] - math.log(size) + total / size)


@njit(SIGNATURE, cache=True)
def recursive_excess(size, histogram, integers, reals):
    """``d r_1 / (n (r_l + … + r_u))``; infinite with fewer than l values."""
    counts = np.sort(histogram)
    tail = size
    for rank in range(min(integers[2] - 1, counts.size)):
        tail -= counts[counts.size - 1 - rank]
    return integers[1] * float(counts[-1]) / (integers[0] * float(tail)) if tail > 0 else math.inf


@njit(SIGNATURE, cache=True)
def distinct_excess_where_protected(size, histogram, integers, reals):
    """See `distinct_excess`; 0 where no value is present that ``integers[1:]`` marks."""
    for value in range(histogram.shape[0]):
        if histogram[value] > 0 and integers[1 + value] != 0:
            return distinct_excess(size, histogram, integers, reals)
    return 0.0


@njit(SIGNATURE, cache=True)
def recursive_excess_where_protected(size, histogram, integers, reals):
    """``d r / (n tail)`` of `recursive_where_protected`; infinite without a tail, 0 where no value is marked."""
    largest, tail = protected_and_tail(size, histogram, integers)
    if largest == 0:
        return 0.0
    return integers[1] * float(largest) / (integers[0] * float(tail)) if tail > 0 else math.inf


@njit(SIGNATURE, cache=True)
def window_excess(size, histogram, integers, reals):
    """The largest share of a window of neighbouring values, times m."""
    values = histogram.shape[0]
    running = np.empty(values + 1, np.int64)
    running[0] = 0
    for value in range(values):
        running[value + 1] = running[value] + histogram[value]
    most = 0
    for value in range(values):
        if histogram[value] > 0:
            most = max(most, running[integers[1 + values + value] + 1] - running[integers[1 + value]])
    return most * float(integers[0]) / size


@njit(SIGNATURE, cache=True)
def membership_excess(size, histogram, integers, reals):
    """Largest share of a value in the records of the one below it, its own and all higher ones, over δ."""
    most = 0.0
    rest = 0
    for value in range(histogram.shape[0] - 1, -1, -1):
        count = histogram[value]
        rest += count
        if count > 0:
            below = histogram[value - 1] if value > 0 else 0
            most = max(most, float(count) / (rest + below))
    return most * integers[1] / integers[0]


@njit(SIGNATURE, cache=True)
def variance_excess(size, histogram, integers, reals):
    """θ over the variance of the values' numbers; infinite where there is none."""
    found = variance(histogram, integers[1])
    theta = reals[0] if reals.shape[0] > 0 else float(integers[2]) / integers[3]
    return theta / found if found > 0 else math.inf


_MEASURES: dict[Callable[..., bool], Callable[..., float]] = {
    within_share_limits: share_excess,
    transport_at_most: transport_excess,
    distinct_at_least: distinct_excess,
    entropy_at_least: entropy_excess,
    recursively_diverse: recursive_excess,
    distinct_where_protected: distinct_excess_where_protected,
    recursive_where_protected: recursive_excess_where_protected,
    windows_at_most: window_excess,
    safe_from_membership: membership_excess,
    varied: variance_excess,
}


def measures_of(laid: LaidOutTests) -> MeasureTuple:
    """Find the measures of laid out tests, in their order."""
    found = [_MEASURES.get(test.function, nothing) for test in laid.tests]
    return MeasureTuple(found + [nothing] * (SLOTS - len(found)))


def is_of_shares(test: ClassTest) -> bool:
    """Whether a test has a measure and is of whole classes: it then looks at their shares alone, whatever their size is."""
    return test.function in _MEASURES and test.slices == 1


def limits_shares_alone(laid: LaidOutTests) -> bool:
    """Whether the tests, besides sizes, are one of limits on shares over the whole class: their excess has a rule of its own."""
    return (
        len(laid.tests) == 1 and laid.tests[0].function is within_share_limits and laid.tests[0].slices == 1
    )


@njit(float64(MEASURES, int64[:, ::1], int64[::1], float64[::1], int64, int64[::1]), cache=True)
def excess(measures, shape, integers, reals, size, histogram):
    """Largest excess of all tests for a class of the given size and joint histogram; laid out as for `class_tests.evaluate`."""
    most = 0.0
    for t in range(shape.shape[0]):
        measure = measures[t]
        parameters = integers[shape[t, 3] : shape[t, 4]]
        numbers = reals[shape[t, 5] : shape[t, 6]]
        start, values, size_at = shape[t, 0], shape[t, 1], shape[t, 8]
        for _ in range(1 if size_at == CLASS_SIZE else shape[t, 2]):
            part = histogram[start : start + values]
            held = size
            if size_at != CLASS_SIZE:
                held = part.sum() if size_at == OWN_SUM else histogram[start + size_at]
            if held > 0:
                most = max(most, measure(held, part, parameters, numbers))
            start += shape[t, 7]
    return most
