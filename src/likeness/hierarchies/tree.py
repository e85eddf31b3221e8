"""A generalization hierarchy as intervals of leaf ranks.

Give the leaves of a tree their pre-order ranks and every node is an interval of ranks, so that the
lowest common ancestor of a set of leaves is that of its smallest and its largest rank (Cao & Karras
2012, section 4.5). Numbers, ordered values and hierarchies are then all the same thing to
a method: intervals with a loss looked up per node.

Lowest common ancestors of intervals of leaf ranks, for whole arrays at once.

Nodes are numbered in pre-order, so of all nodes that lie between two leaves their common ancestor has
the smallest number. The question is then a minimum over a range of ranks, which a table of the minima
over ranges of 2^k answers with two look-ups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import HierarchyError, did_you_mean
from likeness.hierarchies.problems import ALIKE
from likeness.pages import in_notebook
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    Nodes = NDArray[np.int32]


def range_table(parent: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int32]:
    """Tabulate the common ancestors of 2^k + 1 consecutive leaves: (powers, leaves).

    Row k, entry r is the lowest common ancestor of the leaves r … r + 2^k; entries that reach beyond the last leaf mean
    nothing. ``parent``, ``right``: (nodes,) parent and largest leaf rank of each node, nodes in pre-order.
    """
    leaves = int(right[0]) + 1
    highest = np.zeros(leaves, np.int32)
    # Of repeated indices numpy keeps the last, and a parent precedes its children: written backwards,
    # the highest node that ends at a rank remains, and its parent is the first to hold the next leaf.
    highest[right[::-1]] = np.arange(len(parent) - 1, -1, -1, dtype=np.int32)
    table = np.zeros((leaves.bit_length(), leaves), np.int32)
    table[0, :-1] = parent[highest[:-1]]
    for k in range(1, len(table)):
        half = 1 << (k - 1)
        np.minimum(table[k - 1, :-half], table[k - 1, half:], out=table[k, :-half])
    return table


def lowest(
    table: NDArray[np.int32], leaf_node: NDArray[np.int32], a: NDArray[Any], b: NDArray[Any]
) -> NDArray[np.int32]:
    """Look up the common ancestors of all leaves between two ranks; the leaf itself where both are equal.

    ``table``: from `range_table`; ``leaf_node``: (leaves,) node number of each leaf. ``a``, ``b``: leaf ranks, of one shape
    or broadcast against each other, in any order. Raises `IndexError` for a rank that is not one of a leaf.
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    leaves = len(leaf_node)
    if not low.size:
        return np.zeros(low.shape, np.int32)
    if low.min() < 0 or high.max() >= leaves:
        raise IndexError(f"leaf ranks lie between 0 and {leaves - 1}; got {low.min()} to {high.max()}")
    low, high = low.astype(np.int64, copy=False), high.astype(np.int64, copy=False)
    span = (high - low).astype(np.int32)
    power = np.maximum(np.frexp(span)[1] - 1, 0)
    row = power * np.int64(leaves)
    # Where both ranks are equal the second look-up means nothing, and may even begin before the table.
    found = np.minimum(table.take(row + low), table.take(row + high - (1 << power), mode="wrap"))
    return np.asarray(np.where(span == 0, leaf_node[high], found))


LARGEST_MATRIX = 5_000
"""Most leaves for which all pairwise distances are held at once (200 MB)."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over the values of one column.

    Nodes are numbered in pre-order: node 0 is the root, a parent precedes its children, and siblings
    keep the order in which the file names them. A label names exactly one node.

    Parameters
    ----------
    name
        The column or the file, for messages.
    leaves
        The leaves' texts in pre-order; the index is the leaf's rank.
    labels
        One text per node.
    parent
        (nodes,) parent of each node; -1 for the root.
    left, right
        (nodes,) smallest and largest leaf rank below each node, both inclusive.
    level
        (nodes,) generalization level, the height of the node in the tree as it was declared: 0 for a
        leaf, more for a parent than for any of its children. Without padding that is one more than
        the highest child; a file that pads with repeated labels says itself on which level (column) a
        node begins. Distances do not look at levels but at heights in edges (``heights``), which padding
        does not change.
    leaf_node
        (leaves,) node number of each leaf.
    data_derived
        True when made from the observed values (intervals, dates, prefixes); False for a declared file.

    Notes
    -----
    A node may have one child (``Germany;Europe;*`` with no other country in Europe). Both are then the
    same interval of ranks; ``common_ancestor(left, right)`` is the lowest node of an interval.

    Examples
    --------
    >>> from likeness.hierarchies import from_rows
    >>> rows = [("flu", "lung", "*"), ("asthma", "lung", "*"), ("ulcer", "stomach", "*")]
    >>> diseases = from_rows(rows, "disease", where=lambda i: f"line {i + 1}")
    >>> diseases
    Hierarchy('disease': 3 leaves, height 2, root '*')
    >>> node = diseases.common_ancestor([0, 0], [1, 2])
    >>> [diseases.labels[n] for n in node]
    ['lung', '*']
    >>> diseases.distance([0, 0], [1, 2])
    array([0.5, 1. ])
    """

    name: str
    leaves: tuple[str, ...]
    labels: tuple[str, ...]
    parent: Nodes
    left: Nodes
    right: Nodes
    level: Nodes
    leaf_node: Nodes
    data_derived: bool

    @property
    def height(self) -> int:
        """The root's level: how many levels lie above the leaves in the tree as it was declared."""
        return int(self.level[0])

    def heights(self, leaves: NDArray[np.bool_] | None = None) -> Nodes:
        """(nodes,) Height of every node: edges of the longest way down to a leaf.

        Parameters
        ----------
        leaves : (leaves,) bool, optional
            Only ways to these are looked at; a node without any has height 0. All by default.

        Notes
        -----
        The height of a node is the largest number of edges down to a leaf, also where leaves lie at different depths. Two files
        that write one tree with its labels repeated on different levels give the same heights.

        Examples
        --------
        >>> from likeness.hierarchies import from_rows
        >>> padded = from_rows([("a", "X", "X", "*"), ("b", "X", "X", "*")], "t", where=str)
        >>> padded.level.tolist(), padded.heights().tolist()
        ([3, 1, 0, 0], [2, 1, 0, 0])
        """
        parent = self.parent.tolist()
        taken = np.full(len(parent), leaves is None)
        if leaves is not None:
            taken[self.leaf_node[leaves]] = True
        height = np.where(taken, 0, -1).tolist()
        # A parent precedes its children.
        for node in range(len(parent) - 1, 0, -1):
            if height[node] >= 0:
                height[parent[node]] = max(height[parent[node]], height[node] + 1)
        return np.asarray(np.maximum(height, 0), np.int32)

    @cached_property
    def unpadded(self) -> Hierarchy:
        """The same tree, every node on the level of its height, as if no label had been repeated."""
        return replace(self, level=self.heights())

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self.leaves)

    @cached_property
    def rank_of(self) -> dict[str, int]:
        """Rank of each leaf's text; for whole columns, where ``leaf_rank`` takes one value."""
        return {leaf: rank for rank, leaf in enumerate(self.leaves)}

    @cached_property
    def _node_of(self) -> dict[str, int]:
        return {label: node for node, label in enumerate(self.labels)}

    def leaf_rank(self, value: str) -> int:
        """Rank of one leaf.

        Raises
        ------
        HierarchyError
            When the value is not a leaf.
        """
        rank = self.rank_of.get(value)
        if rank is None:
            raise HierarchyError(
                f"value {quoted(value)} is not a leaf of {self.name}{did_you_mean(value, self.rank_of, alike=ALIKE)}"
            )
        return rank

    def node_of(self, label: str) -> int:
        """Node with this label, as a release prints it.

        Raises
        ------
        HierarchyError
            When no node is called that.
        """
        node = self._node_of.get(label)
        if node is None:
            raise HierarchyError(
                f"{quoted(label)} is not a label of {self.name}{did_you_mean(label, self._node_of, alike=ALIKE)}"
            )
        return node

    def leaf_count(self, node: ArrayLike) -> NDArray[Any]:
        """How many leaves lie below each node; 1 for a leaf itself."""
        node = np.asarray(node)
        return np.asarray(self.right[node] - self.left[node] + 1)

    def is_leaf(self, node: ArrayLike) -> NDArray[np.bool_]:
        """Whether each node is a leaf."""
        return np.asarray(self.level[np.asarray(node)] == 0)

    @cached_property
    def _by_parent(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """All nodes sorted by parent, and where each parent's children begin and end among them."""
        order = np.argsort(self.parent, kind="stable")
        bounds = np.searchsorted(self.parent[order], np.arange(len(self.labels) + 1))
        return order, bounds

    def children(self, node: int) -> tuple[int, ...]:
        """Children of a node from left to right; empty for a leaf."""
        order, bounds = self._by_parent
        return tuple(order[bounds[node] : bounds[node + 1]].tolist())

    @cached_property
    def _ancestors(self) -> Nodes:
        return range_table(self.parent, self.right)

    def common_ancestor(self, low: ArrayLike, high: ArrayLike) -> NDArray[np.int32]:
        """Lowest common ancestor of all leaves between two ranks.

        Parameters
        ----------
        low, high
            Leaf ranks, arrays of one shape; their order does not matter.

        Returns
        -------
        NDArray[np.int32]
            Node numbers in the shape of the ranks; the leaf itself where both ranks are equal.

        Raises
        ------
        IndexError
            For a rank that is not one of a leaf.
        """
        return lowest(self._ancestors, self.leaf_node, np.asarray(low), np.asarray(high))

    def cut(self, level: int) -> NDArray[np.intp]:
        """Nodes of one generalization level, left to right: together they cover every leaf once.

        Parameters
        ----------
        level
            From 0, the leaves, to the height, the root alone; larger is the root too.

        Returns
        -------
        NDArray[np.intp]
            Each the highest node on its path whose level is at most ``level``.
        """
        if level < 0:
            raise ValueError(f"a level is at least 0; got {level}")
        reached = self.level <= level
        # The root's parent, -1, reads the last node here, which the mask below overrides.
        passed = self.level[self.parent] > level
        passed[0] = True
        return np.flatnonzero(reached & passed)

    def ancestor_at(self, rank: ArrayLike, level: int) -> NDArray[np.int32]:
        """Climb from each leaf to its highest ancestor of at most a level (full-domain recoding).

        Parameters
        ----------
        rank
            Leaf ranks.
        level
            Generalization level; the leaves themselves at 0, the root from ``height`` on.

        Returns
        -------
        NDArray[np.int32]
            Node numbers in the shape of the ranks.
        """
        nodes = self.cut(level)
        of_leaf = np.repeat(nodes.astype(np.int32), self.leaf_count(nodes))
        return np.asarray(of_leaf[np.asarray(rank)])

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
        """Normalised path distance between leaves: height of the common ancestor over that of the root, in edges.

        Parameters
        ----------
        a, b
            Leaf ranks, arrays of one shape.

        Returns
        -------
        NDArray[np.float64]
            In [0, 1]; 0 for equal leaves, 1 where only the root is common.

        Notes
        -----
        The ground distance of hierarchical t-closeness and of the record distance of Amiri et al. 2016.
        """
        height = self.unpadded.level
        return np.asarray(height[self.common_ancestor(a, b)] / max(int(height[0]), 1))

    def leaf_distances(self) -> NDArray[np.float64]:
        """All distances between leaves, (leaves, leaves), computed once.

        Raises
        ------
        ValueError
            Above 5,000 leaves, where the matrix no longer fits comfortably in memory.
        """
        return self._leaf_distances

    @cached_property
    def _leaf_distances(self) -> NDArray[np.float64]:
        if self.size > LARGEST_MATRIX:
            raise ValueError(
                f"{self.name} has {count(self.size, 'leaf')}: all their distances do not fit in memory "
                f"(at most {LARGEST_MATRIX:,}); use distance() on pairs"
            )
        rank = np.arange(self.size)
        matrix = self.distance(rank[:, None], rank[None, :])
        matrix.setflags(write=False)
        return matrix

    def to_rows(self) -> list[list[str]]:
        """Write the tree as rows of ARX's format: leaf first, root last, one column per level.

        Where a branch is shorter than the tree is high, labels are repeated; ``from_rows`` makes the
        same tree of these rows again.
        """
        columns = [self.ancestor_at(np.arange(self.size), at) for at in range(max(self.height, 1) + 1)]
        return [[self.labels[node] for node in path] for path in np.stack(columns, axis=1).tolist()]

    def __repr__(self) -> str:
        return (
            f"Hierarchy({self.name!r}: {count(self.size, 'leaf')}, "
            f"height {self.height}, root {self.labels[0]!r})"
        )

    def _repr_html_(self) -> str:
        shown = [self.labels[node] for node in self.children(0)[:8]]
        more = ", …" if len(self.children(0)) > len(shown) else ""
        sizes = f"{count(self.size, 'leaf')}, height {self.height}"
        return in_notebook(f"{sizes}; {self.labels[0]} → {', '.join(shown)}{more}", noun=self.name)
