"""``likeness measure``: what a release lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console, number
from likeness.cli._options import AS_FOUND, FolderPath, Format, Original, Reading, pair
from likeness.errors import InvalidError
from likeness.wording import columns, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from likeness.release import Release


def limits(given: Iterable[str]) -> dict[str, Fraction]:
    """Read thresholds, ``NAME=VALUE``.

    Raises
    ------
    InvalidError
        When one is not of that shape, names no metric, or is no number that the metric can have.

    Examples
    --------
    >>> limits(["ncp=0.3"])
    {'ncp': Fraction(3, 10)}
    """
    from likeness.metrics.measuring import metric_named

    found = {}
    for one in given:
        name, value = pair(one, "--at-most")
        found[name] = metric_named(name).check_limit("--at-most", threshold(value, one))
    return found


def threshold(value: str, given: str) -> Fraction:
    """Read one threshold.

    Raises
    ------
    InvalidError
        When it is not a number.
    """
    from likeness.exact import rational

    try:
        return rational(value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise InvalidError(f"--at-most: {given!r}: {value!r} is not a number") from None


def measured(
    release: Release, asked: Mapping[str, Mapping[str, Any]], also: Iterable[str] = ()
) -> dict[str, Any]:
    """Measure a release: metrics with their parameters, all that apply when empty; those of thresholds must be among them."""
    from likeness.metrics.measuring import metric_named

    also = tuple(also)
    made = {name: metric_named(name, given) for name, given in asked.items() if given}
    wanted = dict.fromkeys([*asked, *also]) if asked else {}
    metrics = [made.get(name, name) for name in wanted]
    found = release.measure(*metrics)
    for name in also:
        if name in found["skipped"]:
            raise InvalidError(f"--at-most: {found['skipped'][name]}")
    # A metric with parameters goes by the name that the command line gives it.
    names = {repr(metric): name for name, metric in made.items()}
    return found | {
        "metrics": {names.get(name, name): one for name, one in found["metrics"].items()},
        "skipped": release.loss(*metrics).refusals,
    }


def over(found: Mapping[str, Any], allowed: Mapping[str, Fraction]) -> list[str]:
    """Name the metrics above their thresholds."""
    from likeness.exact import rational

    return [name for name, limit in allowed.items() if rational(found["metrics"][name]["value"]) > limit]


def as_text(found: Mapping[str, Any]) -> list[str]:
    """Write what was measured for people."""
    from likeness.bounds import said

    rows = [["metric", "value", "better", "range"]] + [
        [name, number(one["value"]), "lower" if one["lower_is_better"] else "higher", one["range"]]
        for name, one in found["metrics"].items()
    ]
    withheld = f" ({found['withheld']:,} withheld)" if found["withheld"] else ""
    lines = [
        f"{count(found['records'], 'record')}{withheld}, {count(found['classes'], 'equivalence class', 'equivalence classes')}",
        "",
        *columns(rows),
    ]
    if withheld:
        lines += ["", "how withheld records count", *_of_withheld(found["metrics"])]
    if found["kept"]:
        lines += ["", *found["kept"]]
    notes = [f"{name}: {one['note']}" for name, one in found["metrics"].items() if "note" in one]
    notes += [
        f"{name}: {said(one['lower_bound'])}"
        for name, one in found["metrics"].items()
        if "lower_bound" in one
    ]
    if notes:
        lines += ["", *notes]
    if found["skipped"]:
        from likeness.report.measured import skipped_rows

        lines += ["", "not measured", *(f"  {names}: {why}" for names, why in skipped_rows(found["skipped"]))]
    return lines


def _of_withheld(metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say how each metric counts withheld records; those that do alike together."""
    names: dict[str, list[str]] = {}
    for name, one in metrics.items():
        names.setdefault(one["withheld"], []).append(name)
    return [f"  {', '.join(own)}: {how}" for how, own in names.items()]


def measure(
    folder: FolderPath,
    /,
    *,
    original: Original,
    metric: Annotated[list[str] | None, Parameter(name="--metric")] = None,
    at_most: Annotated[list[str] | None, Parameter(name="--at-most")] = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> int:
    """Measure the information loss of a release against its original, by every metric that applies.

    The release is verified first; it needs private/, which says who is in which class.

    Parameters
    ----------
    metric
        Only this metric, as NAME or NAME:key=value,…; may be given several times.
    at_most
        A threshold, NAME=VALUE: exit code 1 when the metric is above it; may be given several times.

    Examples
    --------
    likeness measure out/ --original patients.csv
    likeness measure out/ --original patients.csv --metric ncp --metric c-avg:k=5 --format json
    likeness measure out/ --original patients.csv --at-most ncp=0.3
    """
    from likeness.cli._console import beyond
    from likeness.cli._options import part
    from likeness.folder.layout import find_layout
    from likeness.opening import open_release
    from likeness.release import HIDDEN

    allowed = limits(at_most or [])
    asked = dict(part(one) for one in metric or [])
    if find_layout(folder).private is None:
        raise InvalidError(f"{folder}: {HIDDEN}")
    found = measured(open_release(folder, reading.again(original)), asked, allowed)
    exceeded = over(found, allowed)
    if format == "json":
        skipped = {name: "; ".join(map(str, refusals)) for name, refusals in found["skipped"].items()}
        console.json({**found, "skipped": skipped, "exceeded": exceeded})
    else:
        console.lines(as_text(found))
    for name in exceeded:
        value, limit = beyond(found["metrics"][name]["value"], float(allowed[name]))
        console.error(f"{name} is {value}, above the threshold {limit}")
    return 1 if exceeded else 0


command = as_command(measure)
