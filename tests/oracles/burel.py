"""BUREL step by step, as paper 002 (section 4) writes it: plain loops over values, vectors and records."""

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
