"""Which finished class of DAnonyIR an individual left over joins (see `kernels.danonyir`)."""

from __future__ import annotations

from numba import njit

from likeness.kernels.danonyir import ROWS, would_hold
from likeness.kernels.danonyir_counts import counts_hold
from likeness.kernels.danonyir_hulls import apart
from likeness.kernels.danonyir_tests import REASONING


@njit(cache=True)
def nearest_with(
    geometry,
    profiles,
    sets,
    limits,
    functions,
    shape,
    integers,
    reals,
    state,
    counts,
    filled,
    person,
    grows,
    most,
):
    """Find the nearest class that holds with an individual, of equally near ones the one made first.

    Parameters
    ----------
    geometry, profiles, sets, limits, functions, shape, integers, reals, state
        As in `kernels.danonyir.go_on`.
    counts
        What is counted of the large classes.
    filled : (rows,) int64
        Individuals of each class.
    person
        The individual.
    grows
        Whether classes that hold stay so when anybody is added.
    most
        More than any distance.

    Returns
    -------
    row, distance
        -1 where no class holds with it.
    """
    crowd = state.crowd
    records, profile = crowd.records[person], crowd.profile[person]
    recount = limits[REASONING] > 0 or shape.shape[0] > 0
    nearest, lowest = -1, most
    for row in range(state.numbers[ROWS]):
        size = state.sizes[row]
        if size == 0:
            continue
        away = apart(geometry, crowd.attributes, profiles, profile, records, state.classes, row, size)
        if away >= lowest:
            continue
        if not grows and counts.row[row] >= 0:
            if not counts_hold(
                sets, limits, counts, crowd.records, row, filled[row], size, person, False, state.head[row],
                state.following,
            ):  # fmt: skip
                continue
            if not recount:
                nearest, lowest = row, away
                continue
        if grows or would_hold(sets, limits, functions, shape, integers, reals, state, row, person):
            nearest, lowest = row, away
    return nearest, lowest
