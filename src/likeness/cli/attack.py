"""``likeness attack``: what an adversary gets out of a release."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from likeness.cli._command import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, FolderPath, Format, Original, Reading


def attack(
    folder: FolderPath,
    /,
    *,
    original: Original,
    policy: Path | None = None,
    attack: Annotated[list[str] | None, Parameter(name="--attack")] = None,
    at_most: Annotated[list[str] | None, Parameter(name="--at-most")] = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> int:
    """Attack a release with every attack that is defined for it: what it gives an adversary, beside doing without it.

    The release is verified first. The original says what the people look like whom the adversary knows, and whether a guess
    was right. An adversary who knows how the release was made needs its private/.

    Parameters
    ----------
    policy
        What the columns are, where private/ is not there to say it.
    attack
        Only this attack, as NAME or NAME:key=value,…; may be given several times. Without it, attacks that are not
        defined for the release are left out, and said to be.
    at_most
        A threshold for the success, from 0 to 1, of all attacks, or NAME=VALUE of one; may be given several times. Exit
        code 1 when one is exceeded.

    Examples
    --------
    likeness attack out/ --original patients.csv
    likeness attack out/ --original patients.csv --attack linkage:targets=1000,seed=3 --attack skewness
    likeness attack out/public --original patients.csv --policy policy.yaml --at-most linkage=0.2
    """
    from likeness.cli._attacking import as_json, as_text, limits, make, run_all
    from likeness.cli._rejoined import rejoin
    from likeness.cli._text import beyond
    from likeness.exact import rational

    attacks = make(attack or [])
    allowed = limits(at_most or [], attacks)
    joined = rejoin(folder, reading.read(original), policy)
    results, left_out = run_all(attacks, joined, named=bool(attack))
    exceeded = [
        one for one in results if one.attack in allowed and rational(one.success) > allowed[one.attack]
    ]
    if format == "json":
        console.json([as_json(one) for one in results])
    else:
        console.lines(as_text(results))
    if left_out:
        console.say(f"note: left out: {', '.join(left_out)}")
    for one in exceeded:
        success, limit = beyond(one.success, float(allowed[one.attack]))
        console.error(f"{one.attack} succeeds at {success}, above the threshold {limit}")
    return 1 if exceeded else 0


command = as_command(attack)
