"""Downcoding by writing down every table that would have been published as it was."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from likeness.forms.base import Publication, ShownColumn
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.published.regions import Region

MISSING = None


def path(domain: Domain, leaf: int) -> list[int]:
    """Nodes above a leaf, the root first."""
    tree = domain.hierarchy
    node, found = int(tree.leaf_node[leaf]), []
    while node >= 0:
        found.append(node)
        node = int(tree.parent[node])
    return found[::-1]


def narrowest(domain: Domain, members: tuple[Any, ...], step: Any = None) -> Any:
    """What is published of some members, rounded outward to whole steps: equal for equal regions."""
    if domain.shape == "set":
        groups = [set(own) for own in step or ()]
        return frozenset(members).union(*(own for own in groups if own & set(members)))
    if MISSING in members:
        return "missing" if set(members) == {MISSING} else "everything"
    if domain.shape == "interval":
        if step is None:
            return min(members), max(members)
        size = step
        return min(members) // size * size, max(members) // size * size + size - 1
    # The hierarchies of tests have two levels below the root.
    paths = [path(domain, leaf)[: 3 - (step or 0)] for leaf in members]
    shared = [nodes[0] for nodes in zip(*paths, strict=False) if len(set(nodes)) == 1]
    # Of nodes above the same leaves one stands for all.
    node = shared[-1]
    tree = domain.hierarchy
    leaves = int(tree.left[node]), int(tree.right[node])
    return "everything" if domain.missing and node == 0 else leaves


def shown(region: Region, domain: Domain) -> Any:
    """The same of a published text."""
    if region.what == "everything":
        if domain.shape == "tree" and not domain.missing:
            return 0, domain.size - 1
        return "everything"
    if region.what == "values" and domain.shape != "set":
        return "missing"
    if region.what == "values":
        return frozenset(region.values)
    if domain.shape == "interval":
        return region.low, region.high
    tree = domain.hierarchy
    node = tree.node_of(region.text)
    return int(tree.left[node]), int(tree.right[node])


def values(cells: ShownColumn, region: Region, domain: Domain) -> list[Any]:
    """Values that members of a region may have, as the adversary knows them."""
    key = shown(region, domain)
    if key == "missing":
        return [MISSING]
    if domain.shape == "set":
        return list(key) if key != "everything" else list(cells.note.values)
    if domain.shape == "tree":
        low, high = (0, domain.size - 1) if key == "everything" else key
        return [*range(low, high + 1), *([MISSING] if key == "everything" else [])]
    own = domain.numbers.tolist() if domain.kind == "real" else None
    if key == "everything":
        inside = own or list(
            range(int(domain.low), int(domain.high) + 1) if domain.kind != "ordered" else range(domain.size)
        )
        return [*inside, MISSING]
    if own is None:
        return list(range(key[0], key[1] + 1))
    return [value for value in own if key[0] <= value <= key[1]]


class Consistent:
    """All assignments of values to the members of one class, column by column, that would be published as they are."""

    def __init__(self, publication: Publication, original: Microdata, identity: int) -> None:
        self.size = int(np.count_nonzero(publication.identities == identity))
        self.before: list[int] = []
        self.columns: list[list[tuple[Any, ...]]] = []
        for cells, domain in zip(publication.cells, original.quasi, strict=True):
            region = cells.regions[int(cells.of[identity])]
            may = values(cells, region, domain)
            step = publication.steps.get(domain.name)
            key = shown(region, domain)
            if domain.shape == "set" and key == "everything":
                key = frozenset(cells.note.values)
            self.before.append(len(may))
            every = product(may, repeat=self.size)
            self.columns.append([members for members in every if narrowest(domain, members, step) == key])

    @property
    def work(self) -> int:
        """How many tables there are."""
        return prod(len(own) for own in self.columns)

    @property
    def tables(self) -> set[tuple[Any, ...]]:
        """The distinct tables, rows in no order."""
        every = (zip(*members, strict=True) for members in product(*self.columns))
        return {tuple(sorted(Counter(rows).items(), key=repr)) for rows in every}

    def known(self, column: int) -> bool:
        """Whether one multiset of values is left."""
        return len({tuple(sorted(own, key=repr)) for own in self.columns[column]}) == 1
