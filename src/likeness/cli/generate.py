"""``likeness generate``: a realistic table about invented people."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Overwrite


def generate(
    name: str,
    /,
    *,
    rows: int | None = None,
    seed: int = 0,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: Overwrite = False,
) -> None:
    """Generate a table about invented people; the same rows and seed give the same table, on any machine.

    With -o its hierarchies and a policy that is ready for it are written beside it, the policy as FILE-policy.yaml.

    Parameters
    ----------
    name
        A dataset, as list datasets prints it, or NAME:key=value,… with its parameters.
    rows
        How many records; what the dataset says when left out.
    seed
        Which table; at least 0.
    output
        .csv or .parquet; stdout gets CSV when left out.

    Examples
    --------
    likeness generate hospital --rows 100000 -o hospital.csv
    likeness generate census -o census.parquet
    likeness generate hospital --rows 5
    """
    from likeness import registry
    from likeness.cli._generating import belongings, check_output, put
    from likeness.cli._options import part

    dataset = registry.create("datasets", *part(name))
    if output is not None:
        check_output(output)
    frame = dataset.generate(rows, seed)
    if output is None:
        console.data(frame.write_csv())
        return
    texts, policy = belongings(dataset, output)
    written = put(frame, output, texts, overwrite=overwrite)
    console.say(f"wrote {', '.join(map(str, written))}")
    if policy is None:
        console.say("no policy was written: the guarantee that suits this table comes with a later version")
    else:
        console.say(f"next: likeness check {output} {policy}")


command = as_command(generate)
