"""Greedy k-member clustering by the book, over records in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from tests.oracles.mdav import Plain

from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOSSES, attribute_weights, recode, region_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.microdata.data import Microdata


def loss_of(data: Microdata, records: list[int], loss: str) -> float:
    """Weighted loss of one record of a class."""
    classes = np.full(data.size, -1, np.int64)
    classes[records] = 0
    _, recoding = recode(data, Plan(classes))
    weights = attribute_weights(data.quasi)
    return float(
        sum(
            w * region_losses(a, LOSSES[loss])[a.of[0]]
            for w, a in zip(weights, recoding.attributes, strict=True)
        )
    )


def classes(
    data: Microdata, k: int, loss: str, first: int, holds: Callable[[list[int]], bool]
) -> tuple[list[list[int]], list[int]]:
    """Records of every class, in the order they joined, and those left over."""
    plain = Plain(data)
    left = sorted(range(data.size), key=lambda record: (int(data.tuples.of[record]), record))
    seed, made = first, []
    while len(left) >= k:
        point = plain.point(seed)
        seed = max(left, key=lambda r: (round(plain.distance(plain.point(r), point), 9), -left.index(r)))
        own = [seed]
        rest = [record for record in left if record != seed]
        while rest and (len(own) < k or not holds(own)):
            best = min(rest, key=lambda r: (round(loss_of(data, [*own, r], loss), 9), left.index(r)))
            own.append(best)
            rest.remove(best)
        if len(own) < k or not holds(own):
            break
        made.append(own)
        left = rest
    return made, left
