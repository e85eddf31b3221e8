"""Hierarchies from rows in ARX's format: one row per leaf, leaf first, root last.

A label may be repeated along a path to fill a shorter branch (``United-States;United-States;*``): it
is one node. Anything that would make a published label ambiguous is refused.

Number the nodes of a checked tree in pre-order.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import HierarchyError, Refusal
from likeness.hierarchies.problems import refuse
from likeness.hierarchies.tree import Hierarchy
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    Where = Callable[[int], str]
    Found = list[tuple[int, Refusal]]


def assemble(
    name: str, labels: Sequence[str], parent: ArrayLike, level: ArrayLike, *, data_derived: bool = False
) -> Hierarchy:
    """Make a hierarchy of nodes in any order that form one tree; it numbers them in pre-order.

    ``labels``: one distinct text per node, siblings in the order they shall keep. ``parent``: index of each node's parent,
    -1 for the one root. ``level``: 0 for the leaves only, a parent's above its children's.
    ``data_derived``: True when made from observed values.
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


def from_rows(
    rows: Iterable[Sequence[str]], name: str, *, where: Where, data_derived: bool = False
) -> Hierarchy:
    """Make a hierarchy of rows, one per leaf, from the leaf to the root.

    Rows are of one length of at least two: the leaf's text, its generalizations, the root's label. Siblings keep the order
    in which rows first name them. ``where`` says where the i-th row stands: ``"age.csv, line 3"``.
    ``data_derived``: True when the rows were made from observed values.
    Raises `HierarchyError`, each problem with its place, in the order of the rows: all ragged rows, empty cells, leaves
    listed twice and further roots at once; where there are none, all labels that stand for two nodes, and cycles.
    """
    table = [tuple(row) for row in rows]
    if not table:
        raise HierarchyError(f"{name}: holds no leaf; give one line per value, leaf first and root last")
    width = Counter(map(len, table)).most_common(1)[0][0]
    if width < 2:
        raise HierarchyError(
            f"{where(0)}: {quoted(' '.join(table[0]))} is alone on its line; "
            "write the leaf first and the root last, with ';' between"
        )
    _refuse_in_order([*_uneven(table, width, where), *_repeated_leaves(table, where), *_roots(table, where)])
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(cell, len(number)) for row in table for cell in row], np.int32)
    codes = codes.reshape(len(table), width)
    labels = list(number)
    _refuse_in_order(_ambiguous(codes, labels, where))
    parent = np.full(len(labels), -1, np.int32)
    level = np.zeros(len(labels), np.int32)
    for column in range(1, width):
        below, here = codes[:, column - 1], codes[:, column]
        begins = below != here
        parent[below[begins]] = here[begins]
        # Columns ascend: what remains is the last column on which a label begins.
        level[here[begins]] = column
    return assemble(name, labels, parent, level, data_derived=data_derived)


def _refuse_in_order(found: Found) -> None:
    """Raise all problems in the order of the rows."""
    refuse([refusal for _, refusal in sorted(found, key=lambda problem: problem[0])])


def _uneven(table: list[tuple[str, ...]], width: int, where: Where) -> Found:
    """Ragged rows and empty cells."""
    found = []
    for i, row in enumerate(table):
        who = f"the line of {quoted(row[0])}" if row else "the line"
        if len(row) != width:
            cells = count(len(row), "cell")
            shorter = "where a path is shorter" if len(row) < width else "in the shorter lines"
            remedy = f"repeat a label {shorter}, or write the tree as nested YAML"
            what = f"has {cells} where most have {width}"
            found.append((i, Refusal(what, (where(i),), about=who, remedy=remedy)))
        if not all(map(str.strip, row)):
            column = next(j for j, cell in enumerate(row, 1) if not cell.strip())
            what = f"has nothing in cell {column}"
            found.append((i, Refusal(what, (where(i),), about=who, remedy="fill it in")))
    return found


def _repeated_leaves(table: list[tuple[str, ...]], where: Where) -> Found:
    """Leaves that have two rows."""
    first: dict[str, int] = {}
    found = []
    for i, row in enumerate(table):
        before = first.setdefault(row[0], i) if row else i
        if before == i:
            continue
        how = "with the same parents" if table[before] == row else "with other parents"
        what = f"is listed twice, {how} on {where(before)}"
        found.append((i, Refusal(what, (where(i),), about=f"leaf {quoted(row[0])}", remedy="keep one line")))
    return found


def _roots(table: list[tuple[str, ...]], where: Where) -> Found:
    """Rows that end in another label than most, each other label once."""
    ends = [row[-1] if row else "" for row in table]
    root = Counter(ends).most_common(1)[0][0]
    first: dict[str, int] = {}
    for i, end in enumerate(ends):
        first.setdefault(end, i)
    common = f"that on {where(first[root])} in {quoted(root)}"
    return [
        (
            i,
            Refusal(
                "two roots",
                (where(i),),
                why=f"{quoted(table[i][0])} ends in {quoted(end)}, {common}",
                remedy="end every line in one label",
            ),
        )
        for end, i in first.items()
        if end != root and end.strip()
    ]


def _ambiguous(codes: NDArray[np.int32], labels: list[str], where: Where) -> Found:
    """Labels that stand for two nodes: a leaf above others, two parents, a cycle."""
    changes = codes[:, :-1] != codes[:, 1:]
    child, above, row = codes[:, :-1][changes], codes[:, 1:][changes], np.nonzero(changes)[0]
    leaf_row = np.full(len(labels), -1, np.int64)
    leaf_row[codes[:, 0]] = np.arange(len(codes))
    first_step = np.zeros(len(labels), np.int64)
    first_step[child[::-1]] = np.arange(len(child) - 1, -1, -1)

    found = []
    for step in _first_of_each(above, leaf_row[above] >= 0):
        here, leaf = int(row[step]), where(int(leaf_row[above[step]]))
        clash = f"{quoted(labels[above[step]])} stands above {quoted(labels[child[step]])} but is a leaf itself ({leaf})"
        found.append((here, Refusal(clash, (where(here),), remedy="rename one of them")))
    # The root has no parent: anything above it is one too many.
    other = (above != above[first_step[child]]) | (child == codes[0, -1])
    for step in _first_of_each(child.astype(np.int64) * len(labels) + above, other & (leaf_row[child] < 0)):
        here, label, parent = int(row[step]), labels[child[step]], labels[above[step]]
        path = [labels[code] for code, _ in groupby(codes[here].tolist())]
        if path.count(label) > 1:
            between = path[path.index(label) + 1]
            clash = f"{quoted(label)} comes twice on one path, with {quoted(between)} between (a cycle)"
            remedy = "rename one of them"
        else:
            earlier = int(first_step[child[step]])
            place = f"below {quoted(labels[above[earlier]])} on {where(int(row[earlier]))}"
            clash = f"{quoted(label)} lies below {quoted(parent)} here and {place}"
            remedy = "a label means one node: rename one"
        found.append((here, Refusal(clash, (where(here),), remedy=remedy)))
    return found


def _first_of_each(key: NDArray[np.integer], chosen: NDArray[np.bool_]) -> list[int]:
    """Index of the first chosen entry of each key."""
    index = np.flatnonzero(chosen)
    return [int(i) for i in index[np.unique(key[index], return_index=True)[1]]]
