"""BUREL's two phases, for its tests."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from tests.methods.problems import plain_set

from likeness.methods.burel.buckets import Buckets, Leaves, bi_split, bucketize
from likeness.models.base import SensitiveAttribute
from likeness.models.beta_likeness import BetaLikeness

if TYPE_CHECKING:
    from likeness.models.basic_beta_likeness import BasicBetaLikeness


def buckets_of(
    counts: list[int],
    model: BetaLikeness | BasicBetaLikeness,
    *,
    strict: bool = False,
    slack: bool = False,
) -> Buckets:
    attribute = SensitiveAttribute(plain_set("disease", len(counts)), np.array(counts))
    limits = model.bind(attribute).upper_limits  # type: ignore[attr-defined]
    return bucketize(np.array(counts), attribute, limits, strict=strict, slack=slack)


def phases(counts: list[int], beta: object, *, strict: bool = False) -> tuple[Buckets, Leaves]:
    buckets = buckets_of(counts, BetaLikeness(beta), strict=strict)  # type: ignore[arg-type]
    return buckets, bi_split(buckets.sizes, buckets.limits)


def as_counter(leaves: Leaves) -> Counter[tuple[int, ...]]:
    found: Counter[tuple[int, ...]] = Counter()
    for vector, times in zip(leaves.vectors.tolist(), leaves.times.tolist(), strict=True):
        found[tuple(vector)] += times
    return found
