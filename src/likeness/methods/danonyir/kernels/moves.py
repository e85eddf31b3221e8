"""Move individuals between finished classes of DAnonyIR while information loss falls (see `likeness.methods.danonyir`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likeness.kernels import borrowed, njit
from likeness.kernels.hulls import INTERVAL, TREE, bits_set
from likeness.methods.danonyir.kernels.counts import (
    REASONING,
    clear,
    count_individual,
    counts_hold,
    enter,
    holds,
    leave,
)
from likeness.methods.danonyir.kernels.hulls import Hulls, copy_hull, widen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CURSOR, MOVED, DISSOLVED, CHANGED, ROUND = 0, 1, 2, 3, 4
"""Positions in `Moving.numbers`: the next individual, or class behind the last individual; individuals moved and classes
dissolved so far; changes in this round; rounds begun."""

MOST_KEPT = 200
"""After so many individuals that a class cannot do without, it is left alone until the next round, if it must be counted anew
for each of them."""


class Moving(NamedTuple):
    """How far the moves are.

    ``label``: (n,) class of each individual, -1 for those in none.
    ``before``, ``behind``: (n,) neighbours of each individual in its class; -1 at the ends.
    ``head``: (classes,) one individual of each class; -1 for those that are no more.
    ``filled``, ``sizes``: (classes,) individuals and records of each.
    ``hulls``: of each class, and two spare rows behind.
    ``saved``, ``saved_row``: as many rows as a class has individuals at most, and their classes.
    ``version``: (classes,) how often each has changed.
    ``tried``: (n,) the version of each individual's class at which it was found to stay: the class does not hold without
    it, or no other class was better then. -1: not looked at since it joined.
    ``guess``: (n,) the class each individual would have joined when last asked, or -1.
    ``kept``: (classes,) how many individuals each could not do without in this round.
    ``edge``: (n,) individuals who together lose as much as their class: it is as wide without anybody else.
    ``edged``: (classes,) whether the edge of each is known. ``numbers``: (5,) see `CURSOR` and the others.
    """

    label: NDArray[np.int64]
    before: NDArray[np.int64]
    behind: NDArray[np.int64]
    head: NDArray[np.int64]
    filled: NDArray[np.int64]
    sizes: NDArray[np.int64]
    hulls: Hulls
    saved: Hulls
    saved_row: NDArray[np.int64]
    version: NDArray[np.int64]
    tried: NDArray[np.int64]
    guess: NDArray[np.int64]
    kept: NDArray[np.int64]
    edge: NDArray[np.bool_]
    edged: NDArray[np.bool_]
    numbers: NDArray[np.int64]


@njit(inline="always")
def _lost(hulls, row):
    """Loss of a hull."""
    total = hulls.parts[row, 0] - hulls.parts[row, 0]
    for j in range(hulls.parts.shape[1]):
        total += hulls.parts[row, j]
    return total


@njit(cache=True)
def fill(geometry, profiles, profile, records, moving):
    """Count and link the individuals of every class, and find their hulls."""
    for person in range(moving.label.shape[0]):
        row = moving.label[person]
        if row >= 0:
            if moving.head[row] < 0:
                copy_hull(moving.hulls, row, profiles, profile[person])
            else:
                widen(geometry, moving.hulls, row, profiles, profile[person])
            _link(moving, row, person)
            moving.sizes[row] += records[person]


@njit(cache=True)
def _link(moving, row, person):
    """Put an individual at the head of a class."""
    first = moving.head[row]
    moving.before[person] = -1
    moving.behind[person] = first
    if first >= 0:
        moving.before[first] = person
    moving.head[row] = person
    moving.label[person] = row
    moving.filled[row] += 1
    moving.version[row] += 1
    moving.tried[person] = -1
    moving.edge[person] = True


@njit(cache=True)
def _unlink(moving, person):
    """Take an individual out of its class."""
    row, before, behind = moving.label[person], moving.before[person], moving.behind[person]
    if before >= 0:
        moving.behind[before] = behind
    else:
        moving.head[row] = behind
    if behind >= 0:
        moving.before[behind] = before
    moving.filled[row] -= 1
    moving.version[row] += 1
    if moving.edge[person]:
        moving.edged[row] = False


@njit(cache=True)
def _move(sets, records, counts, moving, person, target):
    """Take an individual from its class into another, whose hull is wide enough already."""
    row = moving.label[person]
    leave(sets, records, counts, row, person, moving.head[row], moving.behind)
    _unlink(moving, person)
    _link(moving, target, person)
    enter(sets, records, counts, target, person)


@njit(cache=True)
def _find_edge(geometry, profiles, profile, moving, row, spare):
    """Find individuals who together lose as much as their class; few are enough."""
    member, whole = moving.head[row], _lost(moving.hulls, row)
    copy_hull(moving.hulls, spare, profiles, profile[member])
    lost = _lost(moving.hulls, spare)
    moving.edge[member] = True
    member = moving.behind[member]
    while member >= 0:
        moving.edge[member] = False
        if lost < whole:
            widen(geometry, moving.hulls, spare, profiles, profile[member])
            wider = _lost(moving.hulls, spare)
            moving.edge[member] = wider > lost
            lost = wider
        member = moving.behind[member]
    moving.edged[row] = True


@njit(cache=True)
def _hull_without(geometry, profiles, profile, moving, person, spare):
    """Make a spare row the hull of an individual's class without that individual, of whom it must not be the only one.

    Once the others lose as much as the whole class, they are as wide: most individuals make their class no wider.
    """
    row = moving.label[person]
    if not moving.edged[row]:
        _find_edge(geometry, profiles, profile, moving, row, spare)
    if not moving.edge[person]:
        copy_hull(moving.hulls, spare, moving.hulls, row)
        return
    member, whole = moving.head[row], _lost(moving.hulls, row)
    empty = True
    while member >= 0:
        if member != person:
            if empty:
                copy_hull(moving.hulls, spare, profiles, profile[member])
                empty = False
            else:
                widen(geometry, moving.hulls, spare, profiles, profile[member])
            if _lost(moving.hulls, spare) == whole:
                copy_hull(moving.hulls, spare, moving.hulls, row)
                return
        member = moving.behind[member]


@njit(cache=True)
def _cheapest(geometry, profiles, profile, records, moving, person, rows, limit):
    """Find the class that an individual joins at least cost, below a limit, and the cost; class -1 when there is none.

    The cost of joining is what the loss of all records of the class and the individual grows by, attribute by attribute:
    once the sum is no better than the best, the rest need not be looked at.
    """
    own, number, mine = moving.label[person], records[person], profile[person]
    kind, position, most, set_loss, words = (
        geometry.kind, geometry.position, geometry.most, geometry.set_loss, geometry.word
    )  # fmt: skip
    parent, right, node_loss, leaf_node = (
        geometry.parent, geometry.right, geometry.node_loss, geometry.leaf_node
    )  # fmt: skip
    low, high, bits, parts = moving.hulls.low, moving.hulls.high, moving.hulls.bits, moving.hulls.parts
    my_low, my_high, my_bits = profiles.low[mine], profiles.high[mine], profiles.bits[mine]
    count, sizes = moving.filled, moving.sizes
    best, lowest = -1, limit
    # The class found last time comes first: it lowers what the others have to beat.
    for at in range(-1, rows):
        row = at if at >= 0 else moving.guess[person]
        if row < 0 or row == own or count[row] == 0:
            continue
        size = sizes[row]
        cost = limit - limit
        for j in range(kind.shape[0]):
            first, last = min(low[row, j], my_low[j]), max(high[row, j], my_high[j])
            if kind[j] == INTERVAL:
                joined = min(position[j, last] - position[j, first], most[j])
            elif kind[j] == TREE:
                node = leaf_node[j, first]
                while right[j, node] < last:
                    node = parent[j, node]
                joined = node_loss[j, node]
            else:
                present = 0
                for word in range(words[j], words[j + 1]):
                    present += bits_set(bits[row, word] | my_bits[word])
                joined = set_loss[j, present]
            cost += number * joined + size * (joined - parts[row, j])
            if cost >= lowest:
                break
        if cost < lowest:
            best, lowest = row, cost
    moving.guess[person] = best
    return best, lowest


@njit(cache=True)
def _holds_with(sets, limits, functions, shape, integers, reals, tally, counts, moving, records, row, person):
    """Whether a class holds with one more individual, or without one of its own."""
    leaving = moving.label[person] == row
    if counts.row[row] >= 0:
        head, filled, size = moving.head[row], moving.filled[row], moving.sizes[row]
        if not counts_hold(
            sets, limits, counts, records, row, filled, size, person, leaving, head, moving.behind
        ):
            return False
        if limits[REASONING] == 0 and shape.shape[0] == 0:
            return True
    clear(tally)
    member = moving.head[row]
    while member >= 0:
        if not leaving or member != person:
            count_individual(tally, sets, records, member)
        member = moving.behind[member]
    if not leaving:
        count_individual(tally, sets, records, person)
    return holds(tally, sets, limits, functions, shape, integers, reals)


@njit(cache=True)
def move_on(
    geometry,
    profiles,
    profile,
    records,
    sets,
    limits,
    functions,
    shape,
    integers,
    reals,
    tally,
    counts,
    moving,
    grows,
    work,
):
    """Move individuals, then dissolve classes, wherever the loss falls; whether a round is over.

    An individual moves to the class it joins at least cost, if its own class loses less without it by more than that, and
    still holds. A class is dissolved if its individuals, each joining the class that costs least, cost less than it loses:
    only where classes that hold stay so when anybody is added (``grows``).
    ``profiles``, ``profile`` (n,): the distinct hulls, and which each individual has. ``tally``: room for counting a class.
    ``counts`` and ``moving`` are changed. Stops after ``work`` looks at classes; the tests are those of `search.go_on`.
    """
    geometry, profiles, profile, records, sets = borrowed((geometry, profiles, profile, records, sets))
    limits, shape, integers, reals = borrowed((limits, shape, integers, reals))
    tally, counts, moving = borrowed((tally, counts, moving))
    n, rows, numbers = moving.label.shape[0], moving.head.shape[0], moving.numbers
    recount = limits[REASONING] > 0 or shape.shape[0] > 0
    done = 0
    if numbers[CURSOR] == 0:
        numbers[CHANGED] = 0
        numbers[ROUND] += 1
        moving.kept[:] = 0
    while numbers[CURSOR] < n:
        person = numbers[CURSOR]
        if done >= work:
            return False
        numbers[CURSOR] += 1
        row = moving.label[person]
        if row < 0 or moving.filled[row] < 2 or moving.tried[person] == moving.version[row]:
            continue
        # To count a class of thousands again for each of them would take longer than all else.
        if moving.kept[row] >= MOST_KEPT and (recount or counts.row[row] < 0):
            continue
        _hull_without(geometry, profiles, profile, moving, person, rows)
        number, left = records[person], moving.sizes[row] - records[person]
        # Where its class is no narrower without it, only its own records lose less elsewhere.
        before, after = _lost(moving.hulls, row), _lost(moving.hulls, rows)
        gain = number * before + left * (before - after)
        done += moving.filled[row]
        done += rows
        target, _ = _cheapest(geometry, profiles, profile, records, moving, person, rows, gain)
        if target < 0:
            moving.tried[person] = moving.version[row]
            continue
        if not _holds_with(
            sets, limits, functions, shape, integers, reals, tally, counts, moving, records, row, person
        ):
            moving.tried[person] = moving.version[row]
            moving.kept[row] += 1
            continue
        if not grows and not _holds_with(
            sets, limits, functions, shape, integers, reals, tally, counts, moving, records, target, person
        ):
            continue
        copy_hull(moving.hulls, row, moving.hulls, rows)
        moving.sizes[row] = left
        wide = _lost(moving.hulls, target)
        widen(geometry, moving.hulls, target, profiles, profile[person])
        moving.sizes[target] += number
        _move(sets, records, counts, moving, person, target)
        moving.edge[person] = _lost(moving.hulls, target) > wide
        numbers[MOVED] += 1
        numbers[CHANGED] += 1
    while grows and numbers[CURSOR] < n + rows:
        if done >= work:
            return False
        row = numbers[CURSOR] - n
        numbers[CURSOR] += 1
        if moving.filled[row] > 0 and _dissolve(
            geometry, profiles, profile, records, sets, counts, moving, row, rows
        ):
            numbers[DISSOLVED] += 1
            numbers[CHANGED] += 1
        done += moving.filled[row] * rows + 1
    numbers[CURSOR] = 0
    return True


@njit(cache=True)
def _dissolve(geometry, profiles, profile, records, sets, counts, moving, row, rows):
    """Let everybody in a class join another, if that costs less than the class loses; whether it did."""
    budget = moving.sizes[row] * _lost(moving.hulls, row)
    spent = budget - budget
    saved = 0
    member = moving.head[row]
    good = True
    while member >= 0:
        target, cost = _cheapest(geometry, profiles, profile, records, moving, member, rows, budget - spent)
        if target < 0:
            good = False
            break
        spent += cost
        copy_hull(moving.saved, saved, moving.hulls, target)
        moving.saved_row[saved] = target
        saved += 1
        widen(geometry, moving.hulls, target, profiles, profile[member])
        moving.sizes[target] += records[member]
        member = moving.behind[member]
    if good:
        member = moving.head[row]
        for i in range(saved):
            behind = moving.behind[member]
            _move(sets, records, counts, moving, member, moving.saved_row[i])
            member = behind
        moving.sizes[row] = 0
        return True
    member = moving.head[row]
    for i in range(saved):
        moving.sizes[moving.saved_row[i]] -= records[member]
        member = moving.behind[member]
    for i in range(saved - 1, -1, -1):
        copy_hull(moving.hulls, moving.saved_row[i], moving.saved, i)
    return False
