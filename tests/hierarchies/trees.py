"""Random trees, and what is true of them by plain definition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from likeness.hierarchies import from_rows

if TYPE_CHECKING:
    from likeness.hierarchies import Hierarchy

TEXTS = (
    "no",
    "007",
    "1.50",
    "a b",
    "a;b",
    'say "hi"',
    "x,y",
    "tab\there",
    "Ω",
    "null",
    "~",
    "#",
    "2024-01-01",
)


@dataclass
class Plain:
    """A node of a tree, without ranks or numbers."""

    label: str
    below: list[Plain] = field(default_factory=list)

    def height(self) -> int:
        return 1 + max(node.height() for node in self.below) if self.below else 0

    def leaves(self) -> list[str]:
        return [leaf for node in self.below for leaf in node.leaves()] if self.below else [self.label]

    def nodes(self) -> list[Plain]:
        return [self, *(found for node in self.below for found in node.nodes())]

    def rows(self) -> list[list[str]]:
        """ARX's rows: every label from the height of its node to below that of its parent."""
        if not self.below:
            return [[self.label]]
        top = self.height()
        return [
            [*row, *[row[-1]] * (top - len(row)), self.label] for node in self.below for row in node.rows()
        ]

    def padded_rows(self, draw: st.DrawFn) -> list[list[str]]:
        """ARX's rows of this tree, labels repeated wherever the draws say so, all of one length."""
        repeats = {node.label: draw(st.integers(1, 3)) for node in self.nodes()}

        def below(node: Plain) -> list[list[str]]:
            found = [row for child in node.below for row in below(child)] if node.below else [[]]
            return [[*row, *[node.label] * repeats[node.label]] for row in found]

        rows = below(self)
        width = max(2, *map(len, rows))
        for row in rows:
            while len(row) < width:
                at = draw(st.integers(0, len(row) - 1))
                row.insert(at, row[at])
        return rows

    def nested(self) -> object:
        """What json.dumps writes: all leaves as a list, else a mapping with null below leaves."""
        if all(not node.below for node in self.below):
            return [node.label for node in self.below]
        return {node.label: node.nested() if node.below else None for node in self.below}


@st.composite
def plain_trees(draw: st.DrawFn) -> Plain:
    """Trees of up to some thirty nodes, single children and uneven branches included."""
    shape = draw(
        st.recursive(st.none(), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=12)
    )
    count = [0]
    odd = draw(st.permutations(TEXTS))

    def build(part: list | None) -> Plain:
        number = count[0]
        count[0] += 1
        label = odd[number] if number < 3 else f"n{number}"
        return Plain(label, [build(child) for child in part or []])

    return build(shape if shape is not None else [None])


def make(rows: list[list[str]], name: str = "t.csv") -> Hierarchy:
    """A hierarchy of rows, named by their lines."""
    return from_rows(rows, name, where=lambda i: f"{name}, line {i + 1}")


def assert_same(one: Hierarchy, other: Hierarchy) -> None:
    """Fail unless both are the same tree in the same order."""
    assert one.leaves == other.leaves
    assert one.labels == other.labels
    for name in ("parent", "left", "right", "level", "leaf_node"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def assert_is(hierarchy: Hierarchy, tree: Plain) -> None:
    """Fail unless a hierarchy is a tree, with its order of siblings."""
    nodes = tree.nodes()
    assert hierarchy.labels == tuple(node.label for node in nodes)
    assert hierarchy.leaves == tuple(tree.leaves())
    for number, node in enumerate(nodes):
        interval = slice(hierarchy.left[number], hierarchy.right[number] + 1)
        assert hierarchy.leaves[interval] == tuple(node.leaves())
        assert hierarchy.level[number] == node.height()
        children = [hierarchy.labels[child] for child in hierarchy.children(number)]
        assert children == [child.label for child in node.below]
        assert [hierarchy.parent[child] for child in hierarchy.children(number)] == [number] * len(children)
    assert hierarchy.parent[0] == -1
    assert [hierarchy.labels[node] for node in hierarchy.leaf_node] == list(hierarchy.leaves)
