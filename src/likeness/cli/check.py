"""``likeness check``: a dry run."""

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import (
    AS_FOUND,
    AS_SAID,
    Format,
    PolicyPath,
    Reading,
    RecordsReading,
    Seed,
    TablePath,
)


def check(
    table: TablePath,
    policy: PolicyPath,
    /,
    *,
    seed: Seed = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
    records: RecordsReading = AS_SAID,
) -> None:
    """Try a policy on a table, all of it in memory: can it be met, at about what cost? Writes nothing.

    Says how many records are unique, what classes rare sensitive values need, the method that would be used, what the
    release would prove and lose, the time and memory it takes, and ten records before and after. Those are real records:
    keep what it prints private.

    Examples
    --------
    likeness check patients.csv policy.yaml
    likeness check patients.csv policy.yaml --format json
    """
    from likeness.cli._checking import as_text, checked, looked_at
    from likeness.errors import CannotBeMetError

    begun = looked_at(reading.read(table), records.of(policy), seed)
    try:
        with console.progress() as progress:
            found = checked(begun, progress)
    except CannotBeMetError as problem:
        if format == "json":
            console.json({**begun.facts, "feasible": False, "problems": problem.problems})
        else:
            console.lines(as_text(begun.facts))
        console.say("nothing was written")
        raise
    if format == "json":
        console.json(found)
    else:
        console.lines(as_text(found))
    console.say("nothing was written")


command = as_command(check)
