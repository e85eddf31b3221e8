"""Clusters of near records that exchange some until they hold, and the merging of those that do not (see `methods._refining`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.class_excess import excess
from likeness.kernels.class_tests import evaluate
from likeness.kernels.hulls import INTERVAL, SET, TREE, attribute_loss, bits_set
from likeness.kernels.record_distance import TIE, add_records, aim, centroid, distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.class_excess import MeasureTuple
    from likeness.kernels.class_tests import PredicateTuple


class Tests(NamedTuple):
    """What clusters are judged by: laid out tests and their measures.

    ``functions``, ``measures``, ``smallest``, ``shape``, ``integers``, ``reals``: see `class_tests.LaidOutTests` and
    `class_excess`. ``shares``: whether they are limits on shares alone. ``places``: (kinds, v) where records of a kind count in
    the joint histogram, of ``width`` places; records of one kind are the same to all tests.
    """

    functions: PredicateTuple
    measures: MeasureTuple
    smallest: int
    shape: NDArray[np.int64]
    integers: NDArray[np.int64]
    reals: NDArray[np.float64]
    shares: bool
    places: NDArray[np.int64]
    width: int


RECORDS, LIVING, CLUSTERS, SEED = 0, 1, 2, 3
"""Positions in `State.numbers`."""


class State(NamedTuple):
    """How far the generation of clusters is.

    Records stand tuple by tuple, in the order of the table, and are numbered so. ``tuple_of``, ``kind``: (n,) of each record.
    ``start``, ``left``: (U,) where the records of a tuple begin in ``queue`` (n,), and how many are left there.
    ``alive``: (U,) the tuples that have some. ``marks``: (U,) bit k mod 64 for every kind k among the records of a tuple.
    ``sums``, ``present``, ``counts``: of all records that are left (`record_distance.centroid`).
    ``near``: (U,) distance of every tuple from the last seed. ``label``: (n,) cluster of each record, -1 while it is in none.
    ``holds``, ``excess``: (clusters,). ``numbers``: (4,) records and tuples left, clusters made, and the tuple whose distances
    are known, -1 when the next seed is the record farthest from the centre. ``apart``, ``heap``, ``histogram``: room to work in.
    """

    tuple_of: NDArray[np.int64]
    kind: NDArray[np.int64]
    start: NDArray[np.int64]
    left: NDArray[np.int64]
    queue: NDArray[np.int64]
    alive: NDArray[np.int64]
    marks: NDArray[np.uint64]
    sums: NDArray[np.float64]
    present: NDArray[np.int64]
    counts: NDArray[np.int64]
    near: NDArray[np.float64]
    label: NDArray[np.int64]
    holds: NDArray[np.bool_]
    excess: NDArray[np.float64]
    numbers: NDArray[np.int64]
    apart: NDArray[np.float64]
    heap: NDArray[np.int64]
    histogram: NDArray[np.int64]


@njit(cache=True)
def marks_of(tuple_of, kind, count):
    """(count,) Bit k mod 64 of every tuple that has records of a kind k."""
    marks = np.zeros(count, np.uint64)
    for i in range(kind.size):
        marks[tuple_of[i]] |= np.uint64(1) << np.uint64(kind[i] & 63)
    return marks


@njit(cache=True)
def _count(tests, histogram, kind, times):
    """Count a record of a kind so many times."""
    for v in range(tests.places.shape[1]):
        histogram[tests.places[kind, v]] += times


@njit(cache=True)
def _hold(tests, size, histogram):
    """Whether a class holds."""
    if size < tests.smallest:
        return False
    return evaluate(tests.functions, tests.shape, tests.integers, tests.reals, size, histogram)


@njit(cache=True)
def _excess(tests, size, histogram):
    """How far a class is off."""
    return excess(tests.measures, tests.shape, tests.integers, tests.reals, size, histogram)


@njit(cache=True)
def generate(space, tests, state, k, two, exchange, work):
    """Make clusters until all records are in one (True), or after about ``work`` distances; ``state`` is changed.

    The first seed is the record farthest from the centre of those left; with ``two``, the second is the one farthest from it.
    """
    numbers, categories = np.empty(space.numbers.shape[1]), np.empty(space.categories.shape[1], np.int32)
    chosen = np.empty(max(2 * k, 1), np.int64)
    done = 0
    while state.numbers[RECORDS] > 0 and done < work:
        if state.numbers[SEED] < 0:
            centroid(space, state.sums, state.present, state.counts, numbers, categories)
            aim(space, categories, state.apart)
            distances(space, numbers, categories, state.apart, state.alive, state.numbers[LIVING], state.near)
        seed = farthest(state)
        done += 2 * state.numbers[LIVING]
        size = _cluster(space, tests, state, seed, k, exchange, chosen)
        take(space, tests, state, chosen, size)
        state.numbers[SEED] = seed if two and state.numbers[SEED] < 0 else -1
    return state.numbers[RECORDS] == 0


@njit(cache=True)
def farthest(state):
    """Find the tuple farthest from the point that distances are of; the first of those equally far."""
    best, most = state.alive[0], -1.0
    for i in range(state.numbers[LIVING]):
        far = state.near[state.alive[i]]
        if far > most + TIE:
            best, most = state.alive[i], far
    return best


@njit(cache=True)
def aim_at(space, u, numbers, categories, apart):
    """Aim at a tuple."""
    for j in range(numbers.size):
        numbers[j] = space.numbers[u, j]
    for j in range(categories.size):
        categories[j] = space.categories[u, j]
    aim(space, categories, apart)


@njit(cache=True)
def _cluster(space, tests, state, seed, k, exchange, chosen):
    """Choose the records of one cluster, the k nearest to the seed or all of fewer than 2k; return their number.

    With ``exchange``, while they do not hold, records farther away are looked at once each, nearest first: one that lowers the
    excess comes for the one whose leaving lowers it most, of several the last that came. What left is not looked at again.
    """
    numbers, categories = np.empty(space.numbers.shape[1]), np.empty(space.categories.shape[1], np.int32)
    aim_at(space, seed, numbers, categories, state.apart)
    near, heap = state.near, state.heap
    living = state.numbers[LIVING]
    distances(space, numbers, categories, state.apart, state.alive, living, near)
    for i in range(living):
        heap[i] = state.alive[i]
    size = 0
    if state.numbers[RECORDS] < 2 * k:
        for i in range(living):
            u = state.alive[i]
            for j in range(state.left[u]):
                chosen[size] = state.queue[state.start[u] + j]
                size += 1
        return size
    for i in range(living // 2 - 1, -1, -1):
        _sink(near, heap, living, i)
    u, j = heap[0], 0
    while size < k:
        if j == state.left[u]:
            living = _pop(near, heap, living)
            u, j = heap[0], 0
        chosen[size] = state.queue[state.start[u] + j]
        size += 1
        j += 1
    if not exchange:
        return size
    histogram = state.histogram
    for i in range(size):
        _count(tests, histogram, state.kind[chosen[i]], 1)
    if not _hold(tests, size, histogram):
        if tests.shares:
            _exchange_shares(tests, state, chosen, size, living, j)
        elif tests.shape.shape[0] > 0:
            _exchange(tests, state, chosen, size, living, j)
    for i in range(size):
        _count(tests, histogram, state.kind[chosen[i]], -1)
    return size


@njit(cache=True)
def _exchange_shares(tests, state, chosen, size, living, j):
    """Exchange records by the rule for limits on shares; ``j`` records of the first tuple of the heap have been looked at.

    Only the value s* with the largest share over its yardstick counts: with two of them no exchange lowers both; else one does
    exactly if a record of s* leaves for one of a value a with ``(c_a + 1) / w_a < c_s* / w_s*``.
    """
    histogram, offset, m = state.histogram, tests.shape[0, 0], tests.shape[0, 1]
    weights = tests.reals[tests.shape[0, 5] + 1 : tests.shape[0, 5] + 1 + m]
    useful = np.empty(m, np.bool_)
    while True:
        worst, owner, alone = -1.0, 0, True
        for s in range(m):
            c = histogram[offset + s]
            if c > 0:
                share = c / weights[s] if weights[s] > 0 else math.inf
                if share > worst:
                    worst, owner, alone = share, s, True
                elif share == worst:
                    alone = False
        if not alone:
            return
        mask = np.uint64(0)
        for s in range(m):
            useful[s] = s != owner and weights[s] > 0 and (histogram[offset + s] + 1) / weights[s] < worst
            if useful[s]:
                mask |= np.uint64(1) << np.uint64(s & 63)
        if mask == np.uint64(0):
            return
        found = -1
        while found < 0:
            u = state.heap[0]
            if (state.marks[u] & mask) != np.uint64(0):
                while j < state.left[u] and found < 0:
                    record = state.queue[state.start[u] + j]
                    if useful[state.kind[record]]:
                        found = record
                    j += 1
            if found < 0:
                living = _pop(state.near, state.heap, living)
                if living == 0:
                    return
                j = 0
        for i in range(size - 1, -1, -1):
            if state.kind[chosen[i]] == owner:
                _replace(chosen, size, i, found)
                break
        histogram[offset + owner] -= 1
        histogram[offset + state.kind[found]] += 1
        if _hold(tests, size, histogram):
            return


@njit(cache=True)
def _exchange(tests, state, chosen, size, living, j):
    """Exchange records by trying every kind that could leave; ``j`` records of the first tuple have been looked at."""
    histogram = state.histogram
    now = _excess(tests, size, histogram)
    # What is known of kinds that come, as long as the cluster stays the same: the number of exchanges at which it was found.
    useless = np.full(tests.places.shape[0], -1, np.int64)
    lowered = np.empty(size)
    exchanges = 0
    while True:
        u = state.heap[0]
        if j == state.left[u]:
            living = _pop(state.near, state.heap, living)
            if living == 0:
                return
            j = 0
            continue
        record = state.queue[state.start[u] + j]
        j += 1
        kind = state.kind[record]
        if useless[kind] == exchanges:
            continue
        least, at = now, -1
        _count(tests, histogram, kind, 1)
        for i in range(size - 1, -1, -1):
            own = state.kind[chosen[i]]
            known = -1
            for other in range(size - 1, i, -1):
                if state.kind[chosen[other]] == own:
                    known = other
                    break
            if known < 0:
                _count(tests, histogram, own, -1)
                lowered[i] = _excess(tests, size, histogram)
                _count(tests, histogram, own, 1)
                if lowered[i] < least:
                    least, at = lowered[i], i
        if at < 0:
            _count(tests, histogram, kind, -1)
            useless[kind] = exchanges
            continue
        _count(tests, histogram, state.kind[chosen[at]], -1)
        _replace(chosen, size, at, record)
        now = least
        exchanges += 1
        if _hold(tests, size, histogram):
            return


@njit(cache=True)
def _replace(chosen, size, at, record):
    """Take one record out of a cluster and put another at its end: they stay in the order in which they came."""
    for i in range(at, size - 1):
        chosen[i] = chosen[i + 1]
    chosen[size - 1] = record


@njit(cache=True)
def _sink(near, heap, size, parent):
    """Let an entry of a heap of tuples sink to its place: the nearest on top, of equally near ones the first."""
    moving = heap[parent]
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            near[heap[other]] < near[heap[child]]
            or (near[heap[other]] == near[heap[child]] and heap[other] < heap[child])
        ):
            child = other
        if near[moving] < near[heap[child]] or (near[moving] == near[heap[child]] and moving < heap[child]):
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = moving


@njit(cache=True)
def _pop(near, heap, size):
    """Take the nearest tuple from a heap; return how many are left."""
    size -= 1
    heap[0] = heap[size]
    _sink(near, heap, size, 0)
    return size


@njit(cache=True)
def take(space, tests, state, chosen, size):
    """Make chosen records a cluster."""
    cluster, histogram = state.numbers[CLUSTERS], state.histogram
    for i in range(size):
        state.label[chosen[i]] = cluster
        _count(tests, histogram, state.kind[chosen[i]], 1)
    state.holds[cluster] = _hold(tests, size, histogram)
    state.excess[cluster] = _excess(tests, size, histogram)
    for i in range(size):
        _count(tests, histogram, state.kind[chosen[i]], -1)
        u = state.tuple_of[chosen[i]]
        add_records(space, state.sums, state.present, state.counts, u, -1)
        kept = 0
        for j in range(state.left[u]):
            record = state.queue[state.start[u] + j]
            if state.label[record] < 0:
                state.queue[state.start[u] + kept] = record
                kept += 1
        state.left[u] = kept
    kept = 0
    for i in range(state.numbers[LIVING]):
        if state.left[state.alive[i]] > 0:
            state.alive[kept] = state.alive[i]
            kept += 1
    state.numbers[LIVING] = kept
    state.numbers[RECORDS] -= size
    state.numbers[CLUSTERS] += 1


class Merging(NamedTuple):
    """Clusters that are being merged.

    ``head``, ``last``, ``size``: (E,) first and last record and number of records of each; 0 records: merged into another.
    ``next``: (n,) the record of the same cluster after each, -1 for none. ``holds``, ``excess``: (E,).
    ``low``, ``high``, ``bits``: (E, d), (E, d), (E, words) hull of each. ``loss``: (E, d) what a record of it loses by attribute.
    ``kind``: (n,) of each record. ``codes``: (d, n). ``histogram``: room to work in. ``largest``: (1,) the largest merged
    cluster, -1 before; ``counted``: its histogram, because it is merged again and again.
    """

    head: NDArray[np.int64]
    last: NDArray[np.int64]
    size: NDArray[np.int64]
    next: NDArray[np.int64]
    holds: NDArray[np.bool_]
    excess: NDArray[np.float64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    bits: NDArray[np.uint64]
    loss: NDArray[np.float64]
    kind: NDArray[np.int64]
    codes: NDArray[np.int32]
    histogram: NDArray[np.int64]
    largest: NDArray[np.int64]
    counted: NDArray[np.int64]


@njit(cache=True)
def fill(geometry, tests, merging, label):
    """Fill in what is known of each cluster from the ``label`` (n,) of each record, -1 for those in none."""
    for i in range(label.size):
        cluster = label[i]
        merging.next[i] = -1
        if cluster < 0:
            continue
        if merging.size[cluster] == 0:
            merging.head[cluster] = i
        else:
            merging.next[merging.last[cluster]] = i
        merging.last[cluster] = i
        merging.size[cluster] += 1
        _widen(geometry, merging, cluster, i)
    for cluster in range(merging.size.size):
        if merging.size[cluster] > 0:
            _count_members(tests, merging, merging.histogram, cluster, 1)
            _judge(geometry, tests, merging, cluster, merging.size[cluster], merging.histogram)
            _count_members(tests, merging, merging.histogram, cluster, -1)


@njit(cache=True)
def _widen(geometry, merging, cluster, i):
    """Widen the hull of a cluster to a record."""
    for j in range(merging.codes.shape[0]):
        code = merging.codes[j, i]
        merging.low[cluster, j] = min(merging.low[cluster, j], code)
        merging.high[cluster, j] = max(merging.high[cluster, j], code)
        if geometry.kind[j] == SET:
            merging.bits[cluster, geometry.word[j] + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)


@njit(cache=True)
def _count_members(tests, merging, histogram, cluster, times):
    """Count the records of a cluster so many times."""
    i = merging.head[cluster]
    while i >= 0:
        _count(tests, histogram, merging.kind[i], times)
        i = merging.next[i]


@njit(cache=True)
def _judge(geometry, tests, merging, cluster, size, histogram):
    """Find out whether a cluster of so many records and this histogram holds, how far it is off and what it loses."""
    merging.holds[cluster] = _hold(tests, size, histogram)
    merging.excess[cluster] = _excess(tests, size, histogram)
    for j in range(merging.low.shape[1]):
        merging.loss[cluster, j] = attribute_loss(
            geometry, j, merging.low[cluster, j], merging.high[cluster, j], merging.bits[cluster]
        )


@njit(cache=True)
def _nearest(geometry, merging, worst, published):
    """Find the cluster to merge one with, -1 for none, and how many unions were looked at."""
    # Arrays by themselves: passing the tuples on for every pair takes many times as long as a union.
    size, holds, loss = merging.size, merging.holds, merging.loss
    low, high, bits = merging.low, merging.high, merging.bits
    kind, position, most, word = geometry.kind, geometry.position, geometry.most, geometry.word
    parent, right, node_loss, leaf_node = (
        geometry.parent,
        geometry.right,
        geometry.node_loss,
        geometry.leaf_node,
    )
    set_loss = geometry.set_loss
    d = kind.size
    best, least, looked = -1, math.inf, 0
    for cluster in range(size.size):
        if cluster == worst or size[cluster] == 0 or (holds[cluster] and not published):
            continue
        together = size[worst] + size[cluster]
        # A union loses no less than either: most clusters need not be looked at.
        bound = before = 0.0
        for j in range(d):
            bound += max(loss[worst, j], loss[cluster, j])
            before += loss[cluster, j]
        before = before * size[cluster] if published else 0.0
        if together * bound - before >= least:
            continue
        looked += 1
        total = 0.0
        for j in range(d):
            first, last = min(low[worst, j], low[cluster, j]), max(high[worst, j], high[cluster, j])
            if kind[j] == INTERVAL:
                total += min(position[j, last] - position[j, first], most[j])
            elif kind[j] == TREE:
                node = leaf_node[j, first]
                while right[j, node] < last:
                    node = parent[j, node]
                total += node_loss[j, node]
            else:
                there = 0
                for w in range(word[j], word[j + 1]):
                    there += bits_set(bits[worst, w] | bits[cluster, w])
                total += set_loss[j, there]
        grown = together * total - before
        if grown < least - TIE:
            best, least = cluster, grown
    return best, looked


@njit(cache=True)
def _unite(geometry, tests, merging, worst, best):
    """Make two clusters one, under the number of the first."""
    for j in range(merging.low.shape[1]):
        merging.low[worst, j] = min(merging.low[worst, j], merging.low[best, j])
        merging.high[worst, j] = max(merging.high[worst, j], merging.high[best, j])
    for w in range(merging.bits.shape[1]):
        merging.bits[worst, w] |= merging.bits[best, w]
    size = merging.size[worst] + merging.size[best]
    if merging.largest[0] in (worst, best):
        other = best if merging.largest[0] == worst else worst
        _count_members(tests, merging, merging.counted, other, 1)
        merging.largest[0] = worst
        _judge(geometry, tests, merging, worst, size, merging.counted)
    else:
        _count_members(tests, merging, merging.histogram, worst, 1)
        _count_members(tests, merging, merging.histogram, best, 1)
        _judge(geometry, tests, merging, worst, size, merging.histogram)
        if merging.largest[0] < 0 or size > merging.size[merging.largest[0]]:
            merging.largest[0] = worst
            for i in range(merging.counted.shape[0]):
                merging.counted[i] = merging.histogram[i]
        _count_members(tests, merging, merging.histogram, worst, -1)
        _count_members(tests, merging, merging.histogram, best, -1)
    merging.next[merging.last[worst]] = merging.head[best]
    merging.last[worst] = merging.last[best]
    merging.size[worst] = size
    merging.size[best] = 0
    merging.head[best] = -1


@njit(cache=True)
def _farthest_off(merging):
    """Find the cluster that is off most, the first of equal ones; -1 where all hold."""
    worst = -1
    for cluster in range(merging.size.size):
        if (
            merging.size[cluster] > 0
            and not merging.holds[cluster]
            and (worst < 0 or merging.excess[cluster] > merging.excess[worst])
        ):
            worst = cluster
    return worst


@njit(cache=True)
def merge(geometry, tests, merging, published, work):
    """Merge the cluster that is off most with another, until all hold or none is left to merge with (True).

    ``published``: the other is any, the one with which the loss grows least; else one of those that do not hold, the one with
    which the union loses least. Of equal ones the first. Gives up after about ``work`` unions looked at (False).
    """
    count = merging.size.size
    done = 0
    while done < work:
        worst = _farthest_off(merging)
        if worst < 0:
            return True
        best, looked = _nearest(geometry, merging, worst, published)
        done += looked + count // 10
        if best < 0:
            return True
        _unite(geometry, tests, merging, worst, best)
    return False


@njit(cache=True)
def merge_nearest(space, tuple_of, geometry, tests, merging, centres, work):
    """Merge the cluster that is off most with the one whose centre is nearest, until all hold or one is left (True).

    ``centres``: the clusters' centres, laid out like tuples. Of equally near ones the first. Gives up after about ``work``
    distances (False).
    """
    count = merging.size.size
    numbers, categories = np.empty(space.numbers.shape[1]), np.empty(space.categories.shape[1], np.int32)
    apart, near = np.zeros(space.ancestors.shape[:2]), np.empty(count)
    living = np.flatnonzero(merging.size)
    done = 0
    while done < work:
        worst = _farthest_off(merging)
        if worst < 0 or living.size < 2:
            return True
        aim_at(centres, worst, numbers, categories, apart)
        distances(centres, numbers, categories, apart, living, living.size, near)
        best = -1
        for i in range(living.size):
            cluster = int(living[i])
            if cluster != worst and (best < 0 or near[cluster] < near[best] - TIE):
                best = cluster
        done += living.size + merging.size[worst] + merging.size[best]
        _unite(geometry, tests, merging, worst, best)
        write_centre(space, tuple_of, merging, centres, worst)
        living = living[living != best]
    return False


@njit(cache=True)
def write_centre(space, tuple_of, merging, centres, cluster):
    """Write the centre of a cluster among those of all."""
    sums, present = np.zeros(space.numbers.shape[1]), np.zeros(space.numbers.shape[1], np.int64)
    counts = np.zeros(space.ancestors.shape, np.int64)
    i = merging.head[cluster]
    while i >= 0:
        add_records(space, sums, present, counts, tuple_of[i], 1)
        i = merging.next[i]
    centroid(space, sums, present, counts, centres.numbers[cluster], centres.categories[cluster])


@njit(cache=True)
def write_centres(space, tuple_of, merging, centres):
    """Write the centres of all clusters."""
    for cluster in range(merging.size.size):
        write_centre(space, tuple_of, merging, centres, cluster)


@njit(cache=True)
def grow_one_by_one(space, tests, state, first, k, work):
    """Let clusters take the nearest records, one after the other, until they hold; all records that are left are looked at.

    ``state`` has the records outside of the first cluster, whose records are ``first``. The next cluster begins with the record
    farthest from the finished one. Clusters are numbered from ``state.numbers[CLUSTERS]`` on; the last may not hold.
    Returns True when no record is left, False after about ``work`` distances, with ``first`` no longer needed.
    """
    numbers, categories = np.empty(space.numbers.shape[1]), np.empty(space.categories.shape[1], np.int32)
    done = 0
    for i in range(first.size):
        _enter(space, tests, state, first[i])
    while done < work:
        size = state.numbers[SEED]
        cluster = state.numbers[CLUSTERS]
        held = size >= k and _hold(tests, size, state.histogram)
        state.holds[cluster] = held
        if state.numbers[RECORDS] == 0:
            return True
        centroid(space, state.sums, state.present, state.counts, numbers, categories)
        aim(space, categories, state.apart)
        distances(space, numbers, categories, state.apart, state.alive, state.numbers[LIVING], state.near)
        best, least, most = -1, math.inf, -1.0
        for i in range(state.numbers[LIVING]):
            u = state.alive[i]
            far = state.near[u]
            if held and far > most + TIE:
                best, most = u, far
            if not held and far < least - TIE:
                best, least = u, far
        done += state.numbers[LIVING]
        if held:
            state.numbers[CLUSTERS] += 1
            state.numbers[SEED] = 0
            state.sums[:] = 0
            state.present[:] = 0
            state.counts[:] = 0
            state.histogram[:] = 0
        record = state.queue[state.start[best]]
        state.start[best] += 1
        state.left[best] -= 1
        state.numbers[RECORDS] -= 1
        if state.left[best] == 0:
            kept = 0
            for i in range(state.numbers[LIVING]):
                if state.left[state.alive[i]] > 0:
                    state.alive[kept] = state.alive[i]
                    kept += 1
            state.numbers[LIVING] = kept
        _enter(space, tests, state, record)
    return False


@njit(cache=True)
def _enter(space, tests, state, record):
    """Add a record to the cluster that grows."""
    state.label[record] = state.numbers[CLUSTERS]
    state.numbers[SEED] += 1
    _count(tests, state.histogram, state.kind[record], 1)
    add_records(space, state.sums, state.present, state.counts, state.tuple_of[record], 1)


@njit(cache=True)
def labels(head, following, size):
    """(n,) Cluster of each record, from linked lists: numbered without gaps, -1 for records of none."""
    label = np.full(size, -1, np.int64)
    count = 0
    for cluster in range(head.size):
        i = head[cluster]
        if i < 0:
            continue
        while i >= 0:
            label[i] = count
            i = following[i]
        count += 1
    return label
