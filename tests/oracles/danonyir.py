"""DAnonyIR by the book (Wang et al. 2019, section 4.3), over individuals in plain Python with fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.regions import LOSSES, attribute_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


class Exact:
    """Losses as whole numbers over a common denominator, found from fractions."""

    def __init__(self, data: Microdata) -> None:
        self.domains = data.quasi
        self.weights = [Fraction(repr(domain.weight)) for domain in data.quasi]
        widths = [
            Fraction(repr(domain.high)) - Fraction(repr(domain.low))
            if domain.shape == "interval"
            else Fraction(max(1, domain.codes - 1))
            for domain in data.quasi
        ]
        # Every loss is a whole number of such parts, where numbers are decimals of a few places.
        self.denominator = 1
        for weight, width in zip(self.weights, widths, strict=True):
            unit = weight / (width or 1) / 1000
            self.denominator = math.lcm(self.denominator, unit.denominator, weight.denominator)
        self.known: list[dict[frozenset[int], int]] = [{} for _ in self.domains]

    @property
    def everything(self) -> int:
        return int(sum(self.weights) * self.denominator)

    def of(self, hull: Sequence[frozenset[int]]) -> list[int]:
        """Loss of every attribute of a hull, given as the codes met in it."""
        parts = []
        for j, codes in enumerate(hull):
            if codes not in self.known[j]:
                found = self.weights[j] * _share(self.domains[j], codes) * self.denominator
                assert found.denominator == 1
                self.known[j][codes] = int(found)
            parts.append(self.known[j][codes])
        return parts


class Rounded:
    """Losses in floating point, summed in the order of the attributes."""

    def __init__(self, data: Microdata) -> None:
        self.domains = data.quasi
        self.weights = attribute_weights(data.quasi).tolist()
        self.glm = LOSSES["glm"]

    @property
    def everything(self) -> float:
        return float(sum(self.weights))

    def of(self, hull: Sequence[frozenset[int]]) -> list[float]:
        parts = []
        for weight, domain, codes in zip(self.weights, self.domains, hull, strict=True):
            if domain.shape == "interval":
                positions = weight * self.glm.positions(domain)
                parts.append(min(float(positions[max(codes)] - positions[min(codes)]), weight))
            else:
                count = len(codes) if domain.shape == "set" else leaves(domain, codes)
                parts.append(float((weight * self.glm.by_count(domain.codes))[count]))
        return parts


def _share(domain: Domain, codes: frozenset[int]) -> Fraction:
    """Unweighted loss of the values met in one attribute."""
    if domain.shape != "interval":
        count = len(codes) if domain.shape == "set" else leaves(domain, codes)
        return Fraction(count - 1, max(1, domain.codes - 1))
    if domain.missing_code in codes:
        return Fraction(int(len(codes) > 1))
    width = Fraction(repr(domain.high)) - Fraction(repr(domain.low))
    numbers = [Fraction(repr(float(domain.numbers[code]))) for code in codes]
    return (max(numbers) - min(numbers)) / width if width > 0 else Fraction(0)


def leaves(domain: Domain, codes: frozenset[int]) -> int:
    """Number of leaves below the lowest common ancestor; the missing value is one more directly below the root."""
    tree = domain.hierarchy
    assert tree is not None
    if len(codes) == 1:
        return 1
    if domain.missing_code in codes:
        return domain.codes
    paths = []
    for code in codes:
        path = [int(tree.leaf_node[code])]
        while path[-1] != 0:
            path.append(int(tree.parent[path[-1]]))
        paths.append(path)
    common = next(node for node in paths[0] if all(node in path for path in paths))
    below = 0
    for leaf in range(len(tree.leaves)):
        node = int(tree.leaf_node[leaf])
        while node not in {common, 0}:
            node = int(tree.parent[node])
        below += node == common
    return below + (common == 0 and domain.missing)


class Side:
    """An individual or a class: its individuals, number of records and hull."""

    def __init__(self, people: list[int], records: int, hull: tuple[frozenset[int], ...]) -> None:
        self.people, self.records, self.hull = people, records, hull

    def with_(self, other: Side) -> Side:
        hull = tuple(a | b for a, b in zip(self.hull, other.hull, strict=True))
        return Side(self.people + other.people, self.records + other.records, hull)


def individuals(data: Microdata) -> list[Side]:
    """Everybody, with the hull of all their records."""
    records, of = (
        (data, np.arange(data.size)) if data.members is None else (data.members.records, data.members.of)
    )
    sides = []
    for person in range(data.size):
        own = np.flatnonzero(of == person)
        hull = tuple(frozenset(records.codes[j, own].tolist()) for j in range(len(data.quasi)))
        sides.append(Side([person], own.size, hull))
    return sides


def cluster(
    data: Microdata,
    order: Sequence[int],
    holds: Callable[[list[int]], bool],
    *,
    monotone: bool,
    exact: bool = True,
) -> tuple[list[list[int]], list[int]]:
    """Individuals of every class, in the order they joined, and those withheld.

    ``order`` holds all individuals: the next class begins with the first that is left.
    """
    losses = Exact(data) if exact else Rounded(data)
    sides = individuals(data)
    if monotone and not holds(list(range(data.size))):
        return [], list(range(data.size))

    def distance(a: Side, b: Side):
        joined = losses.of(a.with_(b).hull)
        first = sum(after - before for after, before in zip(joined, losses.of(a.hull), strict=True))
        second = sum(after - before for after, before in zip(joined, losses.of(b.hull), strict=True))
        return a.records * first + b.records * second

    alive = set(range(data.size))
    made: list[Side] = []
    residual: list[int] = []
    while alive:
        p = next(person for person in order if person in alive)
        alive.remove(p)
        q = sides[p]
        ok = holds(q.people)
        while not ok and alive:
            near, p1 = min((distance(sides[x], q), x) for x in alive)
            q1 = min(((distance(e, q), i) for i, e in enumerate(made)), default=None)
            if q1 is None or near <= q1[0]:
                alive.remove(p1)
                q = q.with_(sides[p1])
            else:
                q = q.with_(made.pop(q1[1]))
            ok = holds(q.people)
        if ok:
            made.append(q)
        else:
            residual = q.people
    withheld = []
    for p in residual:
        fits = [(distance(sides[p], e), i) for i, e in enumerate(made) if monotone or holds([*e.people, p])]
        best = min(fits, default=None)
        # Where nothing can be lost, nobody is withheld for it.
        if best is not None and (best[0] < sides[p].records * losses.everything or best[0] == 0):
            made[best[1]] = made[best[1]].with_(sides[p])
        else:
            withheld.append(p)
    return [e.people for e in made], withheld
