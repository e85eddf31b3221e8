"""Classes of records that stand near one another in a list (see `methods.hilbert_index`)."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.kernels.class_tests import evaluate


@njit(cache=True)
def _count(histogram, views, i, times):
    """Count a record so many times."""
    for v in range(views.shape[0]):
        histogram[views[v, i]] += times


@njit(cache=True)
def greedy(functions, shape, integers, reals, smallest, bars, views, width, window, state, classes, work):
    """Make the first record that is left, with those after it, a class as soon as they hold; else leave it out.

    ``bars``: (functions, shape, integers, reals) of tests that a class must hold at any size: who breaks them is passed over.
    ``views`` (v, n): places in the joint histogram. At most ``window`` records are looked at for a class.
    ``state``: (n + 3,) the next class, the records done, and for each place of the list the next that is left, from a head
    at 2; n for none. ``classes`` (n,): -1 as long as a record is in none.
    Returns True at the end of the list, False after about ``work`` records looked at.
    """
    n = views.shape[1]
    following = state[2:]
    histogram = np.zeros(width, np.int64)
    chosen = np.empty(window, np.int64)
    done = 0
    while following[0] < n and done < work:
        size = looked = 0
        i = following[0]
        held = False
        while i < n and looked < window and not held:
            looked += 1
            _count(histogram, views, i, 1)
            if bars[1].shape[0] > 0 and not evaluate(bars[0], bars[1], bars[2], bars[3], size + 1, histogram):
                _count(histogram, views, i, -1)
            else:
                chosen[size] = i
                size += 1
                held = size >= smallest and evaluate(functions, shape, integers, reals, size, histogram)
            i = following[i + 1]
        done += looked
        for c in range(size):
            _count(histogram, views, chosen[c], -1)
        if not held:
            following[0] = following[following[0] + 1]
            state[1] += 1
            continue
        last = 0
        at = 0
        # Leave the chosen out of the list, which they stand in in this order.
        place = following[0]
        while at < size:
            if place == chosen[at]:
                classes[place] = state[0]
                following[last] = following[place + 1]
                at += 1
            else:
                last = place + 1
            place = following[place + 1]
        state[0] += 1
        state[1] += size
    return following[0] >= n


@njit(cache=True)
def blocks(functions, shape, integers, reals, smallest, views, width, classes):
    """Make consecutive records classes, of ``smallest`` records or as many more as it takes; those of twice as many are left out.

    Returns the number of classes; ``classes`` (n,) is -1 for those left out.
    """
    n = views.shape[1]
    histogram = np.zeros(width, np.int64)
    begin = count = 0
    while begin < n:
        end, held = begin, False
        while end < n and end - begin < 2 * smallest and not held:
            _count(histogram, views, end, 1)
            end += 1
            held = end - begin >= smallest and evaluate(
                functions, shape, integers, reals, end - begin, histogram
            )
        for i in range(begin, end):
            _count(histogram, views, i, -1)
            classes[i] = count if held else -1
        count += held
        begin = end
    return count
