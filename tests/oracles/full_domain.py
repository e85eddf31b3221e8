"""Full-domain generalization by the book: every vector of levels is tried, records one by one."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.regions import LOSSES, attribute_weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


def levels(domain: Domain, loss: str) -> list[list[tuple[str, float]]]:
    """Per level, what every code is published as, and what that loses."""
    own = LOSSES[loss]
    labels = [*domain.labels, *([None] if domain.missing else [])]
    exact = [(repr(label), 0.0) for label in labels]
    everything = [("*", float(own.by_count(domain.codes)[-1]))] * domain.codes
    if domain.hierarchy is None:
        return [exact, everything]
    tree = domain.hierarchy
    found = [exact]
    top = tree.height if domain.max_level is None else min(tree.height, domain.max_level)
    for level in range(1, top + 1):
        row = []
        for label in domain.labels:
            node = int(tree.ancestor_at(np.array([tree.rank_of[label]]), level)[0])
            leaves = {tree.leaves[i] for i in range(int(tree.left[node]), int(tree.right[node]) + 1)}
            if domain.shape == "interval":
                places = [own.positions(domain)[i] for i, x in enumerate(domain.labels) if x in leaves]
                lost = 1.0 if domain.missing and level == tree.height else float(max(places) - min(places))
            else:
                extra = domain.missing and node == 0
                lost = float(own.by_count(domain.codes)[len(leaves) + extra])
            row.append((f"{level}:{node}", lost))
        if domain.missing:
            root = level == tree.height
            row.append((row[0][0], row[0][1]) if root else ("missing", 0.0))
        found.append(row)
    return found


def minimal(data: Microdata, allowance: int, holds: Callable[[list[int]], bool]) -> list[tuple[int, ...]]:
    """Vectors that withhold few enough, while no vector of other regions below them does.

    Levels that join nothing in this table are the same as those below them and left out.
    """
    tables = [levels(domain, "glm") for domain in data.quasi]
    kept = []
    for table, codes in zip(tables, data.codes, strict=True):
        own: list[int] = []
        for level, row in enumerate(table):
            groups = len({row[int(code)][0] for code in codes})
            if not own or groups < len({table[own[-1]][int(code)][0] for code in codes}):
                own.append(level)
        kept.append(own)
    good = []
    for vector in product(*kept):
        groups = defaultdict(list)
        for record in range(data.size):
            rows = zip(tables, vector, data.codes, strict=True)
            groups[tuple(table[at][int(codes[record])][0] for table, at, codes in rows)].append(record)
        failing = sum(len(group) for group in groups.values() if not holds(group))
        if failing <= allowance:
            good.append(vector)
    return [
        v for v in good if not any(u != v and all(a <= b for a, b in zip(u, v, strict=True)) for u in good)
    ]


def best(
    data: Microdata, loss: str, allowance: int, holds: Callable[[list[int]], bool]
) -> tuple[float, tuple[int, ...], int] | None:
    """Least loss over all vectors, the vector, and how many records it withholds; None when no vector will do.

    ``holds`` judges a group, given as positions of its records. Where the best withholds everything, which loses as much as
    one class of everything, that class is taken if it holds.
    """
    tables = [levels(domain, loss) for domain in data.quasi]
    top = tuple(_highest(table, codes) for table, codes in zip(tables, data.codes, strict=True))
    at_top = None
    weights = attribute_weights(data.quasi)
    # What every record is published as on every level of every attribute, and what that loses.
    shown = [
        [[row[code] for code in codes] for row in table]
        for table, codes in zip(tables, data.codes.tolist(), strict=True)
    ]
    judged: dict[tuple[int, ...], bool] = {}
    found = None
    for vector in product(*(range(len(table)) for table in tables)):
        groups = defaultdict(list)
        rows = [own[at] for own, at in zip(shown, vector, strict=True)]
        for record in range(data.size):
            groups[tuple(row[record][0] for row in rows)].append(record)
        kept = []
        for group in groups.values():
            # Vectors have most of their groups in common.
            if tuple(group) not in judged:
                judged[tuple(group)] = holds(group)
            if judged[tuple(group)]:
                kept += group
        withheld = data.size - len(kept)
        if withheld > allowance:
            continue
        lost = sum(
            weight * row[record][1] for record in kept for row, weight in zip(rows, weights, strict=True)
        )
        candidate = (withheld + lost, sum(vector), vector, withheld)
        if vector == top and kept:
            at_top = candidate
        if (
            found is None
            or candidate[0] < found[0] - 1e-9
            or (candidate[0] < found[0] + 1e-9 and candidate[1:3] < found[1:3])
        ):
            found = candidate
    if found is not None and found[3] == data.size and at_top is not None:
        found = at_top
    return None if found is None else (found[0], found[2], found[3])


def _highest(table: list[list[tuple[str, float]]], codes: np.ndarray) -> int:
    """Lowest level that joins as much of a table as the highest."""
    groups = [len({row[int(code)][0] for code in codes}) for row in table]
    return groups.index(groups[-1])
