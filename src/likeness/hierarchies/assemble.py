"""Number the nodes of a checked tree in pre-order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.hierarchies.tree import Hierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def assemble(
    name: str, labels: Sequence[str], parent: ArrayLike, level: ArrayLike, *, data_derived: bool = False
) -> Hierarchy:
    """Make a hierarchy of nodes in any order that form one tree.

    Parameters
    ----------
    name
        The column or the file, for messages.
    labels
        One distinct text per node; siblings in the order they shall keep.
    parent
        Index of each node's parent; -1 for the one root.
    level
        Generalization level of each node; 0 for the leaves only, a parent's above its children's.
    data_derived
        True when made from observed values.

    Returns
    -------
    Hierarchy
        The same tree, its nodes in pre-order.

    Examples
    --------
    >>> assemble("sex", ["F", "M", "*"], [2, 2, -1], [0, 0, 1]).leaves
    ('F', 'M')
    """
    old_parent, old_level = np.asarray(parent, np.int32), np.asarray(level, np.int32)
    order = _pre_order(old_parent)
    number = np.empty_like(order)
    number[order] = np.arange(len(order), dtype=np.int32)
    new_parent = old_parent[order]
    new_parent[1:] = number[new_parent[1:]]
    new_level = old_level[order]
    leaf_node = np.flatnonzero(new_level == 0).astype(np.int32)
    below = (new_level == 0).astype(np.int32)
    left = np.cumsum(below, dtype=np.int32) - below
    right = (left + _totals(below, new_parent) - 1).astype(np.int32)
    texts = tuple(labels[node] for node in order.tolist())
    for array in (new_parent, left, right, new_level, leaf_node):
        array.setflags(write=False)
    return Hierarchy(
        name=name,
        leaves=tuple(texts[node] for node in leaf_node.tolist()),
        labels=texts,
        parent=new_parent,
        left=left,
        right=right,
        level=new_level,
        leaf_node=leaf_node,
        data_derived=data_derived,
    )


def _pre_order(
    parent: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Nodes in pre-order, siblings by their index."""
    children: list[list[int]] = [[] for _ in parent]
    waiting: list[int] = []
    # Backwards, so that the first child is the last of its list and the first taken from the stack.
    for node in range(len(parent) - 1, -1, -1):
        above = int(parent[node])
        (children[above] if above >= 0 else waiting).append(node)
    order: list[int] = []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children[node])
    return np.array(order, np.int32)


def _totals(count: NDArray[np.int32], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sum of the counts of each node and everything below it; parents precede their children."""
    total, above = count.tolist(), parent.tolist()
    for node in range(len(total) - 1, 0, -1):
        total[above[node]] += total[node]
    return np.array(total, np.int32)
