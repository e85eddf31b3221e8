"""What DAnonyIR counts: of the class that grows, and of each large finished class.

Whether the class that grows holds is kept up to date as individuals join it. The counts of finished classes need not be made
again for everybody who might move: whether one holds without one of its individuals, or with one more, is decided from that
individual's values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
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


class IndividualValues(NamedTuple):
    """Sensitive values of the individuals, and the places of the other tests' histogram they count in.

    ``first``: (n + 1,) where the distinct values of each begin in ``value`` (pairs,), ascending.
    ``views``: (v, n) see `methods.base.joint_views`.
    """

    first: NDArray[np.int64]
    value: NDArray[np.int64]
    views: NDArray[np.int32]


class Tally(NamedTuple):
    """What is counted of the class that grows, of n individuals and m values.

    ``numbers``: (11,) see `COUNT` and the others. ``people``: (n,) in the order they joined.
    ``counts``: (m,) individuals that have each value. ``values``: (m,) those it has, in order of first appearance.
    ``single``: (m,) values of individuals with one value. ``histogram``: (width,) for the other tests.
    ``witness``: (l - 1,) values that, unless ``UNHIT``, hit everybody. ``place``: (m,) scratch of `hits_all`.
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
def count_individual(own, sets, records, person):
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


ROOM = 8
"""A class is counted where so many times its individuals, and pairs of one and a value, are more than there are values: the
table is then at most so many times as large as all individuals and pairs."""


class Counts(NamedTuple):
    """What is counted of the classes that have a row of the table; only large ones do (`ROOM`).

    ``row``: (classes,) the row of each; -1 for those without. ``table``: (rows, m) individuals that have each value.
    ``pairs``, ``distinct``: (rows,) pairs of an individual and a value, and values.
    ``commonest``, ``as_common``: (rows,) individuals of the commonest value, and how many values have as many.
    ``heaviest``: (rows,) records of the individual with most.
    """

    row: NDArray[np.int64]
    table: NDArray[np.int64]
    pairs: NDArray[np.int64]
    distinct: NDArray[np.int64]
    commonest: NDArray[np.int64]
    as_common: NDArray[np.int64]
    heaviest: NDArray[np.int64]


def count_classes(
    sets: IndividualValues, records: NDArray[np.int64], label: NDArray[np.int64], classes: int, values: int
) -> Counts:
    """Count the large classes (`ROOM`); ``records`` and ``label`` (n,) of each individual, -1 for those in no class."""
    there = label >= 0
    pairs = np.bincount(label[there], np.diff(sets.first)[there], classes).astype(np.int64)
    large = ROOM * (pairs + np.bincount(label[there], minlength=classes)) > values
    row = np.where(large, np.cumsum(large) - 1, -1)
    rows = int(large.sum())
    counts = Counts(row, np.zeros((rows, values), np.int64), *(np.zeros(rows, np.int64) for _ in range(5)))
    _count(sets, records, label, counts)
    return counts


@njit(cache=True)
def _count(sets, records, label, counts):
    """Count everybody."""
    for person in range(label.shape[0]):
        if label[person] >= 0:
            enter(sets, records, counts, label[person], person)


@njit(cache=True)
def enter(sets, records, counts, own, person):
    """Count an individual who joins a class."""
    row = counts.row[own]
    if row < 0:
        return
    start, end = sets.first[person], sets.first[person + 1]
    counts.pairs[row] += end - start
    counts.heaviest[row] = max(counts.heaviest[row], records[person])
    for at in range(start, end):
        value = sets.value[at]
        counts.table[row, value] += 1
        count = counts.table[row, value]
        if count == 1:
            counts.distinct[row] += 1
        if count > counts.commonest[row]:
            counts.commonest[row], counts.as_common[row] = count, 1
        elif count == counts.commonest[row]:
            counts.as_common[row] += 1


@njit(cache=True)
def leave(sets, records, counts, own, person, head, behind):
    """Count an individual no more who leaves a class, of which it is still a member."""
    row = counts.row[own]
    if row < 0:
        return
    start, end = sets.first[person], sets.first[person + 1]
    counts.pairs[row] -= end - start
    counts.heaviest[row] = _heaviest_without(records, counts.heaviest[row], person, head, behind)
    for at in range(start, end):
        value = sets.value[at]
        if counts.table[row, value] == 1:
            counts.distinct[row] -= 1
        if counts.table[row, value] == counts.commonest[row]:
            counts.as_common[row] -= 1
        counts.table[row, value] -= 1
    if counts.as_common[row] == 0 and counts.commonest[row] > 0:
        counts.commonest[row] -= 1
        for value in range(counts.table.shape[1]):
            if counts.table[row, value] == counts.commonest[row]:
                counts.as_common[row] += 1


@njit(cache=True)
def _heaviest_without(records, heaviest, person, head, behind):
    """Records of the individual with most but one, given those of the one with most."""
    if records[person] < heaviest:
        return heaviest
    most, member = 0, head
    while member >= 0 and most < heaviest:
        if member != person:
            most = max(most, records[member])
        member = behind[member]
    return most


@njit(cache=True)
def counts_hold(sets, limits, counts, records, own, filled, size, person, leaving, head, behind):
    """Whether what is counted of class ``own`` holds with one more individual, or (``leaving``) without one of its own.

    The class must have a row. ``filled`` and ``size`` are its individuals and records; ``head`` its first individual, and
    ``behind`` (n,) who follows each. ``sets`` and ``limits``: see `search.go_on`. Counts stay as they are.
    """
    row = counts.row[own]
    start, end = sets.first[person], sets.first[person + 1]
    distinct, commonest, heaviest = counts.distinct[row], counts.commonest[row], counts.heaviest[row]
    top = 0
    for at in range(start, end):
        count = counts.table[row, sets.value[at]]
        if count == commonest:
            top += 1
        if leaving and count == 1:
            distinct -= 1
        elif not leaving and count == 0:
            distinct += 1
    if not leaving:
        commonest += top > 0
        heaviest = max(heaviest, records[person])
        return within(
            limits,
            filled + 1,
            size + records[person],
            heaviest,
            distinct,
            commonest,
            counts.pairs[row] + (end - start),
        )
    # The commonest values are all the individual's: without it they are as common as any other can be.
    if top > 0 and top == counts.as_common[row]:
        commonest -= 1
    heaviest = _heaviest_without(records, heaviest, person, head, behind)
    return within(
        limits,
        filled - 1,
        size - records[person],
        heaviest,
        distinct,
        commonest,
        counts.pairs[row] - (end - start),
    )
