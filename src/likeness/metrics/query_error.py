"""Relative error of aggregate queries, estimated from what was published (Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, TableError
from likeness.forms._query import Query
from likeness.metrics._base import Metric
from likeness.metrics._drawing import CONDITIONS
from likeness.metrics._workload import draw_workload, relative_errors

if TYPE_CHECKING:
    from likeness.metrics._base import Evaluation
    from likeness.microdata.data import Microdata

MOST_LOOKS = 20_000_000
"""Of queries at sensitive values, where the number of queries is left to the metric."""


@dataclass(frozen=True)
class QueryError(Metric):
    """Median relative error of random aggregate queries: ``|est - prec| / |prec|`` over a workload.

    Every query asks for the records in random ranges of some quasi-identifiers and of the sensitive attribute, each range
    the same share ``θ^(1 / (λ + 1))`` of its domain. ``prec`` is the answer on the original table, ``est`` the estimate from
    what was published: generalized records are spread evenly over their region, sensitive values of anatomized ones over
    their bucket, perturbed ones are reconstructed. Queries with ``prec`` 0 are drawn again.

    Parameters
    ----------
    queries
        Number of queries; 10,000 when left out, as in the paper, but of a sensitive attribute with more than 2,000 values
        only as many as 20,000,000 looks at a value allow, and at least 100.
    predicates
        λ, the number of quasi-identifiers with a condition; 3 when left out, or all when there are fewer.
    selectivity
        θ, the share of the table that a query selects when all attributes are uniform and independent.
    aggregate
        ``count``, ``sum`` or ``avg``.
    of
        The column of numbers for sums and means.
    seed
        Same table, parameters and seed, same queries.
    statistic
        ``median``, as in paper 002, or ``mean``, as in paper 004.
    count
        ``records``, or ``individuals``: the people with a record that meets all conditions, on both sides; of releases that say
        whose records belong together.
    conditions
        ``ranges``: values that stand next to each other, as many as the share rounds to, as in paper 002. ``values``: of
        categories and leaves any values, as many as the share rounds up to, as in paper 004.

    Notes
    -----
    Where survey weights were published, exact answers and estimates count people. A mean that the release cannot estimate,
    because it holds no record there, is an error of 1. A release that does not say what its ``*`` or nodes stand for
    cannot be measured.

    Queries count records, also where people have several: so ``COUNT(*)`` does. The workload of paper 004 is ``QueryError(1000,
    predicates, 0.05, statistic="mean", conditions="values")``; an integer interval [a, b] holds b - a + 1 values, a node its
    leaves.

    References
    ----------
    Cao & Karras 2012 (paper 002), section 6.3; Wang et al. 2019 (paper 004), section 5, eq. 19.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> measured = QueryError(queries=100, predicates=1, selectivity=0.5).measure(mini_table())
    >>> 0 < measured < 1
    True
    """

    queries: int | None = None
    predicates: int | None = None
    selectivity: float = 0.1
    aggregate: str = "count"
    of: str | None = None
    seed: int = 0
    statistic: str = "median"
    count: str = "records"
    conditions: str = "ranges"

    name: ClassVar[str] = "query-error"
    range: ClassVar[str] = "0 to ∞: 0 answers every query exactly, 1 is what an answer of nothing has"
    withheld: ClassVar[str] = "Exact answers are of all records, so what is withheld counts as error."

    def __post_init__(self) -> None:
        if self.queries is not None:
            whole(self.name, "queries", self.queries, at_least=1)
        if self.predicates is not None:
            whole(self.name, "predicates", self.predicates, at_least=0)
        number(self.name, "selectivity", self.selectivity, above=0, at_most=1)
        whole(self.name, "seed", self.seed, at_least=0)
        choice(self.name, "statistic", self.statistic, ("median", "mean"))
        choice(self.name, "count", self.count, ("records", "individuals"))
        choice(self.name, "conditions", self.conditions, CONDITIONS)
        choice(self.name, "aggregate", self.aggregate, ("count", "sum", "avg"))
        if self.count == "individuals" and self.aggregate != "count":
            raise PolicyError(
                f"{self.name}: count: individuals goes with aggregate: count; got {self.aggregate!r}"
            )
        Query({}, self.aggregate, self.of)

    def measure(self, evaluation: Evaluation) -> float:
        """Draw the workload on the original and answer it from what was published.

        Raises
        ------
        PolicyError
            When the evaluation comes without published tables, these do not say enough to answer, or no workload can be
            drawn.
        """
        publication = evaluation.publication
        if publication is None:
            raise PolicyError(f"{self.name}: needs the published tables, and only classes are at hand")
        people = bool((publication.survey_weights != 1).any())
        try:
            workload = draw_workload(
                evaluation.data,
                queries=self.queries or affordable_queries(evaluation.data),
                predicates=self.predicates,
                selectivity=self.selectivity,
                aggregate="individuals" if self.count == "individuals" else self.aggregate,
                of=self.of,
                seed=self.seed,
                people=people,
                conditions=self.conditions,
            )
            errors = relative_errors(publication, workload)
        except TableError as problem:
            raise PolicyError(*(f"{self.name}: {line}" for line in problem.problems)) from None
        return float(np.median(errors) if self.statistic == "median" else np.mean(errors))


def affordable_queries(data: Microdata) -> int:
    """Choose how many queries to ask of a table: 10,000, or fewer where its sensitive attribute has very many values.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> affordable_queries(mini_table().data)
    10000
    """
    values = max((domain.codes for domain in data.sensitive[:1]), default=1)
    return max(100, min(10_000, MOST_LOOKS // values))
