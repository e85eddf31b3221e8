"""Mondrian's cuts as the UTD Anonymization Toolbox makes them: strict medians, regions bounded by cuts."""

from __future__ import annotations

import numpy as np

from likeness.kernels import njit
from likeness.kernels.present_tests import evaluate_present
from likeness.kernels.record_distance import TIE
from likeness.methods.mondrian.kernels.cuts import PRESENT, add_cells, count_node, new_node


@njit(cache=True)
def partition(
    codes,
    places,
    views,
    weights,
    tests,
    smallest,
    h,
    order,
    starts,
    label,
    bounds,
):
    """Cut parts in two, at the allowed median of the widest dimension, until no cut is allowed; the number of classes.

    ``codes``: (d, cells). ``places``: (d, codes) of each code on its axis; those beyond an attribute's own are not read.
    ``views``: (cells, v) ranks of the places in the joint histogram (`node_histograms`). ``weights``: (cells,) records.
    ``order``: (cells,) part by part, each from its place in ``starts``; changed. ``label``: (cells,) receives classes.
    ``bounds``: (2, d, cells) of each cell's part; narrowed to those of its class.
    ``tests``, ``smallest``: of `present_tests.of_present`, and the size that every class has at least.
    """
    d = codes.shape[0]
    most = places.shape[1]
    histogram = np.zeros((d, most), np.int64)
    spare = np.empty(order.size, np.int64)
    waiting = [(np.int64(0), np.int64(0))]
    waiting.pop()
    for part in range(starts.size - 2, -1, -1):
        if starts[part + 1] > starts[part]:
            waiting.append((starts[part], starts[part + 1]))
    classes = 0
    while len(waiting) > 0:
        begin, end = waiting.pop()
        new_node(h)
        total = 0
        histogram[:] = 0
        for at in range(begin, end):
            cell = order[at]
            total += weights[cell]
            for j in range(d):
                histogram[j, codes[j, cell]] += weights[cell]
        best, cut, widest = -1, -1, -1.0
        for j in range(d):
            low, high = bounds[0, j, order[begin]], bounds[1, j, order[begin]]
            # Above a cut the interval is half-open: it is as wide as from the cut. Single values cannot be cut.
            own = places[j, high] - places[j, max(low - 1, 0)]
            if own <= widest + TIE:
                continue
            median, below = low, 0
            for code in range(low, high + 1):
                below += histogram[j, code]
                if 2 * below >= total:
                    median = code
                    break
            if below < smallest or total - below < max(smallest, 1):
                continue
            if tests.shape.shape[0] > 0 and not _both_hold(
                codes[j], views, weights, order, begin, end, median, below, total, tests, h
            ):
                continue
            best, cut, widest = j, median, own
        if best < 0:
            for at in range(begin, end):
                label[order[at]] = classes
            classes += 1
            continue
        middle, after = begin, 0
        for at in range(begin, end):
            cell = order[at]
            if codes[best, cell] <= cut:
                bounds[1, best, cell] = cut
                order[middle] = cell
                middle += 1
            else:
                bounds[0, best, cell] = cut + 1
                spare[after] = cell
                after += 1
        for at in range(after):
            order[middle + at] = spare[at]
        waiting.append((middle, end))
        waiting.append((begin, middle))
    return classes


@njit(cache=True)
def _both_hold(column, views, weights, order, begin, end, median, below, total_size, tests, h):
    """Whether both sides of a cut hold every test."""
    count_node(weights, views, order, begin, end, h)
    present = h.state[PRESENT]
    left, side, total, slot = h.left, h.side, h.total, h.slot
    for i in range(present):
        left[i] = 0
    for at in range(begin, end):
        if column[order[at]] <= median:
            add_cells(weights, views, order, at, at + 1, slot, h.filler, left)
    for i in range(present):
        side[i] = total[i] - left[i]
    return evaluate_present(tests, below, h.places[:present], left[:present]) and evaluate_present(
        tests, total_size - below, h.places[:present], side[:present]
    )
