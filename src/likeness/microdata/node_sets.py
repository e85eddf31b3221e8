"""Generalized sets of sensitive values: what somebody has is below each of some nodes of a hierarchy, and below no others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy


@dataclass(frozen=True, eq=False)
class NodeSets:
    """K sets of nodes of a hierarchy, none of which is below another: the values of people of whom a set is published.

    Somebody of such a set has a value or more below each of its nodes; which, nobody is told: estimates take them to have one
    below each, every leaf being as likely.

    ``tree``: the hierarchy. ``nodes``: of each set, ascending.

    >>> from likeness.hierarchies import from_rows
    >>> rows = [("flu", "low", "*"), ("headache", "low", "*"), ("chills", "mild", "*")]
    >>> sets = NodeSets(from_rows(rows, "symptom", where=str), ((1, 5), (0,)))
    >>> sets.any_of(np.array([[1.0, 0, 0], [1, 0, 1]])).round(3).tolist()
    [[0.5, 0.333], [1.0, 0.667]]
    """

    tree: Hierarchy
    nodes: tuple[tuple[int, ...], ...]

    @property
    def count(self) -> int:
        """Number K of sets."""
        return len(self.nodes)

    @cached_property
    def _laid(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(entries,) set and node of every member."""
        of = np.repeat(np.arange(self.count), [len(own) for own in self.nodes])
        return of, np.array([node for own in self.nodes for node in own], np.int64)

    @cached_property
    def mixes_levels(self) -> NDArray[np.bool_]:
        """(K,) Whether each has a leaf and a node that is none: then the leaf is told, of whomever the set is."""
        of, node = self._laid
        leaf = self.tree.is_leaf(node)
        return np.asarray((np.bincount(of, leaf, self.count) > 0) & (np.bincount(of, ~leaf, self.count) > 0))

    def any_of(self, met: NDArray[np.float64]) -> NDArray[np.float64]:
        """(S, K) Chance that somebody of each set has a value that is met, from (S, leaves) whether each is, as 0 and 1.

        `Units` ask it of sets of tuples by the same name.
        """
        of, node = self._laid
        below = np.concatenate([np.zeros((met.shape[0], 1)), np.cumsum(met, axis=1)], axis=1)
        first, last = self.tree.left[node], self.tree.right[node] + 1
        without = 1 - (below[:, last] - below[:, first]) / (last - first)
        begins = np.searchsorted(of, np.arange(self.count))
        return np.asarray(1 - np.multiply.reduceat(without, begins, axis=1))

    def covering(self, leaves: NDArray[np.integer]) -> NDArray[np.bool_]:
        """(leaves asked, K) Whether each set has a node above each of some leaves, or the leaf itself."""
        of, node = self._laid
        inside = (self.tree.left[node] <= leaves[:, None]) & (leaves[:, None] <= self.tree.right[node])
        return np.asarray(np.add.reduceat(inside, np.searchsorted(of, np.arange(self.count)), axis=1) > 0)

    @cached_property
    def exactly(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(entries,) Set and leaf of every member that is a leaf, set by set."""
        of, node = self._laid
        shown = self.tree.is_leaf(node)
        return of[shown], self.tree.left[node[shown]].astype(np.int64)

    def beliefs(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """(leaves,) Chance that somebody has each leaf, from (K,) the chance that each set is theirs."""
        of, node = self._laid
        first, last = self.tree.left[node], self.tree.right[node] + 1
        width = last - first
        leaves = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width - first, width)
        own = np.repeat(weights[of] / width, width)
        return np.bincount(leaves, own, self.tree.size).astype(np.float64)

    def losses(self, leaves: NDArray[np.integer], of: NDArray[np.integer]) -> NDArray[np.float64]:
        """(items,) Share of all leaves that each item is generalized to, 0 where it is shown; ``of``: the set it is in.

        Their mean is SA-NCP (Gong et al. 2017).
        """
        sets, node = self._laid
        keys = sets * self.tree.size + self.tree.left[node]
        at = node[np.searchsorted(keys, of.astype(np.int64) * self.tree.size + leaves, side="right") - 1]
        width = self.tree.leaf_count(at)
        return np.asarray(np.where(self.tree.is_leaf(at), 0, width / self.tree.size))
