"""SABRE's second phase: how many records each class draws from each bucket (the ECTree)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.methods._ec_tree import Leaves, grow
from likeness.models._rounding import times

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.methods._sabre_ground import Ground, Span


def halve(
    sizes: NDArray[np.int64], ground: Ground, spans: list[Span], t: Fraction, smallest: int = 1
) -> Leaves:
    """Halve the bucket sizes, and the halves again, while no class drawn so can be farther than t.

    Parameters
    ----------
    sizes : (buckets,) int64
        Records of each bucket: the root.
    ground
        The ground distance and its bound.
    spans
        The buckets.
    t
        Largest distance.
    smallest
        Smallest class.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from likeness.methods._sabre_line import Line
    >>> line = Line(np.array([2, 2, 4, 4]), 3, "exact")
    >>> leaves = halve(np.array([4, 8]), line, [(0, 1), (2, 3)], Fraction(1, 5))
    >>> leaves.vectors, leaves.times
    (array([[1, 2]]), array([4]))
    """
    farthest = ground.farthest(spans)
    unit = t.numerator * ground.scale * ground.total

    def near(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        size = nodes.sum(axis=1)
        good = size >= max(1, smallest)
        allowed = times(size[good], unit)
        good[good] = times(farthest(nodes[good]), t.denominator) <= allowed
        return np.asarray(good)

    def may_split(nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        left = nodes >> 1
        split = near(left)
        split[split] = near((nodes - left)[split])
        return split

    return grow(sizes, may_split)
