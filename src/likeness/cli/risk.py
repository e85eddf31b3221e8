"""``likeness risk``: the risk of a release, in the words of those who ask."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, FolderPath, Format, Original, Reading
from likeness.errors import InvalidError

if TYPE_CHECKING:
    from likeness.risk.summary import Risk


def risk(
    folder: FolderPath,
    /,
    *,
    original: Original,
    policy: Path | None = None,
    population: str | None = None,
    sampling_fraction: float | None = None,
    control: str | None = None,
    hold_out: float | None = None,
    threshold: Annotated[list[str] | None, Parameter(name="--threshold")] = None,
    targets: int = 2_000,
    seed: int = 0,
    people: Annotated[bool, Parameter(show_default=False)] = False,
    format: Format = "text",  # noqa: A002  # the option's name
    reading: Reading = AS_FOUND,
) -> None:
    """Say what a release risks: prosecutor, journalist, marketer, singling out, linkability, inference, every attack.

    The release is verified first. Nothing of it is written anywhere; what is said is for you, not for publication.

    Parameters
    ----------
    policy
        What the columns are, where private/ is not there to say it.
    population
        A table of the population that the people are from, with the quasi-identifiers: chances of people who may be in the
        release or not are counted in it, with k-map and δ-presence.
    sampling_fraction
        Instead of it, how large a share of the population the original is, drawn at random: then they are estimated.
    control
        A table of people like those in the release who are not in it: what attacks achieve on them, too, is no risk of those
        who are.
    hold_out
        Instead of it, hold out this share of the people and anonymize the others by the same policy: singling out, linkability
        and inference are then those of that second release, and those held out are the control.
    threshold
        Of chances: the share of people above it is told; may be given several times. Without it 0.09 (one in eleven, of the
        European Medicines Agency and Health Canada) and 0.05.
    targets
        How many people singling out, linkability and inference are tried on.
    seed
        Which ones, and who is held out.
    people
        Say who carries most risk, by their rows of the original.

    Examples
    --------
    likeness risk out/ --original patients.csv
    likeness risk out/ --original patients.csv --sampling-fraction 0.1 --threshold 0.05
    likeness risk out/ --original patients.csv --population registry.csv --hold-out 0.2 --format json
    """
    from likeness.opening import open_release
    from likeness.risk.reidentification import THRESHOLDS

    if control is not None and hold_out is not None:
        raise InvalidError(
            "--control and --hold-out: give people who are not in the release, or hold some out, not both"
        )
    table = reading.read(original)
    release = open_release(folder, table, policy=policy)
    found = release.risk(
        population=population,
        sampling_fraction=sampling_fraction,
        control=control,
        thresholds=threshold or THRESHOLDS,
        targets=targets,
        seed=seed,
    )
    if hold_out is not None:
        from likeness.holding_out import hold_out as held_out

        with console.progress() as progress:
            second = held_out(table, release.private.policy, hold_out, seed=seed, progress=progress)
        apart = second.release.risk(control=second.control, targets=targets, seed=seed, attacks=False)
        found = replace(found, three=apart.three)
    if format == "json":
        console.json(_told(found, hold_out, people=people))
        return
    lines = found.lines()
    if people:
        lines += ["", *found.lines_of_highest()]
    console.lines(lines)
    if hold_out is not None:
        console.say(
            "note: singling out, linkability and inference are of a second release by the same policy, of all but those held out"
        )


def _told(found: Risk, hold_out: float | None, *, people: bool) -> dict[str, Any]:
    """Write it as JSON can hold it."""
    told = {**found.to_json(), "held_out": hold_out}
    if people:
        told["highest"] = [{"row": one.row, "chance": one.chance} for one in found.highest]
    return told


command = as_command(risk)
