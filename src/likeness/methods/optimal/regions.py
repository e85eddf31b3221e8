"""All regions that classes of a table can have: the hulls of its cells, each once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.regions import geometry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.kernels.hulls import Geometry
    from likeness.microdata.domain import Domain
    from likeness.microdata.regions import CellLoss

_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Shapes:
    """What one attribute can show of the values that a table has: its hulls.

    ``loss``: (o,) weighted loss of each.
    ``joined``: (o, p) int32, the hull of each and one more of the p values.
    ``of``: (p,) int32, the hull of each value alone.
    """

    loss: NDArray[np.float64]
    joined: NDArray[np.int32]
    of: NDArray[np.int32]

    @property
    def covers(self) -> NDArray[np.bool_]:
        """(o, p) Whether each hull covers each value."""
        return np.asarray(self.joined == np.arange(self.joined.shape[0])[:, None], np.bool_)


@dataclass(frozen=True, eq=False)
class Regions:
    """Hulls of sets of cells.

    ``loss``: (R,) what one record loses in each.
    ``covers``: (R, C) bool, the cells of each.
    ``of``: (R, d) int32, its hull of each attribute, by position among the `Shapes`.
    """

    loss: NDArray[np.float64]
    covers: NDArray[np.bool_]
    of: NDArray[np.int32]

    def take(self, kept: NDArray[np.bool_]) -> Regions:
        """Keep some."""
        return Regions(self.loss[kept], self.covers[kept], self.of[kept])


def regions_of(
    quasi: Sequence[Domain], codes: NDArray[np.int32], loss: CellLoss, most: int
) -> Regions | None:
    """Find all regions that classes of these cells can have.

    Parameters
    ----------
    quasi
        The quasi-identifiers.
    codes : (d, C) int32
        The cells; no two are equal.
    loss
        What generalizing a cell costs.
    most
        Give up where there are more regions than this, or more hulls of one attribute.

    Returns
    -------
    Regions or None
        None where there are too many.
    """
    laid = geometry(quasi, loss)
    shapes, places = [], []
    for j in range(len(quasi)):
        values, of = np.unique(codes[j], return_inverse=True)
        found = _shapes(laid, quasi[j], j, values, most)
        if found is None:
            return None
        shapes.append(found)
        places.append(of.reshape(-1))
    hulls = _closed(shapes, places, most)
    if hulls is None:
        return None
    covers = np.ones((len(hulls), codes.shape[1]), np.bool_)
    losses = np.zeros(len(hulls))
    for j, (own, place) in enumerate(zip(shapes, places, strict=True)):
        covers &= own.covers[hulls[:, j]][:, place]
        losses += own.loss[hulls[:, j]]
    return Regions(losses, covers, hulls)


def _closed(
    shapes: Sequence[Shapes], places: Sequence[NDArray[np.int64]], most: int
) -> NDArray[np.int32] | None:
    """(R, d) Every hull: of single cells, and of a hull and one more cell, until there is no new one; None: too many."""
    radices = np.array([own.loss.size for own in shapes], np.int64)
    steps = np.append(np.cumprod(radices[::-1])[::-1][1:], 1)
    if np.prod(radices.astype(np.float64)) >= 2.0**62:
        return None
    singles = np.stack([own.of[place] for own, place in zip(shapes, places, strict=True)], axis=1)
    known = np.unique(singles.astype(np.int64) @ steps)
    fresh = known
    cells = singles.shape[0]
    while fresh.size:
        found = [np.zeros(0, np.int64)]
        per = max(1, _AT_ONCE // cells)
        for begin in range(0, fresh.size, per):
            some = fresh[begin : begin + per]
            keys = np.zeros((some.size, cells), np.int64)
            for own, place, radix, step in zip(shapes, places, radices, steps, strict=True):
                keys += own.joined[some // step % radix][:, place].astype(np.int64) * step
            found.append(np.unique(keys))
        fresh = np.setdiff1d(np.concatenate(found), known)
        known = np.union1d(known, fresh)
        if known.size > most:
            return None
    return np.stack(
        [known // step % radix for radix, step in zip(radices, steps, strict=True)], axis=1
    ).astype(np.int32)


def _shapes(laid: Geometry, domain: Domain, j: int, values: NDArray[np.int32], most: int) -> Shapes | None:
    """All hulls of the values of one attribute; None where there are too many."""
    if domain.shape == "tree":
        return _nodes(laid, j, values)
    if domain.shape == "interval":
        return _intervals(laid, domain, j, values, most)
    return _sets(laid, j, values, most)


def _nodes(laid: Geometry, j: int, values: NDArray[np.int32]) -> Shapes:
    """Nodes of a hierarchy that are the lowest above some values."""
    from likeness.kernels.hulls import common_ancestor

    parent, right, leaf = laid.parent[j], laid.right[j], laid.leaf_node[j]
    pairs = [
        [int(common_ancestor(parent, right, leaf[min(a, b)], max(a, b))) for b in values.tolist()]
        for a in values.tolist()
    ]
    # The hull of several values is that of the first and the last of them: of a pair.
    nodes = np.unique(np.array(pairs, np.int64))
    place = {int(node): i for i, node in enumerate(nodes)}
    joined = np.zeros((nodes.size, values.size), np.int32)
    for node, i in place.items():
        below = [value for value, row in zip(values.tolist(), pairs, strict=True) if node in row]
        low, high = min(below), max(below)
        for p, value in enumerate(values.tolist()):
            own = common_ancestor(parent, right, leaf[min(low, value)], max(high, value))
            joined[i, p] = place[int(own)]
    of = np.array([place[row[i]] for i, row in enumerate(pairs)], np.int32)
    return Shapes(laid.node_loss[j, nodes], joined, of)


def _intervals(laid: Geometry, domain: Domain, j: int, values: NDArray[np.int32], most: int) -> Shapes | None:
    """Intervals between two values; what mixes the missing value with others covers everything."""
    p = values.size
    if p * (p + 1) // 2 > most:
        return None
    missing = domain.missing and int(values[-1]) == domain.missing_code
    low, high = (index.astype(np.int64) for index in np.triu_indices(p))
    if missing and p > 1:
        kept = (high < p - 1) | (low == p - 1) | (low == 0)
        low, high = low[kept], high[kept]
    number = np.full((p, p), -1, np.int64)
    number[low, high] = np.arange(low.size)
    every = np.arange(p)
    new_low, new_high = np.minimum(low[:, None], every), np.maximum(high[:, None], every)
    if missing and p > 1:
        new_low = np.where((new_high == p - 1) & (new_low < p - 1), 0, new_low)
    position = laid.position[j, values]
    loss = np.minimum(position[high] - position[low], laid.most[j])
    return Shapes(loss, number[new_low, new_high].astype(np.int32), number[every, every].astype(np.int32))


def _sets(laid: Geometry, j: int, values: NDArray[np.int32], most: int) -> Shapes | None:
    """All sets of values."""
    p = values.size
    if 2**p - 1 > most:
        return None
    sets = np.arange(1, 2**p, dtype=np.int64)
    bits = np.int64(1) << np.arange(p, dtype=np.int64)
    loss = laid.set_loss[j, np.bitwise_count(sets)]
    return Shapes(loss, ((sets[:, None] | bits) - 1).astype(np.int32), (bits - 1).astype(np.int32))
