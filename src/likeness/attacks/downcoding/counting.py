"""How many ways there are to fill a region with the values of a class's members, and how many of them the rule leaves.

An assignment gives every member one value. Without the rule any assignment of values of the region will do. Whoever knows that
the region is the narrowest that covers the members keeps those assignments that reach each end of an interval, each value of a
set, and two children of a node. All counts are exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb, log
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.attained import ends_leading_to, grown_intervals, narrower_sets

if TYPE_CHECKING:
    from likeness.microdata.attained import Attained

MOST_VALUES = 512
"""Values of a set up to which assignments that reach all of them are counted."""


@dataclass(frozen=True)
class Hidden:
    """A region of several values as an adversary sees it.

    Parameters
    ----------
    how
        What members must have for the region to be the narrowest: ``ends`` both the first and the last cell, ``all`` every
        cell, ``across`` values of two ``parts``, ``any`` whatever it covers.
    values
        How many values it has.
    parts
        Values below each child of a node; of each cell of a set.
    cell
        Values in a cell of the lattice that regions are rounded outward to; 1 where they are not.
    """

    how: str
    values: int
    parts: tuple[int, ...] = ()
    cell: int = 1

    @property
    def single(self) -> bool:
        """Whether it is one value, so that nothing is hidden."""
        return self.values <= 1

    def assignments(self, members: int) -> int:
        """Count the assignments for which the region is the narrowest; 0 where there is none, so that the rule was another.

        Of ``all`` values of a set of more than `MOST_VALUES`, all assignments: an upper limit.

        Examples
        --------
        >>> Hidden("ends", 10).assignments(2), Hidden("all", 3, (1, 1, 1)).assignments(3)
        (2, 6)
        >>> Hidden("across", 4, (2, 2)).assignments(2), Hidden("ends", 10, cell=5).assignments(2)
        (8, 50)
        """
        u, m = self.values, members
        if self.single:
            return 1
        if self.how == "any" or self.cell >= u:
            return int(u**m)
        if self.how == "ends":
            return int(u**m - 2 * (u - self.cell) ** m + (u - 2 * self.cell) ** m)
        if self.how == "across":
            return int(u**m - sum(part**m for part in self.parts))
        return _reaching_all(self.parts, m)

    def certain(self, members: int) -> bool:
        """Whether the rule leaves one multiset of values, so that everybody's value is known, if not whose it is.

        Two members of an interval have one end each; as many members as a set has values have one each; two members of a
        node with two leaves have one each.

        Examples
        --------
        >>> [Hidden("ends", 10).certain(members) for members in (2, 3)]
        [True, False]
        """
        if self.single:
            return True
        if self.how == "any" or self.cell > 1:
            return False
        if self.how == "ends":
            return members == 2
        if self.how == "all":
            # A value may stand for another one of its cell.
            return members == self.values == len(self.parts)
        return members == self.values == 2


@dataclass(frozen=True)
class GrownInterval(Hidden):
    """An interval of places that may have grown by what few members have (`likeness.microdata.attained`).

    Examples
    --------
    >>> from likeness.microdata.attained import Attained
    >>> own = GrownInterval("ends", 3, low=29, high=31, attained=Attained(2))
    >>> own.assignments(2), own.certain(2), own.assignments(5)
    (6, False, 110)
    """

    low: int = 0
    high: int = 0
    attained: Attained = field(kw_only=True)

    def _grown_from(self, members: int) -> list[tuple[int, bool, bool]]:
        """List how many values lie between ends that lead here, and whether few members have the first, and the last."""
        low, high = ends_leading_to(self.low, self.high)
        first, last = self.attained.first, self.attained.last
        inside = (low >= (self.low if first is None else first)) & (
            high <= (self.high if last is None else last)
        )
        low, high = low[inside], high[inside]
        low, high = np.repeat(low, 4), np.repeat(high, 4)
        few = np.resize([False, True], low.size), np.resize([False, False, True, True], low.size)
        found = grown_intervals((low, high), few, np.full(low.size, members), self.attained)
        right = (low < high) & (found[0] == self.low) & (found[1] == self.high)
        return [
            (int(high[i] - low[i]) - 1, bool(few[0][i]), bool(few[1][i]))
            for i in np.flatnonzero(right).tolist()
        ]

    def _few(self, members: int) -> range:
        """Numbers of members that are few."""
        return range(1, min(self.attained.least, members + 1))

    def assignments(self, members: int) -> int:
        """Count the assignments for which the rule leads to the interval."""
        if self.single or members < self.attained.least:
            return int(self.single)
        m, total = members, 0
        for inner, few_low, few_high in self._grown_from(m):
            both = sum(
                comb(m, i) * comb(m - i, j) * inner ** (m - i - j)
                for i in self._few(m)
                for j in self._few(m)
                if i + j <= m
            )
            one = sum(comb(m, i) * ((inner + 1) ** (m - i) - inner ** (m - i)) for i in self._few(m))
            every = (inner + 2) ** m - 2 * (inner + 1) ** m + inner**m
            total += _with(every, one, both, few_low, few_high)
        return total

    def certain(self, members: int) -> bool:
        """Whether the rule leaves one multiset of values; of more than 2 a members it never does."""
        if self.single or members < self.attained.least:
            return self.single
        if members > 2 * self.attained.least:
            return False
        m, total = members, 0
        for inner, few_low, few_high in self._grown_from(m):
            both = sum(_multisets(inner, m - i - j) for i in self._few(m) for j in self._few(m) if i + j <= m)
            one = sum(_multisets(inner + 1, m - i - 1) for i in self._few(m))
            total += _with(_multisets(inner + 2, m - 2), one, both, few_low, few_high)
        return total == 1


@dataclass(frozen=True)
class GrownSet(Hidden):
    """A set that may have grown; ``ranks`` are those of its values among all ``published``.

    Examples
    --------
    >>> from likeness.microdata.attained import Attained
    >>> own = GrownSet("all", 3, ranks=(0, 1, 4), published=5, attained=Attained(2))
    >>> own.assignments(2), own.certain(2), own.assignments(4)
    (6, False, 36)
    """

    ranks: tuple[int, ...] = ()
    published: int = 0
    attained: Attained = field(kw_only=True)

    def _narrower(self, members: int) -> list[int]:
        """Numbers of values of the sets that lead here."""
        own = narrower_sets(np.array(self.ranks, np.int64), self.published, members, self.attained)
        as_it_is = members >= self.values + self.attained.least - 1
        return [*map(len, own), *([self.values] if as_it_is else [])]

    def assignments(self, members: int) -> int:
        """Count the assignments for which the rule leads to the set."""
        if self.single or members < self.attained.least:
            return int(self.single)
        return sum(_reaching_all((1,) * size, members) for size in self._narrower(members))

    def certain(self, members: int) -> bool:
        """Whether the rule leaves one multiset of values."""
        if self.single or members < self.attained.least:
            return self.single
        return sum(comb(members - 1, size - 1) for size in self._narrower(members)) == 1


@dataclass(frozen=True)
class GrownNode(Hidden):
    """A node that classes of ``least`` members may have grown to; ``narrow`` are then the parts whose members lead to less.

    Examples
    --------
    >>> own = GrownNode("across", 5, (2, 2, 1), narrow=(1, 1, 2, 1), least=2)
    >>> own.assignments(2), own.assignments(3), own.certain(2)
    (18, 108, False)
    """

    narrow: tuple[int, ...] = ()
    least: int = 2

    def assignments(self, members: int) -> int:
        """Count the assignments for which the rule leads to the node."""
        if self.single or members < self.least:
            return int(self.single)
        parts = self.narrow if members == self.least else self.parts
        return int(self.values**members - sum(part**members for part in parts)) if parts else 0

    def certain(self, members: int) -> bool:
        """Whether the rule leaves one multiset of values."""
        if self.single or members < self.least:
            return self.single
        parts = self.narrow if members == self.least else self.parts
        if members > 2:
            # One of them may be below another part, or have another value.
            return False
        return _multisets(self.values, members) - sum(_multisets(part, members) for part in parts) == 1


def _with(every: int, one: int, both: int, few_low: bool, few_high: bool) -> int:
    """Of what has both ends, count what few have the first of, or not, and the last; ``one``, ``both``: few have one, both."""
    if few_low and few_high:
        return both
    return one - both if few_low or few_high else every - 2 * one + both


def _multisets(values: int, members: int) -> int:
    """Count the multisets of so many members."""
    if members < 0 or (values == 0 and members):
        return 0
    return comb(values + members - 1, members) if values else 1


def _reaching_all(parts: tuple[int, ...], members: int) -> int:
    """Count the assignments that reach each of several parts; of more than `MOST_VALUES` values all, an upper limit."""
    u, m = sum(parts), members
    if m < len(parts):
        return 0
    if u > MOST_VALUES:
        return int(u**m)
    # Inclusion and exclusion: with signs, how often parts of so many values in all are left out.
    ways = [1] + [0] * u
    for part in parts:
        ways = [own - (ways[i - part] if i >= part else 0) for i, own in enumerate(ways)]
    return sum(way * int((u - left) ** m) for left, way in enumerate(ways))


def candidates(assignments: int, members: int) -> float:
    """Logarithm of the candidates for each of the values of a class's members: of their geometric mean."""
    return log(assignments) / members if assignments > 0 and members > 0 else 0.0
