"""Whether the class that grows holds, kept up to date as individuals join it (see `kernels.danonyir`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from likeness.kernels.class_tests import evaluate
from likeness.kernels.hitting_set import hits_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

PEOPLE, VALUES, OF_RECORDS, VALUE_OF_PAIRS, VALUE_OF_PEOPLE, REASONING = 0, 1, 2, 4, 6, 8
"""Positions in the limits: at least so many individuals; at least so many values; then numerator and denominator of the largest
share of one individual's records, of one value's pairs among all pairs of an individual and a value of theirs, and of one
value's individuals (denominator 0: no limit); at least so many values in every reasoning set."""
LIMITS = 9

COUNT, RECORDS, PAIRS, MOST, DISTINCT, COMMONEST, SINGLES, WITNESS, UNHIT, PROVEN, SEARCHES = range(11)
"""Positions in `Tally.numbers`: individuals, records, pairs of an individual and a value, records of the individual with most,
values, individuals of the commonest value, values of individuals with one value; values of the witness, whether it misses
somebody, whether every reasoning set is known to have enough values, and how many hitting sets were searched."""
NUMBERS = 11


class Sets(NamedTuple):
    """Sensitive values of the individuals, and the places of the other tests' histogram they count in.

    Parameters
    ----------
    first : (n + 1,) int64
        Where the distinct values of each individual begin.
    value : (pairs,) int64
        Their values, ascending.
    views : (v, n) int32
        See `methods._base.joint_views`.
    """

    first: NDArray[np.int64]
    value: NDArray[np.int64]
    views: NDArray[np.int32]


class Tally(NamedTuple):
    """What is counted of the class that grows.

    Parameters
    ----------
    numbers : (11,) int64
        See `COUNT` and the others.
    people : (n,) int64
        Its individuals, in the order they joined.
    counts : (m,) int64
        Individuals that have each value.
    values : (m,) int64
        The values it has, in order of first appearance.
    single : (m,) bool
        Values of individuals with one value.
    histogram : (width,) int64
        For the other tests.
    witness : (l - 1,) int64
        Values that, unless ``UNHIT``, hit everybody.
    place : (m,) int64
        Scratch of `hits_all`.
    """

    numbers: NDArray[np.int64]
    people: NDArray[np.int64]
    counts: NDArray[np.int64]
    values: NDArray[np.int64]
    single: NDArray[np.bool_]
    histogram: NDArray[np.int64]
    witness: NDArray[np.int64]
    place: NDArray[np.int64]


def tally(people: int, values: int, width: int, witness: int) -> Tally:
    """Make room for the counts."""
    return Tally(
        np.zeros(NUMBERS, np.int64),
        np.zeros(people, np.int64),
        np.zeros(values, np.int64),
        np.zeros(values, np.int64),
        np.zeros(values, np.bool_),
        np.zeros(width, np.int64),
        np.full(witness, -1, np.int64),
        np.full(values, -1, np.int64),
    )


@njit(cache=True)
def clear(own):
    """Forget everybody."""
    for i in range(own.numbers[DISTINCT]):
        own.counts[own.values[i]] = 0
        own.single[own.values[i]] = False
    own.histogram[:] = 0
    own.witness[:] = -1
    searches = own.numbers[SEARCHES]
    own.numbers[:] = 0
    own.numbers[SEARCHES] = searches


@njit(cache=True)
def count_person(own, sets, records, person):
    """Count one more individual."""
    numbers = own.numbers
    own.people[numbers[COUNT]] = person
    numbers[COUNT] += 1
    numbers[RECORDS] += records[person]
    numbers[MOST] = max(numbers[MOST], records[person])
    for view in range(sets.views.shape[0]):
        own.histogram[sets.views[view, person]] += 1
    start, end = sets.first[person], sets.first[person + 1]
    numbers[PAIRS] += end - start
    hit = False
    commonest = -1
    for at in range(start, end):
        value = sets.value[at]
        if own.counts[value] == 0:
            own.values[numbers[DISTINCT]] = value
            numbers[DISTINCT] += 1
        own.counts[value] += 1
        if own.counts[value] > numbers[COMMONEST]:
            numbers[COMMONEST] = own.counts[value]
        if commonest < 0 or own.counts[value] > own.counts[commonest]:
            commonest = value
        for i in range(numbers[WITNESS]):
            hit = hit or own.witness[i] == value
    if end - start == 1 and not own.single[sets.value[start]]:
        own.single[sets.value[start]] = True
        numbers[SINGLES] += 1
    if hit or numbers[PROVEN] > 0 or end == start:
        return
    if numbers[WITNESS] < own.witness.shape[0]:
        own.witness[numbers[WITNESS]] = commonest
        numbers[WITNESS] += 1
    else:
        numbers[UNHIT] = 1


@njit(cache=True)
def within(limits, people, records, heaviest, distinct, commonest, pairs):
    """Whether what is counted of a class keeps the limits: all but the reasoning sets and other tests."""
    if people < limits[PEOPLE] or distinct < limits[VALUES]:
        return False
    if limits[OF_RECORDS + 1] > 0 and heaviest * limits[OF_RECORDS + 1] > limits[OF_RECORDS] * records:
        return False
    if (
        limits[VALUE_OF_PAIRS + 1] > 0
        and commonest * limits[VALUE_OF_PAIRS + 1] > limits[VALUE_OF_PAIRS] * pairs
    ):
        return False
    return (
        limits[VALUE_OF_PEOPLE + 1] == 0
        or commonest * limits[VALUE_OF_PEOPLE + 1] <= limits[VALUE_OF_PEOPLE] * people
    )


@njit(cache=True)
def holds(own, sets, limits, functions, shape, integers, reals):
    """Whether the class holds everything that is asked."""
    numbers = own.numbers
    people = numbers[COUNT]
    if not within(
        limits, people, numbers[RECORDS], numbers[MOST], numbers[DISTINCT], numbers[COMMONEST], numbers[PAIRS]
    ):
        return False
    if limits[REASONING] > 0 and not _reasoning_holds(own, sets, limits[REASONING]):
        return False
    return shape.shape[0] == 0 or evaluate(functions, shape, integers, reals, people, own.histogram)


@njit(cache=True)
def _reasoning_holds(own, sets, values):
    """Whether every reasoning set has so many values: no fewer hit everybody (EIR l-diversity)."""
    numbers = own.numbers
    if numbers[PROVEN] > 0:
        return True
    if numbers[COUNT] < values or numbers[DISTINCT] < values:
        return False
    # Values that hit everybody until now and hit whoever joined are too few still.
    if numbers[SINGLES] < values:
        if numbers[UNHIT] == 0:
            return False
        numbers[SEARCHES] += 1
        if hits_all(sets.first, sets.value, own.people, numbers[COUNT], values - 1, own.place, own.witness):
            numbers[UNHIT] = 0
            numbers[WITNESS] = 0
            while numbers[WITNESS] < values - 1 and own.witness[numbers[WITNESS]] >= 0:
                numbers[WITNESS] += 1
            return False
    # Whoever joins, it stays so.
    numbers[PROVEN] = 1
    return True
