"""Make a release and tell about it: what `anonymize` and `demo` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.anonymization import anonymize
from likeness.cli._console import console
from likeness.cli._summary import (
    asked,
    counted_line,
    judged,
    lost,
    named,
    people_line,
    tried,
)
from likeness.policy import as_policy
from likeness.report.kept import kept_findings
from likeness.report.measured import smallest_class
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likeness.policy import Policy
    from likeness.release import Release
    from likeness.tables import Table


def make(
    table: Table, policy: Policy | Path, seed: int | None, folder: Path, *, overwrite: bool
) -> tuple[Release, Path]:
    """Find, prove and write a release.

    Parameters
    ----------
    table
        The original.
    policy
        The policy, or its file.
    seed
        Overrides the policy's.
    folder
        Where the release goes.
    overwrite
        Replace a release that lies there.

    Returns
    -------
    tuple
        The release and where it lies.
    """
    with console.progress() as progress:
        release = anonymize(table, as_policy(policy), seed=seed, progress=progress)
        progress.step("write", 0, 1)
        place = release.write(folder, overwrite=overwrite)
    for before, after in release.private.encoded.renamed.items():
        console.note(f"note: column {before!r} is published as {after!r}: releases use that name themselves")
    for line in release.warnings:
        console.note(f"warning: {line}")
    if release.certificate.reproducible:
        console.note(
            "note: a seed was given, so whoever knows it, the table and the policy can make this release again: keep it secret"
        )
    return release, place


def summarise(release: Release) -> dict[str, Any]:
    """Write a release's summary as JSON can hold it."""
    private = release.private
    policy, encoded = private.policy, private.encoded
    values = release.loss()
    return {
        "asked": [
            {"model": model.name, **registry.parameters(model)}
            for model in encoded.name_models(policy.privacy)
        ],
        "method": named(private.method),
        "candidates": {one.method.name: one.to_json() for one in private.candidates},
        "form": named(release.certificate.make_form()),
        "proven": judged(release.verdict),
        "loss": values,
        "kept": [str(found) for found in kept_findings(release.evaluation) if not found.warned],
        "loss_details": values.details,
        "counts": release.counts,
        "individuals": release.individual_counts,
        "smallest_class": smallest_class(release),
        "reproducible": release.certificate.reproducible,
        "remarks": list(release.certificate.remarks),
    }


def tell(release: Release, summary: dict[str, Any]) -> list[str]:
    """Write the summary of a release that was written, line by line."""
    private = release.private
    policy = private.policy
    classes = classes_line(release.certificate.classes, summary)
    weakened = release.certificate.weakened_by_seed
    may = "is not to be handed out: it was made with a seed" if weakened else "may be handed out"
    blocks = {
        "asked": asked(policy, private.encoded.name_models(policy.privacy)),
        "proven from the published bytes": [*release.verdict.lines(), *release.certificate.remarks],
        f"lost, by {summary['method']} in the form {summary['form']}": [
            *lost(summary["loss"]),
            *summary["kept"],
        ],
        "methods tried": tried(summary["candidates"]),
        "counts": [*counted_line(summary["counts"]), *people_line(summary["individuals"]), classes],
        "release": [
            f"{summary['folder']}/public {may}",
            f"{summary['folder']}/private is the steward's alone",
        ],
    }
    return headed_lines(blocks)


def classes_line(classes: int, summary: Mapping[str, Any]) -> str:
    """Say how many classes there are, and how many the smallest one holds.

    Examples
    --------
    >>> classes_line(12, {"smallest_class": 5, "individuals": None})
    '12 equivalence classes, the smallest of 5 records'
    """
    unit = "record" if summary["individuals"] is None else "individual"
    return f"{count(classes, 'equivalence class')}, the smallest of {count(summary['smallest_class'], unit)}"


def headed_lines(blocks: dict[str, list[str]]) -> list[str]:
    """Write headings and the lines below each; empty blocks are left out.

    Examples
    --------
    >>> headed_lines({"asked": ["k-anonymity (k = 5)"], "lost": []})
    ['asked', '  k-anonymity (k = 5)']
    """
    lines: list[str] = []
    for heading, block in blocks.items():
        if block:
            lines += ["", heading, *(f"  {line}" for line in block)]
    return lines[1:]
