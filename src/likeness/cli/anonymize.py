"""``likeness anonymize``: find a release, prove it, write it."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import (
    AS_FOUND,
    AS_SAID,
    FOLDER_ALONE,
    EngineName,
    Format,
    Into,
    Overwrite,
    PolicyPath,
    Reading,
    RecordsReading,
    Seed,
    TablePath,
)


def anonymize(
    table: TablePath,
    policy: PolicyPath,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    overwrite: Overwrite = False,
    seed: Seed = None,
    engine: EngineName = None,
    ledger: Path | None = None,
    on: str | None = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    records: RecordsReading = AS_SAID,
    into: Into = FOLDER_ALONE,
) -> None:
    """Find a release that gives the guarantee at the least loss, prove it from its own bytes, write it.

    The folder gets public/, which may be handed out, and private/, which is the steward's alone. It is put in place whole
    or not at all; stdout tells what was asked, what was proven, the loss, and what became of every record.

    Parameters
    ----------
    output
        The release folder; must not exist, its parent must.
    ledger
        A private file of what was published of whom, which the releases of the same people over time share (the model
        m-invariance): nobody learns more from all of them than from one. Begun where there is none; keep it, and a copy.
    on
        The column that tells people apart, for a new ledger.

    Examples
    --------
    likeness anonymize patients.csv policy.yaml -o out/
    likeness anonymize patients.csv policy.yaml -o out/ --overwrite --seed 7
    likeness anonymize patients.csv policy.yaml -o out/ --format json > summary.json
    likeness anonymize 'visits/*.parquet' policy.yaml -o out/ --engine streaming
    likeness anonymize 2025.csv policy.yaml -o 2025/ --ledger ledger.json --on patient_id
    likeness anonymize sqlite:///clinic.db --table patients policy.yaml -o out/ --to sqlite:///research.db --to-table patients
    """
    from likeness.choosing import choose_form
    from likeness.cli._counting import publish_by, tell_counted
    from likeness.cli._making import make, summarise, tell
    from likeness.engines.base import engine_for
    from likeness.errors import InvalidError
    from likeness.folder.layout import check_target
    from likeness.policy import as_policy

    check_target(output, overwrite=overwrite, source=table)
    asked = as_policy(records.of(policy))
    own = engine_for(table, engine or asked.engine)
    if not own.whole:
        into.refuse(own.name)
        if ledger is not None:
            raise InvalidError(
                f"--ledger is about single people, and --engine {own.name} counts them; leave one of the two out"
            )
        found, summary = publish_by(own.name, table, asked, seed, output, reading, overwrite=overwrite)
        if format == "json":
            console.json(summary)
        else:
            console.lines(tell_counted(found, summary))
        console.say(f"next: likeness verify {output}")
        return
    original = reading.read(table)
    into.check(choose_form(asked).tables, original, overwrite=overwrite)
    release, folder = make(original, asked, seed, output, overwrite=overwrite, ledger=ledger, on=on)
    summary = summarise(release) | {"folder": str(folder)} | into.put(release, folder, overwrite=overwrite)
    if format == "json":
        console.json(summary)
    else:
        console.lines(tell(release, summary))
    console.say(f"next: likeness verify {output}")


command = as_command(anonymize)
