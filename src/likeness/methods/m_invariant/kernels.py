"""Split buckets of equally many records of each value into groups of one of each (see `likeness.methods.m_invariant`)."""

from __future__ import annotations

import numpy as np
from numba import float64, int64, types

from likeness.kernels import njit
from likeness.kernels.ordering import ascending_order


@njit(float64(int64[:, ::1], int64, int64, float64[:, ::1]), cache=True)
def _extent(people, begin, end, places):
    """Add up how far people are apart in every attribute: those at the positions ``begin`` to ``end`` of every value."""
    total = 0.0
    for a in range(places.shape[0]):
        low, high = np.inf, -np.inf
        for j in range(people.shape[0]):
            for i in range(begin, end):
                place = places[a, people[j, i]]
                low, high = min(low, place), max(high, place)
        total += high - low
    return total


@njit(types.void(int64[:, ::1], int64[:, ::1], int64, int64, int64[::1]), cache=True)
def _sort(people, shown, begin, end, keys):
    """Put the people of every value at the positions ``begin`` to ``end`` in the order of their keys."""
    own = np.empty(end - begin, np.int64)
    for j in range(people.shape[0]):
        for i in range(begin, end):
            own[i - begin] = keys[people[j, i]]
        order = ascending_order(own)
        for i in range(end - begin):
            shown[j, begin + i] = people[j, begin + order[i]]


@njit(types.void(int64[:, ::1], float64[:, ::1], int64[:, ::1]), cache=True)
def split_bucket(people, places, ranks):  # compiled: positions only
    """Order the people of every value, so that those at one position are a group whose regions are narrow.

    ``people`` (values, groups) int64, changed: the records of each value. ``places`` (attributes, n) says where each record lies,
    from 0 to 1 times the weight of the attribute; ``ranks`` (attributes, n) orders them. A part is cut in the middle, by the
    attribute after which the two halves extend least, until every part is one group.
    """
    count = people.shape[1]
    begins, ends = np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    begins[0], ends[0] = 0, count
    parts = 1
    shown, best = people.copy(), people.copy()
    while parts > 0:
        parts -= 1
        begin, end = begins[parts], ends[parts]
        if end - begin < 2:
            continue
        middle = (begin + end) // 2
        least = np.inf
        for a in range(places.shape[0]):
            _sort(people, shown, begin, end, ranks[a])
            loss = (middle - begin) * _extent(shown, begin, middle, places)
            loss += (end - middle) * _extent(shown, middle, end, places)
            if loss < least:
                least = loss
                for j in range(people.shape[0]):
                    for i in range(begin, end):
                        best[j, i] = shown[j, i]
        if least < np.inf:
            for j in range(people.shape[0]):
                for i in range(begin, end):
                    people[j, i] = best[j, i]
        begins[parts], ends[parts] = begin, middle
        begins[parts + 1], ends[parts + 1] = middle, end
        parts += 2
