"""MDAV by the book, over records in plain Python."""

from __future__ import annotations

from math import isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.microdata.regions import attribute_weights

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata


class Plain:
    """Distances and centres of a table's records."""

    def __init__(self, data: Microdata) -> None:
        self.data = data
        self.weights = attribute_weights(data.quasi) * len(data.quasi)

    def apart(self, j: int, one: int, other: int) -> float:
        """Distance of two codes of a category: height of the lowest common ancestor over the root's."""
        domain = self.data.quasi[j]
        if one == other:
            return 0.0
        tree = domain.hierarchy
        if domain.shape == "set" or tree is None or domain.missing_code in {one, other}:
            return 1.0
        for node in range(len(tree.labels) - 1, -1, -1):
            if tree.left[node] <= min(one, other) and max(one, other) <= tree.right[node]:
                return float(tree.level[node]) / tree.height
        raise AssertionError

    def distance(self, x: list[Any], y: list[Any]) -> float:
        """Of two points: numbers as places (NaN for missing), categories as codes."""
        squares = total = 0.0
        for j, (domain, weight) in enumerate(zip(self.data.quasi, self.weights, strict=True)):
            if domain.shape != "interval":
                total += weight * self.apart(j, x[j], y[j])
            elif isnan(x[j]) != isnan(y[j]):
                squares += weight
            elif not isnan(x[j]):
                squares += weight * (x[j] - y[j]) ** 2
        return sqrt(squares) + total

    def point(self, record: int) -> list[Any]:
        """Where a record lies."""
        return [
            domain.places(np.nan)[code] if domain.shape == "interval" else int(code)
            for domain, code in zip(self.data.quasi, self.data.codes[:, record], strict=True)
        ]

    def centre(self, records: list[int]) -> list[Any]:
        """Mean of the numbers, most central category."""
        found: list[Any] = []
        for j, domain in enumerate(self.data.quasi):
            own = [self.point(record)[j] for record in records]
            if domain.shape == "interval":
                known = [x for x in own if not isnan(x)]
                found.append(sum(known) / len(known) if known else float("nan"))
            else:
                ranked = sorted(
                    set(own),
                    key=lambda x: (round(sum(self.apart(j, x, y) for y in own), 9), -own.count(x), x),
                )
                found.append(ranked[0])
        return found


def clusters(data: Microdata, k: int) -> list[list[int]]:
    """Records of each cluster; ties by tuple, then by row."""
    plain = Plain(data)
    left = sorted(range(data.size), key=lambda record: (int(data.tuples.of[record]), record))
    found = []

    def farthest(point: list[Any]) -> int:
        # Rounded: a sum taken in another order must not decide between records that are equally far.
        return max(
            left,
            key=lambda record: (round(plain.distance(plain.point(record), point), 9), -left.index(record)),
        )

    def take(seed: int) -> None:
        point = plain.point(seed)
        near = sorted(
            left, key=lambda record: (plain.distance(plain.point(record), point), left.index(record))
        )
        found.append(near[:k])
        for record in near[:k]:
            left.remove(record)

    while len(left) >= 2 * k:
        first = farthest(plain.centre(left))
        point = plain.point(first)
        take(first)
        if len(left) >= 2 * k:
            take(farthest(point))
    if left:
        found.append(left)
    return found


def sizes(data: Microdata, k: int) -> Any:
    """Sizes of the clusters."""
    return np.array([len(cluster) for cluster in clusters(data, k)])
