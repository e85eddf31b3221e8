"""The pictures of a report: Vega-Lite specifications of what a release keeps, loses and risks, with their numbers as tables.

A picture is data alone. The page draws it with a script of its own (`report/script`), ``release.plot`` gives it to Altair.
Everything is summed up here: no picture has a mark for a record.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import InvalidError, LikenessError, PolicyError
from likeness.metrics.correlation_loss import CorrelationLoss, dependence
from likeness.metrics.marginals import BINS, compare, compare_column
from likeness.metrics.query_error import QueryError
from likeness.microdata.domain import NUMERIC
from likeness.microdata.regions import LOSSES, AttributeRegions, region_losses
from likeness.queries.overlap import place
from likeness.report.measured import class_sizes, size_ranges, size_table
from likeness.tables import texts
from likeness.wording import count, figure, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import altair as alt
    from numpy.typing import NDArray

    from likeness.metrics.marginals import ColumnCells
    from likeness.release import Release

BEFORE, AFTER, THIRD = "#8d8d8d", "#2f86c8", "#c8622f"
"""Colours of the original, of the release, and of what stands out; each at least 3 : 1 against white and against a dark page."""
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_MOST_CELLS = 30
"""Bars of a column of categories: more are shown as the most frequent ones and all others."""
_MOST_COLUMNS = 24
"""Columns with a picture each, and columns whose pairs are shown; tables have all."""
_SHARES = (0.0, 0.05, 0.1, 0.25, 0.5)
"""Upper ends of how much of a column regions cover."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Picture:
    """One picture, with what it says in words and its numbers.

    Parameters
    ----------
    name
        Its name in files, in the page, and of the method of `Plots` that gives it; of a column, with the column's number.
    title
        What it is about.
    told
        What is seen, in a sentence: for who does not see it.
    spec
        The Vega-Lite specification, its data included.
    head, rows
        Its numbers, as a table.
    """

    name: str
    title: str
    told: str
    spec: Mapping[str, Any]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def text(self) -> str:
        """The specification as JSON that may stand in a page: no tag can begin or end in it."""
        plain = json.dumps(self.spec, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def chart(self) -> alt.Chart:
        """Give it to Altair.

        Raises
        ------
        InvalidError
            Where Altair is not installed.
        """
        try:
            import altair as alt
        except ModuleNotFoundError:
            raise InvalidError(
                "plots are objects of Altair, which is not installed; pip install 'likeness[plot]'"
            ) from None
        chart: alt.Chart = alt.Chart.from_dict({**self.spec, "title": self.title})
        return chart


class Plots:
    """The pictures of a release, each an Altair chart: ``release.plot``.

    Examples
    --------
    >>> import polars as pl, likeness as lk
    >>> table = pl.DataFrame({"age": [30, 39], "disease": ["flu", "cold"]})
    >>> columns = {"age": lk.quasi(), "disease": lk.sensitive()}
    >>> release = lk.anonymize(table, lk.Policy(columns=columns, privacy=lk.KAnonymity(2)), seed=1)
    >>> release.plot.column("age").to_dict()["title"]
    'age'
    >>> release.plot
    Plots: column, association, class_sizes, generalized, losses, risk, query_error, methods
    """

    def __init__(self, release: Release) -> None:
        self._release = release

    def column(self, name: str) -> alt.Chart:
        """The values of a column, in the original and as estimated from the release.

        Raises `PolicyError` where there is no such column among the quasi-identifiers and the sensitive ones.
        """
        names = _columns_of(self._release)
        if name not in names:
            raise PolicyError(
                f"{name!r} is no quasi-identifier or sensitive column; there are {', '.join(names)}"
            )
        return _column(self._release, names.index(name), name).chart()

    def association(self) -> alt.Chart:
        """How much every two columns depend on each other, before and after."""
        return self._one(association)

    def class_sizes(self) -> alt.Chart:
        """How many share an equivalence class."""
        return self._one(sizes)

    def generalized(self) -> alt.Chart:
        """How much of each column the published regions cover."""
        return self._one(generalized)

    def losses(self) -> alt.Chart:
        """What each quasi-identifier loses."""
        return self._one(losses)

    def risk(self) -> alt.Chart:
        """How many people are alone, or nearly, with their quasi-identifiers, before and after."""
        return self._one(risk)

    def query_error(self) -> alt.Chart:
        """How wrong answers are, by how many columns a query asks of."""
        return self._one(query_error)

    def methods(self) -> alt.Chart:
        """What the methods that were tried lose."""
        return self._one(methods)

    def _one(self, make: Callable[[Release], Picture | None]) -> alt.Chart:
        found = make(self._release)
        if found is None:
            raise PolicyError(f"{make.__name__}: there is nothing to show of this release")
        return found.chart()

    def __repr__(self) -> str:
        """Name the pictures."""
        return f"Plots: {', '.join(name for name in vars(type(self)) if not name.startswith('_'))}"


def pictures(release: Release) -> tuple[list[Picture], list[tuple[str, str]]]:
    """Draw all that can be drawn of a release; and what cannot be, with the reason.

    Returns
    -------
    list of Picture
        In the order of the page.
    list of (str, str)
        What is not drawn, and why.
    """
    drawn: list[Picture] = []
    left: list[tuple[str, str]] = []
    for title, found in _all(release):
        try:
            one = found()
        except LikenessError as problem:
            left.append((title, str(problem)))
            continue
        if one is not None:
            drawn.append(one)
    return drawn, left


def _all(release: Release) -> Iterator[tuple[str, Callable[[], Picture | None]]]:
    """Every picture, with what it is about."""
    for i, name in enumerate(_columns_of(release)[:_MOST_COLUMNS]):
        yield name, lambda i=i, name=name: _column(release, i, name)  # type: ignore[misc]
    for make in (association, generalized, losses, sizes, risk, query_error, methods):
        yield make.__name__.replace("_", " "), lambda make=make: make(release)  # type: ignore[misc]


def _columns_of(release: Release) -> list[str]:
    """Quasi-identifiers, then sensitive columns."""
    data = release.private.encoded.data
    return [domain.name for domain in (*data.quasi, *data.sensitive)]


def _column(release: Release, number: int, name: str) -> Picture:
    """The values of a column, before and after."""
    shown = compare_column(name, release.evaluation, BINS, name)
    cells = shown.columns[name]
    before, after = shown.original(name), shown.published(name)
    labels = [_label(cells, i) for i in range(cells.size)]
    gone = float(np.abs(before - after).sum()) / 2
    told = (
        f"Shares of the values of {name}, in the original and as estimated from the release; "
        f"{gone:.1%} of the records would have to have another value for both to be the same."
    )
    if cells.grouped and cells.domain.kind in NUMERIC:
        spec, rows = _stretches(cells, before, after, labels)
    else:
        spec, rows = _bars(cells, before, after, labels)
    return Picture(f"column-{number + 1}", name, told, spec, (name, "original", "release"), rows)


def _label(cells: ColumnCells, cell: int) -> str:
    """Write the values of a cell."""
    first, last = cells.ends_of(cell)
    if first == cells.domain.missing_code:
        return "(missing)"
    labels = cells.domain.labels
    return shortened(labels[first]) if first == last else f"{labels[first]} to {labels[last]}"


def _is_scale(cells: ColumnCells) -> bool:
    """Whether the values have an order that is shown, numbers in a hierarchy included."""
    return cells.domain.shape == "interval" or all(place(label) is not None for label in cells.domain.labels)


def _bars(
    cells: ColumnCells, before: NDArray[np.float64], after: NDArray[np.float64], labels: list[str]
) -> tuple[dict[str, Any], tuple[tuple[str, ...], ...]]:
    """A bar a value, and a mark where the release puts it; of many categories the most frequent ones."""
    order = list(range(cells.size))
    rest: list[int] = []
    lying = not _is_scale(cells)
    if lying:
        order = sorted(order, key=lambda i: (-before[i], i))
        order, rest = order[:_MOST_CELLS], order[_MOST_CELLS:]
    values = [(labels[i], float(before[i]), float(after[i])) for i in order]
    if rest:
        values.append((f"{count(len(rest), 'other')}", float(before[rest].sum()), float(after[rest].sum())))
    axis = {
        "field": "value",
        "type": "ordinal",
        "sort": None,
        "title": None,
        "axis": {"labelOverlap": True, "labelLimit": 160, **({} if lying else {"labelAngle": -45})},
    }
    share = {"type": "quantitative", "title": "share of records", "axis": {"format": "~%", "tickCount": 5}}
    hint = [
        {"field": "value", "type": "nominal"},
        {"field": "original", "format": ".2%"},
        {"field": "release", "format": ".2%"},
    ]
    across, along = ("y", "x") if lying else ("x", "y")
    layer = [
        {
            "mark": {"type": "bar", "color": BEFORE, "opacity": 0.75},
            "encoding": {along: {"field": "original", **share}},
        },
        {
            "mark": {
                "type": "tick",
                "color": AFTER,
                "opacity": 1,
                "thickness": 3,
                "bandSize": 14 if lying else 9,
            },
            "encoding": {along: {"field": "release", **share}},
        },
    ]
    spec = _spec(
        [{"value": a, "original": _short(b), "release": _short(c)} for a, b, c in values],
        {
            "height": 18 * len(values) if lying else 170,
            "encoding": {across: axis, "tooltip": hint},
            "layer": layer,
        },
    )
    return spec, tuple((a, f"{b:.2%}", f"{c:.2%}") for a, b, c in values)


def _stretches(
    cells: ColumnCells, before: NDArray[np.float64], after: NDArray[np.float64], labels: list[str]
) -> tuple[dict[str, Any], tuple[tuple[str, ...], ...]]:
    """Stretches of numbers or days, as wide as they are and as high as they are dense."""
    domain = cells.domain
    days = domain.kind == "date"
    numbers = np.asarray(domain.numbers, np.float64)
    size = int(cells.of[domain.size - 1]) + 1
    first = numbers[np.searchsorted(cells.of[: domain.size], np.arange(size))]
    ends = np.append(first[1:], numbers[-1] + (1 if days or domain.kind == "integer" else 0))
    # About forty stretches of records that are as many: a hundred would be thinner than can be seen.
    step = max(1, size // 40)
    bounds = np.arange(0, size, step)
    b, a = (np.add.reduceat(own[:size], bounds) for own in (before, after))
    low = first[bounds]
    high = np.append(low[1:], ends[-1])
    wide = high - low
    # One value alone has no width: as wide as the narrowest other stretch.
    wide = np.where(wide > 0, wide, wide[wide > 0].min(initial=1.0))
    rows, values = [], []
    for i in range(bounds.size):
        last = (bounds[i + 1] if i + 1 < bounds.size else size) - 1
        name = f"{labels[bounds[i]].split(' to ', maxsplit=1)[0]} to {labels[last].split(' to ')[-1]}"
        rows.append((name, f"{b[i]:.2%}", f"{a[i]:.2%}"))
        ends_of = texts(np.array([low[i], high[i]]).astype("datetime64[D]")) if days else (low[i], high[i])
        values.append(
            {
                "value": name,
                "low": ends_of[0],
                "high": ends_of[1],
                "original": _short(b[i]),
                "release": _short(a[i]),
                "before": _short(b[i] / wide[i]),
                "after": _short(a[i] / wide[i]),
            }
        )
    if cells.size > size:
        rows.append((labels[-1], f"{before[-1]:.2%}", f"{after[-1]:.2%}"))
    kind = "temporal" if days else "quantitative"
    axis = {"title": None, "scale": {"zero": False, "nice": False}}
    dense = {"type": "quantitative", "title": "density", "axis": {"labels": False, "ticks": False}}
    hint = [
        {"field": "value", "type": "nominal"},
        {"field": "original", "format": ".2%"},
        {"field": "release", "format": ".2%"},
    ]
    spec = _spec(
        values,
        {
            "height": 170,
            "params": [
                {"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}
            ],
            "encoding": {
                "x": {"field": "low", "type": kind, **axis},
                "x2": {"field": "high"},
                "tooltip": hint,
            },
            "layer": [
                {
                    "mark": {"type": "bar", "color": BEFORE, "opacity": 0.75},
                    "encoding": {"y": {"field": "before", **dense}},
                },
                {
                    "mark": {"type": "rule", "color": AFTER, "strokeWidth": 3},
                    "encoding": {"y": {"field": "after", **dense}},
                },
            ],
        },
    )
    # A selection belongs to one layer.
    params = spec.pop("params")
    spec["layer"][0]["params"] = params
    return spec, tuple(rows)


def association(release: Release) -> Picture | None:
    """How much every two columns depend on each other, before and after: normalized mutual information."""
    metric = CorrelationLoss()
    shown = compare(metric.name, release.evaluation, metric.bins, sensitive=True)
    names = list(shown.columns)[:_MOST_COLUMNS]
    found = [
        (
            one,
            other,
            dependence(shown.original_counts(one, other)),
            dependence(shown.published_counts(one, other)),
        )
        for one, other in combinations(names, 2)
        if shown.columns[one].size * shown.columns[other].size <= 1_000_000
    ]
    if not found:
        return None
    values = [
        {"a": x, "b": y, "when": when, "share": _short(share)}
        for one, other, before, after in found
        for when, share in (("original", before), ("release", after))
        for x, y in ((one, other), (other, one))
    ]
    axis = {"type": "nominal", "sort": names, "title": None, "axis": {"labelLimit": 110, "labelAngle": -45}}
    step = max(9, min(22, 240 // len(names)))
    worst = max(found, key=lambda own: abs(own[2] - own[3]))
    told = (
        "How much every two columns depend on each other, from 0, not at all, to 1, one tells the other; most changed are "
        f"{worst[0]} and {worst[1]}, from {worst[2]:.3f} to {worst[3]:.3f}."
    )
    spec = _spec(
        values,
        {
            "facet": {"field": "when", "type": "nominal", "title": None, "sort": ["original", "release"]},
            "columns": 1,
            "spec": {
                "width": {"step": step},
                "height": {"step": step},
                "mark": {"type": "rect"},
                "encoding": {
                    "x": {"field": "a", **axis},
                    "y": {"field": "b", **axis, "axis": {"labelLimit": 110}},
                    "color": {
                        "field": "share",
                        "type": "quantitative",
                        "title": "dependence",
                        "scale": {"scheme": "viridis", "domainMin": 0},
                    },
                    "tooltip": [
                        {"field": "a", "type": "nominal", "title": "column"},
                        {"field": "b", "type": "nominal", "title": "and"},
                        {"field": "share", "format": ".3f", "title": "dependence"},
                    ],
                },
            },
        },
    )
    del spec["width"]
    rows = tuple((one, other, f"{before:.3f}", f"{after:.3f}") for one, other, before, after in found)
    return Picture(
        "association", "Pairs of columns", told, spec, ("column", "and", "original", "release"), rows
    )


def sizes(release: Release) -> Picture | None:
    """How many share an equivalence class."""
    found = class_sizes(release)
    if not found.size:
        return None
    word = "records" if release.private.encoded.data.individuals is None else "individuals"
    values = [
        {"size": name, "classes": classes, "members": members}
        for name, classes, members in size_ranges(found)
    ]
    rows = size_table(found)
    told = (
        f"{count(found.size, 'class')} by their number of {word}: the smallest has {found[0]:,}, the largest {found[-1]:,}, "
        f"one in the middle {figure(float(np.median(found)))}."
    )
    spec = _spec(
        values,
        {
            "height": 200,
            "mark": {"type": "bar", "color": AFTER},
            "encoding": {
                "x": {
                    "field": "size",
                    "type": "ordinal",
                    "sort": None,
                    "title": f"{word} of a class",
                    "axis": {"labelAngle": -45},
                },
                "y": {"field": "members", "type": "quantitative", "title": word, "axis": {"format": "~s"}},
                "tooltip": [
                    {"field": "size", "type": "nominal", "title": f"{word} of a class"},
                    {"field": "classes", "format": ","},
                    {"field": "members", "format": ",", "title": word},
                ],
            },
        },
    )
    return Picture(
        "class-sizes",
        "Class sizes",
        told,
        spec,
        (f"{word} of a class", "classes", word),
        tuple(tuple(row) for row in rows),
    )


def generalized(release: Release) -> Picture | None:
    """How much of each column the published regions cover, by records."""
    private = release.private
    plan, recoding = private.solution.plan, private.solution.recoding
    counts = np.bincount(plan.classes[plan.published], minlength=recoding.classes)
    names = ["exact", *(f"up to {own:.0%}" for own in _SHARES[1:]), "more than half", "everything"]
    values, rows = [], []
    for regions in recoding.shown:
        if not isinstance(regions, AttributeRegions):
            continue
        cover = region_losses(regions, LOSSES["ncp"])[regions.of]
        place = np.searchsorted(np.array(_SHARES), cover - 1e-12)
        place[regions.everything[regions.of] & (cover > 0)] = len(names) - 1
        place[cover >= 1 - 1e-12] = len(names) - 1
        found = np.bincount(place, counts, len(names)) / max(1, counts.sum())
        values += [
            {"column": regions.domain.name, "covers": name, "order": i, "share": _short(found[i])}
            for i, name in enumerate(names)
            if found[i] > 0
        ]
        rows.append((regions.domain.name, *(f"{own:.1%}" for own in found)))
    if not rows:
        return None
    told = (
        "What part of the records is published with the exact value of each column, with a region that covers a part of the "
        "column, or with everything."
    )
    spec = _spec(
        values,
        {
            "height": 24 * len(rows),
            "mark": "bar",
            "encoding": {
                "y": {
                    "field": "column",
                    "type": "nominal",
                    "sort": None,
                    "title": None,
                    "axis": {"labelLimit": 140},
                },
                "x": {
                    "field": "share",
                    "type": "quantitative",
                    "stack": "normalize",
                    "title": "share of records",
                    "axis": {"format": "~%", "tickCount": 5},
                },
                "order": {"field": "order"},
                "color": {
                    "field": "covers",
                    "type": "ordinal",
                    "sort": names,
                    "title": "region covers",
                    "scale": {"domain": names, "scheme": "viridis", "reverse": True},
                    "legend": {"orient": "bottom", "columns": 3},
                },
                "tooltip": [
                    {"field": "column", "type": "nominal"},
                    {"field": "covers", "type": "nominal", "title": "region covers"},
                    {"field": "share", "format": ".1%", "title": "of records"},
                ],
            },
        },
    )
    return Picture("generalized", "What became of each column", told, spec, ("column", *names), tuple(rows))


def losses(release: Release) -> Picture | None:
    """What each quasi-identifier loses: NCP, from 0 to 1."""
    private = release.private
    plan, recoding = private.solution.plan, private.solution.recoding
    counts = np.bincount(plan.classes[plan.published], minlength=recoding.classes)
    values = []
    for regions in recoding.shown:
        if isinstance(regions, AttributeRegions):
            lost = float(
                (region_losses(regions, LOSSES["ncp"])[regions.of] * counts).sum() / max(1, counts.sum())
            )
            values.append((regions.domain.name, lost))
    if not values:
        return None
    worst = max(values, key=lambda own: own[1])
    told = (
        "How much of the width of each column a published record's region has, from 0, its exact value, to 1, everything; most "
        f"is lost of {worst[0]}, {worst[1]:.1%}."
    )
    spec = _spec(
        [{"column": name, "loss": _short(lost)} for name, lost in values],
        {
            "height": 24 * len(values),
            "mark": {"type": "bar", "color": AFTER},
            "encoding": {
                "y": {
                    "field": "column",
                    "type": "nominal",
                    "sort": "-x",
                    "title": None,
                    "axis": {"labelLimit": 140},
                },
                "x": {
                    "field": "loss",
                    "type": "quantitative",
                    "title": "loss of a published record",
                    "axis": {"format": "~%", "tickCount": 5},
                },
                "tooltip": [{"field": "column", "type": "nominal"}, {"field": "loss", "format": ".2%"}],
            },
        },
    )
    rows = tuple((name, f"{lost:.2%}") for name, lost in values)
    return Picture("losses", "Loss of each column", told, spec, ("column", "loss"), rows)


def risk(release: Release) -> Picture | None:
    """With how many others people share their quasi-identifiers, before and after: what finding one of them by chance is."""
    private = release.private
    plan, units = private.solution.plan, private.encoded.data.units
    if plan.mechanism is not None or not units.quasi or release.publication.rows is not None:
        return None
    before = np.sort(np.repeat(units.tuples.sizes, units.tuples.sizes))
    after = np.sort(np.repeat(class_sizes(release), class_sizes(release)))
    if not after.size:
        return None
    many = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
    rows, values = [], []
    for n in many:
        shares = [float(np.searchsorted(own, n, side="right")) / own.size for own in (before, after)]
        rows.append((f"{n:,}", *(f"{own:.2%}" for own in shares)))
        values += [
            {"fewer": f"{n:,}", "when": when, "share": _short(own)}
            for when, own in zip(("original", "release"), shares, strict=True)
        ]
    alone = float(np.searchsorted(before, 1, side="right")) / before.size
    told = (
        f"How many people share what is known of them with at most so many, themselves included: {alone:.1%} of the original are "
        f"alone with it; in the release nobody shares a class with fewer than {after[0]:,}."
    )
    spec = _spec(
        values,
        {
            "height": 220,
            "mark": {"type": "line", "point": True, "interpolate": "step-after"},
            "encoding": {
                "x": {
                    "field": "fewer",
                    "type": "ordinal",
                    "sort": None,
                    "title": "at most so many people it could be",
                    "axis": {"labelAngle": 0},
                },
                "y": {
                    "field": "share",
                    "type": "quantitative",
                    "title": "share of people",
                    "axis": {"format": "~%"},
                },
                "color": _when(),
                "tooltip": [
                    {"field": "when", "type": "nominal", "title": " "},
                    {"field": "fewer", "type": "nominal", "title": "at most"},
                    {"field": "share", "format": ".2%", "title": "of people"},
                ],
            },
        },
    )
    return Picture(
        "risk", "Who could be found", told, spec, ("at most so many", "original", "release"), tuple(rows)
    )


def query_error(release: Release) -> Picture | None:
    """How wrong answers are, by how many quasi-identifiers a query asks of."""
    data = release.private.encoded.data
    values, rows = [], []
    for predicates in range(1, min(4, len(data.quasi)) + 1):
        metric = QueryError(queries=1_000, predicates=predicates, sensitive=bool(data.sensitive))
        errors = metric.errors(release.evaluation)
        if not errors.size:
            continue
        at = [float(own) for own in np.quantile(errors, _QUANTILES)]
        names = ("p10", "p25", "median", "p75", "p90")
        values.append(
            {"columns": predicates, **{key: _short(own) for key, own in zip(names, at, strict=True)}}
        )
        rows.append((f"{predicates}", *(f"{own:.1%}" for own in at)))
    if not values:
        return None
    told = (
        "Relative errors of random queries that count records in ranges of one column or several"
        f"{' and of the sensitive one' if data.sensitive else ''}: half of those about one are off by at most {rows[0][3]}."
    )
    share = {"type": "quantitative", "title": "relative error", "axis": {"format": "~%"}}
    hint = [{"field": "columns", "type": "ordinal"}] + [
        {"field": key, "format": ".1%"} for key in ("p10", "p25", "median", "p75", "p90")
    ]
    spec = _spec(
        values,
        {
            "height": 220,
            "encoding": {
                "x": {
                    "field": "columns",
                    "type": "ordinal",
                    "title": "quasi-identifiers asked of",
                    "axis": {"labelAngle": 0},
                },
                "tooltip": hint,
            },
            "layer": [
                {
                    "mark": {"type": "rule", "color": BEFORE},
                    "encoding": {"y": {"field": "p10", **share}, "y2": {"field": "p90"}},
                },
                {
                    "mark": {"type": "bar", "color": AFTER, "width": 24},
                    "encoding": {"y": {"field": "p25", **share}, "y2": {"field": "p75"}},
                },
                {
                    "mark": {"type": "tick", "color": THIRD, "thickness": 3, "width": 30},
                    "encoding": {"y": {"field": "median", **share}},
                },
            ],
        },
    )
    head = ("columns", "1 in 10 below", "1 in 4 below", "median", "1 in 4 above", "1 in 10 above")
    return Picture("query-error", "How wrong answers are", told, spec, head, tuple(rows))


def methods(release: Release) -> Picture | None:
    """What the methods that were tried lose."""
    found = [one for one in release.private.candidates if one.loss is not None]
    if len(found) < 2:  # nothing to compare
        return None
    values = [(one.method.label, float(one.loss or 0.0), one.outcome) for one in found]
    told = f"What each method that was tried loses; {min(values, key=lambda own: own[1])[0]} loses least."
    spec = _spec(
        [
            {"method": shortened(name), "loss": _short(lost), "outcome": outcome}
            for name, lost, outcome in values
        ],
        {
            "height": 24 * len(values),
            "mark": {"type": "bar"},
            "encoding": {
                "y": {
                    "field": "method",
                    "type": "nominal",
                    "sort": "x",
                    "title": None,
                    "axis": {"labelLimit": 150},
                },
                "x": {"field": "loss", "type": "quantitative", "title": "loss"},
                "color": {
                    "field": "outcome",
                    "type": "nominal",
                    "title": None,
                    "legend": {"orient": "bottom"},
                    "scale": {"domain": ["kept", "loses more"], "range": [AFTER, BEFORE]},
                },
                "tooltip": [
                    {"field": "method", "type": "nominal"},
                    {"field": "loss", "format": ".4~g"},
                    {"field": "outcome", "type": "nominal"},
                ],
            },
        },
    )
    rows = tuple((name, figure(lost), outcome) for name, lost, outcome in values)
    return Picture("methods", "Methods tried", told, spec, ("method", "loss", "outcome"), rows)


def _when() -> dict[str, Any]:
    """Colours of before and after, told below."""
    return {
        "field": "when",
        "type": "nominal",
        "title": None,
        "scale": {"domain": ["original", "release"], "range": [BEFORE, AFTER]},
        "legend": {"orient": "bottom"},
    }


def _spec(values: Sequence[Mapping[str, Any]], rest: Mapping[str, Any]) -> dict[str, Any]:
    """A specification with its data, as wide as its place."""
    return {
        "$schema": _SCHEMA,
        "data": {"values": list(values)},
        "width": "container",
        **rest,
    }


def _short(number: float) -> float:
    """Five digits are more than can be seen."""
    return float(f"{number:.5g}")
