"""``report.html``: what the steward alone may see.

What the private report says about the guarantee: strength, slack, and the classes rare values need.

What adversaries achieve who know sensitive values of people whose records are linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness import registry
from likeness.pages import render
from likeness.report.answer import answer
from likeness.report.finding import kept_findings
from likeness.report.known import known_tables, with_and_without
from likeness.report.measured import (
    bound_lines,
    class_sizes,
    loss_by_column,
    loss_rows,
    note_lines,
    risk_rows,
    size_summary,
    size_table,
    skipped_rows,
)
from likeness.report.people import heaviest_withheld, people_findings, people_rows
from likeness.report.pictures import pictures
from likeness.report.script import drawing_script, script_hash
from likeness.report.two_tables import two_tables
from likeness.report.warned import file_findings
from likeness.wording import count, digits, figure, phrase

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.choosing import Candidate
    from likeness.encode import Encoded
    from likeness.metrics.measuring import Measurements
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.microdata.statistics import ClassStatistics
    from likeness.models.requirements import Requirement
    from likeness.policy import Policy
    from likeness.proving.proof import Proof
    from likeness.release import Release

_VALUES_SHOWN = 50


def proof_rows(release: Release) -> list[list[str]]:
    """Say of each proof whether it holds, how strong it is, and how far the worst class is from the limit.

    A row is model, column, parameters, scope, holds, strongest, smallest slack.
    """
    solution, data = release.private.solution, release.private.encoded.data
    rows = []
    for proof, requirement in zip(release.verdict.proofs, solution.requirements, strict=True):
        given = {key: value for key, value in proof.parameters.items() if key != "sensitive"}
        rows.append(
            [
                proof.model,
                proof.column or "",
                phrase(given),
                proof.scope,
                "yes" if proof.holds else "no",
                _strongest(proof, requirement, solution.plan, data),
                _cut(_smallest_slack(requirement, solution.plan, data)),
            ]
        )
    return rows


def smallest_class_tables(release: Release) -> list[tuple[str, str, list[list[str]], int]]:
    """Say, for each proof that sets one, which smallest class each sensitive value needs.

    A table is what it is about; in a sentence what every value needs, where that is the same, and no rows then; rows of
    value, published records and smallest class, those that need the largest first; and the number of values left out.
    """
    private = release.private
    data, plan = private.encoded.data, private.solution.plan
    codes = data.judged_codes if plan.sensitive is None else plan.sensitive
    word = "record" if data.individuals is None else "individual"
    tables: list[tuple[str, str, list[list[str]], int]] = []
    # Perturbed values belong to no classes.
    for requirement in private.solution.requirements if plan.mechanism is None else ():
        sizes = requirement.bound.smallest_classes()
        view = requirement.view
        if view is None or sizes.size == 0:
            continue
        counts = np.bincount(view.codes(codes)[plan.published], minlength=view.domain.codes)
        labels = [*view.domain.labels, "(missing)"]
        present = np.flatnonzero(counts)
        if present.size and (sizes[present] == sizes[present[0]]).all():
            least = int(sizes[present[0]])
            whose = (
                "The one published value"
                if present.size == 1
                else f"Each of the {present.size:,} published values"
            )
            line = f"{whose} needs a class of at least {count(least, word)}"
            mean, why = requirement.smallest_mean(data)
            if mean > least:
                line += f"; on average classes have {count(mean, word)} or more: {why}"
            tables.append((requirement.subject, line, [], 0))
            continue
        order = present[np.lexsort((present, -sizes[present]))]
        rows = [[labels[code], f"{counts[code]:,}", f"{sizes[code]:,}"] for code in order[:_VALUES_SHOWN]]
        tables.append((requirement.subject, "", rows, max(0, order.size - _VALUES_SHOWN)))
    return tables


def _smallest_slack(requirement: Requirement, plan: Plan, data: Microdata) -> float | None:
    """Distance of the worst class from the limit, on the model's scale; of confidence, where values are perturbed."""
    if plan.mechanism is not None and requirement.view is not None:
        posteriors = plan.mechanism.largest_posteriors(requirement.view.group)
        limits = requirement.bound.posterior_limits() or ()
        return min((float(a) - float(q) for a, q in zip(limits, posteriors, strict=True)), default=None)
    slack = requirement.bound.judge(_statistics(requirement, plan, data)).slack
    return float(slack.min()) if slack.size else None


def _strongest(proof: Proof, requirement: Requirement, plan: Plan, data: Microdata) -> str:
    """Write the strongest parameters that hold, and what they leave open."""
    found = phrase(None if proof.strength is None else dict(proof.strength.values), cut=True)
    left = (
        ""
        if plan.mechanism is not None
        else requirement.bound.left_open(_statistics(requirement, plan, data))
    )
    return f"{found}; {left}" if left else found


def _cut(slack: float | None) -> str:
    """Write a slack, where there is one."""
    return "" if slack is None else digits(slack)


def _statistics(requirement: Requirement, plan: Plan, data: Microdata) -> ClassStatistics:
    """Count what a proof looked at in every class, or bucket."""
    classes = plan.classes if requirement.view is None or plan.buckets is None else plan.buckets
    codes = data.judged_codes if plan.sensitive is None else plan.sensitive
    count = int(classes.max(initial=-1)) + 1
    return requirement.statistics(classes, count, data.sensitive, codes, data.individuals)


TARGETS = 2_000
"""People attacked where there are more: drawn at random, always the same, so that a report takes seconds."""

_ASKED: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "homogeneity": (
        {},
        {"disclosed": "share of targets with a true value that all people who may be them have"},
    ),
    "fingerprint": (
        {"known": 1},
        {"by_all_values": "share of individuals whom only one published person fits, given all their values"},
    ),
    "membership": (
        {"known": 1},
        {"certain": "share of individuals with a further value that all people who may be them have"},
    ),
}
"""Attacks, their parameters, and the details that are shown beside the success, in words."""


def adversary_rows(release: Release) -> tuple[list[list[str]], int]:
    """Say what is learned of people from what links their records, and on how many people that is measured.

    A row is attack, what is measured, the figure without the release (where there is one) and with it. There is none where
    records are not linked, or nobody can be attacked.
    """
    publication, data = release.publication, release.private.encoded.data
    targets = min(TARGETS, data.units.size)
    rows: list[list[str]] = []
    if publication.persons is None:
        return rows, targets
    for name, (given, shown) in _ASKED.items():
        attack = registry.create("attacks", name, {**given, "targets": max(1, targets)})
        if attack.refusal(publication, data) is not None:
            continue
        result = release.attack(attack)
        if not result.details["targets"]:
            continue  # nobody has more values than are known
        rows.append([name, result.meaning, figure(result.baseline), figure(result.success)])
        for detail, meaning in shown.items():
            before = result.details.get(f"{detail}_before")
            value = figure(result.details[detail])
            rows.append([name, meaning, "" if before is None else figure(before), value])
    return rows, targets


def report_page(
    release: Release,
    policy: dict[str, Any],
    counts: Mapping[str, Any],
    measured: Measurements,
    persons: NDArray[np.int64] | None = None,
) -> str:
    """Write the page: HTML complete in itself, with one script that draws the pictures and fetches nothing.

    ``policy``: what was asked, as a policy file holds it. ``counts``: what became of the records, numbers or numbers by
    reason. ``persons``: (rows of the original,) number of each row's person in the private files, where people may have
    several records.
    """
    from likeness.policy.files import write_yaml

    private = release.private
    effort, about = private.policy.effort, private.policy.about
    sizes = class_sizes(release)
    drawn, not_drawn = pictures(release)
    metrics, by_column = loss_by_column(release.evaluation)
    adversaries, attacked = adversary_rows(release)
    heaviest, more_withheld = heaviest_withheld(release, persons)
    return render(
        "report/templates/report.html",
        title=about.title or "Report on a release",
        by=about.publisher or "",
        certificate=release.certificate,
        answer=answer(release, measured),
        pictures=drawn,
        not_drawn=not_drawn,
        script=drawing_script(),
        script_hash=script_hash(),
        policy=write_yaml(policy),
        method=_part(private.method),
        candidates=_candidate_rows(private.candidates),
        effort=phrase(effort) if isinstance(effort, Mapping) else effort,
        minimized="" if private.policy.minimize is None else _part(private.policy.minimize),
        form=_part(release.certificate.make_form()),
        proofs=proof_rows(release),
        counts=_count_rows(counts),
        warnings=[str(found) for found in release.warnings],
        kept=[str(found) for found in kept_findings(release.evaluation) if not found.warned],
        files=[str(found) for found in file_findings(release)],
        known=known_tables(release),
        with_and_without=with_and_without(release),
        two_tables=two_tables(release),
        people=people_rows(release),
        people_findings=[str(found) for found in people_findings(release) if not found.warned],
        heaviest=heaviest,
        more_withheld=more_withheld,
        columns=_column_rows(private.encoded, private.policy),
        dropped=[name for name, role in private.encoded.roles.items() if role == "drop"],
        word="records" if release.certificate.individuals is None else "individuals",
        sizes=size_summary(sizes),
        size_table=size_table(sizes),
        loss=loss_rows(measured),
        loss_notes=note_lines(measured) + bound_lines(release, measured),
        skipped=skipped_rows(measured.refusals),
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
        [
            one.method.label,
            one.outcome,
            "" if one.loss is None else figure(one.loss),
            str(one.why or one.search or ""),
        ]
        for one in candidates
    ]


def _count_rows(counts: Mapping[str, Any]) -> list[list[str]]:
    """Write what became of the records, why, and of how many; the input comes first."""
    rows = []
    for name, number in counts.items():
        if isinstance(number, Mapping):
            rows += [[name, reason, f"{many:,}"] for reason, many in number.items()] or [[name, "", "0"]]
        else:
            rows.append([name, "", f"{number:,}"])
    return rows


def _part(part: Any) -> str:
    """Name a method or form with its parameters."""
    given = phrase(registry.parameters(part))
    return f"{part.name} ({given})" if given else str(part.name)


def _column_rows(encoded: Encoded, policy: Policy) -> list[list[str]]:
    """Say of every column of the input that is not dropped what it was taken for and what became of it."""
    kinds = {domain.name: domain.kind for domain in (*encoded.data.quasi, *encoded.data.sensitive)}
    rows = []
    for name, role in encoded.roles.items():
        if role == "drop":
            continue
        published = encoded.published_name(name)
        notices = [] if published == name else [f"published as {published!r}"]
        if role == "identifier" and policy.columns[name].action == "pseudonym":
            notices.append("published as random numbers")
        missing = f"{encoded.missing.get(name, 0):,}" if published in kinds else ""
        rows.append([name, role, kinds.get(published, ""), missing, "; ".join(notices)])
    return rows
