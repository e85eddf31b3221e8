"""``likeness measure``: what a release lost."""

from typing import Annotated

from cyclopts import Parameter

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, FolderPath, Format, Original, Reading


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
    from likeness.cli._measuring import as_text, limits, measured, over
    from likeness.cli._options import part
    from likeness.cli._rejoined import rejoin
    from likeness.cli._text import beyond

    allowed = limits(at_most or [])
    asked = dict(part(one) for one in metric or [])
    found = measured(rejoin(folder, reading.read(original), measuring=True), asked, allowed)
    exceeded = over(found, allowed)
    if format == "json":
        console.json({**found, "exceeded": exceeded})
    else:
        console.lines(as_text(found))
    for name in exceeded:
        value, limit = beyond(found["metrics"][name]["value"], float(allowed[name]))
        console.error(f"{name} is {value}, above the threshold {limit}")
    return 1 if exceeded else 0


command = as_command(measure)
