"""Combinations of nodes, and what the records below them are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import borrowed, njit
from likeness.kernels.grouping import first_appearance, group_together

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


@njit(cache=True, allocates=False)
def note_value(value, seen, had):
    """Note a value among the first ``had`` of those that were seen, as long as there is room; how many there are then."""
    for i in range(had):
        if seen[i] == value:
            return had
    if had < seen.shape[0]:
        seen[had] = value
        had += 1
    return had


class Roll(NamedTuple):
    """Cells of a table that become fewer from stage to stage, as one attribute after the other is generalized.

    ``held``: (stages,) how many there are. ``of``: (stages, cells) which of them each of the stage before is in, and each cell of
    the table at first. Of each, (stages, cells): ``first``, a cell of the table in it; ``key``, 64 bits that others hardly have;
    ``records``; ``had``, how many values, as many as are asked for at most, and ``seen`` (stages, cells, different), these;
    ``lost``, what is noted of what its cells lose.
    """

    held: NDArray[np.int64]
    of: NDArray[np.int32]
    first: NDArray[np.int32]
    key: NDArray[np.int64]
    records: NDArray[np.int64]
    had: NDArray[np.int32]
    seen: NDArray[np.int32]
    lost: NDArray[np.float64]


@njit(cache=True)
def start_roll(groups, exact, order, sizes, values, different):
    """Join the cells that are alike but for their values."""
    stages, size = order.shape[0] + 1, sizes.shape[0]
    shape = (stages, size)
    roll = Roll(
        np.zeros(stages, np.int64),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int32),
        np.zeros((stages, size, different), np.int32),
        np.zeros(shape),
    )
    keys = np.zeros(size, np.int64)
    for j in range(exact.shape[0]):
        weight = np.int64(_mark(j))
        for cell in range(size):
            keys[cell] += groups[exact[j], cell] * weight
    of, first = first_appearance(keys)
    roll.held[0] = first.shape[0]
    for one in range(first.shape[0]):
        roll.first[0, one], roll.key[0, one] = first[one], keys[first[one]]
    for cell in range(size):
        one = of[cell]
        roll.of[0, cell] = one
        roll.records[0, one] += sizes[cell]
        roll.had[0, one] = note_value(values[cell], roll.seen[0, one], roll.had[0, one])
    return roll


@njit(cache=True)
def roll_up(roll, groups, exact, attribute, row, stage, keys):
    """Join those of the stage before that are alike once an attribute shows the nodes of a row."""
    before, weight = roll.held[stage - 1], np.int64(_mark(attribute))
    if row == exact[attribute]:
        roll.held[stage] = before
        for one in range(before):
            roll.of[stage, one] = one
        roll.first[stage, :before] = roll.first[stage - 1, :before]
        roll.key[stage, :before] = roll.key[stage - 1, :before]
        roll.records[stage, :before] = roll.records[stage - 1, :before]
        roll.had[stage, :before] = roll.had[stage - 1, :before]
        roll.seen[stage, :before] = roll.seen[stage - 1, :before]
        return
    for one in range(before):
        cell = roll.first[stage - 1, one]
        widened = np.int64(groups[row, cell]) - groups[exact[attribute], cell]
        keys[one] = roll.key[stage - 1, one] + widened * weight
    of, first = first_appearance(keys[:before])
    count = first.shape[0]
    roll.held[stage] = count
    roll.records[stage, :count] = 0
    roll.had[stage, :count] = 0
    for one in range(count):
        roll.first[stage, one], roll.key[stage, one] = roll.first[stage - 1, first[one]], keys[first[one]]
    for one in range(before):
        group = of[one]
        roll.of[stage, one] = group
        roll.records[stage, group] += roll.records[stage - 1, one]
        for i in range(roll.had[stage - 1, one]):
            roll.had[stage, group] = note_value(
                roll.seen[stage - 1, one, i], roll.seen[stage, group], roll.had[stage, group]
            )


@njit(cache=True, allocates=False)
def shared_stages(rows, vector, order, known):
    """Count the stages, of those that are ``known`` of the rows of another vector, that are the same for a vector."""
    stage = 0
    while stage < known and rows[order[stage]] == vector[order[stage]]:
        stage += 1
    return stage


@njit(cache=True, allocates=False)
def loss_at(losses, vector, cell):
    """What a record of a cell loses at a vector of levels."""
    lost = 0.0
    for row in vector:
        lost += losses[row, cell]
    return lost


@njit(cache=True)
def lower_least(roll, stage):
    """Let what the cells of a stage lose at least be known of those of the stage before."""
    for one in range(roll.held[stage - 1]):
        roll.lost[stage - 1, one] = min(roll.lost[stage - 1, one], roll.lost[stage, roll.of[stage, one]])


@njit(cache=True)
def raise_dearest(roll, stage, where):
    """Let the most that cells of the stage before lose be known of those of a stage, and note which of them each cell is in."""
    roll.lost[stage, : roll.held[stage]] = 0.0
    for one in range(roll.held[stage - 1]):
        group = roll.of[stage, one]
        roll.lost[stage, group] = max(roll.lost[stage, group], roll.lost[stage - 1, one])
    for cell in range(where.shape[1]):
        where[stage, cell] = roll.of[stage, where[stage - 1, cell]]


@njit(cache=True)
def write_cells(where, number, at, cells, marks):
    """Write the cells of the combinations that have a number (-1: none) where each ``at`` begins, and note them in its mark."""
    for cell in range(where.shape[0]):
        group = where[cell]
        if number[group] >= 0:
            cells[at[group]] = cell
            at[group] += 1
            marks[number[group]] ^= _mark(cell)


@njit(cache=True, nogil=True)
def find_cheapest(groups, losses, vectors, exact, order, sizes, values, k, different, least):
    """Find what each cell loses in its cheapest combination of ``k`` records and ``different`` values, at vectors of levels.

    Vectors that follow each other share what their first attributes join: best where they are sorted so.

    ``groups``, ``losses``: (levels of all attributes, cells), node of each cell, and what a record loses there.
    ``vectors``: (vectors, attributes) rows of ``groups`` to combine; ``exact``: (attributes,) the lowest of each.
    ``order``: in which attributes are generalized. ``sizes``, ``values``: (cells,) records, and their value.
    Changed: ``least`` (cells,).
    """
    last, keys = order.shape[0], np.empty(sizes.shape[0], np.int64)
    roll, rows = start_roll(groups, exact, order, sizes, values, different), exact.copy()
    roll.lost[0] = np.inf
    known = 0
    for vector in vectors:
        stage = shared_stages(rows, vector, order, known)
        while known > stage:
            lower_least(roll, known)
            known -= 1
            rows[order[known]] = exact[order[known]]
        while known < last:
            rows[order[known]] = vector[order[known]]
            known += 1
            roll_up(roll, groups, exact, order[known - 1], rows[order[known - 1]], known, keys)
            roll.lost[known, : roll.held[known]] = np.inf
        for group in range(roll.held[last]):
            if roll.records[last, group] >= k and roll.had[last, group] >= different:
                roll.lost[last, group] = loss_at(losses, vector, roll.first[last, group])
    while known > 0:
        lower_least(roll, known)
        known -= 1
    for cell in range(sizes.shape[0]):
        least[cell] = min(least[cell], roll.lost[0, roll.of[0, cell]])


@njit(cache=True, nogil=True)
def list_combinations(groups, losses, vectors, exact, order, sizes, values, k, different, reach, least):
    """List combinations of nodes at vectors of levels: the cells below each, where they begin, its loss, a mark, and its vector.

    Left out are those with fewer than ``k`` records or ``different`` values, and those that lose more than ``reach`` times what
    any of their cells loses in its cheapest combination, ``least``.

    Arguments as for `find_cheapest`; ``least`` is not changed. Combinations of the same cells have the same mark.
    """
    last, size = order.shape[0], sizes.shape[0]
    keys = np.empty(size, np.int64)
    cells, begin = np.empty(4 * size, np.int32), np.empty(size + 1, np.int64)
    loss, marks, places = np.empty(size), np.empty(size, np.uint64), np.empty(size, np.int64)
    found = filled = 0
    roll, rows = start_roll(groups, exact, order, sizes, values, different), exact.copy()
    # Which of each stage every cell is in, and the dearest of their cheapest combinations.
    where = np.zeros((last + 1, size), np.int64)
    roll.lost[0] = 0.0
    for cell in range(size):
        where[0, cell] = roll.of[0, cell]
        roll.lost[0, where[0, cell]] = max(roll.lost[0, where[0, cell]], least[cell])
    known = 0
    for place, vector in enumerate(vectors):
        stage = shared_stages(rows, vector, order, known)
        while known > stage:
            known -= 1
            rows[order[known]] = exact[order[known]]
        while known < last:
            rows[order[known]] = vector[order[known]]
            known += 1
            roll_up(roll, groups, exact, order[known - 1], rows[order[known - 1]], known, keys)
            raise_dearest(roll, known, where)
        count, before = roll.held[last], found
        number, at = np.full(count, -1, np.int64), np.zeros(count, np.int64)
        for group in range(count):
            if roll.records[last, group] < k or roll.had[last, group] < different:
                continue
            lost = loss_at(losses, vector, roll.first[last, group])
            if lost > reach * roll.lost[last, group]:
                continue
            if found == loss.shape[0]:
                loss, marks, places, begin = (
                    _longer(loss, 2 * found),
                    _longer(marks, 2 * found),
                    _longer(places, 2 * found),
                    _longer(begin, 2 * found + 1),
                )
            number[group] = found
            loss[found], marks[found], places[found] = lost, 0, place
            found += 1
        if found == before:
            continue
        for cell in range(size):
            at[where[last, cell]] += 1
        for group in range(count):
            if number[group] >= 0:
                begin[number[group]] = filled
                filled += at[group]
                at[group] = begin[number[group]]
        if filled > cells.shape[0]:
            cells = _longer(cells, 2 * filled)
        write_cells(where[last], number, at, cells, marks)
    begin[found] = filled
    return (
        cells[:filled].copy(),
        begin[: found + 1].copy(),
        loss[:found].copy(),
        marks[:found].copy(),
        places[:found].copy(),
    )


@njit(cache=True, allocates=False)
def move_up(cell, price, cells, prices, place):
    """Put a cell in its place among those before, the dearest first; those that are less dear move down."""
    while place > 0 and prices[place - 1] < price:
        cells[place], prices[place] = cells[place - 1], prices[place - 1]
        place -= 1
    cells[place], prices[place] = cell, price


@njit(cache=True, allocates=False)
def insert_dearest(cell, price, records, k, cells, prices, found):
    """Put records among the k dearest, as many as have their place there; gives how many there are then."""
    for _ in range(min(records, k)):
        if found == k and price <= prices[k - 1]:
            break
        move_up(cell, price, cells, prices, min(found, k - 1))
        found = min(found + 1, k)
    return found


@njit(cache=True, allocates=False)
def insert_value(cell, price, values, cells, prices, found):
    """Put a cell among the dearest of as many different values as have their place there; gives how many there are then."""
    place = found
    for i in range(found):
        if values[cells[i]] == values[cell]:
            if prices[i] >= price:
                return found
            place = i
            break
    if place == found:
        if found == cells.shape[0]:
            if price <= prices[found - 1]:
                return found
            place -= 1
        else:
            found += 1
    move_up(cell, price, cells, prices, place)
    return found


@njit(cache=True, allocates=False)
def has_different(cells, values, different):
    """Whether some cells have so many different values."""
    had = 0
    for i in range(cells.shape[0]):
        new = 1
        for j in range(i):
            if values[cells[j]] == values[cells[i]]:
                new = 0
                break
        had += new
        if had >= different:
            return True
    return False


@njit(cache=True, allocates=False)
def find_dearest(cells, low, high, left, values, prices, k, dearest, worth, first, first_worth):
    """Find the dearest k records of some cells that have as many different values as ``first`` has places.

    Those are the dearest of the dearest values, one each, and the dearest of the others. Gives how many there are, 0 where there
    are not so many, and what no other record is worth more than.

    ``cells``, from ``low`` to ``high``. ``left``, ``values``, ``prices``: (cells,) records, and their value and price.
    Changed: ``dearest``, ``worth`` (k,), their cells and prices; ``first``, ``first_worth`` (different,), one of each value.
    """
    found = had = 0
    cheapest = least = -1.0
    different = first.shape[0]
    # Where all are to be different there is nobody else.
    if different < k or k == 1:
        for at in range(low, high):
            cell = cells[at]
            if prices[cell] > cheapest and left[cell] > 0:
                found = insert_dearest(cell, prices[cell], left[cell], k, dearest, worth, found)
                if found == k:
                    cheapest = worth[k - 1]
        if found < k or has_different(dearest, values, different):
            return found, cheapest
    for at in range(low, high):
        cell = cells[at]
        if prices[cell] > least and left[cell] > 0:
            had = insert_value(cell, prices[cell], values, first, first_worth, had)
            if had == different:
                least = first_worth[different - 1]
    if had < different:
        return 0, cheapest
    # The dearest of all without those that are there for their values, as many as there is room for.
    kept = k
    for i in range(k - 1, -1, -1):
        own = False
        for j in range(different):
            if first[j] == dearest[i]:
                own = i == 0 or dearest[i - 1] != dearest[i]
        if not own:
            kept -= 1
            dearest[kept], worth[kept] = dearest[i], worth[i]
    rest = k - different
    for i in range(rest - 1, -1, -1):
        dearest[different + i], worth[different + i] = dearest[kept + i], worth[kept + i]
    for j in range(different):
        dearest[j], worth[j] = first[j], first_worth[j]
    return k, worth[k - 1] if rest > 0 else worth[0]


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


@njit(cache=True, allocates=False)
def gain_of(cells, low, high, left, prices, worth, highest, own):
    """By how much the records that a combination would take are worth more than they lose there, ``own`` each.

    ``cells`` … ``prices``: as in `find_dearest`, which found ``worth`` and ``highest``.
    """
    gain = 0.0
    if highest <= own:
        for price in worth:
            gain += price - own
        return gain
    for price in worth:
        gain += min(0.0, price - own)
    for at in range(low, high):
        if prices[cells[at]] > own:
            gain += left[cells[at]] * (prices[cells[at]] - own)
    return gain


@njit(cache=True, nogil=True)
def relax(cells, begin, loss, left, values, prices, k, different, low, high, there, opened, worths):
    """Open the combinations from ``low`` to ``high`` whose records are worth more than they lose; the sum of the differences.

    Of those below it one that is open takes all that are worth more than one loses there, and the dearest of the others where
    these are fewer than ``k``, or have fewer than ``different`` values. ``left``, ``values``: (cells,) records, and their value.
    Changed: ``there`` (cells,), in how many such places records of each are; ``opened`` (combinations,), 1 or 0;
    ``worths`` (combinations,), what k records lose there, and what all that it would take gain; 0 where there are too few.
    """
    total = 0.0
    cells, left, values, prices = borrowed((cells, left, values, prices))
    dearest, worth = np.empty(k, np.int64), np.empty(k)
    first, first_worth = np.empty(different, np.int64), np.empty(different)
    for number in range(low, high):
        start, end, own = begin[number], begin[number + 1], loss[number]
        opened[number] = worths[number] = 0.0
        found, highest = find_dearest(
            cells, start, end, left, values, prices, k, dearest, worth, first, first_worth,
        )  # fmt: skip
        if found < k:
            continue
        gain = gain_of(cells, start, end, left, prices, worth, highest, own)
        worths[number] = gain + k * own
        if gain <= 0:
            continue
        total += gain
        opened[number] = 1.0
        for i in range(k):
            if highest <= own or worth[i] <= own:
                there[dearest[i]] += 1.0
        if highest > own:
            for at in range(start, end):
                if prices[cells[at]] > own:
                    there[cells[at]] += left[cells[at]]
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
def gains_at(groups, radices, losses, widens, vectors, sizes, values, k, different, order, prices):
    """Sum by how much records are worth more than they lose in all combinations of nodes at vectors of levels.

    Each combination of k records and ``different`` values counts once, at the lowest levels of its nodes, with the k dearest that
    have so many and all others that are worth more than one loses there; those that lose as much as they are worth, or more, not
    at all.

    ``groups`` … ``values``: as in `list_combinations`. ``widens``: (levels of all attributes, cells) whether the node of each
    cell is another than a level below.
    ``order``: (cells,) the dearest first. ``prices``: (cells,).
    """
    size = sizes.shape[0]
    every, keys = np.arange(size), np.empty(size, np.int64)
    rest = k if different == 1 else k - different
    total = 0.0
    for vector in vectors:
        of, first = group_together(groups, radices, vector, every, keys)
        count = first.shape[0]
        lost, gain, counted = np.zeros(count), np.zeros(count), np.zeros(count, np.int64)
        seen, had = np.empty((count, different), np.int64), np.zeros(count, np.int64)
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
            new = 0
            if different > 1:
                # The first of a value is there for it, as long as there are too few; the others fill up.
                new = note_value(values[cell], seen[group], had[group]) - had[group]
                had[group] += new
            needed = min(sizes[cell] - new, max(0, rest - counted[group]))
            counted[group] += needed
            gain[group] += (needed + new) * worth
            if worth > 0:
                gain[group] += (sizes[cell] - needed - new) * worth
        for group in range(count):
            if counted[group] == rest and (rest == k or had[group] == different) and gain[group] > 0:
                total += gain[group]
    return total
