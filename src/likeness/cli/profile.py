"""``likeness profile``: look at a table, propose a policy, say why."""

import shlex
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, AS_SAID, Format, Overwrite, Reading, RecordsReading, TablePath


def profile(
    table: TablePath,
    /,
    *,
    records: Path | None = None,
    on: str | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)] = None,
    overwrite: Overwrite = False,
    role: Annotated[list[str] | None, Parameter(name="--role")] = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    records_reading: RecordsReading = AS_SAID,
) -> None:
    """Look at a table and propose a policy: roles, kinds, a guarantee, each with its reason.

    stdout gets what was found, also with -o. The proposed policy is accepted by anonymize as it is, but read it first: only
    you know what others may know of these people. What is found tells about single people: keep it private.

    With --records two tables are looked at together, one of people and one of their records: which column joins them, how many
    records people have, who has none, and whose are nobody's. The policy then names both.

    Parameters
    ----------
    records
        A second table with the records of the people of the first; what is said about it below goes into the policy.
    on
        The column that names a person and joins the two tables; found when left out (--records-key: its name in the second).
    output
        Where the proposed policy goes, as commented YAML; - prints it instead of what was found.
    role
        A role that is decided, as COLUMN=ROLE; may be given several times.

    Examples
    --------
    likeness profile patients.csv
    likeness profile patients.csv -o policy.yaml
    likeness profile patients.csv --records visits.csv -o policy.yaml
    likeness profile patients.csv --role visit=other --role income=sensitive -o policy.yaml --overwrite
    """
    from likeness.cli._options import pair, refuse_overwriting_nothing
    from likeness.errors import InvalidError, OutputError
    from likeness.folder.layout import refuse_in_release
    from likeness.placing import check_file, write_text
    from likeness.profiling import profile as look_at

    printed = output == Path("-")
    refuse_overwriting_nothing(None if printed else output, overwrite=overwrite)
    if printed and format == "json":
        raise InvalidError(
            "-o -: prints a policy in YAML; what --format json prints holds it too; leave out one of them"
        )
    if output is not None and not printed:
        if output.resolve() in {Path(table).resolve(), *([] if records is None else [records.resolve()])}:
            raise OutputError(f"{output}: is the table itself; write the policy to another file")
        refuse_in_release(output, "a policy tells of the original")
        check_file(output, overwrite=overwrite)
    if records is None and (records_reading.options() or on is not None):
        options = " and ".join(filter(None, ["" if on is None else "--on", records_reading.options()]))
        raise InvalidError(f"{options}: about a second table; name it with --records, or leave it out")
    found = look_at(
        reading.read(table),
        records=records,
        on=on,
        key=records_reading.records_key,
        reading=records_reading.said(),
        roles=dict(pair(one, "--role") for one in role or []),
    )
    if printed:
        console.data(found.policy_yaml())
        return
    if format == "json":
        console.data(found.to_json())
    else:
        console.lines(str(found).splitlines())
    if output is not None:
        write_text(output, found.policy_yaml(output.parent), overwrite=overwrite)
        console.say(
            f"wrote {output}; read it, then: likeness check {reading.said(table)} {shlex.quote(str(output))}"
        )
    else:
        console.say("nothing was written; -o policy.yaml writes the proposed policy")


command = as_command(profile)
