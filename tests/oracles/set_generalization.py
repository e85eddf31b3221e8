"""Top-down generalization of sets of leaves (He & Naughton 2009, as in Gong et al. 2017): plain, by labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likeness.hierarchies import Hierarchy


class Taxonomy:
    """A hierarchy by its labels; children in the order of theirs."""

    def __init__(self, tree: Hierarchy) -> None:
        self.root = tree.labels[0]
        self.children = {
            tree.labels[node]: sorted(tree.labels[own] for own in tree.children(node))
            for node in range(len(tree.labels))
        }

    def leaves(self, node: str) -> set[str]:
        below = self.children[node]
        return {leaf for child in below for leaf in self.leaves(child)} if below else {node}


def generalized(rows: Sequence[set[str]], tree: Hierarchy, k: int) -> list[frozenset[str]]:
    """The set of nodes of every row, in their order."""
    taxonomy = Taxonomy(tree)
    found: list[frozenset[str]] = [frozenset()] * len(rows)
    _divide(rows, taxonomy, k, list(range(len(rows))), [taxonomy.root], set(), found)
    return found


def _divide(
    rows: Sequence[set[str]],
    taxonomy: Taxonomy,
    k: int,
    members: list[int],
    value: list[str],
    tried: set[str],
    found: list[frozenset[str]],
) -> None:
    def items(row: int, node: str) -> int:
        return len(rows[row] & taxonomy.leaves(node))

    open_nodes = [node for node in value if node not in tried and taxonomy.children[node]]
    if not open_nodes:
        for row in members:
            found[row] = frozenset(value)
        return
    gains = {
        node: sum(items(row, node) for row in members) * len(taxonomy.leaves(node)) for node in open_nodes
    }
    node = max(open_nodes, key=lambda own: gains[own])  # of equal ones the first
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in members:
        own = tuple(child for child in taxonomy.children[node] if rows[row] & taxonomy.leaves(child))
        groups.setdefault(own, []).append(row)
    large = {own: groups[own] for own in sorted(groups) if len(groups[own]) >= k}
    left = sorted(row for own, group in groups.items() if own not in large for row in group)
    further = True
    if 0 < len(left) < k:
        if sum(len(group) - k for group in large.values()) >= k - len(left):
            while len(left) < k:
                movable = [
                    (items(row, node), number, row, own)
                    for number, (own, group) in enumerate(large.items())
                    if len(group) > k
                    for row in group
                ]
                _, _, row, own = min(movable)
                large[own] = [other for other in large[own] if other != row]
                left = sorted([*left, row])
        else:
            least = min(large, key=lambda own: sum(items(row, node) for row in large[own]))
            left = sorted([*left, *large.pop(least)])
            further = False
    at = value.index(node)
    for own, group in large.items():
        _divide(rows, taxonomy, k, group, [*value[:at], *own, *value[at + 1 :]], tried, found)
    if left:
        _divide(rows, taxonomy, k, left, value, tried | {node} if further else set(value), found)
