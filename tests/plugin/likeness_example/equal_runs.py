"""Equal runs: sort the records and cut them into runs of one length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from likeness.methods.base import Method, Problem
from likeness.microdata.plan import Plan, Reason


@dataclass(frozen=True)
class EqualRuns(Method):
    """Sort records by their quasi-identifiers and cut them into runs, of the first of 1, 2, 4 … records that holds.

    References
    ----------
    Defays & Nanopoulos 1993, "Panels of enterprises and confidentiality" (microaggregation after sorting).

    Examples
    --------
    >>> EqualRuns()
    EqualRuns()
    """

    name: ClassVar[str] = "equal-runs"

    def run(self, problem: Problem) -> Plan:
        """Cut the shortest runs that hold; what is left over at the end goes with the last of them."""
        data = problem.data
        order = np.lexsort(data.codes[::-1])
        length = 1
        while length <= data.size:
            count = data.size // length
            classes = np.empty(data.size, np.int64)
            classes[order] = np.minimum(np.arange(data.size) // length, count - 1)
            if problem.holding(classes, count).all():
                return Plan(classes)
            length *= 2
        together = np.zeros(data.size, np.int64)
        return Plan(together).withhold(
            together == 0, Reason("no-run-holds", "no run of records holds, nor do all of them as one class")
        )
