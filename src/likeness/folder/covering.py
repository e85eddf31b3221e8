"""Whether published regions cover the values they were made from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import HierarchyError
from likeness.microdata.domain import NUMERIC
from likeness.published.text import read_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likeness.microdata.domain import Domain
    from likeness.published.regions import Region


def covered(
    regions: Sequence[Region], of: NDArray[np.int64], domain: Domain, codes: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Decide which records have a value that their published region covers.

    Parameters
    ----------
    regions
        R distinct regions, as they were read.
    of : (n,) int64
        Region of each record.
    domain
        The attribute in the original.
    codes : (n,) int
        Original code of each record.

    Returns
    -------
    (n,) bool

    Examples
    --------
    >>> from likeness.published.columns import ColumnNote
    >>> from likeness.published.regions import read_region
    >>> from likeness.microdata.domain import Domain
    >>> age = Domain("age", "integer", np.array([20, 30, 60]), "interval", low=20, high=60)
    >>> region = read_region("[20, 40]", ColumnNote("age", "quasi", "integer", "interval"))
    >>> covered([region], np.array([0, 0]), age, np.array([1, 2]))
    array([ True, False])
    """
    low = np.zeros(len(regions), np.int64)
    high = np.full(len(regions), -1, np.int64)
    members: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    axis = _axis(domain)
    rank: dict[str | None, int] = {label: code for code, label in enumerate(domain.labels)}
    if domain.missing:
        rank[None] = domain.missing_code
    for i, region in enumerate(regions):
        if region.what == "everything":
            high[i] = domain.codes - 1
        elif region.what == "interval":
            low[i], high[i] = _span(axis, region, domain)
        elif region.what == "node":
            low[i], high[i] = _leaves(region, domain)
        else:
            own = [rank[value] for value in region.values if value in rank]
            members.append(i * domain.codes + np.array(own, np.int64))
    own_codes = np.asarray(codes, np.int64)
    inside = (low[of] <= own_codes) & (own_codes <= high[of])
    return np.asarray(inside | np.isin(of * domain.codes + own_codes, np.concatenate(members)))


def _axis(domain: Domain) -> list[Any]:
    """Values in the order of their codes, as regions place them."""
    if domain.kind == "date":
        return list(domain.values.astype("datetime64[D]").astype(np.int64).tolist())
    if domain.kind in NUMERIC:
        return list(domain.values.tolist())
    return list(range(domain.size))


def _span(axis: list[Any], region: Region, domain: Domain) -> tuple[int, int]:
    """First and last code of an interval."""
    # The text of a real number is the shortest that reads back as it: read back, it is exact.
    low, high = (float(end) if domain.kind == "real" else end for end in (region.low, region.high))
    return bisect_left(axis, low), bisect_right(axis, high) - 1


def _leaves(region: Region, domain: Domain) -> tuple[int, int]:
    """First and last code below a hierarchy node of the original."""
    tree = domain.hierarchy
    try:
        node = -1 if tree is None else tree.node_of(read_value(region.text))
    except HierarchyError:
        return 0, -1
    return (0, -1) if tree is None else (int(tree.left[node]), int(tree.right[node]))
