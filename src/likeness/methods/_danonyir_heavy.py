"""Individuals that no class of a table can hold, because so many of its records are theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.exact import rational
from likeness.methods._danonyir_space import records_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.methods._base import Problem


def too_heavy(problem: Problem) -> NDArray[np.bool_]:
    """(n,) Whether each individual has a larger share of all records than (α, β)-anonymity allows of a class.

    Without them the table is smaller, so that others may become too heavy: this is gone on with until nobody does.
    """
    data = problem.data
    shares = [
        rational(_alpha(one.model))
        for one in problem.requirements
        if one.model.name in {"ir-alpha-beta-anonymity", "eir-alpha-beta-anonymity"}
    ]
    heavy = np.zeros(data.size, np.bool_)
    if not shares:
        return heavy
    alpha = min(shares)
    counts = np.bincount(records_of(data)[1], minlength=data.size).astype(np.int64)
    total = int(counts.sum())
    for person in np.argsort(-counts, kind="stable").tolist():
        if counts[person] * alpha.denominator <= alpha.numerator * total:
            break
        heavy[person] = True
        total -= int(counts[person])
    return heavy


def _alpha(model: Any) -> Any:
    """Give the largest share that one individual's records may have."""
    return model.alpha
