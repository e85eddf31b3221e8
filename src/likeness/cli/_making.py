"""Make a release and tell about it: what was asked, what was proven, what it costs, what became of the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.anonymization import anonymize
from likeness.checking import before_and_after
from likeness.choosing import UNFIT
from likeness.cli._console import cell, console, number, parameters
from likeness.policy import as_policy
from likeness.report.finding import kept_findings
from likeness.report.measured import counted_line, smallest_class
from likeness.report.warned import file_findings
from likeness.wording import columns, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from likeness.models.base import PrivacyModel
    from likeness.policy import Policy
    from likeness.proving.proof import Verdict
    from likeness.release import Release
    from likeness.tables import Table


def make(
    table: Table,
    policy: Policy | Path,
    seed: int | None,
    folder: Path,
    *,
    overwrite: bool,
    ledger: Path | None = None,
    on: str | None = None,
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
    ledger, on
        What was published of the same people before, and the column that tells them apart.

    Returns
    -------
    tuple
        The release and where it lies.
    """
    with console.progress() as progress:
        asked = as_policy(policy)
        release = anonymize(table, asked, seed=seed, ledger=ledger, on=on, progress=progress)
        progress.step("write", 0, 1)
        place = release.write(folder, overwrite=overwrite)
    for before, after in release.private.encoded.renamed.items():
        console.note(f"note: column {before!r} is published as {after!r}: releases use that name themselves")
    for line in release.warnings:
        console.note(f"warning: {line}")
    for found in file_findings(release):
        console.note(f"note: {found}")
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
        "candidates": {one.method.label: one.to_json() for one in private.candidates},
        "form": named(release.certificate.make_form()),
        "proven": judged(release.verdict),
        "loss": values,
        "kept": [str(found) for found in kept_findings(release.evaluation) if not found.warned],
        "files": [str(found) for found in file_findings(release)],
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
    classes = classes_line(release.certificate.classes, summary, release.certificate.make_form().class_noun)
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
            *put_lines(summary),
        ],
    }
    return headed_lines(blocks)


def put_lines(summary: Mapping[str, Any]) -> list[str]:
    """Say which tables of a database hold the release, where it was put into one.

    Examples
    --------
    >>> put_lines({"database": {"url": "sqlite:///research.db", "tables": ["patients"]}})
    ['patients in sqlite:///research.db: the same rows, read back and compared before they were committed']
    >>> put_lines({})
    []
    """
    if "database" not in summary:
        return []
    tables, url = " and ".join(map(cell, summary["database"]["tables"])), summary["database"]["url"]
    return [f"{tables} in {url}: the same rows, read back and compared before they were committed"]


def classes_line(classes: int, summary: Mapping[str, Any], noun: str) -> str:
    """Say how many classes there are, or buckets, and how many the smallest one holds.

    Examples
    --------
    >>> classes_line(12, {"smallest_class": 5, "individuals": None}, "equivalence class")
    '12 equivalence classes, the smallest of 5 records'
    """
    unit = "record" if summary["individuals"] is None else "individual"
    return f"{count(classes, noun)}, the smallest of {count(summary['smallest_class'], unit)}"


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


HEADLINES = ("ncp", "glm", "utility", "average-class-size", "discernibility")
"""Metrics of a summary; `measure` gives all."""
HEADLINES_OF_MEANS = ("sse", "average-class-size", "discernibility")
"""Those of releases that show means and modes, where the first do not apply."""
_DIFFERING = {
    "differing_hull": "published as the hull of all their records",
    "differing_first": "published as in their first record",
    "differing_mode": "published as in most of their records",
}
"""What becomes of people whose records differ, by the key of their number."""


_MOST_LISTED = 20
"""Values of a parameter that are said; of longer ones nothing is."""


def named(part: Any) -> str:
    """Name a method, form or model with the parameters it was given.

    Examples
    --------
    >>> from likeness.models.beta_likeness import BetaLikeness
    >>> named(BetaLikeness(beta=4, sensitive="disease"))
    "beta-likeness (beta = 4) on 'disease'"
    """
    told = {name: value for name, value in registry.parameters(part).items() if value is not None}
    # The regions of an earlier release are thousands.
    given = {
        name: value
        for name, value in told.items()
        if not isinstance(value, list) or len(value) <= _MOST_LISTED
    }
    column = given.pop("sensitive", None)
    phrase = f"{part.name} ({parameters(given)})" if given else str(part.name)
    return phrase if column is None else f"{phrase} on {column!r}"


def asked(policy: Policy, models: Iterable[PrivacyModel]) -> list[str]:
    """Say what was asked: the guarantee, and what the columns are."""
    lines = [named(model) for model in models]
    columns_of = {
        "quasi-identifiers": policy.with_role("quasi"),
        "sensitive": policy.with_role("sensitive"),
        "published as they are": policy.with_role("other"),
        "published as random numbers": _identifiers(policy, pseudonym=True),
        "not published": (*_identifiers(policy, pseudonym=False), *policy.with_role("drop")),
    }
    lines += [f"{words}: {', '.join(map(cell, names))}" for words, names in columns_of.items() if names]
    word = "records" if policy.individual is None else "individuals"
    lines.append(f"withheld: at most {number(100 * float(policy.withhold.at_most))} % of the {word}")
    return lines


def _identifiers(policy: Policy, *, pseudonym: bool) -> tuple[str, ...]:
    """Identifiers that are published as random numbers, or those that are not published."""
    return tuple(
        name
        for name in policy.with_role("identifier")
        if (policy.columns[name].action == "pseudonym") == pseudonym
    )


def people_line(counts: dict[str, int] | None) -> list[str]:
    """Write the account of individuals.

    Examples
    --------
    >>> people_line({"input": 1203, "published": 1190, "withheld": 10, "dropped": 3})
    ['1,203 individuals = 1,190 published + 10 withheld + 3 dropped']
    >>> people_line({"input": 9, "published": 8, "withheld": 0, "dropped": 1, "without_records": 1})[1]
    'of them without a record in the second table: 1'
    >>> people_line({"input": 9, "published": 9, "withheld": 0, "dropped": 0, "differing_hull": 4})[1]
    'of them with records that differ in a quasi-identifier: 4, published as the hull of all their records'
    """
    if counts is None:
        return []
    parts = " + ".join(f"{counts[status]:,} {status}" for status in ("published", "withheld", "dropped"))
    lines = [f"{count(counts['input'], 'individual')} = {parts}"]
    if "without_records" in counts:
        lines.append(f"of them without a record in the second table: {counts['without_records']:,}")
    return lines + [
        f"of them with records that differ in a quasi-identifier: {counts[key]:,}, {how}"
        for key, how in _DIFFERING.items()
        if key in counts
    ]


def lost(values: dict[str, float]) -> list[str]:
    """Write the headline metrics, with what their ends mean."""
    from likeness.metrics.measuring import metric_named

    rows = [
        [name, number(values[name]), metric_named(name).range]
        for name in (HEADLINES if HEADLINES[0] in values else HEADLINES_OF_MEANS)
        if name in values and name in registry.names("metrics")
    ]
    return columns(rows, "") if rows else []


def tried(candidates: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Write which methods could have made a release where none was named, and what each lost; those that do not fit are left out.

    Examples
    --------
    >>> tried({"mondrian": {"outcome": "kept", "loss": 0.25}, "sbca": {"outcome": "too much work", "loss": None}})
    ['mondrian  kept           loses 0.25', 'sbca      too much work']
    >>> tried({})
    []
    """
    rows = [
        [
            name,
            one["outcome"],
            f"loses {number(one['loss'])}" if one["loss"] is not None else "",
            f"ended when {one['search']['ended']}" if "search" in one else "",
        ]
        for name, one in candidates.items()
        if one["outcome"] != UNFIT
    ]
    return columns(rows, "") if rows else []


def judged(verdict: Verdict) -> dict[str, Any]:
    """Write a verdict as JSON can hold it."""
    return {
        "ok": None if verdict.status == "nothing checkable" else verdict.ok,
        "status": verdict.status,
        "records": verdict.records,
        "classes": verdict.classes,
        "proofs": [
            {
                **proof.to_json(),
                "holds": proof.holds,
                "violated_classes": proof.violated,
                "failures": list(proof.failures),
                **({} if proof.joined is None else {"joined": proof.joined}),
            }
            for proof in verdict.proofs
        ],
        "checks": list(verdict.checks),
        "problems": list(verdict.problems),
    }


def side_by_side(release: Release, count: int) -> tuple[list[list[str]], list[dict[str, dict[str, str]]]]:
    """Take a few records as they were and as they are published.

    Parameters
    ----------
    release
        With its original.
    count
        How many records.

    Returns
    -------
    tuple
        Rows of cells, two a record, under a head; and the same as mappings.
    """
    encoded = release.private.encoded
    published = next(iter(release.columns.values()))
    pairs = before_and_after(release, count)
    names = {encoded.published_name(column): column for column in encoded.table.names}
    heads = [*names, *(column for column in published if column not in names)]
    rows = [["", *map(cell, heads)]]
    for pair in pairs:
        old, new = pair["before"], pair["after"]
        rows.append(["before", *(cell(old.get(names.get(head, ""), "")) for head in heads)])
        rows.append(["after", *(cell(new.get(head, "–")) for head in heads)])
    return rows, pairs
