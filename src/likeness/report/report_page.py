"""``report.html``: what the steward alone may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from likeness import registry
from likeness.report.adversaries import adversary_rows
from likeness.report.kept import kept_findings
from likeness.report.measured import (
    class_sizes,
    loss_by_column,
    loss_rows,
    note_lines,
    risk_rows,
    size_summary,
    size_table,
    skipped_rows,
)
from likeness.report.pages import phrase, render
from likeness.report.people import heaviest_withheld, people_findings, people_rows
from likeness.report.proven import proof_rows, smallest_class_tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from likeness.choosing import Candidate
    from likeness.encode import Encoded
    from likeness.metrics.measuring import Measurements
    from likeness.policy import Policy
    from likeness.release import Release


def report_page(
    release: Release,
    policy: dict[str, Any],
    counts: Mapping[str, Any],
    measured: Measurements,
    persons: NDArray[np.int64] | None = None,
) -> str:
    """Write the page.

    Parameters
    ----------
    release
        With its original.
    policy
        What was asked, as a policy file holds it.
    counts
        What became of the records: numbers, or numbers by reason.
    measured
        The information loss.
    persons : (rows of the original,) int64, optional
        Number of each row's person in the private files, where people may have several records.

    Returns
    -------
    str
        A page of HTML without scripts, complete in itself.
    """
    from likeness.policy.files import write_yaml

    private = release.private
    sizes = class_sizes(release)
    metrics, by_column = loss_by_column(release.evaluation)
    adversaries, attacked = adversary_rows(release)
    heaviest, more_withheld = heaviest_withheld(release, persons)
    return render(
        "report.html",
        certificate=release.certificate,
        policy=write_yaml(policy),
        method=_part(private.method),
        candidates=_candidate_rows(private.candidates),
        form=_part(release.certificate.make_form()),
        proofs=proof_rows(release),
        counts=_count_rows(counts),
        warnings=[str(found) for found in release.warnings],
        kept=[str(found) for found in kept_findings(release.evaluation) if not found.warned],
        people=people_rows(release),
        people_findings=[str(found) for found in people_findings(release) if not found.warned],
        heaviest=heaviest,
        more_withheld=more_withheld,
        columns=_column_rows(private.encoded, private.policy),
        word="records" if release.certificate.individuals is None else "individuals",
        sizes=size_summary(sizes),
        size_table=size_table(sizes),
        loss=loss_rows(measured),
        loss_notes=note_lines(measured),
        skipped=skipped_rows(measured.skipped),
        metrics=metrics,
        by_column=by_column,
        risk=risk_rows(release),
        adversaries=adversaries,
        people_attacked=attacked,
        people_searched=private.encoded.data.units.size,
        smallest=smallest_class_tables(release),
    )


def _candidate_rows(candidates: Iterable[Candidate]) -> list[list[str]]:
    """Write which methods could have made the release, and what became of them."""
    return [
        [one.method.name, one.outcome, "" if one.loss is None else f"{one.loss:.6g}", one.why or ""]
        for one in candidates
    ]


def _count_rows(counts: Mapping[str, Any]) -> list[list[str]]:
    """Write what became of the records, why, and of how many; the input comes first."""
    rows = []
    for name, number in counts.items():
        if isinstance(number, Mapping):
            rows += [[name, reason, str(count)] for reason, count in number.items()] or [[name, "", "0"]]
        else:
            rows.append([name, "", str(number)])
    return rows


def _part(part: Any) -> str:
    """Name a method or form with its parameters."""
    given = phrase(registry.parameters(part))
    return f"{part.name} ({given})" if given else str(part.name)


def _column_rows(encoded: Encoded, policy: Policy) -> list[list[str]]:
    """Say of every column of the input what it was taken for and what became of it."""
    kinds = {domain.name: domain.kind for domain in (*encoded.data.quasi, *encoded.data.sensitive)}
    rows = []
    for name, role in encoded.roles.items():
        published = encoded.published_name(name)
        notices = [] if published == name else [f"published as {published!r}"]
        if role == "identifier" and policy.columns[name].action == "pseudonym":
            notices.append("published as random numbers")
        missing = str(encoded.missing.get(name, 0)) if published in kinds else ""
        rows.append([name, role, kinds.get(published, ""), missing, "; ".join(notices)])
    return rows
