"""Every class that a tiny table can have, and the best partition into some of them: for any composition of models."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.methods.base import holding_classes
from likeness.methods.optimal.assigning import NOTHING, Dealt
from likeness.methods.optimal.solver import least_cost

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods.optimal.assigning import Quota
    from likeness.methods.optimal.regions import Regions
    from likeness.methods.optimal.solver import SolverLimits
    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement

_AT_ONCE = 1 << 14


def classes_of(sizes: NDArray[np.int64], most: int) -> NDArray[np.int64] | None:
    """(V, C) Every way to take some records of cells, by numbers of records alone; None where there are more than ``most``."""
    if np.prod(sizes.astype(np.float64) + 1) > most + 1:
        return None
    ways = product(*(range(int(size) + 1) for size in sizes))
    return np.array(list(ways), np.int64).reshape(-1, sizes.size)[1:]


def holding(
    classes: NDArray[np.int64],
    cells: NDArray[np.int64],
    data: Microdata,
    requirements: tuple[Requirement, ...],
) -> NDArray[np.bool_]:
    """(V,) Decide exactly which classes hold; ``cells`` (C,) is a record of each cell."""
    good = np.zeros(classes.shape[0], np.bool_)
    for begin in range(0, classes.shape[0], _AT_ONCE):
        some = classes[begin : begin + _AT_ONCE]
        number, cell = np.nonzero(some)
        often = some[number, cell]
        members = data.take(np.repeat(cells[cell], often))
        good[begin : begin + _AT_ONCE] = holding_classes(
            requirements, members, np.repeat(number, often), some.shape[0]
        )
    return good


def hulls_of(classes: NDArray[np.int64], regions: Regions) -> NDArray[np.int64]:
    """(V,) The region of each class: of all that cover it, the one that covers fewest cells."""
    order = np.argsort(regions.covers.sum(axis=1), kind="stable")
    outside = (~regions.covers[order]).astype(np.float32)
    found = np.zeros(classes.shape[0], np.int64)
    for begin in range(0, classes.shape[0], _AT_ONCE):
        there = (classes[begin : begin + _AT_ONCE] > 0).astype(np.float32)
        missed = there @ outside.T
        found[begin : begin + _AT_ONCE] = order[np.argmax(missed == 0, axis=1)]
    return found


def partition(
    classes: NDArray[np.int64],
    hulls: NDArray[np.int64],
    regions: Regions,
    sizes: NDArray[np.int64],
    limits: SolverLimits,
    *,
    allowance: int = 0,
    quota: Quota | None = None,
) -> Dealt:
    """Find the classes of least loss that make up the table, no two of equal regions.

    Parameters
    ----------
    classes : (V, C) int64
        Those that hold.
    hulls : (V,) int64
        The region of each.
    regions
        The regions.
    sizes : (C,) int64
        Records of each cell.
    limits
        How long the solver may take.
    allowance
        Records that may be withheld, each of which loses 1.
    quota
        Who is withheld, where that is given.
    """
    from scipy.optimize import LinearConstraint
    from scipy.sparse import coo_array, csr_array, hstack

    count, cells = classes.shape
    if count == 0:
        return NOTHING
    _, home = np.unique(hulls, return_inverse=True)
    out = cells if allowance > 0 or quota is not None else 0
    cost = np.concatenate([classes.sum(axis=1) * regions.loss[hulls], np.ones(out)])
    everybody: Any = csr_array(classes.T.astype(np.float64))
    if out:
        everybody = hstack([everybody, csr_array(np.eye(cells))]).tocsr()
    apart = coo_array(
        (np.ones(count), (home.reshape(-1), np.arange(count))),
        shape=(int(home.max(initial=0)) + 1, count + out),
    )
    held = [LinearConstraint(everybody, sizes, sizes), LinearConstraint(apart.tocsr(), -np.inf, 1)]
    if quota is not None:
        groups, numbers = quota
        of_group = coo_array(
            (np.ones(cells), (groups, count + np.arange(cells))), shape=(numbers.size, count + out)
        )
        held.append(LinearConstraint(of_group.tocsr(), numbers, numbers))
    elif out:
        own = np.concatenate([np.zeros(count), np.ones(out)])
        held.append(LinearConstraint(own[None, :], -np.inf, allowance))
    upper = np.concatenate([np.ones(count), sizes[:out]])
    found = least_cost(cost, held, upper, np.ones(count + out), limits)
    nodes = int(found.mip_node_count or 0)
    if found.x is None:
        bound = np.inf if found.status == 2 else max(0.0, float(found.mip_dual_bound or 0.0))
        return NOTHING._replace(bound=bound, proven=found.status == 2, nodes=nodes)
    chosen = np.flatnonzero(np.rint(found.x[:count]) > 0)
    number, cell = np.nonzero(classes[chosen])
    gone = np.rint(found.x[count:]).astype(np.int64) if out else np.zeros(0, np.int64)
    lost = np.flatnonzero(gone)
    return Dealt(
        np.concatenate([cell, lost]),
        np.concatenate([hulls[chosen][number], np.full(lost.size, -1)]),
        np.concatenate([classes[chosen][number, cell], gone[lost]]),
        max(0.0, float(found.mip_dual_bound)),
        proven=found.status == 0,
        nodes=nodes,
    )
