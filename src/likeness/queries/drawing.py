"""Random workloads of aggregate queries, their exact answers, and the errors of what a release answers.

Draw once on the original and evaluate on many releases::

    from likeness.queries.drawing import draw_workload, relative_errors

    workload = draw_workload(release.evaluation.data, queries=10_000, predicates=3, selectivity=0.1, seed=1)
    errors = relative_errors(release.publication, workload)        # (queries,) |est - prec| / |prec|
    np.median(errors)

Random ranges on the domain of one attribute: the conditions of random queries.

Exact numbers of individuals, for workloads on an original table in which people may have several records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from likeness.checks import check_seed, choice, number, whole
from likeness.errors import PolicyError, TableError, suggestion
from likeness.microdata.domain import NUMERIC
from likeness.queries.answering import answer, by_aggregate, make_units, tuples_of, units_of_individuals
from likeness.queries.asking import Askable, read_workload
from likeness.queries.axes import ExactAxis, MeanAxis, exact_shares
from likeness.queries.overlap import place
from likeness.queries.query import Consecutive, Query, Workload
from likeness.tables import texts
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from likeness.forms.base import Publication
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain
    from likeness.queries.answering import Units

CONDITIONS: Final = ("ranges", "values")
"""How conditions are drawn."""
COUNTING: Final = ("uniform", "overlap")
"""How records count whose region a condition meets in part."""


class DrawnDomain(ABC):
    """The domain of an attribute, as something that ranges are drawn on."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw where ranges begin that cover a share of the domain."""

    @abstractmethod
    def condition(self, start: float, share: float) -> Any:
        """Make a condition, as in `Query`, of the range that begins there."""


class Places(DrawnDomain):
    """A discrete domain of L places: whole numbers, days, ranks of values, of leaves in pre-order.

    A range covers `width` of them and begins at any of the first L - width + 1, all equally likely.
    """

    size: int
    up: bool = False
    """Whether widths are rounded up: ``⌈L · share⌉``, our reading of Wang et al. 2019, section 5.2.2."""

    def width(self, share: float) -> int:
        """Count the places a range covers: ``max(1, round(L · share))``, or rounded up."""
        places = self.size * share
        # A share such as 0.001^(1/3) is a bit above what it stands for.
        return max(1, ceil(round(places, 9)) if self.up else round(places))

    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw first places."""
        # Whole numbers of 64 bits may lie further apart than signed ones can count.
        return rng.integers(0, self.size - self.width(share) + 1, count, np.uint64).astype(np.float64)


class Numbers(Places):
    """Whole numbers from ``low`` to ``high``, both included, or days since 1970."""

    def __init__(self, low: int, high: int, *, days: bool = False) -> None:
        self.low, self.size, self.days = low, high - low + 1, days

    def condition(self, start: float, share: float) -> Any:
        """Make a pair."""
        first = self.low + int(start)
        ends = (first, first + self.width(share) - 1)
        return tuple(texts(np.array(ends, "datetime64[D]"))) if self.days else ends


class Listed(Places):
    """Values in an order of their own; with ``pairs`` a range is a pair of its ends, for columns that have an order."""

    def __init__(self, values: tuple[Any, ...], *, pairs: bool) -> None:
        self.values, self.size, self.pairs = values, len(values), pairs

    def condition(self, start: float, share: float) -> Any:
        """Make a pair, or a collection of neighbours."""
        first = int(start)
        stop = first + self.width(share)
        return (
            (self.values[first], self.values[stop - 1])
            if self.pairs
            else Consecutive(self.values, first, stop)
        )


class Chosen(Places):
    """Values of which any may be asked for together, all sets of so many being equally likely; widths are rounded up.

    What is drawn is a number that the choice follows from.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values, self.size, self.up = values, len(values), True

    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw numbers; only one where there is nothing to choose."""
        if self.width(share) == self.size:
            return np.zeros(count)
        return rng.integers(0, 1 << 53, count).astype(np.float64)

    def condition(self, start: float, share: float) -> Any:
        """Make a list of values."""
        rng = np.random.Generator(np.random.PCG64(int(start)))
        chosen = np.sort(rng.choice(self.size, self.width(share), replace=False))
        return [self.values[i] for i in chosen.tolist()]


class Reals(DrawnDomain):
    """Real numbers from ``low`` to ``high``: a range is ``share`` of that long and begins anywhere it fits."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def draw(self, rng: np.random.Generator, share: float, count: int) -> NDArray[np.float64]:
        """(count,) Draw lower ends."""
        return self.low + (self.high - self.low) * (1 - share) * rng.random(count)

    def condition(self, start: float, share: float) -> Any:
        """Make a pair."""
        return (float(start), float(start + (self.high - self.low) * share))


def line_of(domain: Domain, conditions: str = "ranges") -> DrawnDomain:
    """Choose what conditions on a column are drawn from.

    ``ranges`` (Cao & Karras 2012), or ``values``: any values of categories and leaves, widths rounded up
    (Wang et al. 2019).
    """
    line = _line_of(domain)
    if conditions == "values" and isinstance(line, Listed) and not line.pairs:
        return Chosen(line.values)
    if conditions == "values" and isinstance(line, Places):
        line.up = True
    return line


def _line_of(domain: Domain) -> DrawnDomain:
    """Choose what ranges on a column are ranges of; the missing value is never asked for.

    Numbers and days lie between the ends of the domain, declared ones where all values are within. Leaves of a hierarchy
    made from the data that are numbers or days are ordered by these: nobody else is told their ranks.
    """
    if domain.kind in NUMERIC:
        ends = (domain.low, domain.high)
        if not (ends[0] <= domain.numbers.min() and domain.numbers.max() <= ends[1]):
            ends = (float(domain.numbers.min()), float(domain.numbers.max()))
        if domain.kind == "real":
            return Reals(*ends)
        return Numbers(int(np.ceil(ends[0])), int(np.floor(ends[1])), days=domain.kind == "date")
    labels = tuple(domain.labels)
    if domain.kind == "ordered":
        return Listed(labels, pairs=True)
    found = [place(label) for label in labels]
    if domain.hierarchy is not None and domain.hierarchy.data_derived and all(found):
        ordered = sorted((one for one in found if one is not None), key=lambda one: one[1])
        return Listed(tuple(_end(*one) for one in ordered), pairs=True)
    return Listed(labels, pairs=False)


def _end(days: bool, at: Any) -> Any:
    """Write a number or a day as an end of a condition."""
    if days:
        return texts(np.array([int(at)], "datetime64[D]"))[0]
    return int(at) if at.denominator == 1 else float(at)


class IndividualCounts:
    """How many individuals have a record that meets all conditions of a query, for many queries.

    Individuals whose records all have the same quasi-identifiers are counted tuple by tuple; the others one by one.
    An individual weighs the mean of its records' ``weights`` (n,).
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
        """(queries,) Count individuals; `TableError` where there is no such column, or a condition does not suit its column."""
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


PART = "query-error"
_ROUNDS = 10
"""Queries are drawn at most so many times as are asked for ..."""
_LEAST_DRAWS = 20_000
"""... or so many, where few are asked for."""


def axis_share(selectivity: float, predicates: int) -> float:
    """Share of each domain that a range covers, so that all conditions together select ``selectivity`` of the table.

    ``θ_A = θ^(1 / predicates)``, were all attributes uniform and independent (Cao & Karras 2012, section
    6.3: λ quasi-identifiers and the sensitive attribute make λ + 1 predicates).
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
    """Draw random aggregate queries whose exact answer is not 0, at most ``queries``; the same seed gives the same ones.

    Conditions stand on λ = ``predicates`` (None: 3, or all of fewer) random quasi-identifiers, those in ``among`` where
    given, and with ``sensitive`` on the first sensitive attribute, each over the same share of its domain (`axis_share` of
    θ = ``selectivity``). ``conditions``: ``ranges`` of neighbours, widths rounded (Cao & Karras 2012, section 6.3), or
    ``values``: of categories and leaves any, widths rounded up (Wang et al. 2019, section 5.2.2, which does not say how
    wide its predicates are).
    Queries whose exact answer is 0, or the mean of no records, are drawn again, as their relative error is undefined, up
    to `_ROUNDS` times as many as asked for (at least `_LEAST_DRAWS`): then there are fewer. ``exact`` has the answers,
    ``draws`` says how many were drawn; ``people``: records count by their survey weight. `PolicyError` for a parameter
    out of range or when no query finds a record; `TableError` for names in ``among`` or ``of`` that do not suit.
    """
    whole(PART, "queries", queries, at_least=1)
    check_seed(PART, seed)
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
    lines = {domain.name: line_of(domain.single, conditions) for domain in (*data.quasi, *data.sensitive)}
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
    """(queries,) Answer a workload from the original table; with ``people`` records count by their survey weight.

    Raises `TableError` where there is no such column, or a condition does not suit its column.
    """
    askable = {domain.name: Askable.of_domain(domain) for domain in (*data.quasi, *data.sensitive)}
    return _answering(data, workload.aggregate, people=people)(read_workload(askable, workload))


def relative_errors(
    publication: Publication, workload: Workload, counting: str = "uniform"
) -> NDArray[np.float64]:
    """(queries,) Relative errors ``|est - prec| / |prec|`` of what a release answers; no exact answer may be 0.

    A mean that the release cannot estimate, because it holds no record there, counts as an answer of 0: an error of 1.
    ``counting``: ``uniform``, records are spread evenly over their region; or ``overlap``, each counts wholly as soon as its
    region meets all conditions on quasi-identifiers (counts only).
    `PolicyError` where exact answers are not known, `TableError` where the release does not say enough to answer.
    """
    if workload.exact is None:
        raise PolicyError(f"{PART}: the workload has no exact answers; draw it, or set exact")
    choice(PART, "counting", counting, COUNTING)
    estimate = publication.estimate_all if counting == "uniform" else partial(_touched, publication)
    estimated = np.nan_to_num(estimate(workload))
    return np.asarray(np.abs(estimated - workload.exact) / np.abs(workload.exact), np.float64)


def _touched(publication: Publication, workload: Workload) -> NDArray[np.float64]:
    """(queries,) Count what meets conditions, with regions counted wholly; exact columns are met or not as ever."""
    people = workload.aggregate == "individuals"
    units = publication.units_of_individuals if people else publication.units
    if any(isinstance(axis, MeanAxis) for axis in units.axes.values()):
        raise PolicyError(
            f"{PART}: counting: overlap is of regions, and {publication.form} releases show means"
        )
    if units.touched.axes == units.axes:
        return publication.estimate_all(workload)
    workload = read_workload(publication.askable, workload, publication.beside)
    return answer(units.touched, workload, None)


def original_units(data: Microdata, *, people: bool = False) -> Units:
    """Lay out an original table for `exact_answers`: its distinct tuples.

    Where everybody's set of sensitive values is one, it is that of the values they had before these were generalized.
    """
    tuples = data.tuples
    if data.source is not None and any(domain.sets is not None for domain in data.sensitive):
        of, records = data.source.of, data.source.records
        return units_of_individuals(
            {
                domain.name: ExactAxis(domain, codes[tuples.first])
                for domain, codes in zip(data.quasi, data.codes, strict=True)
            },
            records.sensitive,
            records.sensitive_codes,
            tuples.of[of],
            of,
            _weights(data, people=people)[of],
            tuples.count,
        )
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
        lines: list[DrawnDomain],
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
