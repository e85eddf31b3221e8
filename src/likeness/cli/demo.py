"""``likeness demo``: a worked example, end to end."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import Overwrite, Seed


def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("demo-release"),
    overwrite: Overwrite = False,
    rows: int = 10_000,
    seed: Seed = None,
) -> int:
    """Anonymize a generated hospital table: what is asked, proven and lost, and what an adversary can still do.

    The table holds invented people. It is generated, a policy for it is loaded, a release is found, proven, written and
    verified from its own bytes, and attacked, as you would do with a table of your own.

    Parameters
    ----------
    output
        The release folder.
    rows
        How many patients.

    Examples
    --------
    likeness demo
    likeness demo -o demo-release --overwrite --rows 100000
    """
    from likeness.cli._demonstrating import demonstrate
    from likeness.folder.placing import check_target

    check_target(output, overwrite=overwrite)
    lines, proven = demonstrate(output, rows, seed, overwrite=overwrite)
    console.lines(lines)
    return 0 if proven else 1


command = as_command(demo)
