"""Regions that grow where somebody could tell that fewer than so many members have an end, a listed value or a child.

The narrowest region of a class tells what somebody has. Asked is that of no end of an interval, no listed value of a set and no
child of a node it follows that at least one and fewer than ``a`` of the ``m`` members have it, and that no class's values all
follow, for whoever knows the rule below. Classes whose members are equal publish the value that all ``m >= a`` of them share.

What the narrowest region alone tells: members must have each of its ``s`` ends, or listed values, or two of its children. Where
``m >= s + a - 1``, any one of them may be had by ``a``, all others by one each, so nothing follows. Below that:

* **sets** (``m < s + a - 1``): one value is added, so that the ranks of all its values, among the ``n`` of the column that are
  published, in ascending order and from 0, sum to a multiple of ``n``. All ``s + 1`` values are alike then: each of them may be
  the one that was added, since the others lead to the same set. Of two values ``x`` and ``y = -2 x`` the value to add is there
  already: of these pairs two that share no value are published together, all four values (`quadruples`).
* **nodes** (``m = a``): a node with two children grows to the lowest node above it with three or more, of which any child may be
  nobody's.
* **intervals** (``m <= 2 a``): of values ``x < y``, as whole numbers, one end grows by one where that makes the sum of both a
  multiple of 3: ``[lo, hi]`` may be of ``(lo, hi)``, ``(lo + 1, hi)`` and ``(lo, hi - 1)``, which share no value. A region of two
  values only grows by one at both ends, as nothing else leads to it. Where everybody knows that there is nothing beyond an end
  (of a declared domain, of bottom and top coding, of ordered values), the other end grows instead, by two or three, and where
  that is not possible either the region is the whole. Places are counted from the first that is known to be possible.

Larger classes (``m > 2 a``) tell nothing certain by their ends, but one member alone often has one. So an end that fewer than
``a`` members have grows to the end of its block of two neighbours ({0, 1}, {2, 3}, ...). An end inside a block is then had by
``a`` or more, one at the end of a block by any number or by nobody, and with ``m > 2 a`` never all values follow. Listed values
of sets stay as they are in classes of ``m >= s + a - 1``, also one that one member alone has: any number may have it.

Where nothing of that can be had (two values of a column that has no others, and ``m = a``; three values of so few members, one of
which is to be added), the region would tell, whatever it were: such classes are joined with others before anything is published.
The same holds of classes of fewer than ``a``, and of ``a`` some of whom miss a number. Classes whose regions become equal are one
class, of which the rule is asked again.

What stays open to an adversary: predicates about several values at once, such as "is in the lower half", and likelihoods. Of two
members of ``[lo, hi]`` it is certain that just one is among the first two values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy

_AT_ONCE = 4_096


@dataclass(frozen=True, eq=False)
class Attained:
    """How many members at least must have an end, a listed value or a child, if anybody may tell that somebody has.

    ``least``: so many, ``a``.
    ``places``: (values,) int64, of an interval attribute the values as whole numbers, counted from ``origin``: days of dates,
    ranks of ordered values. All places that regions may grow to are values of the domain.
    ``origin``: the first number that everybody knows to be possible, else the last one, else 0.
    ``first``, ``last``: places that no value lies beyond, as everybody knows; None where there is none. The first is 0.
    """

    least: int
    places: NDArray[np.int64] | None = None
    origin: int = 0
    first: int | None = None
    last: int | None = None

    @staticmethod
    def between(least: int, lowest: int | None, highest: int | None) -> Attained:
        """Make one for numbers of which the lowest and the highest that are possible are known, or not.

        Examples
        --------
        >>> own = Attained.between(2, 17, 90)
        >>> own.origin, own.first, own.last
        (17, 0, 73)
        """
        origin = lowest if lowest is not None else highest if highest is not None else 0
        return Attained(
            least,
            None,
            origin,
            None if lowest is None else 0,
            None if highest is None else highest - origin,
        )


def grown_intervals(
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    few: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    members: NDArray[np.int64],
    attained: Attained,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Grow intervals of places.

    Parameters
    ----------
    ends
        First and last place that members of each class have.
    few
        Whether fewer than ``attained.least`` members have the first, and the last.
    members
        Members of each class.
    attained
        How many must have an end, and which places there are.

    Returns
    -------
    low, high
        First and last place of the regions.

    Examples
    --------
    >>> one, several = np.array([True]), np.array([False])
    >>> two = Attained(2)
    >>> [int(x[0]) for x in grown_intervals((np.array([30]), np.array([31])), (one, one), np.array([2]), two)]
    [29, 31]
    >>> [int(x[0]) for x in grown_intervals((np.array([31]), np.array([41])), (one, several), np.array([9]), two)]
    [30, 41]
    """
    low, high = ends
    rest = (low + high) % 3
    alone = (rest == 0) & (high - low == 1)
    begin, end = low - (rest == 1) - alone, high + (rest == 2) + alone
    if attained.first is not None:
        # No place below: the other end grows by two instead.
        end = np.where(begin < 0, high + 2, end)
        begin = np.maximum(begin, 0)
    if attained.last is not None:
        beyond = (end > attained.last) & (high == attained.last)
        begin = np.where(beyond, low - 2 - alone, begin)
        end = np.where(beyond, high, end)
        if attained.first is not None:
            out = (begin < 0) | (end > attained.last)
            begin, end = np.where(out, 0, begin), np.where(out, attained.last, end)
    small = members <= 2 * attained.least
    begin = np.where(small, begin, low - (low % 2) * few[0])
    end = np.where(small, end, high + (1 - high % 2) * few[1])
    if attained.last is not None:
        end = np.minimum(end, attained.last)
    mixed = low < high
    return np.where(mixed, begin, low), np.where(mixed, end, high)


def ends_leading_to(low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List all ends, as places, that the rule can lead to an interval from: some that it does not lead there from among them."""
    pairs = [(x, y) for x in range(low, low + 4) for y in range(high - 3, high + 1) if x < y]
    return np.array([x for x, _ in pairs], np.int64), np.array([y for _, y in pairs], np.int64)


@cache
def whole_tells(last: int) -> bool:
    """Whether the whole, from place 0 to the last, tells an end that somebody has, of the smallest classes it is shown of.

    It is what intervals become that would leave it; where these all share an end, that one is told.

    Examples
    --------
    >>> [whole_tells(last) for last in (1, 2, 3, 4)]
    [True, False, False, True]
    """
    low, high = ends_leading_to(0, last)
    inside = (low >= 0) & (high <= last)
    low, high = low[inside], high[inside]
    none: NDArray[np.bool_] = np.zeros(low.size, np.bool_)
    all_ = Attained(2, None, 0, 0, last)
    begin, end = grown_intervals((low, high), (none, none), np.full(low.size, 2), all_)
    whole = (begin == 0) & (end == last)
    has = np.bincount(low[whole], minlength=last + 1) + np.bincount(high[whole], minlength=last + 1)
    return bool((has == np.count_nonzero(whole)).any())


def may_be_interval(low: int, high: int, members: int, attained: Attained) -> bool:
    """Whether the rule leads to an interval of places for a class of so many members, and to nothing that may not be told.

    Examples
    --------
    >>> two = Attained(2)
    >>> may_be_interval(30, 32, 2, two), may_be_interval(30, 33, 2, two), may_be_interval(30, 31, 9, two)
    (False, True, True)
    """
    if members < attained.least:
        return False
    if low == high or members > 2 * attained.least:
        return True
    if attained.first is not None and (low, high) == (0, attained.last):
        return members > attained.least or not whole_tells(high)
    return (low + high) % 3 == 0 and high - low > 1


@cache
def quadruples(values: int) -> dict[tuple[int, int], tuple[int, ...]]:
    """Pairs of ranks of which each sums to a multiple of ``values`` with one of its own twice, and what is published of them.

    Two such pairs without a common rank are published together, each with the first that is left; who finds none is left out.

    Examples
    --------
    >>> quadruples(7)[1, 5], quadruples(7)[2, 3], quadruples(4)
    ((1, 2, 3, 5), (1, 2, 3, 5), {})
    """
    pairs = sorted({(min(x, -2 * x % values), max(x, -2 * x % values)) for x in range(values)})
    left = [(x, y) for x, y in pairs if x < y]
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    while left:
        one = left.pop(0)
        other = next((own for own in left if not {*own} & {*one}), None)
        if other is None:
            continue
        left.remove(other)
        found[one] = found[other] = tuple(sorted({*one, *other}))
    return found


def may_be_set(ranks: NDArray[np.int64], values: int, members: int, attained: Attained) -> bool:
    """Whether the rule leads to a set of values, given by their ranks among so many, for a class of so many members.

    Examples
    --------
    >>> two = Attained(2)
    >>> [may_be_set(np.array(own), 5, 2, two) for own in ([0, 1], [0, 1, 4], [0, 1, 3])]
    [False, True, False]
    """
    shown, least = ranks.size, attained.least
    if members < least:
        return False
    if shown == 1 or members >= shown + least - 1:
        return True
    return bool(narrower_sets(ranks, values, members, attained))


def narrower_sets(
    ranks: NDArray[np.int64], values: int, members: int, attained: Attained
) -> list[tuple[int, ...]]:
    """List the sets, by their ranks, that members may have where the rule adds values to what they have, and leads to this set.

    Examples
    --------
    >>> narrower_sets(np.array([0, 1, 4]), 5, 2, Attained(2))
    [(1, 4), (0, 4), (0, 1)]
    """
    own, shown = sorted(ranks.tolist()), ranks.size
    found: list[tuple[int, ...]] = []
    if 2 < shown <= members + 1 and members < shown + attained.least - 2 and sum(own) % values == 0:
        found = [tuple(rank for rank in own if rank != added) for added in own]
    if shown == 4 and members == attained.least:
        found += [pair for pair, four in quadruples(values).items() if list(four) == own]
    return found


def grown_sets(
    bits: NDArray[np.uint64], members: NDArray[np.int64], present: NDArray[np.bool_], attained: Attained
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Add a value to sets that would tell what few members have.

    Parameters
    ----------
    bits
        (E, words) uint64, values that members of each class have.
    members
        (E,) Members of each class.
    present
        (codes,) Whether a published record has each value.
    attained
        How many must have a listed value.

    Returns
    -------
    bits : (E, words) uint64
        The sets.
    tells : (E,) bool
        Whether there is no value to add, so that the class must not be published like that.
    """
    shown = np.bitwise_count(bits).sum(axis=1).astype(np.int64)
    asked = np.flatnonzero((shown > 1) & (members < shown + attained.least - 1))
    tells: NDArray[np.bool_] = members < attained.least
    if not asked.size:
        return bits, tells
    codes = np.flatnonzero(present)
    rank = np.zeros(present.size, np.int64)
    rank[codes] = np.arange(codes.size)
    four = quadruples(codes.size)
    found = bits.copy()
    for begin in range(0, asked.size, _AT_ONCE):
        own = asked[begin : begin + _AT_ONCE]
        inside = np.unpackbits(bits[own].view(np.uint8), axis=1, bitorder="little")[:, : present.size]
        code = codes[-(inside.astype(np.int64) @ rank) % codes.size]
        there = inside[np.arange(own.size), code] > 0
        _add(found, own[~there], code[~there])
        for number in np.flatnonzero(there).tolist():
            ranks = rank[np.flatnonzero(inside[number])].tolist()
            more = four.get((ranks[0], ranks[1])) if len(ranks) == 2 else None
            tells[own[number]] |= more is None
            for extra in more or ():
                _add(found, own[number : number + 1], codes[[extra]])
    return found, tells


def listed_alone(
    bits: NDArray[np.uint64], members: NDArray[np.int64], codes: NDArray[np.int64], attained: Attained
) -> NDArray[np.bool_]:
    """Find the sets to which values were added, and of which one lists a value that must be had there, as no other may have it.

    Parameters
    ----------
    bits
        (E, words) uint64, values that are published of each class.
    members
        (E,) Members of each class.
    codes
        (n,) Codes of all values that are published, ascending.
    attained
        How many must have a listed value.

    Returns
    -------
    (E,) bool

    Examples
    --------
    >>> sets, two = np.array([[0b00111], [0b01110], [0b10011], [0b11100]], np.uint64), np.array([2, 2, 2, 5])
    >>> listed_alone(sets, two, np.arange(5), Attained(2)).tolist()
    [False, False, False, False]
    >>> listed_alone(sets[:3], two[:3], np.arange(5), Attained(2)).tolist()
    [False, True, True]
    """
    shown = np.bitwise_count(bits).sum(axis=1).astype(np.int64)
    added = (shown > 1) & (members < shown + attained.least - 1)
    tells: NDArray[np.bool_] = np.zeros(shown.size, np.bool_)
    if not added.any():
        return tells
    four = added & (shown == 4) & (members == attained.least)
    rows = np.flatnonzero(four)
    inside = np.unpackbits(bits[rows].view(np.uint8), axis=1, bitorder="little")[:, codes]
    # As many sets of three lead there, too, where the ranks sum to a multiple and there are members for three.
    four[rows] = (attained.least < 3) | (inside @ np.arange(codes.size) % codes.size != 0)
    sure = np.bitwise_or.reduce(bits[~added], axis=0)
    one = bits[added & ~four]
    before = np.bitwise_or.accumulate(one, axis=0)
    twice = np.bitwise_or.reduce(one[1:] & before[:-1], axis=0)
    tells[added] = ((bits[added] & ~(sure | twice)) != 0).any(axis=1)
    tells[four] = ((bits[four] & ~sure) != 0).any(axis=1)
    return tells


def _add(bits: NDArray[np.uint64], rows: NDArray[np.int64], codes: NDArray[np.int64]) -> None:
    """Add one code to each of some sets."""
    bits[rows, codes >> 6] |= np.uint64(1) << (codes & 63).astype(np.uint64)


def several_children(tree: Hierarchy, most: int | None = None) -> NDArray[np.int64]:
    """(nodes,) The lowest node from each upward that has three children or more; -1 where there is none up to level ``most``."""
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=tree.parent.size)
    node = np.arange(tree.parent.size, dtype=np.int64)
    while True:
        climbs = (node >= 0) & (children[node] < 3)
        if not climbs.any():
            return node if most is None else np.where(tree.level[node] > most, -1, node)
        node = np.where(climbs, tree.parent[node], node)
