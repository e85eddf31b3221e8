"""What `check` says.

``likeness check``: a dry run.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.anonymization import anonymize
from likeness.choosing import choose_form, methods_to_try
from likeness.cli._command import command as as_command
from likeness.cli._console import cell, columns, console, share
from likeness.cli._making import classes_line, summarise, told
from likeness.cli._options import (
    AS_FOUND,
    AS_SAID,
    Format,
    PolicyPath,
    Reading,
    RecordsReading,
    Seed,
    TablePath,
)
from likeness.cli._summary import asked, counted_line, lost, named, people_line, side_by_side, tried
from likeness.encode import encode
from likeness.folder.writing import refuse_no_columns
from likeness.microdata.grouping import distinct
from likeness.models.requirements import require_of
from likeness.policy import as_policy
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from likeness.microdata.data import Microdata
    from likeness.models.requirements import Requirement
    from likeness.policy import Policy
    from likeness.progress import Progress
    from likeness.tables import Table

ROWS, RAREST = 10, 3


@dataclass(frozen=True, eq=False)
class Begun:
    """A table and a policy that fit each other.

    Parameters
    ----------
    table, policy
        They.
    facts
        What can be said before anything is searched, as JSON can hold it.
    """

    table: Table
    policy: Policy
    facts: dict[str, Any]


def looked_at(table: Table, policy: Policy | Path, seed: int | None) -> Begun:
    """Encode a table by a policy, and say what can be said before anything is searched.

    Parameters
    ----------
    table
        The table.
    policy
        The policy, or its file.
    seed
        Overrides the policy's.

    Raises
    ------
    InvalidError
        When they do not fit.
    """
    told_policy = as_policy(policy)
    if seed is not None:
        told_policy = told_policy.replace(seed=seed)
    form = choose_form(told_policy)
    encoded = encode(table, told_policy)
    told_policy = told_policy.naming(encoded.table.names)
    models = encoded.name_models(told_policy.privacy)
    data = encoded.data
    requirements = require_of(models, data)
    if told_policy.method is not None:
        told_policy.method.check(requirements)
    facts = {
        "table": encoded.table.source,
        "records": encoded.input_records,
        "dropped": encoded.dropped_records,
        "people_without_records": 0 if encoded.hygiene is None else encoded.hygiene.without_records,
        "unique": _unique(data),
        "counted": "records" if data.individuals is None else "individuals",
        "asked": asked(told_policy, models),
        "smallest_classes": _smallest(requirements, data),
        "method": None if told_policy.method is None else named(told_policy.method),
        "may_be_tried": [method.name for method in methods_to_try(told_policy)],
        "form": named(form),
    }
    return Begun(table, told_policy, facts)


def checked(begun: Begun, progress: Progress) -> dict[str, Any]:
    """Find and prove a release in memory, and say what it is.

    Parameters
    ----------
    begun
        The table and the policy.
    progress
        Listener.

    Raises
    ------
    CannotBeMetError
        When the table cannot meet the policy.
    PolicyError
        When nothing would be published.
    """
    clock = perf_counter()
    release = anonymize(begun.table, begun.policy, progress=progress)
    seconds = perf_counter() - clock
    refuse_no_columns(release)
    summary = summarise(release)
    rows, pairs = side_by_side(release, ROWS)
    return begun.facts | {
        "feasible": True,
        "method": summary["method"],
        "candidates": summary["candidates"],
        "proven": summary["proven"],
        "lines": release.verdict.lines(),
        "counts": summary["counts"],
        "individuals": summary["individuals"],
        "classes": release.certificate.classes,
        "smallest_class": summary["smallest_class"],
        "loss": summary["loss"],
        "kept": summary["kept"],
        "seconds": seconds,
        "peak_memory": _peak_memory(),
        "warnings": [str(found) for found in release.warnings],
        "before_after": pairs,
        "rows": rows,
    }


def _unique(data: Microdata) -> float:
    """Share of the records that are alone with their quasi-identifiers; of the people one of whose records nobody shares."""
    tuples = data.tuples
    if data.individuals is None:
        return int(np.count_nonzero(tuples.sizes == 1)) / max(1, data.size)
    somebody = np.zeros(tuples.sizes.size, np.int64)
    somebody[tuples.of] = data.individuals
    shared = np.zeros(tuples.sizes.size, np.bool_)
    shared[tuples.of[data.individuals != somebody[tuples.of]]] = True
    return distinct(data.individuals[~shared[tuples.of]]).size / max(
        1, int(data.individuals.max(initial=-1)) + 1
    )


def as_text(found: Mapping[str, Any]) -> list[str]:
    """Write what was found for people."""
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
                classes_line(found["classes"], found),
            ],
            "warnings": found["warnings"],
            "loss": [*lost(found["loss"]), *found["kept"]],
            "methods tried": tried(found["candidates"]),
            "cost": [f"{found['seconds']:.1f} s{_memory(found['peak_memory'])}"],
            "before and after": columns(found["rows"], ""),
        }
    return told(blocks)


def _without_records(people: int) -> list[str]:
    """Say how many people of the first table have no record in the second."""
    return [f"{count(people, 'individual')} without a record in the second table"] if people else []


def _smallest(requirements: Iterable[Requirement], data: Microdata) -> list[dict[str, Any]]:
    """Say which sensitive values need the largest classes, model by model."""
    found = []
    for requirement in requirements:
        view = requirement.view
        if view is None:
            continue
        values = dict(requirement.largest_needs(RAREST))
        if values:
            mean, why = requirement.smallest_mean(data)
            more = {"mean": mean, "because": why} if mean > max(values.values()) else {}
            found.append(
                {"model": requirement.model.name, "column": view.domain.name, "values": values, **more}
            )
    return found


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
    """
    from likeness.errors import CannotBeMetError

    begun = looked_at(reading.read(table), records.of(policy), seed)
    try:
        with console.progress() as progress:
            found = checked(begun, progress)
    except CannotBeMetError as problem:
        if format == "json":
            console.json({**begun.facts, "feasible": False, "problems": problem.problems})
        else:
            console.lines(as_text(begun.facts))
        console.say("nothing was written")
        raise
    if format == "json":
        console.json(found)
    else:
        console.lines(as_text(found))
    console.say("nothing was written")


command = as_command(check)
