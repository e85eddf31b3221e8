"""``likeness weakest``: the weakest guarantee that is still as private, by another measure, as asked."""

from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._options import (
    AS_FOUND,
    AS_SAID,
    Format,
    Overwrite,
    PolicyPath,
    Reading,
    RecordsReading,
    Seed,
    TablePath,
)


def weakest(
    table: TablePath,
    policy: PolicyPath,
    /,
    *,
    parameter: str,
    measured: Annotated[list[str], Parameter(name="--measured")],
    between: str | None = None,
    tolerance: float = 0.01,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: Overwrite = False,
    seed: Seed = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    records: RecordsReading = AS_SAID,
) -> None:
    """Search for the weakest guarantee whose release is as private as asked by another model: the largest β with t at most 0.1.

    Makes and proves a release for every value it tries, halving the range each time, and measures the other model on it.
    What is measured may go up and down with the parameter; then a value between those tried may do as well. Every value
    tried is shown.

    Parameters
    ----------
    parameter
        What to vary: MODEL.PARAMETER, such as beta-likeness.beta, or PARAMETER alone. The policy's own value does not
        matter.
    measured
        What the release must measure, MODEL.PARAMETER=VALUE: at most that, or at least for k and l; may be given several
        times.
    between
        The range to search, LOW..HIGH; wide enough for most tables when left out.
    tolerance
        Stop when the range that is left is this share of the value.
    output
        Also write the release that was found.

    Examples
    --------
    likeness weakest patients.csv policy.yaml --parameter beta --measured t-closeness.t=0.1
    likeness weakest patients.csv policy.yaml --parameter beta --measured k-anonymity.k=20 --format json
    """
    from likeness.cli._searching import ends, goals, say, search
    from likeness.searching import weakest as run

    asked = goals(measured, "--measured")
    found = search(
        partial(
            run,
            reading.read(table),
            records.of(policy),
            parameter,
            measured=asked,
            between=ends(between),
            tolerance=tolerance,
            seed=seed,
        ),
        table,
        output,
        overwrite=overwrite,
    )
    say(found, "weakest", as_json=format == "json")


command = as_command(weakest)
