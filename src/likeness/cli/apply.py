"""``likeness apply``: publish new records in the regions of an earlier release."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import (
    AS_FOUND,
    FOLDER_ALONE,
    FolderPath,
    Format,
    Into,
    Overwrite,
    Reading,
    Seed,
    TablePath,
)
from likeness.errors import OutputError

_LINES_SHOWN = 5


def apply(
    folder: FolderPath,
    table: TablePath,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    policy: Path | None = None,
    at_most: float | None = None,
    overwrite: Overwrite = False,
    seed: Seed = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    into: Into = FOLDER_ALONE,
) -> None:
    """Publish new records in the regions of an earlier release, where the guarantee then holds for them alone.

    Every published region is one of the earlier release. Who fits none is withheld, and stdout says why and where they stand.
    What both releases tell together of people who are in both is not protected.

    Parameters
    ----------
    output
        The new release folder; must not exist, its parent must.
    policy
        What the columns mean and what must hold; what was asked then, as private/ says, when left out.
    at_most
        Largest share of the new records that may be withheld; what the policy says when left out.

    Examples
    --------
    likeness apply out/ next-month.csv -o next/
    likeness apply out/ next-month.csv -o next/ --at-most 0.05 --format json
    """
    from likeness.applying import apply as apply_regions
    from likeness.applying import withheld_rows
    from likeness.cli._making import summarise, tell
    from likeness.folder.layout import PUBLIC, check_target

    earlier = folder.resolve()
    if output.resolve() == (earlier.parent if earlier.name == PUBLIC else earlier):
        raise OutputError(f"{output}: is the release whose regions are applied; give another folder")
    check_target(output, overwrite=overwrite, source=table)
    original = reading.read(table)
    into.check(("release",), original, overwrite=overwrite)
    with console.progress() as progress:
        release = apply_regions(
            folder, original, policy=policy, at_most=at_most, seed=seed, progress=progress
        )
        progress.step("write", 0, 1)
        place = release.write(output, overwrite=overwrite)
    for line in release.warnings:
        console.note(f"warning: {line}")
    summary = summarise(release) | {"folder": str(place)} | into.put(release, place, overwrite=overwrite)
    unfit = withheld_rows(release)
    if format == "json":
        console.json(summary | {"does_not_fit": unfit})
    else:
        console.lines(tell(release, summary))
        for why, rows in unfit.items():
            where = ", ".join(original.where(row) for row in rows[:_LINES_SHOWN])
            more = f" and {len(rows) - _LINES_SHOWN:,} more" if len(rows) > _LINES_SHOWN else ""
            console.lines([f"does not fit: {where}{more}: {why}"])
    console.say(f"next: likeness verify {output}")


command = as_command(apply)
