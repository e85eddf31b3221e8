"""A table's distinct tuples laid out for distances between records (spec section 1.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.microdata.domain import NUMERIC
from likeness.microdata.losses import attribute_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.kernels.record_distance import Space
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


def record_space(data: Microdata) -> Space:
    """Lay out the distinct tuples of a table.

    Numbers, dates and ordered values are places in their domain, from 0 to 1; a missing one is 1 away from all others.
    Categories with a hierarchy are as far apart as their lowest common ancestor is high, plain ones 0 or 1.
    """
    from likeness.kernels.record_distance import Space

    first = data.tuples.first
    weights = attribute_weights(data.quasi) * len(data.quasi)
    numeric = [j for j, domain in enumerate(data.quasi) if domain.shape == "interval"]
    other = [j for j, domain in enumerate(data.quasi) if domain.shape != "interval"]
    apart = np.sqrt(weights[numeric])
    numbers = (
        np.array([places(data.quasi[j])[data.codes[j, first]] for j in numeric], np.float64).reshape(
            len(numeric), first.size
        )
        * apart[:, None]
    )
    categories = np.array([data.codes[j, first] for j in other], np.int32).reshape(len(other), first.size)
    sizes = np.array([data.quasi[j].codes for j in other], np.int64)
    ladders = [_ancestors(data.quasi[j]) for j in other]
    codes = max((ladder.shape[0] for ladder in ladders), default=1)
    levels = max((ladder.shape[1] for ladder in ladders), default=1)
    ancestors = np.zeros((len(other), codes, levels), np.int32)
    for j, ladder in enumerate(ladders):
        ancestors[j, : ladder.shape[0], : ladder.shape[1]] = ladder
    heights = np.array([ladder.shape[1] for ladder in ladders], np.int64)
    return Space(
        np.ascontiguousarray(numbers.T),
        apart,
        np.ascontiguousarray(categories.T),
        ancestors,
        heights,
        weights[other],
        sizes,
    )


def places(domain: Domain) -> NDArray[np.float64]:
    """(codes,) Place of every value of an interval attribute in its domain, from 0 to 1; NaN for the missing one.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> places(Domain("age", "integer", np.array([20, 30, 60]), "interval", missing=True, low=20, high=60))
    array([0.  , 0.25, 1.  ,  nan])
    """
    low, width = (domain.low, domain.width) if domain.kind in NUMERIC else (0.0, float(domain.size - 1))
    own = (domain.numbers - low) / width if width > 0 else np.zeros(domain.size)
    return np.append(own, np.nan) if domain.missing else own


def _ancestors(domain: Domain) -> NDArray[np.int32]:
    """(codes, heights) Number of each code's highest ancestor of at most every height in edges, the code itself first."""
    codes = np.arange(domain.codes)
    if domain.shape != "tree" or domain.hierarchy is None or domain.hierarchy.height < 1:
        return codes[:, None].astype(np.int32)
    tree = domain.hierarchy.unpadded
    columns = [codes]
    for level in range(1, tree.height):
        node = tree.ancestor_at(np.arange(domain.size), level).astype(np.int64)
        if domain.missing:
            node = np.append(node, len(tree.labels))
        columns.append(np.unique(node, return_inverse=True)[1])
    return np.stack(columns, axis=1).astype(np.int32)
