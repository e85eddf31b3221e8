"""For many targets at once: how many published records may be theirs, and what an adversary believes, their values added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import boolean, float64, int8, int32, int64, types, void

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

RANGE, SET = 0, 1


@njit(boolean(int8, int64, int64, int64[::1], int64), cache=True)
def cell_holds(kind: int, low: int, high: int, members: NDArray[np.int64], code: int) -> bool:
    """Whether a region holds a code."""
    if kind == RANGE:
        return low <= code <= high
    end = high
    while low < high:
        middle = (low + high) // 2
        if members[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < end and members[low] == code


@njit(
    void(
        int32[:, ::1],
        int8[::1],
        int64[:, ::1],
        int64[:, ::1],
        int64[::1],
        int64,
        int32[:, ::1],
        int64[::1],
    ),
    cache=True,
)
def narrow(codes, kind, low, high, members, u, alive, count):
    """Narrow the identities down to those that hold the codes of target ``u``, all but the last.

    What it shares of its first codes with the target before is not looked at again: the first ``count[j]`` entries of
    ``alive[j]`` are the identities whose regions hold the first j codes.
    """
    last = codes.shape[0] - 1
    column = 0
    while u > 0 and column < last and codes[column, u] == codes[column, u - 1]:
        column += 1
    for j in range(column, last):
        kept = 0
        for i in range(count[j]):
            e = alive[j, i]
            if cell_holds(kind[j], low[j, e], high[j, e], members, codes[j, u]):
                alive[j + 1, kept] = e
                kept += 1
        count[j + 1] = kept


@njit(int64(int32[:, ::1], int64), cache=True)
def end_of_run(codes, u):
    """Find where the targets end that share all codes but the last with one."""
    last = codes.shape[0] - 1
    end = u + 1
    while end < codes.shape[1]:
        for j in range(last):
            if codes[j, end] != codes[j, u]:
                return end
        end += 1
    return end


@njit(
    int64[::1](int32[:, ::1], int8[::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1]),
    cache=True,
)
def match_counts(  # compiled: positions only
    codes: NDArray[np.int32],
    kind: NDArray[np.int8],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    members: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(targets,) Count, for every target, the records of the identities whose regions hold all its codes.

    Targets that share their first codes share the work these cause: sort them.
    ``codes``: (d, targets) int32, d at least 1. ``kind``: (d,) int8, RANGE or SET.
    ``low``, ``high``: (d, identities), first and last code of a range; where a set begins and ends (exclusive) in
    ``members``, which ascend within each set.
    ``sizes``: (identities,), records of each.
    """
    d, targets = codes.shape
    identities = sizes.shape[0]
    last = d - 1
    found = np.zeros(targets, np.int64)
    # alive[j]: identities whose regions hold the target's first j codes.
    alive = np.empty((d, identities), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(identities):
        alive[0, e] = e
    count[0] = identities
    width = 0
    for u in range(targets):
        width = max(width, codes[last, u] + 1)
    running = np.zeros(width + 1, np.int64)
    u = 0
    while u < targets:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        left = count[last]
        if kind[last] == RANGE and (end - u) * left > width + left:
            # Many targets differ in the last code only: add up the ranges of all identities once.
            running[:] = 0
            for i in range(left):
                e = alive[last, i]
                first, stop = max(low[last, e], 0), min(high[last, e] + 1, width)
                if first < stop:
                    running[first] += sizes[e]
                    running[stop] -= sizes[e]
            for code in range(width):
                running[code + 1] += running[code]
            for t in range(u, end):
                found[t] = running[codes[last, t]]
        else:
            for t in range(u, end):
                for i in range(left):
                    e = alive[last, i]
                    if cell_holds(kind[last], low[last, e], high[last, e], members, codes[last, t]):
                        found[t] += sizes[e]
        u = end
    return found


@njit(
    types.Tuple((int64[::1], int64[::1]))(int32[:, ::1], int8[::1], int64[:, ::1], int64[:, ::1], int64[::1]),
    cache=True,
)
def list_matches(  # compiled: positions only
    codes: NDArray[np.int32],
    kind: NDArray[np.int8],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    members: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List, for every target, the identities whose regions hold all its codes; parameters as of `match_counts`.

    Returned: (targets + 1,), where those of each target begin, and the identities, ascending for each.
    """
    d, targets = codes.shape
    identities = low.shape[1]
    last = d - 1
    alive = np.empty((d, identities), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(identities):
        alive[0, e] = e
    count[0] = identities
    start = np.zeros(targets + 1, np.int64)
    found = np.empty(max(1, targets), np.int64)
    filled = 0
    u = 0
    while u < targets:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        for t in range(u, end):
            if filled + count[last] > found.shape[0]:
                longer = np.empty(2 * found.shape[0] + count[last], np.int64)
                for i in range(filled):
                    longer[i] = found[i]
                found = longer
            for i in range(count[last]):
                e = alive[last, i]
                if cell_holds(kind[last], low[last, e], high[last, e], members, codes[last, t]):
                    found[filled] = e
                    filled += 1
            start[t + 1] = filled
        u = end
    return start, found[:filled].copy()


TIE = 1e-12
"""Beliefs that differ by less, relatively, are equal: they are sums of rounded shares."""
MOST_CELLS = 1 << 22
"""Largest table of running sums."""

PARTS = types.UniTuple(int64[::1], 3)
CLASSES = types.UniTuple(int64[::1], 4)


@njit(int64(int64, PARTS), cache=True)
def _records(identity: int, parts: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]) -> int:
    """Records of an identity."""
    total = 0
    for p in range(parts[0][identity], parts[0][identity + 1]):
        total += parts[2][p]
    return total


@njit(void(int64, PARTS, CLASSES, float64[:, ::1], int64, int64), cache=True)
def _add(identity, parts, classes, table, begin, stop):
    """Add the shares of values of one identity's records in one row, and take them away again in another."""
    start, class_of, records = parts
    first, value, count, size = classes
    for p in range(start[identity], start[identity + 1]):
        c = class_of[p]
        for k in range(first[c], first[c + 1]):
            # Exact where all records of a class are of one identity.
            belief = records[p] * count[k] / size[c]
            table[begin, value[k]] += belief
            table[stop, value[k]] -= belief


@njit(types.UniTuple(float64, 5)(CLASSES, float64[:, ::1], float64[::1]), cache=True)
def strongest_readings(
    classes: tuple[NDArray[np.int64], ...], readings: NDArray[np.float64], priors: NDArray[np.float64]
) -> tuple[float, float, float, float, float]:
    """Find how strong the beliefs about the records of classes are, where values have to be read.

    ``classes`` and ``readings`` are those of `guess_matching`, ``priors`` (answers,) the overall share of each answer.
    Returned: the sum over classes of their size times the sum of the squared beliefs; the largest belief; the largest
    belief less prior; belief and prior of the class and answer where belief over prior is largest, of equal ones the
    largest belief.
    """
    start, value, count, size = classes
    beliefs = np.empty(priors.shape[0])
    agreement = share = difference = ratio = belief = prior = 0.0
    for c in range(size.shape[0]):
        beliefs[:] = 0.0
        for k in range(start[c], start[c + 1]):
            weight = count[k] / size[c]
            for a in range(beliefs.shape[0]):
                beliefs[a] += weight * readings[value[k], a]
        squares = 0.0
        for a in range(beliefs.shape[0]):
            x = beliefs[a]
            squares += x * x
            share = max(share, x)
            difference = max(difference, x - priors[a])
            if priors[a] > 0.0:
                own = x / priors[a]
                if own > ratio or (own == ratio and x > belief):
                    ratio, belief, prior = own, x, priors[a]
        agreement += size[c] * squares
    return agreement, share, difference, belief, prior


@njit(int64(int64, PARTS, CLASSES, float64[::1], int64[::1], int64), cache=True)
def _note(identity, parts, classes, beliefs, touched, known):
    """Add the shares of values of one identity's records, and list the values; returns how many are listed."""
    start, class_of, records = parts
    first, value, count, size = classes
    for p in range(start[identity], start[identity + 1]):
        c = class_of[p]
        for k in range(first[c], first[c + 1]):
            v = value[k]
            if beliefs[v] == 0.0:
                touched[known] = v
                known += 1
            beliefs[v] += records[p] * count[k] / size[c]
    return known


@njit(
    types.Tuple((int64, float64))(
        float64[::1], int64[::1], int64, float64[:, ::1], float64[::1], float64[::1]
    ),
    cache=True,
)
def _decide(beliefs, touched, known, readings, scale, answers):
    """Choose the answer of the largest scaled belief; of equal ones the first. Returns it and its belief.

    Only the first ``known`` values of ``touched`` have beliefs.
    """
    best, at = 0.0, -1
    if readings.shape[0] == 0:
        for i in range(known):
            v = touched[i]
            x = beliefs[v] * scale[v]
            # Values may be listed in any order.
            if x > best * (1 + TIE) or (x >= best * (1 - TIE) and v < at):
                best, at = max(best, x), v
        return at, beliefs[at] if at >= 0 else 0.0
    answers[:] = 0.0
    for i in range(known):
        for a in range(readings.shape[1]):
            answers[a] += beliefs[touched[i]] * readings[touched[i], a]
    for a in range(answers.shape[0]):
        x = answers[a] * scale[a]
        if x > best * (1 + TIE):
            best, at = x, a
    return at, answers[at] if at >= 0 else 0.0


@njit(
    void(
        int64[::1], PARTS, CLASSES, float64[:, ::1], float64[::1], int64, int64[::1], float64[::1], int64[::1]
    ),
    cache=True,
)
def guess_exactly(identity, parts, classes, readings, scale, values, guess, belief, found):
    """As `guess_matching`, where the only identity (or -1) that may be each target's is known: ``identity`` (targets,)."""
    beliefs = np.zeros(values)
    touched = np.empty(values, np.int64)
    answers = np.empty(scale.shape[0])
    for t in range(identity.shape[0]):
        if identity[t] >= 0:
            known = _note(identity[t], parts, classes, beliefs, touched, 0)
            guess[t], belief[t] = _decide(beliefs, touched, known, readings, scale, answers)
            found[t] = _records(identity[t], parts)
            for i in range(known):
                beliefs[touched[i]] = 0.0


@njit(
    void(
        int32[:, ::1],
        int8[::1],
        int64[:, ::1],
        int64[:, ::1],
        int64[::1],
        PARTS,
        CLASSES,
        float64[:, ::1],
        float64[::1],
        int64,
        int64[::1],
        float64[::1],
        int64[::1],
    ),
    cache=True,
)
def guess_matching(  # compiled: positions only
    codes, kind, low, high, members, parts, classes, readings, scale, values, guess, belief, found
):
    """Guess, for every target, the likeliest answer among the records of all identities that may be theirs.

    Every record that may be a target's is as likely, and has each value with its share in the record's class. Targets and
    ``codes`` to ``members`` are as of `likeness.attacks.kernels.beliefs.match_counts`; sort them. ``parts``: where those of
    each identity begin (identities + 1), of each its class and its records. ``classes``: where the entries of each class
    begin (classes + 1), of each entry a value and its records, of each class its size. ``readings`` (values, answers) is
    the chance of each answer given a value, no rows where values are answers; ``scale`` (answers,) is what beliefs are
    multiplied by before they are compared. Filled: ``guess`` (left as it is where nothing matches), ``belief`` with the sum
    of the beliefs in it, ``found`` with the number of records that match.
    """
    d, targets = codes.shape
    identities = low.shape[1]
    last = d - 1
    alive = np.empty((d, identities), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(identities):
        alive[0, e] = e
    count[0] = identities
    width = 0
    for u in range(targets):
        width = max(width, codes[last, u] + 1)
    addable = kind[last] == RANGE and (width + 1) * values <= MOST_CELLS
    running = np.zeros((width + 1 if addable else 1, values))
    numbers = np.zeros(width + 1, np.int64)
    beliefs = np.zeros(values)
    touched = np.empty(values, np.int64)
    every = np.arange(values)
    answers = np.empty(scale.shape[0])
    entries = classes[1].shape[0] // max(1, classes[3].shape[0]) + 1
    u = 0
    while u < targets:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        left = count[last]
        if addable and (end - u) * left * entries > width * values + 2 * left * entries:
            # Many targets differ in the last code only: add up the ranges of all identities once.
            running[:] = 0.0
            numbers[:] = 0
            for i in range(left):
                e = alive[last, i]
                first, stop = max(low[last, e], 0), min(high[last, e] + 1, width)
                if first < stop:
                    _add(e, parts, classes, running, first, stop)
                    own = _records(e, parts)
                    numbers[first] += own
                    numbers[stop] -= own
            for code in range(width):
                for v in range(values):
                    running[code + 1, v] += running[code, v]
                numbers[code + 1] += numbers[code]
            for t in range(u, end):
                found[t] = numbers[codes[last, t]]
                if found[t] > 0:
                    guess[t], belief[t] = _decide(
                        running[codes[last, t]], every, values, readings, scale, answers
                    )
        else:
            for t in range(u, end):
                known = 0
                for i in range(left):
                    e = alive[last, i]
                    if cell_holds(kind[last], low[last, e], high[last, e], members, codes[last, t]):
                        known = _note(e, parts, classes, beliefs, touched, known)
                        found[t] += _records(e, parts)
                if found[t] > 0:
                    guess[t], belief[t] = _decide(beliefs, touched, known, readings, scale, answers)
                for i in range(known):
                    beliefs[touched[i]] = 0.0
        u = end
