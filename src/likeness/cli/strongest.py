"""``likeness strongest``: the strongest guarantee at a loss."""

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


def strongest(
    table: TablePath,
    policy: PolicyPath,
    /,
    *,
    parameter: str,
    loss: Annotated[list[str], Parameter(name="--loss")],
    between: str | None = None,
    tolerance: float = 0.01,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: Overwrite = False,
    seed: Seed = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    records: RecordsReading = AS_SAID,
) -> None:
    """Search for the strongest guarantee that the loss you can afford buys: the smallest β at 20 % loss, the largest k.

    Makes and proves a release for every value it tries, halving the range each time. Loss may go up and down with the
    parameter; then a value between those tried may be stronger still. Every value tried is shown.

    Parameters
    ----------
    parameter
        What to vary: MODEL.PARAMETER, such as beta-likeness.beta, or PARAMETER alone. The policy's own value does not
        matter.
    loss
        The most a metric may be, METRIC=VALUE; may be given several times. likeness list metrics shows them.
    between
        The range to search, LOW..HIGH; wide enough for most tables when left out.
    tolerance
        Stop when the range that is left is this share of the value.
    output
        Also write the release that was found.

    Examples
    --------
    likeness strongest patients.csv policy.yaml --parameter beta --loss ail=0.2
    likeness strongest patients.csv policy.yaml --parameter k-anonymity.k --loss ncp=0.1 -o out/
    likeness strongest patients.csv policy.yaml --parameter t --loss ail=0.2 --between 0.05..0.5 --format json
    """
    from likeness.cli._searching import ends, goals, say, search
    from likeness.searching import strongest as run

    asked = goals(loss, "--loss")
    found = search(
        partial(
            run,
            reading.read(table),
            records.of(policy),
            parameter,
            loss=asked,
            between=ends(between),
            tolerance=tolerance,
            seed=seed,
        ),
        table,
        output,
        overwrite=overwrite,
    )
    say(found, "strongest", as_json=format == "json")


command = as_command(strongest)
