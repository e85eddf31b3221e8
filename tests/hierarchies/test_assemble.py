from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hierarchies.trees import Plain, assert_is, plain_trees

from likeness.hierarchies.rows import assemble

if TYPE_CHECKING:
    import random


@given(plain_trees(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_nodes_in_any_order_with_siblings_in_theirs(plain: Plain, chance: random.Random):
    # A random merge of the siblings' orders: take any node whose earlier siblings were taken.
    waiting: list[list[tuple[Plain, int]]] = [[(plain, -1)]]
    taken: list[tuple[Plain, int]] = []
    while waiting:
        siblings = chance.choice(waiting)
        node, above = siblings.pop(0)
        if not siblings:
            waiting.remove(siblings)
        if node.below:
            waiting.append([(child, len(taken)) for child in node.below])
        taken.append((node, above))
    hierarchy = assemble(
        "t",
        [node.label for node, _ in taken],
        [above for _, above in taken],
        [node.height() for node, _ in taken],
        data_derived=True,
    )
    assert_is(hierarchy, plain)
    assert hierarchy.data_derived
