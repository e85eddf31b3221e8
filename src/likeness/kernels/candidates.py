"""Find the individuals who may be targets of whom some sensitive values are known, for many targets at once."""

from __future__ import annotations

import numpy as np
from numba import boolean, float64, int8, int32, int64, njit, types, void

from likeness.kernels.linkage import _holds, end_of_run, narrow

CROWD = types.UniTuple(int64[::1], 7)
QUESTIONS = types.UniTuple(int64[::1], 6)
ANSWERS = types.Tuple((int64[::1], int64[::1], int64[::1], float64[::1]))


@njit(int64(int64[::1], int64, int64, int64), cache=True)
def _place(values, low, high, wanted):
    """Find where a value stands in a sorted stretch; -1 where it does not."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and values[low] == wanted else -1


@njit(int64(int64, int64[::1], int64[::1], int64[::1], int64[::1], int64), cache=True)
def _add_values(person, first, value, tally, touched, known):
    """Count one individual's values, and list those counted; returns how many are listed."""
    for k in range(first[person], first[person + 1]):
        if tally[value[k]] == 0:
            touched[known] = value[k]
            known += 1
        tally[value[k]] += 1
    return known


@njit(boolean(int64, int64[::1], int64[::1], int64[::1], int64, int64), cache=True)
def _has_all(person, first, value, wanted, low, high):
    """Whether an individual has all of some values."""
    for k in range(low, high):
        if _place(value, first[person], first[person + 1], wanted[k]) < 0:
            return False
    return True


@njit(void(int64, int64[::1], int64, CROWD, QUESTIONS, int64[::1], int64[::1], ANSWERS), cache=True)
def _answer(q, places, count, crowd, questions, tally, touched, answers):
    """Answer one question about the individuals of some places."""
    start, first, value, entries, entry_value, holders_of, holders = crowd
    _, known_of, known, target_of, further_of, further = questions
    candidates, most, total, credit = answers
    low, high = known_of[q], known_of[q + 1]
    count_values = further_of[target_of[q]] < further_of[target_of[q + 1]]
    listed = 0
    for i in range(count):
        e = places[i]
        if low == high:
            candidates[q] += start[e + 1] - start[e]
            if count_values:
                for k in range(entries[e], entries[e + 1]):
                    if tally[entry_value[k]] == 0:
                        touched[listed] = entry_value[k]
                        listed += 1
                    tally[entry_value[k]] += holders_of[k + 1] - holders_of[k]
            continue
        entry = _place(entry_value, entries[e], entries[e + 1], known[low])
        if entry < 0:
            continue
        if high == low + 1 and not count_values:
            candidates[q] += holders_of[entry + 1] - holders_of[entry]
            continue
        for h in range(holders_of[entry], holders_of[entry + 1]):
            if _has_all(holders[h], first, value, known, low + 1, high):
                candidates[q] += 1
                if count_values:
                    listed = _add_values(holders[h], first, value, tally, touched, listed)
    if not count_values:
        return
    # What is known already is not guessed; it stays listed, so that it is cleared below.
    for k in range(low, high):
        if 0 <= known[k] < tally.shape[0]:
            tally[known[k]] = 0
    top = 0
    tied = 0
    for i in range(listed):
        x = tally[touched[i]]
        if x > top:
            top, tied = x, 0
        if x == top:
            tied += 1
    for t in range(target_of[q], target_of[q + 1]):
        right = 0
        for k in range(further_of[t], further_of[t + 1]):
            x = tally[further[k]] if further[k] >= 0 else 0
            total[t] += x
            most[t] = max(most[t], x)
            right += x == top
        credit[t] = right / tied if top > 0 else 0.0
    for i in range(listed):
        tally[touched[i]] = 0


@njit(
    void(
        int32[:, ::1],
        int8[::1],
        int64[:, ::1],
        int64[:, ::1],
        int64[::1],
        int64[::1],
        CROWD,
        QUESTIONS,
        int64,
        ANSWERS,
    ),
    cache=True,
)
def find_candidates(  # compiled: positions only
    codes, kind, low, high, members, exact, crowd, questions, values, answers
):
    """Find, for every question, the individuals of matching places who have all known values, and count what else they have.

    A question is a tuple of quasi-identifiers and some known values; it may be asked of several targets, who differ in
    their further values. Tuples that share their first codes share the work these cause: sort them.

    Parameters
    ----------
    codes, kind, low, high, members
        See `likeness.kernels.linkage.match_counts`; places are what identities are there.
    exact : (tuples,) int64
        The only place (or -1) of every tuple; empty where regions have to be compared.
    crowd : tuple of int64 arrays
        Where the individuals of each place begin (places + 1); where the values of each individual begin, and these,
        ascending; where the entries of each place begin (places + 1), one for each value in it, and these values,
        ascending; where the holders of each entry begin, and these.
    questions : tuple of int64 arrays
        Where the questions of each tuple begin; where the known values of each question begin, and these; where the
        targets of each question begin; where the further values of each target begin, and these (-1: nobody's).
    values
        Number of values.
    answers : tuple of arrays
        Filled, zeros before: individuals that fit each question; of each target, the largest number of them that have
        one of its further values, the sum of these numbers, and the chance that the value that most of them have (one
        that is not known; of equally frequent ones any) is among them.
    """
    d, tuples = codes.shape
    places = low.shape[1]
    last = d - 1
    tally = np.zeros(values, np.int64)
    touched = np.empty(values, np.int64)
    matched = np.empty(max(1, places), np.int64)
    if exact.shape[0] > 0:
        for u in range(tuples):
            if exact[u] >= 0:
                matched[0] = exact[u]
                for q in range(questions[0][u], questions[0][u + 1]):
                    _answer(q, matched, 1, crowd, questions, tally, touched, answers)
        return
    alive = np.empty((d, places), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(places):
        alive[0, e] = e
    count[0] = places
    u = 0
    while u < tuples:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        for t in range(u, end):
            found = 0
            for i in range(count[last]):
                e = alive[last, i]
                if _holds(kind[last], low[last, e], high[last, e], members, codes[last, t]):
                    matched[found] = e
                    found += 1
            for q in range(questions[0][t], questions[0][t + 1]):
                _answer(q, matched, found, crowd, questions, tally, touched, answers)
        u = end
