"""Lowest common ancestors of intervals of leaf ranks, for whole arrays at once.

Nodes are numbered in pre-order, so of all nodes that lie between two leaves their common ancestor has
the smallest number. The question is then a minimum over a range of ranks, which a table of the minima
over ranges of 2^k answers with two look-ups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def range_table(parent: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int32]:
    """Tabulate the common ancestors of 2^k + 1 consecutive leaves.

    Parameters
    ----------
    parent, right
        (nodes,) parent and largest leaf rank of each node, nodes in pre-order.

    Returns
    -------
    NDArray[np.int32]
        (powers, leaves): row k, entry r is the lowest common ancestor of the leaves r … r + 2^k;
        entries that reach beyond the last leaf mean nothing.

    Examples
    --------
    >>> range_table(np.array([-1, 0, 1, 1, 0]), np.array([2, 1, 0, 1, 2]))[0, :2]
    array([1, 0], dtype=int32)
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
    """Look up the common ancestors of all leaves between two ranks.

    Parameters
    ----------
    table
        From ``range_table``.
    leaf_node
        (leaves,) node number of each leaf.
    a, b
        Leaf ranks, of one shape or broadcast against each other, in any order.

    Returns
    -------
    NDArray[np.int32]
        Node numbers; the leaf itself where both ranks are equal.

    Raises
    ------
    IndexError
        For a rank that is not one of a leaf.
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
