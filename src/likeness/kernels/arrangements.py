"""Every way to give a class's values to its members, and how likely each member has each of them then.

A class is a matrix of weights (u, k): how likely a member of each of its u distributions is thought to have each of its k values,
with the number of members (u,) and of records with each value (k,), which sum to the same. An arrangement gives every member a
value, and is as likely as the product of their weights. Members of one distribution are alike, so a belief is of a distribution
and a value.
"""

from __future__ import annotations

import math

import numpy as np

from likeness.kernels import njit
from likeness.kernels.beliefs import odds_apart

_STILL = 1e-13
_FAR = 1e150
"""Factors beyond this show a matrix that cannot be scaled."""

_MOST_ODDS = 40.0
"""Logarithm of odds that bound nothing any more."""


@njit(cache=True)
def balanced(weights, members, counts, rounds):
    """Scale rows and columns of ``weights`` (u, k) until they sum to ``members`` and ``counts`` (Sinkhorn).

    Returns the matrix, whose rows have their sums, and the largest part by which a row missed its own in the last round: infinite
    where a row or column has nothing to scale.
    """
    u, k = weights.shape
    by_row, by_column = np.ones(u), np.ones(k)
    miss = np.inf
    for _ in range(rounds):
        previous = by_column.copy()
        largest = 0.0
        for c in range(k):
            total = 0.0
            for r in range(u):
                total += weights[r, c] * by_row[r]
            if total == 0.0:
                return weights, np.inf
            by_column[c] = counts[c] / total
            largest = max(largest, by_column[c], 1.0 / by_column[c])
        if largest > _FAR:
            by_column = previous
            break
        miss = 0.0
        for r in range(u):
            total = 0.0
            for c in range(k):
                total += weights[r, c] * by_column[c]
            if total == 0.0:
                return weights, np.inf
            miss = max(miss, abs(by_row[r] * total / members[r] - 1.0))
            by_row[r] = members[r] / total
        if miss < _STILL:
            break
    found = np.empty((u, k))
    for r in range(u):
        for c in range(k):
            found[r, c] = weights[r, c] * by_row[r] * by_column[c]
    return found, miss


@njit(cache=True)
def place_all(weights, items, rooms, found):
    """Place all items in bins with limited room, in every possible way: how many of each kind each bin holds on average.

    ``weights`` (i, b): how likely an item of each kind goes into each bin; ``items`` (i,) and ``rooms`` (b,) sum to the same.
    Filled: ``found`` (i, b), or zeros where there is no way; returns how likely random items fit the bins.

    A state says how full each bin is, and so how many items were placed: from below the chance of all ways there is summed, from
    above that of all ways on, each state once.
    """
    kinds, bins = weights.shape
    found[:] = 0.0
    # Chances of an item instead of weights: their products do not overflow.
    chance = np.empty((kinds, bins))
    for i in range(kinds):
        total = weights[i].sum()
        if total == 0.0:
            return 0.0
        chance[i] = weights[i] / total
    kind_of = np.empty(items.sum(), np.int64)
    at = 0
    for i in range(kinds):
        kind_of[at : at + items[i]] = i
        at += items[i]
    stride = np.empty(bins, np.int64)
    states = 1
    for b in range(bins):
        stride[b] = states
        states *= rooms[b] + 1
    there, ahead = np.zeros(states), np.zeros(states)
    there[0] = ahead[states - 1] = 1.0
    full = np.zeros(bins, np.int64)
    placed = 0
    for state in range(1, states):
        b = 0
        while full[b] == rooms[b]:
            placed -= rooms[b]
            full[b] = 0
            b += 1
        full[b] += 1
        placed += 1
        kind = kind_of[placed - 1]
        total = 0.0
        for b in range(bins):
            if full[b] > 0:
                total += there[state - stride[b]] * chance[kind, b]
        there[state] = total
    if there[states - 1] == 0.0:
        return 0.0
    for state in range(states - 2, -1, -1):
        b = 0
        while full[b] == 0:
            full[b] = rooms[b]
            placed += rooms[b]
            b += 1
        full[b] -= 1
        placed -= 1
        kind = kind_of[placed]
        total = 0.0
        for b in range(bins):
            if full[b] < rooms[b]:
                step = chance[kind, b] * ahead[state + stride[b]]
                total += step
                found[kind, b] += there[state] * step
        ahead[state] = total
    for i in range(kinds):
        for b in range(bins):
            found[i, b] /= there[states - 1]
    return there[states - 1]


@njit(cache=True)
def _boxes(rooms):
    """States that bins of some room can be in."""
    found = 1.0
    for room in rooms:
        found *= room + 1
    return found


@njit(cache=True)
def states_of(members, counts):
    """States that `believe_exactly` goes through."""
    return min(_boxes(counts), _boxes(members))


@njit(cache=True)
def believe_exactly(weights, members, counts, found):
    """Fill ``found`` (u, k) with the exact beliefs; returns whether any arrangement is possible.

    Members are placed among values or values among members, whichever has fewer states. Weights are scaled first, which changes
    no belief and keeps sums from vanishing.
    """
    u, k = weights.shape
    scaled, _ = balanced(weights, members, counts, 50)
    if _boxes(counts) <= _boxes(members):
        total = place_all(scaled, members, counts, found)
        for r in range(u):
            for c in range(k):
                found[r, c] /= members[r]
        return total > 0.0
    turned = np.empty((k, u))
    total = place_all(np.ascontiguousarray(scaled.T), counts, members, turned)
    for r in range(u):
        for c in range(k):
            found[r, c] = turned[c, r] / members[r]
    return total > 0.0


@njit(cache=True)
def estimate(weights, members, counts, found):
    """Fill ``found`` (u, k) with the Ω-estimate of the beliefs: ``c_s ω_x(s) / Σ_y ω_y(s)``, scaled to sum to 1."""
    u, k = weights.shape
    size = members.sum()
    for c in range(k):
        total = 0.0
        for r in range(u):
            total += members[r] * weights[r, c]
        for r in range(u):
            # What everybody rules out, somebody has all the same: anybody.
            found[r, c] = counts[c] * weights[r, c] / total if total > 0.0 else counts[c] / size
    for r in range(u):
        total = found[r].sum()
        for c in range(k):
            found[r, c] = found[r, c] / total if total > 0.0 else counts[c] / size


@njit(cache=True)
def _term(a, b):
    """What one value adds to the Jensen-Shannon divergence of two distributions, in bits."""
    found = 0.0
    if a > 0.0:
        found += a * math.log2(2.0 * a / (a + b))
    if b > 0.0:
        found += b * math.log2(2.0 * b / (a + b))
    return 0.5 * found


@njit(cache=True)
def _apart(before, belief, values, smoothing):
    """Jensen-Shannon divergence, in bits, of a distribution (m,) and a ``belief`` in some values, which may be smoothed first."""
    total = 0.0
    if smoothing.size > 0:
        after = np.zeros(before.size)
        for s in range(before.size):
            for c in range(values.size):
                after[s] += smoothing[s, values[c]] * belief[c]
        after /= after.sum()
        for s in range(before.size):
            total += _term(before[s], after[s])
        return total
    c = 0
    for s in range(before.size):
        if c < values.size and values[c] == s:
            total += _term(before[s], belief[c])
            c += 1
        else:
            total += 0.5 * before[s]
    return total


@njit(cache=True)
def _at_most_apart(before, shares, values, odds):
    """Most that a distribution (m,) is apart from a belief in ``values`` between their ``shares`` (k,) over and times the odds.

    What each value adds is convex in the belief, so it is largest at one of these ends.
    """
    total = 0.0
    c = 0
    for s in range(before.size):
        if c < values.size and values[c] == s:
            low, high = shares[c] / odds, min(1.0, shares[c] * odds)
            total += max(_term(before[s], low), _term(before[s], high))
            c += 1
        else:
            total += 0.5 * before[s]
    return min(1.0, total)


@njit(cache=True)
def largest_change(codes, number, shares, before, smoothing, states):
    """Largest Jensen-Shannon divergence, in bits, between what is believed of a member before and after its class is seen.

    Parameters
    ----------
    codes, number : (e,)
        Pairs of a distribution and a value in the class, ``distribution · m + value``, ascending; members that have each.
    shares, before : (c, m)
        The distributions, and as they are compared: smoothed where ``smoothing`` (m, m) is not empty.
    states
        Beliefs are the Ω-estimate where it is below 0; else exact where at most so many states are to be counted, and above, an
        upper bound by the odds (1 where beliefs are smoothed).
    """
    m = shares.shape[1]
    who, members = np.empty(codes.size, np.int64), np.zeros(codes.size, np.int64)
    tally = np.zeros(m, np.int64)
    u = 0
    for i in range(codes.size):
        if u == 0 or who[u - 1] != codes[i] // m:
            who[u] = codes[i] // m
            u += 1
        members[u - 1] += number[i]
        tally[codes[i] % m] += number[i]
    who, members, values = who[:u], members[:u].copy(), np.flatnonzero(tally)
    counts = tally[values]
    weights, belief = np.empty((u, values.size)), np.empty((u, values.size))
    for r in range(u):
        for c in range(values.size):
            weights[r, c] = shares[who[r], values[c]]
    found = 0.0
    if states >= 0 and states_of(members, counts) > states:
        if smoothing.size > 0:
            return 1.0
        log_odds = odds_apart(who, values, shares)
        # Where nobody thinks a value possible that somebody has, odds say nothing of it.
        if log_odds > _MOST_ODDS or weights.min() == 0.0:
            return 1.0
        for r in range(u):
            apart = _at_most_apart(before[who[r]], counts / members.sum(), values, math.exp(log_odds))
            found = max(found, apart)
        return found
    if states < 0:
        estimate(weights, members, counts, belief)
    elif not believe_exactly(weights, members, counts, belief):
        return 1.0
    for r in range(u):
        found = max(found, _apart(before[who[r]], belief[r], values, smoothing))
    return found


@njit(cache=True)
def changes(start, codes, number, shares, before, smoothing, states):
    """(E,) `largest_change` of every class, whose pairs are ``codes[start[g]:start[g + 1]]``."""
    found = np.zeros(start.size - 1)
    for g in range(found.size):
        one = slice(start[g], start[g + 1])
        found[g] = largest_change(codes[one], number[one], shares, before, smoothing, states)
    return found
