"""Hulls of sets of quasi-identifier codes, those of all classes at once, and what they lose.

One geometry serves every attribute: numeric and ordered attributes are intervals of codes with a position per code, hierarchies
are intervals of pre-order leaf ranks with a loss per node, plain sets are bit sets with a loss per number of distinct values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import float64, int8, int32, int64, types, uint64

from likeness.kernels import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTERVAL, TREE, SET = 0, 1, 2


class Geometry(NamedTuple):
    """Look-ups of d attributes, padded to common lengths; losses already carry the attribute weights."""

    kind: NDArray[np.int8]
    """(d,) INTERVAL, TREE or SET."""
    values: NDArray[np.int64]
    """(d,) number of codes."""
    position: NDArray[np.float64]
    """(d, values) weighted position of each code of an interval attribute."""
    most: NDArray[np.float64]
    """(d,) the loss of a fully generalized cell."""
    parent: NDArray[np.int32]
    """(d, nodes)"""
    right: NDArray[np.int32]
    """(d, nodes) largest leaf rank below a node."""
    node_loss: NDArray[np.float64]
    """(d, nodes)"""
    leaf_node: NDArray[np.int32]
    """(d, values)"""
    set_loss: NDArray[np.float64]
    """(d, values + 1) by number of distinct values."""
    word: NDArray[np.int64]
    """(d + 1,) first 64-bit word of each attribute's bit set."""


GEOMETRY = types.NamedTuple(
    (
        int8[::1],
        int64[::1],
        float64[:, ::1],
        float64[::1],
        int32[:, ::1],
        int32[:, ::1],
        float64[:, ::1],
        int32[:, ::1],
        float64[:, ::1],
        int64[::1],
    ),
    Geometry,
)


@njit(int64(uint64), cache=True, inline="always")
def bits_set(word):
    """Count the bits of a 64-bit word."""
    word = word - ((word >> uint64(1)) & uint64(0x5555555555555555))
    word = (word & uint64(0x3333333333333333)) + ((word >> uint64(2)) & uint64(0x3333333333333333))
    word = (word + (word >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return int64((word * uint64(0x0101010101010101)) >> uint64(56))


@njit(int64(int32[::1], int32[::1], int64, int64), cache=True)
def common_ancestor(parent, right, leaf, last):
    """Climb from a leaf's node to the lowest node that also covers the leaf rank ``last``."""
    node = leaf
    while right[node] < last:
        node = parent[node]
    return node


@njit(float64(GEOMETRY, int64, int32, int32, uint64[::1]), cache=True)
def attribute_loss(geometry, j, low, high, bits):
    """Loss of one attribute's hull."""
    kind = geometry.kind[j]
    if kind == INTERVAL:
        return min(geometry.position[j, high] - geometry.position[j, low], geometry.most[j])
    if kind == TREE:
        if low == high:
            return geometry.node_loss[j, geometry.leaf_node[j, low]]
        node = common_ancestor(geometry.parent[j], geometry.right[j], geometry.leaf_node[j, low], high)
        return geometry.node_loss[j, node]
    present = 0
    for word in range(geometry.word[j], geometry.word[j + 1]):
        present += bits_set(bits[word])
    return geometry.set_loss[j, present]


@njit(float64(GEOMETRY, int32[::1], int32[::1], uint64[::1]), cache=True)
def hull_loss(geometry, low, high, bits):
    """Weighted loss of a whole hull."""
    total = 0.0
    for j in range(geometry.kind.shape[0]):
        total += attribute_loss(geometry, j, low[j], high[j], bits)
    return total


@njit(types.Tuple((int32[::1], int32[::1]))(int32[::1], int64[::1], int64), cache=True)
def class_ranges(codes, classes, count):
    """(count,) int32 twice: smallest and largest code of each class; records of class -1 are left out.

    A class without records has the largest int32, and -1.
    """
    low = np.full(count, 2147483647, np.int32)
    high = np.full(count, -1, np.int32)
    for row in range(codes.shape[0]):
        group = classes[row]
        if group >= 0:
            code = codes[row]
            if code < low[group]:
                low[group] = code
            if code > high[group]:
                high[group] = code
    return low, high


@njit(uint64[:, ::1](int32[::1], int64[::1], int64, int64), cache=True)
def class_sets(codes, classes, count, words):
    """(count, words) uint64: set of codes of each class as bits; records of class -1 are left out."""
    bits = np.zeros((count, words), np.uint64)
    for row in range(codes.shape[0]):
        group = classes[row]
        if group >= 0:
            code = codes[row]
            bits[group, code >> 6] |= uint64(1) << uint64(code & 63)
    return bits
