"""Exact numbers of individuals, for workloads on an original table in which people may have several records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.forms._answering import answer
from likeness.forms._axes import ExactAxis, exact_shares
from likeness.forms._units import units_of_individuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.forms._workload import Workload
    from likeness.microdata.data import Microdata


class IndividualCounts:
    """How many individuals have a record that meets all conditions of a query, for many queries.

    Individuals whose records all have the same quasi-identifiers are counted tuple by tuple; the others one by one.

    Parameters
    ----------
    data
        The original table, encoded; its people may have several records.
    weights : (n,) float64
        What each record weighs; an individual weighs the mean of its records.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from likeness.forms._query import Query
    >>> from likeness.forms._workload import Workload
    >>> from likeness.metrics._mini_table import mini_table
    >>> data = replace(mini_table().data, individuals=np.array([0, 0, 1, 2, 2]))
    >>> queries = Workload.of_queries([Query({"disease": ["flu"]}, "individuals")])
    >>> IndividualCounts(data, np.ones(5)).answer(queries)
    array([2.])
    """

    def __init__(self, data: Microdata, weights: NDArray[np.float64]) -> None:
        assert data.individuals is not None  # noqa: S101  # asked only of tables that have them
        tuples, individuals = data.tuples, data.individuals
        width = int(individuals.max(initial=-1)) + 1
        least = np.full(width, tuples.count, np.int64)
        np.minimum.at(least, individuals, tuples.of)
        alike = np.ones(width, np.bool_)
        alike[individuals[tuples.of != least[individuals]]] = False
        same = alike[individuals]
        axes = {
            domain.name: ExactAxis(domain, codes[tuples.first])
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        }
        self._units = units_of_individuals(
            axes,
            data.sensitive,
            data.sensitive_codes[:, same],
            tuples.of[same],
            individuals[same],
            weights[same],
            tuples.count,
        )
        others = np.flatnonzero(~same)
        others = others[np.argsort(individuals[others], kind="stable")]
        self._columns = {
            domain.name: (domain, codes[others])
            for domain, codes in zip(
                (*data.quasi, *data.sensitive), (*data.codes, *data.sensitive_codes), strict=True
            )
        }
        _, who = np.unique(individuals[others], return_inverse=True)
        self._who = who.reshape(-1)
        self._weights = np.bincount(self._who, weights[others]) / np.bincount(self._who)

    def answer(self, workload: Workload) -> NDArray[np.float64]:
        """(queries,) Count individuals.

        Raises
        ------
        TableError
            When there is no such column, or a condition does not suit its column.
        """
        found = answer(self._units, workload, None)
        if self._who.size:
            for query in range(len(workload)):
                found[query] += self._others(workload, query)
        return found

    def _others(self, workload: Workload, query: int) -> float:
        """Count the individuals whose records differ in quasi-identifiers."""
        left = np.arange(self._who.size)
        for name, which in workload.which.items():
            if which[query] >= 0:
                domain, codes = self._columns[name]
                met = exact_shares(domain, [workload.conditions[name][which[query]]])[0] > 0
                left = left[met[codes[left]]]
        # Records of one person are side by side.
        who = self._who[left]
        return float(self._weights[who[np.diff(who, prepend=-1) > 0]].sum())
