"""``likeness check``: a dry run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from likeness.cli._app import command as as_command
from likeness.cli._console import cell, console, share
from likeness.cli._options import (
    AS_FOUND,
    AS_SAID,
    EngineName,
    Format,
    PolicyPath,
    Reading,
    RecordsReading,
    Seed,
    TablePath,
)
from likeness.wording import columns, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from likeness.checking import Checked
    from likeness.release import Release

ROWS = 10


def as_json(found: Checked) -> dict[str, Any]:
    """Write what a dry run found as JSON can hold it."""
    from likeness.cli._making import asked, named

    facts = {
        "table": found.source,
        "records": found.records,
        "dropped": found.dropped,
        "people_without_records": found.people_without_records,
        "unique": found.unique_share,
        "counted": found.counted,
        "asked": asked(found.policy, found.models),
        "smallest_classes": _smallest(found),
        "method": None if found.policy.method is None else named(found.policy.method),
        "may_be_tried": [method.name for method in found.methods],
        "form": named(found.form),
    }
    if found.release is None:
        return {**facts, "feasible": False, "problems": found.problems}
    return facts | _made(found.release, found.seconds)


def _made(release: Release, seconds: float) -> dict[str, Any]:
    """Say what the release is that was made and is not written."""
    from likeness.choosing import LOSS
    from likeness.cli._making import side_by_side, summarise

    summary = summarise(release)
    rows, pairs = side_by_side(release, ROWS)
    return {
        "feasible": True,
        "method": summary["method"],
        "candidates": summary["candidates"],
        "proven": summary["proven"],
        "lines": release.verdict.lines(),
        "counts": summary["counts"],
        "individuals": summary["individuals"],
        "classes": release.certificate.classes,
        "class_noun": release.certificate.make_form().class_noun,
        "smallest_class": summary["smallest_class"],
        "loss": summary["loss"],
        "lower_bound": {
            name: bound.to_json(loss, withheld)
            for name, (bound, loss, withheld) in release.bounds({LOSS.name: LOSS}).items()
        },
        "kept": summary["kept"],
        "seconds": seconds,
        "peak_memory": _peak_memory(),
        "warnings": [str(found) for found in release.warnings],
        "before_after": pairs,
        "rows": rows,
    }


def as_text(found: Mapping[str, Any]) -> list[str]:
    """Write what was found for people."""
    from likeness.bounds import said
    from likeness.cli._making import classes_line, headed_lines, lost, people_line, tried
    from likeness.report.measured import counted_line

    blocks = {
        f"{found['table']}: {count(found['records'], 'record')}": [
            f"{share(found['unique'])} of the {found['counted']} are the only ones with their quasi-identifiers",
            *(f"dropped {number:,}: {reason}" for reason, number in found["dropped"].items()),
            *_without_records(found["people_without_records"]),
        ],
        "asked": found["asked"],
        f"smallest class that may hold a value, in {found['counted']}": _needs(
            found["smallest_classes"], found["counted"]
        ),
        "method": [
            f"{found['method'] or 'the best of ' + ', '.join(found['may_be_tried'])}, in the form {found['form']}"
        ],
    }
    if found.get("feasible"):
        blocks |= {
            "can be met": [
                *found["lines"],
                *counted_line(found["counts"]),
                *people_line(found["individuals"]),
                classes_line(found["classes"], found, found["class_noun"]),
            ],
            "warnings": found["warnings"],
            "loss": [
                *lost(found["loss"]),
                *(f"{name}: {said(one)}" for name, one in found["lower_bound"].items()),
                *found["kept"],
            ],
            "methods tried": tried(found["candidates"]),
            "cost": [f"{found['seconds']:.1f} s{_memory(found['peak_memory'])}"],
            "before and after": columns(found["rows"], ""),
        }
    return headed_lines(blocks)


def _without_records(people: int) -> list[str]:
    """Say how many people of the first table have no record in the second."""
    return [f"{count(people, 'individual')} without a record in the second table"] if people else []


def _smallest(found: Checked) -> list[dict[str, Any]]:
    """Say which sensitive values need the largest classes, model by model."""
    return [
        {
            "model": one.model.name,
            "column": one.column,
            "values": dict(one.smallest_classes),
            **({} if one.mean is None else {"mean": one.mean, "because": one.because}),
        }
        for one in found.allowed
        if one.smallest_classes
    ]


def _needs(smallest: Iterable[Mapping[str, Any]], counted: str) -> list[str]:
    """Write the classes that rare values need."""
    return [
        f"{one['model']} on {one['column']!r}: "
        + ", ".join(f"{cell(value)} {size:,}" for value, size in one["values"].items())
        + (
            f"; on average classes have {one['mean']:,} {counted} or more: {one['because']}"
            if "mean" in one
            else ""
        )
        for one in smallest
    ]


def _peak_memory() -> int | None:
    """Most memory this process has held, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _memory(peak: int | None) -> str:
    """Write the most memory held."""
    return "" if peak is None else f", {peak / 1e6:,.0f} MB of memory"


def check(
    table: TablePath,
    policy: PolicyPath,
    /,
    *,
    seed: Seed = None,
    engine: EngineName = None,
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
    likeness check 'visits/*.parquet' policy.yaml --engine streaming
    """
    from likeness import checking
    from likeness.cli._counting import preview_by, tell_preview
    from likeness.engines.base import engine_for
    from likeness.policy import as_policy

    asked = as_policy(records.of(policy))
    own = engine_for(table, engine or asked.engine)
    if not own.whole:
        found_counts = preview_by(own.name, table, asked, seed, reading)
        if format == "json":
            console.json(found_counts.to_json())
        else:
            console.lines(tell_preview(found_counts))
        return
    with console.progress() as progress:
        found = checking.check(reading.read(table), records.of(policy), seed=seed, progress=progress)
        said = as_json(found)
    if format == "json":
        console.json(said)
    else:
        console.lines(as_text(said))
    console.say("nothing was written")
    if found.refusal is not None:
        raise found.refusal


command = as_command(check)
