"""Hulls of individuals and classes in DAnonyIR, what joining them loses, and who is nearest.

The look-ups are those of `likeness.kernels.hulls.Geometry`, with whole numbers in place of floating-point ones where the losses
have a common denominator: then all comparisons are exact. The same kernels serve both. Losses are kept attribute by attribute,
and differences are summed in one fixed order of the attributes, so that no part of a sum is negative.

The individuals who are left are a tree of equal first attributes. A class's nearest individual is found by branch and bound:
what the attributes down to a node lose, taken for the fewest records anybody below it has, is the least that everybody below it
is away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.kernels import njit
from likeness.kernels.hulls import INTERVAL, TREE, bits_set, common_ancestor

if TYPE_CHECKING:
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
    """Find the class nearest to the one that grows, nearer than ``most``, of equally near ones the one made first; -1: none.

    The hull of a class only widens while it grows, so what the other class's own records would lose, or a part of it,
    stays a bound on the distance from below: kept in ``least`` (rows,), to be set to 0 when a new class begins.
    ``attributes`` (d,): order of summation. ``sizes`` (rows,): records of the classes, 0 for those that are no more.
    ``own``, ``records``: hull of the class that grows, in row 0, and its records.
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


class Pool(NamedTuple):
    """The individuals who are left, by equal hulls (U profiles), below nodes of equal first attributes.

    ``records``: (n,) number of records |R(p)|. ``profile``: (n,) numbered in the order of the tree's leaves.
    ``fewest``, ``lowest``: (n,) individuals by profile, then by records and number, or by number alone.
    ``start``: (U + 1,) where the individuals of each profile begin in both.
    ``at_fewest``, ``at_lowest``: (U,) the first place of each profile whose individual may still be there.
    ``there``: (n,) whether each is still there. ``attributes``: (d,) attribute of each level of the tree.
    ``parent``: (nodes,) -1 for the root, which is node 0; the last U nodes are the profiles.
    ``children``: (nodes + 1,) the nodes below node i are ``children[i] … children[i + 1] - 1``.
    ``like``: (nodes,) a profile below each node: it has the node's attributes.
    ``left``: (nodes,) how many below each are still there.
    ``least``: (nodes,) fewest records of an individual below each when all were there.
    """

    records: NDArray[np.int64]
    profile: NDArray[np.int64]
    fewest: NDArray[np.int64]
    lowest: NDArray[np.int64]
    start: NDArray[np.int64]
    at_fewest: NDArray[np.int64]
    at_lowest: NDArray[np.int64]
    there: NDArray[np.bool_]
    attributes: NDArray[np.int64]
    parent: NDArray[np.int64]
    children: NDArray[np.int64]
    like: NDArray[np.int64]
    left: NDArray[np.int64]
    least: NDArray[np.int64]


@njit(cache=True)
def remove(crowd, person):
    """Take an individual out of the crowd."""
    crowd.there[person] = False
    node = crowd.left.shape[0] - crowd.start.shape[0] + 1 + crowd.profile[person]
    while node >= 0:
        crowd.left[node] -= 1
        node = crowd.parent[node]


@njit(cache=True)
def _first(order, at, there, profile):
    """First individual of a profile who is still there."""
    place = at[profile]
    while not there[order[place]]:
        place += 1
    at[profile] = place
    return order[place]


@njit(cache=True)
def _nearest_of(crowd, profile, theirs, ours, exact, person, distance):
    """Compare the individuals of a profile with the nearest so far; the nearest, and its distance.

    Of equal hulls the individual with fewest records is nearest, the first of those; where joining would not widen their
    own hull, records do not count and it is the one of the smallest number. Unless ``exact``, rounded distances may tie
    where exact ones do not, so everybody is looked at.
    """
    if exact:
        if theirs > 0:
            own = _first(crowd.fewest, crowd.at_fewest, crowd.there, profile)
        else:
            own = _first(crowd.lowest, crowd.at_lowest, crowd.there, profile)
        away = crowd.records[own] * theirs + ours
        if away < distance or (away == distance and own < person):
            return own, away
        return person, distance
    for place in range(crowd.start[profile], crowd.start[profile + 1]):
        own = crowd.fewest[place]
        away = crowd.records[own] * theirs + ours
        if crowd.there[own] and (away < distance or (away == distance and own < person)):
            person, distance = own, away
    return person, distance


@njit(cache=True)
def nearest_individual(geometry, profiles, crowd, own, records, exact, most):
    """Find the individual nearest to the class that grows, of equally near ones that of the smallest number.

    Somebody must be left. ``own``: hull of the class, in row 0; ``exact``: losses are whole numbers; ``most``: more than
    any distance. Returns the individual, the distance, and how many nodes were looked at.
    """
    depth = crowd.attributes.shape[0]
    zero = own.parts.dtype.type(0)
    node, at, wider = (
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.bool_),
    )
    theirs, ours = np.zeros(depth + 1, own.parts.dtype), np.zeros(depth + 1, own.parts.dtype)
    person, distance = np.int64(-1), most
    if depth == 0:
        person, distance = _nearest_of(crowd, np.int64(0), zero, zero, exact, person, distance)
        return person, distance, 1
    leaves = crowd.left.shape[0] - crowd.start.shape[0] + 1
    looks = level = 0
    at[0] = crowd.children[0]
    while level >= 0:
        if at[level] == crowd.children[node[level] + 1]:
            # First all that do not widen the class, then those that do: near ones first make good bounds.
            if wider[level]:
                level -= 1
            else:
                wider[level] = True
                at[level] = crowd.children[node[level]]
            continue
        child = at[level]
        at[level] += 1
        if crowd.left[child] == 0:
            continue
        looks += 1
        j, profile = crowd.attributes[level], crowd.like[child]
        joined = joined_loss(geometry, own, 0, profiles, profile, j)
        more = joined - own.parts[0, j]
        if (more > 0) != wider[level]:
            continue
        they = theirs[level] + (joined - profiles.parts[profile, j])
        we = ours[level] + more
        if crowd.least[child] * they + records * we > distance:
            continue
        if child >= leaves:
            person, distance = _nearest_of(crowd, child - leaves, they, records * we, exact, person, distance)
        else:
            level += 1
            node[level], at[level], wider[level] = child, crowd.children[child], False
            theirs[level], ours[level] = they, we
    return person, distance, looks
