"""How many ways there are to fill a region with the values of a class's members, and how many of them the rule leaves.

An assignment gives every member one value. Without the rule any assignment of values of the region will do. Whoever knows that
the region is the narrowest that covers the members keeps those assignments that reach each end of an interval, each value of a
set, and two children of a node. All counts are exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

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
        if m < len(self.parts):
            return 0
        if u > MOST_VALUES:
            return int(u**m)
        # Inclusion and exclusion: with signs, how often cells of so many values in all are left out.
        ways = [1] + [0] * u
        for part in self.parts:
            ways = [own - (ways[i - part] if i >= part else 0) for i, own in enumerate(ways)]
        return sum(way * int((u - left) ** m) for left, way in enumerate(ways))

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


def candidates(assignments: int, members: int) -> float:
    """Logarithm of the candidates for each of the values of a class's members: of their geometric mean."""
    return log(assignments) / members if assignments > 0 and members > 0 else 0.0
