"""What a release says of people with several records, and what models that think of records would miss of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.checks import number
from likeness.methods._base import holding_classes
from likeness.microdata.individuals import find_individuals
from likeness.models._base import SensitiveModel
from likeness.models._requirements import require_of
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.report.spellings import spelling_findings
from likeness.wording import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.models._base import PrivacyModel
    from likeness.release import Release

_PEOPLE_SHOWN = 50
_MOST_DUPLICATES = 0.2
"""Share of records that hygiene may leave out, as saying nothing new of a person, before it is warned of."""
_RULES = {
    "hull": "published as the hull of all their records",
    "first": "taken from the first record",
    "mode": "taken from the most frequent one",
    "drop": "dropped",
    "keep": "kept",
    "error": "refused",
}


def people_rows(release: Release) -> list[list[str]]:
    """Count people and records, before, after, and by hygiene rule.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of list of str
        What is counted, and its number; none where every record is another person's.
    """
    private = release.private
    data, found = private.encoded.data, private.encoded.hygiene
    if data.individuals is None:
        return []
    of = np.bincount(data.individuals)
    there = np.bincount(data.individuals[private.solution.plan.published], minlength=of.size)
    shown = int(np.count_nonzero(there))
    rows: list[tuple[str, int | str]] = []
    if found is not None:
        rows += [("people of the input", found.people_before)]
        rows += [("people none of whose records goes on", found.people_dropped)]
        rows += [("people without a sensitive value", found.without_sensitive)]
        rows += [("records of nobody, dropped", found.nobody)]
        if found.without_records:
            rows += [("people without a record in the second table", found.without_records)]
        rows += [
            (f"duplicate records of one person, {_RULES[found.duplicates_rule]}", found.duplicates),
            (
                f"people whose records differ in a quasi-identifier, {_RULES[found.inconsistent_rule]}",
                found.inconsistent,
            ),
        ]
    rows += [
        ("people searched", of.size),
        ("people published", shown),
        ("people withheld", of.size - shown),
        ("records published", int(there.sum())),
        ("records of a published person, mean", f"{there.sum() / max(1, shown):.6g}"),
        ("records of a published person, most", int(there.max(initial=0))),
    ]
    return [[what, str(figure)] for what, figure in rows]


def people_findings(release: Release) -> list[tuple[str, bool]]:
    """Say what hygiene left out, and for each model that thinks of one record a person, what it misses of people with several.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of (str, bool)
        One sentence where people may be written in several ways; one where many records say what others of the same person
        say, and whether they are left out without the policy's saying so; one where nobody else can check a guarantee about
        people, and whether the policy did not say so; one per model and way to miss something, and
        whether anything is missed here, but none of models about individuals. None at all where every record is another
        person's.
    """
    private = release.private
    if private.encoded.data.individuals is None:
        return []
    lines = spelling_findings(release) + _said_again(release) + _unlinked(release)
    for model in private.encoded.name_models(private.policy.privacy):
        if model.about_individuals:
            continue
        k = getattr(model, "k", None)
        if k is not None:
            lines.append(_too_few_people(release, model.name, k))
        if isinstance(model, SensitiveModel):
            lines += _too_few_values(release, model)
    return lines


def people_warnings(release: Release) -> list[str]:
    """Keep the sentences of `people_findings` that tell of something missed."""
    return [line for line, missed in people_findings(release) if missed]


def _said_again(release: Release) -> list[tuple[str, bool]]:
    """Say how many records are left out because their sensitive values are said of the same person already."""
    found, policy = release.private.encoded.hygiene, release.private.policy
    if found is None or found.duplicates_rule != "drop":
        return []
    again, everything = found.duplicates, found.records + found.duplicates
    if again <= _MOST_DUPLICATES * everything:
        return []
    about = [model.name for model in policy.privacy if model.about_individuals]
    line = (
        f"{again:,} of {count(everything, 'record')} {'says' if again == 1 else 'say'} the same sensitive values of the same "
        f"person again and {'is' if again == 1 else 'are'} left out, with {'its' if again == 1 else 'their'} other columns; "
    )
    line += (
        f"{about[0]} needs that, and hygiene: {{duplicates: drop}} in the policy says that it is all right"
        if about
        else "hygiene: {duplicates: keep} keeps them"
    )
    return [(line, "duplicates" not in policy.hygiene.model_fields_set)]


def _unlinked(release: Release) -> list[tuple[str, bool]]:
    """Say that a guarantee about people is proven for the steward alone where nobody sees which records are one person's."""
    policy = release.private.policy
    about = [model.name for model in policy.privacy if model.about_individuals]
    if not about or release.publication.persons is not None:
        return []
    line = (
        f"which records are one person's is not published, so {' and '.join(about)} can be checked by you alone; "
        "form: {name: identity-reserved} publishes a random number of each person, and everybody can check"
    )
    return [(line, policy.form is None)]


def _too_few_people(release: Release, name: str, k: int) -> tuple[str, bool]:
    """Count the groups of the original that are large enough by their records alone."""
    data = release.private.encoded.data
    assert data.individuals is not None  # noqa: S101  # asked before
    groups = data.tuples
    people = find_individuals(groups.of, groups.count, data.individuals).sizes
    missed = (groups.sizes >= k) & (people < k)
    number_, alone = np.count_nonzero(missed), np.count_nonzero(missed & (people == 1))
    line = (
        f"{name} counts people here; a count of records would take {number_:,} of {count(groups.count, 'group')} of "
        f"equal quasi-identifiers in the original for {k}-anonymous that "
        f"{'holds' if number_ == 1 else 'hold'} fewer than {count(k, 'person')}, {alone:,} of them a single person"
    )
    return line, bool(number_)


def _too_few_values(release: Release, model: SensitiveModel) -> list[tuple[str, bool]]:
    """Count the published classes in which few values suffice to know one of everybody's."""
    private = release.private
    plan, data = private.solution.plan, private.encoded.data
    kept = data.take(np.flatnonzero(plan.published))
    least = values_asked(model)
    lines = []
    for domain in data.sensitive:
        if model.sensitive not in {None, domain.name}:
            continue
        needed = EirLDiversity(least, sensitive=domain.name, others=model.others)
        good = holding_classes(require_of((needed,), kept), kept, plan.classes[plan.published], plan.count)
        failing = int(np.count_nonzero(~good))
        few = (
            "one value is everybody's" if least == 2 else f"fewer than {least} values hold one of everybody's"
        )
        line = (
            f"{model.name} on {domain.name!r} says nothing of people who have several values: in {failing:,} of "
            f"{count(plan.count, 'class')} {few}; eir-l-diversity with l = {least} rules that out"
        )
        lines.append((line, failing > 0))
    return lines


def values_asked(model: PrivacyModel) -> int:
    """Find how many values a model asks for, at least 2.

    Examples
    --------
    >>> from likeness.models.entropy_l_diversity import EntropyLDiversity
    >>> from likeness.models.beta_likeness import BetaLikeness
    >>> values_asked(EntropyLDiversity("5/2")), values_asked(BetaLikeness(4))
    (3, 2)
    """
    asked: Any = getattr(model, "l", None)
    return 2 if asked is None else max(2, math.ceil(number(model.name, "l", asked)))


def heaviest_withheld(release: Release, persons: NDArray[np.int64] | None) -> tuple[list[list[str]], int]:
    """List the people withheld under a limit on one person's share of a class, those of most records first.

    Parameters
    ----------
    release
        With its original.
    persons : (rows of the original,) int64, optional
        Number of each row's person in the private files.

    Returns
    -------
    tuple
        Number, records, share of all records, reason; and how many people more there are.
    """
    private = release.private
    data, plan = private.encoded.data, private.solution.plan
    limited = any(model.about_individuals and hasattr(model, "alpha") for model in private.policy.privacy)
    if persons is None or data.individuals is None or not limited or not plan.withheld:
        return [], 0
    reasons = list(plan.withheld_because)
    out = np.flatnonzero(~plan.published)
    people, first = np.unique(data.individuals[out], return_index=True)
    records = np.bincount(data.individuals)[people]
    order = np.lexsort((people, -records))[:_PEOPLE_SHOWN]
    rows = []
    for own in order.tolist():
        record = int(out[first[own]])
        reason = reasons[int(plan.reason_of[record])]
        share = f"{100 * records[own] / data.size:.3g} %"
        rows.append([str(int(persons[data.rows[record]])), str(int(records[own])), share, reason])
    return rows, people.size - len(rows)
