"""What the private report measures: class sizes, information loss, and what an adversary achieves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.choosing import LOSS
from likeness.errors import PolicyError, Refusal
from likeness.metrics.measuring import metric_named
from likeness.microdata.statistics import count_classes
from likeness.wording import count, figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from likeness.metrics.base import Evaluation
    from likeness.metrics.measuring import Measurements
    from likeness.release import Release


def class_sizes(release: Release) -> NDArray[np.int64]:
    """(E,) Records of each equivalence class, or individuals where people may have several, ascending."""
    classes, data = release.private.solution.plan.classes, release.private.encoded.data
    most = int(classes.max(initial=-1)) + 1
    return np.sort(count_classes(classes, most, individuals=data.individuals, copies=data.copies).sizes)


def smallest_class(release: Release) -> int:
    """Count the records of the smallest class, or its individuals where people may have several; of the smallest bucket."""
    shown = release.publication
    if shown.rows is not None:
        buckets = int(shown.classes.max(initial=-1)) + 1
        return int(count_classes(shown.classes, buckets, individuals=shown.rows).sizes.min())
    if release.private.encoded.data.individuals is not None:
        return int(class_sizes(release)[0])
    return int(count_classes(shown.classes, int(shown.classes.max()) + 1, copies=shown.copies).sizes.min())


def size_summary(sizes: NDArray[np.int64]) -> list[list[str]]:
    """Write the smallest, median, mean and largest class."""
    if not sizes.size:
        return []
    figures = {
        "smallest": figure(int(sizes[0])),
        "median": figure(float(np.median(sizes))),
        "mean": figure(float(sizes.mean())),
        "largest": figure(int(sizes[-1])),
    }
    return [[name, figure] for name, figure in figures.items()]


def size_table(sizes: NDArray[np.int64]) -> list[list[str]]:
    """Count classes and records by class size, in ranges that double; ``sizes`` ascend.

    >>> size_table(np.array([2, 3, 3, 9]))
    [['2', '1', '2'], ['3 to 4', '2', '6'], ['9 to 16', '1', '9']]
    """
    return [[name, f"{classes:,}", f"{members:,}"] for name, classes, members in size_ranges(sizes)]


def size_ranges(sizes: NDArray[np.int64]) -> list[tuple[str, int, int]]:
    """Count classes and records by class size, in ranges that double, each by its name; ``sizes`` ascend.

    >>> size_ranges(np.array([2, 3, 3, 9]))
    [('2', 1, 2), ('3 to 4', 2, 6), ('9 to 16', 1, 9)]
    """
    found = []
    low, high = 1, 1
    while sizes.size and low <= sizes[-1]:
        inside = sizes[(sizes >= low) & (sizes <= high)]
        if inside.size:
            name = f"{low:,}" if low == high else f"{low:,} to {high:,}"
            found.append((name, int(inside.size), int(inside.sum())))
        low, high = high + 1, 2 * high
    return found


def loss_rows(found: Measurements) -> list[list[str]]:
    """Write every metric with its value, range and how it treats withheld records."""
    return [
        [name, figure(value), found.metrics[name].range, found.metrics[name].withheld]
        for name, value in found.items()
    ]


def note_lines(found: Measurements) -> list[str]:
    """Say what changes how values are to be read, metric by metric."""
    return [f"{name}: {note}" for name, note in found.notes.items()]


def bound_lines(release: Release, found: Measurements) -> list[str]:
    """Say how far the release can be from the least loss, by the metric that methods are chosen by."""
    metric = found.metrics.get(LOSS.name)
    if metric is None:
        return []
    return [
        f"{name}: {bound.line(loss, withheld)}"
        for name, (bound, loss, withheld) in release.bounds({LOSS.name: metric}).items()
    ]


def skipped_rows(refused: Mapping[str, Iterable[Refusal]]) -> list[list[str]]:
    """Write which metrics were not measured, and why: each reason once, however many metrics and columns it is about.

    Parameters
    ----------
    refused
        Metric to what it refuses, in its own name.

    Examples
    --------
    >>> refused = {
    ...     metric: [Refusal("has no levels", (metric,), column=column) for column in ("age", "zip")]
    ...     for metric in ("height", "precision")
    ... }
    >>> skipped_rows(refused)
    [['height, precision', "'age' has no levels (so it is with 'zip')"]]
    """
    metrics: dict[str, list[str]] = {}
    for name, refusals in refused.items():
        columns: dict[Refusal, list[str]] = {}
        for refusal in refusals:
            listed = columns.setdefault(replace(refusal, where=(), column=None), [])
            if refusal.column is not None:
                listed.append(refusal.column)
        reasons = [refusal.what_of_columns(listed) for refusal, listed in columns.items()]
        metrics.setdefault("; ".join(reasons), []).append(name)
    return [[", ".join(names), why] for why, names in metrics.items()]


def loss_by_column(evaluation: Evaluation) -> tuple[list[str], list[list[str]]]:
    """Measure every quasi-identifier by every metric that has such parts: the metrics' names, and one row a quasi-identifier.

    Metrics that do not apply are left out; a cell is empty where a metric has no part for that column.
    """
    found: dict[str, dict[str, float]] = {}
    for name in registry.names("metrics"):
        try:
            metric = metric_named(name)
            parts = {} if metric.inapplicable(evaluation) is not None else metric.by_attribute(evaluation)
        except PolicyError:
            continue
        if parts:
            found[name] = parts
    columns = [domain.name for domain in evaluation.data.quasi]
    rows = [
        [column, *(figure(found[name][column]) if column in found[name] else "" for name in found)]
        for column in columns
    ]
    return list(found), rows


def risk_rows(release: Release) -> list[list[str]]:
    """Say what linkage achieves before and after, if there is such an attack."""
    if "linkage" not in registry.names("attacks"):
        return []
    result = release.attack("linkage")
    rows = [[result.meaning, figure(result.baseline), figure(result.success)]]
    for name, value in result.details.items():
        before = result.details.get(f"{name}_before")
        if not name.endswith("_before"):
            rows.append([name, "" if before is None else figure(before), figure(value)])
    return rows


def counted_line(counts: Mapping[str, Any]) -> list[str]:
    """Write what became of all records; of those withheld and dropped with their reasons."""
    withheld, dropped = (sum(counts[status].values()) for status in ("withheld", "dropped"))
    added = f" - {counts['added']:,} added" if counts["added"] else ""
    said = f"{counts['published']:,} published{added} + {withheld:,} withheld + {dropped:,} dropped"
    lines = [f"{count(counts['input'], 'record')} = {said}"]
    invented = counts.get("invented", 0)
    if counts["added"] > invented:
        lines.append(f"added {counts['added'] - invented:,}: rows of people without records")
    if invented:
        lines.append(f"added {invented:,}: invented, so that the guarantee holds; nobody has these records")
    for status in ("withheld", "dropped"):
        lines += [f"{status} {number:,}: {reason}" for reason, number in counts[status].items()]
    return lines
