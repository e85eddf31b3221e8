"""What the private report says about the guarantee: strength, slack, and the classes rare values need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likeness.report.pages import phrase, plain_number
from likeness.wording import count

if TYPE_CHECKING:
    from likeness.microdata.data import Microdata
    from likeness.microdata.plan import Plan
    from likeness.models.requirements import Requirement
    from likeness.release import Release

_VALUES_SHOWN = 50


def proof_rows(release: Release) -> list[list[str]]:
    """Say of each proof whether it holds, how strong it is, and how far the worst class is from the limit.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of list of str
        Model, column, parameters, scope, holds, strongest, smallest slack; one row per proof.
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
                phrase(None if proof.strength is None else dict(proof.strength.values)),
                plain_number(_smallest_slack(requirement, solution.plan, data)),
            ]
        )
    return rows


def smallest_class_tables(release: Release) -> list[tuple[str, str, list[list[str]], int]]:
    """Say, for each proof that sets one, which smallest class each sensitive value needs.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of (str, str, list of list of str, int)
        What the table is about; in a sentence what every value needs, where that is the same, and no rows then; value,
        published records, smallest class, those that need the largest first; and the number of values left out.
    """
    private = release.private
    data, plan = private.encoded.data, private.solution.plan
    codes = data.sensitive_codes if plan.sensitive is None else plan.sensitive
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
        rows = [
            [labels[code], str(int(counts[code])), str(int(sizes[code]))] for code in order[:_VALUES_SHOWN]
        ]
        tables.append((requirement.subject, "", rows, max(0, order.size - _VALUES_SHOWN)))
    return tables


def _smallest_slack(requirement: Requirement, plan: Plan, data: Microdata) -> float | None:
    """Distance of the worst class from the limit, on the model's scale; of confidence, where values are perturbed."""
    if plan.mechanism is not None and requirement.view is not None:
        posteriors = plan.mechanism.largest_posteriors(requirement.view.group)
        limits = requirement.bound.posterior_limits() or ()
        return min((float(a) - float(q) for a, q in zip(limits, posteriors, strict=True)), default=None)
    classes = plan.classes if requirement.view is None or plan.buckets is None else plan.buckets
    codes = data.sensitive_codes if plan.sensitive is None else plan.sensitive
    count = int(classes.max(initial=-1)) + 1
    stats = requirement.statistics(classes, count, data.sensitive, codes, data.individuals)
    slack = requirement.bound.judge(stats).slack
    return float(slack.min()) if slack.size else None
