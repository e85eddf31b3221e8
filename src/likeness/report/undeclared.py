"""People who stand in several records of a table whose policy does not say so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from likeness.checks import number
from likeness.microdata.grouping import distinct
from likeness.microdata.individuals import find_individuals
from likeness.report.finding import Finding
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likeness.models.base import PrivacyModel
    from likeness.release import Private, Release

_LEAST_REPEATED = 0.01
"""Share of records that repeat an identifier, from which a class half of whose records do is told of, whatever its size."""


def undeclared_people(release: Release) -> list[Finding]:
    """Say which identifiers stand for several records each, and how few of them the classes of a release hold.

    Where a policy does not name the column that tells people apart (``individual``), every record is taken as another
    person's: a class of ten records may be one person. It is told whenever some class has fewer different identifiers
    than the guarantee asks records of it (`asked_of_a_class`), or, where it asks for no number, a single one for several
    records; and where identifiers often repeat, and some class has at most half as many as records.

    Parameters
    ----------
    release
        With its original.

    Returns
    -------
    list of Finding
        One per identifier that repeats so; none where the policy names the individual.
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

    Examples
    --------
    >>> from likeness.models.distinct_l_diversity import DistinctLDiversity
    >>> from likeness.models.k_anonymity import KAnonymity
    >>> asked_of_a_class([KAnonymity(5), DistinctLDiversity(7)]), asked_of_a_class([])
    (('l', 7), None)
    """
    numbers = [
        (name, math.ceil(number(model.name, name, value)))
        for model in models
        for name in ("k", "l")
        if (value := getattr(model, name, None)) is not None
    ]
    return max(numbers, key=lambda one: one[1], default=None)


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
