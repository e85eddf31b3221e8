"""Beliefs of who knows something of a target: over all assignments of published values to records, in fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np
from tests.oracles.attacks_guessing import PlainRelease

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan

Belief = dict[int, Fraction]


class PlainKnowing:
    """Published records, each with how often it has each value over all assignments of its bucket's values."""

    def __init__(self, form: str, data: Microdata, plan: Plan) -> None:
        self.release = PlainRelease(form, data, plan)
        self.n = data.size
        self.rows_of = np.flatnonzero(plan.published).tolist()
        own = self.release.class_of
        buckets = [[i for i, g in enumerate(own) if g == b] for b in sorted(set(own))]
        if form == "generalized":
            # One table shows whose value is whose.
            self.times = [Counter([value]) for value in self.release.kept_values]
            return
        self.times = [Counter() for _ in own]
        arranged = [permutations([self.release.kept_values[i] for i in bucket]) for bucket in buckets]
        for world in product(*map(list, arranged)):
            for bucket, values in zip(buckets, world, strict=True):
                for i, value in zip(bucket, values, strict=True):
                    self.times[i][value] += 1

    def candidates(self, person: int) -> list[int]:
        return self.release.candidates(self.release.targets[person])

    def own_class(self, person: int) -> list[int]:
        """Published records of the person's class or bucket; none where it is withheld."""
        if person not in self.rows_of:
            return []
        own = self.release.class_of[self.rows_of.index(person)]
        return [i for i, g in enumerate(self.release.class_of) if g == own]

    def posterior(self, rows: Iterable[int], possible: set[int]) -> Belief:
        """Of all assignments and records that leave the target a possible value, how many leave each."""
        counts: Counter[int] = Counter()
        for i in rows:
            counts.update({v: n for v, n in self.times[i].items() if v in possible})
        return {v: Fraction(n, counts.total()) for v, n in counts.items()}


def credit(belief: Belief, true: set[int]) -> Fraction:
    """Chance that the likeliest value is true, of equally likely ones any being named."""
    top = max(belief.values(), default=Fraction(0))
    likeliest = [v for v, share in belief.items() if share == top]
    return Fraction(sum(v in true for v in likeliest), max(1, len(likeliest)))
