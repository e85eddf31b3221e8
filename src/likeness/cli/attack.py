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
    at_most: Annotated[str | None, Parameter(name="--at-most")] = None,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> int:
    """Attack a release with every attack there is, beside what an adversary could do with the original.

    The release is verified first. The original says what the people look like whom the adversary knows, and whether a guess
    was right.

    Parameters
    ----------
    policy
        What the columns are, where private/ is not there to say it.
    attack
        Only this attack, as NAME or NAME:key=value,…; may be given several times.
    at_most
        A threshold: exit code 1 when an attack succeeds more often, from 0 to 1.

    Examples
    --------
    likeness attack out/ --original patients.csv
    likeness attack out/ --original patients.csv --attack linkage:targets=1000,seed=3
    likeness attack out/public --original patients.csv --policy policy.yaml --at-most 0.2
    """
    from likeness.cli._attacking import as_json, as_text, make
    from likeness.cli._measuring import threshold
    from likeness.cli._rejoined import rejoin
    from likeness.exact import rational

    limit = None if at_most is None else threshold(at_most, at_most)
    attacks = make(attack or [])
    joined = rejoin(folder, reading.read(original), policy)
    results = [one.run(joined.publication, joined.encoded.data) for one in attacks]
    exceeded = [] if limit is None else [one for one in results if rational(one.success) > limit]
    if format == "json":
        console.json([as_json(one) for one in results])
    else:
        console.lines(as_text(results))
    for one in exceeded:
        console.error(f"{one.attack} succeeds at {one.success}, above the threshold {at_most}")
    return 1 if exceeded else 0


command = as_command(attack)
