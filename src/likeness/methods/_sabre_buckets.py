"""SABRE's first phase: split buckets of sensitive values until they cannot keep a class too far from the table."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from likeness.methods._sabre_ground import Ground, Span


def partitions(ground: Ground, t: Fraction) -> Iterator[list[Span]]:
    """Yield the bucket partitions that t allows, from the fewest buckets on.

    One bucket holds everything at first. While the bounds of all buckets together exceed t, the bucket
    whose split lowers them most is split; of equals, the leftmost. Then splitting goes on the same way, for those
    who want more buckets.

    Parameters
    ----------
    ground
        The ground distance.
    t
        Largest distance.

    Examples
    --------
    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from likeness.methods._sabre_line import Line
    >>> next(partitions(Line(np.array([1, 1, 1, 1]), 3, "exact"), Fraction(1, 4)))
    [(0, 1), (2, 3)]
    """
    whole: Span = (0, len(ground.counts) - 1)
    allowed = t * ground.scale * ground.total
    cost = ground.cost(whole)
    splits: list[tuple[int, Span, list[Span]]] = []
    _offer(splits, ground, whole)
    buckets = {whole}
    while True:
        if cost <= allowed:
            yield sorted(buckets)
        if not splits:
            return
        fall, span, parts = heappop(splits)
        buckets.remove(span)
        buckets.update(parts)
        cost += fall
        for part in parts:
            _offer(splits, ground, part)


def _offer(splits: list[tuple[int, Span, list[Span]]], ground: Ground, span: Span) -> None:
    """Note what splitting a bucket would change."""
    parts = ground.split(span)
    if parts:
        heappush(splits, (sum(map(ground.cost, parts)) - ground.cost(span), span, parts))
