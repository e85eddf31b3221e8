"""One record a person: that of the highest category of their sensitive values, the others being history (Fazal et al. 2023)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from likeness.errors import PolicyError, Refusal
from likeness.microdata.data import Members
from likeness.microdata.plan import Reason
from likeness.wording import count, quoted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likeness.hierarchies import Categories
    from likeness.microdata.data import Microdata
    from likeness.microdata.domain import Domain

HISTORY = Reason(
    "history",
    "history: another record of the same person is of a higher category, or a later one of the same",
)


def highest(data: Microdata) -> Microdata:
    """Keep of every person the record of the highest category, of equal ones the last, and publish categories alone.

    The result is an ordinary table of one record a person, in the order of the original, whose one sensitive attribute is the
    category; its `source` holds all records, with their values. Quasi-identifiers are those of the record that is kept. Where
    everybody has one record that changes nothing but the attribute.

    Raises `PolicyError` when there is not exactly one sensitive attribute, it has no categories, or a category is nobody's
    highest.
    """
    if len(data.sensitive) != 1:
        what = f"publish: highest keeps the highest category of one sensitive column; this table has {len(data.sensitive)}"
        raise PolicyError(Refusal(what))
    return highest_of_each(data)


def highest_of_each(data: Microdata, lead: int = 0) -> Microdata:
    """Keep of every person one record, with the highest category of theirs in every sensitive attribute.

    As `highest`, of several attributes; the record that is kept is that of the highest category of the attribute ``lead``.

    Raises `PolicyError` when an attribute has no categories, or a category is nobody's highest.
    """
    domains = tuple(_of_categories(domain) for domain in data.sensitive)
    people = np.arange(data.size) if data.individuals is None else data.individuals
    ranks = [own.category_of[codes] for own, codes in zip(data.sensitive, data.sensitive_codes, strict=True)]
    most = np.zeros((len(domains), int(people.max(initial=-1)) + 1), np.int32)
    for own, found in zip(ranks, most, strict=True):
        np.maximum.at(found, people, own.astype(np.int32))
    kept_of = np.zeros(most.shape[1], np.int64)
    order = np.argsort(ranks[lead], kind="stable")
    kept_of[people[order]] = order
    kept = np.sort(kept_of)
    codes = np.ascontiguousarray(most[:, people[kept]])
    for domain, own in zip(domains, codes, strict=True):
        _refuse_nobodys(domain, own)
    alone = replace(data, individuals=None).take(kept)
    place = np.searchsorted(kept, kept_of)
    return replace(alone, sensitive=domains, sensitive_codes=codes, source=Members(place[people], data))


def _of_categories(domain: Domain) -> Domain:
    """Make the attribute whose values are the categories of another."""
    if domain.categories is None:
        what = f"needs categories of {domain.name!r}, the highest of everybody is published"
        raise PolicyError(
            Refusal(what, remedy=f"give them, as in categories: {{{domain.name}: severity.csv}}")
        )
    categories = _naming_themselves(domain, domain.categories)
    labels = np.array(categories.labels, object)
    return replace(
        domain,
        kind="ordered",
        values=labels,
        shape="interval",
        hierarchy=None,
        low=0.0,
        high=float(labels.size - 1),
        distance="equal" if domain.distance == "equal" else "ordered",
        declared=True,
        categories=categories,
    )


def _naming_themselves(domain: Domain, categories: Categories) -> Categories:
    """Let every category have its own label for a value too, as it is published under it."""
    for number, label in enumerate(categories.labels):
        if categories.rank.get(label, number) != number:
            other = categories.labels[categories.rank[label]]
            what = f"column {domain.name!r}: {quoted(label)} is a category, and a value of the category {quoted(other)}"
            raise PolicyError(Refusal(what, remedy="give the category another label"))
    values = tuple(
        own if label in own else (label, *own)
        for label, own in zip(categories.labels, categories.values, strict=True)
    )
    return replace(categories, values=values)


def _refuse_nobodys(domain: Domain, ranks: NDArray[np.integer]) -> None:
    """Refuse categories that are nobody's highest: what is asked of categories counts them all."""
    empty = [
        label
        for label, people in zip(domain.labels, np.bincount(ranks, minlength=domain.size), strict=True)
        if not people
    ]
    if empty:
        what = f"column {domain.name!r}: {quoted(empty[0])} is nobody's highest category"
        if len(empty) > 1:
            what += f", nor {'is' if len(empty) == 2 else 'are'} {count(len(empty) - 1, 'other')}"
        raise PolicyError(Refusal(what, remedy="join it with another one"))
