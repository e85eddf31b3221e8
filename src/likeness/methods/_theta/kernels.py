"""The bucket search of θ-sensitive k-anonymity, and the grouping of (θ*,k)-utility (see `methods._theta`)."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.kernels.class_tests import varied
from likeness.methods.k_member.kernels import widen, widened_attribute

TIE = 1e-12
"""Losses that are nearer than this are equal."""


@njit(cache=True)
def exchange(values, width, ends, order, begins, present, integers, reals, noise):
    """Exchange tuples of consecutive buckets until each is varied, then add noise where that is not enough.

    ``values`` (n,): category of each tuple, below ``width``; ``ends`` (E,): where each bucket ends. ``order`` (n,) are the
    positions sorted by category, ``begins`` (width + 1,) where those of each begin. ``present`` (C,): categories that may be
    noise, ascending; ``integers``, ``reals``: of the test `varied`. Without ``noise`` none is added.

    Returns the tuple that stands at each position, bucket and category of every noise tuple, and the number of exchanges.
    """
    n = values.shape[0]
    standing, own = np.arange(n), values.copy()
    # The first position of each category behind the current bucket: of those that have it from the beginning, which are passed
    # in their order, or of those that an exchange gave it, which are in a heap (pairing heap: one child, one sibling a position).
    passed, heap = begins[:-1].copy(), np.full(width, -1, np.int64)
    child, sibling = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    buckets, added = np.empty(16, np.int64), np.empty(16, np.int64)
    invented = exchanges = begin = 0
    histogram, there, room = np.zeros(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    for bucket in range(ends.shape[0]):
        end = ends[bucket]
        size, distinct = end - begin, 0
        for position in range(begin, end):
            distinct += _count(own[position], histogram, there, distinct)
        while not _varied(size, histogram, there[:distinct], room, integers, reals):
            found, value = _first_lacking(histogram, end, order, begins, passed, heap, child, sibling)
            if value < 0:
                break
            if heap[value] == found:
                heap[value] = _without_first(found, child, sibling)
            else:
                passed[value] += 1
            victim = _last_of_most(own, histogram, begin, end)
            given = own[victim]
            child[found] = sibling[found] = -1
            heap[given] = _melded(heap[given], found, child, sibling)
            standing[victim], standing[found] = standing[found], standing[victim]
            own[victim], own[found] = value, given
            # The victim's category stays: where each is there once, a bucket is varied.
            histogram[given] -= 1
            distinct += _count(value, histogram, there, distinct)
            exchanges += 1
        last = np.searchsorted(present, own[end - 1])
        # As often each: nothing is as varied as that, so no more can help.
        while (
            noise
            and not _varied(size, histogram, there[:distinct], room, integers, reals)
            and not _even(histogram, present)
        ):
            last = _rarest_after(last, histogram, present)
            if invented == buckets.shape[0]:
                buckets = np.concatenate((buckets, np.empty(invented, np.int64)))
                added = np.concatenate((added, np.empty(invented, np.int64)))
            buckets[invented], added[invented] = bucket, present[last]
            invented += 1
            distinct += _count(present[last], histogram, there, distinct)
            size += 1
        for i in range(distinct):
            histogram[there[i]] = 0
        begin = end
    return standing, buckets[:invented], added[:invented], exchanges


@njit(cache=True)
def _count(value, histogram, there, distinct):
    """Count a category; 1 where it was not there, and is put behind the ``distinct`` ones that are."""
    new = histogram[value] == 0
    if new:
        there[distinct] = value
    histogram[value] += 1
    return np.int64(new)


@njit(cache=True)
def _first_lacking(histogram, end, order, begins, passed, heap, child, sibling):
    """Find the first position behind a bucket whose category it lacks, and that category; -1 where there is none."""
    found, value = order.shape[0], -1
    for category in range(histogram.shape[0]):
        if histogram[category] > 0:
            continue
        while passed[category] < begins[category + 1] and order[passed[category]] < end:
            passed[category] += 1
        while heap[category] >= 0 and heap[category] < end:
            heap[category] = _without_first(heap[category], child, sibling)
        if passed[category] < begins[category + 1] and order[passed[category]] < found:
            found, value = order[passed[category]], category
        if heap[category] >= 0 and heap[category] < found:
            found, value = heap[category], category
    return found, value


@njit(cache=True)
def _last_of_most(own, histogram, begin, end):
    """Find the last position in a bucket of a most frequent category, whichever of them that is."""
    victim, most = begin, 0
    for position in range(begin, end):
        if histogram[own[position]] >= most:
            victim, most = position, histogram[own[position]]
    return victim


@njit(cache=True)
def _rarest_after(last, histogram, present):
    """Find the rarest category in a bucket, of equals the next one after the ``last`` in a circle; by place in ``present``."""
    chosen = (last + 1) % present.shape[0]
    for step in range(2, present.shape[0] + 1):
        next_ = (last + step) % present.shape[0]
        if histogram[present[next_]] < histogram[present[chosen]]:
            chosen = next_
    return chosen


@njit(cache=True)
def _varied(size, histogram, there, room, integers, reals):
    """Decide what `varied` does, looking only at the categories that are ``there``, which are put in order."""
    if reals.shape[0] > 0:
        return varied(size, histogram, integers, reals)
    if size < integers[0]:
        return False
    by_frequency = integers[1] == 1
    for i in range(there.shape[0]):
        one = histogram[there[i]] if by_frequency else there[i]
        j = i
        while j > 0 and ((by_frequency and room[j - 1] < one) or (not by_frequency and room[j - 1] > one)):
            room[j] = room[j - 1]
            j -= 1
        room[j] = one
    first = second = 0
    for i in range(there.shape[0]):
        many = room[i] if by_frequency else histogram[room[i]]
        x = room[i] if integers[1] == 2 else i
        first += many * x
        second += many * x * x
    return (size * second - first * first) * integers[3] >= size * size * integers[2]


@njit(cache=True)
def _even(histogram, present):
    """Whether every category is there, each as often."""
    for category in present:
        if histogram[category] != histogram[present[0]]:
            return False
    return histogram[present[0]] > 0


@njit(cache=True)
def _melded(one, other, child, sibling):
    """Make one heap of two, each its first position; -1 is empty."""
    if one < 0 or other < 0:
        return max(one, other)
    first, second = min(one, other), max(one, other)
    sibling[second] = child[first]
    child[first] = second
    return first


@njit(cache=True)
def _without_first(first, child, sibling):
    """Take the first position out of a heap: its children are melded by twos, then all from the last."""
    pairs, one = -1, child[first]
    while one >= 0:
        other = sibling[one]
        after = -1
        if other >= 0:
            after = sibling[other]
            one = _melded(one, other, child, sibling)
        sibling[one] = pairs
        pairs, one = one, after
    found = -1
    while pairs >= 0:
        next_ = sibling[pairs]
        found = _melded(found, pairs, child, sibling)
        pairs = next_
    return found


@njit(cache=True)
def group(geometry, hulls, codes, k):
    """Group records greedily: the first that is left, and k - 1 times the one that widens the group's hull at least loss.

    ``codes`` (n, d) in the order of the table, by which equal losses are decided; ``hulls`` has room for one group. The last
    group has k to 2k - 1 records. Returns the group of each record.
    """
    n, d = codes.shape
    found, left = np.full(n, -1, np.int64), np.arange(n)
    # What each code of an attribute costs the group: the same for all records that have it, until the hull is wider there.
    costs = np.empty((d, geometry.position.shape[1]))
    # A hull only widens while its group grows, so what a record cost before, or a part of it, is what it costs at least.
    least = np.zeros(n)
    living, count = n, 0
    while living >= 2 * k:
        least[:] = 0.0
        chosen = left[0]
        for j in range(d):
            hulls.low[0, j] = hulls.high[0, j] = codes[chosen, j]
        hulls.bits[:] = 0
        hulls.present[:] = 0
        widen(geometry, hulls, 0, codes, chosen)
        found[chosen] = count
        for j in range(d):
            _lay_out_costs(geometry, hulls, j, costs)
        for _ in range(1, k):
            chosen, lowest = -1, np.inf
            for i in range(living):
                one = left[i]
                if found[one] >= 0 or least[one] >= lowest - TIE:
                    continue
                total = 0.0
                for j in range(d):
                    total += costs[j, codes[one, j]]
                    if total >= lowest:
                        break
                least[one] = total
                if total < lowest - TIE:
                    chosen, lowest = one, total
            found[chosen] = count
            inside = hulls.low[0].copy(), hulls.high[0].copy(), hulls.present[0].copy()
            widen(geometry, hulls, 0, codes, chosen)
            for j in range(d):
                if (
                    hulls.low[0, j] < inside[0][j]
                    or hulls.high[0, j] > inside[1][j]
                    or hulls.present[0, j] > inside[2][j]
                ):
                    _lay_out_costs(geometry, hulls, j, costs)
        count += 1
        kept = 0
        for i in range(living):
            if found[left[i]] < 0:
                left[kept] = left[i]
                kept += 1
        living = kept
    found[left[:living]] = count
    return found


@njit(cache=True)
def _lay_out_costs(geometry, hulls, j, costs):
    """Find what each code of an attribute costs the group."""
    for code in range(geometry.values[j]):
        costs[j, code] = widened_attribute(geometry, hulls, 0, j, code)
