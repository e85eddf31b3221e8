"""What an adversary who knows BUREL can tell from a release, by going through all its random choices.

Four to eight records: for every arrangement of the sensitive values, the exact chance that literal BUREL publishes
exactly the classes that were published; and so the exact posterior of every member.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Classes = frozenset[frozenset[int]]


def draw(
    keys: Sequence[int], bucket: Sequence[int], left: frozenset[int], seed: int, draft: Sequence[int]
) -> frozenset[int]:
    """The class around a seed: from every bucket the records with the nearest keys, those before the seed first."""
    found: list[int] = []
    for j, take in enumerate(draft):
        pool = sorted(
            (i for i in left if bucket[i] == j),
            key=lambda i: (abs(keys[i] - keys[seed]), keys[i] > keys[seed]),
        )
        found += pool[:take]
    return frozenset(found)


def chances(
    keys: Sequence[int], bucket: Sequence[int], drafts: Sequence[Sequence[int]]
) -> dict[Classes, Fraction]:
    """How likely each set of classes is, over all orders of the drafts and all seeds; keys must differ."""
    total: Counter[Classes] = Counter()

    def follow(
        left: frozenset[int], order: tuple[tuple[int, ...], ...], made: Classes, chance: Fraction
    ) -> None:
        if not order:
            total[made] += chance
            return
        draft = order[0]
        first = next(j for j, x in enumerate(draft) if x)
        seeds = [i for i in left if bucket[i] == first]
        for seed in seeds:
            own = draw(keys, bucket, left, seed, draft)
            follow(left - own, order[1:], made | {own}, chance / len(seeds))

    orders = list(permutations([tuple(draft) for draft in drafts]))
    for order in orders:
        follow(frozenset(range(len(keys))), order, frozenset(), Fraction(1, len(orders)))
    return dict(total)


def posteriors(
    keys: Sequence[int],
    values: Sequence[int],
    published: Classes,
    bucket_of: Sequence[int],
    drafts: Sequence[Sequence[int]],
) -> list[dict[int, Fraction]]:
    """Probability of every value for every record, given the classes and their values; all tables as likely before."""

    @cache
    def chance(buckets: tuple[int, ...]) -> Fraction:
        return chances(keys, buckets, drafts).get(published, Fraction(0))

    return weigh(values, published, lambda own: chance(tuple(bucket_of[v] for v in own)))


def weigh(
    values: Sequence[int], published: Classes, chance: Callable[[tuple[int, ...]], Fraction]
) -> list[dict[int, Fraction]]:
    """Bayes' rule over all arrangements of the values within their classes."""
    weights: Counter[tuple[int, int]] = Counter()
    everything = Fraction(0)
    for own in arrangements(values, published):
        weight = chance(own)
        everything += weight
        for i, value in enumerate(own):
            weights[i, value] += weight
    return [
        {value: weights[i, value] / everything for value in sorted(set(values))} for i in range(len(values))
    ]


def arrangements(values: Sequence[int], published: Classes) -> list[tuple[int, ...]]:
    """All ways to give every class's members its values."""
    found: list[dict[int, int]] = [{}]
    for members in map(sorted, published):
        own = sorted(set(permutations(values[i] for i in members)))
        found = [{**one, **dict(zip(members, way, strict=True))} for one in found for way in own]
    return [tuple(one[i] for i in range(len(values))) for one in found]


def kept_posteriors(
    members: Sequence[int], values: Sequence[int], same: Callable[[tuple[int, ...]], bool]
) -> list[dict[int, Fraction]]:
    """Frequencies of every value of one class's members over the arrangements for which ``same`` holds."""
    own = [values[i] for i in members]
    kept = []
    for way in sorted(set(permutations(own))):
        table = list(values)
        for i, value in zip(members, way, strict=True):
            table[i] = value
        if same(tuple(table)):
            kept.append(way)
    return [
        {value: Fraction(sum(way[at] == value for way in kept), len(kept)) for value in sorted(set(own))}
        for at in range(len(members))
    ]
