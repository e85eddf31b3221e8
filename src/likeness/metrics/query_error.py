"""Relative error of aggregate queries, estimated from what was published (Cao & Karras 2012)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from likeness.checks import check_seed, choice, number, whole
from likeness.errors import PolicyError, TableError
from likeness.metrics.base import Metric, publication_of
from likeness.queries.drawing import CONDITIONS, COUNTING, draw_workload, relative_errors
from likeness.queries.overlap import UntoldError, UntoldNodesError
from likeness.queries.query import Query
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.microdata.data import Microdata

QUERIES = 10_000
"""Asked when the number is left to the metric, as in Cao & Karras 2012 ..."""
MOST_LOOKS = 20_000_000
"""... as far as so many looks of queries at sensitive values allow ..."""
MOST_RECORD_LOOKS = 1_000_000_000
"""... and so many looks at different records: what ten thousand queries about a hundred thousand of them take."""

_TELL_NODES = (
    "give its hierarchy as a file of all codes instead of a rule, which is published, or take another metric"
)
_TELL_DOMAIN = "declare its domain, which is published, or take another metric"


@dataclass(frozen=True)
class QueryError(Metric):
    """Median relative error of random aggregate queries: ``|est - prec| / |prec|`` over a workload.

    Every query asks for the records in random ranges of some quasi-identifiers and of the sensitive attribute, each range
    the same share ``θ^(1 / (λ + 1))`` of its domain. ``prec`` is the answer on the original table, ``est`` the estimate from
    what was published: generalized records are spread evenly over their region, sensitive values of anatomized ones over
    their bucket, perturbed ones are reconstructed. Queries with ``prec`` 0 are drawn again, until there are enough or ten times
    as many as asked for (at least 20,000) were drawn; `details` tells how many were asked in the end.

    Parameters
    ----------
    queries
        Number of queries; 10,000 when left out, as in the paper, but of a sensitive attribute with more than 2,000 values
        only as many as 20,000,000 looks at a value allow, of more than 100,000 different records only as many as
        1,000,000,000 looks at a record allow, and at least 100.
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
        ``median``, as in Cao & Karras 2012, or ``mean``, as in Wang et al. 2019.
    count
        ``records``, or ``individuals``: the people with a record that meets all conditions, on both sides; of releases that say
        whose records belong together.
    conditions
        ``ranges``: values that stand next to each other, as many as the share rounds to, as in Cao & Karras 2012. ``values``: of
        categories and leaves any values, as many as the share rounds up to, as in Wang et al. 2019.
    sensitive
        Whether every query has a condition on the sensitive attribute too. Without, ranges cover ``θ^(1 / λ)`` of their domains.
    counting
        ``uniform``: a record counts for the share of its region that a query asks for. ``overlap``: it counts wholly as soon as
        its region and the query have a value in common, which makes estimates too large, not too small, as in Fazal et al. 2023;
        sensitive values count as ever. Of counts, and of releases that show regions or exact values.

    Notes
    -----
    Where survey weights were published, exact answers and estimates count people. A mean that the release cannot estimate,
    because it holds no record there, is an error of 1. A release that does not say what its ``*`` or nodes stand for
    cannot be measured.

    Queries count records, also where people have several: so ``COUNT(*)`` does. Wang et al. 2019 ask ``QueryError(1000,
    predicates, 0.05, statistic="mean", conditions="values")``; an integer interval [a, b] holds b - a + 1 values, a node its
    leaves. Amiri et al. 2016 ask 100 queries about one quasi-identifier each, and take the mean: ``query-error-quasi``.

    References
    ----------
    Cao & Karras 2012, section 6.3; Wang et al. 2019, section 5, eq. 19; Amiri et al. 2016, section 5.2, Fig. 12; Fazal et al.
    2023, eq. 22-24 (``overlap``: its text says that generalized tables give more tuples, and nothing else).

    Examples
    --------
    >>> from likeness.metrics.mini_table import mini_table
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
    sensitive: bool = True
    counting: str = "uniform"

    name: ClassVar[str] = "query-error"
    minimized: ClassVar[bool] = True
    of_publication: ClassVar[bool] = True
    range: ClassVar[str] = "0 to ∞: 0 answers every query exactly, 1 is what an answer of nothing has"
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "query-error-quasi": {"queries": 100, "predicates": 1, "statistic": "mean", "sensitive": False}
    }
    withheld: ClassVar[str] = "Exact answers are of all records, so what is withheld counts as error."

    def __post_init__(self) -> None:
        if self.queries is not None:
            whole(self.name, "queries", self.queries, at_least=1)
        if self.predicates is not None:
            whole(self.name, "predicates", self.predicates, at_least=0)
        number(self.name, "selectivity", self.selectivity, above=0, at_most=1)
        check_seed(self.name, self.seed)
        choice(self.name, "statistic", self.statistic, ("median", "mean"))
        choice(self.name, "count", self.count, ("records", "individuals"))
        choice(self.name, "conditions", self.conditions, CONDITIONS)
        choice(self.name, "aggregate", self.aggregate, ("count", "sum", "avg"))
        choice(self.name, "counting", self.counting, COUNTING)
        if self.counting == "overlap" and self.aggregate != "count":
            raise PolicyError(
                f"{self.name}: counting: overlap goes with aggregate: count; got {self.aggregate!r}"
            )
        if self.count == "individuals" and self.aggregate != "count":
            raise PolicyError(
                f"{self.name}: count: individuals goes with aggregate: count; got {self.aggregate!r}"
            )
        Query({}, self.aggregate, self.of)

    @property
    def charges_withheld(self) -> bool:
        """Exact answers are of all records.

        What is searched is NCP: estimates are of all classes at once, and none adds to their error alone.
        """
        return True

    def measure(self, evaluation: Evaluation) -> float:
        """Draw the workload on the original and answer it from what was published.

        Raises
        ------
        PolicyError
            When the evaluation comes without published tables, these do not say enough to answer, or no workload can be
            drawn.
        """
        errors = self.errors(evaluation)
        return float(np.median(errors) if self.statistic == "median" else np.mean(errors))

    def errors(self, evaluation: Evaluation) -> NDArray[np.float64]:
        """Give the relative error of every query of the workload.

        Raises `PolicyError` as `measure` does.
        """
        return evaluation.once((self, "errors"), lambda: self._errors(evaluation))[0]

    def details(self, evaluation: Evaluation) -> dict[str, int]:
        """Say how many queries were asked.

        Returns
        -------
        dict
            ``queries``: how many the value is of; ``wanted``: how many it should be; ``affordable``: how many of these the size
            of the table allows; ``drawn``: how many random queries were drawn to find them, those that find no record included.
        """
        errors, drawn = evaluation.once((self, "errors"), lambda: self._errors(evaluation))
        wanted = self.queries or QUERIES
        affordable = self.queries or affordable_queries(evaluation.data, sensitive=self.sensitive)
        return {"queries": int(errors.size), "wanted": wanted, "affordable": affordable, "drawn": drawn}

    def note(self, details: Mapping[str, float]) -> str:
        """Say why fewer queries were asked, where that is so.

        Examples
        --------
        >>> QueryError().note({"queries": 500, "wanted": 10000, "affordable": 500, "drawn": 600})
        '500 queries instead of 10,000: the table has too many different records or sensitive values for more'
        >>> QueryError().note({"queries": 3, "wanted": 5000, "affordable": 5000, "drawn": 50000})
        '3 queries instead of 5,000: of 50,000 random queries the others find no record'
        """
        asked, wanted, affordable = (int(details[name]) for name in ("queries", "wanted", "affordable"))
        why = []
        if affordable < wanted:
            why.append("the table has too many different records or sensitive values for more")
        if asked < affordable:
            why.append(f"of {int(details['drawn']):,} random queries the others find no record")
        return f"{count(asked, 'query')} instead of {wanted:,}: {'; '.join(why)}" if why else ""

    def _errors(self, evaluation: Evaluation) -> tuple[NDArray[np.float64], int]:
        """(queries,) Relative errors, and how many queries were drawn."""
        publication = publication_of(self.name, evaluation)
        people = bool((publication.survey_weights != 1).any())
        try:
            workload = draw_workload(
                evaluation.data,
                queries=self.queries or affordable_queries(evaluation.data, sensitive=self.sensitive),
                predicates=self.predicates,
                selectivity=self.selectivity,
                aggregate="individuals" if self.count == "individuals" else self.aggregate,
                of=self.of,
                seed=self.seed,
                people=people,
                conditions=self.conditions,
                sensitive=self.sensitive,
            )
            errors = relative_errors(publication, workload, self.counting)
        except UntoldError as problem:
            remedy = _TELL_NODES if isinstance(problem, UntoldNodesError) else _TELL_DOMAIN
            told = (replace(one, remedy=remedy) for one in problem.within(self.name))
            raise PolicyError(*told) from None
        except TableError as problem:
            raise PolicyError(*problem.within(self.name)) from None
        return errors, int(workload.draws or 0)


def affordable_queries(data: Microdata, *, sensitive: bool = True) -> int:
    """Choose how many queries to ask of a table: 10,000; fewer for very many different records or sensitive values asked of.

    Never fewer than 100.
    """
    values = max((domain.codes for domain in data.sensitive[:1] if sensitive), default=1)
    records = max(1, min(data.size, data.tuples.count * values))
    return max(100, min(QUERIES, MOST_LOOKS // values, MOST_RECORD_LOOKS // records))
