"""``likeness demo``: a worked example, end to end: the steps of a steward, on a generated table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console, number, share
from likeness.cli._options import Overwrite, Seed
from likeness.placing import unfinished
from likeness.wording import columns, count

if TYPE_CHECKING:
    from likeness.attacks.base import AttackResult

DATASET, ROWS = "hospital", 3


def demonstrate(output: Path, rows: int, seed: int | None, *, overwrite: bool) -> tuple[list[str], bool]:
    """Generate, anonymize, write, verify, attack.

    Parameters
    ----------
    output
        The release folder.
    rows
        How many patients.
    seed
        Makes the release reproducible.
    overwrite
        Replace a release that lies there.

    Returns
    -------
    tuple
        What to say, line by line; and whether the release verified.
    """
    from likeness import registry
    from likeness.cli._making import asked, headed_lines, lost, make, side_by_side, summarise
    from likeness.cli.generate import belongings, put
    from likeness.folder import verify
    from likeness.policy import as_policy
    from likeness.report.measured import counted_line
    from likeness.tables import read

    dataset = registry.create("datasets", DATASET, {})
    from tempfile import TemporaryDirectory

    place = TemporaryDirectory(prefix="likeness-demo-")
    with unfinished(place.cleanup):
        source = Path(place.name) / f"{DATASET}.csv"
        texts, policy = belongings(dataset, source)
        put(dataset.generate(rows), source, texts, overwrite=False)
        table = read(source)
        # A first look is not to wait for the last percent of the loss.
        asked_for = as_policy(policy or source).replace(effort="quick")
        release, folder = make(table, asked_for, seed, output, overwrite=overwrite)
        anybody, steward = verify(folder / "public"), verify(folder, table)
    private = release.private
    summary = summarise(release)
    blocks = {
        f"{count(len(private.encoded.table.names), 'column')} about {count(rows, 'invented patient')} of a hospital": [
            f"made anew by: likeness generate {DATASET} --rows {rows} -o {DATASET}.csv"
        ],
        "what was asked": asked(private.policy, private.encoded.name_models(private.policy.privacy)),
        "what anybody can prove, from the bytes of public/ alone": anybody.lines(),
        "what the steward can prove besides, from private/ and the original": steward.lines_beyond(anybody),
        f"what was lost, by {summary['method']}": [*lost(summary["loss"]), *counted_line(summary["counts"])],
        "what an adversary could do who knows all quasi-identifiers of somebody": risk(
            release.attack("linkage")
        ),
        "a few records, before and after": columns(side_by_side(release, ROWS)[0], ""),
        "where it lies": [
            f"{folder}/public    the release and its certificate: may be handed out",
            f"{folder}/private   report, audit, who is in which class: the steward's alone",
            f"anybody can check it: likeness verify {output}",
        ],
    }
    return headed_lines(blocks), anybody.ok and steward.ok


def risk(result: AttackResult) -> list[str]:
    """Write what linkage achieves before and after.

    Parameters
    ----------
    result
        Of the linkage attack.
    """
    details = result.details
    rows = [
        ("people who are unique", "unique", share),
        ("probability of picking their record, on average", "prosecutor_mean", share),
        ("probability of picking their record, at worst", "prosecutor_max", share),
    ]
    table = [["", "before", "after"]]
    table += [[words, write(details[f"{name}_before"]), write(details[name])] for words, name, write in rows]
    candidates = [
        1 / details[name] if details[name] else 0.0 for name in ("prosecutor_max_before", "prosecutor_max")
    ]
    table.append(["fewest records that may be somebody's", *(number(round(count)) for count in candidates)])
    return columns(table, "")


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
    from likeness.folder.layout import check_target

    check_target(output, overwrite=overwrite)
    lines, proven = demonstrate(output, rows, seed, overwrite=overwrite)
    console.lines(lines)
    return 0 if proven else 1


command = as_command(demo)
