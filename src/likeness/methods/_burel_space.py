"""The space BUREL looks for neighbours in: one axis per quasi-identifier (paper 002, section 4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError
from likeness.microdata.domain import NUMERIC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain


@dataclass(frozen=True, eq=False)
class Points:
    """The distinct quasi-identifier tuples as points, in the order of the Hilbert curve.

    Parameters
    ----------
    rank : (n,) int64
        Rank of each record's point on the curve; tuples in one cell of its grid are ranked by first
        appearance.
    keys : (points,) int64
        Hilbert key of each rank, ascending.
    coordinates : (points, axes) float64
        Coordinates of each rank's point.
    """

    rank: NDArray[np.int64]
    keys: NDArray[np.int64]
    coordinates: NDArray[np.float64]


def axis(domain: Domain) -> NDArray[np.float64]:
    """(codes,) Place every code of an attribute on its axis, from 0 to 1.

    Numbers lie at ``(x - low) / (high - low)``; the leaves of a hierarchy (in pre-order), ordered values
    and plain values at ``code / (codes - 1)``. The missing value is the last code; beside numbers it lies
    one width of the domain beyond them, at 2, because no interval of numbers covers it.

    Examples
    --------
    >>> from likeness.microdata.domain import Domain
    >>> axis(Domain("age", "integer", np.array([20, 30, 60]), "interval", low=20, high=60))
    array([0.  , 0.25, 1.  ])
    """
    if domain.kind in NUMERIC and domain.shape == "interval":
        width = domain.width
        own = (domain.numbers - domain.low) / width if width > 0 else np.zeros(domain.size)
        return np.append(own, 2.0) if domain.missing else own
    return np.arange(domain.codes) / max(1, domain.codes - 1)


def points(data: Microdata) -> Points:
    """Place every record in space and on the Hilbert curve. Attributes of one value have no axis.

    Raises
    ------
    PolicyError
        When there are more axes than a key has bits.
    """
    from likeness.kernels.hilbert import KEY_BITS, bits_per_axis, grid_cells, hilbert_keys

    axes = [axis(domain) for domain in data.quasi]
    varying = [j for j, places in enumerate(axes) if places.size and places.max() > places.min()]
    if len(varying) > KEY_BITS:
        raise PolicyError(
            f"burel: a Hilbert curve takes at most {KEY_BITS} quasi-identifiers; got {len(varying)}: "
            "declare fewer, or use the method mondrian"
        )
    if not varying:
        return Points(np.zeros(data.size, np.int64), np.zeros(1, np.int64), np.zeros((1, 0)))
    tuples = data.tuples
    coordinates = np.array([axes[j][data.codes[j, tuples.first]] for j in varying])
    bits = bits_per_axis(len(varying))
    reach = np.array([max(1.0, axes[j].max()) for j in varying])
    keys = hilbert_keys(grid_cells(coordinates / reach[:, None], bits), bits)
    order = np.argsort(keys, kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    return Points(rank[tuples.of], keys[order], np.ascontiguousarray(coordinates[:, order].T))
