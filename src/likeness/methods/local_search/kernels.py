"""Local moves within a pool of neighbouring classes: every one keeps the guarantee and lowers the loss.

A pool is a handful of classes with their items; an item is one or more records of equal codes that count in the same places of
the histogram. Its hull may be wider than one value: a person whose records differ. What a pool decides depends on nothing
outside it, so pools are improved side by side, in any order, with the same result.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import borrowed, njit
from likeness.kernels.class_excess import excess
from likeness.kernels.class_tests import evaluate
from likeness.kernels.hulls import SET, TREE, common_ancestor, hull_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_excess import MeasureTuple
    from likeness.kernels.class_tests import PredicateTuple

LEAST_GAIN = 1e-9
"""What a move must gain, in losses times records: less may be rounding."""
_NONE = 2147483647
LOGS = 6
"""Moves of a trial that are noted, at most, of each item."""
_MOST_ITEMS = 6000
"""A pool of more is left as it is."""
_MOST_REBUILT = 600
"""Items of classes that are made anew, at most: it takes the square of their number."""
_HULL, _TEST = 20, 4
"""Steps of a hull that is looked at, and of a test; one is about what it takes to see that a pair cannot gain."""


class Judges(NamedTuple):
    """What classes are judged by: see `class_tests.LaidOutTests` and `class_excess`."""

    functions: PredicateTuple
    measures: MeasureTuple
    smallest: int
    shape: NDArray[np.int64]
    integers: NDArray[np.int64]
    reals: NDArray[np.float64]


class Neighbourhood(NamedTuple):
    """n items in e classes; all arrays but the first six change.

    ``low``, ``high``, ``bits``: (n, d), (n, d), (n, words) hull of each item. ``records``, ``weight``: (n,) records of each,
    and what they count for in the loss. ``places``: (n, v) where in the histogram each record counts. ``of``: (n,) its class.
    ``head``, ``after``, ``before``: (e,), (n,), (n,) the items of a class as a chain, -1 at its ends.
    ``size``, ``mass``: (e,) records, and what they count for. ``histogram``: (e, W).
    ``edge``: (e, d, 4) lowest and second lowest end, highest and second highest. ``union``, ``once``: (e, words) bits that
    some items have, and those that one alone has. ``loss``: (e,) of a record. ``without``: (n,) the same without an item.
    ``log``: (logs, 2) items that moved since a trial began, and where they were. ``numbers``: (4,) entries there, steps
    taken, moves accepted, the state of what is drawn at random. ``ends``, ``marks``, ``waiting``: (2, d), (words,), (n,) room
    to work in.
    ``crowd``: what a record loses by each that it shares a class with, beside its hull. ``shown``: (e,) digest of what each
    class shows, if that counts.
    ``changed``: (e,) when each class changed, in moves accepted; ``moved``, ``swapped``, ``renewed``: (n,), (n,), (e,) when
    such a move was last looked for in vain.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    bits: NDArray[np.uint64]
    records: NDArray[np.int64]
    weight: NDArray[np.float64]
    places: NDArray[np.int64]
    of: NDArray[np.int64]
    head: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]
    size: NDArray[np.int64]
    mass: NDArray[np.float64]
    histogram: NDArray[np.int64]
    edge: NDArray[np.int32]
    union: NDArray[np.uint64]
    once: NDArray[np.uint64]
    loss: NDArray[np.float64]
    without: NDArray[np.float64]
    log: NDArray[np.int64]
    numbers: NDArray[np.int64]
    ends: NDArray[np.int32]
    marks: NDArray[np.uint64]
    waiting: NDArray[np.int64]
    changed: NDArray[np.int64]
    moved: NDArray[np.int64]
    swapped: NDArray[np.int64]
    renewed: NDArray[np.int64]
    crowd: float
    shown: NDArray[np.uint64]


class LaidOutPools(NamedTuple):
    """Pools one behind the other.

    ``all``: arrays as of one pool, with the items and classes of all of them; ``numbers``, ``ends`` and ``marks`` have one row
    for each. ``items``, ``classes``: (pools + 1,) where those of each begin.
    """

    all: Neighbourhood
    items: NDArray[np.int64]
    classes: NDArray[np.int64]


LOGGED, WORK, CLOCK, STATE = 0, 1, 2, 3
"""Positions in `Neighbourhood.numbers`."""
_HEAT = 0.05
"""What a pool may be charged more after it was shaken, at first and on the average, of what one class is charged."""
_SWEEPS = 4
"""How often the items of classes made anew look for a better place before what came of it is judged."""
_SLACK = 1.3
"""How many times what they were charged classes may be charged that are made anew, before their items look for better places."""


@njit(cache=True, allocates=False)
def _holds(judges, pool, g):
    """Whether a class holds; an empty one does."""
    if pool.size[g] == 0:
        return True
    if pool.size[g] < judges.smallest:
        return False
    pool.numbers[WORK] += _TEST + judges.shape.shape[0] * (pool.histogram.shape[1] >> 1)
    return evaluate(
        judges.functions, judges.shape, judges.integers, judges.reals, pool.size[g], pool.histogram[g]
    )


@njit(cache=True, allocates=False)
def _excess(judges, pool, g):
    """How far a class is from holding."""
    pool.numbers[WORK] += _TEST + judges.shape.shape[0] * (pool.histogram.shape[1] >> 1)
    return excess(
        judges.measures, judges.shape, judges.integers, judges.reals, pool.size[g], pool.histogram[g]
    )


@njit(cache=True, allocates=False)
def _tally(pool, i, g, sign):
    """Count an item in a class, or take it out of the count."""
    pool.size[g] += sign * pool.records[i]
    pool.mass[g] += sign * pool.weight[i]
    for v in range(pool.places.shape[1]):
        pool.histogram[g, pool.places[i, v]] += sign * pool.records[i]


@njit(cache=True, allocates=False)
def _holds_without(judges, pool, i, g):
    """Whether a class holds without one of its items."""
    _tally(pool, i, g, -1)
    holds = _holds(judges, pool, g)
    _tally(pool, i, g, 1)
    return holds


@njit(cache=True, allocates=False)
def _comes_nearer(judges, pool, i, g, now):
    """Whether a class that is so far from holding is nearer to it with one more item."""
    _tally(pool, i, g, 1)
    nearer = _excess(judges, pool, g) < now or _holds(judges, pool, g)
    _tally(pool, i, g, -1)
    return nearer


@njit(cache=True, allocates=False)
def _unchain(pool, i):
    """Take an item out of its class's chain."""
    g, b, a = pool.of[i], pool.before[i], pool.after[i]
    if b >= 0:
        pool.after[b] = a
    else:
        pool.head[g] = a
    if a >= 0:
        pool.before[a] = b


@njit(cache=True, allocates=False)
def _place(pool, i, g):
    """Move an item to a class, -1 for none; hulls are not looked at."""
    if pool.of[i] >= 0:
        _unchain(pool, i)
        _tally(pool, i, pool.of[i], -1)
    pool.of[i] = g
    if g >= 0:
        a = pool.head[g]
        pool.after[i], pool.before[i] = a, -1
        if a >= 0:
            pool.before[a] = i
        pool.head[g] = i
        _tally(pool, i, g, 1)


@njit(cache=True, allocates=False)
def _move(pool, i, g):
    """Move an item, and note where it was."""
    entry = pool.numbers[LOGGED]
    pool.log[entry, 0], pool.log[entry, 1] = i, pool.of[i]
    pool.numbers[LOGGED] += 1
    _place(pool, i, g)


@njit(cache=True, allocates=False)
def _widen(pool, g, i):
    """Let the hull of a class cover one more item."""
    for j in range(pool.low.shape[1]):
        pool.edge[g, j, 0] = min(pool.edge[g, j, 0], pool.low[i, j])
        pool.edge[g, j, 2] = max(pool.edge[g, j, 2], pool.high[i, j])
    for word in range(pool.bits.shape[1]):
        pool.union[g, word] |= pool.bits[i, word]


@njit(cache=True, allocates=False)
def _hull_with(pool, g, i):
    """Write the hull of a class and an item to the ends and marks."""
    for j in range(pool.low.shape[1]):
        pool.ends[0, j] = min(pool.edge[g, j, 0], pool.low[i, j])
        pool.ends[1, j] = max(pool.edge[g, j, 2], pool.high[i, j])
    for word in range(pool.bits.shape[1]):
        pool.marks[word] = pool.union[g, word] | pool.bits[i, word]


@njit(cache=True, allocates=False)
def _hull_without(pool, g, i):
    """Write the hull of a class without one of its items to the ends and marks."""
    for j in range(pool.low.shape[1]):
        own = pool.low[i, j] == pool.edge[g, j, 0]
        pool.ends[0, j] = pool.edge[g, j, 1] if own else pool.edge[g, j, 0]
        own = pool.high[i, j] == pool.edge[g, j, 2]
        pool.ends[1, j] = pool.edge[g, j, 3] if own else pool.edge[g, j, 2]
    for word in range(pool.bits.shape[1]):
        pool.marks[word] = pool.union[g, word] & ~(pool.bits[i, word] & pool.once[g, word])


@njit(cache=True, allocates=False)
def _hull_of(pool, i):
    """Write the hull of an item to the ends and marks."""
    for j in range(pool.low.shape[1]):
        pool.ends[0, j], pool.ends[1, j] = pool.low[i, j], pool.high[i, j]
    for word in range(pool.bits.shape[1]):
        pool.marks[word] = pool.bits[i, word]


@njit(cache=True, allocates=False)
def _extend(pool, i):
    """Let the ends and marks cover one more item."""
    for j in range(pool.low.shape[1]):
        pool.ends[0, j] = min(pool.ends[0, j], pool.low[i, j])
        pool.ends[1, j] = max(pool.ends[1, j], pool.high[i, j])
    for word in range(pool.bits.shape[1]):
        pool.marks[word] |= pool.bits[i, word]


@njit(cache=True, allocates=False)
def _lost(geometry, pool):
    """Loss of the hull in the ends and marks."""
    pool.numbers[WORK] += _HULL
    return hull_loss(geometry, pool.ends[0], pool.ends[1], pool.marks)


@njit(cache=True, allocates=False)
def _empty_hull(pool, g):
    """Let a class cover nothing."""
    for j in range(pool.low.shape[1]):
        pool.edge[g, j, 0] = pool.edge[g, j, 1] = _NONE
        pool.edge[g, j, 2] = pool.edge[g, j, 3] = -1
    for word in range(pool.bits.shape[1]):
        pool.union[g, word] = pool.once[g, word] = np.uint64(0)
    pool.loss[g] = 0.0


@njit(cache=True, allocates=False)
def _refresh(geometry, pool, g):
    """Find a class's hull anew, and its loss."""
    _empty_hull(pool, g)
    i = pool.head[g]
    if i < 0:
        return
    while i >= 0:
        for j in range(pool.low.shape[1]):
            low, high = pool.low[i, j], pool.high[i, j]
            if low <= pool.edge[g, j, 0]:
                pool.edge[g, j, 1], pool.edge[g, j, 0] = pool.edge[g, j, 0], low
            elif low < pool.edge[g, j, 1]:
                pool.edge[g, j, 1] = low
            if high >= pool.edge[g, j, 2]:
                pool.edge[g, j, 3], pool.edge[g, j, 2] = pool.edge[g, j, 2], high
            elif high > pool.edge[g, j, 3]:
                pool.edge[g, j, 3] = high
        for word in range(pool.bits.shape[1]):
            own = pool.bits[i, word]
            pool.once[g, word] = (pool.once[g, word] & ~own) | (own & ~pool.union[g, word])
            pool.union[g, word] |= own
        i = pool.after[i]
    for j in range(pool.low.shape[1]):
        pool.ends[0, j], pool.ends[1, j] = pool.edge[g, j, 0], pool.edge[g, j, 2]
    pool.loss[g] = hull_loss(geometry, pool.ends[0], pool.ends[1], pool.union[g])
    if pool.crowd > 0.0:
        pool.shown[g] = _shown(geometry, pool.ends[0], pool.ends[1], pool.union[g])
    _note_without(geometry, pool, g)


@njit(cache=True, allocates=False)
def _note_without(geometry, pool, g):
    """Find what a class would lose without each of its items."""
    i = pool.head[g]
    if pool.after[i] < 0:
        pool.without[i] = 0.0
        return
    while i >= 0:
        _hull_without(pool, g, i)
        pool.without[i] = _lost(geometry, pool)
        i = pool.after[i]


@njit(cache=True, allocates=False)
def _shown(geometry, low, high, bits):
    """Digest of the regions of a hull."""
    digest = np.uint64(1469598103934665603)
    prime = np.uint64(1099511628211)
    for j in range(geometry.kind.shape[0]):
        kind = geometry.kind[j]
        if kind == SET:
            for word in range(geometry.word[j], geometry.word[j + 1]):
                digest = (digest ^ bits[word]) * prime
                digest ^= digest >> np.uint64(29)
            continue
        first, last = np.int64(low[j]), np.int64(high[j])
        if kind == TREE:
            first = last = np.int64(
                common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, low[j]], high[j])
            )
        elif geometry.position[j, last] - geometry.position[j, first] > geometry.most[j]:
            # The missing value among others: anything.
            first = np.int64(0)
        digest = (digest ^ np.uint64(first)) * prime
        digest = (digest ^ np.uint64(last)) * prime
        digest ^= digest >> np.uint64(29)
    return digest


@njit(cache=True, allocates=False)
def _twin(geometry, pool, g, away):
    """Whether the hull in the ends and marks is shown by another class than these two.

    Classes that show the same are one, which counts where a class is charged for its size; elsewhere it is not asked.
    """
    if pool.crowd == 0.0:
        return False
    pool.numbers[WORK] += pool.head.shape[0] >> 2
    own = _shown(geometry, pool.ends[0], pool.ends[1], pool.marks)
    for h in range(pool.head.shape[0]):
        if h != g and h != away and pool.head[h] >= 0 and pool.shown[h] == own:
            return True
    return False


@njit(cache=True, allocates=False)
def _alone(pool, g):
    """Whether no other class shows what a class does, where that counts."""
    if pool.crowd > 0.0 and pool.head[g] >= 0:
        for h in range(pool.head.shape[0]):
            if h != g and pool.head[h] >= 0 and pool.shown[h] == pool.shown[g]:
                return False
    return True


@njit(cache=True, allocates=False)
def _charge(pool, mass, lost):
    """What records of so much mass are charged together, if the hull of their class loses so much of each."""
    return mass * (lost + pool.crowd * mass)


@njit(cache=True, allocates=False)
def _charged(pool, g):
    """Loss of a class times its records."""
    return _charge(pool, pool.mass[g], pool.loss[g])


@njit(cache=True, allocates=False)
def _free(pool, g):
    """Whether the records of a class are charged nothing."""
    return _charge(pool, 1.0, pool.loss[g]) <= 0.0


@njit(cache=True, allocates=False)
def _accept(geometry, pool, g):
    """Note that a class has changed for good."""
    _refresh(geometry, pool, g)
    pool.numbers[CLOCK] += 1
    pool.changed[g] = pool.numbers[CLOCK]


@njit(cache=True, allocates=False)
def _pool(pools, p):
    """One pool of many."""
    own = pools.all
    i, j, g, h = pools.items[p], pools.items[p + 1], pools.classes[p], pools.classes[p + 1]
    return Neighbourhood(
        own.low[i:j],
        own.high[i:j],
        own.bits[i:j],
        own.records[i:j],
        own.weight[i:j],
        own.places[i:j],
        own.of[i:j],
        own.head[g:h],
        own.after[i:j],
        own.before[i:j],
        own.size[g:h],
        own.mass[g:h],
        own.histogram[g:h],
        own.edge[g:h],
        own.union[g:h],
        own.once[g:h],
        own.loss[g:h],
        own.without[i:j],
        own.log[LOGS * i : LOGS * j],
        own.numbers[p],
        own.ends[p],
        own.marks[p],
        own.waiting[i:j],
        own.changed[g:h],
        own.moved[i:j],
        own.swapped[i:j],
        own.renewed[g:h],
        own.crowd,
        own.shown[g:h],
    )


@njit(cache=True, allocates=False)
def _fill(geometry, pool):
    """Lay out the classes that items are in."""
    pool.head[:] = -1
    pool.size[:], pool.mass[:], pool.histogram[:] = 0, 0.0, 0
    for i in range(pool.of.shape[0]):
        g = pool.of[i]
        pool.of[i] = -1
        _place(pool, i, g)
    for g in range(pool.head.shape[0]):
        _refresh(geometry, pool, g)
    return _total(pool)


@njit(cache=True, allocates=False)
def _best_class(geometry, judges, pool, i, away, most, since):
    """Class but ``away``, changed ``since``, that holds with an item and is charged least more, below ``most``; or -1."""
    best = -1
    for g in range(pool.head.shape[0]):
        if g == away or pool.head[g] < 0 or pool.changed[g] < since:
            continue
        # A class is never charged less for one more.
        least = pool.weight[i] * (pool.loss[g] + pool.crowd * (2.0 * pool.mass[g] + pool.weight[i]))
        if least >= most:
            continue
        _hull_with(pool, g, i)
        grown = _charge(pool, pool.mass[g] + pool.weight[i], _lost(geometry, pool)) - _charged(pool, g)
        if grown < most and not _twin(geometry, pool, g, away):
            _tally(pool, i, g, 1)
            if _holds(judges, pool, g):
                best, most = g, grown
            _tally(pool, i, g, -1)
    return best


@njit(cache=True, allocates=False)
def _relocate(geometry, judges, pool, i):
    """Move an item to the class where it costs least; whether that lowered the loss."""
    g = pool.of[i]
    released = _charged(pool, g) - _charge(pool, pool.mass[g] - pool.weight[i], pool.without[i])
    if released <= LEAST_GAIN:
        return False
    if not _holds_without(judges, pool, i, g):
        return False
    since = 0 if pool.changed[g] > pool.moved[i] else pool.moved[i] + 1
    pool.moved[i] = pool.numbers[CLOCK]
    best = _best_class(geometry, judges, pool, i, g, released - LEAST_GAIN, since)
    if best < 0:
        return False
    _place(pool, i, best)
    if not _show_apart(geometry, pool, g, best):
        _place(pool, i, g)
        _refresh(geometry, pool, g)
        _refresh(geometry, pool, best)
        return False
    _accept(geometry, pool, g)
    _accept(geometry, pool, best)
    return True


@njit(cache=True, allocates=False)
def _show_apart(geometry, pool, g, h):
    """Whether two classes whose items have changed show what no other class does, where that counts."""
    if pool.crowd == 0.0:
        return True
    _refresh(geometry, pool, g)
    _refresh(geometry, pool, h)
    return _alone(pool, g) and _alone(pool, h)


@njit(cache=True, allocates=False)
def _swap_gain(geometry, pool, i, k):
    """What is gained if two items of different classes change places."""
    g, h = pool.of[i], pool.of[k]
    now = _charged(pool, g) + _charged(pool, h)
    more = pool.weight[k] - pool.weight[i]
    least_g = _charge(pool, pool.mass[g] + more, pool.without[i])
    least_h = _charge(pool, pool.mass[h] - more, pool.without[k])
    if now - least_g - least_h <= LEAST_GAIN:
        return 0.0
    _hull_without(pool, g, i)
    _extend(pool, k)
    then = _charge(pool, pool.mass[g] + more, _lost(geometry, pool))
    if now - then - least_h <= LEAST_GAIN:
        return 0.0
    _hull_without(pool, h, k)
    _extend(pool, i)
    return now - then - _charge(pool, pool.mass[h] - more, _lost(geometry, pool))


@njit(cache=True, allocates=False)
def _swap(geometry, judges, pool, i):
    """Let an item change places with the one of another class that gains most; whether that lowered the loss."""
    g = pool.of[i]
    if pool.mass[g] * (pool.loss[g] - pool.without[i]) <= LEAST_GAIN:
        return False
    since = 0 if pool.changed[g] > pool.swapped[i] else pool.swapped[i] + 1
    pool.swapped[i] = pool.numbers[CLOCK]
    best, most = -1, LEAST_GAIN
    pool.numbers[WORK] += pool.of.shape[0]
    for k in range(pool.of.shape[0]):
        h = pool.of[k]
        if h == g or pool.changed[h] < since:
            continue
        gain = _swap_gain(geometry, pool, i, k)
        if gain > most:
            _place(pool, i, h)
            _place(pool, k, g)
            if _holds(judges, pool, g) and _holds(judges, pool, h):
                best, most = k, gain
            _place(pool, i, g)
            _place(pool, k, h)
    if best < 0:
        return False
    h = pool.of[best]
    _place(pool, i, h)
    _place(pool, best, g)
    if not _show_apart(geometry, pool, g, h):
        _place(pool, i, g)
        _place(pool, best, h)
        _refresh(geometry, pool, g)
        _refresh(geometry, pool, h)
        return False
    _accept(geometry, pool, g)
    _accept(geometry, pool, h)
    return True


@njit(cache=True, allocates=False)
def _take_back(pool):
    """Take back all moves since the log was cleared; hulls are not looked at."""
    for entry in range(pool.numbers[LOGGED] - 1, -1, -1):
        _place(pool, pool.log[entry, 0], pool.log[entry, 1])
    pool.numbers[LOGGED] = 0


@njit(cache=True, allocates=False)
def _undo(geometry, pool, touched):
    """Take back all moves since the log was cleared, and find hulls anew."""
    _take_back(pool)
    for g in range(touched.shape[0]):
        if touched[g]:
            _refresh(geometry, pool, g)


@njit(cache=True, allocates=False)
def _total(pool):
    """What all classes are charged."""
    total = 0.0
    pool.numbers[WORK] += pool.head.shape[0]
    for g in range(pool.head.shape[0]):
        total += _charged(pool, g)
    return total


@njit(cache=True, allocates=False)
def _settle(geometry, judges, pool, touched, before):
    """Keep the moves since the log was cleared if all classes touched hold and the charge of all fell; else take them back."""
    good = True
    for g in range(touched.shape[0]):
        if touched[g] and good:
            good = _holds(judges, pool, g)
    if good:
        for g in range(touched.shape[0]):
            if touched[g]:
                _refresh(geometry, pool, g)
        for g in range(touched.shape[0]):
            if touched[g] and good:
                good = _alone(pool, g)
        good = good and _total(pool) < before - LEAST_GAIN
    if good:
        pool.numbers[LOGGED] = 0
        pool.numbers[CLOCK] += 1
        for g in range(touched.shape[0]):
            if touched[g]:
                pool.changed[g] = pool.numbers[CLOCK]
        return True
    _undo(geometry, pool, touched)
    return False


@njit(cache=True, allocates=False)
def _deal(geometry, judges, pool, waiting, away, touched, limit):
    """Give every waiting item to the class where it costs least; whether all found one within the limit."""
    spent = 0.0
    for w in range(waiting):
        i = pool.waiting[w]
        g = _best_class(geometry, judges, pool, i, away, limit - spent, 0)
        if g < 0:
            return False
        touched[g] = True
        _hull_with(pool, g, i)
        grown = _lost(geometry, pool)
        spent += _charge(pool, pool.mass[g] + pool.weight[i], grown) - _charged(pool, g)
        _move(pool, i, g)
        _widen(pool, g, i)
        pool.loss[g] = grown
    return True


@njit(cache=True)
def _send_away(geometry, judges, pool, g, waiting):
    """Deal some items of a class, all of them perhaps, to other classes; whether that lowered the loss."""
    before = _total(pool)
    touched = np.zeros(pool.head.shape[0], np.bool_)
    touched[g] = True
    saved = _charged(pool, g)
    for w in range(waiting):
        _move(pool, pool.waiting[w], -1)
    if not _holds(judges, pool, g) or not _deal(geometry, judges, pool, waiting, g, touched, saved):
        _undo(geometry, pool, touched)
        return False
    return _settle(geometry, judges, pool, touched, before)


@njit(cache=True, allocates=False)
def _slab(geometry, pool, g, j, side):
    """List the items of a class that keep one attribute's hull from shrinking on one side; how many, 0 where all do."""
    kind = geometry.kind[j]
    low, high = pool.edge[g, j, 0], pool.edge[g, j, 2]
    if kind != SET and low == high:
        return 0
    value = high if side == 1 else low
    if kind == TREE:
        node = common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, low], high)
        value = geometry.leaf_node[j, value]
        if value == node:
            # On a lattice, leaves of one cell: it is shown whole, however many of them there are.
            return 0
        while geometry.parent[j, value] != node:
            value = geometry.parent[j, value]
    elif kind == SET:
        value = _rarest(pool, g, geometry.word[j], geometry.word[j + 1], side)
        if value < 0:
            return 0
    found = members = 0
    i = pool.head[g]
    while i >= 0:
        members += 1
        if _keeps_wide(geometry, pool, i, j, value, side):
            pool.waiting[found] = i
            found += 1
        i = pool.after[i]
    return found if found < members else 0


@njit(cache=True, allocates=False)
def _keeps_wide(geometry, pool, i, j, value, side):
    """Whether an item has a value of a set, lies below a node, or reaches as far as an end."""
    kind = geometry.kind[j]
    if kind == SET:
        word = geometry.word[j] + (value >> 6)
        return (pool.bits[i, word] >> np.uint64(value & 63)) & np.uint64(1) != np.uint64(0)
    if kind == TREE:
        return _below(geometry, j, pool.low[i, j], value) or _below(geometry, j, pool.high[i, j], value)
    return pool.high[i, j] >= value if side == 1 else pool.low[i, j] <= value


@njit(cache=True, allocates=False)
def _below(geometry, j, leaf, node):
    """Whether a leaf lies below a node."""
    at = geometry.leaf_node[j, leaf]
    while at != node:
        if at <= 0 or geometry.right[j, at] > geometry.right[j, node]:
            return False
        at = geometry.parent[j, at]
    return True


@njit(cache=True)
def _rarest(pool, g, begin, end, second):
    """Value of a set that fewest items of a class have (or the second such); -1 where there is one value only."""
    counts = np.zeros(64 * (end - begin), np.int64)
    i = pool.head[g]
    while i >= 0:
        for word in range(begin, end):
            bits = pool.bits[i, word]
            b = 0
            while bits != np.uint64(0):
                if bits & np.uint64(1) != np.uint64(0):
                    counts[64 * (word - begin) + b] += 1
                bits >>= np.uint64(1)
                b += 1
        i = pool.after[i]
    best = other = -1
    for value in range(counts.shape[0]):
        if counts[value] > 0:
            if best < 0 or counts[value] < counts[best]:
                best, other = value, best
            elif other < 0 or counts[value] < counts[other]:
                other = value
    if other < 0:
        return -1
    return other if second == 1 else best


@njit(cache=True, allocates=False)
def _shed(geometry, judges, pool, g):
    """Send away slabs of a class, or all of it; whether one of them lowered the loss."""
    for j in range(pool.low.shape[1]):
        for side in range(2):
            found = _slab(geometry, pool, g, j, side)
            if found > 0 and _send_away(geometry, judges, pool, g, found):
                return True
    found = 0
    i = pool.head[g]
    while i >= 0:
        pool.waiting[found] = i
        found += 1
        i = pool.after[i]
    return found > 0 and _send_away(geometry, judges, pool, g, found)


@njit(cache=True, allocates=False)
def _short_of(judges, pool, g):
    """How far a class is from holding, 1 or more where it does not, else 0."""
    if _holds(judges, pool, g):
        return 0.0
    if pool.size[g] < judges.smallest:
        return judges.smallest / pool.size[g]
    return max(1.0, _excess(judges, pool, g))


@njit(cache=True, allocates=False)
def _next_part(geometry, pool, g, j, number, last):
    """First and last code of a part of a class's hull in an attribute, after ``number`` others, of which one ended at ``last``.

    Of a tree they are the children of its node; an interval has four, without either end and on either side of the mean. Of a
    set every part lacks a value, one of the two rarest, which both codes are. Where there are no more the first is the larger.
    """
    kind = geometry.kind[j]
    low, high = pool.edge[g, j, 0], pool.edge[g, j, 2]
    if kind == SET:
        value = _rarest(pool, g, geometry.word[j], geometry.word[j + 1], number) if number < 2 else -1
        return (np.int64(value), np.int64(value)) if value >= 0 else (np.int64(1), np.int64(0))
    if low == high:
        return np.int64(1), np.int64(0)
    i = pool.head[g]
    if kind == TREE:
        first = np.int64(high) + 1
        while i >= 0:
            if pool.low[i, j] > last:
                first = min(first, np.int64(pool.low[i, j]))
            i = pool.after[i]
        if first > high:
            return np.int64(1), np.int64(0)
        node = common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, low], high)
        child = geometry.leaf_node[j, first]
        if child == node:
            return np.int64(1), np.int64(0)
        while geometry.parent[j, child] != node:
            child = geometry.parent[j, child]
        return first, np.int64(geometry.right[j, child])
    if number == 0:
        return np.int64(low), np.int64(pool.edge[g, j, 3])
    if number == 1:
        return np.int64(pool.edge[g, j, 1]), np.int64(high)
    if number > 3:
        return np.int64(1), np.int64(0)
    total = np.int64(0)
    while i >= 0:
        total += np.int64(pool.low[i, j]) * pool.records[i]
        i = pool.after[i]
    middle = total // pool.size[g]
    return (np.int64(low), middle) if number == 2 else (middle + 1, np.int64(high))


@njit(cache=True, allocates=False)
def _move_part(geometry, pool, g, h, j, first, last):
    """Move the items of a class that lie in a part of its hull to another; whether there are some, and not all do."""
    found = members = 0
    i = pool.head[g]
    while i >= 0:
        members += 1
        if geometry.kind[j] == SET:
            inside = not _keeps_wide(geometry, pool, i, j, first, 0)
        else:
            inside = pool.low[i, j] >= first and pool.high[i, j] <= last
        if inside:
            pool.waiting[found] = i
            found += 1
        i = pool.after[i]
    pool.numbers[WORK] += members
    if found == members:
        return False
    for w in range(found):
        _move(pool, pool.waiting[w], h)
    return found > 0


@njit(cache=True, allocates=False)
def _give_back(judges, pool, g, h, tried):
    """Move items of a class to another until both hold, each time one that brings them nearest to that; whether any are left.

    ``tried``: (W,) room for when an item of each place was looked at last: of those that count alike only one is.
    """
    tried[:] = 0
    turn = 0
    while _short_of(judges, pool, g) + _short_of(judges, pool, h) > 0.0:
        turn += 1
        unseen = 0
        for place in range(tried.shape[0]):
            if pool.histogram[h, place] > 0:
                unseen += 1
        i = best = pool.head[h]
        least = np.inf
        while i >= 0:
            new = pool.places.shape[1] == 0
            for v in range(pool.places.shape[1]):
                if tried[pool.places[i, v]] != turn:
                    tried[pool.places[i, v]] = turn
                    unseen -= 1
                    new = True
            if new:
                _tally(pool, i, h, -1)
                _tally(pool, i, g, 1)
                short = _short_of(judges, pool, g) + _short_of(judges, pool, h)
                _tally(pool, i, g, -1)
                _tally(pool, i, h, 1)
                if short < least:
                    best, least = i, short
            if unseen == 0:
                break
            i = pool.after[i]
        _move(pool, best, g)
        if pool.head[h] < 0:
            return False
    return True


@njit(cache=True, allocates=False)
def _charge_anew(geometry, pool, g):
    """What a class is charged whose items have changed."""
    i = pool.head[g]
    _hull_of(pool, i)
    while i >= 0:
        _extend(pool, i)
        i = pool.after[i]
    return _charge(pool, pool.mass[g], _lost(geometry, pool))


@njit(cache=True)
def _split_off(geometry, judges, pool, g):
    """Make a class of those of another who lie in a part of its hull, as far as both hold then; whether that lowered the loss.

    Whoever stays may show as much as before. So classes of narrow hulls come to lie within those of wide ones, which no cut does.
    """
    # Where it counts how many share a class, its hull hardly does.
    if pool.crowd > 0.0 or pool.size[g] < 2 * judges.smallest:
        return False
    h = 0
    while h < pool.head.shape[0] and pool.head[h] >= 0:
        h += 1
    if h == pool.head.shape[0]:
        return False
    tried = np.zeros(pool.histogram.shape[1], np.int64)
    touched = np.zeros(pool.head.shape[0], np.bool_)
    touched[g] = touched[h] = True
    now, before = _charged(pool, g), _total(pool)
    most, axis, begin, end = LEAST_GAIN, -1, np.int64(0), np.int64(0)
    for j in range(pool.low.shape[1]):
        number, last = 0, np.int64(-1)
        while True:
            first, last = _next_part(geometry, pool, g, j, number, last)
            number += 1
            if first > last:
                break
            if _move_part(geometry, pool, g, h, j, first, last) and _give_back(judges, pool, g, h, tried):
                gain = now - _charge_anew(geometry, pool, g) - _charge_anew(geometry, pool, h)
                if gain > most:
                    most, axis, begin, end = gain, j, first, last
            _take_back(pool)
    if axis < 0:
        return False
    _move_part(geometry, pool, g, h, axis, begin, end)
    if _give_back(judges, pool, g, h, tried):
        return _settle(geometry, judges, pool, touched, before)
    _undo(geometry, pool, touched)
    return False


@njit(cache=True)
def _nearest_classes(geometry, pool, g, near):
    """Write the classes whose union with a class is charged least more, the least first; how many were found."""
    costs = np.full(near.shape[0], np.inf)
    found = 0
    for h in range(pool.head.shape[0]):
        if h == g or pool.head[h] < 0:
            continue
        for j in range(pool.low.shape[1]):
            pool.ends[0, j] = min(pool.edge[g, j, 0], pool.edge[h, j, 0])
            pool.ends[1, j] = max(pool.edge[g, j, 2], pool.edge[h, j, 2])
        for word in range(pool.bits.shape[1]):
            pool.marks[word] = pool.union[g, word] | pool.union[h, word]
        cost = _charge(pool, pool.mass[g] + pool.mass[h], _lost(geometry, pool))
        cost = cost - _charged(pool, g) - _charged(pool, h)
        at = min(found, near.shape[0] - 1)
        if found == near.shape[0] and cost >= costs[at]:
            continue
        while at > 0 and costs[at - 1] > cost:
            costs[at], near[at] = costs[at - 1], near[at - 1]
            at -= 1
        costs[at], near[at] = cost, h
        found = min(found + 1, near.shape[0])
    return found


@njit(cache=True, allocates=False)
def _pair_loss(geometry, pool, i, k):
    """Loss of the hull of two items."""
    _hull_of(pool, i)
    _extend(pool, k)
    return _lost(geometry, pool)


@njit(cache=True, allocates=False)
def _farthest(geometry, pool, i, waiting):
    """Position of the waiting item farthest from an item."""
    best, most = 0, -1.0
    for w in range(waiting):
        away = _pair_loss(geometry, pool, i, pool.waiting[w])
        if away > most + LEAST_GAIN:
            best, most = w, away
    return best


@njit(cache=True, allocates=False)
def _next_item(geometry, judges, pool, g, waiting, values):
    """Position of the waiting item that a growing class loses least by; where ``values`` count, of those that bring it nearer."""
    best, least = -1, np.inf
    now = _excess(judges, pool, g) if values else 0.0
    for w in range(waiting):
        i = pool.waiting[w]
        _hull_with(pool, g, i)
        lost = _charge(pool, pool.mass[g] + pool.weight[i], _lost(geometry, pool))
        # Of items of more records the class needs fewer.
        lost = (lost - _charged(pool, g)) / pool.records[i]
        if lost < least:
            if values and not _comes_nearer(judges, pool, i, g, now):
                continue
            best, least = w, lost
    return best


@njit(cache=True, allocates=False)
def _take(pool, w, waiting, g):
    """Put a waiting item into a class; the others keep their order."""
    i = pool.waiting[w]
    for at in range(w, waiting - 1):
        pool.waiting[at] = pool.waiting[at + 1]
    _move(pool, i, g)
    _widen(pool, g, i)
    return i


@njit(cache=True, allocates=False)
def _grow(geometry, judges, pool, g, seed, waiting):
    """Grow a class from a waiting seed until it holds; how many items wait then, or -1 where it does not get there."""
    values = judges.shape.shape[0] > 0
    _empty_hull(pool, g)
    i = _take(pool, seed, waiting, g)
    waiting -= 1
    _hull_with(pool, g, i)
    pool.loss[g] = _lost(geometry, pool)
    while not _holds(judges, pool, g) or _twin(geometry, pool, g, g):
        short = pool.size[g] < judges.smallest
        w = -1
        if waiting > 0:
            w = _next_item(geometry, judges, pool, g, waiting, values)
            if w < 0 and short:
                w = _next_item(geometry, judges, pool, g, waiting, False)
        if w < 0:
            return -1 - waiting
        i = _take(pool, w, waiting, g)
        waiting -= 1
        _hull_with(pool, g, i)
        pool.loss[g] = _lost(geometry, pool)
    if pool.crowd > 0.0:
        pool.shown[g] = _shown(geometry, pool.ends[0], pool.ends[1], pool.marks)
    return waiting


@njit(cache=True, allocates=False)
def _rebuild(geometry, judges, pool, chosen, touched, drawn, slack, work):
    """Make the classes chosen anew, each from the item farthest from the last one's seed, or one that is drawn.

    Gives whether all items are in classes that hold, charged no more than ``slack`` times what they were; else all is as it was.
    It is not begun where it might take more than ``work`` steps in all.
    """
    waiting = 0
    limit = 0.0
    for c in range(chosen.shape[0]):
        i = pool.head[chosen[c]]
        while i >= 0:
            waiting += 1
            i = pool.after[i]
    # Each item that is taken is the least of those that wait.
    if waiting > _MOST_REBUILT or pool.numbers[WORK] + waiting * waiting * (_HULL >> 1) > work:
        return False
    waiting = 0
    for c in range(chosen.shape[0]):
        limit += slack * _charged(pool, chosen[c])
        i = pool.head[chosen[c]]
        while i >= 0:
            pool.waiting[waiting] = i
            waiting += 1
            i = pool.after[i]
    for w in range(waiting):
        _move(pool, pool.waiting[w], -1)
    seed, spent = pool.waiting[0], 0.0
    for g in range(pool.head.shape[0]):
        if waiting == 0:
            break
        if pool.head[g] >= 0:
            continue
        touched[g] = True
        if drawn and _draw(pool, 2) == 0:
            at = _draw(pool, waiting)
        else:
            at = _farthest(geometry, pool, seed, waiting)
        seed = pool.waiting[at]
        left = _grow(geometry, judges, pool, g, at, waiting)
        if left < 0:
            waiting = _release(pool, g, -1 - left)
            _empty_hull(pool, g)
            break
        waiting = left
        spent += _charged(pool, g)
        if spent >= limit:
            break
    if spent >= limit or not _deal(geometry, judges, pool, waiting, -1, touched, limit - spent):
        _undo(geometry, pool, touched)
        return False
    return True


@njit(cache=True, allocates=False)
def _release(pool, g, waiting):
    """Let the items of a class wait with the others; how many do."""
    i = pool.head[g]
    while i >= 0:
        after = pool.after[i]
        pool.waiting[waiting] = i
        waiting += 1
        _move(pool, i, -1)
        i = after
    return waiting


@njit(cache=True)
def _renew(geometry, judges, pool, g, most, work):
    """Make a class anew, then with its nearest, with the second nearest too, and so on; whether one of these lowered the loss."""
    near = np.empty(most, np.int64)
    found = _nearest_classes(geometry, pool, g, near)
    for number in range(found + 1):
        chosen = np.empty(number + 1, np.int64)
        chosen[0] = g
        touched = np.zeros(pool.head.shape[0], np.bool_)
        touched[g] = True
        for c in range(number):
            chosen[c + 1] = near[c]
            touched[near[c]] = True
        before = _total(pool)
        if _rebuild(geometry, judges, pool, chosen, touched, False, 1.0, work):
            if _settle(geometry, judges, pool, touched, before):
                return True
    return False


@njit(cache=True, allocates=False)
def _draw(pool, below):
    """Draw a number at random, from 0 (xorshift)."""
    x = np.uint64(pool.numbers[STATE])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    pool.numbers[STATE] = np.int64(x)
    return np.int64((x >> np.uint64(20)) % np.uint64(below))


@njit(cache=True, allocates=False)
def _least_missed(geometry, judges, pool, h):
    """Item that a class and its own lose least by, a record, if it goes over, as far as its own holds without it; or -1."""
    values = judges.shape.shape[0] > 0
    best, least = -1, np.inf
    now = _excess(judges, pool, h) if values else 0.0
    for k in range(pool.of.shape[0]):
        c = pool.of[k]
        if c == h:
            continue
        # Those who are in no class have to go somewhere.
        released = 0.0
        if c >= 0:
            released = _charged(pool, c) - _charge(pool, pool.mass[c] - pool.weight[k], pool.without[k])
        if (pool.weight[k] * pool.loss[h] - released) / pool.records[k] >= least:
            continue
        _hull_with(pool, h, k)
        lost = _charge(pool, pool.mass[h] + pool.weight[k], _lost(geometry, pool)) - _charged(pool, h)
        lost = (lost - released) / pool.records[k]
        if lost >= least:
            continue
        if c >= 0 and not _holds_without(judges, pool, k, c):
            continue
        if values and not _comes_nearer(judges, pool, k, h, now):
            continue
        best, least = k, lost
    return best


@njit(cache=True, allocates=False)
def _gather(geometry, judges, pool, seed, touched):
    """Make a class around an item, of whom other classes can spare; its own is dissolved if it does not hold without it.

    Gives whether all items are in classes; else all is as it was.
    """
    h = 0
    while h < pool.head.shape[0] and pool.head[h] >= 0:
        h += 1
    if h == pool.head.shape[0]:
        return False
    g = pool.of[seed]
    touched[g] = touched[h] = True
    _move(pool, seed, h)
    _refresh(geometry, pool, h)
    waiting = 0
    if not _holds(judges, pool, g):
        waiting = _release(pool, g, 0)
    _refresh(geometry, pool, g)
    while not _holds(judges, pool, h):
        k = _least_missed(geometry, judges, pool, h)
        if k < 0:
            _undo(geometry, pool, touched)
            return False
        c = pool.of[k]
        _move(pool, k, h)
        _widen(pool, h, k)
        _hull_with(pool, h, k)
        pool.loss[h] = _lost(geometry, pool)
        if c >= 0:
            touched[c] = True
            _refresh(geometry, pool, c)
        else:
            waiting = _left_waiting(pool, waiting)
    if not _deal(geometry, judges, pool, waiting, -1, touched, np.inf):
        _undo(geometry, pool, touched)
        return False
    return True


@njit(cache=True, allocates=False)
def _left_waiting(pool, waiting):
    """Leave those out who wait no more; how many do."""
    left = 0
    for w in range(waiting):
        if pool.of[pool.waiting[w]] < 0:
            pool.waiting[left] = pool.waiting[w]
            left += 1
    return left


@njit(cache=True, allocates=False)
def _put(values, into):
    """Copy an array into another of its length: an assignment of slices is compiled with all that its error message needs."""
    for i in range(len(values)):
        into[i] = values[i]


@njit(cache=True)
def _shake(geometry, judges, pool, most, work, heat):
    """Make a class that is drawn anew, with some of its nearest, or one around an item; and let their items settle.

    It is taken back unless the loss is then lower, or higher by no more than what is drawn at this heat.
    """
    n = pool.of.shape[0]
    pool.numbers[WORK] += n
    seed = _draw(pool, n)
    g = pool.of[seed]
    if _free(pool, g):
        return
    before, clock = _total(pool), pool.numbers[CLOCK]
    touched = np.zeros(pool.head.shape[0], np.bool_)
    of, changed = pool.of.copy(), pool.changed.copy()
    moved, swapped, renewed = pool.moved.copy(), pool.swapped.copy(), pool.renewed.copy()
    if pool.crowd == 0.0 and _draw(pool, 2) == 0:
        if not _gather(geometry, judges, pool, seed, touched):
            return
    else:
        near = np.empty(most, np.int64)
        found = min(_nearest_classes(geometry, pool, g, near), 1 + _draw(pool, most))
        chosen = np.empty(found + 1, np.int64)
        chosen[0] = g
        touched[g] = True
        for c in range(found):
            chosen[c + 1] = near[c]
            touched[near[c]] = True
        if not _rebuild(geometry, judges, pool, chosen, touched, True, _SLACK, work):
            return
    pool.numbers[LOGGED] = 0
    pool.numbers[CLOCK] += 1
    good = True
    for h in range(touched.shape[0]):
        if touched[h]:
            good = good and _holds(judges, pool, h)
            _refresh(geometry, pool, h)
            pool.changed[h] = pool.numbers[CLOCK]
    for h in range(touched.shape[0]):
        if touched[h] and good:
            good = _alone(pool, h)
    if good:
        _settle_down(geometry, judges, pool, clock)
        worse = -heat * math.log((_draw(pool, 1 << 20) + 1.0) / (1 << 20))
        if _total(pool) < before + max(worse, -LEAST_GAIN):
            return
    for i in range(n):
        if pool.of[i] != of[i]:
            _place(pool, i, of[i])
    for h in range(touched.shape[0]):
        if pool.changed[h] > clock:
            _refresh(geometry, pool, h)
    _put(changed, pool.changed)
    _put(moved, pool.moved)
    _put(swapped, pool.swapped)
    _put(renewed, pool.renewed)


@njit(cache=True, allocates=False)
def _settle_down(geometry, judges, pool, clock):
    """Let the items of classes that changed since then move and change places, a few times."""
    for _ in range(_SWEEPS):
        moved = False
        for i in range(pool.of.shape[0]):
            if pool.changed[pool.of[i]] > clock:
                if _relocate(geometry, judges, pool, i) or _swap(geometry, judges, pool, i):
                    moved = True
        if not moved:
            break


@njit(cache=True, allocates=False)
def _descend(geometry, judges, pool, most, work):
    """Improve a pool until no move lowers its loss, or after about so many steps."""
    moved = True
    while moved and pool.numbers[WORK] < work:
        moved = False
        for i in range(pool.of.shape[0]):
            if pool.numbers[WORK] >= work:
                break
            if _relocate(geometry, judges, pool, i):
                moved = True
        for i in range(pool.of.shape[0]):
            if pool.numbers[WORK] >= work:
                break
            if _swap(geometry, judges, pool, i):
                moved = True
        for g in range(pool.head.shape[0]):
            if pool.numbers[WORK] >= work:
                break
            # Nothing in the pool has changed since: nothing would be found.
            if pool.head[g] < 0 or _free(pool, g) or pool.renewed[g] == pool.numbers[CLOCK]:
                continue
            before, pool.renewed[g] = pool.renewed[g], pool.numbers[CLOCK]
            if _shed(geometry, judges, pool, g):
                moved = True
            elif pool.changed[g] > before and _split_off(geometry, judges, pool, g):
                moved = True
            elif _renew(geometry, judges, pool, g, most, work):
                moved = True


@njit(cache=True, nogil=True)
def improve(geometry, judges, pools, first, last, most, work, shaken, losses):
    """Improve pools ``first`` to ``last`` until no move lowers the loss of one, or after about so many steps in each.

    ``most``: how many classes are made anew beside each. ``shaken``: then, as long as there are steps left, classes are made
    anew from what is drawn at random, kept where it lowers the loss. ``losses``: (pools, 2) of each, before and after.
    """
    geometry, judges, pools = borrowed(geometry), borrowed(judges), borrowed(pools)
    for p in range(first, last):
        pool = _pool(pools, p)
        if pool.of.shape[0] > _MOST_ITEMS:
            continue
        losses[p, 0] = _fill(geometry, pool)
        pool.numbers[LOGGED] = pool.numbers[WORK] = pool.numbers[CLOCK] = 0
        _descend(geometry, judges, pool, most, work)
        if shaken and pool.head.shape[0] > 0:
            _shake_all(geometry, judges, pool, most, work)
        losses[p, 1] = _total(pool)


@njit(cache=True)
def _shake_all(geometry, judges, pool, most, work):
    """Shake a pool, ever less, until about so many steps were taken; the best that was found is kept."""
    least = _total(pool)
    if least <= 0.0:
        return
    best, lost = pool.of.copy(), 0
    for g in range(pool.head.shape[0]):
        if not _free(pool, g):
            lost += 1
    heat = _HEAT * least / lost
    begun = pool.numbers[WORK]
    while pool.numbers[WORK] < work:
        left = 1.0 - (pool.numbers[WORK] - begun) / (work - begun)
        _shake(geometry, judges, pool, most, work, heat * left)
        total = _total(pool)
        if total < least - LEAST_GAIN:
            least = total
            _put(pool.of, best)
    for i in range(best.shape[0]):
        if pool.of[i] != best[i]:
            _place(pool, i, best[i])
    for g in range(pool.head.shape[0]):
        _refresh(geometry, pool, g)


@njit(cache=True, nogil=True)
def spare(geometry, judges, pools, first, last, price, gains):
    """Write what is gained by withholding each item of pools ``first`` to ``last``, -1 where its class would not hold then."""
    geometry, judges, pools = borrowed(geometry), borrowed(judges), borrowed(pools)
    for p in range(first, last):
        pool = _pool(pools, p)
        _fill(geometry, pool)
        own = gains[pools.items[p] : pools.items[p + 1]]
        for i in range(pool.of.shape[0]):
            g = pool.of[i]
            left = _charge(pool, pool.mass[g] - pool.weight[i], pool.without[i])
            own[i] = _charged(pool, g) - left - price * pool.weight[i]
            if own[i] > LEAST_GAIN:
                _tally(pool, i, g, -1)
                if not _holds(judges, pool, g):
                    own[i] = -1.0
                _tally(pool, i, g, 1)
