"""The guarantee that is proposed: k-anonymity, and β-likeness or l-diversity on every sensitive column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.models.beta_bounds import enhanced_limit
from likeness.profiling.persons import keys_of
from likeness.wording import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likeness.profiling.cells import Cells
    from likeness.profiling.persons import Persons
    from likeness.profiling.reach import Reach

K, BETA, L = 5, 4, 3
_MOST_OF_TABLE = 4
"""With several records a person, k is raised to cover `K` people if the table holds so many classes of that size."""


@dataclass(frozen=True)
class Proposal:
    """One privacy model of the proposed policy.

    Parameters
    ----------
    model
        As a policy file has it under ``privacy``.
    reason
        Why, in a sentence.
    """

    model: dict[str, Any]
    reason: str


def propose_guarantee(
    records: int,
    persons: Persons,
    sensitive: Mapping[str, Cells],
    reaches: Sequence[Reach],
    *,
    of_people: bool = False,
) -> tuple[Proposal, ...]:
    """Propose models that the table can meet.

    Parameters
    ----------
    records
        The number of records.
    persons
        Whether people have several of them.
    sensitive, reaches
        The sensitive columns, and what each can meet, in the same order.
    of_people
        Whether the policy names the column that people are counted by.
    """
    found = [_k_of_people(persons.people) if of_people else _k_anonymity(records, persons)]
    models = {reach.column: _on(reach) for reach in reaches}
    # What people who know one sensitive value of a person with several records may learn is not looked into here.
    known = len(models) < 2 or (
        not of_people
        and all(_holds_when_known(sensitive, name, proposal.model) for name, proposal in models.items())
    )
    for proposal in models.values():
        model = proposal.model if known else {**proposal.model, "others": "unknown"}
        reason = proposal.reason
        if len(models) > 1 and known:
            reason += "; whoever knows the other sensitive columns is covered"
        elif not known:
            why = "a profile does not look into what other records of a person tell" if of_people else ""
            why = why or "nobody who knows the other sensitive columns can be covered here"
            reason += f"; others: unknown, because {why}"
        found.append(Proposal(model, reason))
    return tuple(found)


def identity_reserved(reaches: Sequence[Reach]) -> tuple[dict[str, Any], ...]:
    """Give the models to ask for instead where one person's records are to be published under one number.

    Parameters
    ----------
    reaches
        What each sensitive column can meet, people being counted.

    Returns
    -------
    tuple of dict
        As a policy file has them under ``privacy``; none where nobody is counted, or there is no person but one.
    """
    people = max((reach.people or 0 for reach in reaches), default=0)
    if people < 2:
        return ()
    unknown = {"others": "unknown"} if len(reaches) > 1 else {}
    return (
        {"model": "ir-k-anonymity", "k": min(K, people)},
        *(
            {"model": "eir-l-diversity", "l": min(L, reach.eir_l), "sensitive": reach.column, **unknown}
            for reach in reaches
            if reach.eir_l is not None and reach.eir_l > 1
        ),
    )


def _k_of_people(people: int) -> Proposal:
    """k-anonymity where classes count people."""
    model = {"model": "k-anonymity", "k": min(K, people)}
    if people < K:
        return Proposal(model, f"the table has only {count(people, 'person', 'people')}: all are one class")
    return Proposal(model, "nobody can be told from fewer than k - 1 other people by the quasi-identifiers")


def _k_anonymity(records: int, persons: Persons) -> Proposal:
    """k-anonymity: of people, where several records of one can be outweighed."""
    k = min(K, records)
    reason = "nobody can be told from fewer than k - 1 others by the quasi-identifiers"
    if k < K:
        return Proposal(
            {"model": "k-anonymity", "k": k},
            f"the table has only {count(records, 'record')}: all are one class",
        )
    if persons.column is None:
        return Proposal({"model": "k-anonymity", "k": k}, reason)
    enough = (K - 1) * persons.most + 1
    if enough * _MOST_OF_TABLE <= records:
        reason = f"records of at least {K} people in every class, as nobody has more than {persons.most:,}"
        return Proposal({"model": "k-anonymity", "k": enough}, reason)
    reason = f"k counts records, and one person has up to {persons.most}: a class may hold a single person"
    return Proposal({"model": "k-anonymity", "k": k}, reason)


def _on(reach: Reach) -> Proposal:
    """β-likeness where its classes stay small; else distinct l-diversity."""
    if reach.suits_beta:
        model = {"model": "beta-likeness", "beta": BETA, "sensitive": reach.column}
        return Proposal(
            model,
            f"no class may raise the share of a value to more than {1 + BETA} times its share in the table; "
            "how many people are in a class it leaves to k-anonymity",
        )
    l = min(L, reach.values)  # noqa: E741  # the literature's name
    reason = f"{count(reach.values, 'value')}, too many or too rare for beta-likeness"
    return Proposal({"model": "distinct-l-diversity", "l": l, "sensitive": reach.column}, reason)


def _holds_when_known(sensitive: Mapping[str, Cells], name: str, model: Mapping[str, Any]) -> bool:
    """Whether the whole table as one class holds a model for an adversary who knows the other sensitive columns.

    Doubt at the last digit counts as no.
    """
    own = sensitive[name]
    known = keys_of([cells for other, cells in sensitive.items() if other != name])
    entries, counts = np.unique(known * own.radix + own.groups(), return_counts=True)
    part, value = entries // own.radix, entries % own.radix
    if model["model"] == "distinct-l-diversity":
        return bool((np.bincount(part) >= model["l"]).all())
    sizes = np.bincount(known)[part]
    shares = np.bincount(own.groups(), minlength=own.radix)
    caps = np.array(
        [float(enhanced_limit(Fraction(int(size), own.height), Fraction(BETA))) for size in shares]
    )
    return bool((counts / sizes <= caps[value] * (1 - 1e-9)).all())
