"""Which cells are near each other: found by attributes in turn, so that whole blocks of far ones are passed over."""

from __future__ import annotations

import numpy as np
from numba import float64, int32, int64, types, uint64

from likeness.bounds.kernels.hulls import apart, join
from likeness.kernels import njit
from likeness.kernels.hulls import GEOMETRY, hull_loss
from likeness.kernels.ordering import sort_ascending

_WHOLE = 2.0
"""More than any hull loses."""
_BITS, _STEPS = 26, float(1 << 34)
_PLACES = (1 << _BITS) - 1


@njit(int64(float64, int64), cache=True)
def _key(loss, cell):
    """Pack a loss, rounded down, and a cell into a number that sorts by the loss."""
    return (int64(loss * _STEPS) << _BITS) | cell


@njit(float64[::1](GEOMETRY, int32[:, ::1]), cache=True)
def spread(geometry, codes):
    """(d,) What two cells lose by each attribute, on average of some pairs."""
    count, d = codes.shape
    total = np.zeros(d)
    for one in range(count):
        other = (one + count // 2) % count
        for j in range(d):
            total[j] += apart(geometry, j, codes[one, j], codes[other, j])
    return total / count


@njit(
    types.UniTuple(int64, 2)(
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64[:, ::1],
        int64,
        float64,
        int64[::1],
        float64[::1],
        float64[::1],
        float64[:, ::1],
        int64[:, ::1],
    ),
    cache=True,
)
def within(geometry, codes, axes, same, after, cell, radius, found, losses, partial, by_code, known):
    """Find the other cells whose hull with this one loses less than ``radius``; how many, and how many looks that took.

    ``codes`` (C, d): the cells in the order of their codes, attribute ``axes[0]`` first. ``same`` (C,): how many attributes
    in that order each has as the one before it. ``after`` (d, C): of each the next one that differs in the first of them,
    in the first two, and so on. ``found``, ``losses`` (C,), ``partial`` (d + 1,): room. ``by_code`` (d, values): what
    a code loses together with the cell's, where ``known`` names the cell.
    """
    count, d = codes.shape
    number, looks = int64(0), int64(0)
    at = int64(0)
    partial[0] = 0.0
    while at < count:
        depth = same[at]
        while depth < d:
            j = axes[depth]
            code = codes[at, j]
            if known[j, code] != cell:
                known[j, code] = cell
                by_code[j, code] = apart(geometry, j, codes[cell, j], code)
            partial[depth + 1] = partial[depth] + by_code[j, code]
            looks += 1
            if partial[depth + 1] >= radius:
                break
            depth += 1
        if depth < d:
            at = after[depth, at]
            continue
        if at != cell and partial[d] < radius:
            found[number], losses[number] = at, partial[d]
            number += 1
        at += 1
    return number, looks


@njit(
    types.Tuple((int64[::1], int32[::1], float64[::1], float64[::1]))(
        GEOMETRY,
        int32[:, ::1],
        int64[::1],
        int64[::1],
        int64[:, ::1],
        int64[::1],
        int64[::1],
        float64[::1],
        int64[::1],
        float64,
        int64,
        int64,
    ),
    cache=True,
)
def neighbours(
    geometry, codes, axes, same, after, sizes, needed, floors, anchors, beyond, most_near, most_looks
):
    """List the cells near each of some, the nearest first.

    Parameters
    ----------
    geometry, codes, axes, same, after
        As for `within`.
    sizes, needed
        (C,) Records of each cell, and how many a class of it must hold.
    floors
        (C,) What a class of each loses at least, whatever its hull.
    anchors
        (A,) The cells whose neighbours are asked for.
    beyond
        How far they are looked for, as a multiple of the highest price that a cell can have.
    most_near, most_looks
        Neighbours of a cell at most; looks for all of them: cells that come after that have none, and reach 0.

    Returns
    -------
    tuple
        (A + 1,) where the neighbours of each begin, the neighbours, what a class of both loses at least, and (A,) up to
        which loss all are listed.
    """
    count, d = codes.shape
    begin = np.zeros(anchors.shape[0] + 1, np.int64)
    reach = np.zeros(anchors.shape[0])
    near, losses = np.zeros(1 << 16, np.int32), np.zeros(1 << 16)
    found, lost, partial = np.zeros(count, np.int64), np.zeros(count), np.zeros(d + 1)
    keys = np.zeros(count, np.int64)
    by_code = np.zeros(geometry.position.shape)
    known = np.full(geometry.position.shape, -1, np.int64)
    low, high, bits = np.zeros(d, np.int32), np.zeros(d, np.int32), np.zeros(geometry.word[d], np.uint64)
    looks, at = int64(0), int64(0)
    radius = 1e-3
    for place in range(anchors.shape[0]):
        begin[place + 1] = at
        if looks >= most_looks:
            continue
        cell = anchors[place]
        need, own = needed[cell], sizes[cell]
        number = int64(0)
        # The cells before were as far from enough others: begin below that.
        radius = max(radius / 16.0, 1e-9)
        while True:
            number, more = within(
                geometry, codes, axes, same, after, cell, radius, found, lost, partial, by_code, known
            )
            looks += more
            records = own
            for one in range(number):
                records += sizes[found[one]]
            if records >= need or radius > _WHOLE:
                break
            radius *= 2.0
        for j in range(d):
            low[j] = high[j] = codes[cell, j]
        bits[:] = uint64(0)
        join(geometry, low, high, bits, codes[cell])
        for one in range(number):
            keys[one] = _key(lost[one], found[one])
        sort_ascending(keys, number)
        records = own
        for one in range(number):
            if records >= need:
                break
            nearest = keys[one] & _PLACES
            join(geometry, low, high, bits, codes[nearest])
            records += sizes[nearest]
        # A class of the nearest, whose other members may be worth nothing.
        highest = need * max(hull_loss(geometry, low, high, bits), floors[cell]) / min(own, need)
        reach[place] = highest * beyond
        while radius < reach[place] and number <= most_near:
            radius = min(2.0 * radius, reach[place])
            number, more = within(
                geometry, codes, axes, same, after, cell, radius, found, lost, partial, by_code, known
            )
            looks += more
        reach[place] = min(reach[place], radius)
        kept = 0
        for one in range(number):
            loss = max(lost[one], floors[cell], floors[found[one]])
            if loss < reach[place]:
                keys[kept] = _key(loss, found[one])
                kept += 1
        sort_ascending(keys, kept)
        if kept > most_near:
            reach[place] = (keys[most_near] >> _BITS) / _STEPS
            kept = most_near
        if at + kept > near.shape[0]:
            size = 2 * near.shape[0] + kept
            wider, dearer = np.zeros(size, np.int32), np.zeros(size)
            for one in range(at):
                wider[one], dearer[one] = near[one], losses[one]
            near, losses = wider, dearer
        for one in range(kept):
            near[at], losses[at] = keys[one] & _PLACES, (keys[one] >> _BITS) / _STEPS
            at += 1
        begin[place + 1] = at
    return begin, near, losses, reach
