"""Find the individuals who may be targets of whom some sensitive values are known, for many targets at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import boolean, float64, int8, int32, int64, types, uint64, void

from likeness.attacks.kernels.beliefs import cell_holds, end_of_run, narrow
from likeness.kernels import njit

MOST_CELLS = 1 << 22
"""Largest table of how many individuals of each place have each value: 16 MB."""
_OFTEN = 4
"""Questions about the same known values from which on such a table is worth its making."""
_SEARCH = 2
"""Holders of a value that are looked at in the time that finding those of one place takes."""


class CandidateIndividuals(NamedTuple):
    """The individuals among whom targets are looked for, place by place."""

    start: np.ndarray
    """(places + 1,) where the individuals of each place begin."""
    place: np.ndarray
    """(individuals,) the place of each."""
    first: np.ndarray
    """(individuals + 1,) where the values of each begin."""
    value: np.ndarray
    """Their values, ascending within each."""
    begins: np.ndarray
    """(values + 1,) where the holders of each value begin."""
    holders: np.ndarray
    """Individuals that have each value, ascending within each."""


class Questions(NamedTuple):
    """What is asked: of a tuple of quasi-identifiers and a set of known values, about some targets."""

    tuple_of: np.ndarray
    """(questions,) the tuple of each question."""
    set_of: np.ndarray
    """(questions,) its set of known values."""
    by_set: np.ndarray
    """(questions,) the questions, those of one set side by side."""
    known_of: np.ndarray
    """(sets + 1,) where the values of each set begin."""
    known: np.ndarray
    """Values of the sets, the rarest first; -1 for those that nobody has."""
    target_of: np.ndarray
    """(questions + 1,) where the targets of each question begin."""
    further_of: np.ndarray
    """(targets + 1,) where the further values of each target begin."""
    further: np.ndarray
    """Further values of the targets, -1 for those that nobody has."""


class Work(NamedTuple):
    """Work space."""

    people: np.ndarray
    """(individuals,) those who have all values of a set, place by place."""
    number: np.ndarray
    """(places,) how many of them are in each place."""
    at: np.ndarray
    """(places,) where those of each place begin, or which row of ``joint`` is theirs."""
    joint: np.ndarray
    """(rows, values) how many of them have each value, place by place."""
    tally: np.ndarray
    """(values,) candidates that have each value; zeros between questions."""
    touched: np.ndarray
    """(values,) values that are not zero there."""
    row: np.ndarray
    """(values,) row of ``bits`` that says who has each value, -1 for rare ones where there are very many."""
    bits: np.ndarray
    """(rows, words) a bit for every individual."""


CANDIDATES = types.NamedUniTuple(int64[::1], 6, CandidateIndividuals)
QUESTIONS = types.NamedUniTuple(int64[::1], 8, Questions)
WORK = types.NamedTuple(
    (
        int64[::1],
        int32[::1],
        int64[::1],
        int32[:, ::1],
        int32[::1],
        int64[::1],
        int64[::1],
        uint64[:, ::1],
    ),
    Work,
)
MATCHES = types.Tuple((int64[::1], int64[::1], int32[::1]))
ANSWERS = types.Tuple((int64[::1], int64[::1], int64[::1], float64[::1]))


@njit(boolean(int64[::1], int64, int64, int64), cache=True)
def _among(values, low, high, wanted):
    """Whether a value stands in a sorted stretch."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < end and values[low] == wanted


@njit(boolean(CANDIDATES, int64, int64[::1], int64, int64, WORK), cache=True)
def _has_all(crowd, person, wanted, low, high, work):
    """Whether an individual has all of some values."""
    for k in range(low, high):
        row = work.row[wanted[k]]
        if row >= 0:
            if not (work.bits[row, person >> 6] >> uint64(person & 63)) & uint64(1):
                return False
        elif not _among(crowd.value, crowd.first[person], crowd.first[person + 1], wanted[k]):
            return False
    return True


@njit(void(CANDIDATES, WORK), cache=True)
def _mark_holders(crowd, work):
    """Note who has each of the most frequent values, as many as there are rows."""
    work.row[:] = -1
    by_number = np.argsort(crowd.begins[:-1] - crowd.begins[1:])
    for row in range(work.bits.shape[0]):
        value = by_number[row]
        work.row[value] = row
        work.bits[row, :] = 0
        for h in range(crowd.begins[value], crowd.begins[value + 1]):
            person = crowd.holders[h]
            work.bits[row, person >> 6] |= uint64(1) << uint64(person & 63)


@njit(int64(CANDIDATES, QUESTIONS, int64, int64, int64, int64, WORK), cache=True)
def _take(crowd, questions, own, begin, end, found, work):
    """Add those of the holders [begin, end) of a set's first value who have all others of the set."""
    low, high = questions.known_of[own] + 1, questions.known_of[own + 1]
    for h in range(begin, end):
        person = crowd.holders[h]
        if _has_all(crowd, person, questions.known, low, high, work):
            place = crowd.place[person]
            if work.number[place] == 0:
                work.at[place] = found
            work.number[place] += 1
            work.people[found] = person
            found += 1
    return found


@njit(int64(CANDIDATES, QUESTIONS, int64, WORK), cache=True)
def _gather(crowd, questions, own, work):
    """Find the individuals who have all values of a set, and count them place by place; return how many there are."""
    low, high = questions.known_of[own], questions.known_of[own + 1]
    if low < high:
        lead = questions.known[low]
        if lead < 0:
            return 0
        return _take(crowd, questions, own, crowd.begins[lead], crowd.begins[lead + 1], 0, work)
    for person in range(crowd.place.shape[0]):
        work.people[person] = person
    for place in range(work.number.shape[0]):
        work.at[place] = crowd.start[place]
        work.number[place] = crowd.start[place + 1] - crowd.start[place]
    return crowd.place.shape[0]


@njit(int64(CANDIDATES, QUESTIONS, int64, MATCHES, int64, WORK), cache=True)
def _gather_there(crowd, questions, own, matches, u, work):
    """As `_gather`, in the places that match a tuple only."""
    lead = questions.known[questions.known_of[own]]
    if lead < 0:
        return 0
    found = 0
    stop = crowd.begins[lead + 1]
    for m in range(matches[0][u], matches[1][u]):
        place = matches[2][m]
        low, high = crowd.begins[lead], stop
        while low < high:
            middle = (low + high) // 2
            if crowd.holders[middle] < crowd.start[place]:
                low = middle + 1
            else:
                high = middle
        end = low
        while end < stop and crowd.holders[end] < crowd.start[place + 1]:
            end += 1
        found = _take(crowd, questions, own, low, end, found, work)
    return found


@njit(boolean(CANDIDATES, QUESTIONS, int64, int64, int64), cache=True)
def _few_places(crowd, questions, own, matching, asked):
    """Whether to look for those who have a set's values in the matching places alone, question by question."""
    low = questions.known_of[own]
    if low == questions.known_of[own + 1] or questions.known[low] < 0:
        return False
    lead = questions.known[low]
    holders = crowd.begins[lead + 1] - crowd.begins[lead]
    # Of each place a search for where its holders stand, as long as looking at so many of them, and these.
    there = matching * (_SEARCH + holders // max(1, crowd.start.shape[0] - 1))
    return asked * there < holders


@njit(boolean(CANDIDATES, int64, int64, WORK), cache=True)
def _tabulate(crowd, found, asked, work):
    """Lay out how many of those gathered have each value, place by place, where that saves work; say whether it did."""
    rows = pairs = 0
    for i in range(found):
        person = work.people[i]
        rows += i == 0 or crowd.place[person] != crowd.place[work.people[i - 1]]
        pairs += crowd.first[person + 1] - crowd.first[person]
    # A row is added up eight values at a time.
    if asked < _OFTEN or rows > work.joint.shape[0] or 8 * pairs < rows * work.joint.shape[1]:
        return False
    row = -1
    for i in range(found):
        person = work.people[i]
        if i == 0 or crowd.place[person] != crowd.place[work.people[i - 1]]:
            row += 1
            work.at[crowd.place[person]] = row
            work.joint[row, :] = 0
        for k in range(crowd.first[person], crowd.first[person + 1]):
            work.joint[row, crowd.value[k]] += 1
    return True


@njit(int64(CANDIDATES, MATCHES, int64, boolean, WORK), cache=True)
def _tally(crowd, matches, u, tabulated, work):
    """Count the values of those gathered who are in matching places; return how many values are listed, -1 for all."""
    tally = work.tally
    listed = 0
    for m in range(matches[0][u], matches[1][u]):
        place = matches[2][m]
        if work.number[place] == 0:
            continue
        if tabulated:
            row = work.joint[work.at[place]]
            for v in range(tally.shape[0]):
                tally[v] += row[v]
            continue
        for i in range(work.at[place], work.at[place] + work.number[place]):
            person = work.people[i]
            for k in range(crowd.first[person], crowd.first[person + 1]):
                if tally[crowd.value[k]] == 0:
                    work.touched[listed] = crowd.value[k]
                    listed += 1
                tally[crowd.value[k]] += 1
    return -1 if tabulated else listed


@njit(void(int64, int64, QUESTIONS, WORK, ANSWERS), cache=True)
def _tell(q, listed, questions, work, answers):
    """Answer what a question's targets have further, from the tally, and clear it."""
    _, most, total, credit = answers
    tally, own = work.tally, questions.set_of[q]
    # What is known already is not guessed.
    for k in range(questions.known_of[own], questions.known_of[own + 1]):
        if 0 <= questions.known[k] < tally.shape[0]:
            tally[questions.known[k]] = 0
    top = 0
    tied = 0
    for i in range(tally.shape[0] if listed < 0 else listed):
        x = tally[i if listed < 0 else work.touched[i]]
        if x > top:
            top, tied = x, 0
        if x == top:
            tied += 1
    for t in range(questions.target_of[q], questions.target_of[q + 1]):
        right = 0
        for k in range(questions.further_of[t], questions.further_of[t + 1]):
            x = tally[questions.further[k]] if questions.further[k] >= 0 else 0
            total[t] += x
            most[t] = max(most[t], x)
            right += x == top
        credit[t] = right / tied if top > 0 else 0.0
    if listed < 0:
        tally[:] = 0
    for i in range(listed):
        tally[work.touched[i]] = 0


@njit(void(CANDIDATES, int64, WORK), cache=True)
def _forget(crowd, found, work):
    """Clear the counts of those gathered."""
    for i in range(found):
        work.number[crowd.place[work.people[i]]] = 0


@njit(void(int64, int64, CANDIDATES, QUESTIONS, MATCHES, WORK, ANSWERS), cache=True)
def _answer(begin, end, crowd, questions, matches, work, answers):
    """Answer all questions about the tuples [begin, end), whose places are known."""
    by_set, set_of = questions.by_set, questions.set_of
    target_of, further_of = questions.target_of, questions.further_of
    found = asked = 0
    few = tabulated = False
    for i in range(by_set.shape[0]):
        q = by_set[i]
        if i == 0 or set_of[q] != set_of[by_set[i - 1]]:
            _forget(crowd, found, work)
            found = asked = 0
        u = questions.tuple_of[q]
        if u < begin or u >= end:
            continue
        if asked == 0:
            telling, last = 0, i
            while last < by_set.shape[0] and set_of[by_set[last]] == set_of[q]:
                telling += further_of[target_of[by_set[last]]] < further_of[target_of[by_set[last] + 1]]
                last += 1
            asked = last - i
            few = _few_places(crowd, questions, set_of[q], matches[1][u] - matches[0][u], asked)
            if not few:
                found = _gather(crowd, questions, set_of[q], work)
                tabulated = _tabulate(crowd, found, telling, work)
        if few:
            tabulated = False
            _forget(crowd, found, work)
            found = _gather_there(crowd, questions, set_of[q], matches, u, work)
        for m in range(matches[0][u], matches[1][u]):
            answers[0][q] += work.number[matches[2][m]]
        if further_of[target_of[q]] < further_of[target_of[q + 1]]:
            _tell(q, _tally(crowd, matches, u, tabulated, work), questions, work, answers)
    _forget(crowd, found, work)


@njit(
    void(
        int32[:, ::1],
        int8[::1],
        int64[:, ::1],
        int64[:, ::1],
        int64[::1],
        int32[::1],
        CANDIDATES,
        QUESTIONS,
        int64,
        int64,
        ANSWERS,
    ),
    cache=True,
)
def find_candidates(  # compiled: positions only
    codes, kind, low, high, members, exact, crowd, questions, room, most_bits, answers
):
    """Find, for every question, who in matching places has all known values, and count what else these individuals have.

    A question is a tuple of quasi-identifiers and some known values; it may be asked of several targets, who differ in
    their further values. Tuples that share their first codes share the work these cause: sort them. Questions of the same
    known values share the individuals who have these.

    Parameters
    ----------
    codes, kind, low, high, members
        See `likeness.attacks.kernels.beliefs.match_counts`; places are what identities are there.
    exact : (tuples,) int32
        The only place (or -1) of every tuple; empty where regions have to be compared.
    crowd, questions
        See `CandidateIndividuals` and `Questions`.
    room
        How many matches of tuples and places to keep at once.
    most_bits
        Largest table of who has which of the most frequent values.
    answers : tuple of arrays
        Filled, zeros before: individuals that fit each question; of each target, the largest number of them that have
        one of its further values, the sum of these numbers, and the chance that the value that most of them have (one
        that is not known; of equally frequent ones any) is among them.
    """
    d, tuples = codes.shape
    places = crowd.start.shape[0] - 1
    values = crowd.begins.shape[0] - 1
    work = Work(
        np.empty(crowd.place.shape[0], np.int64),
        np.zeros(places, np.int32),
        np.empty(places, np.int64),
        np.empty((min(places, MOST_CELLS // max(1, values)), values), np.int32),
        np.zeros(values, np.int32),
        np.empty(values, np.int64),
        np.empty(values, np.int64),
        np.empty(
            (min(values, most_bits // max(1, crowd.place.shape[0])), crowd.place.shape[0] // 64 + 1),
            np.uint64,
        ),
    )
    _mark_holders(crowd, work)
    begins, ends = np.arange(tuples), np.arange(tuples)
    if exact.shape[0] > 0:
        for u in range(tuples):
            ends[u] += exact[u] >= 0
        _answer(0, tuples, crowd, questions, (begins, ends, exact), work, answers)
        return
    last = d - 1
    matched = np.empty(min(max(room, places), tuples * places), np.int32)
    alive = np.empty((d, places), np.int32)
    count = np.zeros(d, np.int64)
    for e in range(places):
        alive[0, e] = e
    count[0] = places
    u = 0
    block = filled = 0
    while u < tuples:
        narrow(codes, kind, low, high, members, u, alive, count)
        end = end_of_run(codes, u)
        for t in range(u, end):
            if filled + count[last] > matched.shape[0]:
                _answer(block, t, crowd, questions, (begins, ends, matched), work, answers)
                block, filled = t, 0
            begins[t] = filled
            for i in range(count[last]):
                e = alive[last, i]
                if cell_holds(kind[last], low[last, e], high[last, e], members, codes[last, t]):
                    matched[filled] = e
                    filled += 1
            ends[t] = filled
        u = end
    _answer(block, tuples, crowd, questions, (begins, ends, matched), work, answers)
