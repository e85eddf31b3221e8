"""Combinations of nodes, and what the records below them are worth."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.kernels.grouping import group_together


@njit(cache=True)
def _longer(array, size):
    """Copy an array to the beginning of a longer one."""
    grown = np.empty(size, array.dtype)
    grown[: array.shape[0]] = array
    return grown


@njit(cache=True)
def _mark(number):
    """Give a number 64 bits that look random; those of a set, one xor the other, tell it from others (splitmix64)."""
    bits = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(cache=True, nogil=True)
def list_combinations(groups, radices, losses, vectors, sizes, k, reach, least):
    """List combinations of nodes at vectors of levels: the cells below each, where they begin, its loss, and a mark of its cells.

    Left out are those with fewer than ``k`` records, and those that lose more than ``reach`` times what any of their cells loses
    in its cheapest combination, as far as that is known.

    ``groups``, ``radices``, ``losses``: (levels of all attributes, cells), (levels,) and (levels, cells), node of each cell, how
    many nodes there are, and what a record loses there.
    ``vectors``: (vectors, attributes) rows of ``groups`` to combine. ``sizes``: (cells,) records.
    Changed: ``least`` (cells,), what each cell loses in its cheapest combination.
    """
    size = sizes.shape[0]
    every, keys = np.arange(size), np.empty(size, np.int64)
    cells, begin = np.empty(4 * size, np.int32), np.empty(size + 1, np.int64)
    loss, marks = np.empty(size), np.empty(size, np.uint64)
    found = filled = 0
    for vector in vectors:
        of, first = group_together(groups, radices, vector, every, keys)
        count = first.shape[0]
        records, members = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for i in range(size):
            records[of[i]] += sizes[i]
            members[of[i]] += 1
        lost, allowed = np.zeros(count), np.zeros(count)
        for group in range(count):
            if records[group] >= k:
                for row in vector:
                    lost[group] += losses[row, first[group]]
        for i in range(size):
            group = of[i]
            if records[group] >= k:
                least[i] = min(least[i], lost[group])
                allowed[group] = max(allowed[group], reach * least[i])
        number, place = np.full(count, -1, np.int64), np.empty(count, np.int64)
        for group in range(count):
            if records[group] < k or lost[group] > allowed[group]:
                continue
            if found == loss.shape[0]:
                loss, marks, begin = (
                    _longer(loss, 2 * found),
                    _longer(marks, 2 * found),
                    _longer(begin, 2 * found + 1),
                )
            number[group], place[group] = found, filled
            begin[found], loss[found], marks[found] = filled, lost[group], 0
            found += 1
            filled += members[group]
        if filled > cells.shape[0]:
            cells = _longer(cells, 2 * filled)
        for i in range(size):
            group = of[i]
            if number[group] >= 0:
                cells[place[group]] = i
                place[group] += 1
                marks[number[group]] ^= _mark(i)
    begin[found] = filled
    return cells[:filled].copy(), begin[: found + 1].copy(), loss[:found].copy(), marks[:found].copy()


@njit(cache=True)
def insert_dearest(cell, price, records, k, cells, prices, found):
    """Put records among the k dearest, as many as have their place there; gives how many there are then."""
    for _ in range(min(records, k)):
        if found == k and price <= prices[k - 1]:
            break
        place = min(found, k - 1)
        found = min(found + 1, k)
        while place > 0 and prices[place - 1] < price:
            cells[place], prices[place] = cells[place - 1], prices[place - 1]
            place -= 1
        cells[place], prices[place] = cell, price
    return found


@njit(cache=True, nogil=True)
def bring_forward(cells, begin, prices, front):
    """Bring the dearest of the cells of each combination (which change) to its ``front`` first places: they are found at once."""
    for number in range(begin.shape[0] - 1):
        low, end = begin[number], begin[number] + front
        for at in range(low, begin[number + 1]):
            cell, place = cells[at], at
            if at >= end:
                if prices[cell] <= prices[cells[end - 1]]:
                    continue
                cells[at] = cells[end - 1]
                place = end - 1
            while place > low and prices[cells[place - 1]] < prices[cell]:
                cells[place] = cells[place - 1]
                place -= 1
            cells[place] = cell


@njit(cache=True, nogil=True)
def relax(cells, begin, loss, left, prices, k, low, high, there, opened, worths):
    """Open the combinations from ``low`` to ``high`` whose records are worth more than they lose; the sum of the differences.

    Of those below it one that is open takes all that are worth more than one loses there, and the dearest of the others where
    these are fewer than ``k``. ``left``: (cells,) records.
    Changed: ``there`` (cells,), in how many such places records of each are; ``opened`` (combinations,), 1 or 0;
    ``worths`` (combinations,), what the k dearest are worth, 0 where there are not so many.
    """
    total = 0.0
    dearest, worth = np.empty(k, np.int64), np.empty(k)
    for number in range(low, high):
        own = loss[number]
        opened[number] = 0.0
        found = 0
        cheapest = -1.0
        for at in range(begin[number], begin[number + 1]):
            cell = cells[at]
            if prices[cell] > cheapest and left[cell] > 0:
                found = insert_dearest(cell, prices[cell], left[cell], k, dearest, worth, found)
                if found == k:
                    cheapest = worth[k - 1]
        worths[number] = worth.sum() if found == k else 0.0
        gain = worths[number] - k * own
        if found < k or gain <= 0:
            continue
        if cheapest <= own:
            for i in range(k):
                there[dearest[i]] += 1.0
        else:
            gain = 0.0
            for at in range(begin[number], begin[number + 1]):
                cell = cells[at]
                if prices[cell] > own:
                    gain += left[cell] * (prices[cell] - own)
                    there[cell] += left[cell]
        total += gain
        opened[number] = 1.0
    return total


@njit(cache=True)
def take(cells, begin, numbers):
    """Copy the cells of some combinations, and where they begin."""
    places = np.zeros(numbers.shape[0] + 1, np.int64)
    for i, number in enumerate(numbers):
        places[i + 1] = places[i] + begin[number + 1] - begin[number]
    taken = np.empty(places[-1], cells.dtype)
    for i, number in enumerate(numbers):
        taken[places[i] : places[i + 1]] = cells[begin[number] : begin[number + 1]]
    return taken, places


@njit(cache=True, nogil=True)
def gains_at(groups, radices, losses, widens, vectors, sizes, k, order, prices):
    """Sum by how much records are worth more than they lose in all combinations of nodes at vectors of levels.

    Each combination of k records counts once, at the lowest levels of its nodes, with the k dearest and all others that are worth
    more than one loses there; those that lose as much as they are worth, or more, not at all.

    ``groups`` … ``sizes``: as in `list_combinations`. ``widens``: (levels of all attributes, cells) whether the node of each cell
    is another than a level below.
    ``order``: (cells,) the dearest first. ``prices``: (cells,).
    """
    size = sizes.shape[0]
    every, keys = np.arange(size), np.empty(size, np.int64)
    total = 0.0
    for vector in vectors:
        of, first = group_together(groups, radices, vector, every, keys)
        count = first.shape[0]
        lost, gain, counted = np.zeros(count), np.zeros(count), np.zeros(count, np.int64)
        for group in range(count):
            for row in vector:
                lost[group] += losses[row, first[group]]
                if not widens[row, first[group]]:
                    counted[group] = -1
        for cell in order:
            group = of[cell]
            if counted[group] < 0:
                continue
            worth = prices[cell] - lost[group]
            needed = min(sizes[cell], max(0, k - counted[group]))
            counted[group] += needed
            gain[group] += needed * worth
            if worth > 0:
                gain[group] += (sizes[cell] - needed) * worth
        for group in range(count):
            if counted[group] == k and gain[group] > 0:
                total += gain[group]
    return total
