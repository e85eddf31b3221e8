"""Which classes lie nearest to somebody, by plain definition, where means and modes are published."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np
from tests.oracles.metrics import region

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.microdata.plan import Plan

MISSING, EVERYTHING = "missing", "everything"


def number_of(domain: Domain, code: int) -> Fraction:
    """A value as a number: days since 1970 for dates."""
    if domain.kind == "date":
        return Fraction(int(domain.numbers[code]))
    return Fraction(domain.labels[code])


def mean_of(domain: Domain, codes: list[int]) -> object:
    """The mean of some values as it is published."""
    lacking = sum(code == domain.missing_code for code in codes)
    if lacking:
        return MISSING if lacking == len(codes) else EVERYTHING
    exact = sum(number_of(domain, code) for code in codes) / len(codes)
    return Fraction(round(exact)) if domain.kind == "date" else Fraction(float(exact))


def mode_of(codes: list[int]) -> int:
    """The most frequent of some values, of equally frequent ones the first."""
    often = Counter(codes)
    return min(often, key=lambda code: (-often[code], code))


def edges(domain: Domain, code: int, other: int) -> float:
    """Edges between two leaves over twice the height; the missing value is one more leaf directly below the root."""
    tree = domain.hierarchy

    def path(leaf: int) -> list[int]:
        if leaf == domain.missing_code:
            return [-1, 0]
        nodes = [int(tree.leaf_node[leaf])]
        while nodes[-1]:
            nodes.append(int(tree.parent[nodes[-1]]))
        return nodes

    mine, theirs = path(code), path(other)
    return (len(mine) + len(theirs) - 2 * len({*mine} & {*theirs})) / (2 * tree.unpadded.height)


class PlainNearest:
    """What every class of a plan shows; attributes are noted as what is shown of them."""

    def __init__(self, data: Microdata, plan: Plan) -> None:
        self.domains = data.quasi
        kept = np.flatnonzero(plan.published).tolist()
        self.classes = sorted({int(plan.classes[r]) for r in kept})
        self.shows = {}
        for number in self.classes:
            codes = data.codes[:, plan.classes == number].tolist()
            self.shows[number] = [
                self._show(own, column) for own, column in zip(data.quasi, codes, strict=True)
            ]
        self.widths = []
        for j in range(len(self.domains)):
            means = [own[j] for own in self.shows.values() if isinstance(own[j], Fraction)]
            self.widths.append(max(means) - min(means) if means else Fraction(0))

    def _show(self, domain: Domain, codes: list[int]) -> object:
        if domain.shown == "mean":
            return mean_of(domain, codes)
        return mode_of(codes) if domain.shown == "mode" else region(domain, set(codes))

    def near(self, target: dict[int, int]) -> list[int]:
        """Classes nearest to somebody of whom the codes of some attributes are known, ascending."""
        away = {number: self._away(target, shown) for number, shown in self.shows.items()}
        least = min(away.values(), default=inf)
        return [number for number in self.classes if away[number] <= least + 1e-9 and least < inf]

    def _away(self, target: dict[int, int], shown: list[object]) -> float:
        squares = others = 0.0
        for j, code in target.items():
            domain, own = self.domains[j], shown[j]
            if domain.shown == "mean":
                if own == EVERYTHING:
                    squares += 0.25
                elif own == MISSING or code == domain.missing_code:
                    squares += (own == MISSING) != (code == domain.missing_code)
                elif self.widths[j]:
                    squares += float((number_of(domain, code) - own) / self.widths[j]) ** 2
            elif domain.shown == "region":
                others += 0 if code in own else inf
            elif domain.shape == "tree":
                others += edges(domain, code, own)
            elif domain.shape == "interval" and domain.missing_code not in {code, own}:
                squares += ((code - own) / max(1, domain.size - 1)) ** 2
            elif domain.shape == "interval":
                squares += code != own
            else:
                others += code != own
        return sqrt(squares) + others
