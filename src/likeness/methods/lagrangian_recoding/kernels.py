"""Which combinations of nodes are opened for whom, and whom those who are left join."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.relaxation.kernels import find_dearest, gain_of


@njit(cache=True)
def open_classes(
    cells, begin, loss, order, values, prices, k, different, least_worth, left, ceiling, home, members, classes,
):  # fmt: skip
    """Open combinations in their order, each for the ``k`` dearest records that are left below it; how many classes there are.

    These have ``different`` values or more, as `find_dearest` finds them.
    None is opened whose records are worth less, beyond what they lose, than ``least_worth`` times what k of them lose.
    ``classes``: how many there were.
    Changed: ``left`` (cells,); ``ceiling`` (cells,), what a record loses in the cheapest class that is open to it, and ``home``,
    which that is, -1 before there is any; ``members`` (at least as many as classes, k), the cells of their records.
    """
    dearest, worth = np.empty(k, np.int64), np.empty(k)
    first, first_worth = np.empty(different, np.int64), np.empty(different)
    for number in order:
        low, high, own = begin[number], begin[number + 1], loss[number]
        found, highest = find_dearest(
            cells, low, high, left, values, prices, k, dearest, worth, first, first_worth,
        )  # fmt: skip
        if found < k:
            continue
        gain = gain_of(cells, low, high, left, prices, worth, highest, own)
        if gain + k * own < least_worth * k * own:
            continue
        for i in range(k):
            left[dearest[i]] -= 1
            members[classes, i] = dearest[i]
        for at in range(low, high):
            cell = cells[at]
            if own < ceiling[cell]:
                ceiling[cell], home[cell] = own, classes
        classes += 1
    return classes


@njit(cache=True)
def keep_useful(cells, begin, loss, opened, left, ceiling, k):
    """Keep the combinations that can still be opened with profit, and of their cells those with records; how many are kept.

    Changed: ``cells``, ``begin``, ``loss`` and ``opened``, whose first places hold what is kept.
    """
    kept = filled = 0
    for number in range(loss.shape[0]):
        records = 0
        useful = False
        low, high = begin[number], begin[number + 1]
        for at in range(low, high):
            cell = cells[at]
            records += left[cell]
            useful |= left[cell] > 0 and ceiling[cell] > loss[number]
        if not useful or records < k:
            continue
        # Nothing is written behind what was read.
        begin[kept], loss[kept], opened[kept] = filled, loss[number], opened[number]
        kept += 1
        for at in range(low, high):
            if left[cells[at]] > 0:
                cells[filled] = cells[at]
                filled += 1
    begin[kept] = filled
    return kept


@njit(cache=True)
def join(groups, losses, levels, parts, members, classes, k, lonely, left, home):
    """Give cells that no open combination covers the class whose records lose least more by them.

    ``levels``: (attributes + 1,) where those of each attribute begin in ``groups`` and ``losses``, as in `list_combinations`.
    ``parts``: (cells,) what must not be mixed. ``members``: (classes, k) the cells of their records.
    ``lonely``: the cells. Changed: ``home`` (cells,), -1 where there is no class in their part.
    """
    d = levels.shape[0] - 1
    level = np.empty((classes, d), np.int64)
    lost, records = np.zeros(classes), np.full(classes, k)
    for number in range(classes):
        for j in range(d):
            row = levels[j]
            for member in members[number]:
                while groups[row, member] != groups[row, members[number, 0]]:
                    row += 1
            level[number, j] = row
            lost[number] += losses[row, members[number, 0]]
    wider = np.empty(d, np.int64)
    best_wider = np.empty(d, np.int64)
    for cell in lonely:
        cheapest = np.inf
        for number in range(classes):
            one = members[number, 0]
            if parts[one] != parts[cell]:
                continue
            more = 0.0
            for j in range(d):
                row = level[number, j]
                while groups[row, cell] != groups[row, one]:
                    row += 1
                wider[j] = row
                more += losses[row, one]
            more = (records[number] + left[cell]) * more - records[number] * lost[number]
            if more < cheapest:
                cheapest, home[cell] = more, number
                best_wider[:] = wider
        if home[cell] >= 0:
            own = home[cell]
            level[own] = best_wider
            records[own] += left[cell]
            lost[own] = 0.0
            for j in range(d):
                lost[own] += losses[best_wider[j], members[own, 0]]
