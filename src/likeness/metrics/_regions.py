"""What metrics ask of regions: whether they generalize, how high, and how many records they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likeness.errors import PolicyError
from likeness.microdata.domain import SUITABLE
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.hierarchies import Hierarchy
    from likeness.microdata.regions import AttributeRegions

_CELLS = 1 << 22


def generalized(regions: AttributeRegions) -> NDArray[np.bool_]:
    """(R,) Whether each region is more than one exact value.

    A hierarchy node above a single leaf is no exact value, though it covers no other.
    """
    if regions.node is not None and regions.domain.hierarchy is not None:
        inner = ~regions.domain.hierarchy.is_leaf(np.maximum(regions.node, 0))
        return np.asarray(((regions.node >= 0) & inner) | regions.everything, np.bool_)
    return np.asarray(regions.sizes > 1, np.bool_)


def table_counts(regions: AttributeRegions, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(R,) Records of the table whose value each region covers, from the records of each code."""
    if regions.members is None:
        below = np.append(0, np.cumsum(counts))
        covered = below[regions.high.astype(np.int64) + 1] - below[regions.low]
        return np.asarray(np.where(regions.everything, below[-1], covered), np.int64)
    covered = np.zeros(regions.count, np.int64)
    step = max(1, _CELLS // max(1, regions.domain.codes))
    for begin in range(0, regions.count, step):
        some = np.ascontiguousarray(regions.members[begin : begin + step])
        bits = np.unpackbits(some.view(np.uint8), axis=1, count=counts.shape[0], bitorder="little")
        # Counts of records are exact as floats, and floats are multiplied fast.
        covered[begin : begin + step] = (bits.astype(np.float64) @ counts.astype(np.float64)).astype(np.int64)
    return covered


class Levels(NamedTuple):
    """Generalization level of each of R regions of one attribute, and of the root."""

    of: NDArray[np.int64]
    height: int


def levels(metric: str, attributes: Sequence[AttributeRegions]) -> list[Levels]:
    """Find the generalization level of every region.

    A region published as a hierarchy node has the node's level. An interval or a set of an attribute that has
    a hierarchy has the level of the lowest common ancestor of its values. A set without hierarchy is of level
    1 of 1 as soon as it holds two values. The missing value is one more leaf directly under the root.

    Raises
    ------
    PolicyError
        For intervals without a hierarchy: they have no levels. One line per attribute.
    """
    problems = [problem for regions in attributes if (problem := _without_levels(metric, regions))]
    if problems:
        raise PolicyError(*problems)
    return [_attribute_levels(regions) for regions in attributes]


def _without_levels(metric: str, regions: AttributeRegions) -> str:
    """Say why an attribute's regions have no levels; nothing if they have."""
    domain = regions.domain
    if domain.hierarchy is None and regions.members is None:
        return (
            f"{metric}: {domain.name!r} is published as intervals, which have no levels; "
            f"give the column a hierarchy (such as hierarchy: {SUITABLE[domain.kind]}) or leave this metric out"
        )
    if domain.hierarchy is not None and domain.shape != "tree":
        known = domain.hierarchy.rank_of
        lacking = sum(label not in known for label in domain.labels)
        if lacking:
            return (
                f"{metric}: {count(lacking, 'value')} of {domain.name!r} {'is not a leaf' if lacking == 1 else 'are not leaves'} "
                "of its hierarchy; add a line for each or leave this metric out"
            )
    return ""


def _attribute_levels(regions: AttributeRegions) -> Levels:
    """Levels of the regions of one attribute that has them."""
    domain = regions.domain
    hierarchy = domain.hierarchy
    if hierarchy is None:
        return Levels((regions.sizes > 1).astype(np.int64), int(domain.codes > 1))
    height = max(hierarchy.height, int(domain.missing))
    node = regions.node if regions.node is not None else _ancestors(regions, hierarchy)
    level = np.where(node >= 0, hierarchy.level[np.maximum(node, 0)], 0)
    if domain.missing:
        mixed = (regions.high == domain.missing_code) & generalized(regions)
        level = np.where(mixed, height, level)
    return Levels(level.astype(np.int64), height)


def _ancestors(regions: AttributeRegions, hierarchy: Hierarchy) -> NDArray[np.int64]:
    """(R,) Lowest common ancestor of each region's values, the missing one not counted; -1 for none."""
    domain = regions.domain
    ranks = np.array([hierarchy.rank_of[label] for label in domain.labels], np.int64)
    only_missing = regions.low == domain.missing_code
    if domain.size == 0:
        return np.full(regions.count, -1, np.int64)
    if (np.diff(ranks) > 0).all():
        last = domain.size - 1
        low, high = ranks[np.minimum(regions.low, last)], ranks[np.minimum(regions.high, last)]
    else:
        # Values in another order than the leaves: one pass over the regions per distinct value.
        low, high = np.full(regions.count, hierarchy.size), np.full(regions.count, -1)
        for code, rank in enumerate(ranks.tolist()):
            inside = regions.contains(np.array([code]))[:, 0]
            low = np.where(inside, np.minimum(low, rank), low)
            high = np.where(inside, np.maximum(high, rank), high)
        low, high = np.where(only_missing, 0, low), np.where(only_missing, 0, high)
    return np.where(only_missing, -1, hierarchy.common_ancestor(low, high))
