"""Loss of one generalized cell, and the look-ups searches need to minimise it.

Every cell loss here has the same two ingredients: an interval loses the distance between the positions of its
ends, a set of values (or a hierarchy node with so many leaves below it) loses an amount that depends on how
many values it holds. That is what lets one kernel serve all attributes.

The losses that searches minimise: what generalizing one cell costs, as look-ups per attribute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.microdata.domain import Domain
    from likeness.microdata.regions import AttributeRegions


class CellLoss(ABC):
    """What generalizing one cell costs, from 0 (exact) to 1 (anything)."""

    name: ClassVar[str]

    def positions(self, domain: Domain) -> NDArray[np.float64]:
        """(codes,) Position of each code of an interval attribute; an interval loses its ends' distance.

        The missing value lies two domain widths away, so that mixing it with others always costs everything.
        """
        return domain.places(2.0)

    @abstractmethod
    def by_count(self, size: int) -> NDArray[np.float64]:
        """(size + 1,) Loss of a set of u = 0 … size values out of ``size``."""


@dataclass(frozen=True)
class GlmLoss(CellLoss):
    """Generalized loss metric: (u - 1) / (|D| - 1), (high - low) / (domain width) (Iyengar 2002)."""

    name: ClassVar[str] = "glm"

    def by_count(self, size: int) -> NDArray[np.float64]:
        """(u - 1) / (size - 1)."""
        return np.maximum(np.arange(size + 1) - 1, 0) / max(1, size - 1)


@dataclass(frozen=True)
class NcpLoss(CellLoss):
    """Normalized certainty penalty: u / |D| once u > 1 (Sarrafi Aghdam & Sonehara 2016, eq. 1-2; Cao & Karras 2012, eq. 2-3)."""

    name: ClassVar[str] = "ncp"

    def by_count(self, size: int) -> NDArray[np.float64]:
        """0 up to one value, u / size beyond."""
        loss = np.arange(size + 1) / max(1, size)
        loss[:2] = 0.0
        return loss


@dataclass(frozen=True)
class IlossLoss(CellLoss):
    """ILoss: (|v_g| - 1) / |D| (Xiao & Tao 2006; Sarrafi Aghdam & Sonehara 2016, eq. 4), numbers in a discrete domain."""

    name: ClassVar[str] = "iloss"

    def positions(self, domain: Domain) -> NDArray[np.float64]:
        """Positions in steps of one value of the discrete domain."""
        if domain.kind in {"integer", "date"}:
            own = (domain.numbers - domain.low) / (domain.width + 1)
        else:
            own = np.arange(domain.size) / max(1, domain.size)
        return np.append(own, 2.0) if domain.missing else own

    def by_count(self, size: int) -> NDArray[np.float64]:
        """(u - 1) / size."""
        return np.maximum(np.arange(size + 1) - 1, 0) / max(1, size)


LOSSES: dict[str, CellLoss] = {loss.name: loss for loss in (GlmLoss(), NcpLoss(), IlossLoss())}
"""Cell losses by name."""


def attribute_weights(domains: Sequence[Domain]) -> NDArray[np.float64]:
    """(d,) Attribute weights that sum to 1, or are all 0."""
    weights = np.array([domain.weight for domain in domains], np.float64)
    total = weights.sum()
    return weights / total if total > 0 else weights


def region_losses(regions: AttributeRegions, loss: CellLoss) -> NDArray[np.float64]:
    """(R,) Unweighted loss of every distinct region of one attribute."""
    domain = regions.domain
    if domain.shape == "interval":
        positions = loss.positions(domain)
        return np.asarray(np.minimum(1.0, positions[regions.high] - positions[regions.low]))
    covered = regions.sizes
    if regions.members is None:
        # The root stands for the missing value too, whether or not the class has one.
        covered = np.where(regions.everything, domain.codes, covered)
    return loss.by_count(domain.codes)[covered]


def geometry(domains: Sequence[Domain], loss: CellLoss) -> Geometry:
    """Lay out the quasi-identifiers for the search kernels, losses weighted; ``loss``: the one to minimise."""
    from likeness.kernels.hulls import INTERVAL, SET, TREE, Geometry

    d = len(domains)
    weights = attribute_weights(domains)
    codes = max((domain.codes for domain in domains), default=1)
    nodes = max(
        (len(x.hierarchy.labels) + 1 for x in domains if x.hierarchy is not None and x.shape == "tree"),
        default=1,
    )
    kind = np.zeros(d, np.int8)
    position, set_loss = np.zeros((d, codes)), np.zeros((d, codes + 1))
    parent, right = np.full((d, nodes), -1, np.int32), np.zeros((d, nodes), np.int32)
    node_loss, leaf_node = np.zeros((d, nodes)), np.zeros((d, codes), np.int32)
    word = np.zeros(d + 1, np.int64)
    for j, (domain, weight) in enumerate(zip(domains, weights, strict=True)):
        word[j + 1] = word[j]
        by_count = weight * loss.by_count(domain.codes)
        if domain.shape == "interval":
            kind[j] = INTERVAL
            position[j, : domain.codes] = weight * loss.positions(domain)
        elif domain.shape == "set":
            kind[j] = SET
            set_loss[j, : domain.codes + 1] = by_count
            word[j + 1] += (domain.codes + 63) // 64
        else:
            kind[j] = TREE
            tree = domain.hierarchy
            assert tree is not None  # noqa: S101  # the shape tree always has one
            count = len(tree.labels)
            parent[j, :count], right[j, :count] = tree.parent, tree.right
            leaf_node[j, : domain.size] = tree.leaf_node
            leaves = tree.right - tree.left + 1
            if domain.missing:
                # The missing value is one more leaf directly under the root.
                parent[j, count], right[j, count], leaf_node[j, domain.size] = 0, domain.size, count
                right[j, 0] = domain.size
                leaves = np.append(leaves, 1)
                leaves[0] += 1
                count += 1
            node_loss[j, :count] = by_count[leaves]
    sizes = np.array([domain.codes for domain in domains], np.int64)
    return Geometry(kind, sizes, position, weights, parent, right, node_loss, leaf_node, set_loss, word)


__all__ = ["LOSSES", "CellLoss", "geometry", "region_losses"]
