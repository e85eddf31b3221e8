"""What every cell must lose at least: the nearest others, and the least hull of enough of them."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, types, uint64

from likeness.kernels import borrowed, njit
from likeness.kernels.hulls import GEOMETRY, INTERVAL, SET, attribute_loss, common_ancestor


@njit(float64(GEOMETRY, int64, int32, int32), cache=True)
def apart(geometry, j, one, other):
    """Loss of one attribute of the hull of two codes."""
    low, high = min(one, other), max(one, other)
    kind = geometry.kind[j]
    if kind == INTERVAL:
        return min(geometry.position[j, high] - geometry.position[j, low], geometry.most[j])
    if kind == SET:
        return geometry.set_loss[j, 2 if high > low else 1]
    if high > low:
        node = common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, low], high)
        return geometry.node_loss[j, node]
    return geometry.node_loss[j, geometry.leaf_node[j, low]]


@njit(float64(GEOMETRY, int32[::1], int32[::1], float64), cache=True)
def pair_loss(geometry, one, other, most):
    """Loss of the hull of two cells; of one that loses more than ``most``, something above it."""
    total = 0.0
    for j in range(one.shape[0]):
        a, b = min(one[j], other[j]), max(one[j], other[j])
        kind = geometry.kind[j]
        if kind == INTERVAL:
            total += min(geometry.position[j, b] - geometry.position[j, a], geometry.most[j])
        elif kind == SET:
            total += geometry.set_loss[j, 2 if b > a else 1]
        elif b > a:
            node = common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, a], b)
            total += geometry.node_loss[j, node]
        else:
            total += geometry.node_loss[j, geometry.leaf_node[j, a]]
        if total > most:
            return total
    return total


@njit(float64(GEOMETRY, int32[::1], int32[::1], uint64[::1], int32[::1], uint64[::1], float64), cache=True)
def joined_loss(geometry, low, high, bits, codes, scratch, most):
    """Loss of a hull and one more cell; of one that loses ``most`` or more, something of at least ``most``."""
    total = 0.0
    for j in range(codes.shape[0]):
        code = codes[j]
        if geometry.kind[j] == SET:
            for word in range(geometry.word[j], geometry.word[j + 1]):
                scratch[word] = bits[word]
            scratch[geometry.word[j] + (code >> 6)] |= uint64(1) << uint64(code & 63)
        total += attribute_loss(geometry, j, min(low[j], code), max(high[j], code), scratch)
        if total >= most:
            return total
    return total


@njit(types.void(GEOMETRY, int32[::1], int32[::1], uint64[::1], int32[::1]), cache=True)
def join(geometry, low, high, bits, codes):
    """Let a hull cover one more cell."""
    for j in range(codes.shape[0]):
        code = codes[j]
        low[j] = min(low[j], code)
        high[j] = max(high[j], code)
        if geometry.kind[j] == SET:
            bits[geometry.word[j] + (code >> 6)] |= uint64(1) << uint64(code & 63)


_BINS = 4096
_ROUNDED = 1e-9


@njit(
    types.UniTuple(float64, 2)(float64[::1], int64[::1], int64[::1], int64, int64, int64, int64[:, ::1]),
    cache=True,
)
def nearest(near, sizes, values, cell, need, other, counts):
    """Find two losses: with those below the first there are not enough records, with those up to the second there are.

    Both are negative where all are not enough. ``counts`` (2, bins): room to count those of each bin, all and of other values.
    """
    bins = counts.shape[1]
    for b in range(bins):
        counts[0, b] = counts[1, b] = 0
    for one in range(near.shape[0]):
        if one != cell:
            b = min(bins - 1, int64(near[one] * bins))
            counts[0, b] += sizes[one]
            if values[one] != values[cell]:
                counts[1, b] += sizes[one]
    inside, foreign = sizes[cell], int64(0)
    for b in range(bins):
        inside += counts[0, b]
        foreign += counts[1, b]
        if inside >= need and foreign >= other:
            # An end may have been rounded into the bin beside it.
            return max(0.0, b / bins - _ROUNDED), (b + 1) / bins + _ROUNDED
    return -1.0, -1.0


@njit(
    float64[::1](GEOMETRY, int32[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64),
    cache=True,
)
def least_hulls(geometry, codes, sizes, values, needed, others, order, most_steps):
    """(C,) Of each cell, a loss that no hull which covers it and enough records falls below.

    ``codes`` (C, d), ``sizes`` (C,): the cells and their records. ``values`` (C,): the sensitive value of each, or -1 where none
    counts. ``needed``, ``others`` (C,): fewest records, and fewest of other values, of a class that covers the cell.
    ``order``: the cells to look at, the others lose 0. ``most_steps``: hulls to look at for one cell, whose nearest others
    bound it where that does not do.
    """
    geometry, codes, sizes, values = borrowed((geometry, codes, sizes, values))
    needed, others, order = borrowed((needed, others, order))
    count, d = codes.shape
    found = np.zeros(count)
    depth = 2
    for cell in range(count):
        depth = max(depth, needed[cell] + 2, others[cell] + 2)
    depth = min(depth, 34)
    low, high = np.zeros((depth, d), np.int32), np.zeros((depth, d), np.int32)
    bits, scratch = np.zeros((depth, geometry.word[d]), np.uint64), np.zeros(geometry.word[d], np.uint64)
    # Candidates of each level lie behind those of the one above.
    room = 4 * count + 1
    candidates = np.zeros(room, np.int64)
    end, here = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    have, strange = np.zeros(depth, np.int64), np.zeros(depth, np.int64)
    near, counts = np.zeros(count), np.zeros((2, _BINS), np.int64)
    for place in range(order.shape[0]):
        cell = order[place]
        need, other = needed[cell], others[cell]
        if sizes[cell] >= need and other <= 0:
            continue
        for one in range(count):
            near[one] = pair_loss(geometry, codes[cell], codes[one], 2.0)
        closest, upto = nearest(near, sizes, values, cell, need, other, counts)
        if upto < 0:
            # Not even everybody is enough: it can only be withheld.
            found[cell] = 1.0
            continue
        low[0, :] = codes[cell]
        high[0, :] = codes[cell]
        bits[0, :] = uint64(0)
        join(geometry, low[0], high[0], bits[0], codes[cell])
        low[1, :] = low[0]
        high[1, :] = high[0]
        bits[1, :] = bits[0]
        for one in range(count):
            if near[one] <= upto:
                join(geometry, low[1], high[1], bits[1], codes[one])
        # Of the hull of all that are as near as that, which hold enough.
        best = joined_loss(geometry, low[1], high[1], bits[1], codes[cell], scratch, 2.0)
        top = 0
        for one in range(count):
            if one != cell and near[one] < best:
                candidates[top] = one
                top += 1
        end[0], here[0], have[0], strange[0] = top, 0, sizes[cell], 0
        at, own, whole = 0, 0, True
        while at >= 0:
            if here[at] >= end[at]:
                at -= 1
                continue
            chosen = candidates[here[at]]
            here[at] += 1
            lost = joined_loss(geometry, low[at], high[at], bits[at], codes[chosen], scratch, best)
            own += 1
            if lost >= best:
                continue
            below = at + 1
            if own > most_steps or below >= depth or 2 * end[at] - here[at] > room:
                whole = False
                break
            low[below, :] = low[at]
            high[below, :] = high[at]
            bits[below, :] = bits[at]
            join(geometry, low[below], high[below], bits[below], codes[chosen])
            differs = values[chosen] != values[cell]
            inside = have[at] + sizes[chosen]
            foreign = strange[at] + (sizes[chosen] if differs else 0)
            top = end[at]
            reach, reach_other = inside, foreign
            # Hulls that cover one of those before were looked at with it.
            for position in range(here[at], end[at]):
                one = candidates[position]
                joined = joined_loss(
                    geometry, low[below], high[below], bits[below], codes[one], scratch, best
                )
                own += 1
                if joined >= best:
                    continue
                differs = values[one] != values[cell]
                reach += sizes[one]
                reach_other += sizes[one] if differs else 0
                if joined <= lost:
                    inside += sizes[one]
                    foreign += sizes[one] if differs else 0
                else:
                    candidates[top] = one
                    top += 1
            if inside >= need and foreign >= other:
                best = lost
            elif reach >= need and reach_other >= other:
                here[below], end[below] = end[at], top
                have[below], strange[below] = inside, foreign
                at = below
        # The least is no less than that of the nearest, whatever was looked at.
        found[cell] = best if whole else min(best, closest)
    return found
