"""The metrics by plain definition: one loop over the records, regions as sets of codes.

Regions are found anew from the records and the classes; nothing of `likeness.microdata.regions` or
`likeness.metrics` is used.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.hierarchies import Hierarchy
    from likeness.metrics.base import Evaluation
    from likeness.microdata.domain import Domain


class Plain:
    """A release as lists of records and sets of codes."""

    def __init__(self, evaluation: Evaluation) -> None:
        data = evaluation.data
        self.domains = data.quasi
        self.records = [tuple(record) for record in data.codes.T.tolist()] if data.quasi else [()] * data.size
        self.sensitive = data.sensitive_codes[0].tolist() if data.sensitive else []
        self.class_of = evaluation.plan.classes.tolist()
        self.n = len(self.class_of)
        self.published = [i for i in range(self.n) if self.class_of[i] >= 0]
        self.withheld = self.n - len(self.published)
        # A class is what is published alike, whatever the plan calls it.
        self.members: dict[tuple[frozenset[int] | int, ...], list[int]] = {}
        self.region = {}
        for i in self.published:
            alike = [self.records[o] for o in self.published if self.class_of[o] == self.class_of[i]]
            self.region[i] = tuple(
                region(domain, {record[j] for record in alike}) for j, domain in enumerate(self.domains)
            )
            self.members.setdefault(self.region[i], []).append(i)
        total = sum(domain.weight for domain in self.domains)
        self.weights = [domain.weight / total for domain in self.domains]


def climb(hierarchy: Hierarchy, ranks: set[int]) -> int:
    """Lowest node above all ranks."""
    node = int(hierarchy.leaf_node[min(ranks)])
    while not all(hierarchy.left[node] <= rank <= hierarchy.right[node] for rank in ranks):
        node = int(hierarchy.parent[node])
    return node


def region(domain: Domain, codes: set[int]) -> frozenset[int]:
    """All codes that a cell stands for when these must look alike."""
    everything = frozenset(range(domain.codes))
    if domain.shape == "set" or len(codes) == 1:
        return frozenset(codes)
    if domain.missing_code in codes:
        return everything
    if domain.shape == "interval":
        return frozenset(range(min(codes), max(codes) + 1))
    node = climb(domain.hierarchy, codes)
    if node == 0:
        return everything
    return frozenset(range(domain.hierarchy.left[node], domain.hierarchy.right[node] + 1))


def cell_loss(domain: Domain, cell: frozenset[int], loss: str) -> float:
    """What a cell loses by its definition."""
    if domain.shape == "interval":
        if len(cell) == 1:
            return 0.0
        if domain.missing_code in cell:
            return 1.0
        low, high = min(cell), max(cell)
        if loss == "iloss" and domain.kind not in {"integer", "date"}:
            return (high - low) / domain.size
        between = float(domain.numbers[high] - domain.numbers[low])
        return between / (domain.width + 1) if loss == "iloss" else between / domain.width
    u = len(cell)
    if loss == "ncp":
        return 0.0 if u == 1 else u / domain.codes
    if loss == "iloss":
        return (u - 1) / domain.codes
    return 0.0 if u == 1 else (u - 1) / (domain.codes - 1)


def gcp(plain: Plain, loss: str = "ncp") -> float:
    return sum(
        weight * cell_loss(domain, cell, loss)
        for i in plain.published
        for domain, weight, cell in zip(plain.domains, plain.weights, plain.region[i], strict=True)
    )


def ncp(plain: Plain, loss: str = "ncp") -> float:
    return gcp(plain, loss) / len(plain.published) if plain.published else 1.0


def ncp_total(plain: Plain, loss: str = "ncp") -> float:
    return (gcp(plain, loss) + plain.withheld) / plain.n


def discernibility(plain: Plain, k: int = 1) -> float:
    return float(sum(len(g) ** 2 if len(g) >= k else plain.n * len(g) for g in plain.members.values())) + (
        plain.withheld * plain.n
    )


def average_class_size(plain: Plain) -> float:
    return len(plain.published) / len(plain.members) if plain.members else float(plain.n)


def c_avg(plain: Plain, k: int) -> float:
    return plain.n / len(plain.members) / k if plain.members else plain.n / k


def classification(plain: Plain) -> float:
    wrong = plain.withheld
    for group in plain.members.values():
        values = [plain.sensitive[i] for i in group]
        wrong += len(values) - max(values.count(value) for value in values)
    return wrong / plain.n


def minimal_distortion(plain: Plain) -> float:
    changed = sum(len(cell) > 1 for i in plain.published for cell in plain.region[i])
    return float(changed + plain.withheld * len(plain.domains))


def level(domain: Domain, cell: frozenset[int]) -> tuple[int, int]:
    """Level of a cell, and of the root."""
    if domain.hierarchy is None:
        return int(len(cell) > 1), int(domain.codes > 1)
    hierarchy = domain.hierarchy
    height = max(hierarchy.height, int(domain.missing))
    if cell == {domain.missing_code}:
        return 0, height
    if domain.missing_code in cell:
        return height, height
    ranks = {hierarchy.leaf_rank(domain.labels[code]) for code in cell}
    return int(hierarchy.level[climb(hierarchy, ranks)]), height


def generalization_height(plain: Plain) -> float:
    total = 0
    for i in range(plain.n):
        for j, domain in enumerate(plain.domains):
            at, height = level(domain, plain.region[i][j] if i in plain.region else frozenset([0]))
            total += at if i in plain.region else height
    return float(total)


def precision(plain: Plain) -> float:
    total = 0.0
    for i in range(plain.n):
        for j, domain in enumerate(plain.domains):
            if i not in plain.region:
                total += 1
                continue
            at, height = level(domain, plain.region[i][j])
            total += at / height if height else 0
    return 1 - total / (plain.n * len(plain.domains))


def entropy_by_attribute(plain: Plain, *, local: bool = False) -> list[tuple[float, float]]:
    """Bits lost, and bits to lose, of every attribute."""
    found = []
    for j in range(len(plain.domains)):
        table = [record[j] for record in plain.records]
        bits = most = 0.0
        for i, x in enumerate(table):
            whole = -log2(table.count(x) / plain.n)
            most += whole
            if i not in plain.region:
                bits += whole
                continue
            among = [table[o] for o in plain.members[plain.region[i]]] if local else table
            covered = sum(value in plain.region[i][j] for value in among)
            bits -= log2(among.count(x) / covered)
        found.append((bits, most))
    return found


def non_uniform_entropy(plain: Plain, *, local: bool = False) -> float:
    return sum(bits for bits, _ in entropy_by_attribute(plain, local=local))


def non_uniform_entropy_normalised(plain: Plain, *, local: bool = False) -> float:
    return sum(
        weight * (bits / most if most > 1e-9 else 0.0)
        for weight, (bits, most) in zip(plain.weights, entropy_by_attribute(plain, local=local), strict=True)
    )


ORACLES: dict[str, Callable[[Plain], float]] = {
    "ncp": ncp,
    "ncp-total": ncp_total,
    "glm": lambda plain: ncp(plain, "glm"),
    "iloss": lambda plain: ncp(plain, "iloss"),
    "gcp": gcp,
    "gcp-normalised": ncp,
    "ail": lambda plain: gcp(plain) / plain.n,
    "utility": lambda plain: 1 - ncp_total(plain),
    "discernibility": discernibility,
    "average-class-size": average_class_size,
    "c-avg": lambda plain: c_avg(plain, 2),
    "classification": classification,
    "minimal-distortion": minimal_distortion,
    "generalization-height": generalization_height,
    "precision": precision,
    "non-uniform-entropy": non_uniform_entropy,
    "non-uniform-entropy-local": lambda plain: non_uniform_entropy(plain, local=True),
    "non-uniform-entropy-normalised": non_uniform_entropy_normalised,
}
"""Plain versions by metric name; `c-avg` with k = 2."""
