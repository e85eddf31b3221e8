"""Hulls of individuals and classes in DAnonyIR, what joining them loses, and which class is nearest (see `kernels.danonyir`).

The look-ups are those of `kernels.hulls.Geometry`, with whole numbers in place of floating-point ones where the losses have
a common denominator: then all comparisons are exact. The same kernels serve both. Losses are kept attribute by attribute, and
differences are summed in one fixed order of the attributes, so that no part of a sum is negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from numba import njit

from likeness.kernels.hulls import INTERVAL, TREE, bits_set, common_ancestor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Hulls(NamedTuple):
    """One hull a row: smallest and largest code, bit sets of plain sets, and what each attribute loses."""

    low: NDArray[np.int32]
    """(rows, d)"""
    high: NDArray[np.int32]
    """(rows, d)"""
    bits: NDArray[np.uint64]
    """(rows, words)"""
    parts: NDArray[np.int64] | NDArray[np.float64]
    """(rows, d)"""


@njit(inline="always")
def joined_loss(geometry, one, a, other, b, j):
    """Loss of one attribute of the hull of two hulls."""
    first, last = min(one.low[a, j], other.low[b, j]), max(one.high[a, j], other.high[b, j])
    kind = geometry.kind[j]
    if kind == INTERVAL:
        return min(geometry.position[j, last] - geometry.position[j, first], geometry.most[j])
    if kind == TREE:
        leaf = geometry.leaf_node[j, first]
        if first == last:
            return geometry.node_loss[j, leaf]
        return geometry.node_loss[j, common_ancestor(geometry.parent[j], geometry.right[j], leaf, last)]
    present = 0
    for word in range(geometry.word[j], geometry.word[j + 1]):
        present += bits_set(one.bits[a, word] | other.bits[b, word])
    return geometry.set_loss[j, present]


@njit(cache=True)
def fill_parts(geometry, hulls):
    """Fill in what each hull loses."""
    for row in range(hulls.low.shape[0]):
        for j in range(hulls.low.shape[1]):
            hulls.parts[row, j] = joined_loss(geometry, hulls, row, hulls, row, j)


@njit(cache=True)
def copy_hull(one, a, other, b):
    """Make row ``a`` of one the same as row ``b`` of another."""
    for j in range(one.low.shape[1]):
        one.low[a, j] = other.low[b, j]
        one.high[a, j] = other.high[b, j]
        one.parts[a, j] = other.parts[b, j]
    for word in range(one.bits.shape[1]):
        one.bits[a, word] = other.bits[b, word]


@njit(cache=True)
def widen(geometry, one, a, other, b):
    """Widen row ``a`` of one by row ``b`` of another."""
    for j in range(one.low.shape[1]):
        one.parts[a, j] = joined_loss(geometry, one, a, other, b, j)
        one.low[a, j] = min(one.low[a, j], other.low[b, j])
        one.high[a, j] = max(one.high[a, j], other.high[b, j])
    for word in range(one.bits.shape[1]):
        one.bits[a, word] |= other.bits[b, word]


@njit(cache=True)
def apart(geometry, attributes, one, a, size, other, b, records):
    """Distance of row ``a`` of one, which stands for so many records, from row ``b`` of another."""
    first = second = one.parts.dtype.type(0)
    for j in attributes:
        joined = joined_loss(geometry, one, a, other, b, j)
        first += joined - one.parts[a, j]
        second += joined - other.parts[b, j]
    return size * first + records * second


@njit(cache=True)
def nearest_class(geometry, attributes, classes, sizes, rows, least, own, records, most):
    """Find the class nearest to the one that grows, nearer than ``most``; of equally near ones the one that was made first.

    The hull of a class only widens while it grows, so what the other class's own records would lose, or a part of it, stays a
    bound on the distance from below.

    Parameters
    ----------
    geometry
        What hulls lose.
    attributes : (d,) int64
        Order of summation.
    classes
        Hulls of the classes.
    sizes : (rows,) int64
        Their records; 0 for classes that are no more.
    rows
        How many rows there are.
    least : (rows,)
        What joining costs each, at least; changed.
    own, records
        Hull of the class that grows, in row 0, and its records.
    most
        The distance to beat.

    Returns
    -------
    int
        -1 when none is nearer.
    """
    nearest, lowest = -1, most
    for row in range(rows):
        if sizes[row] == 0 or least[row] >= lowest:
            continue
        theirs = ours = own.parts.dtype.type(0)
        near = True
        for j in attributes:
            joined = joined_loss(geometry, own, 0, classes, row, j)
            theirs += joined - classes.parts[row, j]
            ours += joined - own.parts[0, j]
            if sizes[row] * theirs + records * ours >= lowest:
                near = False
                break
        least[row] = max(least[row], sizes[row] * theirs)
        if near:
            nearest, lowest = row, sizes[row] * theirs + records * ours
    return nearest
