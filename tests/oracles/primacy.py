"""k-anonymity-primacy by the letter, over records in plain Python (Amiri et al. 2016, Algorithms 2 to 4)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.oracles.mdav import Plain

from likeness.microdata.plan import Plan
from likeness.microdata.regions import LOSSES, attribute_weights, recode, region_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.microdata.data import Microdata

    Off = Callable[[list[int]], Any]
    Holds = Callable[[list[int]], bool]


def gain(data: Microdata) -> Off:
    """Largest share of a value over that of the table: the relative gain plus 1."""
    whole = np.bincount(data.sensitive_codes[0]).tolist()

    def off(records: list[int]) -> Fraction:
        counts = np.bincount(data.sensitive_codes[0][records], minlength=len(whole)).tolist()
        return max(Fraction(c * data.size, n * len(records)) for c, n in zip(counts, whole, strict=True) if c)

    return off


def generated(
    data: Microdata, k: int, holds: Holds, off: Off, *, two: bool = True
) -> list[tuple[list[int], bool]]:
    """Clusters in the order they are made, and whether each holds; ties by tuple, then by row."""
    plain = Plain(data)
    left = sorted(range(data.size), key=lambda record: (int(data.tuples.of[record]), record))
    found = []

    def farthest(point: list[Any]) -> int:
        return max(
            left,
            key=lambda record: (round(plain.distance(plain.point(record), point), 9), -left.index(record)),
        )

    def cluster(seed: int) -> list[int]:
        if len(left) < 2 * k:
            return list(left)
        point = plain.point(seed)
        near = sorted(
            left, key=lambda record: (plain.distance(plain.point(record), point), left.index(record))
        )
        own = near[:k]
        for newcomer in near[k:]:
            if holds(own):
                break
            now = off(own)
            # Of equally good ones the farthest leaves, which came last.
            tried = [
                (off([y for y in own if y != gone] + [newcomer]), -near.index(gone), gone) for gone in own
            ]
            least, _, gone = min(tried)
            if least < now:
                own = [y for y in own if y != gone] + [newcomer]
        return own

    first = True
    point: list[Any] = []
    while left:
        seed = farthest(plain.centre(left) if first else point)
        point = plain.point(seed)
        own = cluster(seed)
        found.append((own, holds(own)))
        left = [record for record in left if record not in own]
        first = not (two and first)
    return found


def lost(data: Microdata, records: list[int]) -> float:
    """Number of records of a class, times what it loses."""
    classes = np.full(data.size, -1, np.int64)
    classes[records] = 0
    regions = recode(data, Plan(classes))[1].attributes
    weights = attribute_weights(data.quasi)
    each = [float(region_losses(one, LOSSES["ncp"])[one.of[0]]) for one in regions]
    return len(records) * float(np.dot(weights, each))


def merged(
    data: Microdata, made: list[tuple[list[int], bool]], holds: Holds, off: Off, *, published: bool
) -> list[tuple[list[int], bool]]:
    """Merge the cluster that is farthest off, with any or with one that does not hold either."""
    clusters: list[tuple[list[int], bool] | None] = list(made)
    while True:
        failing = [i for i, one in enumerate(clusters) if one is not None and not one[1]]
        if not failing:
            break
        worst = max(failing, key=lambda i: (off(clusters[i][0]), -i))  # type: ignore[index]
        others = [
            (i, one[0])
            for i, one in enumerate(clusters)
            if one is not None and i != worst and (published or not one[1])
        ]
        if not others:
            break
        own = clusters[worst][0]  # type: ignore[index]

        def grows(other: tuple[int, list[int]], own: list[int] = own) -> tuple[float, int]:
            loss = lost(data, own + other[1]) - (lost(data, other[1]) if published else 0)
            return round(loss, 9), other[0]

        best, records = min(others, key=grows)
        together = own + records
        clusters[worst], clusters[best] = (together, holds(together)), None
    return [one for one in clusters if one is not None]


def grown(
    data: Microdata, made: list[tuple[list[int], bool]], k: int, holds: Holds, off: Off
) -> list[tuple[list[int], bool]]:
    """Let the cluster that is farthest off take records of the other failing ones, one by one."""
    plain = Plain(data)
    failing = [i for i, one in enumerate(made) if not one[1]]
    if not failing:
        return made
    worst = max(failing, key=lambda i: (off(made[i][0]), -i))
    free = [record for i in failing if i != worst for record in made[i][0]]
    free.sort(key=lambda record: (int(data.tuples.of[record]), record))
    found, own = [one for one in made if one[1]], list(made[worst][0])
    while free:
        centre = plain.centre(own)

        def far(record: int, centre: list[Any] = centre) -> float:
            return round(plain.distance(plain.point(record), centre), 9)

        if len(own) >= k and holds(own):
            found.append((own, True))
            record = max(free, key=lambda record: (far(record), -free.index(record)))
            own = [record]
        else:
            record = min(free, key=lambda record: (far(record), free.index(record)))
            own.append(record)
        free.remove(record)
    return [*found, (own, len(own) >= k and holds(own))]
