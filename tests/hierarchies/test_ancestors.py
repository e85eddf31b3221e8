from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.hierarchies.trees import Plain, make, plain_trees

from likeness.hierarchies import Hierarchy, from_nested


def by_climbing(hierarchy: Hierarchy, a: int, b: int) -> int:
    """The first ancestor of one leaf, itself included, that is one of the other's."""

    def path(rank: int) -> list[int]:
        nodes = [int(hierarchy.leaf_node[rank])]
        while nodes[-1]:
            nodes.append(int(hierarchy.parent[nodes[-1]]))
        return nodes

    return next(node for node in path(a) if node in path(b))


@given(plain_trees())
@settings(deadline=None, max_examples=60)
def test_equals_climbing_for_every_pair(plain: Plain):
    hierarchy = make(plain.rows())
    ranks = range(hierarchy.size)
    expected = [[by_climbing(hierarchy, a, b) for b in ranks] for a in ranks]
    rank = np.arange(hierarchy.size)
    assert hierarchy.common_ancestor(rank[:, None], rank[None, :]).tolist() == expected


def test_a_deep_and_a_wide_tree():
    deep = Plain("leaf")
    for depth in range(80):
        deep = Plain(f"node {depth}", [deep, Plain(f"side {depth}")])
    wide = Plain("*", [Plain(str(i)) for i in range(257)])
    for plain in (deep, wide):
        hierarchy = make(plain.rows())
        low, high = np.triu_indices(hierarchy.size)
        pick = slice(None, None, 97)
        found = hierarchy.common_ancestor(low[pick], high[pick])
        expected = [by_climbing(hierarchy, a, b) for a, b in zip(low[pick], high[pick], strict=True)]
        assert found.tolist() == expected


def test_a_single_leaf_is_its_own_ancestor_below_single_children():
    chain = from_nested("'*': {Europe: {West: [France]}}", "chain")
    assert [chain.labels[n] for n in chain.common_ancestor([0], [0])] == ["France"]
    only = make([["a", "a"]])
    assert only.common_ancestor([0], [0]).tolist() == [0]


def test_shapes_and_small_types_are_kept():
    flat = make([[str(i), "*"] for i in range(200)])
    ranks = np.array([[0, 199], [7, 7]], np.uint8)
    found = flat.common_ancestor(ranks, ranks[::-1])
    assert found.shape == (2, 2)
    assert found.dtype == np.int32
    assert flat.common_ancestor([], []).size == 0


@pytest.mark.parametrize("pair", [(-1, 0), (0, 2), (5, -3)])
def test_ranks_outside_the_tree_are_refused(pair):
    two = make([["a", "*"], ["b", "*"]])
    with pytest.raises(IndexError, match="leaf ranks lie between 0 and 1"):
        two.common_ancestor([pair[0]], [pair[1]])
