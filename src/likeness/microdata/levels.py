"""The levels of each quasi-identifier by itself, from exact to most general: what shares a group at each, and what it loses."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.microdata.regions import CellLoss


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels of one attribute, from exact to most general.

    ``group``: per level, (cells,) the group of each. ``groups``: per level, how many there are among all codes.
    ``loss``: per level, (cells,) the weighted loss of each. ``widens``: per level, (cells,) whether the group of each holds more
    codes than the one a level below; always at the lowest.
    ``mean_loss``: per level, the weighted loss averaged over the records; never falls from level to level.
    """

    group: list[NDArray[np.int64]]
    groups: list[int]
    loss: list[NDArray[np.float64]]
    widens: list[NDArray[np.bool_]]
    mean_loss: list[float]


def ladder(
    domain: Domain, loss: CellLoss, weight: float, codes: NDArray[np.int32], sizes: NDArray[np.int64]
) -> Ladder:
    """Lay out the levels of an attribute for the cells of a table: their ``codes`` and ``sizes`` (cells,), in records.

    Levels that join nothing (padding) are left out.
    """
    found = Ladder([], [], [], [], [])
    narrower = np.zeros(domain.codes, np.int64)
    total = float(sizes.sum())
    counts = np.bincount(codes, sizes, domain.codes)
    for group, lost in _levels(domain, loss):
        # Summed code by code, so that it does not depend on the order of the cells.
        mean = weight * float((lost * counts).sum()) / total
        distinct, dense = np.unique(group, return_inverse=True)
        if found.groups and distinct.size == found.groups[-1]:
            # A level that joins nothing (padding) would only make the lattice larger.
            continue
        found.group.append(dense.astype(np.int64)[codes])
        found.groups.append(distinct.size)
        found.loss.append(weight * lost[codes])
        held = np.bincount(dense)[dense]
        found.widens.append((held > narrower)[codes])
        narrower = held
        found.mean_loss.append(max([mean, *found.mean_loss[-1:]]))
    return found


def vectors_by_loss(ladders: list[Ladder]) -> Iterator[tuple[int, ...]]:
    """Yield all vectors of levels by ascending mean loss; ties by the vector."""
    start = (0,) * len(ladders)
    waiting = [(0.0, start)]
    seen = {start}
    while waiting:
        _, vector = heapq.heappop(waiting)
        yield vector
        for j, own in enumerate(ladders):
            if vector[j] + 1 < len(own.mean_loss):
                above = (*vector[:j], vector[j] + 1, *vector[j + 1 :])
                if above not in seen:
                    seen.add(above)
                    lost = sum(x.mean_loss[level] for x, level in zip(ladders, above, strict=True))
                    heapq.heappush(waiting, (lost, above))


def most_levels(domain: Domain) -> int:
    """Bound the number of levels of an attribute in `ladder`, without looking at the records."""
    if domain.shape == "set":
        return 2
    if domain.shape == "tree" and domain.hierarchy is not None:
        return 1 + domain.hierarchy.height
    return 1 + max(domain.size - 1, 0).bit_length() + domain.missing


def _levels(domain: Domain, loss: CellLoss) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Per level, group and loss of every code."""
    exact = np.arange(domain.codes, dtype=np.int64), np.zeros(domain.codes)
    everything = np.zeros(domain.codes, np.int64), np.full(domain.codes, loss.by_count(domain.codes)[-1])
    if domain.shape == "set":
        return [exact, everything]
    if domain.shape == "tree":
        return [exact, *tree_levels(domain, loss)]
    levels = [exact]
    positions = loss.positions(domain)
    width = 2
    while width < 2 * domain.size:
        block = np.arange(domain.size) // width
        low, high = block * width, np.minimum(block * width + width, domain.size) - 1
        lost = positions[high] - positions[low]
        if domain.missing:
            # The missing value stays by itself until everything is one group.
            block, lost = np.append(block, domain.size), np.append(lost, 0.0)
        levels.append((block, lost))
        width *= 2
    return [*levels, everything] if domain.missing else levels


def tree_levels(domain: Domain, loss: CellLoss) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Give group and loss of every code at each level of a hierarchy above the leaves, up to the highest allowed.

    The missing value is a leaf under the root.
    """
    tree = domain.hierarchy
    assert tree is not None  # noqa: S101  # the shape tree always has one
    top = tree.height if domain.max_level is None else min(domain.max_level, tree.height)
    by_count = loss.by_count(domain.codes)
    levels = []
    for level in range(1, top + 1):
        node = tree.ancestor_at(np.arange(domain.size), level).astype(np.int64)
        leaves = tree.right[node] - tree.left[node] + 1
        if domain.missing:
            root = level == tree.height
            node = np.append(node, 0 if root else len(tree.labels))
            leaves = np.append(leaves + root, domain.codes if root else 1)
        levels.append((node, by_count[leaves]))
    return levels
