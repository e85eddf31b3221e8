"""How far a class can be from the table when only its buckets are known (SABRE).

A class draws so many records from every bucket of sensitive values, whichever values they have. The earth
mover's distance is convex, so the farthest class has each bucket's records all at one value, and for the
three ground distances the farthest choice is found bucket by bucket. Everything is a whole number in the
unit ``1 / (scale · n · N)``: n records in the class, N in the table, scale as in `likeness.models._transport`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from likeness.models._transport import Transport

Span = tuple[int, int]
"""First and last rank of a bucket's values among the values that occur, both inclusive."""

BOUNDS = ("exact", "tight", "plain")
_FITS = 1 << 62


@dataclass(frozen=True, eq=False)
class Ground(ABC):
    """A ground distance over the values that occur, by rank.

    Parameters
    ----------
    counts : (m,) int64
        Records of each value in the reference distribution, all positive.
    scale
        What makes the largest ground distance 1.
    bound
        ``exact``: the farthest class itself. ``tight``: as if records first moved between buckets, and then,
        in the worst case, from one value to the others of each bucket. ``plain``: every move within a bucket
        taken to be as long as the bucket is wide.
    """

    counts: NDArray[np.int64]
    scale: int
    bound: str

    @property
    def total(self) -> int:
        """Number of records of the reference distribution."""
        return int(self.counts.sum())

    def wide(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give whole numbers the type in which sums for classes no larger than the table are exact."""
        fits = 4 * (len(self.counts) + self.scale) * self.total**2 < _FITS
        return values.astype(np.int64 if fits else object)

    @abstractmethod
    def cost(self, span: Span) -> int:
        """Bound what moves within a bucket cost in a class of the table's bucket shares, times scale · N."""

    @abstractmethod
    def split(self, span: Span) -> list[Span]:
        """Split a bucket; one of a single value cannot be."""

    @abstractmethod
    def farthest(self, spans: list[Span]) -> Callable[[NDArray[np.int64]], NDArray[Any]]:
        """Make the function that bounds the distance of classes, given their draws from these buckets.

        The function takes (V, buckets) draws, none all 0, and returns (V,) distances times scale · n · N.
        """


def ground_of(transport: Transport, bound: str, *, ordered: bool) -> Ground:
    """Lay out a ground distance for SABRE."""
    from likeness.methods._sabre_hierarchy import make_tree
    from likeness.methods._sabre_line import Line

    present = np.flatnonzero(transport.counts)
    if ordered:
        return Line(transport.counts[present], transport.scale, bound)
    return make_tree(transport, present, bound)
