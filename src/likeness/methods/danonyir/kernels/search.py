"""DAnonyIR: grow a class from a random individual by its nearest individual or class until it holds, then place who is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likeness.kernels import borrowed, njit
from likeness.methods.danonyir.kernels.counts import (
    COUNT,
    REASONING,
    RECORDS,
    Tally,
    clear,
    count_individual,
    counts_hold,
    holds,
)
from likeness.methods.danonyir.kernels.hulls import (
    Hulls,
    Pool,
    apart,
    copy_hull,
    nearest_class,
    nearest_individual,
    remove,
    widen,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

PHASE, CURSOR, LEFT, ROWS, DEAD, MERGED, DECIDED = 0, 1, 2, 3, 4, 5, 6
"""Positions in `State.numbers`: what comes next; how far the starting order is used up; individuals left; rows
of classes, and those of classes that are no more; mergers of classes so far; decisions so far."""
NUMBERS = 7

BEGIN, JUDGE, GROW, STUCK, OVER = 0, 1, 2, 3, 4
"""What comes next: a new class, to decide whether the one that grows holds, to let it grow; at the end, one that does not
hold and nobody left, or nothing."""

_SPARE_ROWS = 64


class State(NamedTuple):
    """How far a clustering is; the kernel goes on from here.

    ``crowd``: who is left. ``own``, ``tally``: hull, in row 0, and counts of the class that grows.
    ``classes``: hulls of the classes that hold, in the order they were made.
    ``sizes``: (rows,) records of each; 0 for those merged into another since.
    ``least``: (rows,) what joining costs each, at least. ``head``, ``tail``: (rows,) first and last individual of each.
    ``following``: (n,) the individual behind each in its class, -1 behind the last.
    ``decided``: every decision whether the class that grows holds, in order: a run is replayed from them.
    ``numbers``: (7,) see `PHASE` and the others.
    """

    crowd: Pool
    own: Hulls
    tally: Tally
    classes: Hulls
    sizes: NDArray[np.int64]
    least: NDArray[np.int64] | NDArray[np.float64]
    head: NDArray[np.int64]
    tail: NDArray[np.int64]
    following: NDArray[np.int64]
    decided: NDArray[np.int8]
    numbers: NDArray[np.int64]


def hulls(rows: int, attributes: int, words: int, dtype: Any) -> Hulls:
    """Make room for hulls."""
    return Hulls(
        np.zeros((rows, attributes), np.int32),
        np.zeros((rows, attributes), np.int32),
        np.zeros((rows, words), np.uint64),
        np.zeros((rows, attributes), dtype),
    )


def begin(profiles: Hulls, crowd: Pool, tally: Tally, smallest: int) -> State:
    """Make the state of a clustering that has not begun; the crowd is everybody, and no class has fewer than ``smallest``."""
    n, d, words = crowd.records.size, profiles.low.shape[1], profiles.bits.shape[1]
    kind: Any = profiles.parts.dtype.type
    # Rows are packed when a quarter of them are dead, so that there is always room for one more.
    rows = 2 * (n // max(1, smallest)) + _SPARE_ROWS
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[LEFT] = n
    return State(
        crowd,
        hulls(1, d, words, kind),
        tally,
        hulls(rows, d, words, kind),
        np.zeros(rows, np.int64),
        np.zeros(rows, kind),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.int64),
        np.full(n, -1, np.int64),
        np.zeros(3 * n + 1, np.int8),
        numbers,
    )


@njit(cache=True)
def go_on(
    geometry,
    profiles,
    sets,
    order,
    limits,
    functions,
    shape,
    integers,
    reals,
    state,
    most,
    exact,
    replay,
    work,
):
    """Make more classes, until no more can be made (True) or after ``work`` looks at profiles and classes; changes ``state``.

    ``order`` (n,): all individuals, in the order in which those that are left begin classes.
    ``limits`` (9,): see `danonyir.kernels.counts`; ``functions`` … ``reals``: the other tests (`class_tests.lay_out`).
    ``most``: more than any distance, of the losses' type. ``exact``: whether losses are whole numbers.
    ``replay``: take the decisions of an earlier run from ``state.decided`` instead of deciding.
    """
    geometry, profiles, sets, order, limits = borrowed((geometry, profiles, sets, order, limits))
    shape, integers, reals, state = borrowed((shape, integers, reals, state))
    numbers, crowd, own, tally = state.numbers, state.crowd, state.own, state.tally
    done = 0
    while numbers[PHASE] < STUCK:
        if done >= work:
            return False
        if numbers[PHASE] == BEGIN:
            if numbers[LEFT] == 0:
                numbers[PHASE] = OVER
                break
            while not crowd.there[order[numbers[CURSOR]]]:
                numbers[CURSOR] += 1
            person = order[numbers[CURSOR]]
            clear(tally)
            copy_hull(own, np.int64(0), profiles, crowd.profile[person])
            _take(state, sets, person)
            state.least[: numbers[ROWS]] = 0
            done += numbers[ROWS]
            numbers[PHASE] = JUDGE
        if numbers[PHASE] == JUDGE:
            at = numbers[DECIDED]
            if not replay:
                state.decided[at] = holds(tally, sets, limits, functions, shape, integers, reals)
            numbers[DECIDED] += 1
            if state.decided[at] > 0:
                _close(state)
                numbers[PHASE] = BEGIN
            else:
                numbers[PHASE] = GROW if numbers[LEFT] > 0 else STUCK
            continue
        records = tally.numbers[RECORDS]
        person, distance, looks = nearest_individual(geometry, profiles, crowd, own, records, exact, most)
        row = nearest_class(
            geometry,
            crowd.attributes,
            state.classes,
            state.sizes,
            numbers[ROWS],
            state.least,
            own,
            records,
            distance,
        )
        done += looks + numbers[ROWS]
        if row < 0:
            widen(geometry, own, np.int64(0), profiles, crowd.profile[person])
            _take(state, sets, person)
        else:
            _merge(geometry, state, sets, row)
        numbers[PHASE] = JUDGE
    return True


@njit(cache=True)
def _take(state, sets, person):
    """Move an individual from the crowd to the class that grows; its hull is wide enough already."""
    remove(state.crowd, person)
    state.numbers[LEFT] -= 1
    count_individual(state.tally, sets, state.crowd.records, person)


@njit(cache=True)
def _merge(geometry, state, sets, row):
    """Take a class that holds into the one that grows."""
    widen(geometry, state.own, np.int64(0), state.classes, row)
    person = state.head[row]
    while person >= 0:
        count_individual(state.tally, sets, state.crowd.records, person)
        person = state.following[person]
    state.sizes[row] = 0
    state.numbers[MERGED] += 1
    state.numbers[DEAD] += 1
    if 4 * state.numbers[DEAD] > state.numbers[ROWS]:
        pack(state)


@njit(cache=True)
def pack(state):
    """Drop the rows of classes that are no more; the others keep their order."""
    kept = 0
    for row in range(state.numbers[ROWS]):
        if state.sizes[row] > 0:
            if kept < row:
                copy_hull(state.classes, kept, state.classes, row)
                state.sizes[kept] = state.sizes[row]
                state.least[kept] = state.least[row]
                state.head[kept] = state.head[row]
                state.tail[kept] = state.tail[row]
            kept += 1
    state.numbers[ROWS] = kept
    state.numbers[DEAD] = 0


@njit(cache=True)
def _close(state):
    """Make the class that grows the last of the classes."""
    row, tally = state.numbers[ROWS], state.tally
    copy_hull(state.classes, row, state.own, np.int64(0))
    count = tally.numbers[COUNT]
    state.sizes[row] = tally.numbers[RECORDS]
    state.head[row] = tally.people[0]
    state.tail[row] = tally.people[count - 1]
    for i in range(1, count):
        state.following[tally.people[i - 1]] = tally.people[i]
    state.following[tally.people[count - 1]] = -1
    state.numbers[ROWS] += 1


@njit(cache=True)
def restore(geometry, profiles, sets, state, classes):
    """Make a clustering that has not begun one that has ended with these classes; everybody in none (-1) is left over."""
    numbers = state.numbers
    numbers[ROWS] = classes.max() + 1
    for person in range(classes.shape[0]):
        row = classes[person]
        if row < 0:
            _take(state, sets, person)
            numbers[PHASE] = STUCK
            continue
        remove(state.crowd, person)
        numbers[LEFT] -= 1
        if state.sizes[row] == 0:
            copy_hull(state.classes, row, profiles, state.crowd.profile[person])
            state.sizes[row] = state.crowd.records[person]
            state.head[row] = state.tail[row] = person
            state.following[person] = -1
        else:
            join(geometry, profiles, state, row, person)
    if numbers[PHASE] != STUCK:
        numbers[PHASE] = OVER


@njit(cache=True)
def would_hold(sets, limits, functions, shape, integers, reals, state, row, person):
    """Whether a class holds with one more individual; the class that grows is forgotten."""
    tally = state.tally
    clear(tally)
    member = state.head[row]
    while member >= 0:
        count_individual(tally, sets, state.crowd.records, member)
        member = state.following[member]
    count_individual(tally, sets, state.crowd.records, person)
    return holds(tally, sets, limits, functions, shape, integers, reals)


@njit(cache=True)
def join(geometry, profiles, state, row, person):
    """Let an individual join a class."""
    widen(geometry, state.classes, row, profiles, state.crowd.profile[person])
    state.sizes[row] += state.crowd.records[person]
    state.following[state.tail[row]] = person
    state.following[person] = -1
    state.tail[row] = person


@njit(cache=True)
def take_classes(geometry, profiles, sets, limits, functions, shape, integers, reals, state, people, most):
    """Make one class of ``people`` who are in none and the classes nearest to them, as many as it takes; whether it holds.

    When it does not, all classes were used up.
    """
    geometry, profiles, sets, limits, shape = borrowed((geometry, profiles, sets, limits, shape))
    integers, reals, state = borrowed((integers, reals, state))
    own, tally, crowd, rows = state.own, state.tally, state.crowd, state.numbers[ROWS]
    clear(tally)
    copy_hull(own, np.int64(0), profiles, crowd.profile[people[0]])
    for person in people:
        widen(geometry, own, np.int64(0), profiles, crowd.profile[person])
        count_individual(tally, sets, crowd.records, person)
    state.least[:rows] = 0
    while not holds(tally, sets, limits, functions, shape, integers, reals):
        row = nearest_class(
            geometry,
            crowd.attributes,
            state.classes,
            state.sizes,
            state.numbers[ROWS],
            state.least,
            own,
            tally.numbers[RECORDS],
            most,
        )
        if row < 0:
            return False
        _merge(geometry, state, sets, row)
    _close(state)
    return True


@njit(cache=True)
def labels(state):
    """(n,) Number of each individual's class, in the order the classes were made; -1 for those in none."""
    found = np.full(state.following.shape[0], -1, np.int64)
    number = 0
    for row in range(state.numbers[ROWS]):
        if state.sizes[row] > 0:
            person = state.head[row]
            while person >= 0:
                found[person] = number
                person = state.following[person]
            number += 1
    return found


@njit(cache=True)
def nearest_with(
    geometry,
    profiles,
    sets,
    limits,
    functions,
    shape,
    integers,
    reals,
    state,
    counts,
    filled,
    person,
    grows,
    most,
):
    """Find the nearest class that holds with an individual, of equally near ones the one made first, and its distance.

    -1 where no class holds with it. ``counts``: of the large classes; ``filled`` (rows,): individuals of each class.
    ``grows``: whether classes that hold stay so when anybody is added. The others are those of `go_on`.
    """
    crowd = state.crowd
    records, profile = crowd.records[person], crowd.profile[person]
    recount = limits[REASONING] > 0 or shape.shape[0] > 0
    nearest, lowest = -1, most
    for row in range(state.numbers[ROWS]):
        size = state.sizes[row]
        if size == 0:
            continue
        away = apart(geometry, crowd.attributes, profiles, profile, records, state.classes, row, size)
        if away >= lowest:
            continue
        if not grows and counts.row[row] >= 0:
            if not counts_hold(
                sets, limits, counts, crowd.records, row, filled[row], size, person, False, state.head[row],
                state.following,
            ):  # fmt: skip
                continue
            if not recount:
                nearest, lowest = row, away
                continue
        if grows or would_hold(sets, limits, functions, shape, integers, reals, state, row, person):
            nearest, lowest = row, away
    return nearest, lowest
