"""What a release says of people with several records, and what models that think of records would miss of them.

People who are written in several ways, and so count as several.

People who stand in several records of a table whose policy does not say so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from likeness.methods.base import holding_classes
from likeness.microdata.grouping import distinct
from likeness.microdata.individuals import find_individuals
from likeness.models.base import SensitiveModel
from likeness.models.eir_l_diversity import EirLDiversity
from likeness.models.requirements import require_of
from likeness.report.finding import Finding
from likeness.tables import bare_names
from likeness.wording import count, figure

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from numpy.typing import NDArray

    from likeness.models.base import PrivacyModel
    from likeness.release import Private, Release

_SHOWN = 3


def spelling_findings(release: Release) -> list[Finding]:
    """Say how many names of people differ only in spaces, capital letters, leading zeros or decimal places.

    Names are compared as they are written, so ``p7`` and ``P7`` are two people. If they are one, classes hold fewer people
    than they are proven to hold. One finding, a warning, where there are such names; else none.
    """
    private = release.private
    name = private.policy.individual
    if name is None:
        return []
    table, missing = private.encoded.table, private.policy.missing_of(name)
    names = table.encode(name, missing=missing.markers, kind="text").values.tolist()
    alike = _alike(pl.Series("name", names, dtype=pl.String))
    if not alike:
        return []
    facts = {
        "column": name,
        "alike": sum(map(len, alike)),
        "people": len(names),
        "such_as": alike[0][:_SHOWN],
    }
    return [Finding("people-written-in-several-ways", facts, _written_otherwise)]


def _written_otherwise(*, column: str, alike: int, people: int, such_as: list[str]) -> str:
    """Say how many people may be one."""
    return (
        f"column {column!r}: {alike:,} of {count(people, 'person')} differ from another only in spaces, capital letters, "
        f"leading zeros or decimal places, such as {' and '.join(map(repr, such_as))}; if they are one, classes hold fewer "
        "people than is proven: write each person in one way"
    )


def _alike(names: pl.Series) -> list[list[str]]:
    """Names that are the same but for spaces, capital letters, leading zeros or decimal places that are zeros.

    >>> _alike(pl.Series("name", ["p7", "P7 ", "7", "007", "7.0", "70", "p8"]))
    [['p7', 'P7 '], ['7', '007', '7.0']]
    """
    groups = names.to_frame().group_by(bare_names("name").alias("bare"), maintain_order=True).agg("name")
    return groups.filter(pl.col("name").list.len() > 1)["name"].to_list()


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
    """Count people and records, before, after, and by hygiene rule; no row where every record is another person's."""
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
        rows += [("people none of whose records goes on", found.individuals_dropped)]
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
        ("records of a published person, mean", figure(there.sum() / max(1, shown))),
        ("records of a published person, most", int(there.max(initial=0))),
    ]
    return [[what, str(figure)] for what, figure in rows]


def people_findings(release: Release) -> list[Finding]:
    """Say what hygiene left out, and what models that take each record for a person miss of people with several.

    One finding where names may be written in several ways, always a warning; one where many records say what others of
    their person say, a warning if they are left out without the policy's saying so; one where nobody else can check a
    guarantee about people, a warning if the policy did not say so; and for each model not about individuals, one per way to
    miss something, a warning if anything is missed here. None at all where every record is another person's.
    """
    private = release.private
    if private.encoded.data.individuals is None:
        return []
    found = spelling_findings(release) + _said_again(release) + _unlinked(release)
    for model in private.encoded.name_models(private.policy.privacy):
        if model.about_individuals:
            continue
        if (size := model.conditions.size) is not None:
            found.append(_too_few_people(release, model.name, size))
        if isinstance(model, SensitiveModel):
            found.append(_too_few_values(release, model))
    return found


def _said_again(release: Release) -> list[Finding]:
    """Say how many records are left out because their sensitive values are said of the same person already."""
    found, policy = release.private.encoded.hygiene, release.private.policy
    if found is None or found.duplicates_rule != "drop":
        return []
    again, everything = found.duplicates, found.records + found.duplicates
    if again <= _MOST_DUPLICATES * everything:
        return []
    about = [model.name for model in policy.privacy if model.about_individuals]
    facts = {"again": again, "records": everything, "needed_by": about[0] if about else None}
    warned = "duplicates" not in policy.hygiene.model_fields_set
    return [Finding("duplicates-dropped", facts, _left_out, warned)]


def _left_out(*, again: int, records: int, needed_by: str | None) -> str:
    """Say how many records say nothing new, and what to do about them."""
    line = (
        f"{again:,} of {count(records, 'record')} {'says' if again == 1 else 'say'} the same sensitive values of the same "
        f"person again and {'is' if again == 1 else 'are'} left out, with {'its' if again == 1 else 'their'} other columns; "
    )
    return line + (
        f"{needed_by} needs that, and hygiene: {{duplicates: drop}} in the policy says that it is all right"
        if needed_by
        else "hygiene: {duplicates: keep} keeps them"
    )


def _unlinked(release: Release) -> list[Finding]:
    """Say that a guarantee about people is proven for the steward alone where nobody sees which records are one person's."""
    policy = release.private.policy
    about = [model.name for model in policy.privacy if model.about_individuals]
    if release.publication.rows is not None:
        alone = list(dict.fromkeys(own.model for own in release.verdict.proofs if own.scope == "steward"))
        return (
            [Finding("owners-not-published", {"models": alone}, _owners_unknown, warned=False)]
            if alone
            else []
        )
    if not about or release.publication.persons is not None:
        return []
    return [Finding("people-not-published", {"models": about}, _checked_by_you_alone, policy.form is None)]


def _checked_by_you_alone(*, models: list[str]) -> str:
    """Say that nobody else can check models, and what would let them."""
    return (
        f"which records are one person's is not published, so {' and '.join(models)} can be checked by you alone; "
        "form: {name: identity-reserved} publishes a random number of each person, and everybody can check"
    )


def _owners_unknown(*, models: list[str]) -> str:
    """Say that nobody else can check models that who has which values decides."""
    return f"whose values are whose is not published, so {' and '.join(models)} can be checked by you alone"


def _too_few_people(release: Release, name: str, k: int) -> Finding:
    """Count the groups of the original that are large enough by their records alone."""
    data = release.private.encoded.data
    assert data.individuals is not None  # noqa: S101  # asked before
    groups = data.tuples
    people = find_individuals(groups.of, groups.count, data.individuals).sizes
    missed = (groups.sizes >= k) & (people < k)
    facts = {
        "model": name,
        "k": k,
        "groups": groups.count,
        "too_small": int(np.count_nonzero(missed)),
        "single": int(np.count_nonzero(missed & (people == 1))),
    }
    return Finding("groups-of-too-few-people", facts, _by_records_alone, bool(missed.any()))


def _by_records_alone(*, model: str, k: int, groups: int, too_small: int, single: int) -> str:
    """Say what a count of records would take for anonymous."""
    return (
        f"{model} counts people here; a count of records would take {too_small:,} of {count(groups, 'group')} of "
        f"equal quasi-identifiers in the original for {k}-anonymous that "
        f"{'holds' if too_small == 1 else 'hold'} fewer than {count(k, 'person')}, {single:,} of them a single person"
    )


def _too_few_values(release: Release, model: SensitiveModel) -> Finding:
    """Count the published classes in which few values suffice to know one of everybody's."""
    private = release.private
    plan, data = private.solution.plan, private.encoded.data
    kept = data.take(np.flatnonzero(plan.published))
    least = values_asked(model)
    needed = EirLDiversity(least, sensitive=model.sensitive, others=model.others)
    classes = plan.classes if plan.buckets is None else plan.buckets
    many = int(classes.max(initial=-1)) + 1
    good = holding_classes(require_of((needed,), kept), kept, classes[plan.published], many)
    facts = {
        "model": model.name,
        "column": model.sensitive,
        "l": least,
        "classes": many,
        "failing": int(np.count_nonzero(~good)),
    }
    return Finding("values-of-everybody", facts, _few_values, not good.all())


def _few_values(*, model: str, column: str, l: int, classes: int, failing: int) -> str:  # noqa: E741
    """Say in how many classes few values suffice."""
    few = "one value is everybody's" if l == 2 else f"fewer than {l} values hold one of everybody's"
    return (
        f"{model} on {column!r} says nothing of people who have several values: in {failing:,} of "
        f"{count(classes, 'class')} {few}; eir-l-diversity with l = {l} rules that out"
    )


def values_asked(model: PrivacyModel) -> int:
    """Find how many values a model asks for, rounded up, at least 2."""
    return max(2, math.ceil(_values(model) or 0))


def heaviest_withheld(release: Release, persons: NDArray[np.int64] | None) -> tuple[list[list[str]], int]:
    """List the people withheld under a limit on one person's share of a class, those of most records first.

    ``persons``: (rows of the original,) number of each row's person in the private files. Returns rows of number, records,
    share of all records and reason, and how many people more there are; no row without such a limit.
    """
    private = release.private
    data, plan = private.encoded.data, private.solution.plan
    limited = any(model.conditions.of_records is not None for model in private.policy.privacy)
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
        rows.append([str(int(persons[data.rows[record]])), f"{records[own]:,}", share, reason])
    return rows, people.size - len(rows)


_LEAST_REPEATED = 0.01
"""Share of records that repeat an identifier, from which a class half of whose records do is told of, whatever its size."""


def undeclared_people(release: Release) -> list[Finding]:
    """Say which identifiers stand for several records each, and how few of them the classes of a release hold.

    Where a policy does not name the column that tells people apart (``individual``), every record is taken as another
    person's: a class of ten records may be one person. There is a finding per identifier with which some class has fewer
    different ones than the guarantee asks records of it (`asked_of_a_class`), or, where it asks for no number, a single one
    for several records; and for one that often repeats, where some class has at most half as many as records.
    """
    return release.evaluation.once("undeclared people", lambda: _undeclared(release.private))


def _undeclared(private: Private) -> list[Finding]:
    """Look at every identifier of the original."""
    encoded, plan = private.encoded, private.solution.plan
    if encoded.data.individuals is not None:
        return []
    classes = plan.classes if plan.buckets is None else plan.buckets
    kept = np.flatnonzero(plan.published)
    asked = asked_of_a_class(encoded.name_models(private.policy.privacy))
    found = []
    for name in encoded.with_role("identifier"):
        names = encoded.table.encode(name, kind="text").codes[encoded.data.rows[kept]].astype(np.int64)
        named = names >= 0
        different = distinct(names[named]).size
        repeated = int(named.sum()) - different
        if not repeated:
            continue
        # Whoever has no identifier counts as somebody else.
        whose = np.where(named, names, names.max() + 1 + np.arange(names.size))
        own = find_individuals(classes[kept], int(classes[kept].max(initial=-1)) + 1, whose)
        people, records = own.sizes[own.records > 0], own.records[own.records > 0]
        single = int(np.count_nonzero((people == 1) & (records > 1)))
        few = single if asked is None else int(np.count_nonzero(people < asked[1]))
        # Names that two people share by chance lie in different classes.
        often = repeated > _LEAST_REPEATED * named.sum() and bool((2 * people <= records)[records > 1].any())
        if few or often:
            facts = {
                "column": name,
                "values": different,
                "records": int(named.sum()),
                "smallest": int(people.min()),
                "classes": int(people.size),
                "single": single,
                "fewer": few,
                "asked": None if asked is None else f"{asked[0]} = {asked[1]}",
            }
            found.append(Finding("people-not-counted", facts, _not_counted))
    return found


def asked_of_a_class(models: Iterable[PrivacyModel]) -> tuple[str, int] | None:
    """Find how many records the models ask of every class: the largest k, or number of values; None where they ask for none.

    The number comes with its letter, ``("l", 7)``, and is rounded up.
    """
    numbers = [
        (name, math.ceil(value))
        for model in models
        for name, value in (("k", model.conditions.size), ("l", _values(model)))
        if value is not None
    ]
    return max(numbers, key=lambda one: one[1], default=None)


def _values(model: PrivacyModel) -> Fraction | int | None:
    """Number of values a model asks for, of a class or for everybody in it."""
    asked = model.conditions
    return asked.values if asked.hidden_values is None else asked.hidden_values


def _not_counted(
    *,
    column: str,
    values: int,
    records: int,
    smallest: int,
    classes: int,
    single: int,
    fewer: int,
    asked: str | None,
) -> str:
    """Say how few people the classes may hold."""
    under = "" if asked is None or not fewer else f" under {asked}"
    whole = count(classes, "class")
    line = (
        f"column {column!r} has {count(values, 'value')} in {count(records, 'published record')}: if it names people, the "
        f"smallest class holds {smallest:,} of them{under}, "
    )
    if under:
        line += f"{fewer:,} of {whole} fewer than that, "
    return f"{line}and {single:,} of {whole} a single one; say individual: {column} to count people"
