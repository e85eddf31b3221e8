"""``likeness risk``: the risk of a release, in the words of those who ask."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from likeness.cli._app import command as as_command
from likeness.cli._console import console
from likeness.cli._options import AS_FOUND, FolderPath, Format, Original, Reading
from likeness.errors import InvalidError

if TYPE_CHECKING:
    from likeness.release import Release
    from likeness.risk.summary import Risk


@dataclass(frozen=True)
class RiskOptions:
    """What is asked about the risk of a release, as the options say it."""

    population: str | None
    sampling_fraction: float | None
    control: str | None
    hold_out: float | None
    thresholds: tuple[str, ...]
    targets: int
    seed: int

    def of(self, release: Release) -> Risk:
        """Find it; with people held out, singling out, linkability and inference are those of a second release.

        Parameters
        ----------
        release
            The release.
        """
        from likeness.risk.reidentification import THRESHOLDS

        if self.control is not None and self.hold_out is not None:
            raise InvalidError(
                "--control and --hold-out: give people who are not in the release, or hold some out, not both"
            )
        found = release.risk(
            population=self.population,
            sampling_fraction=self.sampling_fraction,
            control=self.control,
            thresholds=self.thresholds or THRESHOLDS,
            targets=self.targets,
            seed=self.seed,
        )
        if self.hold_out is None:
            return found
        from likeness.holding_out import hold_out as held_out

        with console.progress() as progress:
            second = held_out(
                release.private.encoded.table,
                release.private.policy_for_others,
                self.hold_out,
                seed=self.seed,
                progress=progress,
            )
        apart = second.release.risk(
            control=second.control, targets=self.targets, seed=self.seed, attacks=False
        )
        return replace(found, three=apart.three)


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
        release or not are counted in it, with k-map and δ-presence. CSV is read as the original is (--encoding, --decimal, …).
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

    asked = RiskOptions(
        population, sampling_fraction, control, hold_out, tuple(threshold or ()), targets, seed
    )
    found = asked.of(open_release(folder, reading.again(original), policy=policy))
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
