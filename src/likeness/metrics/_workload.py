"""Random workloads of aggregate queries, their exact answers, and the errors of what a release answers.

Draw once on the original and evaluate on many releases::

    from likeness.metrics._workload import draw_workload, relative_errors

    workload = draw_workload(release.evaluation.data, queries=10_000, predicates=3, selectivity=0.1, seed=1)
    errors = relative_errors(release.publication, workload)        # (queries,) |est - prec| / |prec|
    np.median(errors)

`draw_workload` takes the encoded original (`Microdata`: ``release.private.encoded.data``, which is the same for every method
under the same columns). The workload keeps values and not codes, so it fits every release of that table, whatever its form.
``workload.exact`` are the exact answers; ``release.publication.estimate_all(workload)`` the estimated ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.checks import choice, number, whole
from likeness.errors import PolicyError, TableError, suggestion
from likeness.forms._answering import answer, by_aggregate
from likeness.forms._asking import Askable, check_workload
from likeness.forms._axes import ExactAxis
from likeness.forms._query import Query
from likeness.forms._units import make_units, tuples_of
from likeness.forms._workload import Workload
from likeness.metrics._drawing import CONDITIONS, line_of
from likeness.metrics._individuals import IndividualCounts
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likeness.forms._base import Publication
    from likeness.forms._units import Units
    from likeness.metrics._drawing import Line
    from likeness.microdata.data import Microdata

PART = "query-error"
_ROUNDS = 10
"""Queries are drawn at most so many times as are asked for ..."""
_LEAST_DRAWS = 20_000
"""... or so many, where few are asked for."""


def axis_share(selectivity: float, predicates: int) -> float:
    """Share of each domain that a range covers, so that all conditions together select ``selectivity`` of the table.

    ``θ_A = θ^(1 / predicates)``, were all attributes uniform and independent (Cao & Karras 2012, paper 002, section
    6.3: λ quasi-identifiers and the sensitive attribute make λ + 1 predicates).

    Examples
    --------
    >>> [round(axis_share(0.1, predicates + 1), 3) for predicates in (1, 2, 3, 4, 5)]
    [0.316, 0.464, 0.562, 0.631, 0.681]
    """
    return float(selectivity ** (1 / max(1, predicates)))


def draw_workload(
    data: Microdata,
    *,
    queries: int = 10_000,
    predicates: int | None = None,
    selectivity: float = 0.1,
    aggregate: str = "count",
    of: str | None = None,
    seed: int = 0,
    sensitive: bool = True,
    among: Sequence[str] | None = None,
    people: bool = False,
    conditions: str = "ranges",
) -> Workload:
    """Draw random aggregate queries whose exact answer is not 0.

    Every query has conditions on ``predicates`` random quasi-identifiers and on the first sensitive attribute, each over the
    same share of its domain (`axis_share`): ranges that begin anywhere they fit, or random values. Queries whose exact answer
    is 0 (or the mean of no records) are drawn again, as their relative error is undefined: until there are enough, or ten times
    as many as asked for were drawn (and at least 20,000). There are fewer queries then.

    Parameters
    ----------
    data
        The original table, encoded.
    queries
        How many, at most.
    predicates
        λ, the number of quasi-identifiers with a condition; 3 when left out, or all when there are fewer.
    selectivity
        θ, the share of the table that a query selects when all attributes are uniform and independent.
    aggregate, of
        As in `Query`.
    seed
        Same table, parameters and seed, same workload.
    sensitive
        Whether queries have a condition on the sensitive attribute.
    among
        Quasi-identifiers that may have a condition; all when left out.
    people
        Whether records count by their survey weight.
    conditions
        ``ranges``: values that stand next to each other, as many as the share rounds to (paper 002). ``values``: numbers, dates
        and ordered values as before, of categories and leaves any values, all equally likely; as many as the share rounds up
        to (paper 004).

    Returns
    -------
    Workload
        With the exact answers in ``exact``; ``draws`` says how many queries were drawn for them.

    Raises
    ------
    PolicyError
        When a parameter is out of range, there are fewer quasi-identifiers than predicates, or no random query finds a
        record.
    TableError
        When ``of`` is no column of numbers.

    References
    ----------
    Cao & Karras 2012 (paper 002), section 6.3; Wang et al. 2019 (paper 004), section 5.2.2, which does not say how wide its
    predicates are.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> workload = draw_workload(mini_table().data, queries=4, predicates=1, selectivity=0.5, seed=1)
    >>> len(workload), bool(workload.exact.min() > 0)
    (4, True)
    """
    whole(PART, "queries", queries, at_least=1)
    whole(PART, "seed", seed, at_least=0)
    number(PART, "selectivity", selectivity, above=0, at_most=1)
    choice(PART, "conditions", conditions, CONDITIONS)
    Query({}, aggregate, of)
    names = _columns(data, among)
    if predicates is None:
        predicates = min(3, len(names))
    whole(PART, "predicates", predicates, at_least=0)
    if predicates > len(names):
        raise PolicyError(
            f"{PART}: {count(predicates, 'predicate')} on {count(len(names), 'quasi-identifier')}; ask for fewer"
        )
    asked = [domain.name for domain in data.sensitive[:1]] if sensitive else []
    if not predicates and not asked:
        raise PolicyError(f"{PART}: there is no column to put a condition on")
    if data.size == 0:
        raise PolicyError(f"{PART}: the table has no records to ask about")
    lines = {domain.name: line_of(domain, conditions) for domain in (*data.quasi, *data.sensitive)}
    drawer = _Drawer(
        [lines[name] for name in (*names, *asked)],
        [*names, *asked],
        len(asked),
        predicates,
        axis_share(float(selectivity), predicates + len(asked)),
        np.random.Generator(np.random.PCG64(seed)),
    )
    answers_of = _answering(data, aggregate, people=people)
    starts: list[NDArray[np.float64]] = []
    exact: list[NDArray[np.float64]] = []
    missing, drawn, most = queries, 0, max(_ROUNDS * queries, _LEAST_DRAWS)
    while missing and drawn < (most if starts else _LEAST_DRAWS):
        batch = drawer.draw(min(max(queries, 1_000), most - drawn))
        answers = answers_of(drawer.workload(batch, aggregate, of))
        good = np.flatnonzero(np.nan_to_num(answers))[:missing]
        drawn += batch.shape[0]
        missing -= good.shape[0]
        if good.size:
            starts.append(batch[good])
            exact.append(answers[good])
    if not starts:
        raise PolicyError(
            f"{PART}: only 0 of {drawn} random queries find any record; ask for fewer predicates or a larger selectivity"
        )
    workload = drawer.workload(np.concatenate(starts), aggregate, of)
    return replace(workload, exact=np.concatenate(exact), draws=drawn)


def exact_answers(data: Microdata, workload: Workload, *, people: bool = False) -> NDArray[np.float64]:
    """(queries,) Answer a workload from the original table.

    Parameters
    ----------
    data
        The original table, encoded.
    workload
        The queries.
    people
        Whether records count by their survey weight.

    Raises
    ------
    TableError
        When there is no such column, or a condition does not suit its column.

    Examples
    --------
    >>> from likeness.metrics._mini_table import mini_table
    >>> ages = Workload.of_queries([Query({"age": (30, 50)}), Query({"disease": ["ulcer"]})])
    >>> exact_answers(mini_table().data, ages)
    array([3., 2.])
    >>> exact_answers(mini_table().data, ages.asking("avg", "age"))
    array([40., 55.])
    """
    askable = {domain.name: Askable.of_domain(domain) for domain in (*data.quasi, *data.sensitive)}
    check_workload(askable, workload)
    return _answering(data, workload.aggregate, people=people)(workload)


def relative_errors(publication: Publication, workload: Workload) -> NDArray[np.float64]:
    """(queries,) Relative errors ``|est - prec| / |prec|`` of what a release answers.

    A mean that the release cannot estimate, because it holds no record there, counts as an answer of 0: an error of 1.

    Parameters
    ----------
    publication
        What was published.
    workload
        Queries with their exact answers, none of them 0.

    Raises
    ------
    PolicyError
        When the exact answers are not known.
    TableError
        When the release does not say enough to answer, such as what ``*`` stands for.
    """
    if workload.exact is None:
        raise PolicyError(f"{PART}: the workload has no exact answers; draw it, or set exact")
    estimated = np.nan_to_num(publication.estimate_all(workload))
    return np.asarray(np.abs(estimated - workload.exact) / np.abs(workload.exact), np.float64)


def original_units(data: Microdata, *, people: bool = False) -> Units:
    """Lay out an original table for `exact_answers`: its distinct tuples."""
    tuples = data.tuples
    sensitive, shown = tuples_of(data.sensitive, data.sensitive_codes)
    return make_units(
        # Held by nobody else: only what is put in order stays.
        {
            domain.name: ExactAxis(domain, codes[tuples.first])
            for domain, codes in zip(data.quasi, data.codes, strict=True)
        },
        sensitive,
        tuples.of,
        shown,
        _weights(data, people=people),
        tuples.count,
    )


def _weights(data: Microdata, *, people: bool) -> NDArray[np.float64]:
    """(n,) What each record counts for."""
    return data.survey_weights if people and data.survey_weights is not None else np.ones(data.size)


def _answering(data: Microdata, aggregate: str, *, people: bool) -> Callable[[Workload], NDArray[np.float64]]:
    """Lay out an original table, to answer workloads of an aggregate from it; every answer is (queries,)."""
    if aggregate == "individuals" and data.individuals is not None:
        return IndividualCounts(data, _weights(data, people=people)).answer
    units = original_units(data, people=people)
    # Without a column that tells people apart every record is another person's.
    own = "count" if aggregate == "individuals" else aggregate
    return lambda workload: by_aggregate(
        workload.asking(own, workload.of), lambda power: answer(units, workload, power)
    )


def _columns(data: Microdata, among: Sequence[str] | None) -> list[str]:
    """Quasi-identifiers that may have a condition."""
    known = [domain.name for domain in data.quasi]
    for name in among or ():
        if name not in known:
            raise TableError(f"{name!r} is not a quasi-identifier{suggestion(name, known)}")
    return known if among is None else list(dict.fromkeys(among))


class _Drawer:
    """Draws where the ranges of queries begin; NaN where a query has none."""

    def __init__(
        self,
        lines: list[Line],
        names: list[str],
        always: int,
        predicates: int,
        share: float,
        rng: np.random.Generator,
    ) -> None:
        self.lines, self.names, self.always = lines, names, always
        self.predicates, self.share, self.rng = predicates, share, rng

    def draw(self, count: int) -> NDArray[np.float64]:
        """(count, columns) Draw queries; the last ``always`` columns always have a range."""
        starts = np.array([line.draw(self.rng, self.share, count) for line in self.lines]).T
        optional = len(self.lines) - self.always
        chosen = np.argsort(self.rng.random((count, optional)), axis=1)[:, self.predicates :]
        np.put_along_axis(starts, chosen, np.nan, axis=1)
        return starts

    def workload(self, starts: NDArray[np.float64], aggregate: str, of: str | None) -> Workload:
        """Make queries of what was drawn."""
        conditions: dict[str, list[Any]] = {}
        which: dict[str, NDArray[np.int64]] = {}
        for name, line, own in zip(self.names, self.lines, starts.T, strict=True):
            has = ~np.isnan(own)
            found, number = np.unique(own[has], return_inverse=True)
            conditions[name] = [line.condition(start, self.share) for start in found.tolist()]
            which[name] = np.full(own.shape[0], -1, np.int64)
            which[name][has] = number.reshape(-1)
        return Workload(conditions, which, starts.shape[0], aggregate, of, drawn=True)
