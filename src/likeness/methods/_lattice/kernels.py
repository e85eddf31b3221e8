"""Search the lattice of full-domain generalizations attribute by attribute, with bounds (see `methods.incognito`).

A node of the lattice gives every attribute a level. The search fixes one attribute after the other; what is not fixed yet
counts as fully generalized. Groups only get smaller as attributes are fixed, so records whose group is too small already
at a prefix are withheld in everything below it, and all others lose at least what the prefix loses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.class_tests import evaluate

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH, OPENED, VISITS, FOUND = 0, 1, 2, 3
"""Positions in `State.numbers`."""
_TIE = 1e-12


class Lattice(NamedTuple):
    """The levels of d attributes over the distinct cells of a table, attribute after attribute.

    ``first``: (d + 1,) where the levels of each attribute begin.
    ``group``, ``groups``: (levels, cells) group of each cell, and (levels,) number of groups.
    ``level``: (levels,) what the level is called in its hierarchy, for ties.
    ``lost``: (levels, cells) weighted loss of a record of each cell. ``sizes``: (cells,) records.
    ``views``: (v, cells) positions in the joint histogram that the cells' records count in.
    ``rank``: (d,) position of each attribute in the table, for ties.
    """

    first: NDArray[np.int64]
    group: NDArray[np.int32]
    groups: NDArray[np.int64]
    level: NDArray[np.int64]
    lost: NDArray[np.float64]
    sizes: NDArray[np.int64]
    views: NDArray[np.int32]
    rank: NDArray[np.int64]


class State(NamedTuple):
    """How far a search is; the kernel goes on from here.

    ``alive``, ``number``, ``lost``: one row per number of fixed attributes: cells not withheld yet, their groups, their
    loss so far; ``groups`` says how many groups there are.
    ``order``, ``bound``: the open levels of each attribute on the path, best bound first.
    """

    alive: NDArray[np.int32]
    number: NDArray[np.int32]
    lost: NDArray[np.float64]
    groups: NDArray[np.int64]
    living: NDArray[np.int64]
    withheld: NDArray[np.int64]
    order: NDArray[np.int64]
    bound: NDArray[np.float64]
    at: NDArray[np.int64]
    open: NDArray[np.int64]
    vector: NDArray[np.int64]
    best: NDArray[np.int64]
    best_loss: NDArray[np.float64]
    numbers: NDArray[np.int64]
    keys: NDArray[np.int64]
    slots: NDArray[np.int32]
    size: NDArray[np.int64]
    good: NDArray[np.bool_]
    grouped: NDArray[np.int32]
    sorted: NDArray[np.int32]
    starts: NDArray[np.int64]
    histogram: NDArray[np.int64]

    @property
    def depth(self) -> int:
        """Number of attributes that are fixed on the path; -1 when the search is over."""
        return int(self.numbers[DEPTH])

    @property
    def opened(self) -> bool:
        """Whether the levels of the next attribute were bounded."""
        return bool(self.numbers[OPENED])

    @property
    def visits(self) -> int:
        """Prefixes visited so far."""
        return int(self.numbers[VISITS])

    @property
    def found(self) -> bool:
        """Whether any vector was found."""
        return bool(self.numbers[FOUND])


def begin(lattice: Lattice, width: int) -> State:
    """Make the state of a search that has not begun."""
    d, cells = lattice.first.size - 1, lattice.sizes.size
    most = int(np.diff(lattice.first).max(initial=1))
    capacity = 16
    while capacity < 2 * cells:
        capacity *= 2
    state = State(
        np.empty((d + 1, cells), np.int32),
        np.zeros((d + 1, cells), np.int32),
        np.zeros((d + 1, cells)),
        np.ones(d + 1, np.int64),
        np.zeros(d + 1, np.int64),
        np.zeros(d + 1, np.int64),
        np.zeros((d, most), np.int64),
        np.zeros((d, most)),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.full(1, np.inf),
        np.zeros(4, np.int64),
        np.empty(cells, np.int64),
        np.empty(capacity, np.int32),
        np.empty(cells, np.int64),
        np.empty(cells, np.bool_),
        np.empty(cells, np.int32),
        np.empty(cells, np.int32),
        np.empty(cells + 1, np.int64),
        np.zeros(width, np.int64),
    )
    state.alive[0] = np.arange(cells, dtype=np.int32)
    state.living[0] = cells
    return state


@njit(cache=True)
def _group(lattice, state, depth, row):
    """Group the cells that are alive by the prefix and one level more; number of groups."""
    n = state.living[depth]
    found = 0
    column, radix = lattice.group[row], lattice.groups[row]
    if state.groups[depth] * radix <= state.slots.size:
        # Few enough to look them up.
        state.slots[: state.groups[depth] * radix] = -1
        for i in range(n):
            cell = state.alive[depth, i]
            key = np.int64(state.number[depth, i]) * radix + column[cell]
            own = state.slots[key]
            if own < 0:
                own = found
                state.slots[key] = own
                state.size[own] = 0
                found += 1
            state.grouped[i] = own
            state.size[own] += lattice.sizes[cell]
        return found
    capacity = 16
    while capacity < 2 * n:
        capacity *= 2
    mask = capacity - 1
    state.slots[:capacity] = -1
    for i in range(n):
        cell = state.alive[depth, i]
        key = np.int64(state.number[depth, i]) * radix + column[cell]
        slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
        while state.slots[slot] >= 0 and state.keys[state.slots[slot]] != key:
            slot = (slot + 1) & mask
        own = state.slots[slot]
        if own < 0:
            own = found
            state.slots[slot] = own
            state.keys[own] = key
            state.size[own] = 0
            found += 1
        state.grouped[i] = own
        state.size[own] += lattice.sizes[cell]
    return found


@njit(cache=True)
def _judge(lattice, state, depth, found, tests, smallest, full):
    """Decide which groups hold: their size, and every test where asked for."""
    for own in range(found):
        state.good[own] = state.size[own] >= smallest
    if not full or tests[1].shape[0] == 0:
        return
    n = state.living[depth]
    state.starts[: found + 1] = 0
    for i in range(n):
        state.starts[state.grouped[i] + 1] += 1
    for own in range(found):
        state.starts[own + 1] += state.starts[own]
    for i in range(n):
        own = state.grouped[i]
        state.sorted[state.starts[own]] = state.alive[depth, i]
        state.starts[own] += 1
    begins = 0
    for own in range(found):
        ends = state.starts[own]
        if state.good[own]:
            state.histogram[:] = 0
            for at in range(begins, ends):
                cell = state.sorted[at]
                for view in range(lattice.views.shape[0]):
                    state.histogram[lattice.views[view, cell]] += lattice.sizes[cell]
            state.good[own] = evaluate(
                tests[0], tests[1], tests[2], tests[3], state.size[own], state.histogram
            )
        begins = ends


@njit(cache=True)
def _bound(lattice, state, depth, row):
    """Records withheld so far, and what the others lose at least."""
    withheld, lost = state.withheld[depth], 0.0
    for i in range(state.living[depth]):
        cell = state.alive[depth, i]
        if state.good[state.grouped[i]]:
            lost += lattice.sizes[cell] * (state.lost[depth, i] + lattice.lost[row, cell])
        else:
            withheld += lattice.sizes[cell]
    return withheld, lost


@njit(cache=True)
def _descend(lattice, state, depth, row, groups):
    """Fix a level: keep the cells of the groups that hold."""
    kept = 0
    withheld = state.withheld[depth]
    for i in range(state.living[depth]):
        cell = state.alive[depth, i]
        if state.good[state.grouped[i]]:
            state.alive[depth + 1, kept] = cell
            state.number[depth + 1, kept] = state.grouped[i]
            state.lost[depth + 1, kept] = state.lost[depth, i] + lattice.lost[row, cell]
            kept += 1
        else:
            withheld += lattice.sizes[cell]
    state.groups[depth + 1] = groups
    state.living[depth + 1] = kept
    state.withheld[depth + 1] = withheld


@njit(cache=True)
def _better(lattice, state, bound):
    """Whether the current vector replaces the best: less loss, then fewer levels climbed, then lexicographic."""
    best = state.best_loss[0]
    if not state.numbers[FOUND] or bound < best * (1 - _TIE):
        return True
    if bound > best * (1 + _TIE):
        return False
    own, other = 0, 0
    for j in range(lattice.rank.size):
        own += lattice.level[lattice.first[j] + state.vector[j]]
        other += lattice.level[lattice.first[j] + state.best[j]]
    if own != other:
        return own < other
    for rank in range(lattice.rank.size):
        for j in range(lattice.rank.size):
            if lattice.rank[j] == rank and state.vector[j] != state.best[j]:
                return state.vector[j] < state.best[j]
    return False


@njit(cache=True)
def _open(lattice, state, depth, tests, smallest, allowance, early):
    """Bound every level of the next attribute, and sort those that may still be best."""
    last = depth == lattice.first.size - 2
    found = 0
    for level in range(lattice.first[depth + 1] - lattice.first[depth] - 1, -1, -1):
        row = lattice.first[depth] + level
        if state.numbers[FOUND]:
            # Whoever is withheld loses no less than its levels say.
            least = np.float64(state.withheld[depth])
            for i in range(state.living[depth]):
                cell = state.alive[depth, i]
                least += lattice.sizes[cell] * (state.lost[depth, i] + lattice.lost[row, cell])
            if least > state.best_loss[0] * (1 + 2 * _TIE):
                continue
        groups = _group(lattice, state, depth, row)
        _judge(lattice, state, depth, groups, tests, smallest, early or last)
        withheld, lost = _bound(lattice, state, depth, row)
        bound = lost + withheld
        state.numbers[VISITS] += 1
        if withheld > allowance:
            if early or not last:
                # No fewer are withheld on the levels below.
                break
            continue
        if bound > state.best_loss[0] * (1 + _TIE):
            continue
        if last:
            state.vector[depth] = level
            if _better(lattice, state, bound):
                state.best_loss[0] = bound
                for a in range(state.best.shape[0]):
                    state.best[a] = state.vector[a]
                state.numbers[FOUND] = 1
            continue
        at = found
        while at > 0 and state.bound[depth, at - 1] >= bound:
            state.bound[depth, at] = state.bound[depth, at - 1]
            state.order[depth, at] = state.order[depth, at - 1]
            at -= 1
        state.bound[depth, at] = bound
        state.order[depth, at] = level
        found += 1
    state.open[depth] = found
    state.at[depth] = 0


@njit(cache=True)
def go_on(lattice, state, functions, shape, integers, reals, smallest, allowance, early, visits):
    """Search on until ``visits`` more prefixes were visited; whether the search is over. ``state`` is changed.

    ``functions`` … ``smallest`` are the tests of `class_tests.lay_out`; at most ``allowance`` records may be withheld.
    ``early``: groups that fail the tests at a prefix fail in everything below it; if not, only sizes are judged there.
    """
    tests = (functions, shape, integers, reals)
    until = state.numbers[VISITS] + visits
    depth = state.numbers[DEPTH]
    while depth >= 0 and state.numbers[VISITS] < until:
        if not state.numbers[OPENED]:
            _open(lattice, state, depth, tests, smallest, allowance, early)
            state.numbers[OPENED] = 1
        at = state.at[depth]
        if at >= state.open[depth] or state.bound[depth, at] > state.best_loss[0] * (1 + _TIE):
            # Bounds are sorted: nothing that is still open here can be better.
            state.open[depth] = 0
            depth -= 1
            continue
        state.at[depth] += 1
        level = state.order[depth, at]
        state.vector[depth] = level
        row = lattice.first[depth] + level
        groups = _group(lattice, state, depth, row)
        _judge(lattice, state, depth, groups, tests, smallest, early)
        _descend(lattice, state, depth, row, groups)
        depth += 1
        state.numbers[OPENED] = 0
    state.numbers[DEPTH] = depth
    return depth < 0


@njit(cache=True)
def holding_vectors(lattice, state, functions, shape, integers, reals, smallest, allowance, early):
    """(vectors, d) For every choice of levels of all attributes but the last, the lowest last one that withholds few enough.

    Every minimal vector is one of them. The state must be fresh (`begin`); parameters are those of `go_on`.
    """
    tests = (functions, shape, integers, reals)
    last = lattice.first.size - 2
    found = [state.vector.copy()]
    found.pop()
    depth = 0
    state.at[0] = 0
    while depth >= 0:
        level = state.at[depth]
        if level >= lattice.first[depth + 1] - lattice.first[depth]:
            depth -= 1
            continue
        state.at[depth] += 1
        row = lattice.first[depth] + level
        groups = _group(lattice, state, depth, row)
        _judge(lattice, state, depth, groups, tests, smallest, early or depth == last)
        withheld, _ = _bound(lattice, state, depth, row)
        if withheld > allowance:
            continue
        state.vector[depth] = level
        if depth == last:
            found.append(state.vector.copy())
            depth -= 1
            continue
        _descend(lattice, state, depth, row, groups)
        depth += 1
        state.at[depth] = 0
    vectors = np.zeros((len(found), last + 1), np.int64)
    for i in range(len(found)):
        vectors[i] = found[i]
    return vectors


@njit(cache=True)
def groups_at(lattice, state, functions, shape, integers, reals, smallest, vector):
    """Group of every cell at a vector of levels, -1 where the group does not hold.

    The state must be fresh (`begin`): its first rows are used.
    """
    tests = (functions, shape, integers, reals)
    d = lattice.first.size - 1
    cells = lattice.sizes.size
    for depth in range(d):
        groups = _group(lattice, state, depth, lattice.first[depth] + vector[depth])
        state.good[:groups] = True
        if depth == d - 1:
            _judge(lattice, state, depth, groups, tests, smallest, True)
            break
        _descend(lattice, state, depth, lattice.first[depth] + vector[depth], groups)
    found = np.empty(cells, np.int64)
    for i in range(cells):
        own = state.grouped[i]
        found[i] = own if state.good[own] else -1
    return found
