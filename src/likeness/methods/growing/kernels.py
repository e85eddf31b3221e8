"""Moves between a small class and those near it that lower what both lose as their regions are published, grown by few members.

A class is the positions of its records. Its loss is that of the regions of `likeness.microdata.attained`, times its records, and
1 for each record where no region could be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.hulls import INTERVAL, SET, common_ancestor

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOTHING, DISSOLVE, MERGE, TAKE, SWAP = 0, 1, 2, 3, 4
LEAST_GAIN = 1e-9
"""What a move must gain, in losses times records: less may be rounding."""


class GrowthRules(NamedTuple):
    """The rule of every attribute, laid out; arrays have a row for each."""

    least: int
    place: NDArray[np.int64]
    """(d, codes) place of each code of an interval; rank of each of a set among the published ones."""
    first: NDArray[np.bool_]
    """(d,) whether nothing lies before place 0."""
    last: NDArray[np.int64]
    """(d,) last place, -1 where there is none; of sets how many values are published."""
    paired: NDArray[np.bool_]
    """(d, codes) of sets, whether the pair of the value of a rank and of minus twice that rank is published with another pair."""
    climb: NDArray[np.int32]
    """(d, nodes) node that a node grows to where as few members are below it as may be; -1 where there is none."""
    missing: NDArray[np.int64]
    """(d,) code of the missing value; -1 where there is none."""


@njit(cache=True)
def interval_loss(rule, geometry, j, low, high, few_low, few_high, m):
    """Loss of the interval that is published of places between two codes; -1 where none may be."""
    x, y = rule.place[j, low], rule.place[j, high]
    last = rule.last[j]
    down = up = 0
    if m > 2 * rule.least:
        if few_low and x % 2 == 1:
            down = 1
        if few_high and y % 2 == 0 and y != last:
            up = 1
    else:
        rest = (x + y) % 3
        if rest == 1:
            if x == 0 and rule.first[j]:
                up = 2
            else:
                down = 1
        elif rest == 2:
            if y == last:
                down = 2
            else:
                up = 1
        elif y - x == 1:
            if y == last:
                down = 3
            else:
                down = up = 1
        if rule.first[j] and last >= 0 and (x - down < 0 or y + up > last):
            # The whole, which is not always shown of the smallest classes.
            return geometry.most[j] if m > rule.least else -1.0
    return min(geometry.position[j, high + up] - geometry.position[j, low - down], geometry.most[j])


@njit(cache=True)
def set_loss(rule, geometry, j, codes, members, m):
    """Loss of the set that is published of some members; -1 where none may be."""
    total = distinct = 0
    one = other = -1
    for i in range(m):
        code = codes[j, members[i]]
        new = True
        for before in range(i):
            if codes[j, members[before]] == code:
                new = False
                break
        if new:
            distinct += 1
            total += rule.place[j, code]
            one, other = other, rule.place[j, code]
    if distinct > 1 and m < distinct + rule.least - 1:
        n = rule.last[j]
        extra = -total % n
        there = False
        for i in range(m):
            there |= rule.place[j, codes[j, members[i]]] == extra
        if not there:
            return geometry.set_loss[j, distinct + 1]
        if distinct > 2 or not rule.paired[j, one if other == -2 * one % n else other]:
            return -1.0
        return geometry.set_loss[j, 4]
    return geometry.set_loss[j, distinct]


@njit(cache=True)
def class_loss(rule, geometry, codes, members, m):
    """What a class of m members loses, as its regions are published; m where they may not be."""
    if m < rule.least:
        return 1.0 * m
    total = 0.0
    for j in range(codes.shape[0]):
        kind = geometry.kind[j]
        if kind == SET:
            lost = set_loss(rule, geometry, j, codes, members, m)
            if lost < 0:
                return 1.0 * m
            total += lost
            continue
        low = high = codes[j, members[0]]
        at_low = at_high = 0
        for i in range(m):
            code = codes[j, members[i]]
            if code < low:
                low, at_low = code, 0
            if code > high:
                high, at_high = code, 0
            at_low += code == low
            at_high += code == high
        mixed = high == rule.missing[j] and low != high
        if kind == INTERVAL:
            if mixed and m <= rule.least:
                return 1.0 * m
            if mixed or low == high:
                lost = geometry.most[j] if mixed else 0.0
            else:
                few_low, few_high = at_low < rule.least, at_high < rule.least
                lost = interval_loss(rule, geometry, j, low, high, few_low, few_high, m)
                if lost < 0:
                    return 1.0 * m
            total += lost
        elif low == high:
            total += geometry.node_loss[j, geometry.leaf_node[j, low]]
        else:
            node = common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, low], high)
            if m == rule.least:
                node = rule.climb[j, node]
                if node < 0:
                    return 1.0 * m
            total += geometry.node_loss[j, node]
    return total * m


@njit(cache=True)
def same(codes, one, other):
    """Whether two records have the same codes."""
    for j in range(codes.shape[0]):
        if codes[j, one] != codes[j, other]:
            return False
    return True


@njit(cache=True)
def best_move(rule, geometry, codes, pool, size, loss, g, near, smallest):
    """Find the move of one class with those near it that gains most.

    ``pool`` (E, most) are the members of the classes, ``size`` and ``loss`` (E,) how many these are and what they lose. Gives the
    gain, the move, the other class, and places in ``pool`` of the members that move; of what is dissolved the class that each
    member joins.
    """
    m, most = size[g], pool.shape[1]
    mine, others = np.empty(2 * most, np.int64), np.empty(2 * most, np.int64)
    gain, move, other, from_g, from_other = LEAST_GAIN, NOTHING, -1, -1, -1
    homes, costs = np.full(m, -1, np.int64), np.full(m, np.inf)
    for h in near:
        k = size[h]
        if h == g or k == 0 or k + m > most:
            continue
        both = loss[g] + loss[h]
        others[:k] = pool[h, :k]
        for i in range(m):
            others[k] = pool[g, i]
            cost = class_loss(rule, geometry, codes, others, k + 1) - loss[h]
            taken = False
            for before in range(i):
                taken |= homes[before] == h
            if cost < costs[i] and not taken:
                costs[i], homes[i] = cost, h
        for i in range(m):
            others[k + i] = pool[g, i]
        found = both - class_loss(rule, geometry, codes, others, k + m)
        if found > gain:
            gain, move, other = found, MERGE, h
        for i in range(m):
            mine[i] = pool[g, i]
        for r in range(k):
            if r > 0 and same(codes, pool[h, r], pool[h, r - 1]):
                continue
            mine[m] = pool[h, r]
            if k > smallest:
                left = class_loss(rule, geometry, codes, mine, m + 1)
                if both - left > gain:
                    others[: k - 1] = pool[h, : k - 1]
                    if r < k - 1:
                        others[r] = pool[h, k - 1]
                    found = both - left - class_loss(rule, geometry, codes, others, k - 1)
                    if found > gain:
                        gain, move, other, from_other = found, TAKE, h, r
            for i in range(m):
                mine[i] = pool[h, r]
                left = class_loss(rule, geometry, codes, mine, m)
                mine[i] = pool[g, i]
                if both - left > gain:
                    others[:k] = pool[h, :k]
                    others[r] = pool[g, i]
                    found = both - left - class_loss(rule, geometry, codes, others, k)
                    if found > gain:
                        gain, move, other, from_g, from_other = found, SWAP, h, i, r
    if loss[g] - costs.sum() > gain:
        gain, move = loss[g] - costs.sum(), DISSOLVE
    return gain, move, other, from_g, from_other, homes


@njit(cache=True)
def best_partition(rule, geometry, codes, records, smallest):
    """Find the classes of ``smallest`` records or more in which some records lose least: what these lose, and the class of each.

    Every set of records is looked at as a class; then of every set the best class of its first record, with what the others lose
    least. Infinite where there are too few records.
    """
    n = records.shape[0]
    everybody = 1 << n
    cost, least = np.full(everybody, np.inf), np.full(everybody, np.inf)
    taken, members = np.zeros(everybody, np.int64), np.empty(n, np.int64)
    for own in range(1, everybody):
        m = 0
        for i in range(n):
            if (own >> i) & 1:
                members[m] = records[i]
                m += 1
        if m >= smallest:
            cost[own] = class_loss(rule, geometry, codes, members, m)
    least[0] = 0.0
    for own in range(1, everybody):
        first = own & -own
        others = own ^ first
        some = others
        while True:
            if cost[some | first] < least[own]:
                lost = cost[some | first] + least[others ^ some]
                if lost < least[own]:
                    least[own], taken[own] = lost, some | first
            if some == 0:
                break
            some = (some - 1) & others
    labels, left, number = np.zeros(n, np.int64), everybody - 1, 0
    while left > 0 and taken[left] > 0:
        for i in range(n):
            if (taken[left] >> i) & 1:
                labels[i] = number
        left ^= taken[left]
        number += 1
    return least[everybody - 1], labels
