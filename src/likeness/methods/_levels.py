"""The generalization levels of one attribute: which values share a group at each, and what that loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.metrics.loss import CellLoss
    from likeness.microdata.domain import Domain


@dataclass(frozen=True, eq=False)
class Ladder:
    """The levels of one attribute, from exact to most general.

    Parameters
    ----------
    group
        Per level, the group of each cell.
    groups
        Per level, how many groups there may be.
    mean_loss
        Per level, the weighted loss of a cell, averaged over the records; never falls from level to level.
    """

    group: list[NDArray[np.int64]]
    groups: list[int]
    mean_loss: list[float]


def ladder(
    domain: Domain, loss: CellLoss, weight: float, codes: NDArray[np.int32], sizes: NDArray[np.int64]
) -> Ladder:
    """Lay out the levels of an attribute for the cells of a table.

    Parameters
    ----------
    domain
        The attribute.
    loss
        What generalizing costs.
    weight
        The attribute's weight.
    codes : (cells,) int32
        Code of each cell.
    sizes : (cells,) int64
        Records of each cell.

    Examples
    --------
    >>> from likeness.metrics.loss import LOSSES
    >>> from likeness.microdata.domain import Domain
    >>> sex = Domain("sex", "categorical", np.array(["F", "M"]), "set")
    >>> own = ladder(sex, LOSSES["ncp"], 1.0, np.array([0, 1]), np.array([3, 1]))
    >>> own.mean_loss, own.group[1].tolist()
    ([0.0, 1.0], [0, 0])
    """
    found = Ladder([], [], [])
    total = float(sizes.sum())
    for group, lost in _levels(domain, loss):
        mean = weight * float(lost[codes] @ sizes) / total
        distinct, dense = np.unique(group, return_inverse=True)
        if found.groups and distinct.size == found.groups[-1]:
            # A level that joins nothing (padding) would only make the lattice larger.
            continue
        found.group.append(dense.astype(np.int64)[codes])
        found.groups.append(distinct.size)
        found.mean_loss.append(max([mean, *found.mean_loss[-1:]]))
    return found


def most_levels(domain: Domain) -> int:
    """Bound the number of levels of an attribute, without looking at the records.

    Parameters
    ----------
    domain
        The attribute.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> most_levels(Domain("sex", "categorical", np.array(["F", "M"]), "set"))
    2
    >>> most_levels(Domain("age", "integer", np.arange(75), "interval"))
    8
    """
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
