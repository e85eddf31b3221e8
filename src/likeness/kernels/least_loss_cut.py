"""The allowed cut that lowers the size-weighted information loss most, over all dimensions and positions.

Models are asked only about cuts that would lower the loss below the best one found so far. ``views`` has a row for each
cell: the places it counts in.
"""

from __future__ import annotations

from numba import float64, int32, int64, njit, types

from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, TREE
from likeness.kernels.median_cut import CHOICE
from likeness.kernels.node_histograms import HISTOGRAMS, children_hold, side_holds
from likeness.kernels.node_summary import (
    CHILDREN,
    NO_CUT,
    PREFIX,
    SCRATCH,
    SEGMENT,
    SUFFIX,
    THRESHOLD,
    ancestor,
    child_end,
    count_before,
    find_items,
    item_hulls,
    order_by_frequency,
)
from likeness.kernels.present_tests import PRESENT_TESTS
from likeness.kernels.side_losses import node_loss_of, rest_loss, segment_loss, side_losses

_CUT = types.Tuple((float64, int64, int64, int64))
_NODE = (
    GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, int64, int64, SCRATCH, HISTOGRAMS,
)  # fmt: skip


@njit(_CUT(PRESENT_TESTS, int64, *_NODE, float64), cache=True)
def _best_cut(
    tests,
    smallest,
    geometry,
    codes,
    weights,
    views,
    cells,
    begin,
    end,
    j,
    items,
    s,
    h,
    least,
):
    """Allowed cut of dimension j with a size-weighted loss below ``least``: (loss, how, first, last)."""
    how, first, last = NO_CUT, 0, 0
    before, total = s.before, s.before[items]
    start, stop = 1, items
    while start < items and before[start] < smallest:
        start += 1
    while stop > start and total - before[stop - 1] < smallest:
        stop -= 1
    segments = geometry.kind[j] != INTERVAL and items > 2
    if start >= stop and not segments:
        return least, how, first, last
    item_hulls(geometry, codes, cells, begin, end, j, items, s)
    side_losses(geometry, items, start, stop, j, segments, s)
    tested = tests.shape.shape[0] > 0
    for i in range(start, stop):
        loss = before[i] * s.loss[PREFIX, i] + (total - before[i]) * s.loss[SUFFIX, i]
        if loss >= least:
            continue
        if tested and not (
            side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, 0, i, True)
            and side_holds(tests, codes, weights, views, cells, begin, end, j, items, s, h, i, items, True)
        ):
            continue
        least, how, first, last = loss, THRESHOLD, 0, i
    if not segments:
        return least, how, first, last
    node = 0
    if geometry.kind[j] == TREE:
        node = ancestor(geometry, j, s.code[0], s.code[items - 1])
        loss = 0.0
        at = 0
        while at < items:
            stop = child_end(geometry, s, items, j, node, at)
            loss += (before[stop] - before[at]) * segment_loss(geometry, s, at, stop)
            at = stop
        if loss < least and children_hold(
            tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h
        ):
            least, how = loss, CHILDREN
    # One item, or one child of the hierarchy node, against the rest.
    for by_child in range(2 if geometry.kind[j] == TREE else 1):
        at = 0
        while at < items:
            stop = at + 1 if by_child == 0 else child_end(geometry, s, items, j, node, at)
            part = before[stop] - before[at]
            if 0 < at and stop < items and part >= smallest and total - part >= smallest:
                loss = part * segment_loss(geometry, s, at, stop)
                if loss < least:
                    loss += (total - part) * rest_loss(geometry, s, items, at, stop)
                if loss < least:
                    allowed = not tested or (
                        side_holds(
                            tests, codes, weights, views, cells, begin, end, j, items, s, h, at, stop, True
                        )
                        and side_holds(
                            tests, codes, weights, views, cells, begin, end, j, items, s, h, at, stop, False
                        )
                    )
                    if allowed:
                        least, how, first, last = loss, SEGMENT, at, stop
            at = stop
    return least, how, first, last


@njit(
    CHOICE(
        PRESENT_TESTS, int64, GEOMETRY, int32[:, ::1], int64[::1], int32[:, ::1], int64[::1], int64, int64, int64,
        SCRATCH, HISTOGRAMS,
    ),
    cache=True,
)  # fmt: skip
def choose_least_loss(tests, smallest, geometry, codes, weights, views, cells, begin, end, size, s, h):
    """Choose the allowed cut with the smallest loss: (dimension, how, first, last); its items are left in ``s``."""
    best, how, first, last = -1, NO_CUT, 0, 0
    # A cut must lower the loss by more than rounding can.
    least = size * node_loss_of(geometry, s) * (1.0 - 1e-12)
    if least <= 0.0:
        return best, how, first, last
    latest = -1
    for v in range(s.varying[geometry.kind.shape[0]]):
        j = s.varying[v]
        items = find_items(codes, weights, cells, begin, end, j, s)
        latest = j
        if geometry.kind[j] == SET:
            order_by_frequency(s, items)
        count_before(s, items)
        loss, found, b, e = _best_cut(
            tests, smallest, geometry, codes, weights, views, cells, begin, end, j, items, s, h, least,
        )  # fmt: skip
        if found != NO_CUT:
            least, best, how, first, last = loss, j, found, b, e
    if best >= 0 and best != latest:
        items = find_items(codes, weights, cells, begin, end, best, s)
        if geometry.kind[best] == SET:
            order_by_frequency(s, items)
    return best, how, first, last
