"""BUREL step by step, as Cao & Karras 2012 (section 4) writes it: plain loops over values, vectors and records."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likeness.exact import Real

Vector = tuple[int, ...]


def combinable(counts: Sequence[int], limits: Sequence[Real], begin: int, end: int, *, strict: bool) -> bool:
    """Whether values begin … end - 1 (ascending) may share a bucket."""
    if end - begin == 1:
        return True
    share = Fraction(sum(counts[begin:end]), sum(counts))
    limit = limits[begin]
    return limit.at_least(share) and not (strict and limit.exact == share)


def dp_partition(
    counts: Sequence[int], limits: Sequence[Real], *, strict: bool = False
) -> list[tuple[int, int]]:
    """Function DPpartition, O(m²), with strict improvement only."""
    size = len(counts)
    fewest, begins = [0] * (size + 1), [0] * (size + 1)
    for e in range(1, size + 1):
        fewest[e], begins[e] = fewest[e - 1] + 1, e
        b = e - 1
        while b > 0 and combinable(counts, limits, b - 1, e, strict=strict):
            if fewest[b - 1] + 1 < fewest[e]:
                fewest[e], begins[e] = fewest[b - 1] + 1, b
            b -= 1
    segments = []
    e = size
    while e > 0:
        segments.append((begins[e] - 1, e))
        e = begins[e] - 1
    return segments[::-1]


def fewest_buckets(counts: Sequence[int], limits: Sequence[Real]) -> int:
    """Fewest buckets of any partition into runs of values, by trying them all."""
    size = len(counts)
    for cuts in range(size):
        for chosen in combinations(range(1, size), cuts):
            ends = [0, *chosen, size]
            if all(combinable(counts, limits, begin, end, strict=False) for begin, end in pairwise(ends)):
                return cuts + 1
    raise AssertionError("one bucket per value is always allowed")


def bi_split(vector: Vector, limits: Sequence[Real], smallest: int = 1) -> list[Vector]:
    """Function biSplit: the leaves of the ECTree, by recursion."""
    if max(vector) <= 1:
        return [vector]
    left = tuple(x // 2 for x in vector)
    right = tuple(x - y for x, y in zip(vector, left, strict=True))
    if eligible(left, limits, smallest) and eligible(right, limits, smallest):
        return bi_split(left, limits, smallest) + bi_split(right, limits, smallest)
    return [vector]


def eligible(vector: Vector, limits: Sequence[Real], smallest: int) -> bool:
    """Theorem 1, and the smallest size."""
    size = sum(vector)
    if size < max(1, smallest):
        return False
    return all(limit.at_least(Fraction(x, size)) for x, limit in zip(vector, limits, strict=True))


def retrieve(
    buckets: Sequence[Sequence[int]],
    drafts: Sequence[Vector],
    uniform: Sequence[float],
    nearest: Callable[[int, int], Sequence[int]],
) -> list[list[int]]:
    """Draw the classes: for every draft a seed, then from each bucket what ``nearest`` puts first.

    Parameters
    ----------
    buckets
        Positions of each bucket; a position is a record.
    drafts
        Records each class draws from each bucket.
    uniform
        Random numbers that choose the seeds.
    nearest
        From the seed and a bucket's number, all positions of that bucket, nearest first.
    """
    pools = [list(bucket) for bucket in buckets]
    classes = []
    for draft, chance in zip(drafts, uniform, strict=True):
        first = pools[next(j for j, x in enumerate(draft) if x)]
        seed = first[int(chance * len(first))]
        drawn: list[int] = []
        for j, take in enumerate(draft):
            order = [p for p in nearest(seed, j) if p in pools[j]]
            for position in order[:take]:
                hole = pools[j].index(position)
                pools[j][hole] = pools[j][-1]
                pools[j].pop()
                drawn.append(position)
        classes.append(drawn)
    return classes


def halve(portions: list[list[int]], holds: Callable[[list[int]], bool]) -> list[list[int]]:
    """Split a class, given bucket by bucket along the curve, while both halves hold."""
    left = [portion[: (len(portion) + 1) // 2] for portion in portions]
    right = [portion[(len(portion) + 1) // 2 :] for portion in portions]
    if holds([*chain(*left)]) and holds([*chain(*right)]):
        return halve(left, holds) + halve(right, holds)
    return [[*chain(*portions)]]


def most_room(counts: Sequence[int], most: Sequence[int], allowed: int) -> Fraction:
    """Largest smallest room, over all partitions into up to so many runs of values; one value needs none."""
    rooms = []
    for cuts in range(min(allowed, len(counts))):
        for chosen in combinations(range(1, len(counts)), cuts):
            ends = [0, *chosen, len(counts)]
            rooms.append(smallest_room(counts, most, list(pairwise(ends))))
    return max(rooms)


def smallest_room(
    counts: Sequence[int], most: Sequence[int], segments: Sequence[tuple[int, int]]
) -> Fraction:
    """Smallest room of the segments of several values; 10⁹ where there are none."""
    several = [(begin, end) for begin, end in segments if end - begin > 1]
    return min((Fraction(most[b], sum(counts[b:e])) for b, e in several), default=Fraction(10**9))


def mirror(
    portions: list[list[int]],
    eligible: Callable[[Vector], bool],
    along: Callable[[int], Callable[[int], tuple[int, int]]],
    spread: Callable[[list[int]], Fraction],
    dimensions: int,
) -> list[list[int]]:
    """Carry records down the ECTree, given bucket by bucket: halve every bucket at its own quantile.

    Parameters
    ----------
    portions
        Records of each bucket.
    eligible
        Whether a vector of sizes may be a class.
    along
        For a dimension, what records are sorted by.
    spread
        Size-weighted spread of a half.
    dimensions
        Number of dimensions.
    """
    low = tuple(len(portion) // 2 for portion in portions)
    high = tuple(len(portion) - x for portion, x in zip(portions, low, strict=True))
    if max(map(len, portions)) <= 1 or not (eligible(low) and eligible(high)):
        return [[*chain(*portions)]]
    ways = []
    for j in range(dimensions):
        ordered = [sorted(portion, key=along(j)) for portion in portions]
        left = [portion[:x] for portion, x in zip(ordered, low, strict=True)]
        right = [portion[x:] for portion, x in zip(ordered, low, strict=True)]
        ways.append((spread([*chain(*left)]) + spread([*chain(*right)]), j, left, right))
    _, _, left, right = min(ways)
    return [part for half in (left, right) for part in mirror(half, eligible, along, spread, dimensions)]
