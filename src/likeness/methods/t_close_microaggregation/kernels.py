"""Clusters of one record of each of several subsets (see `methods.t_close_microaggregation`)."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.kernels.record_distance import aim, centroid, distances
from likeness.methods._refining.kernels import CLUSTERS, LIVING, RECORDS, SEED, aim_at, farthest, take


@njit(cache=True)
def share_out(space, tests, state, subset, left, clusters, work):
    """Make clusters of the records of each subset that are nearest to the seed; seeds are those of `generate`.

    ``subset``: (n,) of each record. ``left``: (subsets,) records that each still has; where they are more than the ``clusters``
    still to be made, one gives two. Returns True when all records are in one, False after about ``work`` records looked at.
    """
    numbers, categories = np.empty(space.numbers.shape[1]), np.empty(space.categories.shape[1], np.int32)
    count = left.size
    best, near = np.empty((count, 2), np.int64), np.empty((count, 2))
    chosen = np.empty(2 * count, np.int64)
    done = 0
    while state.numbers[RECORDS] > 0 and done < work:
        if state.numbers[SEED] < 0:
            centroid(space, state.sums, state.present, state.counts, numbers, categories)
            aim(space, categories, state.apart)
            distances(space, numbers, categories, state.apart, state.alive, state.numbers[LIVING], state.near)
        seed = farthest(state)
        aim_at(space, seed, numbers, categories, state.apart)
        distances(space, numbers, categories, state.apart, state.alive, state.numbers[LIVING], state.near)
        best[:] = -1
        near[:] = np.inf
        done += state.numbers[RECORDS]
        for i in range(state.numbers[LIVING]):
            u = state.alive[i]
            far = state.near[u]
            for j in range(state.left[u]):
                record = state.queue[state.start[u] + j]
                s = subset[record]
                if far < near[s, 0]:
                    near[s, 1], best[s, 1] = near[s, 0], best[s, 0]
                    near[s, 0], best[s, 0] = far, record
                elif far < near[s, 1]:
                    near[s, 1], best[s, 1] = far, record
        size = 0
        for s in range(count):
            for turn in range(2 if left[s] > clusters - state.numbers[CLUSTERS] else 1):
                chosen[size] = best[s, turn]
                size += 1
                left[s] -= 1
        take(space, tests, state, chosen, size)
        state.numbers[SEED] = seed if state.numbers[SEED] < 0 else -1
    return state.numbers[RECORDS] == 0
