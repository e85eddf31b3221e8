"""What is counted of each large finished class of DAnonyIR, so that it need not be counted again for everybody who might move.

Whether a class holds without one of its individuals, or with one more, is then decided from that individual's values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from likeness.kernels.danonyir_tests import within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.danonyir_tests import Sets

ROOM = 8
"""A class is counted where so many times its individuals, and pairs of one and a value, are more than there are values: the
table is then at most so many times as large as all individuals and pairs."""


class Counts(NamedTuple):
    """What is counted of the classes that have a row of the table.

    Parameters
    ----------
    row : (classes,) int64
        The row of the table that each class has; -1 for small classes, which have none.
    table : (rows, m) int64
        Individuals that have each value.
    pairs, distinct : (rows,) int64
        Pairs of an individual and a value, and values.
    commonest, as_common : (rows,) int64
        Individuals of the commonest value, and how many values have as many.
    heaviest : (rows,) int64
        Records of the individual with most.
    """

    row: NDArray[np.int64]
    table: NDArray[np.int64]
    pairs: NDArray[np.int64]
    distinct: NDArray[np.int64]
    commonest: NDArray[np.int64]
    as_common: NDArray[np.int64]
    heaviest: NDArray[np.int64]


def count_classes(
    sets: Sets, records: NDArray[np.int64], label: NDArray[np.int64], classes: int, values: int
) -> Counts:
    """Count the large classes.

    Parameters
    ----------
    sets
        Sensitive values of the individuals.
    records, label : (n,) int64
        Records and class of each individual; class -1 for those in none.
    classes, values
        How many there are.
    """
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
    """Whether what is counted of a class holds with one more individual, or without one of its own.

    Parameters
    ----------
    sets, limits
        As in `kernels.danonyir.go_on`.
    counts
        What is counted; the class has a row.
    records : (n,) int64
        Records of each individual.
    own, filled, size
        The class, its individuals and its records.
    person, leaving
        Who, and whether it leaves.
    head, behind
        The class's first individual, and who follows each.
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
