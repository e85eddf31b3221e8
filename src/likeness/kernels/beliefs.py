"""What adversaries believe: divergences and odds of pairs of distributions, complete linkage on them, and class tests."""

from __future__ import annotations

import math

import numpy as np

from likeness.kernels import njit


@njit(cache=True)
def _bits(x):
    """``x log2 x``, 0 at 0."""
    return x * math.log2(x) if x > 0.0 else 0.0


@njit(cache=True)
def entropies(shares):
    """(c,) Minus the entropy, in bits, of each of the distributions (c, m)."""
    found = np.zeros(shares.shape[0])
    for i in range(shares.shape[0]):
        for s in range(shares.shape[1]):
            found[i] += _bits(shares[i, s])
    return found


@njit(cache=True)
def divergence(shares, negative, i, j):
    """Jensen-Shannon divergence of two rows in bits; ``negative`` are their `entropies`."""
    middle = 0.0
    for s in range(shares.shape[1]):
        middle += _bits(0.5 * (shares[i, s] + shares[j, s]))
    return max(0.0, 0.5 * (negative[i] + negative[j]) - middle)


@njit(cache=True)
def divergences(shares, negative):
    """(c (c - 1) / 2,) Divergence of every pair i < j, row by row."""
    c = shares.shape[0]
    found = np.empty(c * (c - 1) // 2)
    k = 0
    for i in range(c):
        for j in range(i + 1, c):
            found[k] = divergence(shares, negative, i, j)
            k += 1
    return found


@njit(cache=True)
def _at(c, i, j):
    """Place of a pair in the flat order of `divergences`."""
    if i > j:
        i, j = j, i
    return c * i - i * (i + 1) // 2 + j - i - 1


@njit(cache=True)
def complete_linkage(apart, c):
    """Join c clusters, always the two whose farthest members are nearest, by chains of nearest neighbours.

    ``apart`` (c (c - 1) / 2,) holds the distances and is overwritten. Of equally near clusters the one of the lowest number is
    taken; a joined one keeps the lower of its two numbers. Returns ``one``, ``other`` (c - 1,), ``one < other``, the numbers
    that were joined, and ``height`` (c - 1,), in the order of the chain: an ancestor never comes before its parts.
    """
    one = np.empty(max(0, c - 1), np.int64)
    other = np.empty(max(0, c - 1), np.int64)
    height = np.empty(max(0, c - 1))
    alive = np.ones(c, np.bool_)
    chain = np.empty(c, np.int64)
    length = 0
    for step in range(c - 1):
        if length == 0:
            for i in range(c):
                if alive[i]:
                    chain[0] = i
                    break
            length = 1
        while True:
            x = chain[length - 1]
            near, least = -1, np.inf
            if length > 1:
                near = chain[length - 2]
                least = apart[_at(c, x, near)]
            for y in range(c):
                if alive[y] and y != x and apart[_at(c, x, y)] < least:
                    near, least = y, apart[_at(c, x, y)]
            if length > 1 and near == chain[length - 2]:
                break
            chain[length] = near
            length += 1
        length -= 2
        low, high = min(x, near), max(x, near)
        one[step], other[step], height[step] = low, high, least
        alive[high] = False
        for y in range(c):
            if alive[y] and y != low:
                apart[_at(c, low, y)] = max(apart[_at(c, low, y)], apart[_at(c, high, y)])
    return one, other, height


@njit(cache=True)
def lead(shares, negative, radius, most):
    """Leaders among the rows of ``shares``, from the first on, and (c,) which of them is the first within ``radius`` of each row.

    Distances are square roots of divergences. Ends with one leader more than ``most`` where there are more.
    """
    c = shares.shape[0]
    leader, of = np.empty(min(c, most + 1), np.int64), np.empty(c, np.int64)
    count, limit = 0, radius * radius
    for i in range(c):
        of[i] = -1
        for k in range(count):
            if divergence(shares, negative, leader[k], i) <= limit:
                of[i] = k
                break
        if of[i] < 0:
            leader[count] = i
            of[i] = count
            count += 1
            if count > most:
                break
    return leader[:count], of


@njit(cache=True)
def widest(start, members, shares, negative):
    """(E,) Largest divergence of two members of each class; ``members[start[g]:start[g + 1]]`` are rows of ``shares``.

    A pair of a class is no further apart, in square roots, than both are from its first member, so pairs are looked at from the
    outside in until none can be wider than the widest found.
    """
    classes = start.size - 1
    found = np.zeros(classes)
    for g in range(classes):
        low, high = start[g], start[g + 1]
        size = high - low
        if size < 2:
            continue
        away = np.empty(size)
        for i in range(size):
            away[i] = math.sqrt(divergence(shares, negative, members[low], members[low + i]))
        order = np.argsort(-away)
        best = away[order[0]] ** 2
        for a in range(size):
            i = order[a]
            if (2 * away[i]) ** 2 < best:
                break
            for b in range(a + 1, size):
                k = order[b]
                if (away[i] + away[k]) ** 2 < best:
                    break
                best = max(best, divergence(shares, negative, members[low + i], members[low + k]))
        found[g] = best
    return found


@njit(cache=True)
def reach(ones, start, members, shares, negative, limit):
    """(k, E) Whether no member of a class is further than ``limit`` from each of the rows ``ones`` (k,) of ``shares``."""
    found = np.ones((ones.size, start.size - 1), np.bool_)
    for i in range(ones.size):
        for g in range(start.size - 1):
            for k in range(start[g], start[g + 1]):
                if divergence(shares, negative, ones[i], members[k]) > limit:
                    found[i, g] = False
                    break
    return found


@njit(cache=True)
def near(start, members, shares, negative, least, most):
    """Pairs of one class whose divergence is above ``least`` and at most ``most``: rows of ``shares``, and the class."""
    pairs = [(np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]
    for g in range(start.size - 1):
        for a in range(start[g], start[g + 1]):
            for b in range(a + 1, start[g + 1]):
                apart = divergence(shares, negative, members[a], members[b])
                if least < apart <= most:
                    pairs.append((members[a], members[b], np.int64(g)))
    return pairs


@njit(cache=True)
def widest_odds(logs):
    """Largest difference, of two rows x, y of ``logs`` (k, v), of ``logs[x, s] - logs[y, s]`` over two values s.

    Pairs of rows are looked at, or pairs of values, whichever are fewer.
    """
    k, v = logs.shape
    found = 0.0
    if k < v:
        for x in range(k):
            for y in range(x + 1, k):
                low, high = np.inf, -np.inf
                for s in range(v):
                    apart = logs[x, s] - logs[y, s]
                    low, high = min(low, apart), max(high, apart)
                found = max(found, high - low)
        return found
    for s in range(v):
        for t in range(s + 1, v):
            low, high = np.inf, -np.inf
            for x in range(k):
                apart = logs[x, s] - logs[x, t]
                low, high = min(low, apart), max(high, apart)
            found = max(found, high - low)
    return found


@njit(cache=True)
def odds_apart(members, values, shares):
    """Logarithm of the largest odds of two rows of ``shares``, over some of the values; those that both rule out say nothing.

    Infinite where one rules a value out and another does not.
    """
    logs = np.empty((members.size, values.size))
    k = 0
    for s in values:
        impossible = 0
        for x in range(members.size):
            if shares[members[x], s] > 0.0:
                logs[x, k] = math.log(shares[members[x], s])
            else:
                impossible += 1
        if impossible == 0:
            k += 1
        elif impossible < members.size:
            return np.inf
    return widest_odds(logs[:, :k].copy())


@njit(cache=True)
def odds(start, members, first, values, shares):
    """(E,) `odds_apart` of each class: ``members[start[g]:start[g + 1]]`` over ``values[first[g]:first[g + 1]]``."""
    found = np.zeros(start.size - 1)
    for g in range(start.size - 1):
        found[g] = odds_apart(members[start[g] : start[g + 1]], values[first[g] : first[g + 1]], shares)
    return found


@njit(cache=True)
def within(members, shares, negative, limit):
    """Whether no two of some rows of ``shares`` are further apart than ``limit`` bits."""
    if members.size < 2:
        return True
    away = np.empty(members.size)
    farthest = 0.0
    for i in range(members.size):
        apart = divergence(shares, negative, members[0], members[i])
        if apart > limit:
            return False
        away[i] = math.sqrt(apart)
        farthest = max(farthest, away[i])
    # The square root is a metric: twice the way to the first is the longest between two.
    if 4 * farthest * farthest <= limit:
        return True
    for i in range(members.size):
        for k in range(i + 1, members.size):
            if (away[i] + away[k]) ** 2 > limit and divergence(
                shares, negative, members[i], members[k]
            ) > limit:
                return False
    return True
