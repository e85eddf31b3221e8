"""Releases that are made of counts: what commands say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness.cli._console import console
from likeness.cli._making import asked, classes_line, headed_lines, judged, lost, named, people_line, tried
from likeness.publishing import in_blocks, preview, publish
from likeness.report.measured import counted_line
from likeness.wording import count

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.cli._options import Reading
    from likeness.policy import Policy
    from likeness.publishing import PartedRelease, Preview


def publish_by(
    engine: str,
    place: str,
    policy: Policy,
    seed: int | None,
    folder: Path,
    reading: Reading,
    *,
    overwrite: bool,
) -> tuple[PartedRelease, dict[str, Any]]:
    """Find, prove and write a release of a table that an engine counts; and its summary as JSON can hold it.

    Parameters
    ----------
    engine
        Its name.
    place
        The files of the table.
    policy
        What the columns mean and what must hold.
    seed
        Overrides the policy's.
    folder
        Where the release goes.
    reading
        How the files are to be read.
    overwrite
        Replace a release that lies there.

    Returns
    -------
    tuple
        The release and its summary.
    """
    with console.progress() as progress:
        made = publish(
            place,
            policy,
            folder,
            engine=engine,
            seed=seed,
            overwrite=overwrite,
            progress=progress,
            **reading.of_parts(),
        )
    for line in made.warnings:
        console.note(f"warning: {line}")
    if made.certificate.reproducible:
        console.note(
            "note: a seed was given, so whoever knows it, the table and the policy can make this release again: keep it secret"
        )
    return made, {
        "engine": made.engine,
        "asked": asked(made.policy, made.policy.privacy),
        "method": named(made.method),
        "candidates": {one.method.label: one.to_json() for one in made.candidates},
        "proven": judged(made.verdict),
        "loss": dict(made.loss),
        "loss_by_attribute": made.by_attribute,
        "counts": made.counts,
        "individuals": made.individuals,
        "different_records": made.cells,
        "blocks": made.blocks,
        "smallest_class": made.smallest_class,
        "reproducible": made.certificate.reproducible,
        "warnings": [str(found) for found in made.warnings],
        "notes": [str(found) for found in made.findings if not found.warned],
        "remarks": list(made.certificate.remarks),
        "folder": str(made.folder),
    }


def tell_counted(made: PartedRelease, summary: dict[str, Any]) -> list[str]:
    """Write the summary of a release that was made of counts, line by line."""
    blocks = {
        "asked": summary["asked"],
        "proven from the published bytes": [*made.verdict.lines(), *made.certificate.remarks],
        f"lost, by {summary['method']}": lost(made.loss),
        "methods tried": tried(summary["candidates"]),
        "counts": [
            *counted_line(made.counts),
            *people_line(made.individuals),
            f"{count(made.cells, 'different record')}, counted by the engine {made.engine}",
            *in_blocks(made.blocks),
            classes_line(made.certificate.classes, summary, made.certificate.make_form().class_noun),
        ],
        "notes": summary["notes"],
        "release": [
            f"{made.folder}/public may be handed out",
            f"{made.folder}/private is the steward's alone",
        ],
    }
    return headed_lines(blocks)


def preview_by(engine: str, place: str, policy: Policy, seed: int | None, reading: Reading) -> Preview:
    """Try a policy on a table that an engine counts."""
    with console.progress() as progress:
        return preview(place, policy, engine=engine, seed=seed, progress=progress, **reading.of_parts())


def tell_preview(found: Preview) -> list[str]:
    """Write what a dry run found, line by line."""
    blocks = {
        f"{found.source}: {count(found.records, 'record')}": [
            f"{count(found.cells, 'different record')}, counted by the engine {found.engine} in {found.counting:.1f} s",
            *in_blocks(found.blocks),
        ],
        "can be met": [
            *found.lines,
            *people_line(found.individuals),
            classes_line(
                found.classes,
                {"smallest_class": found.smallest_class, "individuals": found.individuals},
                found.class_noun,
            ),
        ],
        "warnings": list(map(str, found.warnings)),
        f"lost, by {named(found.method)}": lost(found.loss),
        "cost": [
            f"{found.seconds:.1f} s so far; about {found.writing:.0f} s more to write and prove it",
            f"about {found.memory / 1e6:,.0f} MB of memory in all",
        ],
    }
    return headed_lines(blocks)
