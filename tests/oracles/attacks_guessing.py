"""Guessing attacks by plain definition: every published record of everybody's candidates, in fractions.

A record's belief is what an adversary who knows which record is the target's believes of its value.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from tests.oracles.metrics import region
from tests.oracles.nearest import PlainNearest

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan

Belief = dict[int, Fraction]


class PlainRelease:
    """Published records: what their quasi-identifiers may be, and what is believed of their values."""

    def __init__(self, form: str, data: Microdata, plan: Plan) -> None:
        self.domains = data.quasi
        self.targets = [tuple(record) for record in data.codes.T.tolist()]
        self.truth = data.sensitive_codes[0].tolist()
        self.values = data.sensitive[0].codes
        kept = np.flatnonzero(plan.published).tolist()
        self.kept_values = [self.truth[r] for r in kept]
        self.prior = Counter(self.kept_values)
        self.mechanism = plan.mechanism if form == "perturbed" else None
        self.shown = None if plan.sensitive is None else [int(plan.sensitive[0][r]) for r in kept]
        exact = form not in {"angelized", "generalized", "mixed"}
        buckets = plan.classes if plan.buckets is None else plan.buckets
        group = {r: (0 if form == "baseline" else int(buckets[r])) for r in kept}
        self.classes = {
            g: Counter(self.truth[r] for r in kept if group[r] == g) for g in sorted(set(group.values()))
        }
        if form == "perturbed":
            group = {r: int(plan.classes[r]) for r in kept}
        self.class_of = [group[r] for r in kept]
        self.cells = []
        for r in kept:
            alike = [r] if exact else [o for o in kept if plan.classes[o] == plan.classes[r]]
            self.cells.append(
                [region(domain, {self.targets[o][j] for o in alike}) for j, domain in enumerate(data.quasi)]
            )
        covering = all(domain.shown == "region" for domain in data.quasi)
        self.nearest = None if covering else PlainNearest(data, plan)
        self.beliefs = [self.belief(i) for i in range(len(kept))]

    def belief(self, i: int) -> Belief:
        """What is believed of a record."""
        if self.mechanism is None:
            counts = self.classes[self.class_of[i]]
            return {v: Fraction(n, counts.total()) for v, n in counts.items()}
        row = self.mechanism.numerators[self.shown[i]].tolist()
        joint = {v: n * row[v] for v, n in self.prior.items()}
        return {v: Fraction(n, sum(joint.values())) for v, n in joint.items()}

    def candidates(self, target: tuple[int, ...]) -> list[int]:
        if self.nearest is not None:
            near = self.nearest.near(dict(enumerate(target)))
            return [i for i, own in enumerate(self.class_of) if own in near]
        return [
            i
            for i, cells in enumerate(self.cells)
            if all(code in cell for code, cell in zip(target, cells, strict=True))
        ]

    def posterior(self, target: tuple[int, ...]) -> Belief:
        """Mean belief of all candidates; empty without any."""
        own = self.candidates(target)
        found: Belief = {}
        for i in own:
            for v, share in self.beliefs[i].items():
                found[v] = found.get(v, Fraction(0)) + share / len(own)
        return found

    def class_beliefs(self) -> list[tuple[int, Belief]]:
        """Size and mean belief of every class that an adversary can tell from others."""
        groups: dict[int, list[int]] = {}
        for i, g in enumerate(self.class_of):
            groups.setdefault(g, []).append(i)
        found = []
        for members in groups.values():
            mean: Belief = {}
            for i in members:
                for v, share in self.beliefs[i].items():
                    mean[v] = mean.get(v, Fraction(0)) + share / len(members)
            found.append((len(members), mean))
        return found

    def naive_bayes(self, variant: str = "counts") -> list[list[list[Fraction]]]:
        """Pr[t_j|v] by attribute, code and value; 0 where nobody has the value."""
        tables = []
        for j, domain in enumerate(self.domains):
            table = []
            for code in range(domain.codes):
                row = [Fraction(0)] * self.values
                for i, cells in enumerate(self.cells):
                    if code not in cells[j]:
                        continue
                    weight = Fraction(1, len(cells[j])) if variant == "uniform" else Fraction(1)
                    if self.mechanism is not None:
                        row[self.shown[i]] += weight
                        continue
                    for v, share in self.beliefs[i].items():
                        row[v] += weight * share
                if self.mechanism is not None:
                    row = self.reconstruct(row)
                add, more = (1, domain.codes) if variant == "laplace" else (0, 0)
                table.append(
                    [
                        (row[v] + add) / (self.prior[v] + more) if self.prior[v] else Fraction(0)
                        for v in range(self.values)
                    ]
                )
            tables.append(table)
        return tables

    def reconstruct(self, row: list[Fraction]) -> list[Fraction]:
        if not any(row):
            return row
        found = self.mechanism.reconstruct(np.array([float(x) for x in row]), "plain")
        return [Fraction(max(0.0, x)) for x in found.tolist()]

    def score(self, target: tuple[int, ...], tables: list[list[list[Fraction]]]) -> list[Fraction]:
        """Pr[v] times all Pr[t_j|v], value by value."""
        total = sum(self.prior.values())
        scores = []
        for v in range(self.values):
            product = Fraction(self.prior[v], total) if total else Fraction(0)
            for code, table in zip(target, tables, strict=True):
                product *= table[code][v]
            scores.append(product)
        return scores

    @property
    def likeliest(self) -> int:
        """The first of the most frequent published values, -1 without any."""
        top = max(self.prior.values(), default=0)
        return min((v for v, n in self.prior.items() if n == top), default=-1)


def first_best(scores: dict[int, Fraction], otherwise: int) -> int:
    """The first value of the largest positive score."""
    top = max(scores.values(), default=Fraction(0))
    return (
        min((v for v, score in scores.items() if score == top), default=otherwise) if top > 0 else otherwise
    )
