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


def grown(
    domain: Domain, members: tuple[Any, ...], least: int, listed: list[Any], ends: tuple[Any, Any]
) -> Any:
    """What is published of some members where regions grow by what few of them have; None where nothing may be.

    ``listed``: all published values of a column of sets; ``ends``: the first and the last number that everybody knows of.
    """
    m = len(members)
    if m < least:
        return None
    if len(set(members)) == 1:
        return narrowest(domain, members)
    if domain.shape == "set":
        return grown_set(set(members), m, least, listed)
    if MISSING in members:
        if domain.shape == "tree":
            return "everything" if m > least or len(domain.hierarchy.children(0)) > 2 else None
        return "everything" if m > least else None
    if domain.shape == "interval":
        return grown_interval(members, least, ends)
    if m > least:
        return narrowest(domain, members)
    tree = domain.hierarchy
    paths = [path(domain, leaf) for leaf in members]
    shared = [nodes[0] for nodes in zip(*paths, strict=False) if len(set(nodes)) == 1]
    wide = [node for node in shared if len(tree.children(node)) > 2]
    if not wide:
        return None
    leaves = int(tree.left[wide[-1]]), int(tree.right[wide[-1]])
    return "everything" if domain.missing and leaves == (0, domain.size - 1) else leaves


def grown_set(values: set[Any], m: int, least: int, listed: list[Any]) -> Any:
    """The same of a set of several values."""
    n, ranks = len(listed), {listed.index(value) for value in values}
    if m >= len(values) + least - 1:
        return frozenset(values)
    extra = [rank for rank in range(n) if (sum(ranks) + rank) % n == 0]
    if extra[0] not in ranks:
        return frozenset({*values, listed[extra[0]]})
    if len(values) > 2:
        return None
    pairs = [
        {x, y} for x in range(n) for y in range(x + 1, n) if (2 * x + y) % n == 0 or (x + 2 * y) % n == 0
    ]
    while pairs:
        one = pairs.pop(0)
        other = next((own for own in pairs if not own & one), None)
        if other is not None:
            pairs.remove(other)
            if ranks in (one, other):
                return frozenset(listed[rank] for rank in one | other)
    return None


def grown_interval(members: tuple[Any, ...], least: int, ends: tuple[Any, Any]) -> Any:
    """The same of an interval of numbers."""
    first, last = ends
    origin = first if first is not None else last if last is not None else 0
    x, y = min(members) - origin, max(members) - origin
    first, last = (None if end is None else end - origin for end in ends)
    m = len(members)
    if m > 2 * least:
        few = [members.count(end + origin) < least for end in (x, y)]
        low = x - 1 if few[0] and x % 2 == 1 else x
        high = y + 1 if few[1] and y % 2 == 0 and y != last else y
        return low + origin, high + origin
    low, high = x, y
    if (x + y) % 3 == 1:
        low, high = (x - 1, y) if x != first else (x, y + 2)
    elif (x + y) % 3 == 2:
        low, high = (x, y + 1) if y != last else (x - 2, y)
    elif y - x == 1:
        low, high = (x - 1, y + 1) if y != last else (x - 3, y)
    if first is not None and last is not None and (low < first or high > last):
        low, high = first, last
    if m == least and (low, high) == (first, last) and (low + high) % 3 and tells(first, last):
        return None
    return low + origin, high + origin


def tells(first: int, last: int) -> bool:
    """Whether all pairs that become the whole have an end in common."""
    pairs = [(x, y) for x in range(first, last + 1) for y in range(x + 1, last + 1)]
    # Three members, of whom nothing is refused.
    whole = [{x, y} for x, y in pairs if grown_interval((x, x, y), 2, (first, last)) == (first, last)]
    return bool(set.intersection(*whole))


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
            step, least = publication.steps.get(domain.name), publication.attained
            note = cells.note
            listed = sorted(
                {value for own in cells.regions for value in own.values} | set(note.values or ()), key=str
            )
            listed = [*(value for value in listed if value is not None), *([None] if None in listed else [])]
            ends = (0, domain.size - 1) if note.order is not None else (note.low, note.high)
            ends = tuple(None if end is None else int(end) for end in ends)
            key = shown(region, domain)
            if domain.shape == "set" and key == "everything":
                key = frozenset(cells.note.values)
            self.before.append(len(may))
            every = product(may, repeat=self.size)
            if least is None:
                self.columns.append([members for members in every if narrowest(domain, members, step) == key])
            else:
                own = [members for members in every if grown(domain, members, least, listed, ends) == key]
                self.columns.append(own)

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
