"""Give every record of a group one of the group's values, so that together they fit best.

Scores come as tables: record i with codes x_ij fits value v by ``Σ_j table[begin_j + x_ij, v]``. A group is a
stretch of ``members``, with the values it has and how often.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int32, int64, types

from likeness.kernels import njit

_BETTER = 1e-9
"""Exchanges that gain less are not made, so that they end."""


@njit(int64[::1](float64[:, ::1]), cache=True)
def assign_best(scores):
    """(n,) Column of each row in the assignment with the largest sum of scores (n, n): the Hungarian method, O(n³)."""
    n = scores.shape[0]
    of_row, of_column = np.zeros(n + 1), np.zeros(n + 1)
    row_at = np.zeros(n + 1, np.int64)
    way = np.zeros(n + 1, np.int64)
    least = np.empty(n + 1)
    done = np.empty(n + 1, np.bool_)
    for row in range(1, n + 1):
        row_at[0] = row
        at = 0
        least[:] = np.inf
        done[:] = False
        while True:
            done[at] = True
            own, delta, following = row_at[at], np.inf, 0
            for column in range(1, n + 1):
                if not done[column]:
                    reduced = -scores[own - 1, column - 1] - of_row[own] - of_column[column]
                    if reduced < least[column]:
                        least[column] = reduced
                        way[column] = at
                    if least[column] < delta:
                        delta = least[column]
                        following = column
            for column in range(n + 1):
                if done[column]:
                    of_row[row_at[column]] += delta
                    of_column[column] -= delta
                else:
                    least[column] -= delta
            at = following
            if row_at[at] == 0:
                break
        while at > 0:
            before = way[at]
            row_at[at] = row_at[before]
            at = before
    found = np.empty(n, np.int64)
    for column in range(1, n + 1):
        found[row_at[column] - 1] = column - 1
    return found


@njit(int64(float64[:, ::1], int64[::1], int64[::1]), cache=True)
def swap_values(scores, starts, slots):
    """Exchange the values of two records wherever that raises the sum of scores, until no exchange does; count exchanges.

    Values are looked at two at a time; of their records those that gain most are exchanged first. ``scores`` (n, k) is how
    well each record fits each value; records of value a are ``slots[starts[a]:starts[a + 1]]``, changed in place.
    """
    k = scores.shape[1]
    total = 0
    moved = True
    while moved:
        moved = False
        for a in range(k):
            for b in range(a + 1, k):
                mine, theirs = slots[starts[a] : starts[a + 1]], slots[starts[b] : starts[b + 1]]
                best_a, best_b = -np.inf, -np.inf
                for i in mine:
                    best_a = max(best_a, scores[i, b] - scores[i, a])
                for i in theirs:
                    best_b = max(best_b, scores[i, a] - scores[i, b])
                if best_a + best_b <= _BETTER:
                    continue
                gain_a, gain_b = np.empty(mine.size), np.empty(theirs.size)
                for at in range(mine.size):
                    gain_a[at] = scores[mine[at], b] - scores[mine[at], a]
                for at in range(theirs.size):
                    gain_b[at] = scores[theirs[at], a] - scores[theirs[at], b]
                order_a, order_b = np.argsort(-gain_a), np.argsort(-gain_b)
                for at in range(min(mine.size, theirs.size)):
                    p, q = order_a[at], order_b[at]
                    if gain_a[p] + gain_b[q] <= _BETTER:
                        break
                    mine[p], theirs[q] = theirs[q], mine[p]
                    total += 1
                    moved = True
    return total


@njit(
    types.void(int32[:, ::1], int64[::1], float64[:, ::1], int64[::1], int64[::1], float64[:, ::1]),
    cache=True,
)
def fill_scores(codes, begins, table, members, values, scores):
    """Score every member of a group for every value it has, into ``scores`` (members, values)."""
    for at in range(members.size):
        for c in range(values.size):
            total = 0.0
            for j in range(codes.shape[0]):
                total += table[begins[j] + codes[j, members[at]], values[c]]
            scores[at, c] = total


@njit(
    int64(
        int32[:, ::1],
        int64[::1],
        float64[:, ::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        int32[::1],
    ),
    cache=True,
)
def assign_groups(
    codes, begins, table, members, starts, values, times, value_starts, largest_exact, assigned
):
    """Assign the values of every group anew; count the records whose value changed.

    ``codes`` (d, n) is what is known of the records, ``table`` (rows, m) the scores of attribute values: those of attribute
    j begin at row ``begins[j]``. ``members`` are the records of group g from ``starts[g]``; from ``value_starts[g]`` stand
    its ``values``, ascending, and how many records have each (``times``). ``assigned`` (n,) int32 is every record's value,
    its group's as often as they occur, changed in place. Groups of at most ``largest_exact`` records are solved exactly,
    larger ones by exchanges of two records' values.
    """
    changed = 0
    for g in range(starts.size - 1):
        own = members[starts[g] : starts[g + 1]]
        have = values[value_starts[g] : value_starts[g + 1]]
        often = times[value_starts[g] : value_starts[g + 1]]
        n, k = own.size, have.size
        if k < 2:
            continue
        scores = np.empty((n, k))
        fill_scores(codes, begins, table, own, have, scores)
        if n <= largest_exact:
            square = np.empty((n, n))
            column_value = np.empty(n, np.int64)
            column = 0
            for c in range(k):
                for _ in range(often[c]):
                    square[:, column] = scores[:, c]
                    column_value[column] = have[c]
                    column += 1
            best = assign_best(square)
            for at in range(n):
                value = column_value[best[at]]
                if assigned[own[at]] != value:
                    assigned[own[at]] = value
                    changed += 1
            continue
        slots, bounds = np.empty(n, np.int64), np.zeros(k + 1, np.int64)
        for c in range(k):
            bounds[c + 1] = bounds[c] + often[c]
        place = bounds[:-1].copy()
        for at in range(n):
            c = np.searchsorted(have, assigned[own[at]])
            slots[place[c]] = at
            place[c] += 1
        swap_values(scores, bounds, slots)
        for c in range(k):
            for at in slots[bounds[c] : bounds[c + 1]]:
                if assigned[own[at]] != have[c]:
                    assigned[own[at]] = have[c]
                    changed += 1
    return changed


@njit(types.void(float64[:, ::1], int64[::1], int64), cache=True)
def balance(weights, times, rounds):
    """Scale rows and columns in turn until rows sum to 1 and column c to ``times[c]`` (Sinkhorn), in place.

    ``weights`` (n, k) are positive, ``times`` (k,) sum to n. At most ``rounds``; fewer when rows already sum to 1 within
    1e-6.
    """
    n, k = weights.shape
    for _ in range(rounds):
        for c in range(k):
            total = 0.0
            for at in range(n):
                total += weights[at, c]
            for at in range(n):
                weights[at, c] *= times[c] / total
        off = 0.0
        for at in range(n):
            total = 0.0
            for c in range(k):
                total += weights[at, c]
            off = max(off, abs(total - 1.0))
            for c in range(k):
                weights[at, c] /= total
        if off < 1e-6:
            break


@njit(
    int64(
        int32[:, ::1],
        int64[::1],
        float64[:, ::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64[::1],
        int64,
        boolean,
        int32[::1],
        float64[:, ::1],
        float64[::1],
    ),
    cache=True,
)
def share_groups(
    codes, begins, table, members, starts, values, times, value_starts, rounds, even, guess, counts, totals
):
    """Give every record a share of each of its group's values, and count these shares; returns how many guesses changed.

    The first eight are those of `assign_groups`; ``rounds`` is the limit of `balance` for a group. ``even`` shares evenly
    whatever the scores: how one begins. Filled: ``guess`` (n,) int32 with the value of the largest share, the first of
    equals (within 1e-12); ``counts`` (rows, m) with the sum of the shares for every attribute value and sensitive value;
    ``totals`` (m,) with that of every sensitive value.
    """
    counts[:] = 0.0
    totals[:] = 0.0
    changed = 0
    for g in range(starts.size - 1):
        own = members[starts[g] : starts[g + 1]]
        have = values[value_starts[g] : value_starts[g + 1]]
        often = times[value_starts[g] : value_starts[g + 1]]
        n, k = own.size, have.size
        shares = np.empty((n, k))
        if even:
            for c in range(k):
                shares[:, c] = often[c] / n
        else:
            fill_scores(codes, begins, table, own, have, shares)
            for at in range(n):
                top = shares[at].max()
                for c in range(k):
                    # Nothing becomes impossible by rounding to 0.
                    shares[at, c] = np.exp(max(shares[at, c] - top, -500.0))
            balance(shares, often, rounds)
        for at in range(n):
            best = 0
            for c in range(k):
                if shares[at, c] > shares[at, best] + 1e-12:
                    best = c
                totals[have[c]] += shares[at, c]
                for j in range(codes.shape[0]):
                    counts[begins[j] + codes[j, own[at]], have[c]] += shares[at, c]
            if guess[own[at]] != have[best]:
                guess[own[at]] = have[best]
                changed += 1
    return changed
