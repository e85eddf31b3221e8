"""SBCA by the paper: every distance of every record is computed anew for every class."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.microdata.data import Microdata


def order_of(data: Microdata) -> list[int]:
    """Records sorted by the attribute of fewest values."""
    fewest = min(range(len(data.quasi)), key=lambda j: (len(set(data.codes[j].tolist())), j))
    return sorted(range(data.size), key=lambda record: (int(data.codes[fewest][record]), record))


def similarity(context: list[int], everywhere: list[int], own: int, *, dense: bool) -> dict[int, float]:
    """Distance of every value of an attribute from the first record's (section 5.1).

    ``context`` holds the values of the context's records, ``everywhere`` those of all that are left, in their order.
    """
    counts = Counter(context)
    appears = {value: i for i, value in reversed(list(enumerate(everywhere)))}
    others = sorted(
        set(everywhere) - {own}, key=lambda v: (abs(counts[v] - counts[own]), -counts[v], appears[v])
    )
    index = {own: 0}
    for at, value in enumerate(others):
        gap = abs(counts[value] - counts[own])
        if dense and at > 0 and gap == abs(counts[others[at - 1]] - counts[own]):
            index[value] = index[others[at - 1]]
        else:
            index[value] = index[others[at - 1]] + 1 if at else 1
    return {value: place / (len(index) - 1) for value, place in index.items()}


def distances(data: Microdata, left: list[int], k: int, options: dict[str, str]) -> list[float]:
    """Distance of every record that is left from the first of them."""
    first = left[0]
    categories = [j for j, domain in enumerate(data.quasi) if domain.shape != "interval"]
    numbers = [j for j, domain in enumerate(data.quasi) if domain.shape == "interval"]
    apart = [0.0] * len(left)
    for j in sorted(categories, key=lambda j: len({int(data.codes[j][r]) for r in left})):
        values = [int(data.codes[j][record]) for record in left]
        if len(set(values)) == 1:
            continue
        if len(set(values)) == 2:
            apart = [d + (v != values[0]) for d, v in zip(apart, values, strict=True)]
            continue
        reach = 0.0
        while sum(d <= reach for d in apart) < k and reach < max(apart):
            reach = max(apart) if options["widening"] == "all" else min(d for d in apart if d > reach)
        context = [v for d, v in zip(apart, values, strict=True) if d <= reach]
        table = similarity(context, values, values[0], dense=options["ties"] == "dense")
        apart = [d + table[v] for d, v in zip(apart, values, strict=True)]
    found = []
    for record, d in zip(left, apart, strict=True):
        total = 0.0
        for j in numbers:
            one, other = data.quasi[j].places(np.nan)[data.codes[j][[record, first]]].tolist()
            total += 1.0 if isnan(one) != isnan(other) else 0.0 if isnan(one) else abs(one - other)
        if options["normalize"] == "by-type" and numbers and categories:
            found.append((total / len(numbers) + d / len(categories)) / 2)
        else:
            found.append((total + d) / len(data.quasi))
    return found


def classes(
    data: Microdata, k: int, holds: Callable[[list[int]], bool], **options: str
) -> tuple[list[list[int]], list[int]]:
    """Records of every class, and those left over."""
    left, made = order_of(data), []
    while len(left) >= k:
        apart = distances(data, left, k, options)
        near = [left[i] for i in np.argsort(apart, kind="stable")]
        size = next((size for size in range(k, len(near) + 1) if holds(near[:size])), None)
        if size is None:
            break
        made.append(near[:size])
        taken = set(near[:size])
        left = [record for record in left if record not in taken]
    return made, left
